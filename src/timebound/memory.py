"""Memory that follows what is touched, not what the map holds."""

import mmap

import numpy as np
import numpy.typing as npt

SMALL = 1 << 16  # bytes
# Private: a forked process must not write into our searches, and pages come faster. (Windows has no flags.)
PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}


def untouched(count: int, dtype: npt.DTypeLike) -> np.ndarray:
    """An array of zeros that takes up memory page by page, when an element is first touched.

    `np.zeros` asks the system for huge pages: the first touch of any element would then clear two megabytes.

    >>> untouched(10**9, np.int64)[123_456_789]
    np.int64(0)
    """
    kind = np.dtype(dtype)
    if count * kind.itemsize < SMALL:
        return np.zeros(count, kind)
    return np.frombuffer(mmap.mmap(-1, count * kind.itemsize, **PRIVATE), kind)
