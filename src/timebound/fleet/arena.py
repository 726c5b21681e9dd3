"""Memory for the data of units: blocks of whole numbers, whose sizes are powers of two, freed and reused.

It is divided into stripes. All blocks of a unit are in one stripe, so that units of different stripes can plan in
different threads.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import inlined
from ..core.integers import Int
from ..core.memory import untouched

NO_ROOM = -1
STRIPES = 32
SIZES = 48
_TOUCHED = SIZES  # index in `heads` of the start of memory that was never used
_HEADS = SIZES + 16  # numbers for each stripe; more than needed, so that no two threads write to one cache line


class Arena(NamedTuple):
    """One array for all units, of which only the used part takes memory."""

    cells: np.ndarray
    heads: np.ndarray  # for every stripe and size the first free block, plus 1; a free block holds the next one


def new_arena(bytes_at_most: int) -> Arena:
    """Make an arena of that size, all of it free.

    >>> arena = new_arena(1 << 20)
    >>> [int(take(arena, unit, 3)) for unit in (0, 0, 1)]
    [0, 8, 4096]
    >>> give(arena, 0, 0, 3)
    >>> int(take(arena, 0, 3)), touched_bytes(arena)
    (0, 192)
    """
    return Arena(untouched(bytes_at_most // 8 // STRIPES * STRIPES, np.int64), np.zeros(STRIPES * _HEADS, np.int64))


@inlined
def take(arena: Any, unit: Int, size: Int) -> Int:
    """Return the start of a block of 2**size cells, NO_ROOM if none is left. Its contents are undefined."""
    stripe, room = unit % STRIPES, len(arena.cells) // STRIPES
    place = stripe * _HEADS
    first = arena.heads[place + size]
    if first:
        arena.heads[place + size] = arena.cells[first - 1]
        return first - 1
    begin = arena.heads[place + _TOUCHED]
    if begin + (1 << size) > room:
        return NO_ROOM
    arena.heads[place + _TOUCHED] = begin + (1 << size)
    return stripe * room + begin


@inlined
def give(arena: Any, unit: Int, begin: Int, size: Int) -> None:
    """Free a block of a unit."""
    place = unit % STRIPES * _HEADS + size
    arena.cells[begin] = arena.heads[place]
    arena.heads[place] = begin + 1


def touched_bytes(arena: Arena) -> int:
    """Return the most memory that was in use at once."""
    return 8 * int(arena.heads[_TOUCHED::_HEADS].sum())
