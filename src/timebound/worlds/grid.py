"""Grids of 4, 8 or 16 neighbours.

A move is legal or not: one bit of `moves[state]`, corner rule included, so that a search asks once per state instead of
once per neighbour. Prices and heuristics are whole numbers of the grid's unit.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from os import PathLike
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from .. import values
from ..compiled import compiled, lowest_bit
from ..errors import ProblemError, WorldError
from ..integers import Int
from ..memory import frozen
from ..wording import shown
from .interface import aimed, heuristic, is_goal, predecessors, successors
from .world import World

Corners = Literal["strict", "cut"]
CORNERS: tuple[Corners, ...] = get_args(Corners)
Position = tuple[int, int]

# Right, down, left, up; the diagonals between them; then the knight moves, clockwise from right-right-down.
STEPS = np.array(
    [
        *((1, 0), (0, 1), (-1, 0), (0, -1)),
        *((1, 1), (-1, 1), (-1, -1), (1, -1)),
        *((2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)),
    ]
)
SQRT2, SQRT5 = math.sqrt(2), math.sqrt(5)
MAX_STATES = 2**31 - 1

# ------------------------------------------------------------------ the compiled form


class CompiledGrid(NamedTuple):
    """What compiled code sees of a grid."""

    moves: np.ndarray  # bit k of moves[state]: STEPS[k] is legal there
    offsets: np.ndarray  # STEPS[k] leads to state + offsets[k]
    prices: np.ndarray  # and costs prices[k]
    travel: np.ndarray  # travel cost of every cell in 2**-travel_bits, or empty
    travel_bits: int
    patch: np.ndarray  # where an agent believes otherwise: its moves are moves[state] ^ patch[state]; or empty
    width: int
    inverse: int  # state // width is state * inverse >> inverse_bits: a division costs as much as the rest of h
    inverse_bits: int
    goal: Int
    goal_x: int
    goal_y: int
    # With far >= near the distances to the goal in x and y, h is the larger of flat[0] * far + flat[1] * near
    # and steep[0] * far + steep[1] * near;
    flat: tuple[int, int]
    steep: tuple[int, int]
    straight: float  # but if this is not 0, it is so many times the straight-line distance


@successors.of(CompiledGrid)
def _grid_successors(world: Any, state: Int) -> Iterator[tuple[int, int]]:
    legal: Any = np.int64(world.moves[state])
    if len(world.patch):
        legal ^= world.patch[state]
    while legal:
        k = lowest_bit(legal)
        legal &= legal - 1
        successor = state + world.offsets[k]
        price = world.prices[k]
        if len(world.travel):
            price = price * (np.int64(world.travel[state]) + world.travel[successor]) >> (world.travel_bits + 1)
        yield successor, price


predecessors.of(CompiledGrid)(_grid_successors)  # every move can be undone, at the same cost


@aimed.of(CompiledGrid)
def _grid_aimed(world: Any, goal: Int) -> CompiledGrid:
    y = goal // world.width
    return CompiledGrid(
        world.moves,
        world.offsets,
        world.prices,
        world.travel,
        world.travel_bits,
        world.patch,
        world.width,
        world.inverse,
        world.inverse_bits,
        goal,
        goal - y * world.width,
        y,
        world.flat,
        world.steep,
        world.straight,
    )


@heuristic.of(CompiledGrid)
def _grid_heuristic(world: Any, state: Int) -> Int:
    y = state * world.inverse >> world.inverse_bits
    dx, dy = abs(state - y * world.width - world.goal_x), abs(y - world.goal_y)
    if world.straight != 0.0:
        return np.int64(world.straight * math.sqrt(np.float64(dx * dx + dy * dy)))
    far, near = max(dx, dy), min(dx, dy)
    return max(world.flat[0] * far + world.flat[1] * near, world.steep[0] * far + world.steep[1] * near)


@is_goal.of(CompiledGrid)
def _grid_is_goal(world: Any, state: Int) -> bool:
    return state == world.goal


def cells_needed(dx: int, dy: int, corners: str) -> list[Position]:
    """The cells, seen from its start, that must be free for the move (dx, dy): its end, and those that it crosses.

    >>> cells_needed(1, 1, "strict"), cells_needed(2, -1, "cut")
    ([(1, 1), (1, 0), (0, 1)], [(2, -1), (1, 0), (1, -1)])
    """
    if abs(dx) == 2:  # a knight move crosses the two cells under its segment
        return [(dx, dy), (dx // 2, 0), (dx // 2, dy)]
    if abs(dy) == 2:
        return [(dx, dy), (0, dy // 2), (dx, dy // 2)]
    if dx and dy and corners == "strict":
        return [(dx, dy), (dx, 0), (0, dy)]
    return [(dx, dy)]


def legal_moves(passable: np.ndarray, neighbors: int, corners: str) -> np.ndarray:
    """For every cell, which moves are legal there: bit k stands for STEPS[k]."""
    height, width = passable.shape
    padded = np.pad(passable, 2)

    def free(dx: int, dy: int) -> np.ndarray:
        return padded[2 + dy : 2 + dy + height, 2 + dx : 2 + dx + width]

    moves = np.zeros(passable.shape, np.uint8 if neighbors <= 8 else np.uint16)
    for k, (dx, dy) in enumerate(STEPS[:neighbors].tolist()):
        legal = passable.copy()
        for cell in cells_needed(dx, dy, corners):
            legal &= free(*cell)
        moves |= np.left_shift(legal, k, dtype=moves.dtype)
    return moves.ravel()


# ------------------------------------------------------------------ the grid that users see


class Grid(World):
    """A map of square cells, passable or not.

    Parameters
    ----------
    passable
        Boolean array, indexed `[y, x]`: where an agent can be.
    neighbors
        4, 8, or 16 (8 and the knight moves, which cost the square root of 5).
    corners
        `"strict"`: a diagonal move needs both orthogonal cells free (what MovingAI's scenario lengths mean);
        `"cut"`: it needs only its target.
    diagonal
        What a diagonal move costs, from 1 to 2.
    travel
        Travel cost of every cell, 1 or more (mud, roads), of the map's shape: a move costs its length times the mean of
        the two cells it joins.
    heuristic
        `"auto"` is the exact distance on a map without obstacles: `"manhattan"`, `"octile"` or `"knight"` for 4, 8
        and 16 neighbours. `"euclidean"` and `"none"` work everywhere.

    Examples
    --------
    >>> import numpy as np, timebound as tb
    >>> world = tb.Grid(np.ones((3, 4), bool))
    >>> world
    Grid(4 x 3, 12 free, 8 neighbours, strict corners)
    >>> round(tb.shortest_path(world, (0, 0), (3, 2)).cost, 4)
    3.8284
    """

    width: int
    height: int

    def __init__(
        self,
        passable: npt.ArrayLike,
        *,
        neighbors: int = 8,
        corners: Corners = "strict",
        diagonal: float = SQRT2,
        travel: npt.ArrayLike | None = None,
        heuristic: str = "auto",
        name: str = "",
    ):
        self.name = values.name_of(name, "a grid", WorldError)
        self.passable = _checked_map(passable)
        self.neighbors, self.corners, self.diagonal = _checked_rules(neighbors, corners, diagonal)
        self.height, self.width = self.passable.shape
        self.states = self.passable.size
        bits = 31 + (self.width - 1).bit_length()
        self._inverse = -(-(1 << bits) // self.width), bits
        neighbors, corners = self.neighbors, self.corners
        self.branching = self.most_predecessors = neighbors
        self.travel = None if travel is None else _checked_travel(travel, self.passable)
        self.heuristic = _checked_heuristic(heuristic, neighbors)
        self.unit = _unit(neighbors, self.diagonal, self.heuristic, weighted=travel is not None)
        lengths = [1.0] * 4 + [self.diagonal] * 4 + [SQRT5] * 8
        self._prices = np.array([round(length * self.unit) for length in lengths[:neighbors]], np.int64)
        self._estimate = _estimate(self.heuristic, self.unit, self._prices)
        self._travel, self._travel_bits = _whole_travel(self.travel)
        self.highest_cost = int(self._prices.max()) * max(
            1, math.ceil(1.0 if self.travel is None else self.travel.max())
        )
        self.cheapest = int(self._prices.min())
        cells = self.states if self.travel is None else math.ceil(self.travel.sum())
        self.longest = _checked_longest(cells * int(self._prices.max()))
        self._offsets = STEPS[:neighbors, 1] * self.width + STEPS[:neighbors, 0]
        self.moves = legal_moves(self.passable, neighbors, corners)

    @classmethod
    def load(cls, path: str | PathLike[str], **rules: Any) -> "Grid":
        """A grid from a map file: MovingAI, image, ROS, NumPy, or the name of a built-in map; `rules` as for `Grid`."""
        from ..maps import read

        loaded = read(path)
        return cls(loaded.passable, name=loaded.name, **rules)

    def __repr__(self) -> str:
        free = int(np.count_nonzero(self.passable))
        return f"Grid({self.width} x {self.height}, {free} free, {self.neighbors} neighbours, {self.corners} corners)"

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width), as NumPy has it."""
        return self.height, self.width

    @cached_property
    def without_obstacles(self) -> "Grid":
        """The same grid, all free: what an agent assumes of terrain that it does not know."""
        return self.with_map(np.ones(self.shape, bool))

    def with_map(self, passable: np.ndarray) -> "Grid":
        """A grid of the same rules with another map."""
        return Grid(
            passable,
            neighbors=self.neighbors,
            corners=self.corners,
            diagonal=self.diagonal,
            travel=self.travel,
            heuristic=self.heuristic,
            name=self.name,
        )

    def inside(self, place: Any) -> int:
        """The number of the cell at (x, y), free or not."""
        x, y = _position(place)
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise ProblemError(f"{shown((x, y))} is outside the map, which is {self.width} wide and {self.height} high")
        return y * self.width + x

    def state(self, place: Any) -> int:
        """The number of the free cell at (x, y)."""
        state = self.inside(place)
        x, y = self.place(state)
        if not self.passable[y, x]:
            raise ProblemError(f"({x}, {y}) is blocked; choose a free cell{_free_neighbour(self.passable, x, y)}")
        return state

    def place(self, state: int) -> Position:
        """The (x, y) of a cell's number."""
        return state % self.width, state // self.width

    def places(self, states: np.ndarray) -> Sequence[Position]:
        """The (x, y) of many cells' numbers."""
        return list(zip((states % self.width).tolist(), (states // self.width).tolist(), strict=True))

    def compiled(self, goal: int) -> CompiledGrid:
        """The form in which compiled code takes this grid."""
        flat, steep, straight = self._estimate
        return CompiledGrid(
            self.moves,
            self._offsets,
            self._prices,
            self._travel,
            self._travel_bits,
            np.empty(0, self.moves.dtype),
            self.width,
            *self._inverse,
            goal,
            goal % self.width,
            goal // self.width,
            flat,
            steep,
            straight,
        )

    def walk_cost(self, states: np.ndarray) -> float:
        """What a walk costs: its straight, diagonal and knight moves, counted, or each times its travel cost."""
        if self.travel is not None:
            return float(_travel_cost(states, self.width, self._inverse, self.diagonal, self.travel.ravel()))
        straight, diagonal, knight = _count_moves(states, self.width, self._inverse)
        return straight + diagonal * self.diagonal + knight * SQRT5


@compiled
def _squared_length(start: Int, end: Int, width: int, inverse: tuple[int, int]) -> int:
    dy = (end * inverse[0] >> inverse[1]) - (start * inverse[0] >> inverse[1])
    dx = end - start - dy * width
    return dx * dx + dy * dy


@compiled
def _count_moves(states: np.ndarray, width: int, inverse: tuple[int, int]) -> tuple[int, int, int]:
    """How many moves of a path are straight, diagonal and knight moves."""
    straight = diagonal = knight = 0
    for i in range(len(states) - 1):
        square = _squared_length(np.int64(states[i]), np.int64(states[i + 1]), width, inverse)
        straight += square == 1
        diagonal += square == 2
        knight += square == 5
    return straight, diagonal, knight


@compiled
def _travel_cost(
    states: np.ndarray, width: int, inverse: tuple[int, int], diagonal: float, travel: np.ndarray
) -> float:
    cost = 0.0
    for i in range(len(states) - 1):
        square = _squared_length(np.int64(states[i]), np.int64(states[i + 1]), width, inverse)
        length = 1.0 if square == 1 else diagonal if square == 2 else SQRT5 if square == 5 else 0.0  # a jump is free
        cost += length * (travel[states[i]] + travel[states[i + 1]]) / 2
    return cost


def _checked_map(passable: npt.ArrayLike) -> np.ndarray:
    array = values.numeric_array(
        passable, "a grid needs a boolean map (True where one can be), indexed [y, x]", WorldError
    )
    if array.ndim != 2 or array.size == 0:
        raise WorldError(f"a grid needs a map of two dimensions with at least one cell, not one of shape {array.shape}")
    if array.dtype != bool:
        if not np.isin(array, (0, 1)).all():
            raise WorldError(f"a grid needs a boolean map (True where one can be), not {array.dtype} values")
        array = array.astype(bool)
    if array.size > MAX_STATES:
        raise WorldError(f"a grid can have {MAX_STATES} cells at most, not {array.size}")
    return frozen(array)


def _checked_rules(neighbors: int, corners: str, diagonal: float) -> tuple[int, Corners, float]:
    neighbors = values.one_of(neighbors, (4, 8, 16), "a grid has 4, 8 or 16 neighbours", WorldError)
    rule = values.one_of(corners, CORNERS, "corners are 'strict' or 'cut'", WorldError)
    diagonal = values.number(diagonal, "a diagonal move costs from 1 to 2", lambda cost: 1 <= cost <= 2, WorldError)
    if neighbors == 16 and not 1.24 <= diagonal <= 1.49:
        raise WorldError(f"beside knight moves a diagonal move costs from 1.24 to 1.49, not {diagonal}")
    return neighbors, rule, float(diagonal)


def _checked_travel(travel: npt.ArrayLike, passable: np.ndarray) -> np.ndarray:
    costs = values.floats(travel, "travel costs are an array of numbers, one for every cell", WorldError)
    if costs.shape != passable.shape:
        raise WorldError(f"travel costs need the shape of the map, {passable.shape}, not {costs.shape}")
    wrong = passable & ~((costs >= 1) & (costs <= 1e6))  # NaN is neither
    if wrong.any():
        y, x = np.argwhere(wrong)[0].tolist()
        raise WorldError(f"the travel cost of ({x}, {y}) is {costs[y, x]}; it must be a number from 1 to a million")
    costs[~passable] = 1.0
    return frozen(costs)


def _checked_longest(longest: int) -> int:
    if longest >= 2**61:
        raise WorldError("the travel costs of this map are too large for exact sums; divide them by their least")
    return longest


def _whole_travel(travel: np.ndarray | None) -> tuple[np.ndarray, int]:
    """Travel costs as whole numbers of 2**-bits, as fine as 32 bits allow, but no finer than 2**-20."""
    if travel is None:
        return np.empty(0, np.uint32), 0
    bits = min(20, 31 - math.ceil(math.log2(travel.max() + 1)))
    return np.round(travel.ravel() * 2.0**bits).astype(np.uint32), bits


# The first of each is the exact distance without obstacles; one made for fewer moves would overestimate.
HEURISTICS = {
    4: ("manhattan", "octile", "euclidean", "none"),
    8: ("octile", "euclidean", "none"),
    16: ("knight", "euclidean", "none"),
}


def _checked_heuristic(name: str, neighbors: int) -> str:
    names = HEURISTICS[neighbors]
    if not (isinstance(name, str) and name in ("auto", *names)):
        there = ", ".join(map(repr, names))
        raise WorldError(f"heuristic {shown(name)} does not fit {neighbors} neighbours; there are 'auto', {there}")
    return names[0] if name == "auto" else name


def _unit(neighbors: int, diagonal: float, heuristic: str, *, weighted: bool) -> int:
    """The coarsest unit in which every move's cost and the heuristic are whole; 2**-20 where there is none."""
    tenths = neighbors == 8 and diagonal == 1.4
    if weighted:
        return 10 << 16 if tenths else 1 << 20
    if neighbors == 4 and heuristic in ("manhattan", "none"):
        return 1
    return 10 if tenths else 1 << 20


def _estimate(name: str, unit: int, prices: np.ndarray) -> tuple[tuple[int, int], tuple[int, int], float]:
    """The numbers that make the heuristic: flat, steep and straight of `CompiledGrid`."""
    one = unit
    two = int(prices[4]) if len(prices) > 4 else round(SQRT2 * unit)
    if name == "euclidean":
        # Per length what the cheapest move costs: prices are rounded, and a diagonal of 1.4 is shorter than it looks.
        lengths = np.hypot(*STEPS[: len(prices)].T)
        return (0, 0), (0, 0), float((prices / lengths).min()) * (1 - 1e-12)
    if name == "knight":
        knight = int(prices[8])
        return (one, knight - 2 * one), (knight - two, 2 * two - knight), 0.0
    linear = {"none": (0, 0), "manhattan": (one, one), "octile": (one, two - one)}[name]
    return linear, linear, 0.0


def _position(place: Any) -> Position:
    try:
        x, y = place
        if type(x) is int and type(y) is int:
            return x, y
        if values.is_number(x) and values.is_number(y) and int(x) == x and int(y) == y:
            return int(x), int(y)
    except (TypeError, ValueError, OverflowError):  # nothing to take apart, or infinite
        pass
    raise ProblemError(f"a position is two whole numbers (x, y), not {shown(place)}")


def _free_neighbour(passable: np.ndarray, x: int, y: int) -> str:
    """A hint: the free cell nearest to a blocked one, if one is near."""
    top, left = max(0, y - 8), max(0, x - 8)
    near = np.argwhere(passable[top : y + 9, left : x + 9]) + np.array((top, left))
    if not len(near):
        return ""
    best = near[np.argmin(((near - (y, x)) ** 2).sum(axis=1))]
    return f", for example ({best[1]}, {best[0]})"
