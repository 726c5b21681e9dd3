"""Costs of edges as whole numbers of the graph's unit, so that sums are exact."""

import math

import numpy as np

from .graph_rows import sources_of

MAX_SUM, MAX_WHOLE_SUM = 2.0**50, 2.0**60  # the most units that a path may cost; weights multiply it
FINEST_BITS = 200  # no unit is finer than 2**-200, and no cost but 0 is less


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
    whole: np.ndarray = np.abs(numbers - np.rint(numbers)) <= np.minimum(1e-12 * numbers, 1e-3)
    return whole


def in_whole(numbers: np.ndarray) -> np.ndarray:
    """Round up, but not because of rounding noise."""
    whole: np.ndarray = np.where(are_whole(numbers), np.rint(numbers), np.ceil(numbers))
    return whole.astype(np.int64)
