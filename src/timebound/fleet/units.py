"""Units: rows of one array, which compiled code reads and writes and Python shows as arrays."""

import numpy as np

ABSENT, MOVING, WAITING, BLOCKED, UNREACHABLE, ARRIVED, OUT_OF_MEMORY, STUCK = range(8)
REASONS = ("absent", "moving", "waiting", "blocked", "unreachable", "arrived", "memory", "stuck")
"""What a unit did in the last tick, and why: the names of the numbers in `Tick.reasons`."""
NO_BLOCK = -1  # as the size of a block: there is none

UNIT = np.dtype(
    [
        ("position", np.int64),
        ("goal", np.int64),
        ("path", np.int64),  # where in the arena its path is, from its last search on
        ("length", np.int64),  # of the path, in states; 0 if there is none
        ("at", np.int64),  # how far on the path it is
        ("declared_from", np.int64),  # the steps of its path that are declared: see `streams`
        ("declared_to", np.int64),
        ("table", np.int64),  # where in the arena the values are that it has learned
        ("learned", np.int64),  # how many these are
        ("moves", np.int64),
        ("cost", np.int64),  # of its moves
        ("expansions", np.int64),
        ("searches", np.int64),
        ("waits_since", np.int64),  # the tick in which it came to wait for its turn
        ("longest_wait", np.int64),  # in ticks
        ("turn", np.int64),  # the round of planning in which it last had one
        ("since", np.int64),  # the tick in which it set out for its goal: in the way of others, who is longer under way
        ("priority", np.int64),
        ("squad", np.int16),  # its kind of agent
        ("group", np.int32),  # whom it shares ways with, from 1 on; 0: nobody
        ("field", np.int64),  # the place of the field that it shares, plus 1: see `fields`; 0 if there is none
        ("reason", np.int8),
        ("path_size", np.int64),  # of the block, as a power of two, or NO_BLOCK
        ("table_size", np.int64),
        ("queued", np.bool_),  # does it wait for its turn to plan?
        ("wants", np.bool_),  # does its search go on, also while it follows a path?
        ("buried", np.bool_),  # has its cell become a wall? It may leave, and not come back
    ],
    align=True,
)


def going(reason: np.ndarray) -> np.ndarray:
    """Which of these units are on their way?"""
    return (reason >= MOVING) & (reason <= BLOCKED)
