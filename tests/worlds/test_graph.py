"""Graphs: every way to build one, the searches against SciPy, exact costs, and the messages of refusals."""

import itertools
import math
import random
import runpy
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pytest
import rustworkx
import scipy.sparse
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

import timebound as tb
from timebound.worlds.compiled_graph import ROUNDING
from timebound.worlds.graph_numbers import VALUE_TOLERANCE
from timebound.worlds.interface import heuristic

ROOT = Path(__file__).parents[2]

# ------------------------------------------------------------------ random digraphs and their referee


class Problem(NamedTuple):
    nodes: int
    edges: list[tuple[int, int, float]]  # parallel edges and loops among them
    start: int
    goal: int


COSTS = {
    "whole": st.integers(0, 20),
    "decimal": st.integers(0, 5000).map(lambda thousandths: thousandths / 1000),
    "real": st.floats(0, 10),
    "wide": st.floats(-6, 6).map(lambda exponent: 10.0**exponent),
    "mixed": st.one_of(st.just(0), st.integers(1, 1000), st.floats(1e-6, 1e6)),
}


@st.composite
def problems(draw: st.DrawFn, kinds: tuple[str, ...] = tuple(COSTS)) -> Problem:
    nodes = draw(st.integers(1, 12))
    state = st.integers(0, nodes - 1)
    costs = COSTS[draw(st.sampled_from(kinds))]
    edges = draw(st.lists(st.tuples(state, state, costs), max_size=4 * nodes))
    return Problem(nodes, edges, draw(state), draw(state))


def matrix_of(problem: Problem) -> Any:
    """The problem as SciPy knows it: the cheapest of parallel edges, edges without cost as stored zeros."""
    cheapest: dict[tuple[int, int], float] = {}
    for u, v, cost in problem.edges:
        cheapest[u, v] = min(cost, cheapest.get((u, v), math.inf))
    rows, columns = ([pair[i] for pair in cheapest] for i in (0, 1))
    shape = (problem.nodes, problem.nodes)
    return scipy.sparse.coo_array((np.array(list(cheapest.values()), float), (rows, columns)), shape=shape).tocsr()


def distances_to_goal(problem: Problem) -> np.ndarray:
    return dijkstra(matrix_of(problem).T, indices=problem.goal)


def optimum(problem: Problem) -> float:
    return float(distances_to_goal(problem)[problem.start])


def coordinates_for(problem: Problem, seed: int) -> np.ndarray:
    """Random points, moved together until no edge is shorter than the distance between its ends."""
    points = np.random.default_rng(seed).random((problem.nodes, 1 + seed % 3))
    ratio = math.inf
    for u, v, cost in problem.edges:
        length = float(np.linalg.norm(points[u] - points[v]))
        ratio = min(ratio, cost / length) if length else ratio
    return points * (ratio if ratio < math.inf else 1.0)


def heuristic_for(kind: str, problem: Problem, seed: int) -> Any:
    exact = distances_to_goal(problem)
    part = (0.0, 0.5, 1.0)[seed % 3]
    if kind == "coordinates":
        return coordinates_for(problem, seed)
    values = [part * h if h < math.inf else h for h in exact.tolist()]
    if kind == "function":
        return lambda node, goal: values[node]
    return values if kind == "values" else None


def graph_of(problem: Problem, heuristic: Any = None) -> tb.Graph:
    return tb.Graph.from_edges(problem.edges, nodes=range(problem.nodes), heuristic=heuristic)


def check_path(problem: Problem, path: tb.Path) -> None:
    """It is a path from start to goal along edges, and it costs what it says."""
    steps = list(itertools.pairwise(path.states))
    prices = [min(cost for u, v, cost in problem.edges if (u, v) == step) for step in steps]
    assert (path.states[0], path.states[-1]) == (problem.start, problem.goal)
    assert path.cost == math.fsum(prices)


