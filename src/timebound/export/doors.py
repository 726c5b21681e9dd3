"""The functions that the C library calls: of arguments that C can give, with what Python's agents are made of.

They do what `agents.agent` and `agents.changing` do for Python. A `mind` is an agent (see `agents.interval`); arrays
are given by the addresses of their words.
"""

from typing import Any

import numpy as np

from ..agents.body import arrive, observe
from ..agents.interval import costs_of, new_mind, process_news, turns, wind_up
from ..agents.journey import GOING, NOWHERE, STUCK, UNREACHABLE, go_for, record_of
from ..agents.queries import (
    has_hope,
    marks_of,
    path_of,
    set_out,
    standing,
    take_along,
    take_back,
    take_for,
    take_in,
    value_at,
)
from ..compiled import borrow, borrow_field, compiled, inlined
from ..compiled.clock import NEVER
from ..core.integers import Int
from ..knowledge.grid import BLOCKED, FREE, OUTDATED, believed_free, map_changed, really_free, steps_of
from ..search.consistency import MOST
from ..search.learning import HIGHEST, LEARNED, TOP, Learned
from ..search.paths import solve, traced_path
from ..search.state import begin, new_search
from ..worlds.grid import OF_CELL
from ..worlds.interface import aimed
from .casting import cast, set_word, word, write

# ------------------------------------------------------------------ making, and moving on


@compiled
def agent_made(shape: Any, address: int) -> Any:
    """Make an agent of what stands at an address."""
    parts, search, believed, knowledge, journey = cast(shape, address)
    return new_mind(parts, search, believed, knowledge, journey)


@compiled
def agent_turn(mind: Any, expansions: int, nanoseconds: int, virtual: int, walking: bool) -> Any:
    """Run an interval, and process news before it where that cannot wait."""
    after = turns(mind, expansions, nanoseconds, virtual, 1, walking)
    while after.turns == 0 and standing(mind.body.journey).relief:
        process_news(mind, MOST if min(nanoseconds, virtual) != NEVER else NEVER)
        after = turns(mind, expansions, nanoseconds, virtual, 1, walking)
    return after


# ------------------------------------------------------------------ walls


@compiled
def agent_left(mind: Any, wall: Int) -> Int:
    """Return the wall in which the agent still is: one that it has left, it will not enter again."""
    body = mind.body
    if wall == NOWHERE or body.position == wall:
        return wall
    take_for(body.journey, body.knowledge, wall, BLOCKED)
    refuse_decision(body)
    return NOWHERE


@inlined
def in_wall(body: Any, wall: Int) -> Int:
    """Treat the agent's cell as free while it is there; return the wall in which it is."""
    if believed_free(borrow_field(body, "knowledge"), body.position):
        return wall
    take_for(body.journey, body.knowledge, body.position, FREE)
    return np.int64(body.position)


@compiled
def refuse_decision(body: Any) -> None:
    """Cancel the decided move if it has become impossible."""
    if body.decision not in (NOWHERE, body.position) and not is_free(
        borrow(body.knowledge), body.position, body.decision
    ):
        take_back(body.journey)


@inlined
def is_free(knowledge: Any, state: Int, after: Int) -> bool:
    """Are all cells free that a move needs, really and as far as the agent knows?"""
    y, to_y = state // knowledge.width, after // knowledge.width
    x = state - y * knowledge.width
    dx, dy = after - to_y * knowledge.width - x, to_y - y
    for k in range(0, 6 * steps_of(knowledge), 6):
        if knowledge.needs[k] == dx and knowledge.needs[k + 1] == dy:
            for j in range(k, k + 6, 2):
                cell = (y + knowledge.needs[j + 1]) * knowledge.width + x + knowledge.needs[j]
                if not (really_free(knowledge, cell) and believed_free(knowledge, cell)):
                    return False
    return True


@inlined
def go_on(body: Any) -> None:
    """Resume an agent that has given up, if it has learned something that may help."""
    if has_hope(standing(body.journey)):
        body.stop = GOING


# ------------------------------------------------------------------ what happens to it


@compiled
def agent_put(mind: Any, state: int, wall: Int) -> Int:
    """Put the agent there; return the wall in which it is."""
    body = mind.body
    take_along(body.journey, state)
    arrive(body, state)
    wall = in_wall(body, agent_left(mind, wall))
    go_on(body)
    return wall


@compiled
def agent_changed(mind: Any, address: int, count: int, known: bool, wall: Int) -> Int:
    """Process changed cells, pairs of a cell and whether it was free before; return the wall in which the agent is."""
    body = mind.body
    if known:
        cells, before = np.empty(count, np.int64), np.empty(count, np.int64)
        for i in range(count):
            cells[i], before[i] = word(address, 2 * i), word(address, 2 * i + 1)
            if cells[i] == wall:
                wall = NOWHERE  # a report about its cell is void now
        body.news = map_changed(body.knowledge, cells, before, True, body.news)
        if count:
            wall = in_wall(body, wall)
    else:
        body.knowledge.tally[OUTDATED] = 1
    refuse_decision(body)
    if not known and (body.stop == UNREACHABLE or body.stop == STUCK):
        observe(body)
    go_on(body)
    return wall


