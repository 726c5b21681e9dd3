"""The paths that units follow, in the fleet's memory."""

from typing import Any

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..core.integers import Int
from .allocator import NO_ROOM, Allocator, allocate, free
from .guidance import NoTraffic, Traffic, declare
from .units import MOVING, NO_BLOCK, OUT_OF_MEMORY


@inlined
def keep_path(allocator: Allocator, row: Any, unit: Int, path: Any, length: int) -> None:
    """Record the first `length` states of a path that was found, or the two of a move."""
    if has_block(allocator, row, unit, length):
        for i in range(length):
            allocator.cells[row.path + i] = path[i]
        row.length, row.at, row.reason = length, 0, MOVING


@inlined
def has_block(allocator: Allocator, row: Any, unit: Int, length: int) -> bool:
    """Ensure a block for a path of that length; if there is no room, the unit stops."""
    if row.path_size == NO_BLOCK or length > 1 << row.path_size:
        if row.path_size != NO_BLOCK:
            free(allocator, unit, row.path, row.path_size)
        row.path_size = 2
        while length > 1 << row.path_size:
            row.path_size += 1
        row.path = allocate(allocator, unit, row.path_size)
        if row.path == NO_ROOM:
            row.path_size, row.reason = NO_BLOCK, OUT_OF_MEMORY
            return False
    return True


@compiled
def withdraw(traffic: Traffic | NoTraffic, allocator: Allocator, rows: np.ndarray, units: np.ndarray) -> None:
    """Free the memory of units."""
    lent = borrow(allocator)
    for i in range(len(units)):
        row = borrow(rows)[units[i]]
        row.length = 0
        declare(borrow(traffic), lent.cells, row)
        if row.path_size != NO_BLOCK:
            free(lent, units[i], row.path, row.path_size)
            row.path_size = NO_BLOCK
