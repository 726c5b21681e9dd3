"""What a person sees while something takes long."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def patience(seconds: float = 1.0) -> Iterator[None]:
    """Say on a terminal why nothing happens, if the work inside takes longer than usual."""
    text = "timebound: compiling for this machine; the next run starts at once (or this map is large) ..."
    notice = threading.Timer(seconds, lambda: print(text, file=sys.stderr, flush=True))
    if sys.stderr.isatty():
        notice.daemon = True
        notice.start()
    try:
        yield
    finally:
        notice.cancel()
