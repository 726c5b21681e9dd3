"""Checks of what users give to a graph: rows, costs and heuristics."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.errors import WorldError
from ..core.values import floats, items, numeric_array
from ..core.wording import shown
from .graph_numbers import MAX_WHOLE_SUM, longest_path
from .graph_rows import source_of
from .labels import Labels
from .world import MAX_STATES


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
