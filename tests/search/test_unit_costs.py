"""Shortest paths where every move costs 1: as short as they can be, for no more expansions than A* may need."""

import math
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from naive import grid_moves

import timebound as tb
from timebound.core.memory import Used
from timebound.maps import maze, random_obstacles
from timebound.search import jump_points, unit_costs

Cell = tuple[int, int]


@pytest.fixture(autouse=True, scope="module")
def without_jump_points() -> Iterator[None]:
    """They are faster where there are few obstacles."""
    with pytest.MonkeyPatch.context() as patch:
        for rule in jump_points.MOST_TURNS:
            patch.setitem(jump_points.MOST_TURNS, rule, 0)
        yield


def random_map(generator: np.random.Generator) -> np.ndarray:
    """From a single cell to a room, and from open ground to rubble."""
    passable: np.ndarray = generator.random(generator.integers(1, 14, 2)) >= generator.choice([0, 0.2, 0.4, 0.6])
    passable[tuple(generator.integers(passable.shape))] = True
    return passable


def random_free_cell(generator: np.random.Generator, passable: np.ndarray) -> Cell:
    y, x = generator.choice(np.argwhere(passable)).tolist()
    return x, y


def distances(passable: np.ndarray, start: Cell) -> dict[Cell, int]:
    """The number of moves to every cell that can be reached, by breadth-first search."""
    found, queue = {start: 0}, deque([start])
    while queue:
        x, y = queue.popleft()
        for dx, dy in grid_moves(passable, 4, "strict", x, y):
            if (x + dx, y + dy) not in found:
                found[x + dx, y + dy] = found[x, y] + 1
                queue.append((x + dx, y + dy))
    return found


def check(passable: np.ndarray, start: Cell, goal: Cell, path: tb.Path) -> None:
    """Is it a shortest path, and has the search expanded what A* must expand, and nothing that A* must not?"""
    costs = distances(passable, start)
    best = costs.get(goal, math.inf)
    assert (path.solved, path.cost) == (best < math.inf, best)
    lowest_f = [g + abs(x - goal[0]) + abs(y - goal[1]) for (x, y), g in costs.items()]
    least, most = sum(f < best for f in lowest_f), sum(f <= best for f in lowest_f)
    assert least <= path.expansions <= most - path.solved  # the goal is not expanded
    if path.solved:
        walk = path.states
        assert (walk[0], walk[-1], len(walk)) == (start, goal, best + 1)
        for (x, y), (next_x, next_y) in pairwise(walk):
            assert (next_x - x, next_y - y) in grid_moves(passable, 4, "strict", x, y)
    else:
        assert not len(path.numbers)


@given(st.integers(0, 2**32))
@settings(max_examples=200)
def test_random_maps(seed: int) -> None:
    """One world answers many queries, unsolvable ones and starts that are goals among them."""
    generator = np.random.default_rng(seed)
    passable = random_map(generator)
    world = tb.Grid(passable, neighbors=4)
    for _ in range(5):
        start, goal = (random_free_cell(generator, passable) for _ in range(2))
        check(passable, start, goal, tb.shortest_path(world, start, goal))
    check(passable, start, start, tb.shortest_path(world, start, start))


@given(st.integers(0, 2**32))
@settings(max_examples=60)
def test_a_map_that_changes(seed: int) -> None:
    generator = np.random.default_rng(seed)
    world = tb.Grid(random_map(generator), neighbors=4)
    for change in (world.block, world.unblock) * 2:
        change([random_free_cell(generator, np.ones(world.shape, bool)) for _ in range(3)])
        if world.passable.any():
            start, goal = (random_free_cell(generator, world.passable) for _ in range(2))
            check(world.passable, start, goal, tb.shortest_path(world, start, goal))


