"""The entries of an open list, and a binary heap of them on a flat array.

One order for every algorithm (it reproduces the papers' worked examples): smaller f; the goal before others; larger g;
earlier insertion. `rank` holds the middle two: it is g, or `FIRST` for a goal.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import inlined
from ..core.integers import Int
from .types import Nodes

ENTRY = np.dtype(
    [("f", np.int64), ("rank", np.int64), ("state", np.int32), ("order", np.int32), ("next", np.int32)], align=True
)
FIRST = np.iinfo(np.int64).max  # the rank of a goal
NOBODY = -1


class Entry(NamedTuple):
    """A state in the open list, as a value."""

    f: int
    rank: Int
    state: Int
    order: Int  # of insertion


EMPTY = Entry(FIRST, 0, NOBODY, 0)  # an empty hand: anything is better


@inlined
def before(a: Any, b: Any) -> bool:
    """Does entry `a` come before entry `b`?"""
    return a.f < b.f or (a.f == b.f and (a.rank > b.rank or (a.rank == b.rank and a.order < b.order)))


@inlined
def stale(entry: Entry, nodes: Nodes) -> bool:
    """Was the state reached at lower cost after this entry was made? (A goal's newest entry always surfaces first.)"""
    return entry.rank != FIRST and entry.rank != nodes[entry.state].g


@inlined
def place(heap: Any, i: Int, entry: Entry) -> None:
    """Write an entry, field by field, because copying whole records is slow."""
    heap[i].f = entry.f
    heap[i].rank = entry.rank
    heap[i].state = entry.state
    heap[i].order = entry.order


@inlined
def rise(heap: Any, size: int, entry: Entry) -> int:
    """Push an entry onto the heap; return the new size."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if not before(entry, heap[parent]):
            break
        place(heap, i, heap[parent])
        i = parent
    place(heap, i, entry)
    return size + 1


@inlined
def sink(heap: Any, size: int) -> int:
    """Pop the first entry of the heap; return the new size."""
    last, i = size - 1, 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and before(heap[child + 1], heap[child]):
            child += 1
        if not before(heap[child], heap[last]):
            break
        place(heap, i, heap[child])
        i = child
    place(heap, i, heap[last])
    return last
