"""What a map is: a rectangle of terrain, whatever file it came from."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import MapError

Position = tuple[int, int]

PASSABLE = b".GSgs"  # ground, grass, swamp; WarCraft maps of type octile-corner have some grass and swamp in lower case
BLOCKED = b"@OTW"  # wall, out of bounds, trees, water
LEGEND = "passable: . G S g s, blocked: @ O T W"
GROUND, WALL, UNKNOWN = b".@O"

MAX_CELLS = 2**28
"""The largest map (16384 x 16384 cells): files that promise more are rejected before memory is allocated."""

_IS_PASSABLE = np.isin(np.arange(256), list(PASSABLE))
_IS_TERRAIN = np.isin(np.arange(256), list(PASSABLE + BLOCKED))


@dataclass(frozen=True, eq=False)
class Map:
    """A rectangle of terrain. Positions are `(x, y)`, x to the right and y down; arrays are indexed `[y, x]`.

    Attributes:
        terrain: one MovingAI character code per cell (uint8, read-only): `. G S` are passable, `@ O T W` blocked.
        name: a label, by default the name of the file.
        resolution: metres per cell, for ROS maps only.
        origin: x and y in metres and the yaw in radians of the lower left corner, for ROS maps only.

    >>> small = Map.from_passable([[True, False], [True, True]], name="small")
    >>> small.width, small.height, bytes(small.terrain.ravel())
    (2, 2, b'.@..')
    >>> small.passable
    array([[ True, False],
           [ True,  True]])
    """

    terrain: NDArray[np.uint8]
    name: str = "map"
    resolution: float | None = None
    origin: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        given = np.asarray(self.terrain)
        check_shape(given.shape)
        if given.dtype != np.uint8:
            raise MapError(f"terrain must be uint8 character codes, not {given.dtype}; see Map.from_passable")
        terrain = given.copy(order="C")  # so that nobody else can change it
        stranger = find_stranger(terrain)
        if stranger is not None:
            x, y = stranger
            raise MapError(f"unknown character {show(int(terrain[y, x]))} at ({x}, {y}) ({LEGEND})")
        terrain.setflags(write=False)
        object.__setattr__(self, "terrain", terrain)

    @classmethod
    def from_passable(cls, passable: ArrayLike, name: str = "map") -> "Map":
        """Make a map of ground and walls: True (or 1) is passable, False (or 0) is blocked."""
        cells = np.asarray(passable)
        check_shape(cells.shape)
        if cells.dtype != np.bool_ and not (cells.dtype.kind in "iu" and bool(np.isin(cells, (0, 1)).all())):
            raise MapError(f"passable cells are True or False (or 1 and 0), not {cells.dtype} values")
        return cls(np.where(cells != 0, np.uint8(GROUND), np.uint8(WALL)), name)

    @cached_property
    def passable(self) -> NDArray[np.bool_]:
        """Which cells can be entered (read-only)."""
        passable: NDArray[np.bool_] = _IS_PASSABLE[self.terrain]
        passable.setflags(write=False)
        return passable

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """Which cells are unknown, on ROS maps; out of bounds, on others."""
        unknown: NDArray[np.bool_] = self.terrain == UNKNOWN
        return unknown

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.terrain.shape[1])

    @property
    def height(self) -> int:
        """Number of rows."""
        return int(self.terrain.shape[0])

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the size and the passable cells: equal for maps with the same paths."""
        digest = hashlib.sha256(f"{self.width} x {self.height}\n".encode())
        digest.update(np.packbits(self.passable).tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        return f"<Map {self.name!r}, {self.width} x {self.height}, {int(self.passable.sum())} passable>"


def check_shape(shape: tuple[int, ...]) -> None:
    """Reject anything except a rectangle of at least one cell, and maps that are too large."""
    if len(shape) != 2:
        raise MapError(f"a map has two dimensions (rows and columns), not {len(shape)}")
    check_size(shape[1], shape[0])


def check_size(width: int, height: int, limit: int = MAX_CELLS) -> None:
    """Reject an empty map, or one with more cells than the limit."""
    if width < 1 or height < 1:
        raise MapError(f"a map needs at least one cell, not {width} x {height}")
    if width * height > limit:
        raise MapError(f"{width} x {height} cells are too many: the limit is {limit}; cut or reduce the map")


def find_stranger(terrain: NDArray[np.uint8]) -> Position | None:
    """Return the first cell (x, y) whose character is not terrain."""
    known = _IS_TERRAIN[terrain]
    if known.all():
        return None
    y, x = divmod(int(np.argmin(known)), terrain.shape[1])
    return x, y


def show(code: int) -> str:
    """Return a byte in readable form: 'x', or 0x00 if it is not printable."""
    return repr(chr(code)) if 32 <= code < 127 else f"0x{code:02x}"
