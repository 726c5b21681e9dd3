"""Grids: moves, costs and heuristics against plain Python and SciPy."""

import math
import re
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from naive import best_first, grid_edges
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

import timebound as tb
from timebound.worlds.grid_input import HEURISTICS
from timebound.worlds.interface import heuristic, successors

rules = st.fixed_dictionaries(
    {"neighbors": st.sampled_from([4, 8, 16]), "corners": st.sampled_from(["strict", "cut"])},
    optional={"diagonal": st.sampled_from([1.4, math.sqrt(2), 1.25])},
)


@st.composite
def passable_maps(draw: st.DrawFn, side: int = 12) -> np.ndarray:
    height, width = draw(st.integers(1, side)), draw(st.integers(1, side))
    share = draw(st.sampled_from([0.0, 0.2, 0.35, 0.5]))
    passable = np.random.default_rng(draw(st.integers(0, 2**32))).random((height, width)) >= share
    passable[draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1))] = True
    return passable


@st.composite
def travel_costs(draw: st.DrawFn, passable: np.ndarray) -> np.ndarray | None:
    if draw(st.booleans()):
        return None
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    return generator.choice([1.0, 1.5, 2.0, 7.25, 1.1, 300.0], passable.shape)


def free_cells(passable: np.ndarray) -> list[tuple[int, int]]:
    return [(x, y) for y, x in np.argwhere(passable).tolist()]


def true_costs(world: tb.Grid, start: tuple[int, int]) -> np.ndarray:
    """The cost from `start` to every cell, by SciPy."""
    edges = list(grid_edges(world.passable, world.neighbors, world.corners, world.diagonal, world.travel))
    ends = np.array([(v[1] * world.width + v[0], u[1] * world.width + u[0]) for u, v, _ in edges]).reshape(-1, 2)
    matrix = csr_array(([cost for *_, cost in edges], (ends[:, 1], ends[:, 0])), shape=(world.states, world.states))
    return dijkstra(matrix, indices=start[1] * world.width + start[0])


@given(st.data())
@settings(max_examples=150)
def test_astar_equals_dijkstra(data: st.DataObject) -> None:
    passable = data.draw(passable_maps())
    kind = data.draw(rules)
    travel = data.draw(travel_costs(passable))
    world = tb.Grid(
        passable, travel=travel, heuristic=data.draw(st.sampled_from(["auto", "euclidean", "none"])), **kind
    )
    start = data.draw(st.sampled_from(free_cells(passable)))
    costs = true_costs(world, start)
    for goal in data.draw(st.lists(st.sampled_from(free_cells(passable)), min_size=1, max_size=6)):
        path = tb.shortest_path(world, start, goal)
        expected = costs[goal[1] * world.width + goal[0]]
        assert path.solved == np.isfinite(expected)
        assert path.cost == pytest.approx(expected, rel=2e-6) if path.solved else path.cost == math.inf
        if path.solved:
            assert path.states[0] == start
            assert path.states[-1] == goal
            steps = {(u, v): cost for u, v, cost in grid_edges(passable, travel=travel, **kind)}
            assert math.fsum(steps[edge] for edge in zip(path.states, path.states[1:], strict=False)) == pytest.approx(
                path.cost, rel=1e-12
            )


@given(st.data())
@settings(max_examples=60)
def test_weighted_astar_is_within_its_bound(data: st.DataObject) -> None:
    passable = data.draw(passable_maps())
    world = tb.Grid(passable, travel=data.draw(travel_costs(passable)), **data.draw(rules))
    start, goal = (data.draw(st.sampled_from(free_cells(passable))) for _ in range(2))
    best = tb.shortest_path(world, start, goal)
    for weight in (1.2, 2.6, 7):
        path = tb.shortest_path(world, start, goal, weight=weight)
        assert path.solved == best.solved
        assert not path.solved or path.cost <= weight * best.cost * (1 + 1e-6)
    assert tb.shortest_path(world, start, goal, greedy=True).solved == best.solved


@given(st.data())
@settings(max_examples=80)
def test_heuristics_are_consistent_on_every_move_exactly(data: st.DataObject) -> None:
    passable = data.draw(passable_maps())
    kind = data.draw(rules)
    name = data.draw(st.sampled_from(HEURISTICS[kind["neighbors"]]))
    world = tb.Grid(passable, travel=data.draw(travel_costs(passable)), heuristic=name, **kind)
    goal = world.state(data.draw(st.sampled_from(free_cells(passable))))
    compiled = world.compiled(goal)
    assert heuristic(compiled, goal) == 0
    for state in np.flatnonzero(passable).tolist():
        for successor, cost in successors(compiled, state):
            assert heuristic(compiled, state) <= cost + heuristic(compiled, successor)
            assert cost <= world.highest_cost


@pytest.mark.parametrize("neighbors", [4, 8, 16])
@pytest.mark.parametrize("diagonal", [1.4, math.sqrt(2)])
def test_the_automatic_heuristic_is_the_exact_distance_without_obstacles(neighbors: int, diagonal: float) -> None:
    world = tb.Grid(np.ones((17, 17), bool), neighbors=neighbors, diagonal=diagonal)
    costs = true_costs(world, (8, 8)).reshape(17, 17)
    compiled = world.compiled(world.state((8, 8)))
    # Away from the border, where a knight's way may not leave the map.
    for y in range(3, 14):
        for x in range(3, 14):
            assert heuristic(compiled, y * 17 + x) / world.unit == pytest.approx(costs[y, x], abs=2e-5)


