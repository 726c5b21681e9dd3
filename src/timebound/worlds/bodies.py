"""One map for bodies of every size and mobility: each meets it as a grid of the places where it fits.

A body stands at a place: the upper left of its k x k cells, or the centre of a disc. In its `BodyGrid` a place is
passable where all cells below the body are, and costs as much as the most expensive of them. When the map changes, only
places whose body touches a changed cell are looked at again.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..compiled import compiled
from ..core import values
from ..core.errors import ProblemError
from .grid import Grid
from .grid_input import MOST_COST

NOTHING, FREE = 0, 1  # what an agent was told about a cell; else it is blocked
FADING = 3.0  # at the end of a disc's margin, the cost of being near an obstacle is down to exp(-3), a twentieth


@dataclass(frozen=True)
class Disc:
    """A round body, such as a robot, which touches all cells that are less than `radius` cells away from its centre.

    Parameters
    ----------
    radius
        In cells; the centre is in the middle of its place. `Grid.inflate` takes metres.
    margin, cost
        Near an obstacle, up to `margin` cells beyond the radius, it is expensive to be: `cost` beside the obstacle,
        falling exponentially.

    Examples
    --------
    >>> len(cells_below(Disc(0.5))), len(cells_below(Disc(1.2)))
    (1, 9)
    """

    radius: float
    margin: float = 0.0
    cost: float = 1.0

    def __post_init__(self) -> None:
        values.number(self.radius, "the radius of a disc is a number of cells above 0", lambda given: 0 < given < 1e3)
        values.number(self.margin, "the margin of a disc is a number of cells from 0", lambda given: 0 <= given < 1e3)
        rule = "the cost near an obstacle is a number from 1 to a million"
        values.number(self.cost, rule, lambda given: 1 <= given <= MOST_COST)


Size: TypeAlias = int | Disc


def _gaps(reach: int) -> np.ndarray:
    """Return the distance from the middle of a cell to each cell around it: to its nearest point, in cells."""
    away = np.maximum(np.abs(np.arange(-reach, reach + 1)) - 0.5, 0)
    return np.hypot(away, away[:, None])


def _around(wanted: np.ndarray) -> np.ndarray:
    """Return the marked cells of a square around a cell, in rows x, y."""
    return np.argwhere(wanted)[:, ::-1] - len(wanted) // 2


def cells_below(size: Size) -> np.ndarray:
    """Return the cells below a body in rows x, y, relative to its place.

    >>> cells_below(2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    if isinstance(size, Disc):
        gaps = _gaps(math.ceil(size.radius))
        return _around(gaps < size.radius)
    y, x = np.mgrid[:size, :size].reshape(2, -1)
    return np.stack([x, y], axis=1)


def cells_near(size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells in the margin of a body, and what it costs if one of them is an obstacle."""
    if not (isinstance(size, Disc) and size.margin and size.cost > 1):
        return np.empty((0, 2), np.int64), np.empty(0)
    gaps = _gaps(math.ceil(size.radius + size.margin))
    near = (gaps >= size.radius) & (gaps < size.radius + size.margin)
    return _around(near), 1 + (size.cost - 1) * np.exp(-FADING * (gaps[near] - size.radius) / size.margin)


def checked_size(size: Any, world: Grid) -> Size:
    """Return the size of a body that fits on the map."""
    if not isinstance(size, Disc):
        size = values.whole(size, "the size of a body is a number of cells from 1, or a tb.Disc")
    extent = 2 * math.ceil(size.radius - 0.5) + 1 if isinstance(size, Disc) else size
    if extent > min(world.width, world.height):
        raise ProblemError(f"a body of size {size} is larger than the map, which is {world.width} x {world.height}")
    return size


# ------------------------------------------------------------------ the compiled form


class Body(NamedTuple):
    """The cells below a body, and those near it with what an obstacle there costs; relative to its place."""

    below: np.ndarray
    near: np.ndarray
    near_costs: np.ndarray


class Cells(NamedTuple):
    """A map as a body of some mobility meets it."""

    width: int
    height: int
    free: np.ndarray  # or empty: then all are, as far as the agent knows
    ground: np.ndarray  # the kind of ground of every cell, or empty
    costs: np.ndarray  # the cost of every kind, 0 if it cannot be crossed
    travel: np.ndarray  # the travel cost of every cell, or empty
    told: np.ndarray  # what an agent was told of every cell, or empty: NOTHING, FREE or something else
    told_costs: np.ndarray  # and its cost, or 0


@compiled
def cost_of(cells: Cells, x: int, y: int) -> float:
    """Return the cost of a cell; 0 if the body must not touch it."""
    cell = y * cells.width + x
    told = cells.told[cell] if len(cells.told) else NOTHING
    if told > FREE or (told == NOTHING and len(cells.free) and not cells.free[cell]):
        return 0.0
    if len(cells.told) and cells.told_costs[cell] > 0.0:
        return np.float64(cells.told_costs[cell])
    cost = cells.costs[cells.ground[cell]] if len(cells.ground) else 1.0
    if told == FREE:
        cost = max(1.0, cost)
    return np.float64(cost * cells.travel[cell] if len(cells.travel) else cost)


@compiled
def costs_at(places: np.ndarray, body: Body, cells: Cells) -> np.ndarray:
    """Return the cost of each place; 0 where the body does not fit.

    It is that of the most expensive cell below the body, times that of the most expensive obstacle near it.
    """
    found, width, height = np.zeros(len(places)), cells.width, cells.height
    for i in range(len(places)):
        y = places[i] // width
        x, highest = places[i] - y * width, 1.0
        for j in range(len(body.below)):
            cell_x, cell_y = x + body.below[j, 0], y + body.below[j, 1]
            inside = 0 <= cell_x < width and 0 <= cell_y < height
            cost = cost_of(cells, cell_x, cell_y) if inside else 0.0
            if cost == 0.0:
                highest = 0.0
                break
            highest = max(highest, cost)
        nearness = 1.0
        if highest > 0.0:
            for j in range(len(body.near)):
                cell_x, cell_y = x + body.near[j, 0], y + body.near[j, 1]
                inside = 0 <= cell_x < width and 0 <= cell_y < height
                if body.near_costs[j] > nearness and inside and cost_of(cells, cell_x, cell_y) == 0.0:
                    nearness = body.near_costs[j]
        found[i] = highest * nearness
    return found


# ------------------------------------------------------------------ the grid of a body

NO_GROUND, NO_TRAVEL, EVERYWHERE = np.empty(0, np.uint8), np.empty(0), np.ones(256)


class BodyGrid(Grid):
    """A grid as a body meets it: see `Grid.for_body`. It follows the map's changes and cannot be changed itself."""

    def __init__(self, whole: Grid, mobility: str | None, size: Size):
        self.whole, self.mobility, self.size = whole, mobility, size
        self.body = Body(cells_below(size), *cells_near(size))
        self._reach = np.concatenate([self.body.below, self.body.near])
        self.height, self.width = whole.shape
        costs = self.costs_at(np.arange(whole.states))
        free, dear = (costs > 0).reshape(whole.shape), costs.max() > 1 or whole.travel is not None
        travel = np.maximum(costs, 1).reshape(whole.shape) if dear else None
        super().__init__(free, travel=travel, **whole.rules)
        self._is_part_of = "a map as a body meets it"
        highest = 1.0 if whole.ground is None else whole.ground.highest
        self.most_expensive = len(self._reach) * highest * max(1.0, *self.body.near_costs, 1.0)
        self.changes.gate = whole.changes.gate

    def __reduce__(self) -> Any:
        return Grid.for_body, (self.whole, self.mobility, self.size)

    def __repr__(self) -> str:
        return f"{self.whole!r}.for_body({self.mobility!r}, {self.size!r})"

    @property
    def possible(self) -> np.ndarray:
        """Where the body does not reach beyond the map."""
        return self.is_possible(np.arange(self.states)).reshape(self.shape)

    def is_possible(self, places: np.ndarray) -> np.ndarray:
        """Say for every place whether the body does not reach beyond the map."""
        (left, top), (right, bottom) = self.body.below.min(axis=0), self.body.below.max(axis=0)
        y, x = np.divmod(places, self.width)
        inside: np.ndarray = (x >= -left) & (x + right < self.width) & (y >= -top) & (y + bottom < self.height)
        return inside

    def state(self, place: Any) -> int:
        """Return the number of a place where the body fits."""
        state = self.inside(place)
        if not self.passable.item(state):
            x, y = self.place(state)
            who = "a body" if self.mobility is None else f"a {self.mobility!r} body"
            raise ProblemError(f"{who} of size {self.size} does not fit at ({x}, {y}){self._hint(x, y)}")
        return state

    def touching(self, cells: np.ndarray) -> np.ndarray:
        """Return the places that these cells matter to."""
        y, x = np.divmod(cells, self.width)
        x, y = x[:, None] - self._reach[:, 0], y[:, None] - self._reach[:, 1]
        inside = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
        return np.unique(y[inside] * self.width + x[inside])

    def costs_at(
        self,
        places: np.ndarray,
        unknown: bool = False,
        told: np.ndarray = NO_GROUND,
        told_costs: np.ndarray = NO_TRAVEL,
    ) -> np.ndarray:
        """Return what places cost the body, 0 if it does not fit; or what somebody believes who was told otherwise."""
        whole, ground, free = self.whole, self.whole.ground, self.whole.passable.ravel()
        kinds, costs = NO_GROUND, EVERYWHERE
        if ground is not None:
            kinds, costs = ground.kinds.ravel(), ground.costs[str(self.mobility)]
        travel = NO_TRAVEL if whole.travel is None else whole.travel.ravel()
        cells = Cells(whole.width, whole.height, free[:0] if unknown else free, kinds, costs, travel, told, told_costs)
        found: np.ndarray = costs_at(places, self.body, cells)
        return found

    def follow(self, cells: np.ndarray) -> None:
        """Follow a change of the map in these cells."""
        places = self.touching(cells)
        costs = self.costs_at(places)
        self.set_free(places[costs == 0], False)
        places, costs = places[costs > 0], costs[costs > 0]
        if self.travel is not None or (costs > 1).any():
            self.set_costs(places, costs)
        self.set_free(places, True)
