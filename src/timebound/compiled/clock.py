"""Time inside compiled code: the real clock, and the virtual one that counts operations instead.

The virtual clock gives every operation a price in nanoseconds. Runs under it are repeatable to the last digit on any
machine, which the papers' game-time tables need.
"""

import ctypes
import sys
import time
from typing import Any

import numpy as np
from llvmlite import ir

from .calls import INT, WORD, call_c, instructions
from .functions import inlined
from .prices import EXPANSION, PUSH, SUCCESSOR

NEVER = np.iinfo(np.int64).max


@inlined
def virtual_ns(expansions: int, successors: int, pushes: int) -> int:
    """Return the price of these operations on the virtual clock."""
    return EXPANSION * expansions + SUCCESSOR * successors + PUSH * pushes


def now() -> int:
    """Return nanoseconds of a clock that never goes backwards; in compiled code a call takes about 25 of them."""
    return time.monotonic_ns()


@inlined
def passed(deadline: int) -> bool:
    """Has the clock reached the deadline?"""
    return deadline != NEVER and now() >= deadline


_MONOTONIC = 6 if sys.platform == "darwin" else 1


def _clock_gettime(builder: Any) -> Any:
    with builder.goto_entry_block():  # once, however often the clock is read
        time_spec = builder.alloca(ir.ArrayType(WORD, 2))
    pointer = builder.bitcast(time_spec, WORD.as_pointer())
    call_c(builder, "clock_gettime", INT, [INT(_MONOTONIC), pointer])
    seconds, nanoseconds = (builder.load(builder.gep(pointer, [WORD(i)])) for i in (0, 1))
    return builder.add(builder.mul(seconds, WORD(10**9)), nanoseconds)


def _performance_counter(builder: Any) -> Any:
    frequency = ctypes.c_int64()
    ctypes.windll.kernel32.QueryPerformanceFrequency(ctypes.byref(frequency))  # type: ignore[attr-defined]
    with builder.goto_entry_block():
        ticks = builder.alloca(WORD)
    call_c(builder, "QueryPerformanceCounter", INT, [ticks])
    return builder.mul(builder.load(ticks), WORD(10**9 // frequency.value))


instructions(now)(_performance_counter if sys.platform == "win32" else _clock_gettime)
