"""`ties="random"`: every agent breaks ties by its seed, and the same seed gives the same walk."""

import numpy as np
import pytest
from hostile.without_compiler import without_compiler

import timebound as tb

OPEN = np.ones((12, 12), bool)
START, GOAL, CELLS = (1, 2), (10, 9), 17
SEEDS = 5


def walk(kind: str, seed: int, world: tb.Grid) -> tuple[tuple[int, int], ...]:
    """A world with many cheapest paths."""
    episode = tb.make(kind, world, START, GOAL, ties="random", seed=seed).run(expansions=7)
    assert episode.solved
    return tuple(tuple(place) for place in episode.path)


def check(kind: str) -> None:
    world = tb.Grid(OPEN, neighbors=4)
    walks = [walk(kind, seed, world) for seed in range(SEEDS)]
    assert len(set(walks)) > 1
    assert walk(kind, 0, world) == walks[0]  # though the memory of its search has served others
    assert walk(kind, 0, tb.Grid(OPEN, neighbors=4)) == walks[0]
    if kind in ("astar", "dstar-lite"):
        assert {len(cells) for cells in walks} == {CELLS}


@without_compiler
@pytest.mark.parametrize("kind", [kind.name for kind in tb.catalogue()])
def test_every_agent_has_random_ties_that_can_be_repeated(kind: str) -> None:
    check(kind)


@pytest.mark.parametrize("kind", ["rtaa", "dstar-lite", "lrta"])
def test_the_same_of_machine_code(kind: str) -> None:
    check(kind)


def test_so_have_shortest_paths() -> None:
    world = tb.Grid(OPEN, neighbors=4)
    paths = [tb.shortest_path(world, START, GOAL, ties="random", seed=seed) for seed in range(SEEDS)]
    assert {path.cost for path in paths} == {CELLS - 1}
    assert len({tuple(path.numbers) for path in paths}) > 1
    for again in (world, tb.Grid(OPEN, neighbors=4)):
        assert tb.shortest_path(again, START, GOAL, ties="random", seed=0).states == paths[0].states
        search = tb.Search(again, START, GOAL, ties="random", seed=0)
        assert (search.advance(), search.expansions) == ("found", paths[0].expansions)


def test_the_goal_comes_first() -> None:
    world = tb.Grid(np.ones((1, 3), bool), neighbors=4)
    for seed in range(10):
        agent = tb.make("lrta", world, (1, 0), (2, 0), ties="random", seed=seed)
        assert agent.run(expansions=1).moves == 1
