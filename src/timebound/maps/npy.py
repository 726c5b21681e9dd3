"""NumPy arrays as maps, in memory and in `.npy` files."""

import io
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ..core.disk import Wanted, reason, size_of
from ..core.errors import MapError
from .model import LEGEND, MAX_CELLS, Map, check_shape, find_stranger

_FILE = Wanted("a map file", 8 * MAX_CELLS + 2**16)


def from_array(array: ArrayLike, name: str = "map") -> Map:
    """Make a map from an array indexed `[y, x]`.

    True is passable; the whole numbers 1 and 0 mean the same. An array of whole numbers that are all MovingAI character
    codes is taken as terrain. Anything else is rejected rather than guessed: 0 is *free* in some occupancy grids.

    >>> int(from_array([[1, 0], [1, 1]]).passable.sum())
    3
    >>> from_array([[ord("."), ord("T")]]).passable
    array([[ True, False]])
    """
    cells = np.asarray(array)
    check_shape(cells.shape)
    if cells.dtype == np.bool_:
        return Map.from_passable(cells, name)
    if cells.dtype.kind not in "iu":
        raise MapError(
            f"an array of {cells.dtype} is not a map; compare it first, as in array < 0.5, to get True where passable"
        )
    low, high = int(cells.min()), int(cells.max())
    if low >= 0 and high <= 1:
        return Map.from_passable(cells, name)
    if low >= 0 and high < 256 and find_stranger(cells.astype(np.uint8)) is None:
        return Map(cells.astype(np.uint8), name)
    raise MapError(
        f"whole numbers from {low} to {high} are neither 1 and 0 (passable and blocked) nor character codes ({LEGEND});"
        " compare them first, as in array == 0, to get True where passable"
    )


def read_npy(path: Path) -> Map:
    """Read a `.npy` file; see `from_array` for what the values mean. Pickled objects are never loaded."""
    size = size_of(path, _FILE)
    try:
        with warnings.catch_warnings(action="ignore"):  # about headers written by ancient versions of NumPy
            stored = np.lib.format.open_memmap(path, mode="r")  # maps the file: a false header allocates nothing
    except OSError as error:
        raise MapError(f"{path}: cannot be read: {reason(error)}") from None
    except Exception as error:  # the header is parsed as Python text: junk may raise anything
        raise MapError(
            f"{path}: not a complete .npy file: {reason(error)[:100]}; write it again with numpy.save"
        ) from None
    extra = size - int(getattr(stored, "offset", 0)) - stored.nbytes
    if extra:
        raise MapError(
            f"{path}: {extra} bytes follow the array that the header describes; write it again with numpy.save"
        )
    try:
        return from_array(stored, path.stem)
    except MapError as error:
        raise MapError(f"{path}: {error}") from None


def npy_bytes(map_: Map) -> bytes:
    """Return the contents of a `.npy` file of the passable cells."""
    file = io.BytesIO()
    np.save(file, map_.passable, allow_pickle=False)
    return file.getvalue()
