"""`ties="random"`: every agent that searches breaks ties by its seed, and the same seed gives the same walk."""

import numpy as np
import pytest

import timebound as tb

OPEN = np.ones((12, 12), bool)
START, GOAL, CELLS = (1, 2), (10, 9), 17
KINDS = [kind.name for kind in tb.catalogue() if "ties" in kind.parameters]


def walk(kind: str, seed: int, world: tb.Grid | None = None) -> list[tuple[int, int]]:
    """Where there are many cheapest paths."""
    world = world or tb.Grid(OPEN, neighbors=4)
    agent = tb.make(kind, world, START, GOAL, ties="random", seed=seed)
    episode = agent.run(expansions=7)
    assert episode.solved
    return [tuple(place) for place in episode.path]


def test_every_agent_has_it() -> None:
    assert {kind.name for kind in tb.catalogue()} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_repeats_its_walk_whoever_walked_before(kind: str) -> None:
    world = tb.Grid(OPEN, neighbors=4)
    first = walk(kind, 3, world)
    assert walk(kind, 3, world) == first  # the memory of the search has served another agent
    assert walk(kind, 3) == first


@pytest.mark.parametrize("kind", KINDS)
def test_other_seeds_walk_elsewhere(kind: str) -> None:
    assert len({tuple(walk(kind, seed)) for seed in range(6)}) > 1


def test_random_ties_are_of_the_same_cost() -> None:
    for seed in range(10):
        assert len(walk("dstar-lite", seed)) == CELLS
        assert len(walk("astar", seed)) == CELLS


def test_the_goal_comes_first() -> None:
    world = tb.Grid(np.ones((1, 3), bool))
    for seed in range(10):
        agent = tb.make("lrta", world, (1, 0), (2, 0), ties="random", seed=seed)
        assert agent.run(expansions=1).moves == 1
