"""Bits of words, and arrays that grow."""

from typing import Any

import numpy as np
from llvmlite import ir

from .calls import instructions
from .functions import compiled
from .settings import COMPILING


def lowest_bit(word: int) -> int:
    """Return the position of the lowest set bit; 64 if there is none.

    >>> lowest_bit(0b1000)
    3
    """
    word = int(word) & (1 << 64) - 1
    return (word & -word).bit_length() - 1 if word else 64


@instructions(lowest_bit)
def _lowest_bit(builder: Any, word: Any) -> Any:
    return builder.cttz(word, ir.IntType(1)(0))


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
