"""Memory for what units keep: blocks of whole numbers, whose sizes are powers of two, given back and taken again."""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import inlined
from ..integers import Int
from ..memory import untouched

NO_ROOM = -1
SIZES = 48
_TOUCHED = SIZES  # in `heads`: where memory begins that was never taken


class Arena(NamedTuple):
    """One array for all, of which only what is used takes up memory."""

    cells: np.ndarray
    heads: np.ndarray  # for every size the first free block, plus 1; the next one is written in the block itself


def new_arena(bytes_at_most: int) -> Arena:
    """An arena of that size, all of it free.

    >>> arena = new_arena(1 << 20)
    >>> take(arena, 3), take(arena, 3)
    (0, 8)
    >>> give(arena, 0, 3)
    >>> take(arena, 3), touched_bytes(arena)
    (0, 128)
    """
    return Arena(untouched(bytes_at_most // 8, np.int64), np.zeros(SIZES + 1, np.int64))


@inlined
def take(arena: Any, size: Int) -> Int:
    """Where a block of 2**size cells begins, NO_ROOM if there is none left. What is in it is anybody's."""
    first = arena.heads[size]
    if first:
        arena.heads[size] = arena.cells[first - 1]
        return first - 1
    begin = arena.heads[_TOUCHED]
    if begin + (1 << size) > len(arena.cells):
        return NO_ROOM
    arena.heads[_TOUCHED] = begin + (1 << size)
    return begin


@inlined
def give(arena: Any, begin: Int, size: Int) -> None:
    """A block is free again."""
    arena.cells[begin] = arena.heads[size]
    arena.heads[size] = begin + 1


def touched_bytes(arena: Arena) -> Int:
    """How much memory has been in use at once."""
    return 8 * int(arena.heads[_TOUCHED])
