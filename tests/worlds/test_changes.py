"""Worlds that change: what is refused, how agents respond, and that a changed world equals one built that way."""

import copy
import math
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import timebound as tb
from timebound.subgoals.abstraction import Abstraction
from timebound.subgoals.building import small_base
from timebound.subgoals.regions import RegionSubgoals
from timebound.worlds.changes import MOST_NOTES


def free(*shape: int) -> np.ndarray:
    return np.ones(shape, bool)


def corridor(length: int = 7) -> tb.Grid:
    return tb.Grid(free(1, length), neighbors=4)


# ------------------------------------------------------------------ a world that changed is like one made so


@pytest.mark.parametrize("neighbors", [4, 8, 16])
@pytest.mark.parametrize("corners", ["strict", "cut"])
def test_moves_of_a_grid(neighbors: int, corners: Any) -> None:
    generator = np.random.default_rng(neighbors)
    world, passable = tb.Grid(free(9, 11), neighbors=neighbors, corners=corners), free(9, 11)
    for _ in range(60):
        x, y, fact = int(generator.integers(11)), int(generator.integers(9)), bool(generator.random() < 0.4)
        passable[y, x] = fact
        (world.unblock if fact else world.block)([(x, y)])
    again = tb.Grid(passable, neighbors=neighbors, corners=corners)
    assert (world.passable == passable).all()
    assert (world.moves == again.moves).all()


@pytest.mark.parametrize("travel", [None, np.full((6, 6), 2.0)])
@pytest.mark.parametrize("neighbors", [4, 8])
def test_costs_of_a_grid(travel: Any, neighbors: int) -> None:
    world, costs = tb.Grid(free(6, 6), neighbors=neighbors, travel=travel), free(6, 6) * 1.0
    costs = costs if travel is None else travel.copy()
    for cells, cost in [([(2, 2), (3, 3), (2, 2)], 3), ([(1, 1)], 1.5), ([(4, 4)], 9000.25), ([(3, 3)], 1)]:
        world.set_cost(cells, cost)
        for x, y in cells:
            costs[y, x] = cost
    again = tb.Grid(free(6, 6), neighbors=neighbors, travel=costs)
    assert (world.travel == again.travel).all()
    assert (world.unit, world.longest) == (again.unit, again.longest)
    ends = (0, 0), (5, 5)
    assert tb.shortest_path(world, *ends).cost == tb.shortest_path(again, *ends).cost


def test_costs_of_a_graph() -> None:
    edges = [(0, 1, 1), (1, 2, 1), (0, 2, 3), (2, 3, 1)]
    world = tb.Graph.from_edges(edges)
    world.set_cost([(0, 1)], 2.5)
    assert tb.shortest_path(world, 0, 3).cost == 4.0
    world.set_cost([(0, 2)], 3.75)
    assert tb.shortest_path(world, 0, 3).cost == 4.5
    world.block([(1, 2)])
    assert tb.shortest_path(world, 0, 3).states == [0, 2, 3]
    world.block([(0, 2)])
    assert not tb.shortest_path(world, 0, 3).solved
    world.unblock([(0, 2), (1, 2)])
    assert tb.shortest_path(world, 0, 3).cost == 4.5
    assert (world.longest, world.cheapest) == (sum((3.75, 1, 1)) * world.unit, world.unit)


def test_versions() -> None:
    world = corridor()
    world.block([(3, 0), (4, 0), (3, 0)])
    assert world.version == 2
    world.block([(3, 0)])  # it is blocked
    assert world.version == 2
    world.block([])
    world.unblock(np.array([[3, 0]]))
    assert world.version == 3


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_copies_do_not_change(way: Any) -> None:
    grid = tb.Grid(free(3, 3), travel=np.full((3, 3), 2.0))
    other = way(grid)
    grid.block([(1, 1)])
    grid.set_cost([(0, 0)], 7)
    assert other.passable.all()
    assert other.travel[0, 0] == 2
    assert other.moves[4] == 255
    other.block([(2, 2)])
    assert grid.passable[2, 2]
    graph = tb.Graph.from_edges([(0, 1, 1), (1, 2, 1)])
    twin = way(graph)
    graph.block([(0, 1)])
    assert tb.shortest_path(twin, 0, 2).solved
    twin.set_cost([(1, 2)], 5)
    assert graph.longest == 2
    assert twin.longest == 6


