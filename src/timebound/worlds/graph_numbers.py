"""Costs and heuristics of graphs, as whole numbers of the graph's unit: sums are exact, and heuristics consistent.

Costs are rounded up and estimates h by ``floor(h + ROUNDING)``, which keeps a consistent heuristic consistent to the
last digit: h(u) <= cost + h(v) implies floor(h(u) + r) <= floor(ceil(cost) + h(v) + r) = ceil(cost) + floor(h(v) + r).
"""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..core.errors import WorldError
from ..core.wording import shown
from .compiled_graph import ROUNDING, sources_of

if TYPE_CHECKING:
    from .graph_input import Labels

MAX_SUM, MAX_WHOLE_SUM = 2.0**50, 2.0**60  # the most units that a path may cost; weights multiply it
FINEST_BITS = 200  # no unit is finer than 2**-200, and no cost but 0 is less
# The rounding error of the difference of two distances, as a share of the graph's extent per dimension.
NOISE = 2.0**-48
VALUE_TOLERANCE = 1e-9  # a smaller relative excess of an estimate counts as rounding, and is removed
LENGTH_TOLERANCE = 1e-6  # the same for distances: coordinates far from 0 have lost some digits


def longest_path(first: np.ndarray, costs: np.ndarray) -> float:
    """Return a bound on the cost of any path without loops: it leaves every node at most once."""
    highest_cost = np.zeros(len(first) - 1, costs.dtype)
    np.maximum.at(highest_cost, sources_of(first), costs)
    return float(highest_cost.sum())


def unit_of(costs: np.ndarray, longest: float) -> int:
    """Return the number of parts of 1 in which all costs are whole numbers.

    1 for whole costs, a power of ten for decimals of up to six digits: then sums are exact, and ties real. Otherwise
    the largest power of two with which no sum gets too large.
    """
    for digits in range(7):
        if longest * 10**digits > (MAX_SUM if digits else MAX_WHOLE_SUM):
            break
        unit = int(10**digits)
        if are_whole(costs * float(unit)).all():
            return unit
    return 1 << min(max(0, math.floor(math.log2(MAX_SUM) - math.log2(longest))), FINEST_BITS)


def are_whole(numbers: np.ndarray) -> np.ndarray:
    """Return which numbers are whole, but for rounding noise."""
    return np.abs(numbers - np.rint(numbers)) <= np.minimum(1e-12 * numbers, 1e-3)


def in_whole(numbers: np.ndarray) -> np.ndarray:
    """Round up, but not because of rounding noise."""
    whole: np.ndarray = np.where(are_whole(numbers), np.rint(numbers), np.ceil(numbers))
    return whole.astype(np.int64)


class Edges(NamedTuple):
    """The edges that a heuristic must fit, blocked ones included."""

    sources: np.ndarray
    targets: np.ndarray
    costs: np.ndarray
    prices: np.ndarray  # the costs in the graph's unit
    unit: int
    labels: "Labels"


def scaled(coordinates: np.ndarray, edges: Edges) -> np.ndarray:
    """Return coordinates whose distances are consistent estimates in the graph's unit, for any goal."""
    lengths = np.sqrt(((coordinates[edges.sources] - coordinates[edges.targets]) ** 2).sum(axis=1))
    _check_lengths(lengths, edges)
    drops = lengths * float(edges.unit)
    extent = float(np.linalg.norm(np.ptp(coordinates, axis=0)))
    noise = NOISE * coordinates.shape[1] * extent * float(edges.unit)
    # Computed distances have rounding noise. An edge that costs no more than its length leaves no room for
    # that, so all distances are shortened a little: as much as the worst edge needs.
    tight = drops > 0
    excess = (drops + noise - edges.prices)[tight] / drops[tight]
    shrink = float(np.clip(excess.max(initial=0.0), 0.0, 1.0))
    centred = coordinates - coordinates.min(axis=0)
    return np.ascontiguousarray(centred * ((1 - shrink) * float(edges.unit))).ravel()


def _check_lengths(lengths: np.ndarray, edges: Edges) -> None:
    short = lengths > edges.costs * (1 + LENGTH_TOLERANCE)
    if not short.any():
        return
    worst = int(np.argmin(np.where(short, edges.costs, np.inf) / np.where(short, lengths, 1.0)))
    cost, length = float(edges.costs[worst]), float(lengths[worst])
    advice = f"; the coordinates times {cost / length * (1 - 1e-5):.5g} would be consistent" if cost else ""
    goal = edges.labels[int(edges.targets[worst])]
    raise WorldError(f"{_broken(edges, worst, length, 0.0)} (goal {shown(goal)}){advice}")


def check_values(values: np.ndarray, goal: int, edges: Edges, *, one_goal: bool) -> None:
    """Reject values that are not consistent; `one_goal`: they serve one goal, perhaps another."""
    slack = 1e-12 * float(values.max(initial=0.0, where=np.isfinite(values)))
    if values[goal] > slack:
        raise WorldError(
            f"the heuristic is {values[goal]} at the goal {shown(edges.labels[goal])}, where it must be 0"
            + ("; one value per node serves one goal only" if one_goal else "")
        )
    here, there = values[edges.sources], values[edges.targets]
    most = edges.costs * (1 + VALUE_TOLERANCE) + there + slack
    wrong = np.flatnonzero(here > most)
    if len(wrong):
        worst = int(wrong[np.argmax(here[wrong] - most[wrong])])
        broken = _broken(edges, worst, float(here[worst]), float(there[worst]))
        raise WorldError(f"{broken} (goal {shown(edges.labels[goal])})")


def whole_estimates(values: np.ndarray, goal: int, edges: Edges, farthest: float) -> np.ndarray:
    """Return checked values in the graph's unit; none is larger than `farthest`, which no path exceeds."""
    finite = np.where(np.isfinite(values), values, values.max(initial=0.0, where=np.isfinite(values)))
    in_units = np.minimum(finite * ((1 - VALUE_TOLERANCE) * float(edges.unit)) + ROUNDING, farthest)
    estimates = in_units.astype(np.int64)
    estimates[goal] = 0
    # What is still too large is off only by rounding: by one unit, at few edges.
    while ((most := edges.prices + estimates[edges.targets]) < estimates[edges.sources]).any():
        np.minimum.at(estimates, edges.sources, most)
    return estimates


def _broken(edges: Edges, edge: int, h_u: float, h_v: float) -> str:
    u, v = int(edges.sources[edge]), int(edges.targets[edge])
    start, end = edges.labels[u], edges.labels[v]
    return (
        f"the heuristic is not consistent on edge {edges.labels.edge(u, v)}: h({shown(start)}) = {h_u:.12g} "
        f"exceeds the cost {float(edges.costs[edge]):.12g} plus h({shown(end)}) = {h_v:.12g}"
    )
