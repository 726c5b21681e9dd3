"""Processes that need the same machine code at the same time: one compiles it, the others wait and load it.

A process that compiles a function locks one byte of a file, at a place given by the function's key. The system unlocks
the bytes of a process that ends, however it ends. Processes cannot wait in a circle, because functions do not call each
other in one. None waits for long: after that, a function is compiled twice, which costs time but does no harm.
"""

import functools
import os
import time
from collections.abc import Callable
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: every process compiles
    fcntl = None  # type: ignore[assignment]

FILE = "claims"
PATIENCE = 60.0  # seconds: the other process may have been stopped
_PAUSE = 0.01

_held: set[tuple[int, str]] = set()


def claim(place: Path | None, key: str, meanwhile: Callable[[], None]) -> bool:
    """Claim a function; wait for a process that already compiles it. True if there was one: look again."""
    file = _opened(place) if place and fcntl else None
    if file is None:
        return False
    waited, until = False, time.monotonic() + PATIENCE
    while not _locked(file, key):
        if time.monotonic() > until:
            return True
        waited = True
        meanwhile()
        time.sleep(_PAUSE)
    _held.add((file, key))
    return waited


def let_go(place: Path | None, key: str) -> None:
    """Release the claim: it is compiled, or cannot be."""
    file = _opened(place) if place and _held else None
    if file is not None and (file, key) in _held:
        _held.remove((file, key))
        fcntl.lockf(file, fcntl.LOCK_UN, 1, _byte(key))


@functools.cache
def _opened(place: Path) -> int | None:
    """Return the file. It stays open: closing it would unlock everything."""
    try:
        return os.open(place / FILE, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError:
        return None


def _locked(file: int, key: str) -> bool:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte(key))
    except (BlockingIOError, PermissionError):  # another process has it
        return False
    except OSError:  # a file system without locks: no process has it
        return True
    return True


def _byte(key: str) -> int:
    return int(key[:15], 16)  # of 2**60
