"""What a fleet does when its world changes. Moves are checked anyway, but learned values may be too high now.

Units whose cell becomes a wall leave it by the shortest way: straight to the nearest free cell.
"""

import math
from typing import Any

import numpy as np

from ..compiled import borrow, compiled
from ..core.integers import Int
from ..worlds import Grid
from ..worlds.changes import Noted
from ..worlds.grid import OF_COST
from ..worlds.interface import NO_STATE
from .allocator import Allocator
from .distances import Distances, forget_rows
from .fleet_state import FleetState
from .guidance import declare, rescaled
from .unit_paths import has_block
from .units import ARRIVED, MOVING, STUCK, UNREACHABLE, WAITING, going
from .window import discard

THICKEST = 64  # cells of wall that a unit inside it can cross


def hear_of_changes(state: FleetState) -> None:
    """React to all changes since the last call."""
    changes, (version, scalings) = state.world.changes, state.watch
    if state.watch == (changes.version, len(changes.rescalings)):
        return
    state.watch = changes.version, len(changes.rescalings)
    rescalings = changes.rescalings[scalings:]
    tell_kinds(state, changes.since(version), rescalings)
    if rescalings:
        factor = math.prod(factor for factor, _ in rescalings)  # the world's new unit is that many times finer
        state.rows["cost"] = np.rint(state.rows["cost"] * factor)
        state.traffic = rescaled(state.traffic, factor)
        state.renew_costs()
    if len(state.groups):
        state.groups.restart()
    if rescalings or _is_freer(state, version):
        state.start_afresh(state.present)
    _bury(state)


def tell_kinds(state: FleetState, noted: Noted, rescalings: list[tuple[float, int]]) -> None:
    """Let units with their own searches take the changes into account; discard the steps that are planned ahead."""
    for kind in state.kinds:
        units = kind.hear(state.world, noted, rescalings)
        reasons = state.rows["reason"][units]
        state.rows["reason"][units[reasons == STUCK]] = WAITING
        state.enqueue(units[going(reasons) | (reasons == STUCK)])
    if state.attempts:
        discard(state.window)
    if isinstance(state.distances, Distances):
        forget_rows(state.distances)
    state.begin_anew()


def _is_freer(state: FleetState, version: int) -> bool:
    """Has a move become possible or cheaper since that version?"""
    changes = state.world.changes
    if changes.version - version > changes.noted:  # there were too many to keep
        return True
    noted = changes.since(version)
    if not isinstance(state.world, Grid):
        return bool(len(noted.subjects))
    cells = state.world.passable.ravel()[noted.subjects // 2]
    return bool(np.any((noted.subjects % 2 == OF_COST) | (cells & (noted.before == 0))))


def _bury(state: FleetState) -> None:
    """Give units inside a wall a path to the nearest free cell; those whose wall has opened need it no longer."""
    before, walled = state.present[state.rows["buried"][state.present]], in_walls(state, state.present)
    state.rows["buried"][before] = False
    leave_walls(state, walled)
    freed = np.setdiff1d(before, walled)
    rows = state.rows[freed]
    rows["length"], rows["reason"] = 0, np.where(rows["position"] == rows["goal"], ARRIVED, rows["reason"])
    state.rows[freed] = rows
    state.enqueue(freed[going(rows["reason"])])


def in_walls(state: FleetState, units: np.ndarray) -> np.ndarray:
    """Return those of these units that are inside a wall."""
    if not isinstance(state.world, Grid):
        return units[:0]
    return units[~state.world.passable.ravel()[state.rows["position"][units]]]


def leave_walls(state: FleetState, units: np.ndarray) -> None:
    """Give these units, which are inside a wall, a path out of it."""
    if isinstance(state.world, Grid) and len(units):
        cells = state.world.passable.ravel(), state.world.width
        dig_out(*cells, state.traffic, state.allocator, state.rows, units)
        state.sorted = False


# ------------------------------------------------------------------ out of walls


@compiled
def dig_out(
    passable: np.ndarray, width: int, traffic: Any, allocator: Allocator, rows: np.ndarray, units: np.ndarray
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
