"""Compressed rows: from the graphs of other packages and from lists of edges; and which state an edge leaves."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.errors import WorldError
from ..core.values import flag, items
from ..core.wording import one_line, shown


class Rows(NamedTuple):
    """The arguments of `Graph`."""

    indptr: npt.ArrayLike
    targets: npt.ArrayLike | Sequence[int]
    costs: npt.ArrayLike | Sequence[Any]
    labels: Iterable[Hashable] | None


# ------------------------------------------------------------------ made from other graphs


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
        start, end, cost = _parts_of_edge(edge)
        u, v = _number(start, index), _number(end, index)
        for source, target in [(u, v)] if directed or u == v else [(u, v), (v, u)]:
            sources.append(source)
            targets.append(target)
            costs.append(cost)
    rows = np.array(sources, np.int64)
    order = np.argsort(rows, kind="stable").tolist()
    indptr = np.concatenate([[0], np.bincount(rows, minlength=len(index)).cumsum()])
    return Rows(indptr, [targets[i] for i in order], [costs[i] for i in order], index)


def _parts_of_edge(edge: Any) -> tuple[Any, Any, Any]:
    if not isinstance(edge, Sequence) or len(edge) not in (2, 3):
        raise WorldError(f"an edge is (from, to) or (from, to, cost), not {shown(edge)}")
    return edge[0], edge[1], edge[2] if len(edge) == 3 else 1


def _number(label: Any, index: dict[Hashable, int]) -> int:
    """Return the number of a label; a new label gets the next one."""
    try:
        return index.setdefault(label, len(index))
    except TypeError:
        raise WorldError(f"a label must be hashable, and {shown(label)} is not") from None


# ------------------------------------------------------------------ read


def sources_of(first: np.ndarray) -> np.ndarray:
    """Return the state that every edge leaves."""
    return np.repeat(np.arange(len(first) - 1, dtype=np.int32), np.diff(first))


def source_of(first: np.ndarray, edge: int) -> int:
    """Return the state that one edge leaves."""
    return int(np.searchsorted(first, edge, side="right")) - 1
