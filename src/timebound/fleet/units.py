"""Units: rows of one array, which compiled code reads and writes, and Python exposes as arrays."""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import inlined
from .allocator import Allocator

ABSENT, MOVING, WAITING, BLOCKED, UNREACHABLE, ARRIVED, OUT_OF_MEMORY, STUCK = range(8)
REASONS = ("absent", "moving", "waiting", "blocked", "unreachable", "arrived", "memory", "stuck")
"""What a unit did in the last tick, and why: the names of the numbers in `Tick.reasons`."""
NO_BLOCK = -1  # the size of a block that does not exist
NO_UNIT = -1
UNDECIDED = -1  # where a unit goes next: see `pibt`
MOST_PRIORITY = 1000
FARTHEST = 2**15 - 1  # cells from its goal at which a unit may have arrived
RANK_BITS = 50  # enough for a million units and a billion ticks: see `last_rank`

UNIT = np.dtype(
    [
        ("position", np.int64),
        ("goal", np.int64),
        ("path", np.int64),  # where its path is in the allocator, from its last search on
        ("length", np.int64),  # of the path, in states; 0 if there is none
        ("at", np.int64),  # how far on the path it is
        ("declared_from", np.int64),  # the steps of its path that are declared: see `guidance`
        ("declared_to", np.int64),
        ("table", np.int64),  # where its learned values are in the allocator
        ("learned", np.int64),  # how many there are
        ("lost", np.bool_),  # was there no room for one in its last turn?
        ("moves", np.int64),
        ("cost", np.int64),  # of its moves
        ("expansions", np.int64),
        ("searches", np.int64),
        ("waits_since", np.int64),  # the tick in which it began to wait for its turn
        ("longest_wait", np.int64),  # in ticks
        ("arrived", np.int64),  # the tick in which it last came to its goal
        ("turn", np.int64),  # the round of planning in which it last had a turn
        ("rank", np.int64),  # its place in the line for the right of way, the lowest first: see `last_rank`
        ("pressed", np.int64),  # in how many ticks units that arrived at the same goal were in its way
        ("priority", np.int64),
        ("kind", np.int16),  # the number of its kind: see `kinds`
        ("within", np.int16),  # it has arrived when it is so near to its goal, in cells
        ("group", np.int32),  # the group it shares fields with, from 1 on; 0: none
        ("field", np.int64),  # the place of the field that it shares, plus 1: see `flow_fields`; 0 if there is none
        ("reason", np.int8),
        ("path_size", np.int64),  # of the block, as a power of two, or NO_BLOCK
        ("table_size", np.int64),
        ("queued", np.bool_),  # does it wait for its turn to plan?
        ("wants", np.bool_),  # does its search continue, even while it follows a path?
        ("buried", np.bool_),  # has its cell become a wall? It may leave, but not come back
    ],
    align=True,
)


class Units(NamedTuple):
    """The rows of all units, and what they refer to."""

    rows: np.ndarray
    allocator: Allocator  # the memory of paths and learned values
    traffic: Any  # the paths that they have declared


@inlined
def last_rank(tick: Any, unit: Any) -> Any:
    """Return a place in the line for the right of way, behind all units that set out in earlier ticks.

    No two units have the same, so that two that exchange their ranks always change the order.
    """
    return (tick << 20) + unit


def going(reason: np.ndarray) -> np.ndarray:
    """Return which of these units are on their way."""
    return (reason >= MOVING) & (reason <= BLOCKED)