# ------------------------------------------------------------------ bad input

GRID, GRAPH = tb.Grid(free(3, 4)), tb.Graph.from_edges([("a", "b", 2), ("b", "c", 2)], heuristic=[[0], [2], [4]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda: GRID.block([(9, 9)]), r"\(9, 9\) is outside the map"),
        (lambda: GRID.block([(-1, 0)]), r"\(-1, 0\) is outside the map"),
        (lambda: GRID.block((1, 1)), "a position is two whole numbers"),
        (lambda: GRID.block([(1.5, 1)]), "a position is two whole numbers"),
        (lambda: GRID.block([(1, 1), (math.nan, 1)]), "a position is two whole numbers"),
        (lambda: GRID.block(None), "cells are a list of positions"),
        (lambda: GRID.set_cost([(1, 1)], math.inf), "a travel cost is a number from 1 to a million, not inf"),
        (lambda: GRID.set_cost([(1, 1)], -2), "a travel cost is a number from 1 to a million, not -2"),
        (lambda: GRID.set_cost([(1, 1)], None), "a travel cost is a number from 1 to a million, not None"),
        (lambda: GRID.block("ab"), "cells are a list of positions"),
        (lambda: GRID.unblock(5), "cells are a list of positions"),
        (lambda: GRID.set_cost([(1, 1)], 0.5), "a travel cost is a number from 1 to a million, not 0.5"),
        (lambda: GRID.set_cost([(1, 1)], math.nan), "a travel cost is a number from 1 to a million, not nan"),
        (lambda: GRID.set_cost([(1, 1)], "dear"), "a travel cost is a number from 1 to a million, not 'dear'"),
        (lambda: GRID.set_cost([(1, 1)], 1e7), "a travel cost is a number from 1 to a million"),
        (lambda: GRID.set_cost([(1, 1), (7, 7)], 2), r"\(7, 7\) is outside the map"),
        (lambda: GRID.without_obstacles.block([(1, 1)]), "this grid is what agents assume about another grid"),
        (lambda: GRAPH.block([("a", "z")]), "the graph has no node 'z'"),
        (lambda: GRAPH.block([("a", "c")]), "the graph has no edge 'a' -> 'c'"),
        (lambda: GRAPH.block(["ab", 7]), "an edge is a pair of labels"),
        (lambda: GRAPH.set_cost([("a", "b")], 0), "must be a number above 0"),
        (lambda: GRAPH.set_cost([("a", "b")], math.nan), "must be a number above 0"),
        (lambda: GRAPH.set_cost([("a", "b")], 1), "cannot fall to 1: the heuristic requires at least 2"),
        (lambda: GRAPH.set_cost([("a", "b")], 2**61), "must be a number above 0 and up to 1.15e\\+18"),
        (lambda: GRAPH.set_cost([("a", "b")], math.inf), "must be a number above 0"),
        (lambda: GRAPH.block(None), "edges are a list of pairs"),
        (lambda: tb.Tiles(3).block([(1, 1)]), "a Tiles cannot change; grids and graphs can"),
        (lambda: tb.Tiles(3).unblock([]), "a Tiles cannot change"),
        (lambda: tb.CustomWorld(len, len, compile=False).set_cost([1], 2), "a CustomWorld cannot change"),
        (lambda: tb.Grid3D(free(2, 2, 2)).set_cost([(0, 0, 0)], 2), "a Grid3D cannot change"),
    ],
)
def test_refused(change: Any, message: str) -> None:
    versions, longest = (GRID.version, GRAPH.version), (GRID.longest, GRAPH.longest)
    with pytest.raises(tb.TimeboundError, match=message) as caught:
        change()
    assert "\n" not in str(caught.value)
    assert (GRID.version, GRAPH.version) == versions
    assert (GRID.longest, GRAPH.longest) == longest
    assert GRID.passable.all()