@given(st.data())
@settings(max_examples=60)
def test_expansions_follow_the_documented_order(data: st.DataObject) -> None:
    """The compiled search against a plain one: same states in the same order, same path, whatever the weight."""
    passable = data.draw(passable_maps(8))
    world = tb.Grid(passable, travel=data.draw(travel_costs(passable)), **data.draw(rules))
    start, goal = (data.draw(st.sampled_from(free_cells(passable))) for _ in range(2))
    order = data.draw(st.sampled_from([{}, {"weight": 1.5}, {"weight": 2.6}, {"greedy": True}]))
    open_list = data.draw(st.sampled_from(["hot", "heap"]))
    search = tb.Search(world, start, goal, open_list=open_list, **order)
    expanded = []
    while search.status == "running":
        candidate = search.best
        if search.advance(expansions=1) == "running":
            expanded.append(candidate)
    if search.expansions > len(expanded):  # the last expansion ended the search
        expanded.append(candidate)
    compiled = world.compiled(search.goal)
    weight = Fraction(str(order.get("weight", 1)))
    naive_expanded, naive_path = best_first(
        search.start,
        search.goal,
        lambda state: successors(compiled, state),
        lambda state: heuristic(compiled, state),
        weight,
        order.get("greedy", False),
    )
    assert [world.state(place) for place in expanded] == naive_expanded
    assert search.path().numbers.tolist() == naive_path


def test_positions_are_x_y_and_arrays_are_y_x() -> None:
    passable = np.ones((2, 5), bool)
    passable[0, 4] = False
    world = tb.Grid(passable)
    assert world.shape == (2, 5)
    assert world.place(world.state((3, 1))) == (3, 1)
    with pytest.raises(tb.ProblemError, match=re.escape("(4, 0) is blocked; choose a free cell, for example")):
        world.state((4, 0))


def test_costs_are_counted_not_summed() -> None:
    world = tb.Grid(np.ones((1001, 1001), bool))
    assert tb.shortest_path(world, (0, 0), (1000, 1000)).cost == 1000 * math.sqrt(2)
    world = tb.Grid(np.ones((20, 20), bool), diagonal=1.4)
    assert world.unit == 10
    assert tb.shortest_path(world, (0, 0), (19, 7)).cost == 12 + 7 * 1.4


def test_start_equal_to_goal_is_solved_without_a_move() -> None:
    path = tb.shortest_path(tb.Grid([[True]]), (0, 0), (0, 0))
    assert (path.solved, path.cost, path.states, path.expansions) == (True, 0.0, [(0, 0)], 0)


def test_a_map_is_not_shared_with_its_giver() -> None:
    passable = np.ones((3, 3), bool)
    world = tb.Grid(passable)
    passable[:] = False
    assert tb.shortest_path(world, (0, 0), (2, 2)).solved


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"passable": np.ones(3, bool)},
            "a grid needs a two-dimensional map with at least one cell, not one of shape (3,)",
        ),
        ({"passable": np.ones((0, 3), bool)}, "a grid needs a two-dimensional map"),
        ({"passable": [[0.5]]}, "a grid needs a boolean map (True where passable), not float64 values"),
        ({"neighbors": 6}, "a grid has 4, 8 or 16 neighbours, not 6"),
        ({"corners": "round"}, "corners are 'strict' or 'cut', not 'round'"),
        ({"diagonal": 3}, "a diagonal move costs from 1 to 2, not 3"),
        ({"diagonal": float("nan")}, "a diagonal move costs from 1 to 2, not nan"),
        ({"neighbors": 16, "diagonal": 1.1}, "with knight moves, a diagonal move costs from 1.24 to 1.49, not 1.1"),
        ({"travel": [[1.0]]}, "travel costs need the shape of the map, (2, 2), not (1, 1)"),
        ({"travel": [[1, 1], [0.5, 1]]}, "the travel cost of (0, 1) is 0.5; it must be a number from 1 to a million"),
        ({"travel": [[1, math.nan], [1, 1]]}, "the travel cost of (1, 0) is nan"),
        ({"travel": [[1, math.inf], [1, 1]]}, "the travel cost of (1, 0) is inf"),
        ({"travel": [[1, -2], [1, 1]]}, "the travel cost of (1, 0) is -2.0"),
        (
            {"heuristic": "best"},
            "heuristic 'best' does not fit 8 neighbours; choose from 'auto', 'octile', 'euclidean', 'none'",
        ),
        ({"heuristic": "manhattan"}, "heuristic 'manhattan' does not fit 8 neighbours"),
    ],
)
def test_impossible_grids_are_refused_in_one_line(arguments: dict, message: str) -> None:
    with pytest.raises(tb.WorldError, match=re.escape(message)) as error:
        tb.Grid(**{"passable": np.ones((2, 2), bool), **arguments})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("place", [(9, 0), (-1, 0), (0.5, 1), "ab", None, (1,), (math.nan, 0), (math.inf, 1), 7])
def test_impossible_positions_are_refused_in_one_line(place: object) -> None:
    with pytest.raises(tb.ProblemError, match=r"outside the map|a position is two whole numbers"):
        tb.shortest_path(tb.Grid(np.ones((3, 3), bool)), place, (0, 0))


@pytest.mark.parametrize("weight", [0, 0.99, math.nan, math.inf, -1, "2", None])
def test_impossible_weights_are_refused(weight: object) -> None:
    with pytest.raises(tb.ProblemError, match="the weight must be a number from 1 to a million"):
        tb.shortest_path(tb.Grid(np.ones((3, 3), bool)), (0, 0), (1, 1), weight=weight)
