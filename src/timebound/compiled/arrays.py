"""Arrays that grow."""

import numpy as np

from .units import compiled


@compiled
def resized(array: np.ndarray, size: int) -> np.ndarray:
    """A copy of an array with `size` elements, more or fewer; a loop, because Numba compiles slices slowly."""
    copy = np.empty(size, array.dtype)
    for i in range(min(size, len(array))):
        copy[i] = array[i]
    return copy
