"""Checks of what users give to a grid: maps, rules, costs, heuristics and positions."""

import math
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ..core import values
from ..core.errors import ProblemError, WorldError
from ..core.wording import shown
from .world import MAX_STATES

Corners = Literal["strict", "cut"]
CORNERS: tuple[Corners, ...] = get_args(Corners)
Position = tuple[int, int]
MOST_COST = 1e6
COST_RULE = "a travel cost is a number from 1 to a million"
# The first of each is the exact distance without obstacles; one for fewer neighbours would overestimate.
HEURISTICS = {
    4: ("manhattan", "octile", "euclidean", "none"),
    8: ("octile", "euclidean", "none"),
    16: ("knight", "euclidean", "none"),
}


def checked_map(passable: npt.ArrayLike) -> np.ndarray:
    """Return a copy of the map, as booleans."""
    array = values.numeric_array(
        passable, "a grid needs a boolean map (True where passable), indexed [y, x]", WorldError
    )
    if array.ndim != 2 or array.size == 0:
        raise WorldError(f"a grid needs a two-dimensional map with at least one cell, not one of shape {array.shape}")
    if array.dtype != bool:
        if not np.isin(array, (0, 1)).all():
            raise WorldError(f"a grid needs a boolean map (True where passable), not {array.dtype} values")
        array = array.astype(bool)
    if array.size > MAX_STATES:
        raise WorldError(f"a grid can have {MAX_STATES} cells at most, not {array.size}")
    return np.array(array, order="C")  # a copy: the caller may change the array


def checked_rules(neighbors: int, corners: str, diagonal: float) -> tuple[int, Corners, float]:
    """Return the rules of moves."""
    neighbors = values.one_of(neighbors, (4, 8, 16), "a grid has 4, 8 or 16 neighbours", WorldError)
    rule = values.one_of(corners, CORNERS, "corners are 'strict' or 'cut'", WorldError)
    diagonal = values.number(diagonal, "a diagonal move costs from 1 to 2", lambda cost: 1 <= cost <= 2, WorldError)
    if neighbors == 16 and not 1.24 <= diagonal <= 1.49:
        raise WorldError(f"with knight moves, a diagonal move costs from 1.24 to 1.49, not {diagonal}")
    return neighbors, rule, float(diagonal)


def checked_travel(travel: npt.ArrayLike, passable: np.ndarray) -> np.ndarray:
    """Return a copy of the travel costs; blocked cells cost 1."""
    costs = values.floats(travel, "travel costs are an array of numbers, one for every cell", WorldError)
    if costs.shape != passable.shape:
        raise WorldError(f"travel costs need the shape of the map, {passable.shape}, not {costs.shape}")
    wrong = passable & ~((costs >= 1) & (costs <= 1e6))  # NaN is neither
    if wrong.any():
        y, x = np.argwhere(wrong)[0].tolist()
        raise WorldError(f"the travel cost of ({x}, {y}) is {costs[y, x]}; it must be a number from 1 to a million")
    costs[~passable] = 1.0
    return np.ascontiguousarray(costs)


def checked_longest(longest: int) -> int:
    """Reject travel costs whose sums would not be exact."""
    if longest >= 2**61:
        raise WorldError("the travel costs of this map are too large for exact sums; divide them by the smallest")
    return longest


def checked_frame(resolution: Any, origin: Any) -> tuple[float | None, tuple[float, float, float]]:
    """Return the size of a cell in metres, if it has one, and the origin."""
    if resolution is not None:
        rule = "the resolution of a grid is a number of metres above 0"
        resolution = float(values.number(resolution, rule, lambda given: 0 < given < math.inf, WorldError))
    rule = "the origin of a grid is x, y and yaw: three numbers"
    given = [values.number(each, rule, math.isfinite, WorldError) for each in values.items(origin, rule, WorldError)]
    if len(given) != 3:
        raise WorldError(f"{rule}, not {shown(origin)}")
    return resolution, (float(given[0]), float(given[1]), float(given[2]))


def checked_heuristic(name: str, neighbors: int) -> str:
    """Return the name of the heuristic."""
    names = HEURISTICS[neighbors]
    if not (isinstance(name, str) and name in ("auto", *names)):
        there = ", ".join(map(repr, names))
        raise WorldError(f"heuristic {shown(name)} does not fit {neighbors} neighbours; choose from 'auto', {there}")
    return names[0] if name == "auto" else name


def position(place: Any) -> Position:
    """Return a position as two integers."""
    try:
        x, y = place
        if type(x) is int and type(y) is int:
            return x, y
        if values.is_number(x) and values.is_number(y) and int(x) == x and int(y) == y:
            return int(x), int(y)
    except (TypeError, ValueError, OverflowError):  # not a pair, or infinite
        pass
    raise ProblemError(f"a position is two whole numbers (x, y), not {shown(place)}")


def whole_positions(given: Any) -> np.ndarray | None:
    """Return an array or a list of positions as an array of rows x, y, in one go; None if each needs a look."""
    if isinstance(given, np.ndarray):
        rows = given.ndim == 2 and given.shape[1] == 2 and given.dtype.kind in "iu"
        return given.astype(np.int64) if rows else None
    if not {*map(type, given)} <= {tuple} or not {*map(len, given)} <= {2}:
        return None
    if not {*map(type, chain.from_iterable(given))} <= {int}:
        return None
    try:
        return np.fromiter(chain.from_iterable(given), np.int64, 2 * len(given)).reshape(-1, 2)
    except OverflowError:
        return None


def free_neighbour(passable: np.ndarray, x: int, y: int) -> str:
    """Return a hint: the free cell nearest to a blocked one, if one is near."""
    top, left = max(0, y - 8), max(0, x - 8)
    near = np.argwhere(passable[top : y + 9, left : x + 9]) + np.array((top, left))
    if not len(near):
        return ""
    best = near[np.argmin(((near - (y, x)) ** 2).sum(axis=1))]
    return f", for example ({best[1]}, {best[0]})"
