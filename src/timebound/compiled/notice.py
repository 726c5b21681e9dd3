"""While something is compiled: one line for the user if it takes long, and Ctrl-C only where it does no harm.

An exception in the middle of Numba's work, which a signal may raise anywhere, can leave the compiler in pieces for the
rest of the process. So the handler of Ctrl-C waits until the function at hand is done, a tenth of a second or so.
"""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from .undivided import undivided

PATIENCE = 2.0  # seconds

_log = logging.getLogger("timebound")
_purpose: ContextVar[str] = ContextVar("purpose", default="")
_told: set[str] = set()


class purpose:  # noqa: N801 (it is used like a function)
    """What is compiled meanwhile is for this: ``with purpose("agent 'rtaa'"): ...``."""

    __slots__ = ("_before", "_text")

    def __init__(self, text: str):
        self._text = text

    def __enter__(self) -> None:
        self._before = _purpose.set(self._text)

    def __exit__(self, *error: object) -> None:
        _purpose.reset(self._before)


class _Compilation(undivided):
    """The outermost function that is being compiled, and all that it needs."""

    def __init__(self, name: str):
        self.name, self.began = name, time.monotonic()

    def pause(self) -> None:
        """Nothing is under way just now: tell the user if this takes long, and attend to Ctrl-C."""
        what = _purpose.get() or self.name
        if time.monotonic() - self.began > PATIENCE and what not in _told:
            _told.add(what)
            _log.warning("compiling %s, which this computer has not run before; this happens once", what)
        self.attend()


_under_way: list[_Compilation] = []


@contextlib.contextmanager
def compiling(function: Callable[..., Any]) -> Iterator[None]:
    """Around the compilation of a function. Whoever enters holds the compiler's lock."""
    if _under_way:
        yield
        _under_way[0].pause()
        return
    with _Compilation(function.__name__) as outermost:
        _under_way.append(outermost)
        try:
            yield
            outermost.pause()
        finally:
            _under_way.pop()


def meanwhile() -> None:
    """Another process compiles, and this one waits for it."""
    _under_way[0].pause()