def test_a_function_as_heuristic_is_asked_about_the_goals_of_agents() -> None:
    world = tb.Graph.from_edges([(0, 1, 5), (1, 2, 5)], heuristic=lambda node, goal: 5 * abs(goal - node))
    agent = tb.make("lrta", world, 0, 2)
    with pytest.raises(tb.ProblemError, match="cannot fall to 1: the heuristic requires at least 5"):
        world.set_cost([(0, 1)], 1)
    assert agent.run().cost == 10


def test_dstar_lite_goes_on_counting_its_searches() -> None:
    """A search for another goal counts, and so does an agent that was put elsewhere, but no change beside its path."""
    world = tb.Grid(free(9, 9), neighbors=4)
    agent = tb.make("dstar-lite", world, (0, 0), (8, 0))
    agent.moved(agent.plan())
    world.block([(4, 4)])
    agent.moved(agent.plan())
    assert (agent.position, agent.episode().searches) == ((2, 0), 1)
    agent.retarget((8, 8))
    agent.moved(agent.plan())
    assert agent.episode().searches == 2
    agent.moved((0, 3))
    agent.moved(agent.plan())
    assert agent.episode().searches == 3
    world.block([agent.path[1]])
    assert agent.run().searches == 4


def test_retargets_that_are_refused() -> None:
    world = corridor()
    world.block([(3, 0)])
    agent = tb.make("rtaa", world, (0, 0), (2, 0))
    for goal, message in [((3, 0), "is blocked"), ((0, 9), "outside"), ("x", "a position is")]:
        with pytest.raises(tb.ProblemError, match=message):
            agent.retarget(goal)
    assert agent.goal == (2, 0)
    assert agent.run().path[-1] == (2, 0)
    tiles = tb.make("astar", tb.Tiles(3), (1, 4, 2, 3, 0, 5, 6, 7, 8), tuple(range(9)))
    with pytest.raises(tb.ProblemError, match="the goal cannot move in a Tiles"):
        tiles.retarget(tuple(range(9)))
    with pytest.raises(tb.ProblemError, match="a target is an agent, or an iterable with a place"):
        agent.run(target=5)


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ({"costs": {(1, 1): math.nan}}, "a travel cost is a number from 1 to a million, not nan"),
        ({"costs": {(1, 1): 0.5}}, "a travel cost is a number from 1 to a million, not 0.5"),
        ({"costs": {(9, 9): 2}}, "outside the map"),
        ({"costs": [(1, 1)]}, "costs are a dictionary from cells to their costs, or a pair"),
        ({"blocked": [(9, 9)]}, "outside the map"),
        ({"blocked": [(1, 1)], "free": [(1, 1)]}, "both blocked and free"),
    ],
)
def test_reports_that_are_refused(report: dict[str, Any], message: str) -> None:
    agent = tb.make("adaptive-astar", tb.Grid(free(3, 4)), (0, 0), (3, 2))
    with pytest.raises(tb.TimeboundError, match=message) as caught:
        agent.observe(**report)
    assert "\n" not in str(caught.value)
    assert agent.run().cost == pytest.approx(1 + 2 * 2**0.5)


@pytest.mark.parametrize("place", [(9, 9), (2, 0), "x", None, (1, 2, 3)])
def test_targets_that_go_where_nobody_can_be(place: Any) -> None:
    world = tb.Grid(free(3, 4))
    world.block([(2, 0)])
    agent = tb.make("rtaa", world, (0, 0), (3, 2))
    if place is None:  # the end of its places
        assert agent.run(target=[None]).solved
        return
    with pytest.raises(tb.ProblemError) as caught:
        agent.run(target=[(3, 1), place])
    assert "\n" not in str(caught.value)
    assert agent.goal == (3, 1)
    assert agent.run().path[-1] == (3, 1)


def test_cases_that_are_out_of_date() -> None:
    world = tb.Grid(free(12, 12))
    cases = tb.CaseBase.build(world, 5, coverage="random")
    agent = tb.make("knn-lrta", world, (0, 0), (11, 11), cases=cases)
    world.block([(5, 5)])
    with pytest.raises(tb.TimeboundError, match="or it has changed since; build new ones, or repair these"):
        agent.retarget((11, 0))
    assert agent.run().path[-1] == (11, 11)
    assert tb.make("knn-lrta", world, (0, 0), (11, 11), cases=cases.repaired(world)).run().solved


