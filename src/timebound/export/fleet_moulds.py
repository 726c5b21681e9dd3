"""What units and fleets are made of: see `moulds`. Units of a C fleet are those that share a planner."""

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import typeof

from ..agents.catalogue import KINDS, Kind, check_terrain, mix
from ..agents.making import ingredients, take_memory
from ..agents.parts import Setting
from ..core.errors import ProblemError
from ..fleet.allocator import new_allocator
from ..fleet.fleet_state import FleetState
from ..fleet.guidance import NoTraffic
from ..fleet.kinds import leaves_nothing
from ..fleet.options import checked_options
from ..fleet.pibt import COLLISIONS
from ..fleet.shared_planner import SharedPlanner
from ..fleet.turns import new_queues
from ..fleet.units import UNIT
from ..knowledge.grid import GridKnowledge
from ..search.orders import order_of
from ..worlds import Grid
from .moulds import (
    MarkedPool,
    Mould,
    Probe,
    addresses,
    arrays_of,
    described_leaves,
    mould_of,
    mutable_arrays,
    symbols_of,
    worlds_to_try,
)

MODES = ("none", "wait", "push")


class _Looked(SharedPlanner):
    """Shows what a planner is made of, instead of making one."""

    def planner(self, setting: Setting, longest: int, steepness: int) -> Any:
        return ingredients(setting, self.knowledge, longest, steepness)


def _probe(kind: Kind, terrain: str, given: Mapping[str, Any], world: Grid, ends: tuple[int, int], mark: int) -> Probe:
    chosen = mix(kind, {name: value for name, value in given.items() if name != "memory_mb"})
    check_terrain(terrain, chosen.parameters)
    if not leaves_nothing(chosen):
        raise ProblemError(f"units of agent {kind.name!r} keep their searches, which fleets of this library do not")
    world.pool = MarkedPool(mark)
    looked = _Looked(0, kind, chosen, world, terrain)
    memory = {name: used for name, used in take_memory(chosen.parts, world).items() if name != "h"}
    allocator, rows = new_allocator(1 << 16), np.zeros(8, UNIT)
    made = looked._planner(world, NoTraffic(), allocator, rows, memory)
    symbols = {**symbols_of(world, 0, 0), "mark": mark, "next_mark": mark + 1}
    if "weight" in chosen.parameters:
        order = order_of(world, chosen.parameters["weight"])
        symbols |= {"g_weight": order.g_weight, "h_weight": order.h_weight, "shift": order.shift}
    kept = {name: used.array for name, used in memory.items()}
    if isinstance(looked.knowledge, GridKnowledge):
        kept |= {"seen": looked.knowledge.seen, "patch": looked.knowledge.patch}
    entries = looked._setting.open_list
    if entries is not None:
        kept |= {str(i): each for i, each in enumerate(entries)}
    shared = {"rows": rows, "cells": allocator.cells, "heads": allocator.heads}
    return Probe(made, {**chosen.parameters, "memory_mb": None}, symbols, arrays_of(world) | shared, addresses(kept))


def mould_of_units(kind: Kind, terrain: str) -> Mould | None:
    """Find out what the planner of such units is made of; None if they cannot be in a fleet of the library."""
    chosen = mix(kind, {})
    return mould_of(kind, terrain, _probe) if terrain in kind.terrain and leaves_nothing(chosen) else None


def mould_of_fleet() -> Mould:
    """Find out what a fleet is made of."""
    probes, chance = [], random.Random(1)
    for world in 3 * worlds_to_try():
        mode, room, kinds = chance.choice(MODES), chance.randrange(65, 200), chance.randrange(1, 9)
        world.pool = MarkedPool(0)
        state = FleetState(world, checked_options(world, mode, False, False, 1, 0.25))
        state.make_room(room)
        state.queues = new_queues(kinds, room)
        later = {"occupied_now": state.occupied_now, "occupied_next": state._occupied_next}
        shared = {"rows": state.rows, "cells": state.allocator.cells, "heads": state.allocator.heads, **later}
        symbols = symbols_of(world, 0, 0) | {"mode": COLLISIONS[mode], "room": room, "kinds": kinds}
        arrays, symbols["queued"] = arrays_of(world) | shared, kinds * room
        probes.append(Probe((state.data,), {}, symbols, arrays, {}))
    mould = Mould(_probe, KINDS["rtaa"], "known", mutable_arrays(typeof(probes[0].ingredients)), {})
    mould.has_scratch = True  # the search of a flow field that does not exist
    mould.leaves = described_leaves(mould, probes)
    return mould
