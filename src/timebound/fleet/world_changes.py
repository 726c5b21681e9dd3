"""What a fleet does when its world changes. Moves are checked anyway, but learned values may be too high now."""

import math

import numpy as np

from ..worlds import Grid
from ..worlds.changes import Noted
from ..worlds.grid import OF_COST
from .guidance import rescaled
from .leaving_walls import dig_out
from .state import FleetState
from .units import ARRIVED, STUCK, WAITING, going
from .window import discard


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
