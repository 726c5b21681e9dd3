"""Grids with 4, 8 or 16 neighbours.

One bit of `moves[state]` says whether a move is legal, corner rule included, so a search looks once per state instead
of once per neighbour. Prices and heuristics are whole numbers of the grid's unit.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled import compiled, inlined, lowest_bit
from ..core import values
from ..core.errors import ProblemError, WorldError
from ..core.integers import Int
from ..core.memory import read_only
from ..core.wording import shown
from . import grid_input
from .changes import MOST_NOTES, Noted
from .grid_input import Corners, Position
from .ground import Ground, Mobilities, checked_kind
from .interface import aimed, heuristic, is_goal, moves_to_goal, predecessors, successors
from .poses import Frame, Pose
from .world import World

if TYPE_CHECKING:
    from .bodies import BodyGrid, Size

# Right, down, left, up; the diagonals between them; then the knight moves, clockwise from right-right-down.
STEPS = np.array(
    [
        *((1, 0), (0, 1), (-1, 0), (0, -1)),
        *((1, 1), (-1, 1), (-1, -1), (1, -1)),
        *((2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)),
    ]
)
NO_ORIGIN = (0.0, 0.0, 0.0)
SQRT2, SQRT5 = math.sqrt(2), math.sqrt(5)
NO_COSTS = np.empty(0, np.uint32)
_ALL_ONE = np.empty(0)  # travel costs
_SHARED = ("_free", "_costs", "without_obstacles", "jump_points")  # the same as other arrays, or made from them


class CompiledGrid(NamedTuple):
    """The compiled form of a grid."""

    moves: np.ndarray  # bit k of moves[state]: STEPS[k] is legal there
    offsets: np.ndarray  # STEPS[k] leads to state + offsets[k]
    prices: np.ndarray  # and costs prices[k]
    travel: np.ndarray  # travel cost of every cell in 2**-travel_bits, or empty
    travel_bits: int
    own: np.ndarray  # travel costs that an agent believes to be different, otherwise 0; or empty
    patch: np.ndarray  # an agent's differing beliefs: its moves are moves[state] ^ patch[state]; or empty
    width: int
    inverse: int  # state // width is state * inverse >> inverse_bits: a division would cost as much as the rest of h
    inverse_bits: int
    # With distances far >= near to the goal in x and y, h is the larger of flat[0] * far + flat[1] * near
    # and steep[0] * far + steep[1] * near;
    flat: tuple[int, int]
    steep: tuple[int, int]
    straight: float  # but if this is not 0, h is this many times the straight-line distance
    goal: Int
    goal_x: Int
    goal_y: Int


@inlined
def believed_travel(world: CompiledGrid, state: Int) -> Any:
    """Return the travel cost of a cell, as far as the agent knows."""
    if len(world.own) and world.own[state]:
        return np.int64(world.own[state])
    return np.int64(world.travel[state])


@successors.of(CompiledGrid)
def _grid_successors(world: CompiledGrid, state: Int) -> Iterator[tuple[int, int]]:
    legal: Any = np.int64(world.moves[state])
    if len(world.patch):
        legal ^= world.patch[state]
    while legal:
        k = lowest_bit(legal)
        legal &= legal - 1
        successor = state + world.offsets[k]
        price = world.prices[k]
        if len(world.travel):
            both = believed_travel(world, state) + believed_travel(world, successor)
            price = price * both >> (world.travel_bits + 1)
        yield successor, price


predecessors.of(CompiledGrid)(_grid_successors)  # every move can be undone, at the same cost


@aimed.of(CompiledGrid)
def _grid_aimed(world: CompiledGrid, goal: Int) -> CompiledGrid:
    y = goal // world.width
    return CompiledGrid(*world[:-3], goal, goal - y * world.width, y)


@moves_to_goal.of(CompiledGrid)
def _moves_to_goal(world: CompiledGrid, state: Int) -> int:
    y = state // world.width
    dx, dy = abs(state - y * world.width - world.goal_x), abs(y - world.goal_y)
    if len(world.offsets) == 4:
        return dx + dy
    far = max(dx, dy)
    return far if len(world.offsets) == 8 else max((far + 1) // 2, (dx + dy + 2) // 3)  # knight moves: 2 cells and 1


@heuristic.of(CompiledGrid)
def _grid_heuristic(world: CompiledGrid, state: Int) -> Int:
    y = state * world.inverse >> world.inverse_bits
    dx, dy = abs(state - y * world.width - world.goal_x), abs(y - world.goal_y)
    if world.straight != 0.0:
        return np.int64(world.straight * math.sqrt(np.float64(dx * dx + dy * dy)))
    far, near = max(dx, dy), min(dx, dy)
    return max(world.flat[0] * far + world.flat[1] * near, world.steep[0] * far + world.steep[1] * near)


@is_goal.of(CompiledGrid)
def _grid_is_goal(world: CompiledGrid, state: Int) -> bool:
    return state == world.goal


def cells_needed(dx: int, dy: int, corners: str) -> list[Position]:
    """Return the cells, relative to its start, that the move (dx, dy) needs free: its end, and those it crosses.

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
    """Return the legal moves of every cell: bit k stands for STEPS[k]."""
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