def precision(world: tb.Graph) -> float:
    """By how much a path of the graph may cost more than the cheapest: about half a unit per edge."""
    exact = world.unit in {10**digits for digits in range(7)}
    return 0.0 if exact else 2 * world.states / world.unit


def is_consistent(world: tb.Graph, problem: Problem) -> bool:
    target = world.compiled(problem.goal)
    h = [heuristic(target, state) for state in range(world.states)]
    prices = [(u, v, int(edge["price"])) for u in range(world.states) for v, edge in _edges_from(target, u)]
    return h[problem.goal] == 0 and all(h[u] <= price + h[v] for u, v, price in prices)


def _edges_from(target: Any, state: int) -> list[tuple[int, Any]]:
    row = target.edges[target.first[state] : target.first[state + 1]]
    return [(int(edge["target"]), edge) for edge in row]


KINDS = ("none", "coordinates", "values", "function")


@settings(max_examples=250)
@given(problems(), st.sampled_from(KINDS), st.integers(0, 99))
def test_astar_equals_dijkstra(problem: Problem, kind: str, seed: int) -> None:
    world = graph_of(problem, heuristic_for(kind, problem, seed))
    path, best = tb.shortest_path(world, problem.start, problem.goal), optimum(problem)
    assert path.solved == (best < math.inf)
    if path.solved:
        check_path(problem, path)
        assert path.cost == pytest.approx(best, rel=1e-9, abs=precision(world))
    else:
        assert (path.cost, list(path.states)) == (math.inf, [])


@settings(max_examples=200)
@given(problems(), st.sampled_from(KINDS), st.integers(0, 99))
def test_whole_heuristics_are_exactly_consistent(problem: Problem, kind: str, seed: int) -> None:
    assert is_consistent(graph_of(problem, heuristic_for(kind, problem, seed)), problem)


@settings(max_examples=150)
@given(problems(), st.sampled_from(KINDS), st.integers(0, 99), st.sampled_from([1.0, 1.5, 2.6, 50.0]))
def test_weighted_astar_stays_within_its_bound(problem: Problem, kind: str, seed: int, weight: float) -> None:
    world = graph_of(problem, heuristic_for(kind, problem, seed))
    path, best = tb.shortest_path(world, problem.start, problem.goal, weight=weight), optimum(problem)
    assert path.solved == (best < math.inf)
    if path.solved:
        check_path(problem, path)
        assert path.cost <= weight * (best * (1 + 1e-9) + precision(world))


@settings(max_examples=100)
@given(problems(), st.sampled_from(KINDS), st.integers(0, 99))
def test_greedy_search_finds_a_path_if_there_is_one(problem: Problem, kind: str, seed: int) -> None:
    world = graph_of(problem, heuristic_for(kind, problem, seed))
    path = tb.shortest_path(world, problem.start, problem.goal, greedy=True)
    assert path.solved == (optimum(problem) < math.inf)
    if path.solved:
        check_path(problem, path)


ORDERS: list[dict[str, Any]] = [{}, {"weight": 2.6}, {"greedy": True}]


@settings(max_examples=100)
@given(problems(), st.sampled_from(KINDS), st.integers(0, 99), st.sampled_from(ORDERS), st.integers(1, 4))
def test_open_lists_and_stops_change_nothing(
    problem: Problem, kind: str, seed: int, order: dict[str, Any], step: int
) -> None:
    world = graph_of(problem, heuristic_for(kind, problem, seed))
    hot, heap, stopped = (
        tb.Search(world, problem.start, problem.goal, open_list=open_list, **order)
        for open_list in ("hot", "heap", "hot")
    )
    while stopped.advance(expansions=step) == "running":
        assert stopped.expansions % step == 0
    assert hot.advance() == heap.advance() == stopped.status
    assert hot.expansions == heap.expansions == stopped.expansions
    assert hot.path().states == heap.path().states == stopped.path().states


