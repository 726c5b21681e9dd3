"""Jump points: paths that cost what A* finds, under every rule, while the map changes."""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from naive import grid_moves

import timebound as tb
from timebound.compiled import reading, writing
from timebound.maps import caves, random_obstacles
from timebound.search import jump_points
from timebound.search.lines import Lines, corners_are, lines_of, onward, ways_of
from timebound.worlds.grid import STEPS

Cell = tuple[int, int]
number_of, set_number = reading("number"), writing("number")
RULES: list[dict[str, Any]] = [
    {},
    {"corners": "cut"},
    {"neighbors": 4},
    {"diagonal": 1.4},
    {"diagonal": 1.0},
    {"diagonal": 2.0, "corners": "cut"},
    {"heuristic": "none", "corners": "cut"},
    {"neighbors": 4, "heuristic": "euclidean"},
]


@pytest.fixture(autouse=True, scope="module")
def always() -> Iterator[None]:
    """They are used on all maps, and the open list is soon full."""
    with pytest.MonkeyPatch.context() as patch:
        for rule in jump_points.MOST_TURNS:
            patch.setitem(jump_points.MOST_TURNS, rule, math.inf)
        patch.setattr(jump_points, "ENTRIES", 16)
        yield


def check(world: tb.Grid, start: Cell, goal: Cell) -> None:
    """Is it a path, and as short as that of A*?"""
    path, search = tb.shortest_path(world, start, goal), tb.Search(world, start, goal)
    search.advance()
    assert (path.solved, path.cost) == (search.status == "found", search.path().cost)
    if not path.solved:
        assert not len(path.numbers)
        return
    assert (path.states[0], path.states[-1], world.path_cost(path.numbers)) == (start, goal, path.cost)
    for (x, y), (next_x, next_y) in pairwise(path.states):
        assert (next_x - x, next_y - y) in grid_moves(world.passable, world.neighbors, world.corners, x, y)


def free_cells(generator: np.random.Generator, world: tb.Grid) -> list[Cell]:
    return [(x, y) for y, x in generator.choice(np.argwhere(world.passable), 2).tolist()]


def lines(world: tb.Grid) -> Lines:
    """The lines of the map as it is."""
    return lines_of(ways_of(world), world.height, onward(corners_are(world)), world.neighbors == 4)


@given(st.integers(0, 2**32), st.sampled_from(RULES))
@settings(max_examples=300)
def test_random_maps_that_change(seed: int, rules: dict[str, Any]) -> None:
    """From a single cell to more than a word of them, from open ground to rubble."""
    generator = np.random.default_rng(seed)
    passable = generator.random(generator.integers(1, 14, 2) * generator.choice([1, 6], 2)) >= generator.choice(
        [0, 0.1, 0.3, 0.5]
    )
    passable[tuple(generator.integers(passable.shape))] = True
    world = tb.Grid(passable, **rules)
    for change in (world.block, world.unblock) * 3:
        if world.passable.any():
            check(world, *free_cells(generator, world))
        kept = world.jump_points
        change([tuple(generator.integers((world.width, world.height)).tolist()) for _ in range(3)])
        if world.jump_points is not None:
            assert world.jump_points is kept
            assert np.array_equal(kept._lines.stops, lines(world).stops)


@pytest.mark.parametrize("rules", RULES[:3])
def test_larger_maps(rules: dict[str, Any]) -> None:
    generator = np.random.default_rng(3)
    for map_ in (caves(200, 150, seed=1), random_obstacles(150, 200, 0.2, seed=2)):
        world = tb.Grid(map_.passable, **rules)
        for _ in range(10):
            check(world, *free_cells(generator, world))


def moves_on_the_way(cells: list[Cell]) -> list[int]:
    """The numbers of the moves."""
    steps = STEPS[:8].tolist()
    return [steps.index([x - last_x, y - last_y]) for (last_x, last_y), (x, y) in pairwise(cells)]


def test_a_path_goes_diagonally_first() -> None:
    """The goal is seen from the start: nothing else is expanded."""
    path = tb.shortest_path(tb.Grid(np.ones((9, 9), bool)), (8, 1), (0, 4))
    assert (moves_on_the_way(path.states), path.expansions) == ([5] * 3 + [2] * 5, 1)


def test_the_map_is_read_again_after_many_changes() -> None:
    world = tb.Grid(np.ones((10, 10), bool))
    check(world, (0, 0), (9, 9))
    first = world.jump_points
    world.block([(x, 5) for x in range(9)])
    check(world, (0, 0), (0, 9))
    assert world.jump_points is first
    world.unblock([(x, 5) for x in range(9)])
    check(world, (0, 0), (0, 9))
    assert world.jump_points is not first


def test_travel_costs_that_come_later_count() -> None:
    world = tb.Grid(np.ones((3, 3), bool))
    assert tb.shortest_path(world, (0, 0), (2, 0)).cost == 2
    world.set_cost([(1, 0), (1, 1)], 9)
    assert tb.shortest_path(world, (0, 0), (2, 0)).cost > 4


def test_numbers_that_run_out_begin_again() -> None:
    world = tb.Grid(np.ones((9, 9), bool))
    check(world, (0, 0), (8, 8))
    (search,) = world.jump_points._idle
    assert number_of(search) == jump_points.SETS
    set_number(search, jump_points.LAST_NUMBER)
    check(world, (0, 8), (8, 0))
    assert number_of(search) == jump_points.SETS


def test_an_interrupted_search_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    find, outcomes = jump_points.find, []

    def interrupted_once(*given: Any) -> Any:
        outcome, *rest = find(*given)
        outcomes.append(jump_points.INTERRUPTED if not outcomes else outcome)
        return outcomes[-1], *rest

    monkeypatch.setattr(jump_points, "find", interrupted_once)
    check(tb.Grid(np.ones((9, 9), bool)), (0, 0), (8, 8))
    assert outcomes == [jump_points.INTERRUPTED, jump_points.FOUND]


def test_only_where_they_win() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(jump_points.MOST_TURNS, (8, "cut"), 0.3)
        open_map, rubble = np.ones((40, 40), bool), random_obstacles(40, 40, 0.3, seed=1).passable
        open_map[20, 3:] = False
        grids = [tb.Grid(passable, corners="cut") for passable in (open_map, rubble)]
        assert [jump_points.jump_points(grid) is not None for grid in grids] == [True, False]
        assert jump_points.jump_points(tb.Grid(open_map, neighbors=16)) is None
        assert jump_points.jump_points(tb.Grid(open_map, travel=np.ones((40, 40)))) is None