@cache
def needs_of(neighbors: int, corners: str) -> np.ndarray:
    """Return for every move the three cells that must be free, or fewer, repeated: x, y, x, y, ..."""
    cells = [(cells_needed(dx, dy, corners) * 3)[:3] for dx, dy in STEPS[:neighbors].tolist()]
    return np.array(cells).ravel()


# Notes of changes concern cells or their costs: twice the number of the cell, plus 1 for its cost.
OF_CELL, OF_COST = 0, 1


@compiled
def change_cells(
    cells: np.ndarray, free: bool, passable: np.ndarray, moves: np.ndarray, width: int, needs: np.ndarray
) -> int:
    """Free or block cells; return how many changed, and put these at the beginning of `cells`."""
    changed = 0
    for i in range(len(cells)):
        cell = cells[i]
        if passable[cell] != free:
            passable[cell] = free
            cells[changed] = cell
            changed += 1
            correct_moves(cell, passable, moves, width, needs)
    return changed


@inlined
def correct_moves(cell: Int, passable: Any, moves: Any, width: int, needs: Any) -> None:
    """Update the moves around a cell that was freed or blocked."""
    height, reach = len(passable) // width, 2 if len(needs) > 48 else 1
    y = cell // width
    x = cell - y * width
    for cy in range(max(0, y - reach), min(height, y + reach + 1)):
        for cx in range(max(0, x - reach), min(width, x + reach + 1)):
            legal = (1 << len(needs) // 6) - 1 if passable[cy * width + cx] else 0
            for j in range(0, len(needs) if legal else 0, 2):
                nx, ny = cx + needs[j], cy + needs[j + 1]
                if not (0 <= nx < width and 0 <= ny < height and passable[ny * width + nx]):
                    legal &= ~(1 << j // 6)
            moves[cy * width + cx] = legal


# ------------------------------------------------------------------ the grid that users see


class Grid(World):
    """A map of square cells, passable or not.

    Parameters
    ----------
    passable
        Boolean array, indexed `[y, x]`: True where an agent can be.
    neighbors
        4, 8, or 16 (8 plus knight moves, which cost the square root of 5).
    corners
        `"strict"`: a diagonal move needs both orthogonal cells free (what MovingAI's scenario lengths mean);
        `"cut"`: it needs only its target.
    diagonal
        The cost of a diagonal move, from 1 to 2.
    travel
        Travel cost of every cell, 1 or more (mud, roads), in the map's shape: a move costs its length times the mean of
        the two cells it joins.
    heuristic
        `"auto"` is the exact distance on an empty map: `"manhattan"`, `"octile"` or `"knight"` for 4, 8
        and 16 neighbours. `"euclidean"` and `"none"` work everywhere.
    mobilities
        Then `passable` says what covers every cell, in whole numbers from 0 to 255. For each mobility: which of these
        kinds of ground it can cross, at which cost. Agents name theirs; see `for_body`.
    resolution, origin
        Metres per cell, and x, y and yaw of the lower left corner in metres and radians. ROS map files have them.

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
    jump_points: Any = None  # what `search.jump_points` keeps of this grid
    bodies: "dict[tuple[str | None, Size], BodyGrid]"
    """What it is to bodies: see `for_body`."""

    def __init__(
        self,
        passable: npt.ArrayLike,
        *,
        neighbors: int = 8,
        corners: Corners = "strict",
        diagonal: float = SQRT2,
        travel: npt.ArrayLike | None = None,
        heuristic: str = "auto",
        mobilities: Mobilities | None = None,
        resolution: float | None = None,
        origin: Sequence[float] = NO_ORIGIN,
        name: str = "",
    ):
        self.name = values.name_of(name, "a grid", WorldError)
        self.ground = None if mobilities is None else Ground(passable, mobilities)
        self._free = grid_input.checked_map(
            passable if self.ground is None else self.ground.passable().reshape(np.shape(passable))
        )
        self._is_part_of, self.bodies = "", {}
        self.resolution, self.origin = grid_input.checked_frame(resolution, origin)
        self.passable = read_only(self._free)
        self.neighbors, self.corners, self.diagonal = grid_input.checked_rules(neighbors, corners, diagonal)
        self.height, self.width = self.passable.shape
        self.states = self.passable.size
        bits = 31 + (self.width - 1).bit_length()
        self._inverse = -(-(1 << bits) // self.width), bits
        neighbors, corners = self.neighbors, self.corners
        self.branching = self.most_predecessors = neighbors
        self.heuristic = grid_input.checked_heuristic(heuristic, neighbors)
        self._take_costs(None if travel is None else grid_input.checked_travel(travel, self.passable))
        self._offsets = STEPS[:neighbors, 1] * self.width + STEPS[:neighbors, 0]
        self.moves = legal_moves(self.passable, neighbors, corners)

    def _take_costs(self, costs: np.ndarray | None) -> None:
        """Set travel costs, or none; prices and sums follow from them."""
        self._costs, self.jump_points = costs, None
        self.travel = None if costs is None else read_only(costs)
        self.unit = _unit(self.neighbors, self.diagonal, self.heuristic, weighted=costs is not None)
        lengths = [1.0] * 4 + [self.diagonal] * 4 + [SQRT5] * 8
        self._prices = np.array([round(length * self.unit) for length in lengths[: self.neighbors]], np.int64)
        self._longest_step = int(self._prices.max())
        self._estimate = _estimate(self.heuristic, self.unit, self._prices)
        self._travel, self._travel_bits = _whole_travel(costs)
        self.highest_cost = self._longest_step * max(1, math.ceil(1.0 if costs is None else costs.max()))
        self.cheapest = int(self._prices.min())
        self._sum_of_costs = float(self.states if costs is None else costs.sum())
        self.longest = grid_input.checked_longest(math.ceil(self._sum_of_costs) * self._longest_step)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name not in _SHARED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Give every copy, shallow or deep, its own arrays: it does not change with the original."""
        super().__setstate__(state)
        self._free, self.moves, self._travel = np.array(self.passable), self.moves.copy(), self._travel.copy()
        self._costs = None if self.travel is None else np.array(self.travel)
        self.passable, self.travel = read_only(self._free), None if self._costs is None else read_only(self._costs)
        self.bodies = {}

    @classmethod
    def load(cls, path: str | PathLike[str], *, unknown: str | float = "blocked", **rules: Any) -> "Grid":
        """Load a grid from a map file (MovingAI, image, ROS, NumPy, Tiled) or a built-in map; `rules` as for `Grid`.

        With `mobilities`, kinds of ground are the letters of MovingAI's files, grey values of images, and tile numbers
        of Tiled. `unknown` is for ROS maps: whether unknown cells are `"free"`, `"blocked"`, or passable at a cost.
        """
        from ..maps import read, read_ground

        if rules.get("mobilities") is not None:
            return cls(read_ground(path), **rules)
        loaded = read(path)
        if loaded.resolution is None and not (isinstance(unknown, str) and unknown == "blocked"):
            raise ProblemError(f"{path} has no unknown cells: only ROS maps (.yaml) do")
        rules = {"resolution": loaded.resolution, "origin": loaded.origin or NO_ORIGIN, "name": loaded.name, **rules}
        return cls._with_unknown(loaded.passable, loaded.unknown, unknown, rules)

    @classmethod
    def from_occupancy(cls, occupancy: npt.ArrayLike, *, unknown: str | float = "blocked", **rules: Any) -> "Grid":
        """Make a grid from the occupancies of ROS (`nav_msgs/OccupancyGrid`): an array whose first row is the lowest.

        0 to 19 percent are free, 66 to 100 occupied, all others unknown: `"free"`, `"blocked"`, or passable at a cost.

        >>> import timebound as tb
        >>> world = tb.Grid.from_occupancy([[0, 100], [0, -1]], unknown=5, resolution=0.05)
        >>> world.passable.tolist(), world.travel.tolist(), world.cell(0.07, 0.01)
        ([[True, True], [True, False]], [[1.0, 5.0], [1.0, 1.0]], (1, 1))
        """
        rule = "an occupancy grid is an array [y, x] of numbers from -1 to 100"
        percent = values.numeric_array(occupancy, rule)
        if percent.ndim != 2:
            raise ProblemError(f"{rule}, not {shown(occupancy)}")
        percent = percent[::-1]
        free = (percent >= 0) & (percent < 20)
        return cls._with_unknown(free, ~free & ~((percent > 65) & (percent <= 100)), unknown, rules)

    @classmethod
    def _with_unknown(cls, passable: np.ndarray, cells: np.ndarray, unknown: Any, rules: Any) -> "Grid":
        """Make a grid on which these cells are unknown."""
        if isinstance(unknown, str) and unknown == "blocked":
            return cls(passable, **rules)
        if not (isinstance(unknown, str) and unknown == "free"):
            rule = "unknown cells are 'free', 'blocked', or cost from 1 to a million"
            cost = values.number(unknown, rule, lambda given: 1 <= given <= grid_input.MOST_COST)
            given = rules.get("travel")
            travel = grid_input.checked_travel(np.ones(passable.shape) if given is None else given, passable)
            travel[cells] = cost
            rules = {**rules, "travel": travel}
        return cls(passable | cells, **rules)

    def __repr__(self) -> str:
        free = int(np.count_nonzero(self.passable))
        return f"Grid({self.width} x {self.height}, {free} free, {self.neighbors} neighbours, {self.corners} corners)"

    @property
    def rounding_of_distances(self) -> int:  # type: ignore[override]
        """See `World`: the straight-line distance is rounded; the others are exact."""
        return 2 if self.heuristic == "euclidean" else 0

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width), as in NumPy."""
        return self.height, self.width

    @cached_property
    def without_obstacles(self) -> "Grid":
        """The same grid, all free: what an agent assumes about unknown terrain. It shares travel costs."""
        free = self.with_map(self.possible)
        free._costs, free.travel, free._travel = self._costs, self.travel, self._travel
        free._is_part_of = "what agents assume about another grid"
        return free

    @property
    def possible(self) -> np.ndarray:
        """Which cells may be free, as far as somebody knows who has not seen the map."""
        return np.ones(self.shape, bool)

    def for_body(self, mobility: "str | None" = None, size: "Size" = 1) -> "Grid":
        """Return this map as a body meets it: a grid of the places where it fits. It follows every change of the map.

        Parameters
        ----------
        mobility
            One of the map's `mobilities`, if it has any.
        size
            A body of size k covers k x k cells; its place is the upper left one. Or a `Disc`, whose place is its
            centre.

        Raises
        ------
        ProblemError
            If the map has no such mobility, or the body is larger than the map.

        Examples
        --------
        >>> import numpy as np, timebound as tb
        >>> world = tb.Grid(np.array([[0, 0, 1, 1], [0, 0, 1, 2]]), mobilities={"land": {0: 1, 1: 3}, "boat": {2: 1}})
        >>> print(world.for_body("land", size=2).passable.astype(int))
        [[1 1 0 0]
         [0 0 0 0]]
        >>> world.block([(0, 1)])
        >>> tb.shortest_path(world, (1, 0), (1, 0), mobility="land", size=2).solved
        True
        """
        if mobility is None and self.ground is None and size.__class__ is int and size == 1:
            return self
        if self.ground is not None or mobility is not None:
            names = [] if self.ground is None else [*self.ground.costs]
            rule = f"this map's mobilities are {', '.join(map(repr, names))}" if names else "this map has no mobilities"
            mobility = values.one_of(mobility, names, rule)
        elif type(size) is int and size == 1:  # nearly all bodies
            return self
        from .bodies import BodyGrid, checked_size

        key = mobility, checked_size(size, self)
        if key == (None, 1):
            return self
        if key not in self.bodies:
            self.bodies[key] = BodyGrid(self, *key)
        return self.bodies[key]

    def with_map(self, passable: np.ndarray) -> "Grid":
        """Return a grid with the same rules and another map."""
        return Grid(passable, travel=self.travel, **self.rules)

    @property
    def rules(self) -> dict[str, Any]:
        """What the constructor was given besides the map and its costs."""
        rules = ("neighbors", "corners", "diagonal", "heuristic", "resolution", "origin", "name")
        return {rule: getattr(self, rule) for rule in rules}

    # ---------------------------------------------------------------- changes

    def block(self, places: Iterable[Any]) -> None:
        """Block cells, at any time; agents in known terrain learn of it immediately, others when they see it."""
        self._change_map(places, False)

    def unblock(self, places: Iterable[Any]) -> None:
        """Free cells."""
        self._change_map(places, True)

    def _change_map(self, places: Iterable[Any], free: bool) -> None:
        cells = self._cells_to_change(places)
        with self._changing(len(cells)):
            if self.ground is not None:
                self.ground.walled.ravel()[cells] = not free
                cells = cells[self.ground.passable(cells) == free]
            self.set_free(cells, free)

    def set_free(self, cells: np.ndarray, free: bool) -> None:
        """Free or block cells, given by their numbers."""
        with self._changing(len(cells)):
            count = self._make(cells, free)
            self.changes.note(2 * cells[:count] + OF_CELL, np.full(count, not free))
            self._tell_bodies(cells[:count])

    def _tell_bodies(self, cells: np.ndarray) -> None:
        for body in self.bodies.values():
            body.follow(cells)

    def set_ground(self, places: Iterable[Any], kind: int | str) -> None:
        """Cover cells with another kind of ground; what is blocked stays blocked until it is unblocked."""
        cells = self._cells_to_change(places)
        if self.ground is None:
            raise ProblemError("this map has no kinds of ground: give the grid `mobilities`")
        number = checked_kind(kind)
        with self._changing(2 * len(cells)):
            self.ground.kinds.ravel()[cells] = number
            free = self.ground.passable(cells)
            self.set_free(cells[~free], False)
            self.set_free(cells[free], True)
            self._tell_bodies(cells)

    def set_cost(self, places: Iterable[Any], cost: float) -> None:
        """Change the travel cost of cells, from 1 to a million; blocked cells get it when they are freed.

        A grid without travel costs gets them: 1 everywhere else. That takes time in proportion to the
        map, once, and agents on it replan from scratch.
        """
        cells = np.unique(self._cells_to_change(places))
        cost = values.number(cost, grid_input.COST_RULE, lambda given: 1 <= given <= grid_input.MOST_COST)
        self.set_costs(cells, np.full(len(cells), float(cost)))

    def set_costs(self, cells: np.ndarray, given: np.ndarray) -> None:
        """Change the travel cost of every cell, given by its number, to its own value."""
        if not len(cells):
            return
        most = float(given.max())
        if self.ground is not None:
            self.ground.check_travel(most)
        with self._changing(len(cells)):
            costs = self.allow_costs(most).ravel()
            total = self._sum_of_costs + float(given.sum() - costs[cells].sum())
            for body in self.bodies.values():
                grid_input.checked_longest(math.ceil(total * body.most_expensive) * self._longest_step)
            self.longest = grid_input.checked_longest(math.ceil(total) * self._longest_step)
            before = self._travel[cells].astype(np.int64)
            self._sum_of_costs, costs[cells] = total, given
            self._travel[cells] = self.whole_costs(given)
            self.highest_cost = max(self.highest_cost, self._longest_step * math.ceil(most))
            differ = self._travel[cells] != before
            self.changes.note(2 * cells[differ] + OF_COST, before[differ])
            self._tell_bodies(cells)

    @property
    def costs_of_cells(self) -> tuple[np.ndarray, int, int]:
        """Return travel costs for compiled code, in 2**-bits, and the most expensive move at travel cost 1."""
        return self._travel, self._travel_bits, self._longest_step

    def whole_costs(self, costs: Any) -> Any:
        """Return travel costs for compiled code."""
        return np.rint(costs * 2.0**self._travel_bits).astype(np.int64)

    def allow_costs(self, cost: float) -> np.ndarray:
        """Add travel costs if there are none, and make room for this one in their range; return them."""
        if self._costs is not None and cost * 2.0**self._travel_bits < 2**31:
            return self._costs
        costs = np.ones(self.shape) if self._costs is None else self._costs
        with self._changing(MOST_NOTES):
            unit, bits = self.unit, self._travel_bits
            self._take_costs(costs)
            self._travel, self._travel_bits = _whole_travel(costs, max(cost, float(costs.max())))
            self.__dict__.pop("without_obstacles", None)
            self.changes.rescale(self.unit / unit, self._travel_bits - bits)
        return costs

    def _cells_to_change(self, places: Iterable[Any]) -> np.ndarray:
        if self._is_part_of:
            raise ProblemError(f"this grid is {self._is_part_of}; change that one")
        return self.cells(places, "cells are a list of positions (x, y)")

    def copy_cells(self, other: "Grid", cells: np.ndarray) -> None:
        """Make these cells free or blocked, as they are on another grid of the same size."""
        free = other.passable.ravel()[cells]
        for fact in (False, True):
            self._make(cells[free == fact], fact)

    def _make(self, cells: np.ndarray, free: bool) -> int:
        """Free or block cells; return how many changed, and put these at the beginning of `cells`."""
        kept, self.jump_points = self.jump_points, None  # Ctrl-C in between leaves none
        needs = needs_of(self.neighbors, self.corners)
        count = change_cells(cells, free, self._free.ravel(), self.moves, self.width, needs)
        self.jump_points = kept and kept.corrected(cells[:count])
        return count

    def crossed(self, state: int, other: int) -> list[int]:
        """Return the cells that must be free for a move; without its start, since an agent in a wall may leave."""
        (x, y), (there_x, there_y) = self.place(state), self.place(other)
        steps = cells_needed(there_x - x, there_y - y, self.corners)
        return [(y + dy) * self.width + x + dx for dx, dy in steps]

    # ---------------------------------------------------------------- places

    @property
    def frame(self) -> Frame:
        """Where the map lies, in metres."""
        if self.resolution is None:
            raise ProblemError("this map has no metres: give the grid a `resolution`")
        return Frame(self.resolution, self.origin, self.height)

    def cell(self, x: float, y: float) -> Position:
        """Return the cell at a place in metres.

        >>> import numpy as np, timebound as tb
        >>> world = tb.Grid(np.ones((20, 30), bool), resolution=0.5, origin=(-1, -1, 0))
        >>> world.cell(-0.9, 8.8), world.metres((0, 0))
        ((0, 0), Pose(x=-0.75, y=8.75))
        """
        cell = self.frame.cell(
            *(
                values.number(each, "a pose is two numbers in metres", lambda given: abs(given) < 1e12)
                for each in (x, y)
            )
        )
        self.inside(cell)
        return cell

    def metres(self, cell: Any) -> Pose:
        """Return where the middle of a cell lies, in metres."""
        return self.frame.pose(self.place(self.inside(cell)))

    def inflate(self, radius: float, *, margin: float = 0.0, cost: float = 1.0, mobility: str | None = None) -> "Grid":
        """Return this map as a round robot meets it, as costmaps do: `for_body` with a `Disc`, in metres.

        >>> import numpy as np, timebound as tb
        >>> world = tb.Grid(np.ones((20, 30), bool), resolution=0.1)
        >>> room = world.inflate(0.22, margin=0.5, cost=10)
        >>> world.block([(9, 9)])  # it follows
        >>> room.passable[9, 7:12].tolist(), room.travel[9, 12:15].round(1).tolist()
        ([False, False, False, False, False], [8.5, 5.1, 3.3])
        """
        from .bodies import Disc

        scale = self.frame.resolution
        for length in (radius, margin):
            values.number(length, "the radius and margin of a robot are numbers of metres", lambda given: given >= 0)
        return self.for_body(mobility, Disc(radius / scale, margin / scale, cost))

    def inside(self, place: Any) -> int:
        """Return the number of the cell at (x, y), free or not."""
        x, y = self.cell(*place) if isinstance(place, Pose) else grid_input.position(place)
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise ProblemError(f"{shown((x, y))} is outside the map, which is {self.width} wide and {self.height} high")
        return y * self.width + x

    def cells(self, places: Any, rule: str) -> np.ndarray:
        """Return the numbers of cells, free or not, given as a list of positions or as an array of them in rows."""
        given = values.rows(places, rule)
        positions = grid_input.whole_positions(given)
        if positions is None:
            return np.array([self.inside(place) for place in given], np.int64)
        x, y = positions.T
        outside = (x < 0) | (x >= self.width) | (y < 0) | (y >= self.height)
        if outside.any():
            self.inside(given[int(np.argmax(outside))])
        return y * self.width + x

    def state(self, place: Any) -> int:
        """Return the number of the free cell at (x, y)."""
        state = self.inside(place)
        if not self.passable.item(state):
            x, y = self.place(state)
            raise ProblemError(f"({x}, {y}) is blocked; choose a free cell{self._hint(x, y)}")
        return state

    def _hint(self, x: int, y: int) -> str:
        return grid_input.free_neighbour(self.passable, x, y)

    def place(self, state: int) -> Position:
        """Return the (x, y) of the cell with that number."""
        return state % self.width, state // self.width

    def places(self, states: np.ndarray) -> Sequence[Position]:
        """Return the (x, y) of the cells with these numbers."""
        return list(zip((states % self.width).tolist(), (states // self.width).tolist(), strict=True))

    def places_in_rows(self, states: np.ndarray) -> np.ndarray:
        """Return the same as an array of rows x, y."""
        return np.stack([states % self.width, states // self.width], axis=1).astype(np.int64)

    def compiled(self, goal: int) -> CompiledGrid:
        """Return the compiled form of this grid."""
        return self.believed(goal, np.empty(0, self.moves.dtype), NO_COSTS)

    def believed(self, goal: int, patch: np.ndarray, own: np.ndarray) -> CompiledGrid:
        """Return the same as an agent believes it to be: `patch` has its differing moves, `own` its travel costs."""
        parts: Any = (self.moves, self._offsets, self._prices, self._travel, self._travel_bits, own, patch, self.width)
        return CompiledGrid(*parts, *self._inverse, *self._estimate, goal, goal % self.width, goal // self.width)  # type: ignore[call-arg]

    def walk_cost(self, states: np.ndarray) -> float:
        """Return the cost of a walk: the sum of its straight, diagonal and knight moves, each times its travel cost."""
        return self.walk_length(states) if self.travel is None else self._sum(states, self.travel.ravel()[states])

    def walk_cost_then(self, states: np.ndarray, noted: Noted) -> float:
        """Return what a walk cost before these changes."""
        costs = noted.subjects % 2 == OF_COST
        if self.travel is None or not costs.any():
            return self.walk_cost(states)
        cells, before = noted.subjects[costs] // 2, noted.before[costs] * 2.0**-self._travel_bits
        places = np.minimum(np.searchsorted(cells, states), len(cells) - 1)
        return self._sum(states, np.where(cells[places] == states, before[places], self.travel.ravel()[states]))

    def walk_length(self, states: np.ndarray) -> float:
        """Return the cost of a walk if every cell costs 1."""
        return self._sum(states, _ALL_ONE)

    def _sum(self, states: np.ndarray, travel: np.ndarray) -> float:
        return float(_sum_of_moves(states, travel, self.diagonal, self.width, self._inverse))


@compiled
def _sum_of_moves(
    states: np.ndarray, travel: np.ndarray, diagonal: float, width: int, inverse: tuple[int, int]
) -> float:
    """Return the length of a walk; or its cost, given the travel costs of its cells. A jump costs nothing."""
    straight = diagonals = knights = 0
    cost = 0.0
    for i in range(len(states) - 1):
        start, end = np.int64(states[i]), np.int64(states[i + 1])
        dy = (end * inverse[0] >> inverse[1]) - (start * inverse[0] >> inverse[1])
        dx = end - start - dy * width
        square = dx * dx + dy * dy
        if len(travel):
            length = 1.0 if square == 1 else diagonal if square == 2 else SQRT5 if square == 5 else 0.0
            cost += length * (travel[i] + travel[i + 1]) / 2
        else:  # numbers of moves: their sums are exact
            straight += square == 1
            diagonals += square == 2
            knights += square == 5
    return cost + straight + diagonals * diagonal + knights * SQRT5


def _whole_travel(travel: np.ndarray | None, most: float | None = None) -> tuple[np.ndarray, int]:
    """Return travel costs as whole numbers of 2**-bits: as fine as 32 bits allow, but not finer than 2**-20."""
    if travel is None:
        return NO_COSTS, 0
    bits = min(20, 31 - math.ceil(math.log2((travel.max() if most is None else most) + 1)))
    return np.round(travel.ravel() * 2.0**bits).astype(np.uint32), bits


def _unit(neighbors: int, diagonal: float, heuristic: str, *, weighted: bool) -> int:
    """Return the coarsest unit in which every move's cost and the heuristic are whole; 2**-20 if there is none."""
    tenths = neighbors == 8 and diagonal == 1.4
    if weighted:
        return 10 << 16 if tenths else 1 << 20
    if neighbors == 4 and heuristic in ("manhattan", "none"):
        return 1
    return 10 if tenths else 1 << 20


def _estimate(name: str, unit: int, prices: np.ndarray) -> tuple[tuple[int, int], tuple[int, int], float]:
    """Return the numbers of the heuristic: flat, steep and straight of `CompiledGrid`."""
    one = unit
    two = int(prices[4]) if len(prices) > 4 else round(SQRT2 * unit)
    if name == "euclidean":
        # The cost of the cheapest move per length: prices are rounded, and a diagonal of 1.4 is less than its length.
        lengths = np.hypot(*STEPS[: len(prices)].T)
        return (0, 0), (0, 0), float((prices / lengths).min()) * (1 - 1e-12)
    if name == "knight":
        knight = int(prices[8])
        return (one, knight - 2 * one), (knight - two, 2 * two - knight), 0.0
    linear = {"none": (0, 0), "manhattan": (one, one), "octile": (one, two - one)}[name]
    return linear, linear, 0.0
