"""If asked to, agents that cannot reach the goal go to the nearest reachable cell."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import AGENTS, COMPLETE, EXPLORERS, Cell, Problem, check_walk, grid, legal, problems
from hypothesis import given, settings
from naive_agents import reachable

import timebound as tb
from timebound.worlds.interface import heuristic

BACKWARD = [("dstar-lite", {}), ("repeated-astar", {"direction": "backward"})]


def h(world: tb.Grid, cell: Cell, goal: Cell) -> int:
    return int(heuristic(world.compiled(world.state(goal)), world.state(cell)))


# One of each family that retreats in the same way: every one is another thing to compile.
NAMES = COMPLETE | {"rtaa", "tbaa"}
RETREATING = [agent for agent in AGENTS if agent[0] in NAMES]
RETREATING_EXPLORERS = [agent for agent in EXPLORERS if agent[0] in NAMES - {"rtaa"}]  # its proofs take long


@pytest.mark.parametrize(("name", "terrain", "parameters"), RETREATING)
@given(problems(side=9), st.sampled_from([1, 4, math.inf]))
@settings(max_examples=50)
def test_the_fallback_is_the_reachable_cell_nearest_to_the_goal(
    name: str, terrain: str, parameters: dict, problem: Problem, expansions: float
) -> None:
    agent = problem.make(name, terrain, fallback="nearest", solvable=False, seed=3, **parameters)
    episode = agent.run(expansions=expansions)
    check_walk(agent, episode)
    cells = reachable(agent.truth, problem.start)
    if problem.goal in cells:
        assert (episode.stop, agent.position) == ("goal", problem.goal)
        return
    assert (episode.stop, episode.solved) == ("unreachable", False)
    least = min(h(problem.world, cell, problem.goal) for cell in cells)
    assert h(problem.world, agent.position, problem.goal) == least


def test_the_way_to_the_nearest_cell() -> None:
    world = grid(".....#.", ".....#.", ".....#.", neighbors=4)
    agent = tb.make("astar", world, (0, 0), (6, 1), fallback="nearest")
    episode = agent.run()
    assert (episode.path[-1], episode.moves, episode.cost, episode.searches) == ((4, 1), 5, 5.0, 1)
    assert episode.intervals == 6
    near = tb.make("astar", world, (4, 1), (6, 1), fallback="nearest").run()
    assert (near.path, near.stop, near.intervals) == ([(4, 1)], "unreachable", 1)


@pytest.mark.parametrize(("name", "parameters"), RETREATING_EXPLORERS)
def test_a_goal_that_becomes_reachable_again_is_reached(name: str, parameters: dict) -> None:
    world = grid(".....#.", ".....#.", ".....#.", neighbors=4)
    agent = tb.make(name, world, (0, 1), (6, 1), fallback="nearest", **parameters)
    while agent.position != (3, 1):
        agent.moved(agent.plan())
    assert list(agent.path) == [(3, 1), (4, 1)]
    agent.observe(free=[(5, 1)])
    while not agent.done:
        agent.moved(agent.plan())  # by way of (4, 1), where it would have stopped
    assert (agent.stop, agent.episode().moves) == ("goal", 6)


@pytest.mark.parametrize(("name", "parameters"), RETREATING_EXPLORERS)
def test_what_is_learned_on_the_way_to_the_nearest_cell(name: str, parameters: dict) -> None:
    """The nearest cell turns out to be walled in: the agent takes the next best, and the proof stands."""
    world = grid("......#.", "......#.", "......#.", neighbors=4)
    agent = tb.make(name, world, (0, 1), (7, 1), fallback="nearest", **parameters)
    while agent.position != (2, 1):
        agent.moved(agent.plan(expansions=3))
    agent.observe(blocked=[(5, 1), (5, 0), (4, 2)])
    while not agent.done:
        agent.moved(agent.plan(expansions=3))
    assert (agent.stop, agent.position) == ("unreachable", (4, 1))


@pytest.mark.parametrize(("name", "parameters"), RETREATING_EXPLORERS)
def test_a_search_for_the_nearest_cell_keeps_to_its_budget(name: str, parameters: dict) -> None:
    passable = np.ones((40, 40), bool)
    passable[:, 30] = False
    agent = tb.make(name, tb.Grid(passable), (0, 20), (39, 20), fallback="nearest", **parameters)
    expansions = 0
    while not agent.done:
        agent.step(expansions=25)
        spent, expansions = agent.episode().expansions - expansions, agent.episode().expansions
        assert spent <= 25
    assert (agent.stop, agent.position) == ("unreachable", (29, 20))
    hurried = tb.make(name, tb.Grid(passable), (0, 20), (39, 20), fallback="nearest", **parameters).run(ms=1e-6)
    assert (hurried.stop, hurried.path[-1]) == ("unreachable", (29, 20))
    limited = tb.make(name, tb.Grid(passable), (0, 20), (39, 20), fallback="nearest", memory_mb=0.02, **parameters)
    assert limited.run(expansions=25).stop == "memory"


@given(problems(side=10), st.sampled_from(BACKWARD), st.sampled_from([2, math.inf]), st.integers(0, 2**32))
@settings(max_examples=150)
def test_the_fallback_in_a_world_that_changes(
    problem: Problem, kind: tuple[str, dict], expansions: float, seed: int
) -> None:
    """Cells are blocked and freed while the agent walks; it ends as near to its goal as forward Repeated A*."""
    generator, passable = np.random.default_rng(seed), problem.world.passable.copy()
    agent = problem.make(kind[0], fallback="nearest", **kind[1])
    changes = int(generator.integers(0, 12))
    while not agent.done:
        for _ in range(2 if changes > 0 else 0):
            x, y = (int(generator.integers(side)) for side in passable.shape[::-1])
            if (x, y) not in (agent.position, problem.goal):
                passable[y, x] ^= True
                agent.observe(**{"free" if passable[y, x] else "blocked": [(x, y)]})
        changes -= 1
        move = agent.plan(expansions=expansions)
        assert move == agent.position or legal(problem.world.with_map(passable), agent.position, move)
        if not agent.done:
            agent.moved(move)
    world = problem.world.with_map(passable)
    forward = tb.make("repeated-astar", world, agent.position, problem.goal, fallback="nearest").run()
    assert agent.stop == forward.stop
    assert h(world, agent.position, problem.goal) == h(world, forward.path[-1], problem.goal)


@pytest.mark.parametrize("name", ["repeated-astar", "dstar-lite"])
def test_an_agent_put_beyond_the_wall_reaches_its_goal(name: str) -> None:
    agent = tb.make(name, grid(".....#...."), (0, 0), (8, 0), fallback="nearest")
    agent.moved(agent.plan())
    agent.moved((6, 0))
    while not agent.done:
        agent.moved(agent.plan())
    assert agent.stop == "goal"
