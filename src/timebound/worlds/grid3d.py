"""Three-dimensional grids: cells with 6 or 26 neighbours."""

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.errors import ProblemError, WorldError
from ..core.memory import frozen
from ..core.values import is_whole, numeric_array, one_of
from ..core.wording import shown
from .custom import CustomWorld

UNIT = 1 << 20  # costs are multiples of 2**-20, as on a grid
_RULE = "a three-dimensional grid needs a three-dimensional boolean array, indexed [z, y, x]"


def _successors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    x, y, z = state % world.width, state // world.width % world.height, state // (world.width * world.height)
    for k in range(len(world.prices)):
        i, j, l = x + world.dx[k], y + world.dy[k], z + world.dz[k]  # noqa: E741
        if 0 <= i < world.width and 0 <= j < world.height and 0 <= l < world.depth:
            successor = (l * world.height + j) * world.width + i
            if world.free[successor]:
                yield successor, world.prices[k]


def _heuristic(world: Any, state: int) -> int:
    """Return the distance without obstacles: first 3D diagonals, then 2D diagonals, then straight moves."""
    plane = world.width * world.height
    dx = abs(state % world.width - world.goal % world.width)
    dy = abs(state // world.width % world.height - world.goal // world.width % world.height)
    dz = abs(state // plane - world.goal // plane)
    low, high = min(dx, dy, dz), max(dx, dy, dz)
    middle = dx + dy + dz - low - high
    return low * world.price3 + (middle - low) * world.price2 + (high - middle) * world.price1


class Grid3D(CustomWorld):
    """A block of cells, passable or not; positions are `(x, y, z)`, the array is indexed `[z, y, x]`.

    `neighbors` is 6, or 26 with the diagonals; a diagonal move needs only its target to be free.

    >>> import numpy as np, timebound as tb
    >>> world = tb.Grid3D(np.ones((3, 4, 5), bool))
    >>> round(tb.shortest_path(world, (0, 0, 0), (4, 3, 2)).cost, 4)
    5.8783
    """

    width: int
    height: int
    depth: int

    def __init__(self, passable: npt.ArrayLike, *, neighbors: int = 26, name: str = ""):
        self.passable = frozen(numeric_array(passable, _RULE, WorldError))
        if self.passable.ndim != 3 or self.passable.dtype != bool or not self.passable.size:
            raise WorldError(f"{_RULE}, not {shown(passable)}")
        neighbors = one_of(neighbors, (6, 26), "a three-dimensional cell has 6 or 26 neighbours", WorldError)
        self.shape, (self.depth, self.height, self.width) = self.passable.shape, self.passable.shape
        steps = sorted((s for s in product((0, 1, -1), repeat=3) if any(s)), key=lambda s: sum(map(abs, s)))[:neighbors]
        price = [0] + [round(math.sqrt(n) * UNIT) if neighbors == 26 else n * UNIT for n in (1, 2, 3)]
        dx, dy, dz = np.array(steps).T
        prices = np.array([price[sum(map(abs, step))] for step in steps])
        data = {"free": self.passable.ravel(), "prices": prices, "dx": dx, "dy": dy, "dz": dz}
        data |= {"width": self.width, "height": self.height, "depth": self.depth}
        super().__init__(
            _successors,
            _heuristic,
            data={**data, **{f"price{n}": price[n] for n in (1, 2, 3)}},
            states=self.passable.size,
            branching=neighbors,
            highest_cost=int(prices.max()),
            unit=UNIT,
            reversible=True,
            name=name,
        )

    def __repr__(self) -> str:
        return f"Grid3D({self.width} x {self.height} x {self.depth}, {int(self.passable.sum())} free)"

    def key(self, place: Any) -> int:
        """Return the number of the cell at (x, y, z)."""
        if not (isinstance(place, (tuple, list)) and len(place) == 3 and all(map(is_whole, place))):
            raise ProblemError(f"a position is (x, y, z), three whole numbers, not {shown(place)}")
        x, y, z = map(int, place)
        if not (0 <= x < self.width and 0 <= y < self.height and 0 <= z < self.depth):
            raise ProblemError(
                f"{shown((x, y, z))} is outside the grid, which is {self.width} x {self.height} x {self.depth}"
            )
        if not self.passable[z, y, x]:
            raise ProblemError(f"{(x, y, z)} is blocked; choose a free cell")
        return (z * self.height + y) * self.width + x

    def label(self, key: Any) -> tuple[int, int, int]:
        """Return the (x, y, z) of the cell with that number."""
        return key % self.width, key // self.width % self.height, key // (self.width * self.height)
