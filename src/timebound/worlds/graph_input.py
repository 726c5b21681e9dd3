"""What users give to a graph: names of nodes, rows, costs and heuristics, or graphs of other packages."""

import difflib
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.errors import ProblemError, WorldError
from ..core.values import flag, floats, is_whole, items, numeric_array
from ..core.wording import one_line, shown
from .compiled_graph import source_of
from .graph_numbers import MAX_WHOLE_SUM, longest_path
from .world import MAX_STATES


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


def _whole_numbers(given: npt.ArrayLike, name: str) -> np.ndarray:
    array = numeric_array(given, f"{name} must be a row of whole numbers", WorldError)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise WorldError(f"{name} must be a row of whole numbers, not {array.dtype} values of shape {array.shape}")
    return array.astype(np.int64)


def checked_rows(indptr: npt.ArrayLike) -> np.ndarray:
    """Return where the edges of every node begin, and where the last ones end."""
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


def checked_targets(targets: npt.ArrayLike, first: np.ndarray, labels: Labels) -> np.ndarray:
    """Return the node that every edge leads to."""
    ends = _whole_numbers(targets, "targets")
    if len(ends) != first[-1]:
        raise WorldError(f"indptr ends with {first[-1]}, but there are {len(ends)} targets")
    outside = np.flatnonzero((ends < 0) | (ends >= len(first) - 1))
    if len(outside):
        edge = int(outside[0])
        start = labels[source_of(first, edge)]
        raise WorldError(f"edge {edge} leads from {shown(start)} to node {ends[edge]}; nodes are 0 to {len(first) - 2}")
    return ends


def checked_costs(given: Any, first: np.ndarray, ends: np.ndarray, labels: Labels) -> np.ndarray:
    """Return the cost of every edge: finite, not negative, and with sums that stay exact."""

    def name(edge: int) -> str:
        return f"the cost of the edge {labels.edge(source_of(first, edge), int(ends[edge]))}"

    if not (isinstance(given, np.ndarray) and given.ndim):
        given = items(given, "costs are a list of numbers, one for every target", WorldError)
    if len(given) != len(ends):
        raise WorldError(f"there are {len(ends)} targets, but {len(given)} costs")
    costs = checked_floats(given, name)
    wrong = np.flatnonzero(~((costs >= 0) & (costs < np.inf)))  # NaN is neither
    if len(wrong):
        raise WorldError(f"{name(int(wrong[0]))} is {costs[wrong[0]]}; it must be a number from 0 on")
    limit = MAX_WHOLE_SUM / (len(first) - 1)
    if costs.max(initial=0.0) > limit and longest_path(first, costs / MAX_WHOLE_SUM) >= 1:
        highest_cost = int(np.argmax(costs))
        raise WorldError(
            f"{name(highest_cost)} is {costs[highest_cost]}, too large: costs up to {limit:.3g} are sure to fit"
        )
    return costs


def checked_floats(given: Any, name: Callable[[int], str]) -> np.ndarray:
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


def numbers_per_node(given: Any, labels: Labels) -> np.ndarray:
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


def checked_values(values: np.ndarray, labels: Labels) -> np.ndarray:
    """Return a heuristic given as one value per node, if all of them are numbers."""
    if np.isnan(values).any():
        raise WorldError(
            f"the heuristic at {shown(labels[int(np.argmax(np.isnan(values)))])} is nan; it must be a number"
        )
    return values


def checked_coordinates(coordinates: np.ndarray, labels: Labels) -> np.ndarray:
    """Return a heuristic given as coordinates, if all of them are finite."""
    wrong = ~(np.abs(coordinates) <= 1e100).all(axis=1)  # squares must not overflow; NaN is refused, too
    if wrong.any():
        state = int(np.argmax(wrong))
        raise WorldError(
            f"the coordinates of {shown(labels[state])} are {coordinates[state].tolist()}; they must be finite"
        )
    return coordinates


# ------------------------------------------------------------------ graphs of other packages, and lists of edges


class Rows(NamedTuple):
    """The arguments of `Graph`."""

    indptr: npt.ArrayLike
    targets: npt.ArrayLike | Sequence[int]
    costs: npt.ArrayLike | Sequence[Any]
    labels: Iterable[Hashable] | None


def rows_of_networkx(graph: Any, weight: str | None) -> Rows:
    """Return the rows of a NetworkX graph; `weight` names the edge attribute that holds the cost."""
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
    return Rows(indptr, targets, costs, index)


def node_attribute(graph: Any, name: str) -> dict[Hashable, Any]:
    """Return an attribute of every node of a NetworkX graph, which is to be its heuristic."""
    for node, data in graph.nodes(data=True):
        if name not in data:
            raise WorldError(f"the node {shown(node)} has no attribute {shown(name)} for the heuristic")
    return dict(graph.nodes(data=name))


def rows_of_rustworkx(graph: Any, weight_fn: Callable[[Any], float] | None) -> Rows:
    """Return the rows of a rustworkx graph; `weight_fn` gives the cost of an edge from its payload."""
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
            raise WorldError(f"weight_fn failed for the edge from {start} to {end}: {one_line(str(error))}") from error
    return rows_of_edges(edges, hasattr(graph, "successor_indices"), graph.node_indices())


def rows_of_scipy(matrix: Any, labels: Iterable[Hashable] | None) -> Rows:
    """Return the rows of a square SciPy sparse matrix or array."""
    if not hasattr(matrix, "tocsr"):
        raise WorldError(f"from_scipy takes a SciPy sparse matrix or array, not {type(matrix).__name__}")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise WorldError(f"the matrix of a graph must be square, not of shape {matrix.shape}")
    rows = matrix.tocsr()
    return Rows(rows.indptr, rows.indices, rows.data, labels)


def rows_of_edges(edges: Iterable[Sequence[Any]], directed: bool, nodes: Iterable[Hashable]) -> Rows:
    """Return the rows of edges `(from, to)` or `(from, to, cost)`, in the order of their first nodes."""
    index: dict[Hashable, int] = {}
    for node in items(nodes, "nodes are a list of labels", WorldError):
        _number(node, index)
    sources, targets, costs = [], [], []
    directed = flag(directed, "directed", WorldError)
    rule = "edges are a list of (from, to) or (from, to, cost)"
    for edge in items(edges.tolist() if isinstance(edges, np.ndarray) else edges, rule, WorldError):
        if not isinstance(edge, Sequence) or len(edge) not in (2, 3):
            raise WorldError(f"an edge is (from, to) or (from, to, cost), not {shown(edge)}")
        u, v = _number(edge[0], index), _number(edge[1], index)
        for source, target in [(u, v)] if directed or u == v else [(u, v), (v, u)]:
            sources.append(source)
            targets.append(target)
            costs.append(edge[2] if len(edge) == 3 else 1)
    rows = np.array(sources, np.int64)
    order = np.argsort(rows, kind="stable").tolist()
    indptr = np.concatenate([[0], np.bincount(rows, minlength=len(index)).cumsum()])
    return Rows(indptr, [targets[i] for i in order], [costs[i] for i in order], index)


def _number(label: Any, index: dict[Hashable, int]) -> int:
    """Return the number of a label; a new label gets the next one."""
    try:
        return index.setdefault(label, len(index))
    except TypeError:
        raise WorldError(f"a label must be hashable, and {shown(label)} is not") from None
