"""Agents pass on their memory to later agents, and nothing else."""

import sys
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import Problem, problems
from hypothesis import given, settings

import timebound as tb
from timebound.agents.making import ARRAYS
from timebound.agents.parameters import COMMON
from timebound.compiled import compiled
from timebound.core.memory import Used
from timebound.knowledge.grid import WRITTEN, forget_all, map_changed
from timebound.knowledge.interface import News
from timebound.knowledge.terrain import lay_out
from timebound.search.learning import HIGHEST, Learned, learned_values, new_trial, without_learned

EXPLORERS = ["repeated-astar", "adaptive-astar", "dstar-lite"]


def megabytes() -> float:
    """The address space of this process."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("only Linux tells how much address space a process has")
    size = next(line for line in status.read_text().splitlines() if line.startswith("VmSize"))
    return int(size.split()[1]) / 1024


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("dstar-lite", {"terrain": "unknown"}),
        ("adaptive-astar", {"terrain": "unknown"}),
        ("late-astar", {}),
        ("astar", {}),
        ("dstar-lite", {"fallback": "nearest"}),
        ("d-lrta", {"level": 6}),
        ("pr-lrta", {}),
    ],
)
def test_agents_that_are_no_more_leave_nothing_behind(name: str, parameters: dict) -> None:
    """Numba's generators leak arrays whose references they count, so agents must borrow a world to look at moves."""
    passable = np.ones((1024, 1024), bool)
    if "fallback" in parameters:
        passable[990:, 998] = passable[990, 998:] = False
    world, sizes = tb.Grid(passable), []
    for _ in range(12):
        agent = tb.make(name, world, (0, 0), (1000, 1000), **parameters)
        agent.run(expansions=50, intervals=30)
        del agent
        sizes.append(megabytes())
    assert sizes[-1] - sizes[3] < 4  # one leaked array of moves is a megabyte


@pytest.mark.parametrize(
    ("name", "parameters"), [("dstar-lite", {}), ("repeated-astar", {}), ("repeated-astar", {"direction": "backward"})]
)
def test_agents_on_graphs_leave_nothing_behind(name: str, parameters: dict) -> None:
    world, sizes = tb.Graph.from_edges([(node, node + 1) for node in range(100_000)], directed=False), []
    for _ in range(12):
        agent = tb.make(name, world, 0, 90_000, **parameters)
        agent.run(expansions=50, intervals=30)
        del agent
        sizes.append(megabytes())
    assert sizes[-1] - sizes[3] < 4  # its belief about the edges is 1.6 megabytes


def record(name: str, world: tb.Grid, start: object, goal: object) -> dict:
    """What an agent does in unknown terrain, without the times."""
    agent = tb.make(name, world, start, goal, terrain="unknown")
    assert not (agent.reached() >= 0).any()
    assert not learned_values(world_of(agent._body)).any()
    figures = agent.run(expansions=37).as_json()
    return {name: value for name, value in figures.items() if "time" not in name and "planning" not in name}


@compiled
def world_of(body):  # type: ignore[no-untyped-def]
    return body.world


@pytest.mark.parametrize("name", EXPLORERS)
def test_an_agent_in_the_memory_of_others_does_the_same(name: str) -> None:
    world = tb.Grid.load("harbour")
    first = record(name, world, (12, 100), (180, 14))
    for other in ("wastar", "adaptive-astar", "dstar-lite"):
        tb.make(other, world, (180, 14), (12, 100)).run()
    part = {"repeated-astar": "nodes", "adaptive-astar": "h", "dstar-lite": "vertices"}[name]
    used = world.pool.take(part, world.states, ARRAYS[part][0])
    assert used.mark > 0
    assert used.array.view(np.uint8).any()
    world.pool.leave(part, used)
    assert record(name, world, (12, 100), (180, 14)) == first
    assert world.pool.take(part, world.states, ARRAYS[part][0]).array is used.array


