"""Directed weighted graphs in compressed rows.

Users' costs are real numbers; the search uses whole numbers of the graph's unit (see `_unit`). Costs are rounded up and
estimates h by ``floor(h + ROUNDING)``, which keeps a consistent heuristic consistent to the last digit:
h(u) <= cost + h(v) implies floor(h(u) + r) <= floor(ceil(cost) + h(v) + r) = ceil(cost) + floor(h(v) + r).
"""

import difflib
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled import borrow, compiled, inlined
from ..errors import ProblemError, WorldError
from ..integers import Int
from ..values import flag, floats, is_whole, items, number, numeric_array
from ..wording import one_line, shown
from .changes import MOST_NOTES, Noted
from .interface import aimed, heuristic, is_goal, predecessors, successors
from .world import World

Heuristic = npt.ArrayLike | Mapping[Any, Any] | Callable[[Any, Any], float] | None

EDGE = np.dtype([("price", np.int64), ("target", np.int32)], align=True)  # read together, so kept together
ENTRY = np.dtype([("source", np.int32), ("edge", np.int32)], align=True)
GONE = -(1 << 62)  # in place of a price, or of an extra price: the edge is blocked
# Any number from 0 to 1 would do; at this one, noise in a decimal never crosses a step.
ROUNDING = (math.sqrt(5) - 1) / 2
# The rounding error of the difference of two distances, as a share of the graph's extent per dimension.
NOISE = 2.0**-48
VALUE_TOLERANCE = 1e-9  # a smaller relative excess of an estimate counts as rounding, and is removed
LENGTH_TOLERANCE = 1e-6  # the same for distances: coordinates far from 0 have lost some digits
MAX_STATES = 2**31 - 1
MAX_SUM, MAX_WHOLE_SUM = 2.0**50, 2.0**60  # the most units that a path may cost; weights multiply it
FINEST_BITS = 200  # no unit is finer than 2**-200, and no cost but 0 is less

# ------------------------------------------------------------------ the compiled form


class CompiledGraph(NamedTuple):
    """The compiled form of a graph."""

    first: np.ndarray  # the edges of a state are edges[first[state] : first[state + 1]]
    edges: np.ndarray
    coordinates: np.ndarray  # of all states in a row, scaled so that distances are costs in the graph's unit
    dimensions: int  # coordinates per state: 0 if the heuristic is not a distance
    estimates: np.ndarray  # h of every state, or empty
    estimated: int  # the goal that they are for: there are no estimates for another
    farthest: float  # no path costs more; distances are capped here
    goal: Int
    last: np.ndarray  # the edges that enter a state are those of entries[last[state] : last[state + 1]]
    entries: np.ndarray
    extra: np.ndarray  # an agent's differing beliefs: how much more an edge costs, or GONE; or empty


@inlined
def believed_price(world: Any, edge: Int) -> Any:
    """Return what an edge costs as far as the agent knows; negative if it is gone."""
    price = world.edges[edge].price
    return price + world.extra[edge] if len(world.extra) else price


@successors.of(CompiledGraph)
def _graph_successors(world: Any, state: Int) -> Iterator[tuple[Any, Any]]:
    for i in range(world.first[state], world.first[state + 1]):
        price = believed_price(world, i)
        if price >= 0:
            yield np.int64(world.edges[i].target), price


@predecessors.of(CompiledGraph)
def _graph_predecessors(world: Any, state: Int) -> Iterator[tuple[Any, Any]]:
    for j in range(world.last[state], world.last[state + 1]):
        i = np.int64(world.entries[j].edge)
        price = believed_price(world, i)
        if price >= 0:
            yield np.int64(world.entries[j].source), price


@aimed.of(CompiledGraph)
def _graph_aimed(world: Any, goal: Int) -> CompiledGraph:
    return CompiledGraph(
        world.first,
        world.edges,
        world.coordinates,
        world.dimensions,
        world.estimates,
        world.estimated,
        world.farthest,
        goal,
        world.last,
        world.entries,
        world.extra,
    )


