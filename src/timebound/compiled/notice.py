"""While something is compiled: one line for the user if it takes long, and Ctrl-C only where it does no harm.

An exception in the middle of Numba's work, which a signal may raise anywhere, can leave the compiler in pieces for the
rest of the process. So the handler of Ctrl-C waits until the function at hand is done, a tenth of a second or so.
"""

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

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


class _Compilation:
    """The outermost function that is being compiled, and all that it needs."""

    def __init__(self, name: str):
        self.name, self.began, self.signals = name, time.monotonic(), 0
        in_main = threading.current_thread() is threading.main_thread()
        handler = signal.getsignal(signal.SIGINT) if in_main else None
        self.handler = handler if callable(handler) else None  # not ignored, nor left to the system
        if self.handler:
            signal.signal(signal.SIGINT, self._note)

    def _note(self, number: int, frame: Any) -> None:
        self.signals += 1

    def pause(self) -> None:
        """Nothing is under way just now: tell the user if this takes long, and attend to Ctrl-C."""
        what = _purpose.get() or self.name
        if time.monotonic() - self.began > PATIENCE and what not in _told:
            _told.add(what)
            _log.warning("compiling %s, which this computer has not run before; this happens once", what)
        self._attend()

    def _attend(self) -> None:
        if self.signals and self.handler:
            self.signals = 0
            self.handler(signal.SIGINT, None)

    def end(self) -> None:
        """Everything is done, or has failed."""
        if self.handler:
            signal.signal(signal.SIGINT, self.handler)
            self._attend()


_under_way: list[_Compilation] = []


@contextlib.contextmanager
def compiling(function: Callable[..., Any]) -> Iterator[None]:
    """Around the compilation of a function. Whoever enters holds the compiler's lock."""
    outermost = not _under_way
    if outermost:
        _under_way.append(_Compilation(function.__name__))
    try:
        yield
        _under_way[0].pause()
    finally:
        if outermost:
            _under_way.pop().end()


def meanwhile() -> None:
    """Another process compiles, and this one waits for it."""
    _under_way[0].pause()