def test_large_random_graph_against_scipy() -> None:
    rng = np.random.default_rng(5)
    points = rng.random((3000, 2)) * 1e5 + 5e6  # far from the origin, as map projections are
    graph = nx.Graph(cKDTree(points).query_pairs(3500))
    for u, v in graph.edges:
        graph.edges[u, v]["length"] = math.dist(points[u], points[v])  # no edge leaves room for rounding
    world = tb.Graph.from_networkx(graph, weight="length", heuristic=dict(enumerate(points)))
    matrix = nx.to_scipy_sparse_array(graph, nodelist=range(3000), weight="length")
    expected = dijkstra(matrix, indices=range(10))
    for start in range(10):
        goal = int(rng.integers(3000))
        assert tb.shortest_path(world, start, goal).cost == pytest.approx(expected[start, goal], rel=1e-9)


# ------------------------------------------------------------------ ways to build one


@settings(max_examples=60)
@given(problems(("decimal", "mixed")))
def test_all_constructors_make_the_same_graph(problem: Problem) -> None:
    matrix = matrix_of(problem)
    of_matrix = tb.Graph.from_scipy(matrix)
    network = nx.DiGraph()
    network.add_nodes_from(range(problem.nodes))
    network.add_weighted_edges_from((int(u), int(v), matrix[u, v]) for u, v in zip(*_stored(matrix), strict=True))
    raw = tb.Graph(matrix.indptr, matrix.indices, matrix.data)
    answers = [
        tb.shortest_path(world, problem.start, problem.goal)
        for world in (of_matrix, tb.Graph.from_networkx(network), raw)
    ]
    assert len({(path.cost, tuple(path.states), path.expansions) for path in answers}) == 1


def _stored(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)), matrix.indices


@settings(max_examples=60)
@given(problems(("whole", "real")))
def test_undirected_edges_lead_both_ways(problem: Problem) -> None:
    nodes, edges = range(problem.nodes), problem.edges
    both = Problem(problem.nodes, edges + [(v, u, cost) for u, v, cost in edges], problem.start, problem.goal)
    network = nx.MultiGraph()
    network.add_nodes_from(nodes)
    network.add_weighted_edges_from(edges)
    for world in (tb.Graph.from_edges(edges, directed=False, nodes=nodes), tb.Graph.from_networkx(network)):
        path = tb.shortest_path(world, problem.start, problem.goal)
        assert path.cost == pytest.approx(optimum(both), rel=1e-9, abs=precision(world))


def test_labels_of_any_kind() -> None:
    labels = ["a", 1, 2.5, (3, "x"), frozenset({4}), b"raw", True + 1]
    world = tb.Graph.from_edges(itertools.pairwise(labels))
    path = tb.shortest_path(world, "a", 2)
    assert path.states == labels
    assert path.cost == 6
    assert [world.place(world.state(label)) for label in labels] == labels


def test_multigraph_takes_the_cheapest_of_parallel_edges() -> None:
    network = nx.MultiDiGraph()
    network.add_weighted_edges_from([("a", "b", 5), ("a", "b", 2), ("a", "b", 3), ("b", "b", 0)])
    world = tb.Graph.from_networkx(network)
    assert tb.shortest_path(world, "a", "b").cost == 2
    assert repr(world) == "Graph(2 nodes, 4 edges, no heuristic)"


def test_missing_weights_are_1_as_in_networkx() -> None:
    network = nx.Graph([("a", "b", {"weight": 3}), ("b", "c")])
    assert tb.shortest_path(tb.Graph.from_networkx(network), "a", "c").cost == 4
    assert tb.shortest_path(tb.Graph.from_networkx(network, weight=None), "a", "c").cost == 2
    assert tb.shortest_path(tb.Graph.from_networkx(network, "length"), "a", "c").cost == 2


def test_stored_zeros_are_edges() -> None:
    matrix = scipy.sparse.csr_array(([0.0, 7.0], ([0, 0], [1, 2])), shape=(3, 3))
    world = tb.Graph.from_scipy(matrix)
    assert [tb.shortest_path(world, 0, goal).cost for goal in (1, 2)] == [0, 7]


