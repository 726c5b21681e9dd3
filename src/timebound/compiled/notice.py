"""Tell the user what takes so long: one line, if compiling takes more than two seconds."""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

PATIENCE = 2.0  # seconds

_log = logging.getLogger("timebound")
_purpose: ContextVar[str] = ContextVar("purpose", default="")
_told: set[str] = set()
_since: dict[Any, float] = {}  # the functions that are being compiled, the outermost first


@contextlib.contextmanager
def purpose(text: str) -> Iterator[None]:
    """What is compiled meanwhile is for this."""
    before = _purpose.set(text)
    try:
        yield
    finally:
        _purpose.reset(before)
        if not before.old_value or before.old_value is before.MISSING:
            _since.clear()


def began(function: Callable[..., Any]) -> None:
    """A function is about to be compiled."""
    _since.setdefault(function, time.monotonic())


def ended(function: Callable[..., Any]) -> None:
    """It has been."""
    first = next(iter(_since), None)
    if first is None:
        return
    took, what = time.monotonic() - _since[first], _purpose.get() or first.__name__
    if took > PATIENCE and what not in _told:
        _told.add(what)
        _log.warning("compiling %s for this machine; this happens once", what)
    _since.pop(function, None)
