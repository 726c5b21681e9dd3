"""Planning for many units: queues of units that wait for their turn, and the turn of a unit with a lent mind.

A local search ends when it has a path. So all units of a kind use the same search and the same nodes; a unit keeps only
its path and what it has learned, in the arena. For kinds whose search continues from tick to tick see `own`.
"""

from typing import Any

import numpy as np

from ..agents.algorithms.plain import FollowPath
from ..agents.interval import plan
from ..agents.journey import GOING, NOT_DUE, NOWHERE
from ..agents.journey import UNREACHABLE as NO_WAY
from ..compiled import borrow, borrow_field, compiled, inlined, mutable, optional, resized
from ..compiled.clock import NEVER, now
from ..compiled.interrupts import interrupted
from ..core.integers import Int
from ..search.allowance import Allowance
from ..search.learning import Learned
from ..worlds.interface import aimed
from .arena import NO_ROOM, STRIPES, give, take
from .crew import OneForAll, has_mind, serve
from .fields import follows_field, knows_way
from .streams import NoStreams, end_of_planning, learn_of_terrain, settle
from .tables import Table
from .units import BLOCKED, MOVING, NO_BLOCK, OUT_OF_MEMORY, UNREACHABLE, WAITING

NO_UNIT = -1
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
def new_queues(squads: int, room: int) -> Any:
    """Make empty queues."""
    return Queues(np.empty(squads * room, np.int64), np.zeros(squads, np.int64), np.zeros(squads, np.int64), room)


@compiled
def move_queues(queues: Any, larger: Any) -> None:
    """Copy the queues to others, with room for more kinds and units."""
    for squad in range(len(queues.heads)):
        for i in range(queues.counts[squad]):
            place = squad * queues.room + (queues.heads[squad] + i) % queues.room
            larger.units[squad * larger.room + i] = queues.units[place]
        larger.counts[squad] = queues.counts[squad]


@compiled
def tidy_queues(queues: Any, rows: np.ndarray) -> int:
    """Remove units that need not plan: they have arrived, stopped, or must leave a wall. Return how many still wait."""
    units, heads, counts = borrow_field(queues, "units"), borrow_field(queues, "heads"), borrow_field(queues, "counts")
    room, waiting = queues.room, 0
    for squad in range(len(counts)):
        first, kept = squad * room, 0
        for i in range(counts[squad]):
            unit = units[first + (heads[squad] + i) % room]
            row = borrow(rows)[unit]
            if MOVING <= row.reason <= BLOCKED and not row.buried:
                units[first + (heads[squad] + kept) % room] = unit
                kept += 1
            else:
                row.queued = False
        counts[squad] = kept
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
        squad, room, units = np.int64(row.squad), queues.room, borrow_field(queues, "units")
        head, count = borrow_field(queues, "heads")[squad], borrow_field(queues, "counts")[squad]
        row.queued, row.waits_since = True, tick
        if count:
            last = units[squad * room + (head + count - 1) % room]
            row.waits_since = max(tick, borrow(rows)[last].waits_since)
        units[squad * room + (head + count) % room] = unit
        borrow_field(queues, "counts")[squad] += 1


@compiled
def enqueue_all(queues: Any, rows: np.ndarray, units: np.ndarray, tick: Int) -> None:
    """Queue all of these units; one that has a path follows it until its turn."""
    for i in range(len(units)):
        if borrow(rows)[units[i]].length:
            line_up(queues, rows, units[i], tick)
        else:
            enqueue(queues, rows, units[i], tick)


@compiled
def dequeue(queues: Any, squad: int) -> Int:
    """Return the unit whose turn it is."""
    heads, room = borrow_field(queues, "heads"), queues.room
    unit = borrow_field(queues, "units")[squad * room + heads[squad]]
    heads[squad] = (heads[squad] + 1) % room
    borrow_field(queues, "counts")[squad] -= 1
    return unit


@compiled
def longest_waits(queues: Any, rows: np.ndarray, round: Int) -> np.ndarray:
    """Return for every kind since when the first in its queue waits; NEVER if none waits, or all had their turn."""
    since = np.full(len(queues.heads), NEVER, np.int64)
    for squad in range(len(since)):
        if queues.counts[squad]:
            first = borrow(rows)[queues.units[squad * queues.room + queues.heads[squad]]]
            since[squad] = first.waits_since if first.turn != round else NEVER
    return since


@inlined
def has_turn(queues: Any, squad: int, rows: Any, until: Int, round: Int) -> bool:
    """Does a unit in that queue wait since `until` or earlier, without a turn in this round?"""
    if borrow_field(queues, "counts")[squad] == 0:
        return False
    first = borrow(rows)[borrow_field(queues, "units")[squad * queues.room + borrow_field(queues, "heads")[squad]]]
    return first.waits_since <= until and first.turn != round