def test_successors_come_in_the_order_of_insertion() -> None:
    edges = [("s", "z"), ("x", "g"), ("s", "a"), ("z", "g"), ("s", "x"), ("a", "g")]
    for world in (tb.Graph.from_edges(edges), tb.Graph.from_networkx(nx.DiGraph(edges))):
        assert tb.shortest_path(world, "s", "g").states == ["s", "z", "g"]


def test_edge_arrays_numpy_labels_and_number_types() -> None:
    assert tb.shortest_path(tb.Graph.from_edges(np.array([[0, 1], [1, 2]])), np.int64(0), np.int32(2)).cost == 2
    exotic = tb.Graph.from_edges([(0, 1, Decimal("0.1")), (1, 2, Fraction(1, 5)), (2, 3, np.float32(1)), (3, 4, True)])
    assert tb.shortest_path(exotic, 0, 4).cost == 2.3
    assert exotic.unit == 10


def test_start_is_goal() -> None:
    path = tb.shortest_path(tb.Graph.from_edges([("a", "a", 5)]), "a", "a")
    assert (path.solved, path.cost, path.states, path.expansions) == (True, 0, ["a"], 0)


def test_describes_itself() -> None:
    world = tb.Graph.from_edges([("a", "b", 2), ("a", "c", 3)], heuristic={"a": 2, "b": 0, "c": 0})
    assert repr(world) == "Graph(3 nodes, 2 edges, heuristic from values)"
    assert (world.states, world.branching, world.highest_cost, world.unit) == (3, 2, 3, 1)
    assert (
        repr(tb.Graph([0, 0], [], [], heuristic=lambda u, v: 0)) == "Graph(1 nodes, 0 edges, heuristic from a function)"
    )
    assert tb.Graph([0, 0], [], []).branching == 1


# ------------------------------------------------------------------ exact costs


@pytest.mark.parametrize(
    ("costs", "unit"),
    [
        ([3, 4], 1),
        ([0, 0], 1),
        ([2.0**58], 1),
        ([0.1, 0.25], 100),
        ([0.1 + 0.2, 1e6], 10),
        ([1e-6, 1e6], 10**6),
        ([1 / 3], 2**51),
        ([math.pi * 1e6, 1e-6], 2**28),
    ],
)
def test_unit(costs: list[float], unit: int) -> None:
    assert tb.Graph.from_edges([("a", i, cost) for i, cost in enumerate(costs)]).unit == unit


def test_decimal_ties_are_real_ties() -> None:
    # 0.1 + 0.2 is not 0.3 in floating point; here the way that was inserted first wins, whichever it is.
    two, one = [("a", "b", 0.1), ("b", "d", 0.2)], [("a", "c", 0.3), ("c", "d", 0)]
    assert tb.shortest_path(tb.Graph.from_edges(two + one), "a", "d").states == ["a", "b", "d"]
    with_h = tb.Graph.from_edges(one + two, heuristic={"a": 0.3, "b": 0.2, "c": 0, "d": 0})
    assert tb.shortest_path(with_h, "a", "d").cost in (0.3, math.fsum([0.1, 0.2]))
    target = with_h.compiled(with_h.state("d"))
    assert [int(heuristic(target, with_h.state(label))) for label in "abcd"] == [3, 2, 0, 0]


def test_wide_costs_keep_the_small_ones_apart() -> None:
    edges = [("a", "b", 1e6), ("a", "c", 1e6 + 1e-6), ("b", "d", 2e-6), ("c", "d", 0.0)]
    assert tb.shortest_path(tb.Graph.from_edges(edges), "a", "d").states == ["a", "c", "d"]
    edges = [("a", "b", 1e6 / 3), ("a", "c", 1e6 / 3 + 1e-6), ("b", "d", 2e-6), ("c", "d", 0.0)]
    assert tb.shortest_path(tb.Graph.from_edges(edges), "a", "d").states == ["a", "c", "d"]


