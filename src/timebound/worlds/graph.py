"""Directed weighted graphs.

Users' costs are real numbers; the search uses whole numbers of the graph's unit (see `graph_numbers.unit_of`).
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.errors import ProblemError, WorldError
from ..core.values import items, number
from ..core.wording import shown
from . import graph_input, graph_numbers
from .changes import MOST_NOTES, Noted
from .compiled_graph import EDGE, ENTRY, GONE, CompiledGraph, cheapest_edges, reachable, source_of, sources_of
from .graph_numbers import MAX_WHOLE_SUM, Edges, are_whole, in_whole
from .world import World

Heuristic = npt.ArrayLike | Mapping[Any, Any] | Callable[[Any, Any], float] | None


class Graph(World):
    """A directed weighted graph. `from_networkx`, `from_scipy` and `from_edges` build one from other data.

    Successors come in the order in which their edges are given. Edges may cost 0; of parallel ones the cheapest counts.

    Parameters
    ----------
    indptr, targets, costs
        Compressed rows: the edges of node i lead to ``targets[indptr[i]:indptr[i + 1]]``, with the same slice of
        `costs`.
    labels
        Names of the nodes, hashable; without them a node's name is its number.
    heuristic
        A lower bound on the cost from every node to the goal; it must be consistent.

        - `None`: 0 everywhere (the search is Dijkstra's).
        - coordinates, as an array of shape (nodes, dimensions) or a mapping from label to coordinates: the
          straight-line distance, for any goal. No edge may cost less than the distance between its ends.
        - one value per node, as an array or a mapping from label to value: 0 at the goal, so it serves one goal.
          Infinite values say that the goal cannot be reached from there; values below 0 count as 0.
        - a function of two labels, node and goal. It is called once per node whenever the goal changes.

    Raises
    ------
    WorldError
        If the graph is invalid, or the heuristic is not consistent (values and functions are checked when a search
        names the goal).

    Examples
    --------
    >>> import timebound as tb
    >>> world = tb.Graph([0, 2, 3, 3], [1, 2, 2], [1.5, 4.0, 2.0])
    >>> world
    Graph(3 nodes, 3 edges, no heuristic)
    >>> path = tb.shortest_path(world, 0, 2)
    >>> path.cost, path.states
    (3.5, [0, 1, 2])
    """

    def __init__(
        self,
        indptr: npt.ArrayLike,
        targets: npt.ArrayLike,
        costs: npt.ArrayLike | Sequence[Any],
        *,
        labels: Iterable[Hashable] | None = None,
        heuristic: Heuristic = None,
    ):
        self._first = graph_input.checked_rows(indptr)
        self.states = len(self._first) - 1
        self.labels = graph_input.Labels(labels, self.states)
        ends = graph_input.checked_targets(targets, self._first, self.labels)
        self._costs = graph_input.checked_costs(costs, self._first, ends, self.labels)
        self.unit = graph_numbers.unit_of(self._costs, graph_numbers.longest_path(self._first, self._costs))
        self._edges = np.zeros(len(ends), EDGE)
        self._edges["target"], self._edges["price"] = ends, in_whole(self._costs * float(self.unit))
        self.branching = max(1, int(np.diff(self._first).max()))
        self.most_predecessors = max(1, int(np.bincount(ends).max(initial=0)))
        self.highest_cost = int(self._edges["price"].max(initial=0))
        self.cheapest = int(self._edges["price"].min(initial=self.highest_cost))
        self._farthest = graph_numbers.longest_path(self._first, self._edges["price"])
        self.longest = int(self._farthest)
        self._coordinates, self._dimensions = np.empty(0), 0
        self._given: np.ndarray | Callable[[Any, Any], float] | None = None
        self._last_estimates = (-1, np.empty(0, np.int64))
        self._take_heuristic(heuristic)

    @classmethod
    def from_networkx(cls, graph: Any, weight: str | None = "weight", *, heuristic: Heuristic | str = None) -> "Graph":
        """Convert a NetworkX graph of any of its four kinds; nodes become labels, successors keep their order.

        Undirected edges lead both ways. `weight` names the edge attribute that holds the cost; edges without it cost 1.
        `heuristic` may also be the name of the node attribute that holds coordinates or values.

        >>> import networkx as nx, timebound as tb
        >>> city = nx.Graph()
        >>> city.add_node("home", pos=(0, 0)), city.add_node("park", pos=(3, 4)), city.add_node("work", pos=(6, 0))
        (None, None, None)
        >>> city.add_weighted_edges_from([("home", "park", 5), ("park", "work", 5), ("home", "work", 12)])
        >>> world = tb.Graph.from_networkx(city, heuristic="pos")
        >>> tb.shortest_path(world, "home", "work").states
        ['home', 'park', 'work']
        """
        rows = graph_input.rows_of_networkx(graph, weight)
        if isinstance(heuristic, str):
            heuristic = graph_input.node_attribute(graph, heuristic)
        return cls(**rows._asdict(), heuristic=heuristic)

    @classmethod
    def from_rustworkx(
        cls, graph: Any, weight_fn: Callable[[Any], float] | None = None, *, heuristic: Heuristic = None
    ) -> "Graph":
        """Convert a rustworkx `PyGraph` or `PyDiGraph`; node indices become labels.

        `weight_fn` gives the cost of an edge from its payload, as in rustworkx. Without it the payload is the cost;
        edges with the payload None cost 1.

        >>> import rustworkx as rx, timebound as tb
        >>> graph = rx.PyDiGraph()
        >>> graph.extend_from_weighted_edge_list([(0, 1, 2.5), (1, 2, 1.5), (0, 2, 9.0)])
        >>> tb.shortest_path(tb.Graph.from_rustworkx(graph), 0, 2).states
        [0, 1, 2]
        """
        return cls(**graph_input.rows_of_rustworkx(graph, weight_fn)._asdict(), heuristic=heuristic)

    @classmethod
    def from_scipy(
        cls, matrix: Any, *, labels: Iterable[Hashable] | None = None, heuristic: Heuristic = None
    ) -> "Graph":
        """Convert a square SciPy sparse matrix or array: the entry in row u, column v is the cost of the edge u to v.

        Every stored entry is an edge: a stored 0 is an edge that costs nothing; entries that are not stored are none.
        (SciPy adds up entries of the COO format that are stored twice.)

        >>> import scipy.sparse, timebound as tb
        >>> matrix = scipy.sparse.csr_array([[0, 2, 9], [0, 0, 3], [0, 0, 0]])
        >>> tb.shortest_path(tb.Graph.from_scipy(matrix), 0, 2).cost
        5.0
        """
        return cls(**graph_input.rows_of_scipy(matrix, labels)._asdict(), heuristic=heuristic)

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence[Any]],
        *,
        directed: bool = True,
        nodes: Iterable[Hashable] = (),
        heuristic: Heuristic = None,
    ) -> "Graph":
        """Make a graph of edges `(from, to)` or `(from, to, cost)`; a missing cost is 1.

        Nodes are numbered in order: first those of `nodes` (needed only for nodes without edges), then those of the
        edges. With ``directed=False`` every edge leads both ways.

        >>> import timebound as tb
        >>> edges = [("a", "b", 0.1), ("b", "c", 0.2), ("a", "c", 0.5)]
        >>> world = tb.Graph.from_edges(edges, heuristic={"a": 0.3, "b": 0.2, "c": 0})
        >>> tb.shortest_path(world, "a", "c").states
        ['a', 'b', 'c']
        """
        return cls(**graph_input.rows_of_edges(edges, directed, nodes)._asdict(), heuristic=heuristic)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Give every copy, shallow or deep, its own arrays: it does not change with the original."""
        made_of_them = ("compiled_map", "_highest_costs")
        super().__setstate__({name: value for name, value in state.items() if name not in made_of_them})
        self._edges, self._costs = self._edges.copy(), self._costs.copy()

    def __repr__(self) -> str:
        kind = "a function" if callable(self._given) else "coordinates" if self._dimensions else "values"
        source = f"heuristic from {kind}" if self._dimensions or self._given is not None else "no heuristic"
        return f"Graph({self.states} nodes, {len(self._edges)} edges, {source})"

    @property
    def rounding_of_distances(self) -> int | None:  # type: ignore[override]
        """See `World`: coordinates give distances, which are rounded; values and functions need not be distances."""
        if self._given is not None:
            return None
        return 2 if self._dimensions else 0

    @property
    def has_moves_for_nothing(self) -> bool:  # type: ignore[override]
        """See `World`; blocked edges count."""
        return self.cheapest == 0 and bool((self._costs == 0).any())

    def state(self, place: Any) -> int:
        """Return the number of the node with that label."""
        return self.labels.find(place)

    def place(self, state: int) -> Hashable:
        """Return the label of the node with that number."""
        return self.labels[int(state)]

    def compiled(self, goal: int) -> CompiledGraph:
        """Return the compiled form of this graph."""
        return self._compiled(self._estimates(goal), goal)

    @cached_property
    def compiled_map(self) -> CompiledGraph:
        """Return the compiled form without a goal and its heuristic."""
        return self._compiled(np.empty(0, np.int64), 0)

    def _compiled(self, estimates: np.ndarray, goal: int) -> CompiledGraph:
        distances = (self._coordinates, self._dimensions, estimates, goal, self._farthest)
        return CompiledGraph(self._first, self._edges, *distances, *self._entries, np.empty(0, np.int64), goal)

    @cached_property
    def _entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the edges by the state that they enter."""
        sources, targets = self.ends()
        order = np.argsort(targets, kind="stable")
        entries = np.zeros(len(order), ENTRY)
        entries["source"], entries["edge"] = sources[order], order
        return np.concatenate([[0], np.bincount(targets, minlength=self.states).cumsum()]), entries

    # ---------------------------------------------------------------- changes

    def block(self, places: Iterable[Any]) -> None:
        """Block edges `(from, to)`, at any time; each is one direction, even in a graph made with directed=False."""
        edges = self._edges_to_change(places)
        self._change(edges, np.full(len(edges), GONE), self._costs[edges])

    def unblock(self, places: Iterable[Any]) -> None:
        """Open edges that were blocked, at the cost that they had."""
        edges = self._edges_to_change(places)
        self._change(edges, self._on_map(edges), self._costs[edges])

    def set_cost(self, places: Iterable[Any], cost: float) -> None:
        """Change the cost of edges `(from, to)`; it must be above 0, and the heuristic must stay consistent.

        Blocked edges get the new cost when they are opened.
        """
        edges = self._edges_to_change(places)
        for edge in edges.tolist():
            self._check_cost(edge, cost, [user.goal for user in self.pool.users() if hasattr(user, "retarget")])
        if len(edges) and not are_whole(np.array([cost * float(self.unit)])).all():
            self._refine(edges, float(cost))
        price = int(in_whole(np.array([float(cost) * float(self.unit)]))[0])
        if self.longest + len(edges) * price > MAX_WHOLE_SUM:
            raise ProblemError(f"a cost of {cost!r} is too large compared with the others: sums would not be exact")
        open_ones = self._edges["price"][edges] != GONE
        self._change(edges, np.where(open_ones, price, GONE), np.full(len(edges), float(cost)))

    def _edges_to_change(self, places: Iterable[Any]) -> np.ndarray:
        pairs = items(places, "edges are a list of pairs (from, to)")
        return np.unique([edge for pair in pairs for edge in self.edges_between(pair)]).astype(np.int64)

    def _on_map(self, edges: Any) -> np.ndarray:
        """Return the costs of edges, in the graph's unit, as if none were blocked."""
        return in_whole(self._costs[edges] * float(self.unit))

    def _change(self, edges: np.ndarray, prices: np.ndarray, costs: np.ndarray) -> None:
        with self._changing(len(edges)):
            before, highest_cost = self._edges["price"][edges], self._highest_costs
            self._edges["price"][edges], self._costs[edges] = prices, costs
            self._keep_sums(edges, highest_cost)
            differ = before != prices
            self.changes.note(edges[differ], before[differ])

    def prices(self, edges: np.ndarray) -> np.ndarray:
        """Return the costs of edges now, in the graph's unit; `GONE` if they are blocked."""
        return self._edges["price"][edges]

    @cached_property
    def _highest_costs(self) -> np.ndarray:
        """Return the price of the most expensive edge of every node, blocked ones included."""
        highest_cost = np.zeros(self.states, np.int64)
        np.maximum.at(highest_cost, sources_of(self._first), self._on_map(slice(None)))
        return highest_cost

    def _keep_sums(self, edges: np.ndarray, highest_cost: np.ndarray) -> None:
        """Update the bounds on prices and path costs, after some edges got other costs."""
        for node in {source_of(self._first, edge) for edge in edges.tolist()}:
            most = int(self._on_map(slice(self._first[node], self._first[node + 1])).max())
            self.longest += most - int(highest_cost[node])
            highest_cost[node] = most
            self.highest_cost = max(self.highest_cost, most)
        self.cheapest = min(self.cheapest, int(self._on_map(edges).min(initial=self.cheapest)))
        self._last_estimates = (-1, np.empty(0, np.int64))  # they were checked against the old costs

    def _check_cost(self, edge: int, cost: Any, goals: Iterable[Any]) -> None:
        """Reject an invalid cost, and one that makes h inconsistent: for any goal, or for the goals of agents."""
        u, v = self.ends_of(edge)
        most = MAX_WHOLE_SUM / self.unit
        rule = f"the cost of the edge {self.labels.edge(u, v)} must be a number above 0 and up to {most:.3g}"
        cost = number(cost, rule, lambda given: 0 < given <= most)
        if cost >= self._costs[edge]:
            return
        for least in self._least_costs(u, v, goals):
            if cost < least:
                raise ProblemError(
                    f"the cost of the edge {self.labels.edge(u, v)} cannot fall to {cost!r}: the heuristic requires "
                    f"at least {least:.6g}; give the graph a lower heuristic, or none"
                )

    def _least_costs(self, u: int, v: int, goals: Iterable[Any]) -> Iterator[float]:
        """Return the least cost of an edge with which h is consistent; a function is asked about those goals."""
        if self._dimensions:
            places = self._coordinates.reshape(-1, self._dimensions)
            yield math.dist(places[u], places[v]) / self.unit * (1 - graph_numbers.VALUE_TOLERANCE)
        elif callable(self._given):
            for goal in goals:
                here, there = (max(0.0, float(self._estimate(self.labels[node], goal))) for node in (u, v))
                yield (here - there) * (1 - graph_numbers.VALUE_TOLERANCE)
        elif self._given is not None:
            yield float(max(0.0, self._given[u]) - max(0.0, self._given[v])) * (1 - graph_numbers.VALUE_TOLERANCE)

    def _refine(self, edges: np.ndarray, cost: float) -> None:
        """Switch to a finer unit, in which that cost is also a whole number; agents replan from scratch."""
        costs = self._costs.copy()
        costs[edges] = cost
        unit = graph_numbers.unit_of(costs, graph_numbers.longest_path(self._first, costs))
        if unit <= self.unit:
            return
        with self._changing(MOST_NOTES):
            factor, blocked = float(unit) / float(self.unit), self._edges["price"] == GONE
            self.unit = unit
            self._edges["price"] = np.where(blocked, GONE, self._on_map(slice(None)))
            self._coordinates = self._coordinates * factor
            self.__dict__.pop("_highest_costs", None)
            self.__dict__.pop("compiled_map", None)
            on_map = self._on_map(slice(None))
            self.highest_cost = int(on_map.max(initial=0))
            self.cheapest = int(on_map.min(initial=self.highest_cost))
            self._farthest = graph_numbers.longest_path(self._first, on_map)
            self.longest = int(self._farthest)
            self.changes.rescale(factor)

    def allows(self, state: int, other: int, extra: np.ndarray) -> bool:
        """Does an edge lead there now, if `extra` is added to prices?"""
        row = slice(self._first[state], self._first[state + 1])
        leads, prices = self._edges["target"][row] == other, self._edges["price"][row] + extra[row]
        return bool((leads & (prices >= 0)).any())

    def edges_between(self, pair: Any) -> list[int]:
        """Return the numbers of the edges from one label to another; a pair without edges is refused."""
        try:
            start, end = pair
        except (TypeError, ValueError):
            raise ProblemError(f"an edge is a pair of labels (from, to), not {shown(pair)}") from None
        u, v = self.state(start), self.state(end)
        row = range(int(self._first[u]), int(self._first[u + 1]))
        found = [edge for edge in row if self._edges["target"][edge] == v]
        if not found:
            raise ProblemError(f"the graph has no edge {self.labels.edge(u, v)}")
        return found

    def extra_price(self, edge: int, cost: Any, goal: int) -> int:
        """Return what this cost of an edge adds to its price on the map; reject a cost that makes h inconsistent."""
        self._check_cost(edge, cost, [self.labels[goal]])
        return int(in_whole(np.array([cost * float(self.unit)]))[0]) - int(self._edges["price"][edge])

    def free_price(self, edge: int) -> int:
        """Return what a free edge adds to its price on the map: nothing, unless it is blocked there."""
        return int(self._on_map(edge)) - GONE if self._edges["price"][edge] == GONE else 0

    def with_extra(self, extra: np.ndarray) -> "Graph":
        """Return a graph of the same nodes and the edges that are not GONE, at their higher costs; no heuristic."""
        sources, targets = self.ends()
        left = (extra != GONE) & (self._edges["price"] + np.maximum(extra, GONE) >= 0)
        rows = np.bincount(sources[left], minlength=self.states).cumsum()
        costs = self._costs[left] + np.where(self._edges["price"] >= 0, extra, 0)[left] / self.unit
        labels = None if self.labels.index is None else self.labels.names
        return Graph(np.concatenate([[0], rows]), targets[left].astype(np.int64), costs, labels=labels)

    def has_way(self, start: int, goal: int, usable: np.ndarray) -> bool:
        """Is there a path over the usable edges?"""
        return bool(reachable(self._first, self._edges, usable & (self._edges["price"] >= 0), start, goal))

    def walk_cost(self, states: np.ndarray) -> float:
        """Return the cost of a walk that may have jumps, which cost nothing."""
        edges = cheapest_edges(self._first, self._edges, np.asarray(states, np.int64))
        return math.fsum(self._costs[edges[edges >= 0]].tolist())

    def walk_cost_then(self, states: np.ndarray, noted: Noted, extra: np.ndarray) -> float:
        """Return what a walk cost before these changes, with `extra` added to the costs of edges."""
        before = dict(zip(noted.subjects.tolist(), (noted.before / self.unit).tolist(), strict=True))
        paid = 0.0
        for u, v in pairwise(states.tolist()):
            row = range(int(self._first[u]), int(self._first[u + 1]))
            edges = [edge for edge in row if self._edges["target"][edge] == v]
            costs = [before.get(edge, float(self._costs[edge])) + int(extra[edge]) / self.unit for edge in edges]
            paid += min((cost for cost in costs if cost >= 0), default=0.0)
        return paid

    def path_cost(self, states: np.ndarray) -> float:
        """Return the cost of a path: the sum of the given costs of its edges, the cheapest of parallel ones."""
        path = np.asarray(states, np.int64)
        edges = cheapest_edges(self._first, self._edges, path)
        if (edges < 0).any():
            step = int(np.argmax(edges < 0))
            raise ProblemError(f"the graph has no edge {self.labels.edge(path[step], path[step + 1])}")
        return math.fsum(self._costs[edges].tolist())

    # ---------------------------------------------------------------- the heuristic

    def _take_heuristic(self, given: Any) -> None:
        """Find out which kind of heuristic was given, and check what can be checked without a goal."""
        if callable(given) and not isinstance(given, Mapping):
            self._given = given
        elif given is not None:
            numbers = graph_input.numbers_per_node(given, self.labels)
            if numbers.ndim == 1:
                self._given = graph_input.checked_values(numbers, self.labels)
            else:
                self._coordinates = graph_numbers.scaled(
                    graph_input.checked_coordinates(numbers, self.labels), self._all_edges()
                )
                self._dimensions = numbers.shape[1]

    def _estimates(self, goal: int) -> np.ndarray:
        """Return the checked whole values of a heuristic, given as values or as a function, for that goal."""
        known_goal, estimates = self._last_estimates
        if self._given is not None and known_goal != goal:
            values = np.maximum(self._values(goal), 0.0)
            edges = self._all_edges()
            graph_numbers.check_values(values, goal, edges, one_goal=not callable(self._given))
            estimates = graph_numbers.whole_estimates(values, goal, edges, self._farthest)
            self._last_estimates = goal, estimates
        return estimates

    def _values(self, goal: int) -> np.ndarray:
        if not callable(self._given):
            return np.asarray(self._given)
        label = self.labels[goal]
        values = [self._estimate(name, label) for name in self.labels.names]
        return graph_input.checked_values(
            graph_input.checked_floats(values, lambda i: f"the heuristic at {shown(self.labels[i])}"), self.labels
        )

    def _estimate(self, node: Any, goal: Any) -> Any:
        """Return the values of the function that was given as the heuristic."""
        function: Any = self._given
        try:
            return function(node, goal)
        except Exception as error:
            name = getattr(function, "__name__", "a function")
            where = f"at the node {shown(node)} with the goal {shown(goal)}"
            raise WorldError(f"the heuristic, {name}, raised {type(error).__name__} {where}: {error}") from error

    def _all_edges(self) -> Edges:
        """Return all edges as if none were blocked: a heuristic must fit them, too."""
        return Edges(*self.ends(), self._costs, self._on_map(slice(None)), self.unit, self.labels)

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the first and the last state of every edge."""
        return sources_of(self._first), self._edges["target"]

    def ends_of(self, edge: int) -> tuple[int, int]:
        """Return the first and the last state of one edge."""
        return source_of(self._first, edge), int(self._edges["target"][edge])
