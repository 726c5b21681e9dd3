"""Standard output and standard error that may be closed, full, broken, or unable to encode some characters.

Output to a closed stream is dropped: nobody wants it. Output that does not fit on a full device is an error.
"""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from ..core.disk import reason
from ..core.wording import one_line


class LostOutputError(OSError):
    """Standard output could not be written to."""


class Output:
    """A stream that remembers why writing failed: not every caller of `print` passes that on."""

    def __init__(self, stream: TextIO):
        self._stream = stream
        self._error: Exception | None = None

    def write(self, text: str) -> int:
        """As a stream does."""
        written: int = self._noting(self._stream.write, text)
        return written

    def flush(self) -> None:
        """As a stream does."""
        self._noting(self._stream.flush)

    def _noting(self, call: Any, *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            self._error = self._error or error
            _to_nowhere(self._stream)
            raise LostOutputError from error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def lost(self) -> str:
        """Flush what was printed; if output was lost that somebody wants, return why."""
        with suppress(LostOutputError):
            self.flush()
        unread = isinstance(self._error, BrokenPipeError)  # the reader (`| head`) has seen enough
        return "" if self._error is None or unread else f"standard output: {reason(self._error)}"


@contextmanager
def prepared() -> Iterator[Output]:
    """Let a command print as if both streams were open and took every character."""
    before = sys.stdout, sys.stderr
    with _nowhere() as nowhere:
        output, sys.stderr = Output(_usable(sys.stdout, nowhere)), _usable(sys.stderr, nowhere)
        sys.stdout = output
        try:
            yield output
        finally:
            sys.stdout, sys.stderr = before


def say(text: str) -> None:
    """Print one line on standard error; if that fails, the exit status must do."""
    try:
        print(f"timebound: {one_line(text)}", file=sys.stderr, flush=True)
    except (OSError, ValueError):  # as above
        _to_nowhere(sys.stderr)


def _usable(stream: TextIO | None, instead: TextIO) -> TextIO:
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return instead if stream is None else stream


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _to_nowhere(stream: TextIO) -> None:
    """Discard what the stream still holds, or Python would try to write it at exit."""
    with suppress(OSError, ValueError), _nowhere() as nowhere:  # it may not be a stream of the system
        os.dup2(nowhere.fileno(), stream.fileno())
