"""Memory for what units keep: blocks of whole numbers, whose sizes are powers of two, given back and taken again.

It is cut into stripes. Every unit has its own, the same for all its blocks, so that units of different stripes can plan
in different threads.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import inlined
from ..integers import Int
from ..memory import untouched

NO_ROOM = -1
STRIPES = 32
SIZES = 48
_TOUCHED = SIZES  # in `heads`: where memory begins that was never taken
_HEADS = SIZES + 16  # numbers for each stripe; more than needed, so that no two threads write to one cache line


class Arena(NamedTuple):
    """One array for all, of which only what is used takes up memory."""

    cells: np.ndarray
    heads: np.ndarray  # for every stripe and size the first free block, plus 1; the next is written in the block itself


def new_arena(bytes_at_most: int) -> Arena:
    """An arena of that size, all of it free.

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
    """Where a block of 2**size cells begins, NO_ROOM if there is none left. What is in it is anybody's."""
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
    """A block of a unit is free again."""
    place = unit % STRIPES * _HEADS + size
    arena.cells[begin] = arena.heads[place]
    arena.heads[place] = begin + 1


def touched_bytes(arena: Arena) -> int:
    """How much memory has been in use at once."""
    return 8 * int(arena.heads[_TOUCHED::_HEADS].sum())
