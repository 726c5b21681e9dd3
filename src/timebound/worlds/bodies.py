"""One map for bodies of every size and mobility: each meets it as a grid of the places where it fits.

A body stands at a place: the upper left of its k x k cells, or the centre of a disc. In its `BodyGrid` a place is
passable where all cells below the body are, and costs as much as the most expensive of them. When the map changes, only
places whose body touches a changed cell are looked at again.
"""

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..compiled import compiled
from ..core import values
from ..core.errors import ProblemError
from .grid import Grid

EVERYWHERE, NO_GROUND, NO_COSTS = np.ones(256), np.empty(0, np.uint8), np.empty(0)


@dataclass(frozen=True)
class Disc:
    """A round body, such as a robot: it touches every cell that is less than `radius` cells away from its centre.

    >>> Disc(0.5).cells, Disc(1.2).cells
    (1, 9)
    """

    radius: float

    def __post_init__(self) -> None:
        values.number(self.radius, "the radius of a disc is a number of cells above 0", lambda given: 0 < given < 1e4)

    @property
    def cells(self) -> int:
        """How many cells it covers when it stands in the middle of one."""
        return len(cells_below(self))


Size: TypeAlias = int | Disc


def cells_below(size: Size) -> np.ndarray:
    """Return the cells below a body in rows x, y, relative to its place.

    >>> cells_below(2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    if isinstance(size, Disc):
        reach = math.ceil(size.radius)
        y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
        gaps = np.maximum(np.abs(x) - 0.5, 0) ** 2 + np.maximum(np.abs(y) - 0.5, 0) ** 2
        y, x = (np.argwhere((gaps < size.radius**2) | ((x == 0) & (y == 0))) - reach).T
    else:
        y, x = np.mgrid[:size, :size].reshape(2, -1)
    return np.stack([x, y], axis=1)


def checked_size(size: Any, world: Grid) -> Size:
    """Return the size of a body that fits on the map."""
    if not isinstance(size, Disc):
        size = values.whole(size, "the size of a body is a number of cells from 1, or a tb.Disc")
    extent = 2 * math.ceil(size.radius - 0.5) + 1 if isinstance(size, Disc) else size
    if extent > min(world.width, world.height):
        raise ProblemError(f"a body of size {size} is larger than the map, which is {world.width} x {world.height}")
    return size


@compiled
def costs_at(
    places: np.ndarray,
    below: np.ndarray,
    width: int,
    free: np.ndarray,
    ground: np.ndarray,
    costs: np.ndarray,
    travel: np.ndarray,
) -> np.ndarray:
    """Return the cost of each place: that of the most expensive cell below the body; 0 where it does not fit."""
    found = np.zeros(len(places))
    for i in range(len(places)):
        y = places[i] // width
        x, highest = places[i] - y * width, 1.0
        for j in range(len(below)):
            cell_x, cell_y = x + below[j, 0], y + below[j, 1]
            cell = cell_y * width + cell_x
            if not (0 <= cell_x < width and 0 <= cell < len(free) and free[cell]):
                highest = 0.0
                break
            cost = costs[ground[cell]] if len(ground) else 1.0
            if cost == 0.0:
                highest = 0.0
                break
            highest = max(highest, cost * (travel[cell] if len(travel) else 1.0))
        found[i] = highest
    return found


class BodyGrid(Grid):
    """A grid as a body meets it: see `Grid.for_body`. It follows the map's changes and cannot be changed itself."""

    def __init__(self, whole: Grid, mobility: str | None, size: Size):
        self.whole, self.mobility, self.size = whole, mobility, size
        self.below = cells_below(size)
        self.height, self.width = whole.shape
        costs = self._costs_at(np.arange(whole.states), self.below)
        free, dear = (costs > 0).reshape(whole.shape), costs.max() > 1 or whole.travel is not None
        rules: Any = {"neighbors": whole.neighbors, "corners": whole.corners, "diagonal": whole.diagonal}
        travel = np.maximum(costs, 1).reshape(whole.shape) if dear else None
        super().__init__(free, travel=travel, heuristic=whole.heuristic, name=whole.name, **rules)
        self._is_part_of = "a map as a body meets it"
        self.most_expensive = len(self.below) * (1.0 if whole.ground is None else whole.ground.highest)
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
        (left, top), (right, bottom) = self.below.min(axis=0), self.below.max(axis=0)
        y, x = np.divmod(places, self.width)
        inside: np.ndarray = (x >= -left) & (x + right < self.width) & (y >= -top) & (y + bottom < self.height)
        return inside

    def cells_below(self, places: np.ndarray) -> np.ndarray:
        """Return the cells below the body in a row for every place, which must be possible."""
        return places[:, None] + self.below @ (1, self.width)

    def state(self, place: Any) -> int:
        """Return the number of a place where the body fits."""
        state = self.inside(place)
        if not self.passable.item(state):
            x, y = self.place(state)
            who = "a body" if self.mobility is None else f"a {self.mobility!r} body"
            raise ProblemError(f"{who} of size {self.size} does not fit at ({x}, {y}){self._hint(x, y)}")
        return state

    def touching(self, cells: np.ndarray) -> np.ndarray:
        """Return the places where the body touches one of these cells."""
        y, x = np.divmod(cells, self.width)
        x, y = x[:, None] - self.below[:, 0], y[:, None] - self.below[:, 1]
        inside = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
        return np.unique(y[inside] * self.width + x[inside])

    def costs_of_map(self, cells: np.ndarray) -> np.ndarray:
        """Return what cells of the map cost its mobility; 0 if it cannot be there."""
        return self._costs_at(cells.ravel(), np.zeros((1, 2), np.int64)).reshape(cells.shape)

    def _costs_at(self, places: np.ndarray, below: np.ndarray) -> np.ndarray:
        whole, ground = self.whole, self.whole.ground
        kinds, costs = (
            (NO_GROUND, EVERYWHERE) if ground is None else (ground.kinds.ravel(), ground.costs[str(self.mobility)])
        )
        travel = NO_COSTS if whole.travel is None else whole.travel.ravel()
        found: np.ndarray = costs_at(places, below, whole.width, whole.passable.ravel(), kinds, costs, travel)
        return found

    def follow(self, cells: np.ndarray) -> None:
        """Follow a change of the map in these cells."""
        places = self.touching(cells)
        costs = self._costs_at(places, self.below)
        self.set_free(places[costs == 0], False)
        places, costs = places[costs > 0], costs[costs > 0]
        if self.travel is not None or (costs > 1).any():
            self.set_costs(places, costs)
        self.set_free(places, True)