def test_the_small_base_of_a_world_is_repaired() -> None:
    world = tb.Grid(free(12, 12))
    base = small_base(world, 20, "even")
    world.block([(5, y) for y in range(11)])
    again = small_base(world, 20, "even")
    assert again is not base
    assert small_base(world, 20, "even") is again
    again.check(world)
    with pytest.raises(tb.TimeboundError, match="or it has changed since"):
        base.check(world)
    assert tb.make("knn-lrta", world, (0, 0), (11, 0), cases=again).run().solved


def test_abstractions_and_region_subgoals_belong_to_a_version() -> None:
    world = tb.Grid(free(8, 8))
    abstraction, subgoals = Abstraction.of(world), RegionSubgoals.of(world, 2)
    assert (Abstraction.of(world), RegionSubgoals.of(world, 2)) == (abstraction, subgoals)
    world.block([(3, y) for y in range(7)])
    after, fresh = Abstraction.of(world), Abstraction(tb.Grid(world.passable))
    assert (abstraction.version, after.version) == (0, 7)
    assert (after.regions(2) == fresh.regions(2)).all()
    assert (abstraction.regions(2) != fresh.regions(2)).any()
    with pytest.raises(tb.ProblemError, match="the map has changed since these subgoals were computed"):
        subgoals.row(0)
    assert len(RegionSubgoals.of(world, 2).row(0)) == after.level(2).states


def test_a_search_that_is_out_of_date() -> None:
    world = corridor()
    search = tb.Search(world, (0, 0), (6, 0))
    search.advance(expansions=2)
    world.block([(4, 0)])
    with pytest.raises(tb.ProblemError, match="the world has changed since this search began"):
        search.advance()


# ------------------------------------------------------------------ threads


def test_a_change_is_refused_during_a_run_in_another_thread() -> None:
    world = tb.Grid(free(4, 4))
    agent = tb.make("lrta", world, (0, 0), (3, 3))
    world.changes.gate.enter(True)  # as a run does
    refusals: list[str] = []

    def change() -> None:
        try:
            world.block([(1, 1)])
        except tb.ProblemError as error:
            refusals.append(str(error))

    other = threading.Thread(target=change)
    other.start()
    other.join(20)
    world.changes.gate.leave(True)
    assert refusals
    assert "while an agent runs in it in another thread" in refusals[0]
    assert world.version == 0
    change()
    assert world.version == 1
    assert agent.run().solved


def test_a_change_waits_for_a_step_in_another_thread() -> None:
    world = tb.Grid(free(4, 4))
    world.changes.gate.enter()
    other = threading.Thread(target=lambda: world.block([(1, 1)]))
    other.start()
    other.join(0.05)
    assert other.is_alive()
    assert world.passable.all()
    world.changes.gate.leave()
    other.join(20)
    assert not world.passable[1, 1]