@heuristic.of(CompiledGraph)
def _graph_heuristic(world: Any, state: Int) -> int:
    if world.dimensions == 2:  # the usual case, without a loop
        x = world.coordinates[2 * state] - world.coordinates[2 * world.goal]
        y = world.coordinates[2 * state + 1] - world.coordinates[2 * world.goal + 1]
        return int(min(math.sqrt(x * x + y * y) + ROUNDING, world.farthest))
    if world.dimensions > 0:
        here, there, squares = world.dimensions * state, world.dimensions * world.goal, 0.0
        for i in range(world.dimensions):
            squares += (world.coordinates[here + i] - world.coordinates[there + i]) ** 2
        return int(min(math.sqrt(squares) + ROUNDING, world.farthest))
    return int(world.estimates[state]) if len(world.estimates) and world.goal == world.estimated else 0


@is_goal.of(CompiledGraph)
def _graph_is_goal(world: Any, state: Int) -> bool:
    return bool(state == world.goal)


@compiled
def reachable(first: np.ndarray, edges: np.ndarray, usable: np.ndarray, start: Int, goal: Int) -> bool:
    """Is there a path from start to goal over the usable edges?"""
    lent, seen = borrow(edges), np.zeros(len(first) - 1, np.bool_)
    waiting, count = np.empty(len(first) - 1, np.int64), 1
    waiting[0], seen[start] = start, True
    while count:
        count -= 1
        state = waiting[count]
        for i in range(first[state], first[state + 1]):
            target = lent[i].target
            if usable[i] and not seen[target]:
                seen[target] = True
                waiting[count] = target
                count += 1
    return seen[goal]


@compiled
def cheapest_edges(first: np.ndarray, edges: np.ndarray, path: np.ndarray) -> np.ndarray:
    """Return the edge of every step of a path, the cheapest of parallel ones; -1 if there is none."""
    chosen, lent = np.full(max(0, len(path) - 1), -1, np.int64), borrow(edges)
    for step in range(len(chosen)):
        for i in range(first[path[step]], first[path[step] + 1]):
            cheaper = chosen[step] < 0 or lent[chosen[step]].price < 0 or 0 <= lent[i].price < lent[chosen[step]].price
            if lent[i].target == path[step + 1] and cheaper:
                chosen[step] = i
    return chosen


# ------------------------------------------------------------------ labels


class Labels:
    """Users' names of the states: any hashable values, or the numbers of the states themselves."""

    def __init__(self, labels: Iterable[Hashable] | None, states: int):
        self.names = range(states) if labels is None else items(labels, "labels are a list of names", WorldError)
        if len(self.names) != states:
            raise WorldError(f"a graph of {states} nodes needs {states} labels, not {len(self.names)}")
        self.index = None if labels is None else _numbered(self.names)

    def __getitem__(self, state: int) -> Hashable:
        return self.names[state]

    def edge(self, source: int, target: int) -> str:
        """Return the name of an edge in error messages."""
        return f"{shown(self[source])} -> {shown(self[target])}"

    def find(self, label: Any) -> int:
        """Return the state of that name."""
        if self.index is None:
            if not (is_whole(label) and 0 <= label < len(self.names)):
                raise ProblemError(f"the graph has no node {shown(label)}; its nodes are 0 to {len(self.names) - 1}")
            return int(label)
        try:
            return self.index[label]
        except (TypeError, KeyError):
            raise ProblemError(f"the graph has no node {shown(label)}{self._similar(label)}") from None

    def _similar(self, label: Any) -> str:
        """Return a hint: the same name as a value of another type, or a similar one."""
        same = next((name for name in self.names if shown(name).strip("'") == shown(label).strip("'")), None)
        if same is not None:
            return f"; there is {shown(same)}, of type {type(same).__name__}"
        words = [name for name in self.names[:10_000] if isinstance(name, str)]
        near = difflib.get_close_matches(label, words, n=1) if isinstance(label, str) else []
        return f"; did you mean {shown(near[0])}?" if near else ""


