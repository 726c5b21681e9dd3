"""During compilation: one line for the user if it takes long, and Ctrl-C only where it does no harm.

An exception in the middle of Numba's work, which a signal may raise anywhere, can break the compiler for the rest of
the process. So the handler of Ctrl-C waits until the current function is done, about a tenth of a second.
"""

import contextlib
import gc
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from .undivided import undivided

PATIENCE = 2.0  # seconds
_MANY = 20_000  # new objects between two collections of garbage

counts: Counter[str] = Counter()
"""How many functions were `compiled`, and how many `loaded` or `shipped`, in this process."""

_log = logging.getLogger("timebound")
_purpose: ContextVar[str] = ContextVar("purpose", default="")
_told: set[str] = set()


class purpose:  # noqa: N801 (it is used like a function)
    """Name the purpose of compilations in this block: ``with purpose("agent 'rtaa'"): ...``."""

    __slots__ = ("_before", "_text")

    def __init__(self, text: str):
        self._text = text

    def __enter__(self) -> None:
        self._before = _purpose.set(self._text)

    def __exit__(self, *error: object) -> None:
        _purpose.reset(self._before)

    @staticmethod
    def current() -> str:
        """Return the purpose here; empty if nobody has named one."""
        return _purpose.get()


class _Compilation(undivided):
    """The compilation of an outermost function and all that it needs."""

    def __init__(self, name: str):
        self.name, self.began = name, time.monotonic()

    def pause(self) -> None:
        """Between two functions: tell the user if this takes long, and handle Ctrl-C."""
        what = _purpose.get() or self.name
        if time.monotonic() - self.began > PATIENCE and what not in _told:
            _told.add(what)
            _log.warning("compiling %s, which this computer has not run before; this happens once", what)
        self.attend()


_under_way: list[_Compilation] = []


@contextlib.contextmanager
def compiling(function: Callable[..., Any]) -> Iterator[None]:
    """Surround the compilation of a function. The caller holds the compiler's lock."""
    if _under_way:
        yield
        _under_way[0].pause()
        return
    with _Compilation(function.__name__) as outermost, _rare_collections():
        _under_way.append(outermost)
        try:
            yield
            outermost.pause()
        finally:
            _under_way.pop()


@contextlib.contextmanager
def _rare_collections() -> Iterator[None]:
    """Collect garbage less often: Numba makes millions of objects, most of which live until the end.

    At the usual rate that would take a tenth of the time.
    """
    usual, *rest = gc.get_threshold()
    if usual:  # 0: it is switched off
        gc.set_threshold(max(usual, _MANY), *rest)
    try:
        yield
    finally:
        gc.set_threshold(usual, *rest)


def meanwhile() -> None:
    """Surround a wait for another process that compiles."""
    _under_way[0].pause()