@inlined
def next_in_line(queues: Any, squad: int, rows: Any) -> Int:
    """Take the first unit from a queue; NO_UNIT if it no longer needs to plan."""
    unit = dequeue(queues, squad)
    row = borrow(rows)[unit]
    row.queued = False
    return unit if MOVING <= row.reason <= BLOCKED else NO_UNIT  # otherwise it got no mind


@inlined
def share_of(given: int, budget: int, end: int, waiting: int) -> int:
    """Return the expansions of one search: set by its kind, or the share of the budget for each waiting unit."""
    if given:
        return given
    if budget == NEVER:
        return NEVER if end == NEVER else 4 * LEAST_SHARE
    return max(min(LEAST_SHARE, budget), budget // max(1, waiting))


@compiled
def serve_squad(
    crew: Any,
    fields: Any,
    queues: Any,
    squad: int,
    streams: Any,
    arena: Any,
    rows: np.ndarray,
    tick: Int,
    round: Int,
    until: Int,
    share: int,
    expansions: int,
    end: int,
    forced: bool,
) -> tuple[int, int, Int]:
    """Let units of a kind plan, in the order of their queue, if they wait since `until` or earlier.

    A unit plans only if a whole share of the budget and time are left; if `forced`, the first one does in
    any case. Return how many planned, the expansions, and the unit that needs a mind before planning can continue.
    """
    served, spent, longest, last = 0, 0, 0, now()
    while has_turn(queues, squad, rows, until, round):
        time = now() if end != NEVER else last
        longest, last = max(longest, time - last), time  # the next turn may take as long as any before
        spends = expansions != NEVER and spent + share > expansions
        over = spends or (end != NEVER and time + longest >= end) or interrupted()
        if over and (served or not forced):
            break
        unit = borrow_field(queues, "units")[squad * queues.room + borrow_field(queues, "heads")[squad]]
        row = borrow(rows)[unit]
        due = MOVING <= row.reason <= BLOCKED  # or it got no mind
        known = due and follows_field(fields, streams, arena, rows, unit)
        if due and not known and not has_mind(crew.manner, crew, unit):
            return served, spent, unit
        next_in_line(queues, squad, rows)
        if due:
            row.turn, row.longest_wait = round, max(row.longest_wait, tick - row.waits_since)
            if not known:
                spent += serve(crew.manner, crew, streams, arena, rows, unit, min(share, expansions))
            served += 1
            if row.wants:
                line_up(queues, rows, unit, tick + 1)
    return served, spent, NO_UNIT


# ------------------------------------------------------------------ in several threads


@compiled
def next_turns(queues: Any, squad: int, rows: np.ndarray, round: Int, until: Int, most: int) -> np.ndarray:
    """Take up to `most` units whose turn it is from the queue."""
    turns, count = np.empty(min(most, borrow_field(queues, "counts")[squad]), np.int64), 0
    while count < len(turns) and has_turn(queues, squad, rows, until, round):
        unit = next_in_line(queues, squad, rows)
        if unit != NO_UNIT:
            turns[count] = unit
            count += 1
    return resized(turns, count)


@compiled
def mindless_of(crew: Any, fields: Any, rows: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Return those of these units that must plan but have no mind."""
    found, count = np.empty(len(turns), np.int64), 0
    for i in range(len(turns)):
        if not has_mind(crew.manner, crew, turns[i]) and not knows_way(fields, rows, turns[i]):
            found[count] = turns[i]
            count += 1
    return resized(found, count)


@compiled
def serve_stripes(
    crew: Any,
    fields: Any,
    thread: int,
    threads: int,
    arena: Any,
    rows: np.ndarray,
    turns: np.ndarray,
    spent: np.ndarray,
    share: int,
    end: int,
    forced: bool,
) -> None:
    """Let the units of a thread's stripes plan; `spent` is NOT_SERVED for the others."""
    for i in range(len(turns)):
        if turns[i] % STRIPES % threads == thread:
            if (i or not forced) and ((end != NEVER and now() >= end) or interrupted()):
                break
            if follows_field(fields, NoStreams(), arena, rows, turns[i]):
                spent[i] = 0
            elif has_mind(crew.manner, crew, turns[i]):
                spent[i] = serve(crew.manner, crew, NoStreams(), arena, rows, turns[i], share)


@compiled
def end_turns(
    queues: Any, rows: np.ndarray, turns: np.ndarray, spent: np.ndarray, tick: Int, round: Int
) -> tuple[int, int]:
    """Put units without a turn back at the front of the queue; return how many had one, and the expansions."""
    served, used = 0, 0
    for i in range(len(turns) - 1, -1, -1):
        row = borrow(rows)[turns[i]]
        if spent[i] != NOT_SERVED:
            row.turn, row.longest_wait = round, max(row.longest_wait, tick - row.waits_since)
            served, used = served + 1, used + spent[i]
        else:
            squad, room, heads = np.int64(row.squad), queues.room, borrow_field(queues, "heads")
            heads[squad] = (heads[squad] + room - 1) % room
            borrow_field(queues, "units")[squad * room + heads[squad]] = turns[i]
            borrow_field(queues, "counts")[squad] += 1
            row.queued = True
    for i in range(len(turns)):
        if spent[i] != NOT_SERVED and borrow(rows)[turns[i]].wants:
            line_up(queues, rows, turns[i], tick + 1)
    return served, used


# ------------------------------------------------------------------ one unit


@serve.of(OneForAll)
def _serve(manner: Any, crew: Any, streams: Any, arena: Any, rows: np.ndarray, unit: Int, expansions: int) -> Int:
    return plan_for(crew.mind, streams, arena, rows, unit, expansions)


@compiled
def plan_for(mind: Any, streams: Any, arena: Any, rows: np.ndarray, unit: Int, expansions: int) -> Int:
    """Lend a unit the mind; return the number of expansions."""
    row, body = borrow(rows)[unit], mind.body
    if row.buried:
        return 0
    row.length, row.reason = 0, WAITING
    settle(borrow(streams), borrow(arena).cells, row)  # it does not avoid itself
    walk = borrow_field(body, "journey")
    walk.position, walk.root, walk.goal = row.position, row.position, row.goal
    walk.stop, walk.decision, walk.length = GOING, NOWHERE, 0
    walk.searching, walk.updating, walk.debt = False, NOT_DUE, 0
    walk.expansions = walk.searches = walk.moves = 0
    body.world = lent_to(body.world, row.goal, unit)
    plan(borrow_field(mind, "parts"), body, Allowance(expansions, end_of_planning(streams), NEVER))
    learn_of_terrain(streams, borrow_field(mind, "parts"), body)
    row.expansions += walk.expansions
    row.searches += walk.searches
    if walk.stop != GOING:
        row.reason = UNREACHABLE if walk.stop == NO_WAY else OUT_OF_MEMORY
    elif walk.length > 1:
        keep_path(borrow(arena), row, unit, borrow_field(walk, "path"), min(walk.length, most_states(mind.parts.walk)))
    elif walk.decision != NOWHERE:
        keep_move(borrow(arena), row, unit, walk.decision)
    settle(borrow(streams), borrow(arena).cells, row)
    return walk.expansions


@compiled
def lent_to(world: Any, goal: Int, unit: Int) -> Learned:
    """Return the world of a mind, for the turn of a unit."""
    inner, own = aimed(world.world, goal), Table(world.h.arena, world.h.rows, unit)
    return Learned(inner, own, 0, world.rises, 0, world.path_costs, world.since, world.tally, world.listener)


@optional
def most_states(walk: Any) -> Int:
    """Return the number of steps of a path before the agent looks again."""
    return NEVER


@most_states.of(FollowPath)
def _most_states(walk: Any) -> Int:
    return walk.movements + 1 if 0 < walk.movements < NEVER else NEVER


@inlined
def keep_path(arena: Any, row: Any, unit: Int, path: Any, length: int) -> None:
    """Record the first `length` states of a path that was found."""
    if has_block(arena, row, unit, length):
        for i in range(length):
            arena.cells[row.path + i] = path[i]
        row.length, row.at, row.reason = length, 0, MOVING


@inlined
def keep_move(arena: Any, row: Any, unit: Int, decision: Int) -> None:
    """Record a single move."""
    if has_block(arena, row, unit, 2):
        arena.cells[row.path], arena.cells[row.path + 1] = row.position, decision
        row.length, row.at, row.reason = 2, 0, MOVING


@inlined
def has_block(arena: Any, row: Any, unit: Int, length: int) -> bool:
    """Ensure a block for a path of that length; if there is no room, the unit stops."""
    if row.path_size == NO_BLOCK or length > 1 << row.path_size:
        if row.path_size != NO_BLOCK:
            give(arena, unit, row.path, row.path_size)
        size = 2
        while length > 1 << size:
            size += 1
        row.path = take(arena, unit, size)
        row.path_size = size
        if row.path == NO_ROOM:
            row.path_size, row.reason = NO_BLOCK, OUT_OF_MEMORY
            return False
    return True


@compiled
def withdraw(streams: Any, arena: Any, rows: np.ndarray, units: np.ndarray) -> None:
    """Free the memory of units."""
    lent = borrow(arena)
    for i in range(len(units)):
        row = borrow(rows)[units[i]]
        row.length = 0
        settle(borrow(streams), lent.cells, row)
        if row.path_size != NO_BLOCK:
            give(lent, units[i], row.path, row.path_size)
            row.path_size = NO_BLOCK
