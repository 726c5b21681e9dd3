"""Grids on which others move: safe intervals against plain time-expanded search, agents, predictions, bad input."""

import copy
import pickle
from itertools import count, pairwise, repeat
from typing import Any

import numpy as np
import pytest
from naive_movers import Traffic, random_traffic

import timebound as tb

OPEN = tb.Grid(np.ones((5, 7), bool))
ROW = tb.Grid(np.ones((1, 5), bool))


def check(traffic: Traffic, path: Any, start: Any, goal: Any) -> None:
    """A path is made of moves that hit nobody, and ends at the goal."""
    assert path[0] == start
    assert path[-1][:2] == goal
    for before, after in pairwise(path):
        assert after in traffic.successors(before)


def compare(seeds: range) -> int:
    solved = 0
    for seed in seeds:
        traffic, start, goal = random_traffic(seed)
        expected, path = traffic.arrival(start, goal), tb.shortest_path(traffic.world(), start, goal)
        assert path.solved == (expected is not None), seed
        if path.solved:
            solved += 1
            assert path.cost == expected, seed
            check(traffic, path.states, start, goal)
    return solved


@pytest.mark.uncompiled
def test_safe_intervals_are_as_fast_as_time_expanded_search() -> None:
    assert 200 < compare(range(400)) < 400


def test_safe_intervals_are_as_fast_as_time_expanded_search_on_two_thousand_worlds() -> None:
    assert 1000 < compare(range(2000)) < 2000


@pytest.mark.uncompiled
def test_states_are_cells_at_ticks() -> None:
    """The library's A* over states (cell, tick) is the same search, without intervals."""
    for seed in range(100):
        traffic, start, goal = random_traffic(seed)
        search = tb.Search(traffic.world(), start, goal)
        expected = traffic.arrival(start, goal)
        assert search.advance() == ("unreachable" if expected is None else "found"), seed
        assert expected is None or search.path().cost == expected, seed


@pytest.mark.uncompiled
@pytest.mark.parametrize("stay", [1, 3, float("inf")])
def test_a_goal_at_which_one_must_be_able_to_stay(stay: float) -> None:
    for seed in range(150):
        traffic, start, goal = random_traffic(seed)
        path = tb.shortest_path(traffic.world(stay=stay), start, goal)
        same = tb.Search(traffic.world(stay=stay), start, goal)
        assert path.solved == (same.advance() == "found")
        if path.solved:
            assert path.cost == same.path().cost
            last = path.states[-1][2]
            ticks = range(last + 1, last + 1 + int(min(stay, traffic.calm() + 1)))
            assert not any(traffic.hits(goal, goal, tick) for tick in ticks)


@pytest.mark.uncompiled
def test_the_checker_of_worlds_finds_nothing() -> None:
    for seed in range(30):
        traffic, start, goal = random_traffic(seed)
        if traffic.arrival(start, goal) is not None:
            assert tb.check_world(traffic.world(), start, goal, states=200) == []


AGENTS = ["astar", "wastar", "repeated-astar", "adaptive-astar", "mpaa", "lrta", "plrta", "rtaa", "da-rtaa", "lss-lrta"]


@pytest.mark.uncompiled
@pytest.mark.parametrize("name", AGENTS)
def test_agents_arrive_or_are_hit_as_the_rules_say(name: str) -> None:
    ends = set()
    for seed in range(60):
        traffic, start, goal = random_traffic(seed)
        agent = tb.make(name, traffic.world(), start, goal)
        episode = agent.run(expansions=20, intervals=500)
        best = traffic.arrival(start, goal)
        ends.add(episode.stop)
        for tick, (before, after) in enumerate(pairwise(episode.path)):
            assert (*after[:2], tick + 1) in traffic.successors((*before[:2], tick))
            assert after[2] in (tick + 1, before[2])
        assert episode.stop in ("goal", "unreachable", "hit")
        if episode.stop == "goal":
            assert episode.path[-1][:2] == goal
            assert episode.cost >= best
        if episode.stop == "hit":
            x, y, tick = episode.path[-1]
            assert traffic.hits((x, y), (x, y), tick + 1)
            assert name in ("astar", "wastar", "repeated-astar", "adaptive-astar", "mpaa")
        if episode.stop == "unreachable":
            assert traffic.arrival(episode.path[-1], goal) is None
    assert "goal" in ends


