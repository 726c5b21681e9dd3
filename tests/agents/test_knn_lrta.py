"""kNN LRTA* against its naive twin, with bases of every size."""

from typing import Any

import hypothesis.strategies as st
import naive_cases
import numpy as np
import pytest
from agent_worlds import Problem, problems
from hypothesis import given, settings
from naive_agents import Belief

import timebound as tb
from timebound.subgoals.building import small_base
from timebound.subgoals.cases import CaseBase, base_of
from timebound.subgoals.records import joined

FLAGS = ["goal_first", "skip_start", "skip_end", "kd_tree", "interrupt", "shortcuts"]
OPTIONS = st.fixed_dictionaries(
    {
        "cap": st.sampled_from([3, 10, 250]),
        "candidates": st.sampled_from([1, 10, 1000]),
        "quota": st.sampled_from([1, 3, 1.5]),
        **dict.fromkeys(FLAGS, st.booleans()),
    }
)


@given(problems(side=18, neighbors=(4, 8)), st.sampled_from([1, 5, 40]), OPTIONS, st.integers(0, 9))
@settings(max_examples=300)
def test_moves_equal_those_of_the_naive_twin(
    problem: Problem, records: int, options: dict[str, Any], seed: int
) -> None:
    world = problem.world
    if not tb.shortest_path(world, problem.start, problem.goal).solved:
        return
    try:
        base = CaseBase.build(world, records, seed=seed, coverage="random")
    except tb.ProblemError:
        base = small_base(world, records, "random")
        assert len(base) == 0
    rows = [[world.state(cell) for cell in base.record(number)] for number in range(len(base))]
    belief = Belief(world, world.passable.copy(), world.passable)
    start, goal = world.state(problem.start), world.state(problem.goal)
    expected = naive_cases.KnnLrta(belief, start, goal, rows, **options).run()
    episode = problem.make("knn-lrta", cases=base, **options).run(intervals=100_000)
    assert [world.state(cell) for cell in episode.path] == expected
    assert episode.solved


@pytest.mark.parametrize("coverage", ["even", "random"])
@pytest.mark.parametrize("records", [0, 1, 30])
@given(problem=problems(side=20, neighbors=(8,)))
@settings(max_examples=40)
def test_it_is_complete_with_a_base_of_any_size(coverage: str, records: int, problem: Problem) -> None:
    """Theorem 7."""
    world, nothing = problem.world, np.empty(0, np.int32)
    try:
        base = CaseBase.build(world, max(1, records), coverage=coverage)
    except tb.ProblemError:
        records = 0
    if records == 0:
        base = base_of(world, coverage, 0, joined([]), nothing, nothing)
    episode = problem.make("knn-lrta", cases=base).run(intervals=200_000)
    assert episode.stop in ("goal", "unreachable")
    assert episode.solved == tb.shortest_path(world, problem.start, problem.goal).solved


def test_subgoals_spare_the_scrubbing() -> None:
    """On the built-in map: LRTA* alone, and with a base of even coverage."""
    world, problems_there = tb.Grid.load("harbour"), [((12, 100), (180, 14)), ((180, 14), (12, 100))]
    for start, goal in problems_there:
        best = tb.shortest_path(world, start, goal).cost
        alone = tb.make("lrta", world, start, goal).run()
        even = tb.make("knn-lrta", world, start, goal, records=1000).run()
        assert even.cost < 1.2 * best
        assert alone.cost > 3 * best
        assert even.memory_bytes < 10_000


@given(problems(side=14, neighbors=(8,)), st.integers(0, 2**32), st.sampled_from(["even", "random"]))
@settings(max_examples=100)
def test_it_arrives_in_a_world_that_changes(problem: Problem, seed: int, coverage: str) -> None:
    """Cells are blocked and freed, and the agent is moved, until the changes stop."""
    rng = np.random.default_rng(seed)
    agent = problem.make("knn-lrta", records=30, coverage=coverage)
    passable, changes = problem.world.passable.copy(), int(rng.integers(1, 12))
    while not agent.done:
        if changes and rng.random() < 0.5:
            changes -= 1
            x, y = (int(rng.integers(side)) for side in passable.shape[::-1])
            if (x, y) not in (agent.position, problem.goal):
                passable[y, x] ^= True
                agent.observe(**{"free" if passable[y, x] else "blocked": [(x, y)]})
            elif passable[y, x]:
                agent.moved((x, y))
                continue
        move = agent.plan()
        if not agent.done:
            agent.moved(move)
    now = problem.world.with_map(passable)
    if agent.stop == "unreachable":
        assert not tb.shortest_path(now, agent.position, problem.goal).solved
    else:
        assert agent.position == problem.goal


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cases": 3}, r"cases must be a CaseBase \(see CaseBase.build\) or its file, not 3"),
        ({"cases": "nowhere.cases"}, "nowhere.cases: cannot be read"),
        ({"records": 0}, "is a whole number from 1 to 10000000, not 0"),
        ({"coverage": "odd"}, "coverage is even or random, not 'odd'"),
        ({"cap": 0}, "cap is a whole number above 0"),
        ({"candidates": 1.5}, "candidates is a whole number above 0"),
        ({"quota": 0.5}, "the quota is a number from 1 to 1000"),
        ({"skip_end": 1}, "skip_end is True or False, not 1"),
    ],
)
def test_parameters_that_make_no_sense(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(tb.TimeboundError, match=message):
        tb.make("knn-lrta", tb.Grid.load("harbour"), (12, 100), (180, 14), **parameters)


def test_graphs_have_no_cases() -> None:
    with pytest.raises(tb.ProblemError, match="agent 'knn-lrta' needs a grid, not a Graph"):
        tb.make("knn-lrta", tb.Graph.from_edges([(0, 1), (1, 2)]), 0, 2)
    with pytest.raises(tb.ProblemError, match="cases are for grids, not for a Graph"):
        CaseBase.build(tb.Graph.from_edges([(0, 1), (1, 2)]), 5)
    with pytest.raises(tb.ProblemError, match="only known terrain"):
        tb.make("knn-lrta", tb.Grid.load("harbour"), (12, 100), (180, 14), terrain="unknown")
