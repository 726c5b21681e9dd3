"""Ctrl-C while compiled code runs: long work checks now and then whether it was pressed.

Python calls the handler of a signal between two of its own instructions, and compiled code has none. So compiled loops
check every few hundred rounds, and stop early: a search pauses, an agent ends its interval early, and work that cannot
be resumed raises `Interrupted`. Back in Python the handler runs, raises KeyboardInterrupt or not, and everything is
still usable.

A check takes the interpreter's lock, which another thread may hold for milliseconds, so it is done rarely, and only by
the main thread, the only one that gets signals.
"""

import os
import signal
import threading
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types

from .calls import INT, WORD, call_c, instructions
from .clock import NEVER, now
from .functions import Interrupted, compiled, inlined
from .settings import COMPILING

PATIENCE = 20_000_000  # nanoseconds between two checks
ROUNDS = 256  # of a loop between two looks at the clock

# What compiled code remembers: the time of the last check, whether there was a signal, and which thread may check.
ASKED, SIGNALLED, MAIN_THREAD = 0, 1, 2
_memory = np.zeros(3, np.int64)
_SYMBOL = "timebound-interrupts"


@inlined
def due(rounds: int) -> bool:
    """Is it time to check for an interrupt, after `rounds` rounds of a loop?"""
    return rounds % ROUNDS == 0


@inlined
def breathe(rounds: int) -> None:
    """Leave a loop that cannot be resumed, if we are interrupted. Python calls the function again."""
    if due(rounds) and interrupted():
        raise Interrupted


@inlined
def cut_short(rounds: int, glance: int, deadline: int) -> bool:
    """Must a loop end here, after `rounds` rounds? Every `glance` rounds this reads the clock."""
    late = deadline != NEVER and rounds % glance == 0 and now() >= deadline
    return late or (due(rounds) and interrupted())


@compiled
def interrupted() -> bool:
    """Was Ctrl-C pressed, and not handled yet?"""
    time = now()
    if recall(SIGNALLED) == 0 and time - recall(ASKED) < PATIENCE:
        return False
    if this_thread() != recall(MAIN_THREAD):
        return False
    keep(ASKED, time)
    keep(SIGNALLED, pending())
    return recall(SIGNALLED) != 0


@inlined
def signalled() -> bool:
    """Has `interrupted` found a signal? This costs nothing."""
    return recall(SIGNALLED) != 0


# ------------------------------------------------------------------ what compiled code needs for this


def _begin() -> None:
    _memory[:] = 0, 0, threading.main_thread().ident or 0


if COMPILING:
    _begin()
    binding.add_symbol(_SYMBOL, _memory.ctypes.data)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_begin)


def recall(what: int) -> int:
    """Read a remembered value."""
    return int(_memory[what])


@instructions(recall)
def _recall(builder: Any, what: Any) -> Any:
    return builder.load(_place(builder, what))


def keep(what: int, value: int) -> None:
    """Write a remembered value."""
    _memory[what] = value


@instructions(keep, types.none)
def _keep(builder: Any, what: Any, value: Any) -> None:
    builder.store(value, _place(builder, what))


def _place(builder: Any, what: Any) -> Any:
    kind = ir.ArrayType(WORD, len(_memory))
    memory = builder.module.globals.get(_SYMBOL) or ir.GlobalVariable(builder.module, kind, _SYMBOL)
    return builder.gep(memory, [WORD(0), what])


def this_thread() -> int:
    """Return the number of the current thread."""
    return threading.get_ident()


@instructions(this_thread)
def _this_thread(builder: Any) -> Any:
    return call_c(builder, "PyThread_get_thread_ident", WORD, [])


def pending() -> int:
    """Does a signal wait for its handler? Never while Python itself runs, which would have called it."""
    return 0


@instructions(pending)
def _pending(builder: Any) -> Any:
    state = call_c(builder, "PyGILState_Ensure", INT, [])
    found = call_c(builder, "PyOS_InterruptOccurred", INT, [])
    with builder.if_then(builder.icmp_signed("!=", found, INT(0)), likely=False):
        call_c(builder, "PyErr_SetInterruptEx", INT, [INT(signal.SIGINT)])  # the check has consumed it
    call_c(builder, "PyGILState_Release", ir.VoidType(), [state])
    return builder.sext(found, WORD)
