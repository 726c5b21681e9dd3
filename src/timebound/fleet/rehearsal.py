"""A rehearsal of everything units do, before there are any: no tick waits to compile or load machine code."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..worlds import Grid
from ..worlds.changes import Noted
from .leaving_walls import dig_out
from .world_changes import tell_kinds

if TYPE_CHECKING:
    from .fleet import Fleet

_SOON = 0.01  # milliseconds


def rehearse(fleet: "Fleet", units: np.ndarray, goals: list[Any]) -> None:
    """Let the units of a fleet, made only for this, do everything."""
    fleet.tick(expansions=1)
    fleet.plan(expansions=1)
    fleet.tick(ms=_SOON)
    fleet.on_arrival = lambda units: None  # this makes a tick run in several steps
    fleet.tick(ms=_SOON)
    fleet._state.make_room(2 * len(fleet._state.rows))
    fleet.tick(expansions=1)
    fleet.retarget(units, goals)
    fleet.tick(expansions=1)
    nobody, state = np.empty(0, np.int64), fleet._state
    tell_kinds(state, Noted(nobody, nobody), [])  # a change of the world that affects no unit
    state.start_afresh(state.present)
    if isinstance(fleet.world, Grid):
        dig_out(fleet.world.passable.ravel(), fleet.world.width, state.traffic, state.allocator, state.rows, nobody)
    fleet.remove(units)
    fleet.tick(expansions=1)
