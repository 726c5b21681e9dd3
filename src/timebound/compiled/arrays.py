"""Arrays that grow."""

import numpy as np

from .settings import COMPILING
from .units import compiled


@compiled
def _by_a_loop(array: np.ndarray, size: int) -> np.ndarray:
    """Return a copy of an array with `size` elements, more or fewer."""
    copy = np.empty(size, array.dtype)
    for i in range(min(size, len(array))):
        copy[i] = array[i]
    return copy


def _by_a_slice(array: np.ndarray, size: int) -> np.ndarray:
    copy, kept = np.empty(size, array.dtype), min(size, len(array))
    copy[:kept] = array[:kept]
    return copy


resized = _by_a_loop if COMPILING else _by_a_slice  # Numba compiles slices slowly, Python runs loops slowly