def _numbered(names: Sequence[Hashable]) -> dict[Hashable, int]:
    index: dict[Hashable, int] = {}
    for state, name in enumerate(names):
        try:
            other = index.setdefault(name, state)
        except TypeError:
            raise WorldError(f"node {state} has the label {shown(name)}, which is not hashable") from None
        if other != state:
            raise WorldError(f"nodes {other} and {state} have the same label, {shown(name)}")
    return index


# ------------------------------------------------------------------ the graph that users see


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
        self._first = _checked_rows(indptr)
        self.states = len(self._first) - 1
        self.labels = Labels(labels, self.states)
        ends = _checked_targets(targets, self._first, self.labels)
        self._costs = _checked_costs(costs, self._first, ends, self.labels)
        self.unit = _unit(self._costs, _longest(self._first, self._costs))
        self._edges = np.zeros(len(ends), EDGE)
        self._edges["target"], self._edges["price"] = ends, _whole(self._costs * float(self.unit))
        self.branching = max(1, int(np.diff(self._first).max()))
        self.most_predecessors = max(1, int(np.bincount(ends).max(initial=0)))
        self.highest_cost = int(self._edges["price"].max(initial=0))
        self.cheapest = int(self._edges["price"].min(initial=self.highest_cost))
        self._farthest = _longest(self._first, self._edges["price"])
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
        if not (hasattr(graph, "adjacency") and hasattr(graph, "is_multigraph")):
            raise WorldError(f"from_networkx takes a NetworkX graph, not {type(graph).__name__}")
        if not (weight is None or isinstance(weight, str)):
            raise WorldError(f"weight must be the name of an edge attribute, or None, not {shown(weight)}")
        index = {node: state for state, node in enumerate(graph)}
        indptr, targets, costs = [0], [], []
        for _, neighbors in graph.adjacency():
            for neighbor, data in neighbors.items():
                for edge in data.values() if graph.is_multigraph() else (data,):
                    targets.append(index[neighbor])
                    costs.append(edge.get(weight, 1))
            indptr.append(len(targets))
        if isinstance(heuristic, str):
            heuristic = _node_attribute(graph, heuristic)
        return cls(indptr, targets, costs, labels=index, heuristic=heuristic)

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
        if not (hasattr(graph, "weighted_edge_list") and hasattr(graph, "node_indices")):
            raise WorldError(f"from_rustworkx takes a PyGraph or a PyDiGraph, not {type(graph).__name__}")
        if not (weight_fn is None or callable(weight_fn)):
            raise WorldError(f"weight_fn must be a function of an edge's payload, or None, not {shown(weight_fn)}")
        cost = weight_fn or (lambda payload: 1 if payload is None else payload)
        edges = []
        for start, end, payload in graph.weighted_edge_list():
            try:
                edges.append((start, end, cost(payload)))
            except Exception as error:
                raise WorldError(
                    f"weight_fn failed for the edge from {start} to {end}: {one_line(str(error))}"
                ) from error
        directed = hasattr(graph, "successor_indices")
        return cls.from_edges(edges, directed=directed, nodes=graph.node_indices(), heuristic=heuristic)

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
        if not hasattr(matrix, "tocsr"):
            raise WorldError(f"from_scipy takes a SciPy sparse matrix or array, not {type(matrix).__name__}")
        if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
            raise WorldError(f"the matrix of a graph must be square, not of shape {matrix.shape}")
        rows = matrix.tocsr()
        return cls(rows.indptr, rows.indices, rows.data, labels=labels, heuristic=heuristic)

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
        index: dict[Hashable, int] = {}
        for node in items(nodes, "nodes are a list of labels", WorldError):
            _numbered_as(index, node)
        sources, targets, costs = [], [], []
        directed = flag(directed, "directed", WorldError)
        rule = "edges are a list of (from, to) or (from, to, cost)"
        for edge in items(edges.tolist() if isinstance(edges, np.ndarray) else edges, rule, WorldError):
            start, end, cost = _parts_of_edge(edge)
            u, v = _numbered_as(index, start), _numbered_as(index, end)
            for source, target in [(u, v)] if directed or u == v else [(u, v), (v, u)]:
                sources.append(source)
                targets.append(target)
                costs.append(cost)
        rows = np.array(sources, np.int64)
        order = np.argsort(rows, kind="stable").tolist()
        indptr = np.concatenate([[0], np.bincount(rows, minlength=len(index)).cumsum()])
        return cls(indptr, [targets[i] for i in order], [costs[i] for i in order], labels=index, heuristic=heuristic)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Give every copy, shallow or deep, its own arrays: it does not change with the original."""
        made_of_them = ("compiled_map", "_dearest_of")
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

    def state(self, place: Any) -> int:
        """Return the number of the node with that label."""
        return self.labels.find(place)

    def place(self, state: int) -> Hashable:
        """Return the label of the node with that number."""
        label: Hashable = self.labels[int(state)]
        return label

    def compiled(self, goal: int) -> CompiledGraph:
        """Return the compiled form of this graph."""
        return CompiledGraph(
            self._first,
            self._edges,
            self._coordinates,
            self._dimensions,
            self._estimates(goal),
            goal,
            self._farthest,
            goal,
            *self._entries,
            np.empty(0, np.int64),
        )

    @cached_property
    def compiled_map(self) -> CompiledGraph:
        """Return the compiled form without a goal and its heuristic."""
        nothing = np.empty(0, np.int64)
        coordinates, dimensions = self._coordinates, self._dimensions
        return CompiledGraph(
            self._first, self._edges, coordinates, dimensions, nothing, 0, self._farthest, 0, *self._entries, nothing
        )

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
        if len(edges) and not _are_whole(np.array([cost * float(self.unit)])).all():
            self._refine(edges, float(cost))
        price = int(_whole(np.array([float(cost) * float(self.unit)]))[0])
        self._check_sum(edges, price, cost)
        open_ones = self._edges["price"][edges] != GONE
        self._change(edges, np.where(open_ones, price, GONE), np.full(len(edges), float(cost)))

    def _edges_to_change(self, places: Iterable[Any]) -> np.ndarray:
        pairs = items(places, "edges are a list of pairs (from, to)")
        return np.unique([edge for pair in pairs for edge in self.edges_between(pair)]).astype(np.int64)

    def _on_map(self, edges: Any) -> np.ndarray:
        """Return the costs of edges, in the graph's unit, as if none were blocked."""
        return _whole(self._costs[edges] * float(self.unit))

    def _change(self, edges: np.ndarray, prices: np.ndarray, costs: np.ndarray) -> None:
        with self._changing(len(edges)):
            before, highest_cost = self._edges["price"][edges], self._dearest_of
            self._edges["price"][edges], self._costs[edges] = prices, costs
            self._keep_sums(edges, highest_cost)
            differ = before != prices
            self.changes.note(edges[differ], before[differ])

    def prices(self, edges: np.ndarray) -> np.ndarray:
        """Return the costs of edges now, in the graph's unit; `GONE` if they are blocked."""
        return self._edges["price"][edges]

    @cached_property
    def _dearest_of(self) -> np.ndarray:
        """Return the price of the most expensive edge of every node, blocked ones included."""
        highest_cost = np.zeros(self.states, np.int64)
        np.maximum.at(highest_cost, _sources(self._first), self._on_map(slice(None)))
        return highest_cost

    def _keep_sums(self, edges: np.ndarray, highest_cost: np.ndarray) -> None:
        """Update the bounds on prices and path costs, after some edges got other costs."""
        for node in {_source(self._first, edge) for edge in edges.tolist()}:
            most = int(self._on_map(slice(self._first[node], self._first[node + 1])).max())
            self.longest += most - int(highest_cost[node])
            highest_cost[node] = most
            self.highest_cost = max(self.highest_cost, most)
        self.cheapest = min(self.cheapest, int(self._on_map(edges).min(initial=self.cheapest)))
        self._last_estimates = (-1, np.empty(0, np.int64))  # they were checked against the old costs

    def _check_sum(self, edges: np.ndarray, price: int, cost: float) -> None:
        if self.longest + len(edges) * price > MAX_WHOLE_SUM:
            raise ProblemError(f"a cost of {cost!r} is too large compared with the others: sums would not be exact")

    def _check_cost(self, edge: int, cost: Any, goals: Iterable[Any]) -> None:
        """Refuse an invalid cost, and one that makes h inconsistent: for any goal, or for the goals of agents."""
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
            yield math.dist(places[u], places[v]) / self.unit * (1 - VALUE_TOLERANCE)
        elif callable(self._given):
            for goal in goals:
                here, there = (max(0.0, float(self._estimate(self.labels[node], goal))) for node in (u, v))
                yield (here - there) * (1 - VALUE_TOLERANCE)
        elif self._given is not None:
            yield float(max(0.0, self._given[u]) - max(0.0, self._given[v])) * (1 - VALUE_TOLERANCE)

    def _refine(self, edges: np.ndarray, cost: float) -> None:
        """Switch to a finer unit, in which that cost is also a whole number; agents replan from scratch."""
        costs = self._costs.copy()
        costs[edges] = cost
        unit = _unit(costs, _longest(self._first, costs))
        if unit <= self.unit:
            return
        with self._changing(MOST_NOTES):
            factor, blocked = float(unit) / float(self.unit), self._edges["price"] == GONE
            self.unit = unit
            self._edges["price"] = np.where(blocked, GONE, self._on_map(slice(None)))
            self._coordinates = self._coordinates * factor
            self.__dict__.pop("_dearest_of", None)
            self.__dict__.pop("compiled_map", None)
            on_map = self._on_map(slice(None))
            self.highest_cost, self.cheapest = int(on_map.max(initial=0)), int(on_map.min(initial=0))
            self._farthest = _longest(self._first, on_map)
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
        """Return what this cost of an edge adds to its price on the map; refuse a cost that makes h inconsistent."""
        self._check_cost(edge, cost, [self.labels[goal]])
        return int(_whole(np.array([cost * float(self.unit)]))[0]) - int(self._edges["price"][edge])

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
            numbers = _numbers_per_node(given, self.labels)
            if numbers.ndim == 1:
                self._given = _checked_values(numbers, self.labels)
            else:
                self._coordinates = self._scaled(_checked_coordinates(numbers, self.labels))
                self._dimensions = numbers.shape[1]

    def _scaled(self, coordinates: np.ndarray) -> np.ndarray:
        """Return coordinates whose distances are consistent estimates in the graph's unit, for any goal."""
        sources, targets = self.ends()
        lengths = np.sqrt(((coordinates[sources] - coordinates[targets]) ** 2).sum(axis=1))
        self._check_lengths(lengths)
        drops = lengths * float(self.unit)
        extent = float(np.linalg.norm(np.ptp(coordinates, axis=0)))
        noise = NOISE * coordinates.shape[1] * extent * float(self.unit)
        # Computed distances have rounding noise. An edge that costs no more than its length leaves no room for
        # that, so all distances are shortened a little: as much as the worst edge needs.
        tight = drops > 0
        excess = (drops + noise - self._edges["price"])[tight] / drops[tight]
        shrink = float(np.clip(excess.max(initial=0.0), 0.0, 1.0))
        centred = coordinates - coordinates.min(axis=0)
        return np.ascontiguousarray(centred * ((1 - shrink) * float(self.unit))).ravel()

    def _check_lengths(self, lengths: np.ndarray) -> None:
        short = lengths > self._costs * (1 + LENGTH_TOLERANCE)
        if not short.any():
            return
        worst = int(np.argmin(np.where(short, self._costs, np.inf) / np.where(short, lengths, 1.0)))
        u, v = self.ends_of(worst)
        cost, length = float(self._costs[worst]), float(lengths[worst])
        advice = f"; the coordinates times {cost / length * (1 - 1e-5):.5g} would be consistent" if cost else ""
        raise WorldError(f"{self._broken(u, v, length, cost, 0.0)} (goal {shown(self.labels[v])}){advice}")

    def _estimates(self, goal: int) -> np.ndarray:
        """Return the checked whole values of a heuristic, given as values or as a function, for that goal."""
        known_goal, estimates = self._last_estimates
        if self._given is not None and known_goal != goal:
            values = np.maximum(self._values(goal), 0.0)
            self._check_values(values, goal)
            estimates = self._whole_estimates(values, goal)
            self._last_estimates = goal, estimates
        return estimates

    def _values(self, goal: int) -> np.ndarray:
        if not callable(self._given):
            return np.asarray(self._given)
        label = self.labels[goal]
        values = [self._estimate(name, label) for name in self.labels.names]
        return _checked_values(_floats(values, lambda i: f"the heuristic at {shown(self.labels[i])}"), self.labels)

    def _estimate(self, node: Any, goal: Any) -> Any:
        """Return the values of the function that was given as the heuristic."""
        function: Any = self._given
        try:
            return function(node, goal)
        except Exception as error:
            name = getattr(function, "__name__", "a function")
            where = f"at the node {shown(node)} with the goal {shown(goal)}"
            raise WorldError(f"the heuristic, {name}, raised {type(error).__name__} {where}: {error}") from error

    def _check_values(self, values: np.ndarray, goal: int) -> None:
        slack = 1e-12 * float(values.max(initial=0.0, where=np.isfinite(values)))
        if values[goal] > slack:
            raise WorldError(
                f"the heuristic is {values[goal]} at the goal {shown(self.labels[goal])}, where it must be 0"
                + ("" if callable(self._given) else "; one value per node serves one goal only")
            )
        sources, targets = self.ends()
        most = self._costs * (1 + VALUE_TOLERANCE) + values[targets] + slack
        wrong = np.flatnonzero(values[sources] > most)
        if len(wrong):
            worst = int(wrong[np.argmax(values[sources][wrong] - most[wrong])])
            u, v = self.ends_of(worst)
            broken = self._broken(u, v, float(values[u]), float(self._costs[worst]), float(values[v]))
            raise WorldError(f"{broken} (goal {shown(self.labels[goal])})")

    def _whole_estimates(self, values: np.ndarray, goal: int) -> np.ndarray:
        finite = np.where(np.isfinite(values), values, values.max(initial=0.0, where=np.isfinite(values)))
        scaled = np.minimum(finite * ((1 - VALUE_TOLERANCE) * float(self.unit)) + ROUNDING, self._farthest)
        estimates = scaled.astype(np.int64)
        estimates[goal] = 0
        sources, targets = self.ends()
        # What is still too large is off only by rounding: by one unit, at few edges.
        prices = self._on_map(slice(None))
        while ((most := prices + estimates[targets]) < estimates[sources]).any():
            np.minimum.at(estimates, sources, most)
        return estimates

    def _broken(self, u: int, v: int, h_u: float, cost: float, h_v: float) -> str:
        start, end = self.labels[u], self.labels[v]
        return (
            f"the heuristic is not consistent on edge {self.labels.edge(u, v)}: "
            f"h({shown(start)}) = {h_u:.12g} exceeds the cost {cost:.12g} plus h({shown(end)}) = {h_v:.12g}"
        )

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the first and the last state of every edge."""
        return _sources(self._first), self._edges["target"]

    def ends_of(self, edge: int) -> tuple[int, int]:
        """Return the first and the last state of one edge."""
        return _source(self._first, edge), int(self._edges["target"][edge])


# ------------------------------------------------------------------ units


def _longest(first: np.ndarray, costs: np.ndarray) -> float:
    """Return a bound on the cost of any path without loops: it leaves every node at most once."""
    highest_cost = np.zeros(len(first) - 1, costs.dtype)
    np.maximum.at(highest_cost, _sources(first), costs)
    return float(highest_cost.sum())


def _unit(costs: np.ndarray, longest: float) -> int:
    """Return the number of parts of 1 in which all costs are whole numbers.

    1 for whole costs, a power of ten for decimals of up to six digits: then sums are exact, and ties real. Otherwise
    the largest power of two with which no sum gets too large.
    """
    for digits in range(7):
        if longest * 10**digits > (MAX_SUM if digits else MAX_WHOLE_SUM):
            break
        unit = int(10**digits)
        if _are_whole(costs * float(unit)).all():
            return unit
    return 1 << min(max(0, math.floor(math.log2(MAX_SUM) - math.log2(longest))), FINEST_BITS)


def _are_whole(numbers: np.ndarray) -> np.ndarray:
    whole: np.ndarray = np.abs(numbers - np.rint(numbers)) <= np.minimum(1e-12 * numbers, 1e-3)
    return whole


def _whole(numbers: np.ndarray) -> np.ndarray:
    """Round up, but not because of rounding noise."""
    whole: np.ndarray = np.where(_are_whole(numbers), np.rint(numbers), np.ceil(numbers))
    return whole.astype(np.int64)


# ------------------------------------------------------------------ checks of user input


def _sources(first: np.ndarray) -> np.ndarray:
    """Return the state that every edge leaves."""
    return np.repeat(np.arange(len(first) - 1, dtype=np.int32), np.diff(first))


def _source(first: np.ndarray, edge: int) -> int:
    """Return the state that one edge leaves."""
    return int(np.searchsorted(first, edge, side="right")) - 1


def _whole_numbers(given: npt.ArrayLike, name: str) -> np.ndarray:
    array = numeric_array(given, f"{name} must be a row of whole numbers", WorldError)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise WorldError(f"{name} must be a row of whole numbers, not {array.dtype} values of shape {array.shape}")
    return array.astype(np.int64)


def _checked_rows(indptr: npt.ArrayLike) -> np.ndarray:
    first = _whole_numbers(indptr, "indptr")
    if len(first) < 2:
        raise WorldError("a graph needs at least one node")
    if len(first) - 1 > MAX_STATES:
        raise WorldError(f"a graph can have {MAX_STATES} nodes at most, not {len(first) - 1}")
    if first[0] != 0:
        raise WorldError(f"indptr must begin with 0, not {first[0]}")
    falls = np.flatnonzero(np.diff(first) < 0)
    if len(falls):
        i = int(falls[0])
        raise WorldError(f"indptr must not fall, but it does after place {i}: from {first[i]} to {first[i + 1]}")
    return first


def _checked_targets(targets: npt.ArrayLike, first: np.ndarray, labels: Labels) -> np.ndarray:
    ends = _whole_numbers(targets, "targets")
    if len(ends) != first[-1]:
        raise WorldError(f"indptr ends with {first[-1]}, but there are {len(ends)} targets")
    outside = np.flatnonzero((ends < 0) | (ends >= len(first) - 1))
    if len(outside):
        edge = int(outside[0])
        start = labels[_source(first, edge)]
        raise WorldError(f"edge {edge} leads from {shown(start)} to node {ends[edge]}; nodes are 0 to {len(first) - 2}")
    return ends


def _checked_costs(given: Any, first: np.ndarray, ends: np.ndarray, labels: Labels) -> np.ndarray:
    def name(edge: int) -> str:
        return f"the cost of the edge {labels.edge(_source(first, edge), int(ends[edge]))}"

    if not (isinstance(given, np.ndarray) and given.ndim):
        given = items(given, "costs are a list of numbers, one for every target", WorldError)
    if len(given) != len(ends):
        raise WorldError(f"there are {len(ends)} targets, but {len(given)} costs")
    costs = _floats(given, name)
    wrong = np.flatnonzero(~((costs >= 0) & (costs < np.inf)))  # NaN is neither
    if len(wrong):
        raise WorldError(f"{name(int(wrong[0]))} is {costs[wrong[0]]}; it must be a number from 0 on")
    limit = MAX_WHOLE_SUM / (len(first) - 1)
    if costs.max(initial=0.0) > limit and _longest(first, costs / MAX_WHOLE_SUM) >= 1:
        highest_cost = int(np.argmax(costs))
        raise WorldError(
            f"{name(highest_cost)} is {costs[highest_cost]}, too large: costs up to {limit:.3g} are sure to fit"
        )
    return costs


def _floats(given: Any, name: Callable[[int], str]) -> np.ndarray:
    """Convert numbers of any kind to floats; `name` names the i-th one in error messages."""
    try:
        array = np.asarray(given)
    except Exception:  # rows of different lengths; a user's object may raise anything
        array = np.empty(0, object)
    if array.dtype.kind in "biuf" and array.ndim == 1:
        return array.astype(np.float64)
    numbers = np.empty(len(given))
    for i, item in enumerate(given):
        try:
            numbers[i] = math.nan if isinstance(item, (str, bytes, complex, np.ndarray)) else float(item)
        except Exception:
            numbers[i] = math.nan
        if math.isnan(numbers[i]):
            raise WorldError(f"{name(i)} is {shown(item)}; it must be a number")
    return numbers


def _numbers_per_node(given: Any, labels: Labels) -> np.ndarray:
    """Return what a heuristic gives for every node: one number, or several coordinates."""
    if isinstance(given, str):
        raise WorldError(
            f"the heuristic {shown(given)} is not coordinates, values or a function; names are for from_networkx"
        )
    if isinstance(given, Mapping):
        missing = next((name for name in labels.names if name not in given), None)
        if missing is not None:
            raise WorldError(f"the heuristic has no entry for the node {shown(missing)}")
        given = [given[name] for name in labels.names]
    numbers = floats(
        given, "the heuristic needs a number, or the same number of coordinates, for every node", WorldError
    )
    if numbers.ndim not in (1, 2) or len(numbers) != len(labels.names) or 0 in numbers.shape:
        count = len(labels.names)
        raise WorldError(f"a heuristic of shape {numbers.shape} does not fit: use ({count},) or ({count}, dimensions)")
    return numbers


def _checked_values(values: np.ndarray, labels: Labels) -> np.ndarray:
    if np.isnan(values).any():
        raise WorldError(
            f"the heuristic at {shown(labels[int(np.argmax(np.isnan(values)))])} is nan; it must be a number"
        )
    return values


def _checked_coordinates(coordinates: np.ndarray, labels: Labels) -> np.ndarray:
    wrong = ~(np.abs(coordinates) <= 1e100).all(axis=1)  # squares must not overflow; NaN is refused, too
    if wrong.any():
        state = int(np.argmax(wrong))
        raise WorldError(
            f"the coordinates of {shown(labels[state])} are {coordinates[state].tolist()}; they must be finite"
        )
    return coordinates


def _node_attribute(graph: Any, name: str) -> dict[Hashable, Any]:
    for node, data in graph.nodes(data=True):
        if name not in data:
            raise WorldError(f"the node {shown(node)} has no attribute {shown(name)} for the heuristic")
    return dict(graph.nodes(data=name))


def _parts_of_edge(edge: Any) -> tuple[Any, Any, Any]:
    if not isinstance(edge, Sequence) or len(edge) not in (2, 3):
        raise WorldError(f"an edge is (from, to) or (from, to, cost), not {shown(edge)}")
    return edge[0], edge[1], edge[2] if len(edge) == 3 else 1


def _numbered_as(index: dict[Hashable, int], label: Any) -> int:
    """Return the number of a label; a new label gets the next one."""
    try:
        return index.setdefault(label, len(index))
    except TypeError:
        raise WorldError(f"a label must be hashable, and {shown(label)} is not") from None
