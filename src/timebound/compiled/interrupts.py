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
from numba.extending import intrinsic

from .backend import when_compiled
from .calls import call_c
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


def keep(what: int, value: int) -> None:
    """Write a remembered value."""
    _memory[what] = value


def this_thread() -> int:
    """Return the number of the current thread."""
    return threading.get_ident()


def pending() -> int:
    """Does a signal wait for its handler? Never while Python itself runs, which would have called it."""
    return 0


_WORD, _INT = ir.IntType(64), ir.IntType(32)


def _place(context: Any, builder: Any, what: Any) -> Any:
    kind = ir.ArrayType(_WORD, len(_memory))
    memory = builder.module.globals.get(_SYMBOL) or ir.GlobalVariable(builder.module, kind, _SYMBOL)
    return builder.gep(memory, [_WORD(0), what])


@intrinsic
def _recall(typing_context: Any, what: types.Type) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_place(context, builder, arguments[0]))

    return types.int64(types.int64), code


@intrinsic
def _keep(typing_context: Any, what: types.Type, value: types.Type) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[1], _place(context, builder, arguments[0]))
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), code


@intrinsic
def _this_thread(typing_context: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return call_c(builder, "PyThread_get_thread_ident", _WORD, [])

    return types.int64(), code


@intrinsic
def _pending(typing_context: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        state = call_c(builder, "PyGILState_Ensure", _INT, [])
        found = call_c(builder, "PyOS_InterruptOccurred", _INT, [])
        with builder.if_then(builder.icmp_signed("!=", found, _INT(0)), likely=False):
            call_c(builder, "PyErr_SetInterruptEx", _INT, [_INT(signal.SIGINT)])  # the check has consumed it
        call_c(builder, "PyGILState_Release", ir.VoidType(), [state])
        return builder.sext(found, _WORD)

    return types.int64(), code


@when_compiled(recall)
def _compiled_recall(what: Any) -> Any:
    return lambda what: _recall(np.int64(what))


@when_compiled(keep)
def _compiled_keep(what: Any, value: Any) -> Any:
    return lambda what, value: _keep(np.int64(what), np.int64(value))


@when_compiled(this_thread)
def _compiled_this_thread() -> Any:
    return lambda: _this_thread()


@when_compiled(pending)
def _compiled_pending() -> Any:
    return lambda: _pending()
