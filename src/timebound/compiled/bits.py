"""Bits of a word."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from .settings import PART


@intrinsic
def _trailing_zeros(typing_context: Any, word: types.Type) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), code


def lowest_bit(word: int) -> int:
    """Return the position of the lowest set bit; 64 if there is none.

    >>> lowest_bit(0b1000)
    3
    """
    word = int(word) & (1 << 64) - 1
    return (word & -word).bit_length() - 1 if word else 64


@overload(lowest_bit, strict=False, jit_options=PART)
def _compiled_lowest_bit(word: Any) -> Any:
    return lambda word: _trailing_zeros(np.int64(word))
