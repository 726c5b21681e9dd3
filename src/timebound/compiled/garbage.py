"""Garbage collection during compilation: Numba makes millions of objects, most of which live until the end."""

import contextlib
import gc
from collections.abc import Iterator

_MANY = 20_000  # new objects between two collections


@contextlib.contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage less often: at the usual rate it would take a tenth of the time."""
    usual, *rest = gc.get_threshold()
    if usual:  # 0: it is switched off
        gc.set_threshold(max(usual, _MANY), *rest)
    try:
        yield
    finally:
        gc.set_threshold(usual, *rest)
