"""What a fleet does when its world changes. Moves are checked anyway, but learned values may be too high now.

Units whose cell becomes a wall leave it by the shortest way: straight to the nearest free cell.
"""

import math
from typing import Any

import numpy as np

from ..compiled import borrow, compiled
from ..core.integers import Int
from ..worlds import Grid, World
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
    if state.bodies is not None:
        for world, units in list(state.by_world(state.present)):
            _hear_of(state, world, units)
    else:
        _hear_of(state, state.world, state.present)


def _hear_of(state: FleetState, world: World, present: np.ndarray) -> None:
    """React to those of one world, in which these units live."""
    changes, before = world.changes, state.watches[id(world)]
    now = changes.version, len(changes.rescalings)
    if before == now:
        return
    (version, scalings), state.watches[id(world)] = before, now
    rescalings = changes.rescalings[scalings:]
    tell_kinds(state, world, changes.since(version), rescalings)
    if rescalings:
        factor = math.prod(factor for factor, _ in rescalings)  # the world's new unit is that many times finer
        state.rows["cost"][present] = np.rint(state.rows["cost"][present] * factor)
        state.traffic = rescaled(state.traffic, factor)
        state.renew_costs()
    if world is state.world and len(state.groups):
        state.groups.restart()
    if rescalings or _is_freer(world, version):
        state.start_afresh(present)
    _bury(state, present)


def tell_kinds(state: FleetState, world: World, noted: Noted, rescalings: list[tuple[float, int]]) -> None:
    """Let units with their own searches take the changes into account; discard the steps that are planned ahead."""
    for kind in state.kinds:
        if kind.world is not world:
            continue
        units = kind.hear(world, noted, rescalings)
        reasons = state.rows["reason"][units]
        state.rows["reason"][units[reasons == STUCK]] = WAITING
        state.enqueue(units[going(reasons) | (reasons == STUCK)])
    if state.attempts:
        discard(state.window)
    if isinstance(state.distances, Distances):
        forget_rows(state.distances)
    state.begin_anew()


def _is_freer(world: World, version: int) -> bool:
    """Has a move become possible or cheaper since that version?"""
    changes = world.changes
    if changes.version - version > changes.noted:  # there were too many to keep
        return True
    noted = changes.since(version)
    if not isinstance(world, Grid):
        return bool(len(noted.subjects))
    cells = world.passable.ravel()[noted.subjects // 2]
    return bool(np.any((noted.subjects % 2 == OF_COST) | (cells & (noted.before == 0))))


def _bury(state: FleetState, units: np.ndarray) -> None:
    """Give units inside a wall a path to the nearest free cell; those whose wall has opened need it no longer."""
    before, walled = units[state.rows["buried"][units]], in_walls(state, units)
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
    walled = np.zeros(len(state.rows), np.bool_)
    for world, some in state.by_world(units):
        walled[some] = ~world.passable.ravel()[state.rows["position"][some]]  # type: ignore[attr-defined]
    return units[walled[units]]


def leave_walls(state: FleetState, units: np.ndarray) -> None:
    """Give these units, which are inside a wall, a path out of it."""
    for world, some in state.by_world(units):
        if isinstance(world, Grid) and len(some):
            dig_out(world.passable.ravel(), world.width, state.traffic, state.allocator, state.rows, some)
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