@compiled
def agent_told(mind: Any, address: int, count: int, known: bool, wall: Int) -> Int:
    """Process reports, pairs of a cell and a fact; return the wall in which the agent is."""
    body, told = mind.body, 0
    subjects, facts = np.empty(count, np.int64), np.empty(count, np.int64)
    own = False
    for i in range(count):
        cell, fact = word(address, 2 * i), word(address, 2 * i + 1)
        if cell == body.position:
            wall = cell if fact == BLOCKED or (own and wall == cell) else NOWHERE
            own = True
        if cell != body.position or fact != BLOCKED:  # that is believed when it leaves
            subjects[told], facts[told] = 2 * cell + OF_CELL, fact
            told += 1
    if not known:
        body.knowledge.tally[OUTDATED] = 1
    take_in(body, subjects[:told], facts[:told], len(body.knowledge.seen))
    refuse_decision(body)
    go_on(body)
    return wall


@compiled
def agent_aimed(mind: Any, goal: int, shape: Any, address: int) -> int:
    """Prepare for another goal; return by how much learned values must be lowered for it, -1 if they are void.

    The nodes of its search stand at an address.
    """
    go_on(mind.body)
    process_news(mind, NEVER)
    wind_up(mind)
    return value_at(mind.body, cast(shape, address)[0], goal) if len(borrow_field(mind.body, "world").h) else -1


@compiled
def agent_mark(mind: Any) -> int:
    """Return a number above that of every search."""
    return marks_of(mind)[0]


@compiled
def agent_sent(mind: Any, shape: Any, address: int, lowered: int) -> Any:
    """Return the same agent on its way to another goal, made of what stands at an address."""
    parts, search, fresh, _, beginning = cast(shape, address)
    body, task = mind.body, beginning.problem
    go_on(body)
    world, journey = relearned(body.world, fresh.world, lowered, agent_mark(mind)), body.journey
    go_for(journey, task.goal, task.longest, task.steepness)
    made = new_mind(parts, search, world, body.knowledge, journey)
    set_out(journey)
    return made


@inlined
def relearned(world: Any, believed: Any, lowered: int, number: int) -> Any:
    """Return learned values for another goal: see `making.renewed`."""
    base, since, path_costs = world.base + lowered, world.since, world.path_costs
    if lowered < 0:
        if world.tally[TOP] > HIGHEST:
            world.h[:] = 0
            world.tally[TOP] = 0
        world.tally[LEARNED] = 0
        base, since, path_costs = world.tally[TOP], number, np.zeros_like(world.path_costs)
    return Learned(
        believed, world.h, base, world.rises, world.rise_base, path_costs, since, world.tally, world.listener
    )


# ------------------------------------------------------------------ what it tells


@compiled
def agent_path(mind: Any, address: int, room: int) -> int:
    """Write the path that it intends to follow; return its length."""
    return write(path_of(mind), address, room)


@compiled
def agent_trail(mind: Any, address: int, room: int) -> Any:
    """Write where it has been; return how many positions that are."""
    journey = mind.body.journey
    for i in range(min(room, journey.moves + 1)):
        set_word(address, i, np.int64(borrow_field(journey, "trail")[i]))
    return journey.moves + 1


@compiled
def agent_record(mind: Any, address: int) -> None:
    """Write its position, decision and stop, and what was counted."""
    counts, planning, stop, _, _ = record_of(mind.body.journey)
    memory, states, updates, _ = costs_of(mind)
    now = standing(mind.body.journey)
    set_word(address, 0, np.int64(now.position))
    set_word(address, 1, np.int64(now.decision))
    set_word(address, 2, stop)
    set_word(address, 3, planning)
    set_word(address, 4, memory)
    set_word(address, 5, states)
    set_word(address, 6, updates)
    set_word(address, 7, counts.moves)
    set_word(address, 8, counts.intervals)
    set_word(address, 9, counts.searches)
    set_word(address, 10, counts.expansions)
    set_word(address, 11, counts.back_moves)
    set_word(address, 12, counts.trace_steps)


# ------------------------------------------------------------------ paths without an agent


@compiled
def search_made(shape: Any, address: int, branching: int) -> Any:
    """Make a search of what stands at an address."""
    world, nodes, memory, order = cast(shape, address)
    return new_search(world, nodes, memory, order, branching, 0, False)


@compiled
def search_run(search: Any, start: int, goal: int) -> Any:
    """Search; return whether there is a path, the expansions, and the length of the path."""
    begin(search, aimed(search.world, goal), start, search.order)
    found, expansions, path = solve(search)
    return found, expansions, len(path)


@compiled
def search_path(search: Any, address: int, room: int) -> int:
    """Write the path that was found; return its length."""
    return write(traced_path(search), address, room)


AGENT_DOORS = (
    agent_turn,
    agent_left,
    agent_put,
    agent_changed,
    agent_told,
    agent_mark,
    agent_path,
    agent_trail,
    agent_record,
)