@given(problems(side=9), st.lists(st.tuples(st.sampled_from(EXPLORERS), st.booleans()), min_size=2, max_size=6))
@settings(max_examples=100)
def test_agents_one_after_the_other_are_as_each_alone(problem: Problem, sequence: list[tuple[str, bool]]) -> None:
    for name, there in sequence:
        ends = (problem.start, problem.goal) if there else (problem.goal, problem.start)
        alone = problem.world.with_map(problem.world.passable)
        assert record(name, problem.world, *ends) == record(name, alone, *ends)


@pytest.mark.parametrize("mark", [HIGHEST, HIGHEST + 5])
def test_numbers_that_run_out(mark: int) -> None:
    """Learned values are stored above those that other agents left; memory is retired when its numbers run out."""
    world = tb.Grid.load("harbour")
    first = record("adaptive-astar", world, (12, 100), (180, 14))
    used = world.pool.take("h", world.states, np.int64)
    world.pool.leave("h", Used(used.array, mark))
    assert record("adaptive-astar", world, (12, 100), (180, 14)) == first
    assert world.pool.take("h", world.states, np.int64).mark == 0


def test_what_was_learned_can_be_forgotten_again_and_again() -> None:
    rises, tally = np.array([0, 5, 4]), np.array([2, 7, 8, 2, 5])
    learned = Learned(None, np.array([3, 0, 8]), 2, rises, 4, np.array([0, 40]), 7, tally)
    assert learned_values(learned).tolist() == [1, 0, 6]
    forgotten = without_learned(learned)
    assert (learned_values(forgotten).tolist(), forgotten.path_costs.tolist()) == ([0, 0, 0], [0, 0])
    forgotten.h[1] = forgotten.tally[2] = HIGHEST + 1
    assert learned_values(forgotten).tolist() == [0, HIGHEST - 7, 0]
    assert (without_learned(forgotten).base, forgotten.h.tolist()) == (0, [0, 0, 0])
    assert forgotten.rise_base == 5
    forgotten.rises[2] = forgotten.tally[4] = HIGHEST + 1
    assert (new_trial(forgotten, forgotten.rises).rise_base, forgotten.rises.tolist()) == (0, [0, 0, 0])


@given(problems(side=12), st.sampled_from([None, 3]), st.integers(0, 99))
@settings(max_examples=30)
def test_what_an_agent_has_seen_is_forgotten_with_it(problem: Problem, radius: int | None, seed: int) -> None:
    agent = problem.make("repeated-astar", "unknown", radius=radius, seed=seed)
    agent.run(expansions=10)
    knowledge = agent._knowledge
    assert knowledge.seen.any() or problem.start == problem.goal
    del agent
    other = problem.make("repeated-astar", "unknown", radius=radius, seed=seed)
    assert other._knowledge.seen is knowledge.seen
    assert not knowledge.seen.any()
    assert not knowledge.patch.any()


def test_an_agent_that_does_not_use_its_nodes_leaves_them_as_they_were() -> None:
    """LRTA* with one move of lookahead has no search; values that others left in the nodes stay invalid."""
    world = tb.Grid.load("harbour")
    first = record("tbaa", world, (12, 100), (180, 14))
    for name in ("rtaa", "lrta", "tbaa"):
        again = record(name, world, (12, 100), (180, 14))
    assert again == first


@pytest.mark.compiled
def test_changes_and_the_end_of_an_agent_leave_no_references_to_what_it_saw() -> None:
    world = tb.Grid(np.ones((20, 20), bool))
    knowledge = lay_out(world, "known", 0, 1, 0, {name: given.default for name, given in COMMON.items()})[1]
    before = [sys.getrefcount(array) for array in (knowledge.seen, knowledge.patch, knowledge.tally)]
    world.block([(3, 3)])
    map_changed(knowledge, np.array([63]), np.array([1]), True, News(np.empty(64, np.int32), 0, False))
    knowledge.tally[WRITTEN], knowledge.log[0] = 1, 63
    forget_all(knowledge)
    assert [sys.getrefcount(array) for array in (knowledge.seen, knowledge.patch, knowledge.tally)] == before
