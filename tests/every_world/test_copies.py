"""Copies: `copy`, `deepcopy` and `pickle` work for everything that holds data; agents refuse all three."""

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import timebound as tb

WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
}
every_way = pytest.mark.parametrize("way", WAYS)


def steps(world: Any, state: int) -> Iterator[tuple[int, int]]:
    yield state + 1, 1
    yield state * world.factors[0], 2


def nothing(world: Any, state: int) -> int:
    return 0


def free(*shape: int) -> np.ndarray:
    return np.ones(shape, bool)


def doubling(**options: Any) -> tb.CustomWorld:
    return tb.CustomWorld(steps, nothing, data={"factors": np.array([3])}, highest_cost=2, **options)


TOWN = [("a", "b", 1.5), ("b", "c", 2), ("a", "c", 9)]
# A world of every kind, with a start and a goal.
WORLDS: dict[str, Callable[[], tuple[tb.World, Any, Any]]] = {
    "grid": lambda: (tb.Grid(free(4, 5), travel=np.full((4, 5), 2.0)), (0, 0), (4, 3)),
    "graph": lambda: (tb.Graph.from_edges(TOWN, heuristic={"a": 1, "b": 1, "c": 0}), "a", "c"),
    "graph with coordinates": lambda: (tb.Graph([0, 1, 2], [1, 0], [5, 5], heuristic=[[0, 0], [3, 4]]), 0, 1),
    "grid of three dimensions": lambda: (tb.Grid3D(free(3, 3, 3)), (0, 0, 0), (2, 2, 2)),
    "tiles": lambda: (tb.Tiles(3), (1, 4, 2, 3, 0, 5, 6, 7, 8), tuple(range(9))),
    "movers": lambda: (tb.Moving(tb.Grid(free(4, 5)), {"cart": [(2, 1), (2, 2)]}), (0, 0), (4, 3)),
    "racetrack": lambda: (tb.Racetrack(free(6, 6), [(0, 0)], [(5, 5)]), (0, 0), None),
    "custom, in plain Python": lambda: (doubling(compile=False), 1, 11),
}


@every_way
@pytest.mark.parametrize("kind", WORLDS)
def test_worlds(kind: str, way: str) -> None:
    world, start, goal = WORLDS[kind]()
    path = tb.shortest_path(world, start, goal)
    for other in (WAYS[way](world), WAYS[way](path.world)):  # also one that has been searched
        again = tb.shortest_path(other, start, goal)
        assert (again.cost, again.states, repr(other)) == (path.cost, path.states, repr(world))
        assert other.pool is not world.pool
        assert not (hasattr(other, "passable") and other.passable.flags.writeable)


@every_way
@pytest.mark.parametrize("kind", WORLDS)
def test_paths(kind: str, way: str) -> None:
    world, start, goal = WORLDS[kind]()
    path = tb.shortest_path(world, start, goal)
    other = WAYS[way](tb.shortest_path(world, start, goal))  # of which nobody has asked for the states
    assert (other.cost, other.solved, other.expansions, other.states) == (path.cost, True, path.expansions, path.states)


@every_way
def test_episodes(way: str) -> None:
    episode = tb.make("lrta", tb.Grid(free(4, 5)), (0, 0), (4, 3), terrain="unknown").run(trace=True)
    other = WAYS[way](episode)
    assert other == episode
    assert (other.path, other.suboptimality, len(other.trace)) == (episode.path, 1.0, episode.intervals)


@every_way
def test_case_bases(way: str) -> None:
    world = tb.Grid(free(12, 12))
    base = tb.CaseBase.build(world, records=20)
    assert base.compiled is not None  # has been used
    other = WAYS[way](base)
    assert (repr(other), other.about, len(other)) == (repr(base), base.about, len(base))
    assert all(np.array_equal(other.arrays[name], array) for name, array in base.arrays.items())
    assert other.record(0) == base.record(0)


@every_way
def test_agents_and_searches_are_refused_in_one_line(way: str) -> None:
    world = tb.Grid(free(4, 5))
    agent, search = tb.make("lrta", world, (0, 0), (4, 3)), tb.Search(world, (0, 0), (4, 3))
    for thing in (agent, search, {"walker": agent} if way != "copy" else agent):
        with pytest.raises(tb.TimeboundError, match="cannot be copied or pickled; make another one") as caught:
            WAYS[way](thing)
        assert "\n" not in str(caught.value)
    assert agent.run().solved
    assert search.advance() == "found"


# ------------------------------------------------------------------ what is given to a world is not kept


def read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view


@pytest.mark.parametrize("lend", [lambda array: array, read_only], ids=["array", "read-only view"])
@pytest.mark.parametrize("make", [tb.Grid, tb.Grid3D, tb.Racetrack], ids=lambda make: make.__name__)
def test_maps_are_copied(make: Callable[[np.ndarray], Any], lend: Callable[[np.ndarray], np.ndarray]) -> None:
    shape = (2, 3, 4) if make is tb.Grid3D else (3, 4)
    given = free(*shape)
    world = make(lend(given))
    start, goal = (0,) * len(shape), (3, 2, 1)[: len(shape)]
    cost = tb.shortest_path(world, start, goal).cost
    given[:] = False
    assert tb.shortest_path(world, start, goal).cost == cost
    assert world.passable.all()
    with pytest.raises(ValueError, match="read-only"):
        world.passable[:] = False


def test_travel_costs_are_copied() -> None:
    travel = np.ones((3, 4))
    world = tb.Grid(free(3, 4), travel=travel, neighbors=4)
    travel[:] = 100
    assert tb.shortest_path(world, (0, 0), (3, 0)).cost == 3


@pytest.mark.parametrize("heuristic", [np.array([2.0, 1.0, 0.0]), np.array([[0.0], [1.0], [2.0]])])
def test_arrays_of_a_graph_are_copied(heuristic: np.ndarray) -> None:
    given = [np.array([0, 1, 2, 2]), np.array([1, 2]), np.array([1.0, 1.0]), np.array(["a", "b", "c"])]
    world = tb.Graph(*given[:3], labels=given[3].tolist(), heuristic=heuristic)
    for array in (*given, heuristic):
        array[:] = array[::-1].copy()
    given[1][:], given[2][:], heuristic[:] = 0, 77.0, 55.0
    path = tb.shortest_path(world, "a", "c")
    assert (path.cost, path.states) == (2, ["a", "b", "c"])


def test_data_of_a_custom_world_is_copied() -> None:
    factors = np.array([3])
    world = tb.CustomWorld(steps, nothing, data={"factors": factors}, highest_cost=2)
    factors[0] = 1000
    assert world.data["factors"].tolist() == [3]