def test_changes_and_steps_in_threads() -> None:
    world = tb.Grid(free(30, 30))
    agents = [tb.make("rtaa", world, (0, y), (29, y)) for y in range(4)]
    walkers = [threading.Thread(target=lambda agent=agent: _walk(agent)) for agent in agents]
    for walker in walkers:
        walker.start()
    for i in range(300):
        (world.block if i % 2 == 0 else world.unblock)([(15, i // 2 % 30)])
    for walker in walkers:
        walker.join(60)
    assert [agent.stop for agent in agents] == ["goal"] * 4


def _walk(agent: tb.Agent) -> None:
    while not agent.done:
        agent.step(expansions=5)


# ------------------------------------------------------------------ walls


@pytest.mark.parametrize("name", [kind.name for kind in tb.catalogue()])
def test_walled_in_and_out_again(name: str) -> None:
    world = corridor()
    agent = tb.make(name, world, (0, 0), (6, 0))
    world.block([(6, 0)])
    assert agent.run(intervals=5000).stop == "unreachable"
    wall = (agent.position[0] + 1, 0)
    if wall != (6, 0):
        world.block([wall])
        assert agent.done  # a wall more is no reason for hope
        world.unblock([(6, 0)])
        assert agent.run(intervals=5000).stop == "unreachable"
    world.unblock([wall])
    assert not agent.done
    assert agent.run(intervals=5000).stop == "goal"


@pytest.mark.parametrize("name", [kind.name for kind in tb.catalogue()])
def test_plans_made_afresh_while_the_goal_is_a_wall(name: str) -> None:
    world = tb.Grid(free(6, 6), neighbors=4)
    agent = tb.make(name, world, (0, 0), (5, 5))
    world.block([(5, 5)])
    world.set_cost([(2, 2)], 1.5)  # costs are counted in another unit from now on
    assert agent.run(intervals=5000).stop == "unreachable"
    world.unblock([(5, 5)])
    assert agent.run(intervals=5000).stop == "goal"


@pytest.mark.parametrize("terrain", ["known", "unknown"])
@pytest.mark.parametrize("name", ["dstar-lite", "tbaa", "lrta", "adaptive-astar"])
def test_a_unit_under_a_new_wall_may_leave_and_not_come_back(name: str, terrain: str) -> None:
    world = tb.Grid(free(3, 6), neighbors=4)
    agent = tb.make(name, world, (0, 1), (5, 1), terrain=terrain)
    while agent.position == (0, 1):
        agent.step()
    wall = agent.position
    world.block([wall])
    episode = agent.run()
    assert episode.solved
    assert wall not in episode.path[2:]


def test_a_move_that_is_blocked_before_it_is_made() -> None:
    world = corridor()
    agent = tb.make("astar", world, (0, 0), (6, 0))
    agent.step()  # it will go to (1, 0)
    world.block([(1, 0)])
    assert agent.step() == (0, 0)
    assert agent.run().stop == "unreachable"


# ------------------------------------------------------------------ costs, goals, memory


def test_moves_cost_what_they_cost_when_they_were_made() -> None:
    world = tb.Grid(free(1, 5), neighbors=4, travel=free(1, 5) * 1.0)
    agent = tb.make("astar", world, (0, 0), (4, 0))
    while agent.position != (2, 0):
        agent.step()
    world.set_cost([(0, 0), (1, 0), (3, 0)], 5)
    episode = agent.run()
    assert episode.cost == 2 + 3 + 3
    world.set_cost([(3, 0)], 100)
    assert episode.cost == 8


def test_costs_are_observed_on_grids() -> None:
    world = tb.Grid(free(3, 5), neighbors=4)
    agent = tb.make("dstar-lite", world, (0, 1), (4, 1))
    agent.observe(costs={(2, 1): 50, (2, 0): 50})
    while not agent.done:
        agent.moved(agent.plan())
    assert (2, 2) in agent.episode().path
    with pytest.raises(tb.ProblemError, match="a travel cost is a number from 1 to a million, not 0"):
        tb.make("rtaa", world, (0, 1), (4, 1)).observe(costs={(1, 1): 0})


def test_what_was_learned_is_kept_when_the_goal_moves() -> None:
    passable = free(40, 40)
    passable[10:30, 20] = False
    world = tb.Grid(passable)
    agent = tb.make("adaptive-astar", world, (0, 20), (39, 20), terrain="unknown")
    agent.run()
    agent.retarget((39, 21))
    kept = agent.h()
    own = tb.make("adaptive-astar", world, (0, 20), (39, 21), terrain="unknown").h()
    assert (kept >= own).all()
    assert (kept > own).any()
    assert agent.run().path[-1] == (39, 21)


def test_a_hundred_thousand_changes_take_bounded_memory() -> None:
    """No agent reads the notes meanwhile: when there are too many, all agents catch up, and the notes are dropped."""
    world = tb.Grid(free(20, 20))
    agent = tb.make("lrta", world, (0, 0), (19, 19))
    cells = [(x, y) for x in range(1, 19) for y in range(1, 19)]
    for i in range(160):
        (world.block if i % 2 == 0 else world.unblock)(cells[: len(cells) - i % 3])
        world.unblock(cells)
        world.block(cells[:200])
        world.unblock(cells)
    assert world.version > 100_000
    assert world.changes.noted <= MOST_NOTES
    assert agent.run().solved