@pytest.mark.uncompiled
def test_an_agent_that_must_think_waits_and_is_hit() -> None:
    """A* needs more than one expansion; meanwhile a truck comes, and goes on."""
    truck = tb.Mover([(0, 4), (0, 3), (0, 2), (0, 1), (0, 0), (1, 0)], stays=False)
    slow = tb.make("astar", tb.Moving(OPEN, [truck]), (0, 2), (6, 2)).run(expansions=1)
    assert (slow.stop, slow.path) == ("hit", [(0, 2, 0), (0, 2, 1)])
    assert tb.make("astar", tb.Moving(OPEN, [truck]), (0, 2), (6, 2)).run().solved
    assert tb.make("astar", tb.Moving(OPEN, []), (0, 2), (6, 2)).run(expansions=1).solved


@pytest.mark.uncompiled
def test_changing_places_is_a_hit_and_following_is_not() -> None:
    toward = [tb.Mover([(2, 0), (1, 0), (0, 0)], stays=False)]
    assert not tb.shortest_path(tb.Moving(ROW, toward), (0, 0), (4, 0)).solved
    away = [tb.Mover([(1, 0), (2, 0), (3, 0), (4, 0), (5, 0)])]
    assert tb.shortest_path(tb.Moving(ROW, away), (0, 0), (4, 0)).cost == 4


@pytest.mark.uncompiled
def test_a_prediction_through_the_agents_own_cell() -> None:
    """It is where a mover is said to be: it may leave, and is hit if it stays."""
    world = tb.Moving(ROW, [tb.Mover([(1, 0)] * 3, stays=False)])
    assert tb.shortest_path(world, (1, 0), (4, 0)).cost == 3
    assert tb.make("rtaa", world, (1, 0), (4, 0)).run(expansions=10).cost == 3
    slow = tb.make("astar", world, (1, 0), (4, 0)).run(expansions=1)
    assert (slow.stop, slow.moves) == ("hit", 0)


@pytest.mark.uncompiled
def test_predictions_change_while_agents_are_under_way() -> None:
    """At every tick everything is predicted anew, from where the movers really are."""
    arrived = 0
    for seed in range(40):
        traffic, start, goal = random_traffic(seed)
        if traffic.hits(start[:2], start[:2], 0):
            continue
        for name in ("rtaa", "lss-lrta", "repeated-astar"):
            world = traffic.world()
            agent = tb.make(name, world, start, goal)
            for tick in count():
                if agent.done or tick > 60:
                    break
                seen = {}
                for i, mover in enumerate(traffic.movers):
                    here = traffic.place(mover, tick)
                    seen[i] = None if here is None else tb.Mover([here, here], stays=False)
                known = {name: mover for name, mover in seen.items() if mover or name in world.movers}
                world.predict(known, now=tick)
                assert agent.position[2] == (tick if agent.position[2] >= tick else agent.position[2])
                before = agent.position[:2]
                after = agent.plan(expansions=30)[:2]
                if traffic.hits(before, after, tick + 1):
                    break  # nothing said so
                agent.moved((*after, tick + 1))
            arrived += agent.stop == "goal"
    assert arrived > 40


@pytest.mark.uncompiled
def test_a_prediction_stops_a_decided_move() -> None:
    world = tb.Moving(ROW)
    agent = tb.make("rtaa", world, (0, 0), (4, 0))
    agent.step()
    assert agent.path[1] == (1, 0, 0)  # nothing moves: all ticks are one
    world.predict({"cart": tb.Mover([(2, 0), (1, 0), (1, 0), (1, 0)], stays=False)}, now=0)
    assert agent.step(expansions=50)[:2] == (0, 0)
    assert agent.run(expansions=50).solved