@pytest.mark.parametrize("map_", [maze(201, 201, seed=1), random_obstacles(200, 300, 0.3, seed=2)])
def test_it_costs_what_the_other_search_finds(map_: tb.maps.Map) -> None:
    world, generator = tb.Grid(map_.passable, neighbors=4), np.random.default_rng(3)
    starts, goals = ([random_free_cell(generator, map_.passable) for _ in range(30)] for _ in range(2))
    batch = tb.shortest_paths(world, starts, goals, threads=2)
    for start, goal, path in zip(starts, goals, batch, strict=True):
        other = tb.Search(world, start, goal)
        other.advance()
        assert path.cost == other.path().cost
        assert np.array_equal(path.numbers, tb.shortest_path(world, start, goal).numbers)
    assert len(set(batch.costs)) > 10


def test_stacks_that_outgrow_their_memory() -> None:
    """Every cell but one is reached, and the states with one f are many more than a new stack has room for."""
    passable = np.ones((700, 700), bool)
    passable[350, 1] = passable[349, 0] = passable[351, 0] = False
    path = tb.shortest_path(tb.Grid(passable, neighbors=4), (699, 350), (0, 350))
    assert (path.solved, path.expansions) == (False, 700 * 700 - 4)


TRAVEL = np.full((30, 30), 2.0)


@pytest.mark.parametrize(
    ("rules", "how"),
    [
        ({"neighbors": 8}, {}),
        ({"neighbors": 16}, {}),
        ({"neighbors": 4, "travel": TRAVEL}, {}),
        ({"neighbors": 4, "heuristic": "octile"}, {}),
        ({"neighbors": 4, "heuristic": "none"}, {}),
        ({"neighbors": 4}, {"weight": 2.0}),
        ({"neighbors": 4}, {"greedy": True}),
        ({"neighbors": 4}, {"ties": "random", "seed": 5}),
    ],
)
def test_everything_else_is_searched_as_before(rules: dict[str, Any], how: dict[str, Any]) -> None:
    passable = np.random.default_rng(4).random((30, 30)) >= 0.2
    passable[0, 0] = passable[29, 29] = True
    one, other = (tb.Grid(passable, **rules) for _ in range(2))  # random ties depend on earlier searches of a world
    path = tb.shortest_path(one, (0, 0), (29, 29), **how)
    search = tb.Search(other, (0, 0), (29, 29), **how)
    assert search.advance() == "found"
    assert (path.states, path.expansions) == (search.path().states, search.expansions)


def test_travel_costs_that_come_later_count() -> None:
    world = tb.Grid(np.ones((3, 3), bool), neighbors=4)
    assert tb.shortest_path(world, (0, 0), (2, 0)).cost == 2
    world.set_cost([(1, 0)], 9)
    assert tb.shortest_path(world, (0, 0), (2, 0)).cost == 4


# ------------------------------------------------------------------ the numbers of searches


def test_numbers_that_run_out_begin_again() -> None:
    passable = np.ones((9, 9), bool)
    world = tb.Grid(passable, neighbors=4)
    worn = Used(np.full(world.states, unit_costs.LAST_NUMBER << unit_costs.MOVE_BITS, np.int32), unit_costs.LAST_NUMBER)
    world.pool.leave(unit_costs.MARKS, worn)
    for _ in range(3):
        check(passable, (0, 0), (8, 8), tb.shortest_path(world, (0, 0), (8, 8)))
    assert world.pool.take(unit_costs.MARKS, world.states, np.int32).mark == 3


def test_an_interrupted_search_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    passable, find, numbers = np.ones((9, 9), bool), unit_costs.find, []

    def interrupted_once(world: Any, marks: np.ndarray, number: int, start: int) -> Any:
        numbers.append(number)
        outcome, expansions, path = find(world, marks, number, start)
        return (unit_costs.INTERRUPTED, 0, path[:0]) if len(numbers) == 1 else (outcome, expansions, path)

    monkeypatch.setattr(unit_costs, "find", interrupted_once)
    check(passable, (0, 0), (8, 8), tb.shortest_path(tb.Grid(passable, neighbors=4), (0, 0), (8, 8)))
    assert numbers == [1, 2]