@settings(max_examples=60)
@given(st.floats(0, math.tau), st.floats(1e-3, 1e3), st.integers(2, 30), st.booleans())
@example(0.0, 1.0, 30, True)
def test_a_tight_straight_road_stays_consistent(angle: float, step: float, length: int, whole: bool) -> None:
    """The worst case for rounding: every edge costs exactly the distance, all on one line to the goal."""
    unit = (1.0 if whole else step) * (1 + 1e-12)
    points = [(i * unit * math.cos(angle) + 1e4, i * unit * math.sin(angle)) for i in range(length)]
    edges = [(i, i + 1, 1 if whole else step) for i in range(length - 1)]
    world = tb.Graph.from_edges(edges, heuristic=dict(enumerate(points)))
    problem = Problem(length, edges, 0, length - 1)
    assert is_consistent(world, problem)
    assert tb.shortest_path(world, 0, length - 1).expansions == length - 1


def test_noise_at_an_edge_without_cost_is_rounded_away() -> None:
    step = (1 - ROUNDING) / (1 - VALUE_TOLERANCE)  # where the whole estimate changes from 0 to 1
    edges = [(0, 1, 0), (1, 2, 1)]
    world = tb.Graph.from_edges(edges, heuristic=[step * (1 + 2e-13), step * (1 - 2e-13), 0])
    assert is_consistent(world, Problem(3, edges, 0, 2))


def test_tiny_costs_are_told_apart() -> None:
    edges = [("a", "b", 1e-30), ("b", "c", 1e-30), ("a", "c", 2.1e-30)]
    assert tb.shortest_path(tb.Graph.from_edges(edges), "a", "c").states == ["a", "b", "c"]
    assert tb.shortest_path(tb.Graph.from_edges([("a", "b", 5e-324)]), "a", "b").cost == 5e-324


def test_path_cost_of_a_path_that_is_none() -> None:
    world = tb.Graph.from_edges([("a", "b"), ("b", "c")])
    assert world.path_cost(np.array([0, 1, 2])) == 2
    with pytest.raises(tb.ProblemError, match=r"^the graph has no edge 'a' -> 'c'$"):
        world.path_cost(np.array([0, 2]))


# ------------------------------------------------------------------ heuristics


def test_coordinates_need_fewer_expansions_than_none() -> None:
    network = nx.grid_2d_graph(20, 20)
    places = {node: node for node in network}
    blind, informed = (tb.Graph.from_networkx(network, heuristic=given) for given in (None, places))
    a, b = (tb.shortest_path(world, (10, 10), (19, 19)) for world in (blind, informed))
    assert a.cost == b.cost == 18
    assert b.expansions < a.expansions / 2


def test_coordinates_of_one_and_three_dimensions() -> None:
    line = tb.Graph.from_edges([(0, 1, 2), (1, 2, 2)], heuristic=[[0], [2], [4]])
    assert tb.shortest_path(line, 0, 2).cost == 4
    space = tb.Graph.from_edges([(0, 1, 3), (1, 2, 3)], heuristic=[[0, 0, 0], [1, 2, 2], [2, 4, 4]])
    assert heuristic(space.compiled(2), 0) == 6


def test_function_is_called_once_per_node_and_goal() -> None:
    calls = []

    def distance(node: int, goal: int) -> float:
        calls.append((node, goal))
        return abs(goal - node)

    world = tb.Graph.from_edges([(i, i + 1) for i in range(9)], directed=False, heuristic=distance)
    for start in (0, 3, 5):
        assert tb.shortest_path(world, start, 9).cost == 9 - start
    assert sorted(calls) == [(node, 9) for node in range(10)]
    assert tb.shortest_path(world, 9, 2).expansions == 7


def test_far_nodes_without_edges_do_no_harm() -> None:
    world = tb.Graph.from_edges([("a", "b")], nodes=["moon"], heuristic={"a": (0, 0), "b": (1, 0), "moon": (1e100, 0)})
    assert tb.shortest_path(world, "a", "b").cost == 1
    assert not tb.shortest_path(world, "a", "moon").solved