@pytest.mark.uncompiled
def test_movers_by_name() -> None:
    world = tb.Moving(OPEN, {"a": [(0, 0), (1, 0)], "b": tb.Mover([(3, 3)])})
    assert world.movers == {"a": [(0, 0), (1, 0)], "b": [(3, 3)]}
    world.predict({"b": None, "c": [(1, 1)]}, now=1)
    assert (world.movers, world.now) == ({"a": [(1, 0)], "c": [(1, 1)]}, 1)
    world.predict([[(4, 4)]])
    assert world.movers == {0: [(4, 4)]}
    assert repr(world) == "Moving(7 x 5, 1 mover, now at tick 1)"


@pytest.mark.uncompiled
def test_copies_go_their_own_way() -> None:
    world = tb.Moving(ROW, [[(2, 0)]])
    for twin in (copy.copy(world), copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        twin.predict([])
        assert tb.shortest_path(twin, (0, 0), (4, 0)).cost == 4
        assert not tb.shortest_path(world, (0, 0), (4, 0)).solved


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        ([], "this is an empty one"),
        (repeat((1, 1)), "this is one that does not end"),
        ([(0, 0), (2, 0)], "at most one cell per tick"),
        ([(0, 0), None], "a cell is .x, y., two whole numbers, not None"),
        ("ab", "a path is a list of cells"),
        (7, "a path is a list of cells"),
    ],
)
def test_bad_paths(cells: Any, complaint: str) -> None:
    for call in (tb.Mover, lambda given: tb.Moving(OPEN, {"x": given})):
        with pytest.raises(tb.ProblemError, match=complaint):
            call(cells)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"direction": (0, 0), "ticks": 3}, "not .0, 0."),
        ({"direction": (1, 0), "ticks": float("inf")}, "the horizon of a mover"),
        ({"direction": (1, 0), "ticks": 0}, "the horizon of a mover"),
        ({"direction": (1, 0), "ticks": 3, "speed": 1.5}, "the speed of a mover"),
        ({"direction": (1, 0), "ticks": 3, "speed": float("nan")}, "the speed of a mover"),
    ],
)
def test_bad_straight_paths(options: Any, complaint: str) -> None:
    with pytest.raises(tb.ProblemError, match=complaint):
        tb.Mover.straight((0, 0), **options)


def test_bad_predictions_change_nothing() -> None:
    world = tb.Moving(OPEN, {"a": [(0, 0), (1, 0)]})
    world.predict({}, now=5)
    before = world.movers, world.version
    for given, now, complaint in [
        ({"a": [(1, 1)]}, 4, "a tick from 5 on"),
        ({"b": None}, 5, "no mover 'b' to remove"),
        ({"a": [(1, 1)], "c": []}, 5, "an empty one"),
        (7, 5, "obstacles are a list"),
    ]:
        with pytest.raises(tb.ProblemError, match=complaint):
            world.predict(given, now=now)
    assert (world.movers, world.version) == before


@pytest.mark.uncompiled
def test_bad_worlds_and_places() -> None:
    costly = tb.Grid(np.ones((3, 3), bool), travel=np.full((3, 3), 2.0))
    for grid in (tb.Grid(np.ones((3, 3), bool), neighbors=16), costly, "map"):
        with pytest.raises(tb.WorldError, match="movers need a grid"):
            tb.Moving(grid)  # type: ignore[arg-type]
    with pytest.raises(tb.ProblemError, match="stay is a number of ticks"):
        tb.Moving(OPEN, stay=-1)
    world = tb.Moving(OPEN)
    for start in ((0, 0, -1), (0,), "ab", (0.5, 1)):
        for call in (tb.shortest_path, tb.Search):
            with pytest.raises(tb.ProblemError):
                call(world, start, (1, 1))
    with pytest.raises(tb.ProblemError, match="cannot change"):
        world.block([(1, 1)])


def test_it_compiles() -> None:
    world = tb.Moving(OPEN, [tb.Mover.straight((3, 0), (0, 1), ticks=9)])
    assert tb.make("lss-lrta", world, (0, 2), (6, 2)).run(expansions=20).solved
    assert tb.make("astar", world, (0, 2), (6, 2)).run(expansions=1).solved
