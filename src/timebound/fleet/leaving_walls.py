"""Units whose cell becomes a wall leave it by the shortest way: straight to the nearest free cell."""

from typing import Any

import numpy as np

from ..compiled import borrow, compiled
from ..core.integers import Int
from ..worlds.interface import NO_STATE
from .allocator import Allocator
from .guidance import NoTraffic, Traffic, declare
from .unit_paths import has_block
from .units import MOVING, UNREACHABLE

THICKEST = 64  # cells of wall that a unit inside it can cross


@compiled
def dig_out(
    passable: np.ndarray,
    width: int,
    traffic: Traffic | NoTraffic,
    allocator: Allocator,
    rows: np.ndarray,
    units: np.ndarray,
) -> None:
    """Give units inside a wall a path out of it."""
    cells = borrow(allocator)
    for i in range(len(units)):
        row = borrow(rows)[units[i]]
        row.length, row.buried = 0, True
        declare(borrow(traffic), cells.cells, row)
        exit = nearest_free(borrow(passable), width, row.position, row.goal)
        if exit == NO_STATE:
            row.reason = UNREACHABLE
        else:
            keep_way_out(cells, row, units[i], exit, width)


@compiled
def nearest_free(passable: Any, width: int, state: Int, goal: Int) -> Int:
    """Return the free cell that is the fewest moves away, ignoring walls; among several the one nearest to the goal."""
    height, x, y, gx, gy = len(passable) // width, state % width, state // width, goal % width, goal // width
    for reach in range(1, THICKEST):
        best, least = NO_STATE, 0
        for cy in range(max(0, y - reach), min(height, y + reach + 1)):
            step = 1 if abs(cy - y) == reach else 2 * reach  # around the square that was checked before
            for cx in range(x - reach, x + reach + 1, step):
                distance = (cx - gx) ** 2 + (cy - gy) ** 2
                if 0 <= cx < width and passable[cy * width + cx] and (best == NO_STATE or distance < least):
                    best, least = cy * width + cx, distance
        if best != NO_STATE:
            return best
    return NO_STATE


@compiled
def keep_way_out(allocator: Allocator, row: Any, unit: Int, exit: Int, width: int) -> None:
    """Record the moves there: diagonal as long as that leads nearer, then straight."""
    dx, dy = exit % width - row.position % width, exit // width - row.position // width
    length = max(abs(dx), abs(dy)) + 1
    if has_block(allocator, row, unit, length):
        for i in range(length):
            cx, cy = min(i, abs(dx)), min(i, abs(dy))
            allocator.cells[row.path + i] = row.position + (cx if dx > 0 else -cx) + (cy if dy > 0 else -cy) * width
        row.length, row.at, row.reason = length, 0, MOVING