TRIANGLE = [("a", "b", 1.0), ("b", "c", 2.0), ("a", "c", 4.0)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"a": (0, 0), "b": (0, 1), "c": (5, 1)},
            "the heuristic is not consistent on edge 'b' -> 'c': h('b') = 5 exceeds the cost 2 plus h('c') = 0"
            " (goal 'c'); the coordinates times 0.4 would be consistent",
        ),
        (
            {"a": 3.5, "b": 2, "c": 0},
            "the heuristic is not consistent on edge 'a' -> 'b': h('a') = 3.5 exceeds the cost 1 plus h('b') = 2"
            " (goal 'c')",
        ),
        (
            [math.inf, 2, 0],
            "the heuristic is not consistent on edge 'a' -> 'b': h('a') = inf exceeds the cost 1 plus h('b') = 2"
            " (goal 'c')",
        ),
        (
            lambda node, goal: 0 if node == goal else 2.5,
            "the heuristic is not consistent on edge 'b' -> 'c': h('b') = 2.5 exceeds the cost 2 plus h('c') = 0"
            " (goal 'c')",
        ),
        (
            [1, 1, 1],
            "the heuristic is 1.0 at the goal 'c', where it must be 0; one value per node serves one goal only",
        ),
        (lambda node, goal: 1, "the heuristic is 1.0 at the goal 'c', where it must be 0"),
        (lambda node, goal: "far", "the heuristic at 'a' is 'far'; it must be a number"),
        (lambda node, goal: math.nan, "the heuristic at 'a' is nan; it must be a number"),
        ([0, math.nan, 0], "the heuristic at 'b' is nan; it must be a number"),
        ({"a": 0, "c": 0}, "the heuristic has no entry for the node 'b'"),
        ([1, 2], "a heuristic of shape (2,) does not fit: use (3,) or (3, dimensions)"),
        ([[], [], []], "a heuristic of shape (3, 0) does not fit: use (3,) or (3, dimensions)"),
        (
            [(0, 0), (1,), 3],
            "the heuristic needs a number, or the same number of coordinates, for every node, not [(0, 0), (1,), 3]",
        ),
        (
            [(0, 0), (0, math.inf), (0, 0)],
            "the coordinates of 'b' are [0.0, inf]; they must be finite",
        ),
        ("pos", "the heuristic 'pos' is not coordinates, values or a function; names are for from_networkx"),
    ],
)
def test_bad_heuristics(given: Any, message: str) -> None:
    with pytest.raises(tb.WorldError) as caught:
        tb.shortest_path(tb.Graph.from_edges(TRIANGLE, heuristic=given), "a", "c")
    assert str(caught.value) == message


def test_the_advised_factor_makes_coordinates_consistent() -> None:
    places = {"a": (0, 0), "b": (0, 1), "c": (5, 1)}
    with pytest.raises(tb.WorldError) as caught:
        tb.Graph.from_edges(TRIANGLE, heuristic=places)
    factor = float(str(caught.value).split("times ")[1].split()[0])
    tb.Graph.from_edges(TRIANGLE, heuristic={name: np.multiply(factor, place) for name, place in places.items()})


@given(problems(("real",)), st.integers(0, 11), st.floats(0.01, 100))
def test_inconsistent_values_are_always_reported(problem: Problem, choice: int, excess: float) -> None:
    h = distances_to_goal(problem)
    reached = [node for node in range(problem.nodes) if node != problem.goal and h[node] < math.inf]
    if reached:
        node = reached[choice % len(reached)]
        h[node] += excess
        with pytest.raises(tb.WorldError, match=rf"h\({node}\) = .* exceeds the cost"):
            graph_of(problem, h).compiled(problem.goal)


