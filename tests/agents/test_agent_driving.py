"""Programs that control the world: they observe, plan and move themselves, refuse moves, and change the world."""

import copy
import math
import pickle
from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import (
    AGENTS,
    COMPLETE,
    COMPLETE_EXPLORERS,
    EXPLORERS,
    Cell,
    Problem,
    figures,
    free_cells,
    grid,
    legal,
    nothing_hidden,
    problems,
)
from hypothesis import given, settings
from naive_agents import reachable

import timebound as tb
from timebound.worlds.grid import STEPS

BUDGETS = [{"expansions": 1}, {"expansions": 5}, {}, {"virtual_ms": 0.001}]
KNOWN = [(name, parameters) for name, terrain, parameters in AGENTS if terrain == "known"]


def look(agent: tb.Agent, truth: np.ndarray) -> None:
    """Report the neighbouring cells, as a sensor would."""
    x, y = agent.position
    height, width = truth.shape
    cells = [(x + dx, y + dy) for dx, dy in STEPS[: agent.world.neighbors].tolist()]
    inside = [(x, y) for x, y in cells if 0 <= x < width and 0 <= y < height]
    agent.observe(
        blocked=[(x, y) for x, y in inside if not truth[y, x]], free=[(x, y) for x, y in inside if truth[y, x]]
    )


def check_plan(agent: tb.Agent, move: Cell) -> None:
    """The path is readable, and begins with the decision."""
    path = list(agent.path)
    if agent.done:
        return
    if move == agent.position:
        assert path == []
    elif agent.name != "late-astar" or path:
        assert path[:2] == [agent.position, move]
        assert path[-1] == agent.goal or agent.name not in COMPLETE


def check_cheapest(agent: tb.Agent, problem: Problem) -> None:
    """The path is a cheapest one in the world as the agent believes it to be."""
    assumed = np.ones_like(problem.world.passable) if agent.terrain == "unknown" else problem.world.passable
    seen = agent.knows()
    world = problem.world.with_map((seen == 1) | ((seen == 0) & assumed))
    best = tb.shortest_path(world, agent.position, problem.goal)
    cost = world.path_cost(np.array([world.state(cell) for cell in agent.path]))
    assert cost == pytest.approx(best.cost, rel=1e-6)


@pytest.mark.parametrize(("name", "terrain", "parameters"), AGENTS)
@given(problems(side=10), st.sampled_from(BUDGETS), st.integers(0, 99))
@settings(max_examples=60)
def test_run_step_and_a_separate_loop_give_the_same_episode(
    name: str, terrain: str, parameters: dict, problem: Problem, budget: dict, seed: int
) -> None:
    whole, stepped, driven = (problem.make(name, terrain, seed=seed, solvable=False, **parameters) for _ in range(3))
    episode = whole.run(**budget)
    while not stepped.done:
        assert stepped.step(**budget) == stepped.position
    assert figures(stepped.episode()) == figures(episode)
    truth = driven.truth.passable
    while not driven.done:
        look(driven, truth)
        move = driven.plan(**budget)
        check_plan(driven, move)
        if driven.done:
            break
        driven.moved(move)
        assert driven.position == move
    assert figures(driven.episode()) == figures(episode)


@pytest.mark.parametrize(("name", "terrain", "parameters"), AGENTS)
@given(problems(side=9), st.sampled_from(BUDGETS), st.integers(0, 2**32))
@settings(max_examples=120)
def test_moves_that_are_refused_or_end_elsewhere(
    name: str, terrain: str, parameters: dict, problem: Problem, budget: dict, seed: int
) -> None:
    """The agent continues from wherever it is put, by legal moves only, and arrives or proves that it cannot."""
    generator = np.random.default_rng(seed)
    agent = problem.make(name, terrain, seed=seed, solvable=False, **parameters)
    truth, cells = agent.truth, free_cells(agent.truth.passable)
    disturbances = int(generator.integers(1, 12))
    while not agent.done:
        look(agent, truth.passable)
        move = agent.plan(**budget)
        if agent.done:
            break
        assert move == agent.position or legal(truth, agent.position, move)
        if name == "dstar-lite" and move != agent.position:
            check_cheapest(agent, problem)
        chance = generator.random()
        if disturbances and chance < 0.5:
            disturbances -= 1
            agent.moved(agent.position if chance < 0.2 else cells[generator.integers(len(cells))])
        else:
            agent.moved(move)
    assert agent.stop == ("goal" if problem.goal in reachable(truth, agent.position) else "unreachable")
    assert agent.episode().moves == len(agent.episode().path) - 1


