"""The functions that the C library calls for fleets: see `doors`. A fleet is its `FleetData`."""

from typing import Any

import numpy as np

from ..agents.interval import new_mind
from ..compiled import compiled
from ..core.integers import Int
from ..fleet.h_tables import forget_all
from ..fleet.kinds import Shared, new_planners
from ..fleet.moving import move_all
from ..fleet.sensing import sense_all
from ..fleet.shared_planner import last_number
from ..fleet.turns import Round, enqueue_all, longest_waits, move_queues, serve_kind, tidy_queues
from ..fleet.unit_paths import withdraw
from ..fleet.window import NoWindow
from ..fleet.world_changes import dig_out
from ..knowledge.grid import OUTDATED
from .casting import cast, words, write


@compiled
def fleet_made(shape: Any, address: int) -> Any:
    """Make a fleet of what stands at an address."""
    return cast(shape, address)[0]


@compiled
def fleet_requeued(before: Any, larger: Any) -> None:
    """Move the queues to a larger fleet."""
    move_queues(before.queues, larger.queues)


@compiled
def fleet_moved(data: Any, address: int, count: int, tick: int) -> tuple[Int, Int]:
    """Move all units, in the order that stands at an address; return how many moved, and whether the order changed."""
    order = words(address, count)
    moved, reordered = move_all(data, NoWindow(), order, tick)
    write(order, address, count)
    return np.int64(moved), np.int64(reordered)


@compiled
def fleet_queued(data: Any, address: int, count: int, tick: int) -> None:
    """Let units wait for their turn."""
    enqueue_all(data.queues, data.units.rows, words(address, count), tick)


@compiled
def fleet_waiting(data: Any) -> int:
    """Return how many units wait for their turn."""
    return tidy_queues(data.queues, data.units.rows)


@compiled
def fleet_forgot(data: Any, address: int, count: int) -> None:
    """Discard what units have learned."""
    forget_all(data.units.allocator, data.units.rows, words(address, count))


@compiled
def fleet_withdrew(data: Any, address: int, count: int) -> None:
    """Free the memory of units."""
    units = data.units
    withdraw(units.traffic, units.allocator, units.rows, words(address, count))


@compiled
def fleet_dug(data: Any, shape: Any, passable: int, width: int, address: int, count: int) -> None:
    """Give units inside a wall a path out of it."""
    units = data.units
    dig_out(cast(shape, passable)[0], width, units.traffic, units.allocator, units.rows, words(address, count))


@compiled
def fleet_waits(data: Any, number: int, address: int, room: int) -> int:
    """Write for every kind since when its first unit waits."""
    return write(longest_waits(data.queues, data.units.rows, number), address, room)


# ------------------------------------------------------------------ units of a kind


@compiled
def unit_made(shape: Any, address: int) -> Any:
    """Make the planner of units of what stands at an address."""
    parts, search, world, knowledge, journey = cast(shape, address)
    nobody = np.empty(0, np.int64)
    return new_planners(Shared(False), new_mind(parts, search, world, knowledge, journey), nobody, nobody, nobody, 0)


@compiled
def unit_sensed(planners: Any, data: Any, kind: int, address: int, count: int, tick: int) -> Int:
    """Let units look around; return whether any found a new way."""
    return np.int64(sense_all(planners, kind, data.queues, data.units, words(address, count), tick))


@compiled
def unit_served(
    planners: Any,
    data: Any,
    kind: int,
    tick: int,
    number: int,
    until: int,
    share: int,
    most: int,
    end: int,
    forced: bool,
) -> Any:
    """Let units of a kind plan; return how many did, and the expansions."""
    limits = Round(tick, number, until, share, most, end, forced)
    served, spent, _ = serve_kind(data, planners, kind, limits)
    return served, np.int64(spent)


@compiled
def unit_mark(planners: Any) -> int:
    """Return a number above that of every search."""
    return last_number(planners)


@compiled
def unit_outdated(planners: Any) -> None:
    """Note that what units have seen may be out of date."""
    planners.shared.body.knowledge.tally[OUTDATED] = 1