def test_missing_attribute() -> None:
    network = nx.Graph([("a", "b")])
    network.nodes["a"]["pos"] = (0, 0)
    with pytest.raises(tb.WorldError, match=r"^the node 'b' has no attribute 'pos' for the heuristic$"):
        tb.Graph.from_networkx(network, heuristic="pos")


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [], []), "a graph needs at least one node"),
        (([], [], []), "a graph needs at least one node"),
        (([1, 1], [0], [1]), "indptr must begin with 0, not 1"),
        (([0, 2, 1], [0, 1], [1, 1]), "indptr must not fall, but it does after place 1: from 2 to 1"),
        (([0, 1, 2], [0], [1]), "indptr ends with 2, but there are 1 targets"),
        (([0, 1], [0], [1, 2]), "there are 1 targets, but 2 costs"),
        (([0, 1, 2], [1, 2], [1, 1]), "edge 1 leads from 1 to node 2; nodes are 0 to 1"),
        (([0, 1, 2], [1, -1], [1, 1]), "edge 1 leads from 1 to node -1; nodes are 0 to 1"),
        (([0.0, 1.0], [0], [1]), "indptr must be a row of whole numbers, not float64 values of shape (2,)"),
        (([0, 1], [[0]], [1]), "targets must be a row of whole numbers, not int64 values of shape (1, 1)"),
        (([0, 1, 1], [1], [math.nan]), "the cost of the edge 0 -> 1 is nan; it must be a number from 0 on"),
        (([0, 1, 1], [1], [math.inf]), "the cost of the edge 0 -> 1 is inf; it must be a number from 0 on"),
        (([0, 1, 1], [1], [-0.5]), "the cost of the edge 0 -> 1 is -0.5; it must be a number from 0 on"),
        (([0, 1, 1], [1], ["one"]), "the cost of the edge 0 -> 1 is 'one'; it must be a number"),
        (([0, 1, 1], [1], [None]), "the cost of the edge 0 -> 1 is None; it must be a number"),
        (([0, 2, 2], [1, 1], [1, [2, 3]]), "the cost of the edge 0 -> 1 is [2, 3]; it must be a number"),
        (([0, 1, 1], [1], [1j]), "the cost of the edge 0 -> 1 is 1j; it must be a number"),
        (
            ([0, 1, 1], [1], [1e300]),
            "the cost of the edge 0 -> 1 is 1e+300, too large: costs up to 5.76e+17 are sure to fit",
        ),
        (  # this much stands for infinity
            ([0, 1, 1], [1], [2.0**60]),
            "the cost of the edge 0 -> 1 is 1.152921504606847e+18, too large: costs up to 5.76e+17 are sure to fit",
        ),
    ],
)
def test_bad_rows(arguments: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(tb.WorldError) as caught:
        tb.Graph(*arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"], "a graph of 2 nodes needs 2 labels, not 1"),
        (["a", "a"], "nodes 0 and 1 have the same label, 'a'"),
        (["a", []], "node 1 has the label [], which is not hashable"),
    ],
)
def test_bad_labels(labels: list[Any], message: str) -> None:
    with pytest.raises(tb.WorldError) as caught:
        tb.Graph([0, 1, 1], [1], [1], labels=labels)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: tb.Graph.from_networkx(nx.Graph()), "a graph needs at least one node"),
        (lambda: tb.Graph.from_edges([]), "a graph needs at least one node"),
        (
            lambda: tb.Graph.from_networkx(nx.Graph([("a", "b", {"weight": -1})])),
            "the cost of the edge 'a' -> 'b' is -1.0; it must be a number from 0 on",
        ),
        (lambda: tb.Graph.from_networkx([(0, 1)]), "from_networkx takes a NetworkX graph, not list"),
        (lambda: tb.Graph.from_scipy([[0]]), "from_scipy takes a SciPy sparse matrix or array, not list"),
        (
            lambda: tb.Graph.from_scipy(scipy.sparse.csr_array((2, 3))),
            "the matrix of a graph must be square, not of shape (2, 3)",
        ),
        (lambda: tb.Graph.from_scipy(scipy.sparse.csr_array((0, 0))), "a graph needs at least one node"),
        (lambda: tb.Graph.from_edges([("a",)]), "an edge is (from, to) or (from, to, cost), not ('a',)"),
        (lambda: tb.Graph.from_edges([7]), "an edge is (from, to) or (from, to, cost), not 7"),
        (lambda: tb.Graph.from_edges([([], "b")]), "a label must be hashable, and [] is not"),
        (
            lambda: tb.Graph.from_edges([("b", "c", 1), ("a", "b", {})]),
            "the cost of the edge 'a' -> 'b' is {}; it must be a number",
        ),
    ],
)
def test_bad_sources(build: Any, message: str) -> None:
    with pytest.raises(tb.WorldError) as caught:
        build()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("Berlim", "the graph has no node 'Berlim'; did you mean 'Berlin'?"),
        ("7", "the graph has no node '7'; there is 7, of type int"),
        ("xyz", "the graph has no node 'xyz'"),
        ([1], "the graph has no node [1]"),
        (None, "the graph has no node None"),
    ],
)
def test_unknown_labels(label: Any, message: str) -> None:
    world = tb.Graph.from_edges([("Berlin", "Paris", 1), ("Paris", 7, 1)])
    with pytest.raises(tb.ProblemError) as caught:
        tb.shortest_path(world, "Paris", label)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (2, "the graph has no node 2; its nodes are 0 to 1"),
        (-1, "the graph has no node -1; its nodes are 0 to 1"),
        ("a", "the graph has no node 'a'; its nodes are 0 to 1"),
        (0.5, "the graph has no node 0.5; its nodes are 0 to 1"),
    ],
)
def test_unknown_numbers(label: Any, message: str) -> None:
    with pytest.raises(tb.ProblemError) as caught:
        tb.Graph([0, 1, 1], [1], [1]).state(label)
    assert str(caught.value) == message