@pytest.mark.parametrize(("name", "parameters"), KNOWN)
@given(
    problems(side=9, heuristics=("auto", "none", "euclidean")) | problems(side=9, travel=(1.0, 1.5, 4.0)),
    st.sampled_from(BUDGETS),
    st.integers(0, 2**32),
)
@settings(max_examples=150)
def test_a_world_that_changes_while_the_agent_searches_and_walks(
    name: str, parameters: dict, problem: Problem, budget: dict, seed: int
) -> None:
    """Cells are blocked and freed at random, and the agent is told so at once."""
    generator = np.random.default_rng(seed)
    agent, world = problem.make(name, **parameters), problem.world
    passable = world.passable.copy()
    changes, searches = int(generator.integers(1, 15)), 0
    while not agent.done:
        if changes:
            changes -= 1
            for _ in range(int(generator.integers(1, 4))):
                x, y = (int(generator.integers(side)) for side in passable.shape[::-1])
                if (x, y) not in (agent.position, problem.goal):
                    passable[y, x] ^= True
                    agent.observe(**{"free" if passable[y, x] else "blocked": [(x, y)]})
        world = problem.world.with_map(passable)
        move = agent.plan(**budget)
        if agent.done:
            break
        assert move == agent.position or legal(world, agent.position, move)
        check_plan(agent, move)
        fresh, searches = agent.episode().searches > searches, agent.episode().searches
        optimal = name in COMPLETE - {"wastar", "gbfs", "late-astar"}
        if move != agent.position and optimal and (fresh or name == "dstar-lite"):
            check_cheapest(agent, problem)
        agent.moved(move)
    assert agent.stop == ("goal" if problem.goal in reachable(world, agent.position) else "unreachable")


@given(problems(side=14), st.integers(1, 12), st.integers(0, 2**32))
@settings(max_examples=200)
def test_relief_while_adaptive_astar_searches(problem: Problem, expansions: int, seed: int) -> None:
    """The agent has learned from blocked paths. They are freed during a search that has not reached them yet."""
    generator = np.random.default_rng(seed)
    agent = problem.make("adaptive-astar")
    blocked: list[Cell] = []
    while not agent.done and agent.plan() != agent.position and len(agent.path) > 2 and len(blocked) < 8:
        blocked.append(agent.path[generator.integers(1, len(agent.path) - 1)])
        agent.observe(blocked=blocked[-1:])
    if agent.done or len(agent.path) < 3:
        return
    agent.observe(blocked=[agent.path[1]])
    if agent.plan(expansions=expansions) != agent.position or agent.done:
        return
    agent.observe(free=[cell for cell in blocked if generator.random() < 0.5])
    while agent.plan(expansions=5) == agent.position and not agent.done:
        pass
    if not agent.done:
        check_cheapest(agent, problem)


@pytest.mark.parametrize(("name", "parameters"), COMPLETE_EXPLORERS)
def test_a_door_that_opens_is_used(name: str, parameters: dict) -> None:
    """Relief: a cell believed blocked is free after all. What Adaptive A* had learned must not hide it."""
    world = grid("......", ".####.", ".#..#.", ".#.##.", "......", neighbors=4)
    agent = tb.make(name, world, (0, 2), (2, 2), **parameters)
    assert agent.plan() == (0, 3)
    agent.moved((0, 3))
    agent.observe(blocked=[(1, 4)])
    assert agent.plan() == (0, 2)
    agent.moved((0, 2))
    agent.observe(free=[(1, 2)], blocked=[(5, 4)])
    assert agent.plan() == (1, 2)
    agent.moved((1, 2))
    assert agent.plan() == (2, 2)
    agent.moved((2, 2))
    assert agent.stop == "goal"
    assert agent.episode().reversals == 1


