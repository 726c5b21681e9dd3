"""What the user sees during long work."""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from . import console

Item = TypeVar("Item")

QUIET = 60  # seconds between two lines of a log


@contextmanager
def notices() -> Iterator[None]:
    """Show the library's warnings, such as the notice about compiling, on standard error."""
    log, handler = logging.getLogger("timebound"), _Notices(logging.WARNING)
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


class _Notices(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Print in place of the progress line, if there is one."""
        if sys.stderr.isatty():
            _clear()
        console.say(record.getMessage())


class Progress:
    """Show how much is done and how much time is left: in one terminal line, or in a log, in a line a minute.

    As a context manager, it clears the line at the end.
    """

    def __init__(self, total: int = 0, what: str = ""):
        self.total, self.what, self.first, self.last = total, what, 0.0, 0.0
        self.shown = sys.stderr.isatty()

    def report(self, done: int) -> None:
        """Report that `done` items are done. The first, which may have waited for the compiler, predicts nothing."""
        now = time.monotonic()
        self.first, self.last = self.first or now, self.last or now
        rest = f", {duration((now - self.first) / (done - 1) * (self.total - done))} left" if done > 1 else ""
        text = f"{done} of {self.total} {self.what}{rest}"
        if self.shown:
            print(f"\r{'timebound: ' + text:<70}", end="", file=sys.stderr, flush=True)
        elif now >= self.last + QUIET:
            self.last = now
            console.say(text)

    def tell(self, what: str, done: int, total: int) -> None:
        """Report the same, where one kind of items comes after the other, and `total` is not known in advance."""
        if what != self.what:
            self.what, self.first, self.last = what, 0.0, 0.0
        self.total = total
        self.report(done)

    def say(self, text: str) -> None:
        """Show what is being done now."""
        if self.shown:
            print(f"\r{'timebound: ' + text:<70.70}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error: object) -> None:
        if self.shown:
            _clear()


def follow(items: Iterator[Item], take: Callable[[Item], object], total: int, what: str, every: int = 1) -> bool:
    """Take all items, as they come; return whether the user interrupted that, after at least one."""
    done = 0
    with Progress(total, what) as progress:
        try:
            for done, item in enumerate(items, 1):
                take(item)
                if total > 1 and done % every == 1 % every:
                    progress.report(done)
        except KeyboardInterrupt:
            if not done:
                raise
            return True
    return False


def _clear() -> None:
    print(f"\r{'':<70}\r", end="", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Format seconds for people.

    >>> duration(7.4), duration(192), duration(7300)
    ('7 s', '3 min 12 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"