@pytest.mark.parametrize("given", [[1, 2.5], np.array([1, 2.5], np.float32), np.array([1, 2])])
def test_input_arrays_are_copied(given: Any) -> None:
    world = tb.Graph([0, 2, 2, 2], [1, 2], given)
    before = tb.shortest_path(world, 0, 2).cost
    given[1] = 99
    assert tb.shortest_path(world, 0, 2).cost == before


# ------------------------------------------------------------------ what the documents show


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "road_network.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "minutes" in printed


def test_rustworkx() -> None:
    generator = random.Random(2)
    for kind, seed in itertools.product((rustworkx.PyGraph, rustworkx.PyDiGraph), range(10)):
        graph = kind()
        graph.add_nodes_from(range(12))
        graph.add_edges_from([(generator.randrange(12), generator.randrange(12), seed % 7 + 1) for _ in range(20)])
        graph.remove_node(5)  # its index is not used any more
        world = tb.Graph.from_rustworkx(graph)
        lengths = dict(rustworkx.dijkstra_shortest_path_lengths(graph, 0, float).items())
        for goal in graph.node_indices():
            path = tb.shortest_path(world, 0, goal)
            assert path.solved == (goal in lengths or goal == 0)
            assert not path.solved or path.cost == lengths.get(goal, 0)


def test_payloads_of_rustworkx() -> None:
    graph = rustworkx.PyDiGraph()
    graph.extend_from_edge_list([(0, 1), (1, 2)])
    assert tb.shortest_path(tb.Graph.from_rustworkx(graph), 0, 2).cost == 2
    assert tb.shortest_path(tb.Graph.from_rustworkx(graph, lambda payload: 5), 0, 2).cost == 10
    with pytest.raises(tb.WorldError, match="from_rustworkx takes a PyGraph or a PyDiGraph, not list"):
        tb.Graph.from_rustworkx([(0, 1)])
    with pytest.raises(tb.WorldError, match="weight_fn must be a function of an edge's payload, or None, not 'length'"):
        tb.Graph.from_rustworkx(graph, "length")