@pytest.mark.parametrize(("name", "parameters"), [agent for agent in EXPLORERS if agent[0] not in ("lrta", "plrta")])
def test_a_cell_that_was_seen_free_may_be_blocked_later(name: str, parameters: dict) -> None:
    world = grid("....", "####", "....")
    agent = tb.make(name, world, (0, 0), (3, 2), terrain="unknown", **parameters)
    agent.observe(free=[(0, 1), (1, 1), (2, 1), (3, 1)])
    agent.observe(blocked=[(0, 1), (1, 1)])
    agent.observe(blocked=[(2, 1)])
    assert agent.plan() == (1, 0)
    agent.observe(blocked=[(3, 1)])
    assert agent.plan() == (0, 0)
    assert agent.stop == "unreachable"


@pytest.mark.parametrize("name", ["repeated-astar", "adaptive-astar", "dstar-lite", "late-astar"])
def test_observations_during_a_search_are_not_lost(name: str) -> None:
    """The only gap in a wall is closed after the search has passed through it."""
    wall = np.ones((15, 15), bool)
    wall[7, :] = False
    wall[7, 3] = wall[7, 12] = True
    agent = tb.make(name, tb.Grid(wall, neighbors=4), (3, 0), (3, 14))
    gap, seen = (3, 7), 0
    while agent.reached().reshape(15, 15)[gap[1], gap[0]] < 0:
        agent.moved(agent.plan(expansions=5))
        seen += 1
    assert seen > 1
    agent.observe(blocked=[gap])
    while not agent.done:
        agent.moved(agent.plan(expansions=5))
    assert agent.stop == "goal"
    assert gap not in agent.episode().path
    assert (12, 7) in agent.episode().path


def test_a_refused_decision_is_forgotten() -> None:
    agent = tb.make("astar", grid("..."), (0, 0), (2, 0))
    assert agent.plan() == (1, 0)
    agent.moved((0, 0))
    assert agent.step() == (0, 0)  # it plans anew, and does not make the move that was refused
    assert agent.step() == (1, 0)
    episode = agent.episode()
    assert (episode.moves, episode.intervals) == (1, 3)


@pytest.mark.parametrize("name", ["astar", "repeated-astar", "adaptive-astar"])
def test_what_is_blocked_behind_the_agent_matters_if_it_is_put_back(name: str) -> None:
    agent = tb.make(name, grid(".....", "....."), (0, 0), (4, 0))
    for cell in [(1, 0), (2, 0), (3, 0)]:
        assert agent.plan() == cell
        agent.moved(cell)
    agent.observe(blocked=[(1, 0)])
    assert agent.plan() == (4, 0)
    agent.moved((0, 0))
    assert agent.plan() == (0, 1)
    agent.moved((2, 0))
    assert agent.plan() == (3, 0)


def test_many_searches_that_are_never_finished() -> None:
    """The memory of Adaptive A* must have room for searches that find nothing."""
    passable = np.ones((30, 30), bool)
    agent = tb.make("adaptive-astar", tb.Grid(passable, neighbors=4, heuristic="none"), (0, 0), (29, 29))
    cells = [(x, y) for x in range(12) for y in range(12)]
    for cell in cells[1:]:
        agent.plan(expansions=3)
        agent.moved(cell)
    assert agent.episode().searches == len(cells) - 1
    while not agent.done:
        agent.moved(agent.plan())
    path = agent.episode().path
    assert path[len(cells) - 1] == (11, 11)
    assert len(path) == len(cells) + 36


@pytest.mark.parametrize("cell", [(4, 4), (1, 4)])
def test_late_astar_put_elsewhere_walks_from_there(cell: Cell) -> None:
    agent = tb.make("late-astar", tb.Grid(np.ones((5, 9), bool), neighbors=4), (0, 0), (8, 4))
    agent.moved(agent.plan(expansions=2))
    agent.moved(cell)
    while not agent.done:
        move = agent.plan(expansions=2)
        assert abs(move[0] - agent.position[0]) + abs(move[1] - agent.position[1]) <= 1
        agent.moved(move)
    assert agent.stop == "goal"


