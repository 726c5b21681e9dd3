"""Prepared paths: they equal those of A* on every grid that supports them, and are never those of an earlier map."""

import contextlib
import copy
import pickle
import threading
import time
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import timebound as tb
from timebound.maps import caves
from timebound.search.batch import in_threads
from timebound.worlds.interface import prices_of

DIAGONALS = [1.0, 1.2, 1.4, 2**0.5, 1.9, 2.0]


def plain(world: tb.Grid) -> tb.Grid:
    """The same grid, on which nothing is prepared."""
    return world.with_map(world.passable)


def price(world: tb.Grid, path: tb.Path) -> int:
    """What a path costs in whole units; every move must be legal."""
    prices = prices_of(world.compiled(int(path.numbers[-1])), path.numbers)
    assert (prices > 0).all()
    return int(prices.sum())


def check(world: tb.Grid, ends: np.ndarray) -> int:
    """Compare with A* and among each other; return how many of the pairs have a path."""
    unprepared, paths = plain(world), world.prepare()
    starts, goals = (np.stack([column % world.width, column // world.width], axis=1) for column in ends.T)
    batch = paths.shortest_paths(starts, goals)
    costs = paths.costs(starts, goals, threads=3)
    for (start, goal), path, cost in zip(ends.tolist(), batch, costs.tolist(), strict=True):
        best = tb.shortest_path(unprepared, world.place(start), world.place(goal))
        single = tb.shortest_path(world, world.place(start), world.place(goal))
        assert path.solved == single.solved == best.solved
        assert path.cost == single.cost == cost
        assert np.array_equal(path.numbers, single.numbers)
        if best.solved:
            assert (path.numbers[0], path.numbers[-1]) == (start, goal)
            assert price(world, path) == price(world, best)  # to the last unit
            assert path.cost == world.path_cost(path.numbers)
    return int(batch.solved.sum())


def random_grid(generator: np.random.Generator, **rules: Any) -> tb.Grid:
    height, width = generator.integers(1, 16, size=2).tolist()
    passable = generator.random((height, width)) >= generator.choice([0.0, 0.05, 0.2, 0.35, 0.5])
    passable[generator.integers(height), generator.integers(width)] = True
    return tb.Grid(passable, **rules)


def random_ends(generator: np.random.Generator, world: tb.Grid, count: int = 20) -> np.ndarray:
    ends: np.ndarray = generator.choice(np.flatnonzero(world.passable), (count, 2))
    ends[0, 1] = ends[0, 0]
    return ends


@given(
    st.integers(0, 2**32), st.sampled_from(["strict", "cut"]), st.sampled_from(DIAGONALS),
    st.sampled_from(["auto", "euclidean", "none"]),
)  # fmt: skip
@settings(max_examples=200)
def test_eight_neighbours(seed: int, corners: str, diagonal: float, heuristic: str) -> None:
    """Unsolvable problems, starts that are goals, starts and goals at corners, and maps without any are among them."""
    generator = np.random.default_rng(seed)
    world = random_grid(generator, corners=corners, diagonal=diagonal, heuristic=heuristic)
    check(world, random_ends(generator, world))


@given(st.integers(0, 2**32), st.sampled_from(["strict", "cut"]), st.sampled_from(["auto", "octile", "none"]))
@settings(max_examples=200)
def test_four_neighbours(seed: int, corners: str, heuristic: str) -> None:
    generator = np.random.default_rng(seed)
    world = random_grid(generator, neighbors=4, corners=corners, heuristic=heuristic)
    check(world, random_ends(generator, world))


@pytest.mark.parametrize("rules", [{}, {"corners": "cut", "diagonal": 1.4}, {"neighbors": 4}])
def test_a_game_map(shared_data: Path, rules: dict[str, Any]) -> None:
    world = tb.Grid.load(shared_data / "maps" / "bg512" / "AR0300SR.map", **rules)
    assert check(world, random_ends(np.random.default_rng(1), world, 100)) > 50


# ------------------------------------------------------------------ changes


@given(st.integers(0, 2**32), st.sampled_from([4, 8]))
@settings(max_examples=60)
def test_a_map_that_changes(seed: int, neighbors: int) -> None:
    """Whatever changes, and whether or not it is prepared again: the answers are those of the map as it is."""
    generator = np.random.default_rng(seed)
    world = random_grid(generator, neighbors=neighbors)
    for _ in range(4):
        paths = world.prepare()
        cells = [world.place(int(cell)) for cell in generator.integers(world.states, size=3)]
        version = world.version
        (world.block if generator.random() < 0.5 else world.unblock)(cells)
        assert paths.current == (world.version == version)
        if not world.passable.any():
            return
        ends = random_ends(generator, world, 5)
        for start, goal in ends.tolist():
            places = world.place(start), world.place(goal)
            assert tb.shortest_path(world, *places).cost == tb.shortest_path(plain(world), *places).cost
        check(world, ends)


def test_what_a_change_does() -> None:
    world = tb.Grid(np.ones((5, 7), bool))
    paths = world.prepare()
    assert world.prepare() is paths
    world.block([(3, 0), (3, 1)])
    assert not paths.current
    assert "the map has changed since" in paths.describe()
    for ask in (paths.shortest_path, paths.shortest_paths, paths.costs):
        with pytest.raises(tb.ProblemError, match=r"call world\.prepare\(\) again"):
            ask((0, 0), (6, 0))
    assert tb.shortest_path(world, (0, 0), (6, 0)).cost == world.prepare().shortest_path((0, 0), (6, 0)).cost > 7
    again = world.prepare()
    assert again is not paths
    assert again.current
    assert again.shortest_path((0, 0), (6, 0)).cost == tb.shortest_path(plain(world), (0, 0), (6, 0)).cost


def test_travel_costs_that_come_later() -> None:
    world = tb.Grid(np.ones((5, 7), bool))
    world.prepare()
    world.set_cost([(3, y) for y in range(4)], 5)
    assert tb.shortest_path(world, (0, 0), (6, 0)).cost == tb.shortest_path(plain(world), (0, 0), (6, 0)).cost
    with pytest.raises(tb.ProblemError, match="this one has travel costs"):
        world.prepare()


def test_a_change_waits_for_a_batch() -> None:
    """It is made between two batches, not within one: no batch has the paths of two maps."""
    passable = np.ones((30, 30), bool)
    passable[:, 15] = False
    world, door, stop = tb.Grid(passable), [(15, 9), (15, 10)], threading.Event()
    goals = np.argwhere(passable)[:, ::-1]

    def change() -> None:
        while not stop.wait(0.01):
            (world.block if world.passable[10, 15] else world.unblock)(door)

    thread, reached = threading.Thread(target=change), []
    thread.start()
    try:
        while len(reached) < 10:
            with contextlib.suppress(tb.ProblemError):  # it has changed since
                reached.append(int(np.isfinite(world.prepare().costs((0, 0), goals, threads=2)).sum()))
    finally:
        stop.set()
        thread.join()
    assert set(reached) <= {30 * 15, 30 * 29}


# ------------------------------------------------------------------ many at once


@pytest.mark.parametrize("prepared", [True, False])
def test_threads_change_nothing(prepared: bool) -> None:
    world = tb.Grid(caves(80, 60, seed=3).passable, neighbors=4)
    if prepared:
        world.prepare()
    ends = random_ends(np.random.default_rng(4), world, 150)
    starts, goals = ([world.place(cell) for cell in column] for column in ends.T.tolist())
    one, four = (tb.shortest_paths(world, starts, goals, threads=threads) for threads in (1, 4))
    assert one.solved.sum() > 0
    assert np.array_equal(one.costs, four.costs)
    assert np.array_equal(one.numbers, four.numbers)
    assert np.array_equal(one.first, four.first)
    assert [path.expansions for path in one] == [path.expansions for path in four]
    for i, path in enumerate(one):
        assert np.array_equal(one.numbers[one.first[i] : one.first[i + 1]], path.numbers)
    assert np.array_equal(one[10:20].costs, one.costs[10:20])


def test_worlds_that_cannot_be_prepared() -> None:
    """Many paths at once are for every world; labels may be tuples."""
    graph = tb.Graph.from_edges([(("a", 1), "b", 1), ("b", "c", 2)])
    batch = tb.shortest_paths(graph, ("a", 1), ["b", "c"], threads=2)
    assert (batch.costs.tolist(), batch[1].states) == ([1.0, 3.0], [("a", 1), "b", "c"])
    assert tb.shortest_paths(graph, "c", ["b", "c"]).costs.tolist() == [np.inf, 0.0]
    tiles = tb.Tiles(2)
    batch = tb.shortest_paths(tiles, [(1, 0, 2, 3)], [(0, 1, 2, 3)])
    assert batch.costs.tolist() == [1.0]
    assert len(tb.shortest_paths(graph, [], [])) == 0
    assert tb.shortest_paths(graph, [], []).numbers.tolist() == []
    grid = tb.Grid(np.ones((3, 3), bool), neighbors=16)
    for world, why in ((graph, "not for a Graph"), (tiles, "not for a Tiles"), (grid, "this one has 16 neighbours")):
        with pytest.raises(tb.ProblemError, match=why):
            world.prepare()


def test_an_error_in_a_thread_is_raised() -> None:
    """One piece fails, in whichever thread; the remaining pieces are not started."""
    begun: list[int] = []

    def work(piece: int) -> int:
        begun.append(piece)
        if piece == 5:
            raise tb.ProblemError("the fifth")
        time.sleep(0.001)
        return -piece

    for threads in (1, 4):
        begun.clear()
        with pytest.raises(tb.ProblemError, match="the fifth"):
            in_threads(work, range(1000), threads)
        assert len(begun) < 100
        assert in_threads(work, [8, 7, 6], threads) == [-8, -7, -6]


@pytest.mark.parametrize(
    ("starts", "goals", "message"),
    [
        ([(0, 0)], [(1, 1), (2, 2)], "1 starts do not match 2 goals; give the same number of both, or one place"),
        ((0, 0), np.array([[1.5, 2.0]]), "an array of cells must be [n, 2] of whole numbers"),
        ((0, 0), [(9, 9)], "(9, 9) is outside the map"),
        ([(0, 0)], [(1, 0)], "(1, 0) is blocked; choose a free cell, for example (0, 0)"),
    ],
)
@pytest.mark.parametrize("prepared", [True, False])
def test_bad_places(starts: Any, goals: Any, message: str, prepared: bool) -> None:
    passable = np.ones((3, 3), bool)
    passable[0, 1] = False
    world = tb.Grid(passable)
    if prepared:
        world.prepare()
    with pytest.raises(tb.ProblemError) as caught:
        tb.shortest_paths(world, starts, goals)
    assert message in str(caught.value)


# ------------------------------------------------------------------ what else


def test_other_searches_stay_what_they_are() -> None:
    world = tb.Grid(caves(40, 30, seed=5).passable)
    ends = [world.place(int(cell)) for cell in np.flatnonzero(world.passable)[[0, -1]]]
    prepared = plain(world)
    prepared.prepare()
    ways: list[dict[str, Any]] = [{"weight": 1.5}, {"greedy": True}, {"ties": "random", "seed": 3}]
    for way in ways:
        one, other = (tb.shortest_path(each, *ends, **way) for each in (world, prepared))
        assert np.array_equal(one.numbers, other.numbers)
        assert one.expansions == other.expansions


def test_a_case_base_does_not_prepare_paths() -> None:
    """Although the base is built over corners, `shortest_path` does not use them until `prepare` is called."""
    world = tb.Grid.load("harbour")
    ends = (12, 100), (180, 14)
    before = tb.shortest_path(world, *ends)
    tb.CaseBase.build(world, 20, coverage="random")
    after = tb.shortest_path(world, *ends)
    assert after.expansions == before.expansions
    assert np.array_equal(after.numbers, before.numbers)
    assert world.prepare().shortest_path(*ends).cost == before.cost
    assert tb.shortest_path(world, *ends).expansions < before.expansions


def test_progress_costs_and_copies() -> None:
    told: list[tuple[str, int, int]] = []
    world = tb.Grid(caves(40, 30, seed=5).passable)
    paths = world.prepare(tell=lambda *what: told.append(what))
    assert told == [("landmarks", i, 16) for i in range(1, 17)]
    assert paths.seconds > 0
    held = paths.nbytes
    assert held > 0
    assert "MB, prepared in" in paths.describe()
    with pytest.raises(tb.ProblemError, match="Paths objects cannot be copied"):
        copy.copy(paths)
    assert "paths" not in pickle.loads(pickle.dumps(world)).prepared  # it is prepared there if somebody asks
