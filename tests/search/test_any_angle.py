"""Any-angle paths, compared with a plain visibility graph."""

import heapq
import math
import os
import signal
import threading
import time
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

import timebound as tb
from timebound.search.any_angle import sees

Cell = tuple[int, int]


def plainly_sees(free: np.ndarray, a: Cell, b: Cell, strict: bool) -> bool:
    """Follow the line from one moment at which it enters other cells to the next, in exact fractions."""
    offset, way = Fraction(0) if strict else Fraction(1, 2), [b[0] - a[0], b[1] - a[1]]
    times = {Fraction(0), Fraction(1)}
    for start, distance in zip(a, way, strict=True):
        lines = range(min(start, start + distance) - 1, max(start, start + distance) + 2) if distance else ()
        times |= {t for t in ((line + offset - start) / distance for line in lines) if 0 <= t <= 1}
    moments = [(before + after) / 2 for before, after in pairwise(sorted(times))] + [Fraction(0), Fraction(1)]
    for t in moments:
        x, y = a[0] + t * way[0], a[1] + t * way[1]
        if strict:  # a body as large as a cell
            cells = [(i, j) for i in (math.floor(x), math.ceil(x)) for j in (math.floor(y), math.ceil(y))]
        else:
            cells = [(math.floor(x + Fraction(1, 2)), math.floor(y + Fraction(1, 2)))]
        if not all(free[j, i] for i, j in cells):
            return False
    return True


def plain_lengths(sights: dict[Cell, list[Cell]], start: Cell) -> dict[Cell, float]:
    lengths, heap = {start: 0.0}, [(0.0, start)]
    while heap:
        length, cell = heapq.heappop(heap)
        for other in sights[cell] if length <= lengths[cell] else ():
            if length + math.dist(cell, other) < lengths.get(other, math.inf):
                lengths[other] = length + math.dist(cell, other)
                heapq.heappush(heap, (lengths[other], other))
    return lengths


@pytest.mark.uncompiled
@pytest.mark.parametrize("corners", ["strict", "cut"])
def test_paths_are_short_and_free(corners: Any) -> None:
    generator, ratios = np.random.default_rng(1), []
    for share in (0.6, 0.75, 0.9) * 2:
        free = generator.random((9, 10)) < share
        world, form = tb.Grid(free, corners=corners), tb.Grid(free).compiled(0)
        cells = [(int(x), int(y)) for y, x in np.argwhere(free)]
        sights: dict[Cell, list[Cell]] = {cell: [] for cell in cells}
        for a, b in combinations(cells, 2):
            seen, (i, j) = plainly_sees(free, a, b, corners == "strict"), (world.state(a), world.state(b))
            assert sees(form, free.ravel(), corners == "strict", i, j) == seen
            assert sees(form, free.ravel(), corners == "strict", j, i) == seen
            if seen:
                sights[a].append(b)
                sights[b].append(a)
        for _ in range(12):
            a, b = (cells[int(i)] for i in generator.integers(len(cells), size=2))
            path, lengths = tb.shortest_path(world, a, b, any_angle=True), plain_lengths(sights, a)
            assert path.solved == (b in lengths)
            assert path.cost == pytest.approx(sum(map(math.dist, path.states, path.states[1:]))) or not path.solved
            assert all(after in sights[before] for before, after in pairwise(path.states))
            if path.solved and a != b:
                ratios.append(path.cost / lengths[b])
    assert len(ratios) > 30
    assert min(ratios) > 1 - 1e-9
    assert np.mean(ratios) < 1.01


@pytest.mark.uncompiled
def test_bodies_go_straight() -> None:
    """A body that is drawn between cells touches only free ones."""
    generator = np.random.default_rng(5)
    for _ in range(12):
        world = tb.Grid(generator.random((18, 18)) < 0.95)
        places = world.for_body(size=3).passable
        cells = [(int(x), int(y)) for y, x in np.argwhere(places)]
        path = tb.shortest_path(world, cells[0], cells[-1], size=3, any_angle=True)
        for (x, y), (to_x, to_y) in pairwise(path.states):
            for t in np.linspace(0, 1, 200):
                left, top = x + t * (to_x - x) + 1e-9, y + t * (to_y - y) + 1e-9
                below = world.passable[
                    math.floor(top) : math.ceil(top + 3 - 2e-9), math.floor(left) : math.ceil(left + 3 - 2e-9)
                ]
                assert below.all()


def test_any_angle_in_compiled_code() -> None:
    free = np.ones((40, 60), bool)
    free[5:, 20] = free[:35, 40] = False
    path = tb.shortest_path(tb.Grid(free), (0, 39), (59, 0), any_angle=True)
    assert path.states == [(0, 39), (19, 4), (21, 4), (39, 35), (41, 35), (59, 0)]
    free[35:, 40] = False
    nowhere = tb.shortest_path(tb.Grid(free), (0, 39), (59, 0), any_angle=True)
    assert (nowhere.solved, nowhere.cost, nowhere.states) == (False, math.inf, [])


def test_a_signal_that_is_handled_changes_nothing() -> None:
    free = np.random.default_rng(0).random((1500, 1500)) < 0.9
    free[0, 0] = free[-1, -1] = True
    world, handled = tb.Grid(free), list[int]()
    quiet = tb.shortest_path(world, (0, 0), (1499, 1499), any_angle=True)
    before = signal.signal(signal.SIGINT, lambda number, frame: handled.append(number))
    try:
        while not handled:
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            path = tb.shortest_path(world, (0, 0), (1499, 1499), any_angle=True)
            time.sleep(0.1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (path.cost, path.states) == (quiet.cost, quiet.states)


@pytest.mark.parametrize(
    ("world", "options", "message"),
    [
        (tb.Grid([[1, 1]], travel=[[1, 2]]), {}, "any-angle paths are for grids without travel costs"),
        (tb.Grid([[1, 1]]), {"weight": 2}, "any-angle paths have no weight"),
        (tb.Grid([[1, 1]]), {"any_angle": 1}, "any_angle is True or False, not 1"),
    ],
)
def test_bad_any_angle_paths(world: Any, options: Any, message: str) -> None:
    with pytest.raises(tb.ProblemError, match=message):
        tb.shortest_path(world, (0, 0), (1, 0), **{"any_angle": True, **options})
