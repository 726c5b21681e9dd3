"""Distances to goals: for every goal, the number of moves from each cell. Two bytes a cell, grown while there is time.

A row of distances is a breadth-first search from a goal to all cells. One row grows at a time, from tick to tick, in
the order of precedence; it is used when it is complete. Units with the same goal share a row. If there is no memory for
another, a row whose goal no unit has makes room.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, borrow_field, compiled, inlined, optional
from ..compiled.clock import NEVER, now
from ..compiled.interrupts import interrupted
from ..core.integers import Int
from ..core.memory import untouched
from ..worlds.interface import NO_STATE, number_of, successors
from .guidance import declare, without_traffic
from .unit_paths import has_block
from .units import MOVING, NO_UNIT, Units

FAR = 65_535  # moves: no way, or too long for a row
NO_ROW = -1
STRETCH = 16  # states that a unit copies from a row at a time
_PIECE = 256  # cells between two looks at the clock


class NoDistances(NamedTuple):
    """Units know distances only as far as they have searched."""

    tag: int = 0


class Distances(NamedTuple):
    """The rows of distances, and where they are."""

    rows: np.ndarray  # one after the other
    row_of: np.ndarray  # for every state as a goal: the number of its row plus 1, if it is complete
    goals: np.ndarray  # of the rows
    wanted: np.ndarray  # for every row: the tick in which a unit wanted it last
    queue: np.ndarray  # the states that the growing row has reached
    partner: np.ndarray  # for every unit: the one that it makes way for (see `swapping`)
    nearest: np.ndarray  # for every unit: the nearest that it has been to its goal
    aims: np.ndarray  # and that goal
    stalled: np.ndarray  # and the ticks since then
    retreats: np.ndarray  # for every unit: until when no repair may change its steps (see `lns`)
    tally: np.ndarray  # see below


# How many rows there are; the one that grows, or NO_ROW; the part of its queue that is done, and the whole; the row
# that makes room next; whether rows lead units (see `follows_row`); the latest random number, 0 where ties are not
# broken at random; what it was before.
USED, GROWING, DONE, REACHED, HAND, LEADING, RANDOM, SEED = range(8)


def new_distances(states: int, units: int, most_bytes: int) -> Distances:
    """Make room for rows."""
    room = max(1, min(states, most_bytes // (2 * states)))
    tally = np.zeros(8, np.int64)
    tally[GROWING] = NO_ROW
    rows, row_of, queue = untouched(room * states, np.uint16), untouched(states, np.int32), untouched(states, np.int32)
    goals, wanted = np.zeros(room, np.int64), np.zeros(room, np.int64)
    return Distances._make([rows, row_of, goals, wanted, queue, *_of_units(units), tally])


def for_more_units(distances: Distances, units: int) -> Distances:
    """Return the same rows for more units."""
    return Distances._make([*distances[:5], *_of_units(units), distances.tally])


def _of_units(units: int) -> tuple[np.ndarray, ...]:
    return np.full(units, NO_UNIT, np.int64), *(np.zeros(units, np.int64) for _ in range(4))


def forget_rows(distances: Distances) -> None:
    """Discard all rows: the world has changed."""
    distances.row_of[distances.goals[: distances.tally[USED]]] = 0
    distances.tally[:LEADING] = 0, NO_ROW, 0, 0, 0


def bytes_of(distances: Distances | NoDistances) -> int:
    """Return the memory that the rows use."""
    if isinstance(distances, NoDistances):
        return 0
    states = len(distances.queue)
    return int(distances.tally[USED]) * 2 * states + 8 * states


@inlined
def row_for(distances: Distances, goal: Int) -> Int:
    """Return where the row of that goal begins, or NO_ROW."""
    row = np.int64(distances.row_of[goal])
    return (row - 1) * len(distances.queue) if row else NO_ROW


# ------------------------------------------------------------------ growing


@compiled
def grow_rows(data: Any, order: np.ndarray, tick: Int, expansions: int, end: int) -> tuple[Int, bool]:
    """Grow the rows of these units within the budget; return the expansions, and whether all are complete."""
    distances, world = borrow_field(data, "distances"), without_traffic(borrow_field(data, "world"))
    units, spent = borrow(data.units.rows), 0
    for i in range(len(order)):
        row = np.int64(distances.row_of[units[order[i]].goal]) - 1
        if row != NO_ROW:
            distances.wanted[row] = tick
            note_progress(distances, units[order[i]], order[i], row * len(distances.queue))
    if distances.tally[GROWING] != NO_ROW:
        spent += grow_row(distances, world, expansions, end)
    for i in range(len(order)):
        goal = units[order[i]].goal
        if distances.row_of[goal] == 0:
            if distances.tally[GROWING] != NO_ROW or not begin_row(distances, goal, tick):
                return spent, False
            spent += grow_row(distances, world, expansions if expansions == NEVER else expansions - spent, end)
            if distances.row_of[goal] == 0:
                return spent, False
    return spent, True


@inlined
def note_progress(distances: Any, row: Any, unit: Int, first: Int) -> None:
    """Count the ticks in which a unit gets no nearer to its goal than it has been."""
    distance: Int = np.int64(distances.rows[first + row.position])
    if distances.aims[unit] != row.goal or distance < distances.nearest[unit] or distance == 0:
        distances.aims[unit], distances.nearest[unit], distances.stalled[unit] = row.goal, distance, 0
    else:
        distances.stalled[unit] += 1


@compiled
def begin_row(distances: Any, goal: Int, tick: Int) -> bool:
    """Begin a row; return whether there is room for it."""
    tally, states = distances.tally, len(distances.queue)
    row = tally[USED]
    if row < len(distances.goals):
        tally[USED] += 1
    else:
        tried = 0
        while distances.wanted[tally[HAND]] == tick:
            tally[HAND] = (tally[HAND] + 1) % len(distances.goals)
            tried += 1
            if tried == len(distances.goals):
                return False
        row = tally[HAND]
        distances.row_of[distances.goals[row]] = 0
    for i in range(row * states, (row + 1) * states):
        distances.rows[i] = FAR
    distances.goals[row], distances.wanted[row] = goal, tick
    distances.rows[row * states + goal], distances.queue[0] = 0, goal
    tally[GROWING], tally[DONE], tally[REACHED] = row, 0, 1
    return True


@compiled
def grow_row(distances: Any, world: Any, expansions: int, end: int) -> Int:
    """Go on with the row that grows; return the expansions."""
    tally, queue, rows, spent = distances.tally, distances.queue, distances.rows, 0
    first, done, reached = tally[GROWING] * len(queue), tally[DONE], tally[REACHED]
    while done < reached and spent < expansions:
        if spent % _PIECE == 0 and ((end != NEVER and now() >= end) or interrupted()):
            break
        state = np.int64(queue[done])
        moves: Int = np.int64(rows[first + state]) + 1
        done, spent = done + 1, spent + 1
        for given, price in successors(world, state):
            successor = number_of(world, given, state, price)
            if successor == NO_STATE:
                break
            if rows[first + successor] == FAR and successor != distances.goals[tally[GROWING]] and moves < FAR:
                rows[first + successor] = moves
                queue[reached] = successor
                reached += 1
    tally[DONE], tally[REACHED] = done, reached
    if done == reached:
        distances.row_of[distances.goals[tally[GROWING]]] = tally[GROWING] + 1
        tally[GROWING] = NO_ROW
    return spent


# ------------------------------------------------------------------ following


@optional
def follows_row(distances: Any, world: Any, units: Units, unit: Int) -> bool:
    """Give a unit the next stretch of a path of the fewest moves, the cheapest first; return whether its row knows one.

    Only where rows lead: with guidance, units search for themselves.
    """
    return False


@follows_row.of(Distances)
@compiled
def _follows_row(distances: Any, given: Any, units: Units, unit: Int) -> bool:
    world = without_traffic(given)
    rows, allocator, traffic = borrow(units)
    row = rows[unit]
    first, state = row_for(distances, row.goal), row.position
    if not distances.tally[LEADING] or first == NO_ROW or row.buried or distances.rows[first + state] == FAR:
        return False
    row.length = 0
    declare(traffic, allocator.cells, row)
    if not has_block(allocator, row, unit, STRETCH):
        return False
    count = 0
    while count < STRETCH:
        allocator.cells[row.path + count] = state
        count += 1
        if state == row.goal:
            break
        state = next_on_row(distances, world, first, state)
    row.length, row.at, row.reason, row.wants = count, 0, MOVING, False
    declare(traffic, allocator.cells, row)
    return True


@inlined
def next_on_row(distances: Any, world: Any, first: Int, state: Int) -> Int:
    """Return the cheapest move toward the goal."""
    best, least = state, NEVER
    for given, price in successors(world, state):
        successor = number_of(world, given, state, price)
        if successor == NO_STATE:
            break
        if distances.rows[first + successor] < distances.rows[first + state] and price < least:
            best, least = successor, price
    return best