def test_late_astar_steps_to_and_fro_while_it_searches() -> None:
    agent = tb.make("late-astar", tb.Grid(np.ones((7, 7), bool), neighbors=4), (1, 1), (5, 5))
    episode = agent.run(expansions=4)
    search = tb.Search(agent.world, (1, 1), (5, 5))
    search.advance()
    best = search.path()
    waiting = episode.moves - len(best.states) + 1
    assert episode.expansions == best.expansions
    assert waiting >= 2
    assert waiting % 2 == 0
    assert set(episode.path[: waiting + 1 : 2]) == {(1, 1)}
    assert len(set(episode.path[1:waiting:2])) == 1  # one neighbour, drawn once
    assert episode.path[waiting:] == best.states
    assert episode.intervals == episode.moves + 1


def test_late_astar_draws_its_neighbour_by_seed() -> None:
    world = tb.Grid(np.ones((7, 7), bool), neighbors=8)
    first = [tb.make("late-astar", world, (3, 3), (6, 5), seed=seed).run(expansions=1).path[1] for seed in range(60)]
    assert len(set(first)) == 8
    assert first[7] == tb.make("late-astar", world, (3, 3), (6, 5), seed=7).run(expansions=1).path[1]


def test_late_astar_leaves_a_share_of_its_expansions_unused() -> None:
    agent = tb.make("late-astar", tb.Grid(np.ones((30, 30), bool), neighbors=4), (1, 1), (28, 20), trace_ratio=0.9)
    counted = [0]
    while not agent.path:
        agent.plan(expansions=10)
        counted.append(agent.episode().expansions)
    assert max(np.diff(counted)) == 9


@pytest.mark.parametrize(("name", "terrain", "parameters"), [agent for agent in AGENTS if agent[0] in COMPLETE])
def test_the_path_is_empty_until_it_is_known(name: str, terrain: str, parameters: dict) -> None:
    world = tb.Grid(np.ones((20, 20), bool), heuristic="none")
    agent = tb.make(name, world, (0, 0), (19, 19), terrain=terrain, **nothing_hidden(terrain), **parameters)
    assert list(agent.path) == []
    agent.plan(expansions=1)
    assert list(agent.path) == []
    agent.plan()
    path = list(agent.path)
    assert (path[0], path[-1]) == ((0, 0), (19, 19))
    assert all(legal(world, *move) for move in pairwise(path))
    agent.step()
    assert list(agent.path) == path[1:]


def test_the_time_of_one_agent_is_not_that_of_another() -> None:
    """Agents share only their map."""
    world = tb.Grid.load("harbour")
    alone = tb.make("adaptive-astar", world, (12, 100), (60, 70), terrain="unknown").run(expansions=50)
    agents = [tb.make(name, world, (12, 100), (60, 70), terrain="unknown") for name in ("adaptive-astar", "dstar-lite")]
    agents += [tb.make("adaptive-astar", world, (60, 70), (12, 100), terrain="unknown")]
    while not all(agent.done for agent in agents):
        for agent in agents:
            agent.step(expansions=50)
    assert figures(agents[0].episode()) == figures(alone)


def test_steps_after_the_end_do_nothing() -> None:
    agent = tb.make("astar", grid("..", ".."), (0, 0), (1, 1))
    episode = agent.run()
    assert agent.step() == (1, 1)
    assert figures(agent.episode()) == figures(agent.run()) == figures(episode)
    assert math.isclose(episode.cost, math.sqrt(2))
    agent = tb.make("astar", grid("....."), (0, 0), (4, 0))
    limited = agent.run(intervals=3)
    assert (limited.stop, limited.moves, limited.intervals) == ("intervals", 2, 3)
    assert agent.step() == (2, 0)
    assert figures(agent.episode()) == figures(limited)


def test_a_record_can_be_copied_and_sent_to_another_process() -> None:
    world = grid("...", ".#.", "...")
    episode = tb.make("repeated-astar", world, (0, 0), (2, 2), terrain="partial", hidden=0.1).run()
    assert tb.shortest_path(episode.truth, (0, 0), (2, 2)).solved
    for twin in (copy.deepcopy(episode), pickle.loads(pickle.dumps(episode))):
        assert figures(twin) == figures(episode)
        assert tb.shortest_path(twin.truth, (0, 0), (2, 2)).cost == episode.cost
