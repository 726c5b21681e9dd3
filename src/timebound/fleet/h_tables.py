"""The learned h-values of a unit: a hash table from states to values, as large as its contents.

A single agent has an array with a number for every state of the map. Ten thousand units cannot afford that.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..core.integers import Int
from ..search.learning import kept_number, put_number, same_numbers
from .allocator import NO_ROOM, Allocator, allocate, free
from .units import NO_BLOCK

_MIX = 2654435761  # Knuth's multiplicative hash
FIRST_SIZE = 4  # as a power of two: states in a new table


@inlined
def hashed(key: Int, bits: Int) -> Int:
    """Return a place in a table of 2**bits places.

    >>> [int(hashed(key, 4)) for key in range(4)]
    [0, 9, 3, 13]
    """
    return ((key * _MIX) & 0xFFFFFFFF) >> (32 - bits)


class HTable(NamedTuple):
    """The values of one unit, in place of the array of a single agent: see `search.learning.Learned`."""

    allocator: Allocator
    rows: np.ndarray
    unit: Int


@kept_number.of(HTable)
def _kept_number(table: Any, state: Int) -> Int:
    """Return the value, 0 if there is none."""
    row = table.rows[table.unit]
    if row.table_size == NO_BLOCK:
        return 0
    cells, begin, size = table.allocator.cells, row.table, row.table_size
    place = hashed(state, size)
    while True:
        key = cells[begin + 2 * place]
        if key == state + 1:
            return cells[begin + 2 * place + 1]
        if key == 0:
            return 0
        place = (place + 1) & ((1 << size) - 1)


@same_numbers.of(HTable)
def _same_numbers(table: Any, other: Any) -> bool:
    return False  # even the same unit may have another goal


@put_number.of(HTable)
@compiled
def _put_number(table: Any, state: Int, number: Int) -> None:
    """Store a value; if there is no room for it in the allocator, it is lost, and the unit's row says so."""
    row = table.rows[table.unit]
    full = row.table_size == NO_BLOCK or 4 * row.learned >= 3 << row.table_size
    if full and not grow(table):
        row.lost = True
        return
    insert(table.allocator.cells, row, state, number)


@inlined
def insert(cells: Any, row: Any, state: Int, number: Int) -> None:
    """Store a value in a table that has room."""
    size = row.table_size
    place = hashed(state, size)
    while cells[row.table + 2 * place] != 0 and cells[row.table + 2 * place] != state + 1:
        place = (place + 1) & ((1 << size) - 1)
    row.learned += cells[row.table + 2 * place] == 0
    cells[row.table + 2 * place] = state + 1
    cells[row.table + 2 * place + 1] = number


@compiled
def grow(table: Any) -> bool:
    """Move to a table twice as large; return whether there is room."""
    row, cells = table.rows[table.unit], table.allocator.cells
    old, old_size = row.table, row.table_size
    size = FIRST_SIZE if old_size == NO_BLOCK else old_size + 1
    begin = allocate(table.allocator, table.unit, size + 1)
    if begin == NO_ROOM:
        return old_size != NO_BLOCK and row.learned + 1 < 1 << old_size  # a little room is left
    for i in range(1 << size):
        cells[begin + 2 * i] = 0
    row.table, row.table_size, row.learned = begin, size, 0
    if old_size != NO_BLOCK:
        for i in range(1 << old_size):
            if cells[old + 2 * i]:
                insert(cells, row, cells[old + 2 * i] - 1, cells[old + 2 * i + 1])
        free(table.allocator, table.unit, old, old_size + 1)
    return True


@compiled
def forget_all(allocator: Allocator, rows: np.ndarray, units: np.ndarray) -> None:
    """Discard what units have learned: they have other goals, or moves have become possible or cheaper."""
    for i in range(len(units)):
        row = borrow(rows)[units[i]]
        if row.table_size != NO_BLOCK:
            free(borrow(allocator), units[i], row.table, row.table_size + 1)
            row.table_size, row.learned = NO_BLOCK, 0
