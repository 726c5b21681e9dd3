"""Which problems are in which piece of a run."""

from collections.abc import Iterator
from typing import NamedTuple

MOST = 20  # problems of a piece


class Batch(NamedTuple):
    """The problems of a piece. They are counted over all places: those of the first one come first."""

    places: range
    first: int
    size: int


def batches(places: int, per_place: int) -> Iterator[Batch]:
    """Problems in groups: of one place, if it has many; else of several.

    >>> list(batches(3, 8))
    [Batch(places=range(0, 2), first=0, size=16), Batch(places=range(2, 3), first=16, size=8)]
    """
    step = max(1, MOST // per_place)
    for start in range(0, places, step):
        some = range(start, min(start + step, places))
        for first in range(some.start * per_place, some.stop * per_place, MOST):
            yield Batch(some, first, min(MOST, some.stop * per_place - first))
