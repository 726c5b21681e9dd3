"""Which problems are in which piece of a run."""

from collections.abc import Iterator
from typing import NamedTuple

MOST = 20  # problems in a piece


class Batch(NamedTuple):
    """The problems of a piece, numbered over all places: those of the first place come first."""

    places: range
    first: int
    size: int


def batches(places: int, per_place: int) -> Iterator[Batch]:
    """Group problems: those of one place if it has many, otherwise of several places.

    >>> list(batches(3, 8))
    [Batch(places=range(0, 2), first=0, size=16), Batch(places=range(2, 3), first=16, size=8)]
    """
    step = max(1, MOST // per_place)
    for start in range(0, places, step):
        some = range(start, min(start + step, places))
        for first in range(some.start * per_place, some.stop * per_place, MOST):
            yield Batch(some, first, min(MOST, some.stop * per_place - first))
