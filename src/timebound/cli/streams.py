"""Standard output and standard error as a command finds them: closed, full, broken, or with few characters.

What is printed is lost with a stream that is closed: nobody wants it. On a full device, it is an error that it is lost.
"""

import io
import os
import sys

from ..disk import reason
from ..wording import one_line


def prepare() -> None:
    """Let every command print as if both streams were there and had all characters."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            _discard(name)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """One line on standard error; if that cannot take it, the exit status must do."""
    try:
        print(f"timebound: {one_line(text)}", file=sys.stderr, flush=True)
    except (OSError, ValueError):  # ValueError: it was closed
        _discard("stderr")


def lost_output() -> str:
    """Write out what was printed so far; why that is impossible, or nothing if it went well, or if nobody reads on."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader (`| head`) has seen enough
        _discard("stdout")
    except (OSError, ValueError) as error:
        _discard("stdout")
        return f"standard output: {reason(error)}"
    return ""


def _discard(name: str) -> None:
    """From now on, what goes to that stream vanishes; also what it still holds, which Python writes when it ends."""
    nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115: it stays open until the end
    old = getattr(sys, name)
    setattr(sys, name, nowhere)
    try:
        os.dup2(nowhere.fileno(), old.fileno())
    except (AttributeError, OSError, ValueError):  # there was none, or it is not one of the system's
        return
