"""`ties="random"`: every agent breaks ties by its seed, and the same seed gives the same walk."""

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import Problem, problems
from hypothesis import given, settings
from naive_agents import reachable

import timebound as tb
from timebound.worlds.interface import successors

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


@pytest.mark.uncompiled
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


def test_larger_g_comes_before_chance() -> None:
    """RTAA* paper, section 8: larger g, then at random. So A* goes straight to the goal."""
    world = tb.Grid(OPEN, neighbors=4)
    for seed in range(SEEDS):
        search = tb.Search(world, START, GOAL, ties="random", seed=seed)
        assert (search.advance(), search.expansions) == ("found", CELLS - 1)


# ------------------------------------------------------------------ what holds for fixed ties holds for these


@pytest.mark.uncompiled
@given(problems(side=7), st.integers(0, 99))
@settings(max_examples=60)
def test_paths_are_as_cheap(problem: Problem, seed: int) -> None:
    best = tb.shortest_path(problem.world, problem.start, problem.goal)
    for kind in ("astar", "repeated-astar", "dstar-lite", "tba"):
        episode = problem.make(kind, ties="random", seed=seed).run()
        assert episode.solved == best.solved
        assert not best.solved or episode.cost == pytest.approx(best.cost)


@pytest.mark.uncompiled
@pytest.mark.parametrize("kind", ["rtaa", "lss-lrta"])
@given(problems(side=7), st.sampled_from([1, 3, 8]), st.integers(0, 99))
@settings(max_examples=30)
def test_h_stays_consistent_and_agents_arrive(kind: str, problem: Problem, expansions: int, seed: int) -> None:
    """RTAA* paper, Theorems 1 to 3, whatever the ties."""
    if problem.goal not in reachable(problem.world, problem.start):
        return
    agent = problem.make(kind, "unknown", ties="random", seed=seed)
    goal, before = problem.world.state(problem.goal), agent.h()
    while not agent.done and agent.episode().intervals < 3000:
        agent.step(expansions=expansions)
        h = agent.h()
        assert (h >= before).all()
        before = h
    assert agent.episode().solved
    world = problem.world.with_map(agent.knows() != 2).compiled(goal)
    for state in range(len(before)):
        assert all(before[state] <= cost + before[after] for after, cost in successors(world, state))
