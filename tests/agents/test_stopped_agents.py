"""Agents that have stopped, stand where they take a cell for blocked, or get the goal where they are, go on."""

from typing import Any

import numpy as np
import pytest
from agent_worlds import grid

import timebound as tb

KINDS = ["repeated-astar", "dstar-lite", "rtaa", "lrta", "tbaa"]
kinds = pytest.mark.parametrize("kind", KINDS)


def room(kind: str, **given: Any) -> tb.Agent:
    """An agent in the middle of an open room, in unknown terrain."""
    return tb.make(kind, tb.Grid(np.ones((5, 9), bool)), (4, 2), (8, 2), terrain="unknown", **given)


def around(x: int, y: int) -> list[tuple[int, int]]:
    return [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


def drive_on(agent: tb.Agent, most: int = 400) -> None:
    """The documented loop: it ends at the goal only."""
    for _ in range(most):
        if agent.stop == "goal":
            break
        agent.moved(agent.plan(expansions=20))


# ------------------------------------------------------------------ it has stopped


@kinds
def test_a_robot_that_is_enclosed_for_a_moment_goes_on(kind: str) -> None:
    robot = room(kind)
    robot.moved(robot.plan(expansions=20))
    here = robot.position
    robot.observe(blocked=around(*here))
    for _ in range(300):
        assert robot.plan(expansions=20) == here
        robot.moved(here)
    assert (robot.stop, robot.done) == ("unreachable", True)
    robot.observe(blocked=around(*here)[:4])  # nothing new
    assert robot.plan(expansions=20) == here
    robot.observe(free=around(*here))
    assert robot.stop == "going"
    drive_on(robot)
    assert (robot.stop, robot.position) == ("goal", (8, 2))


@kinds
def test_one_that_has_arrived_stays_there_until_it_is_put_elsewhere(kind: str) -> None:
    agent = room(kind)
    drive_on(agent)
    assert agent.plan(expansions=20) == (8, 2)
    agent.moved((8, 2))
    agent.observe(blocked=[(7, 2)], free=[(8, 2)])
    assert agent.stop == "goal"
    agent.moved((0, 0))
    assert (agent.stop, agent.done) == ("going", False)
    drive_on(agent)
    assert agent.stop == "goal"
    assert (7, 2) not in agent.episode().path[agent.episode().path.index((0, 0)) :]


@kinds
def test_one_that_proved_its_goal_unreachable_is_put_on_the_other_side(kind: str) -> None:
    agent = tb.make(kind, grid("..#..", "..#.."), (0, 0), (4, 0))
    agent.run(expansions=20)
    assert agent.stop == "unreachable"
    agent.moved((3, 1))
    drive_on(agent)
    assert agent.stop == "goal"


def test_one_without_intervals_left_stays() -> None:
    agent = tb.make("repeated-astar", grid("....."), (0, 0), (4, 0))
    agent.run(intervals=3)
    assert (agent.stop, agent.plan()) == ("intervals", (2, 0))
    agent.moved((3, 0))
    assert (agent.stop, agent.plan()) == ("intervals", (3, 0))
    agent.moved((4, 0))
    assert agent.stop == "goal"


def test_a_place_that_was_left_by_force_is_no_circle() -> None:
    """Without learning, to search twice from one place without news in between is a circle; not if it was put there."""
    agent = tb.make("rtaa", grid("......."), (0, 0), (6, 0), learning="none", lookahead=2, movements=1)
    for _ in range(5):
        assert agent.plan(expansions=2) == (1, 0)
        agent.moved((1, 0))
        assert agent.plan(expansions=2) == (2, 0)
        agent.moved((0, 0))
    assert agent.stop == "going"


@pytest.mark.parametrize("given", [{"learning": "none"}, {"learning": "prioritised"}])
def test_a_move_that_is_refused_is_no_circle(given: dict[str, Any]) -> None:
    agent = tb.make("lrta", grid("......."), (0, 0), (6, 0), **given)
    for _ in range(20):
        assert agent.plan(expansions=2) == (1, 0)
        agent.moved((0, 0))
    drive_on(agent)
    assert agent.stop == "goal"


# ------------------------------------------------------------------ the goal is where it is


@kinds
def test_a_goal_where_the_agent_stands_is_reached(kind: str) -> None:
    agent = room(kind)
    agent.step(expansions=20)
    agent.step(expansions=20)
    here = agent.position
    agent.retarget(here)
    assert (agent.stop, agent.goal, agent.plan(expansions=20), agent.step()) == ("goal", here, here, here)
    agent.moved((0, 0))
    drive_on(agent)
    assert agent.position == here
    agent.retarget((8, 4))
    drive_on(agent)
    assert agent.position == (8, 4)


@kinds
def test_a_goal_that_changes_in_every_interval_costs_no_move(kind: str) -> None:
    agent = tb.make(kind, tb.Grid(np.ones((40, 40), bool)), (5, 5), (35, 35))
    for i in range(25):
        agent.retarget((35, 35 - i % 2))
        agent.step(expansions=6000)
    assert agent.episode().moves == 24  # the first interval only plans


# ------------------------------------------------------------------ where it takes a cell for blocked


@kinds
def test_a_report_may_cover_the_robots_own_cell(kind: str) -> None:
    """It stands there and may leave, but not come back; the rest of the report counts."""
    robot = room(kind)
    wall = [(x, y) for x in (4, 5) for y in range(4)]
    robot.observe(blocked=wall)
    assert robot.stop == "going"
    path = [robot.position]
    for _ in range(200):
        robot.moved(robot.plan(expansions=20))
        path.append(robot.position)
        if robot.done:
            break
    assert robot.stop == "goal"
    assert not set(wall) & {place for place in path if place != (4, 2)}
    assert (4, 2) not in path[path.index(next(place for place in path if place != (4, 2))) :]
    assert robot.knows()[2, 4] == 2


@kinds
def test_a_report_that_the_robots_own_cell_is_free_again(kind: str) -> None:
    robot = room(kind)
    robot.observe(blocked=[(4, 2)])
    robot.observe(free=[(4, 2)])
    robot.moved((5, 2))
    assert robot.knows()[2, 4] == 1


@kinds
def test_a_robot_may_be_where_it_believes_a_wall(kind: str) -> None:
    robot = room(kind)
    robot.observe(blocked=[(6, 1), (6, 2), (6, 3)])
    robot.moved((6, 2))
    assert robot.position == (6, 2)
    assert robot.plan(expansions=20) in [(5, 2), (7, 2)]
    robot.moved((7, 2))
    assert robot.knows()[2, 6] == 2
    robot.moved((2, 2))
    drive_on(robot)
    assert robot.stop == "goal"
    assert (6, 2) not in robot.episode().path[4:]


def test_a_change_of_the_map_voids_a_report_about_the_agents_cell() -> None:
    world = tb.Grid(np.ones((1, 5), bool))
    agent = tb.make("repeated-astar", world, (1, 0), (4, 0))
    agent.observe(blocked=[(1, 0)])
    world.block([(0, 0)])
    agent.moved((2, 0))
    assert agent.knows()[0, 1] == 2
    agent.moved((1, 0))
    world.block([(1, 0)])
    assert agent.plan() == (2, 0)
    world.unblock([(1, 0)])
    agent.moved((2, 0))
    assert agent.knows()[0, 1] == 0


# ------------------------------------------------------------------ arrays


def test_reports_are_lists_or_arrays() -> None:
    """Of cells and costs; both are learned alike."""
    world = tb.Grid(np.ones((6, 6), bool))
    blocked, free, costly = [(1, 1), (2, 1), (1, 1)], [(0, 1)], [(3, 3), (4, 3)]
    knowledge = []
    for cells in (list, np.array):
        agent = tb.make("dstar-lite", world, (0, 0), (5, 5), terrain="unknown")
        agent.observe(blocked=cells(blocked), free=cells(free), costs=(cells(costly), cells([2, 2.5])))
        knowledge.append((agent.knows().tolist(), agent._knowledge.own.tolist()))
    agent = tb.make("dstar-lite", world, (0, 0), (5, 5), terrain="unknown")
    agent.observe(blocked=iter(blocked), free={(0.0, np.int8(1))}, costs=dict(zip(costly, [2, 2.5], strict=True)))
    assert knowledge[0] == knowledge[1] == (agent.knows().tolist(), agent._knowledge.own.tolist())


def test_costs_of_edges_are_a_dictionary_or_a_pair() -> None:
    roads = [("a", "b", 1), ("b", "d", 1), ("a", "c", 2), ("c", "d", 2)]
    for costs in ({("a", "b"): 9}, ([("a", "b")], np.array([9]))):
        agent = tb.make("repeated-astar", tb.Graph.from_edges(roads), "a", "d")
        agent.observe(costs=costs)
        assert agent.plan() == "c"


def test_a_path_is_a_sequence_and_an_array() -> None:
    agent = tb.make("repeated-astar", tb.Grid(np.ones((1, 9), bool)), (0, 0), (8, 0))
    assert agent.path == []
    assert not agent.path
    agent.plan()
    path = agent.path
    assert path == [(x, 0) for x in range(9)]
    assert (len(path), path[-1], path[1:3]) == (9, (8, 0), [(1, 0), (2, 0)])
    assert np.array_equal(np.asarray(path), list(path))
    assert (np.asarray(path).dtype, np.asarray(path, float).dtype) == (np.int64, float)
    graph = tb.make("repeated-astar", tb.Graph.from_edges([("a", "b"), ("b", "c")]), "a", "c")
    graph.plan()
    assert list(graph.path) == ["a", "b", "c"] == np.asarray(graph.path).tolist()
