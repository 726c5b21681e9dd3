"""Memory for the data of units: blocks of whole numbers, whose sizes are powers of two, freed and reused.

It is divided into stripes. All blocks of a unit are in one stripe, so that units of different stripes can plan in
different threads.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import inlined
from ..core.integers import Int
from ..core.memory import untouched

NO_ROOM = -1
STRIPES = 32
SIZES = 48
_TOUCHED = SIZES  # index in `heads` of the start of memory that was never used
_HEADS = SIZES + 16  # numbers for each stripe; more than needed, so that no two threads write to one cache line


class Allocator(NamedTuple):
    """One array for all units, of which only the used part takes memory."""

    cells: np.ndarray
    heads: np.ndarray  # for every stripe and size the first free block, plus 1; a free block holds the next one


def new_allocator(bytes_at_most: int) -> Allocator:
    """Make an allocator of that size, all of it free.

    >>> allocator = new_allocator(1 << 20)
    >>> [int(allocate(allocator, unit, 3)) for unit in (0, 0, 1)]
    [0, 8, 4096]
    >>> free(allocator, 0, 0, 3)
    >>> int(allocate(allocator, 0, 3)), touched_bytes(allocator)
    (0, 192)
    """
    return Allocator(untouched(bytes_at_most // 8 // STRIPES * STRIPES, np.int64), np.zeros(STRIPES * _HEADS, np.int64))


@inlined
def allocate(allocator: Allocator, unit: Int, size: Int) -> Int:
    """Return the start of a block of 2**size cells, NO_ROOM if none is left. Its contents are undefined."""
    stripe, room = unit % STRIPES, len(allocator.cells) // STRIPES
    place = stripe * _HEADS
    first = np.int64(allocator.heads[place + size])
    if first:
        allocator.heads[place + size] = allocator.cells[first - 1]
        return first - 1
    begin = allocator.heads[place + _TOUCHED]
    if begin + (1 << size) > room:
        return NO_ROOM
    allocator.heads[place + _TOUCHED] = begin + (1 << size)
    return stripe * room + begin


@inlined
def free(allocator: Allocator, unit: Int, begin: Int, size: Int) -> None:
    """Free a block of a unit."""
    place = unit % STRIPES * _HEADS + size
    allocator.cells[begin] = allocator.heads[place]
    allocator.heads[place] = begin + 1


def touched_bytes(allocator: Allocator) -> int:
    """Return the most memory that was in use at once."""
    return 8 * int(allocator.heads[_TOUCHED::_HEADS].sum())
