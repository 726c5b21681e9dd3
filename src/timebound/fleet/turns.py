"""Whose turn it is to plan: a queue of waiting units for every kind, and the round in which they have their turns.

A turn is one search, within the share that its kind asks for. The unit that has waited longest comes first; none has
two turns in a round. So each unit has its turn after a number of ticks that `Fleet.bound` computes.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, borrow_field, compiled, inlined, mutable, resized
from ..compiled.clock import NEVER, now
from ..compiled.interrupts import interrupted
from ..core.integers import Int
from .allocator import STRIPES
from .distances import follows_row
from .flow_fields import follows_field, knows_way
from .kinds import has_planner, serve_in_time
from .units import BLOCKED, MOVING, NO_UNIT, WAITING

NOT_SERVED = -1
LEAST_SHARE = 8  # the least expansions of a search whose number depends on the budget

Queues = mutable(
    __name__,
    "Queues",
    [
        "units",  # a ring buffer for every kind of agent, one after the other: the waiting units, longest first
        "heads",
        "counts",
        "room",  # in each ring
    ],
)


@compiled
def new_queues(kinds: int, room: int) -> Any:
    """Make empty queues."""
    return Queues(np.empty(kinds * room, np.int64), np.zeros(kinds, np.int64), np.zeros(kinds, np.int64), room)


@compiled
def move_queues(queues: Any, larger: Any) -> None:
    """Copy the queues to others, with room for more kinds and units."""
    for kind in range(len(queues.heads)):
        for i in range(queues.counts[kind]):
            place = kind * queues.room + (queues.heads[kind] + i) % queues.room
            larger.units[kind * larger.room + i] = queues.units[place]
        larger.counts[kind] = queues.counts[kind]


@compiled
def tidy_queues(queues: Any, rows: np.ndarray) -> int:
    """Remove units that need not plan: they have arrived, stopped, or must leave a wall. Return how many still wait."""
    units, heads, counts = borrow_field(queues, "units"), borrow_field(queues, "heads"), borrow_field(queues, "counts")
    room, waiting = queues.room, 0
    for kind in range(len(counts)):
        first, kept = kind * room, 0
        for i in range(counts[kind]):
            unit = units[first + (heads[kind] + i) % room]
            row = borrow(rows)[unit]
            if MOVING <= row.reason <= BLOCKED and not row.buried:
                units[first + (heads[kind] + kept) % room] = unit
                kept += 1
            else:
                row.queued = False
        counts[kind] = kept
        waiting += kept
    return waiting


@compiled
def enqueue(queues: Any, rows: np.ndarray, unit: Int, tick: Int) -> None:
    """Let a unit without a path wait for its turn, if it does not already."""
    row = borrow(rows)[unit]
    row.length, row.reason = 0, WAITING
    line_up(queues, rows, unit, tick)


@compiled
def line_up(queues: Any, rows: np.ndarray, unit: Int, tick: Int) -> None:
    """Queue a unit that wants to plan from that tick on; if it has a path, it follows that until then.

    It waits no longer than the one before it, whose search may continue from the next tick on: the longest wait is
    always that of the first.
    """
    row = borrow(rows)[unit]
    if not row.queued:
        kind, room, units = np.int64(row.kind), queues.room, borrow_field(queues, "units")
        head, count = borrow_field(queues, "heads")[kind], borrow_field(queues, "counts")[kind]
        row.queued, row.waits_since = True, tick
        if count:
            last = units[kind * room + (head + count - 1) % room]
            row.waits_since = max(tick, borrow(rows)[last].waits_since)
        units[kind * room + (head + count) % room] = unit
        borrow_field(queues, "counts")[kind] += 1


@compiled
def enqueue_all(queues: Any, rows: np.ndarray, units: np.ndarray, tick: Int) -> None:
    """Queue all of these units; one that has a path follows it until its turn."""
    for i in range(len(units)):
        if borrow(rows)[units[i]].length:
            line_up(queues, rows, units[i], tick)
        else:
            enqueue(queues, rows, units[i], tick)


@compiled
def longest_waits(queues: Any, rows: np.ndarray, round: Int) -> np.ndarray:
    """Return for every kind since when the first in its queue waits; NEVER if none waits, or all had their turn."""
    since = np.full(len(queues.heads), NEVER, np.int64)
    for kind in range(len(since)):
        if queues.counts[kind]:
            first = borrow(rows)[first_in_line(queues, kind)]
            since[kind] = first.waits_since if first.turn != round else NEVER
    return since


@inlined
def has_turn(queues: Any, kind: int, rows: Any, turns: Any) -> bool:
    """Does the first unit in that queue wait long enough, without a turn in this round?"""
    if borrow_field(queues, "counts")[kind] == 0:
        return False
    first = borrow(rows)[first_in_line(queues, kind)]
    return first.waits_since <= turns.until and first.turn != turns.number


@inlined
def first_in_line(queues: Any, kind: int) -> Int:
    """Return the unit that has waited longest."""
    return borrow_field(queues, "units")[kind * queues.room + borrow_field(queues, "heads")[kind]]


@compiled
def next_in_line(queues: Any, kind: int, rows: Any) -> Int:
    """Take the first unit from a queue; NO_UNIT if it no longer needs to plan."""
    heads, unit = borrow_field(queues, "heads"), first_in_line(queues, kind)
    heads[kind] = (heads[kind] + 1) % queues.room
    borrow_field(queues, "counts")[kind] -= 1
    row = borrow(rows)[unit]
    row.queued = False
    return unit if MOVING <= row.reason <= BLOCKED else NO_UNIT  # otherwise it got no planner


@inlined
def share_of(given: int, budget: int, end: int, waiting: int) -> int:
    """Return the expansions of one search: set by its kind, or the share of the budget for each waiting unit."""
    if given:
        return given
    if budget == NEVER:
        return NEVER if end == NEVER else 4 * LEAST_SHARE
    return max(min(LEAST_SHARE, budget), budget // max(1, waiting))


class Round(NamedTuple):
    """A round of planning: who may plan, and how much."""

    tick: Int
    number: Int  # of the round
    until: Int  # only units that wait since that tick, or longer
    share: int  # the expansions of one search
    expansions: int  # of all
    end: int  # of all, by the clock
    forced: bool  # may the first unit plan in any case?


@compiled
def serve_kind(data: Any, planners: Any, kind: int, turns: Any) -> tuple[int, int, Int]:
    """Let units of a kind plan in this round, in the order of their queue.

    A unit plans only if a whole share of the budget and time are left. Return how many planned, the expansions, and the
    unit that needs a planner before planning can continue.
    """
    queues, fields, units, end = data.queues, data.flow_fields, data.units, turns.end
    rows, distances, world = units.rows, borrow_field(data, "distances"), borrow_field(data, "world")
    served, spent, longest, last = 0, 0, 0, now()
    while has_turn(queues, kind, rows, turns):
        time = now() if end != NEVER else last
        longest, last = max(longest, time - last), time  # the next turn may take as long as any before
        spends = turns.expansions != NEVER and spent + turns.share > turns.expansions
        over = spends or (end != NEVER and time + longest >= end) or interrupted()
        if over and (served or not turns.forced):
            break
        unit = first_in_line(queues, kind)
        row = borrow(rows)[unit]
        due = MOVING <= row.reason <= BLOCKED  # or it got no planner
        known = due and (follows_field(fields, units, unit) or follows_row(distances, world, units, unit))
        if due and not known and not has_planner(planners, unit):
            return served, spent, unit
        next_in_line(queues, kind, rows)
        if due:
            note_turn(row, turns)
            if not known:
                spent += serve_in_time(planners, units, unit, min(turns.share, turns.expansions), end)
            served += 1
            if row.wants:
                line_up(queues, rows, unit, turns.tick + 1)
    return served, spent, NO_UNIT


@inlined
def note_turn(row: Any, turns: Any) -> None:
    """Note that a unit has had its turn."""
    row.turn, row.longest_wait = turns.number, max(row.longest_wait, turns.tick - row.waits_since)


# ------------------------------------------------------------------ in several threads


@compiled
def next_turns(queues: Any, kind: int, rows: np.ndarray, turns: Any, most: int) -> np.ndarray:
    """Take up to `most` units whose turn it is from the queue."""
    units, count = np.empty(min(most, borrow_field(queues, "counts")[kind]), np.int64), 0
    while count < len(units) and has_turn(queues, kind, rows, turns):
        unit = next_in_line(queues, kind, rows)
        if unit != NO_UNIT:
            units[count] = unit
            count += 1
    return resized(units, count)


@compiled
def without_planner(data: Any, planners: Any, due: np.ndarray) -> np.ndarray:
    """Return those of these units that must plan but have no planner."""
    fields, rows = data.flow_fields, data.units.rows
    found, count = np.empty(len(due), np.int64), 0
    for i in range(len(due)):
        if not has_planner(planners, due[i]) and not knows_way(fields, rows, due[i]):
            found[count] = due[i]
            count += 1
    return resized(found, count)


@compiled
def serve_stripes(
    data: Any, planners: Any, thread: int, threads: int, due: np.ndarray, spent: np.ndarray, turns: Any
) -> None:
    """Let those of these units plan that are in a thread's stripes; `spent` is NOT_SERVED for the others."""
    fields, units = data.flow_fields, data.units
    distances, world = borrow_field(data, "distances"), borrow_field(data, "world")
    for i in range(len(due)):
        if due[i] % STRIPES % threads == thread:
            if (i or not turns.forced) and ((turns.end != NEVER and now() >= turns.end) or interrupted()):
                break
            if follows_field(fields, units, due[i]) or follows_row(distances, world, units, due[i]):
                spent[i] = 0
            elif has_planner(planners, due[i]):
                expansions = min(turns.share, turns.expansions)
                spent[i] = serve_in_time(planners, units, due[i], expansions, turns.end)


@compiled
def end_turns(queues: Any, rows: np.ndarray, units: np.ndarray, spent: np.ndarray, turns: Any) -> tuple[int, int]:
    """Put units without a turn back at the front of the queue; return how many had one, and the expansions."""
    served, used = 0, 0
    for i in range(len(units) - 1, -1, -1):
        row = borrow(rows)[units[i]]
        if spent[i] != NOT_SERVED:
            note_turn(row, turns)
            served, used = served + 1, used + spent[i]
        else:
            kind, room, heads = np.int64(row.kind), queues.room, borrow_field(queues, "heads")
            heads[kind] = (heads[kind] + room - 1) % room
            borrow_field(queues, "units")[kind * room + heads[kind]] = units[i]
            borrow_field(queues, "counts")[kind] += 1
            row.queued = True
    for i in range(len(units)):
        if spent[i] != NOT_SERVED and borrow(rows)[units[i]].wants:
            line_up(queues, rows, units[i], turns.tick + 1)
    return served, used
