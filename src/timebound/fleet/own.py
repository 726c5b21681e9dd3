"""Units with their own minds: for agents whose search continues from tick to tick.

In its turn such a unit continues its search. Between two turns it follows its last path, and may be delayed or pushed
aside by others: to its mind, a move was refused, or the agent was put elsewhere.
"""

from typing import Any

import numpy as np

from ..agents.algorithms.dstar_lite import Repair, downhill, set_course
from ..agents.algorithms.pr_lrta import Refined
from ..agents.body import arrive
from ..agents.interval import memory_used, needs_relief, plan, process_news
from ..agents.journey import GOING, NOWHERE, forget_news
from ..agents.journey import UNREACHABLE as NO_WAY
from ..agents.paths import place_on_path
from ..agents.roles import path_ahead
from ..compiled import borrow, borrow_field, compiled, inlined, optional
from ..compiled.clock import NEVER
from ..core.integers import Int
from ..knowledge.interface import reported, without_repeats
from ..search.allowance import Allowance
from .addresses import NOBODY, struct_at
from .crew import OneEach, has_mind, hears_at_once, serve, tell_crew
from .planning import keep_move, keep_path, line_up, most_states
from .streams import settle
from .units import BLOCKED, MOVING, OUT_OF_MEMORY, STUCK, UNREACHABLE, WAITING

PAGES = 8  # memory of touched pages over memory used; measured on maps of 512 x 512 cells: 5.7 to 12.6
A_STATE = 24  # the most bytes that a mind has per state


@has_mind.of(OneEach)
def _has_mind(manner: Any, crew: Any, unit: Int) -> bool:
    return bool(crew.minds[unit] != NOBODY)


@serve.of(OneEach)
def _serve(manner: Any, crew: Any, streams: Any, arena: Any, rows: np.ndarray, unit: Int, expansions: int) -> Int:
    return take_turn(crew, struct_at(crew.mind, crew.minds[unit]), streams, arena, rows, unit, expansions)


@compiled
def take_turn(crew: Any, mind: Any, streams: Any, arena: Any, rows: np.ndarray, unit: Int, expansions: int) -> Int:
    """Let a unit continue its search; return the number of expansions."""
    row, body = borrow(rows)[unit], mind.body
    if row.buried:
        return 0
    if crew.full:  # units that have a path follow it
        row.wants = False
        row.reason = row.reason if row.length else OUT_OF_MEMORY
        return 0
    walk = borrow_field(body, "journey")
    searches, before = walk.searches, walk.expansions
    take_place(body, row.position)
    keep_course(mind.parts.lookahead, body, borrow(arena), row)
    hear_of_news(crew, mind, unit)
    walk.stop, walk.decision, walk.stepping_back, walk.longest = GOING, NOWHERE, False, crew.longest
    plan(borrow_field(mind, "parts"), body, Allowance(expansions, NEVER, NEVER))
    used = memory_used(borrow_field(mind, "parts"), body)
    crew.bytes[unit] = in_pages(mind.parts.lookahead, used, len(borrow_field(walk, "order")))
    row.expansions += walk.expansions - before
    row.searches += walk.searches - searches
    follow(mind, streams, borrow(arena), row, unit)
    return walk.expansions - before


@optional
def in_pages(lookahead: Any, used: int, states: int) -> int:
    """Return roughly the memory of a search. Memory comes in pages, most of which are hardly used."""
    return min(PAGES * used, max(used, A_STATE * states))


@in_pages.of(Repair)
def _in_pages(lookahead: Any, used: int, states: int) -> int:
    return used  # which counts a state every time it is looked at


@compiled
def take_place(body: Any, position: Int) -> None:
    """Tell the mind where the moves since its last turn led. The record is elsewhere: the trail keeps one move."""
    walk = borrow_field(body, "journey")
    if position != walk.position:
        walk.trail[0] = walk.position
        walk.moves = 0
        arrive(body, position)


@optional
def keep_course(lookahead: Any, body: Any, arena: Any, row: Any) -> None:
    """Tell a mind how far along its path the moves led, if it counts how often the path was cut."""


@keep_course.of(Repair)
def _keep_course(lookahead: Any, body: Any, arena: Any, row: Any) -> None:
    if row.length and row.at:
        world, last = borrow_field(body, "world"), row.at + 1 == row.length
        following = downhill(body.search, world, row.position) if last else arena.cells[row.path + row.at + 1]
        if following != NOWHERE:
            set_course(body.search, world, row.position, following)


@compiled
def follow(mind: Any, streams: Any, arena: Any, row: Any, unit: Int) -> None:
    """Record what a mind has decided, and the path behind that."""
    parts, body = borrow_field(mind, "parts"), mind.body
    barred = arena.cells[row.path + row.at + 1] if row.length and row.reason == BLOCKED else NOWHERE
    row.length = 0
    settle(borrow(streams), arena.cells, row)
    row.reason, row.wants = WAITING, body.stop == GOING
    if body.stop != GOING:
        row.reason = UNREACHABLE if body.stop == NO_WAY else STUCK
    elif body.decision != NOWHERE:
        ahead = path_ahead(parts.lookahead, body)
        if len(ahead) > 1 and ahead[1] == body.decision:
            keep_path(arena, row, unit, ahead, min(len(ahead), int(most_states(parts.walk))))
        else:
            keep_move(arena, row, unit, body.decision)
        row.wants = row.length > 0 and (watches(parts.lookahead) or searches_on(body))
        if row.length and body.decision == barred:  # it still waits for the unit in its way
            row.reason = BLOCKED
    settle(borrow(streams), arena.cells, row)


@inlined
def searches_on(body: Any) -> bool:
    """Is its search running, and not just because it may have to step back to a path that leads to the goal?"""
    if not body.searching:
        return False
    at_end = body.length > 0 and borrow_field(body, "path")[body.length - 1] == body.goal
    return not at_end or place_on_path(body, body.position) == NOWHERE


@optional
def watches(lookahead: Any) -> bool:
    """Does it check at every move whether to look ahead again?"""
    return False


@watches.of(Refined)
def _watches(lookahead: Any) -> bool:
    return True


# ------------------------------------------------------------------ news


@hears_at_once.of(OneEach)
def _hears_at_once(manner: Any) -> bool:
    return True


@tell_crew.of(OneEach)
def _tell_crew(manner: Any, crew: Any) -> None:
    publish(crew)


@compiled
def publish(crew: Any) -> None:
    """Record for all units what was seen; each reads it in its next turn."""
    fresh, news = crew.mind.body.news, crew.news
    for i in range(fresh.count):
        news = reported(news, fresh.states[i], False)
    crew.news = news
    if fresh.relief:
        crew.relieved = news.count
    forget_news(borrow_field(crew.mind.body, "journey"))


@compiled
def hear_of_news(crew: Any, mind: Any, unit: Int) -> None:
    """Let a unit read what has changed since its last turn; where moves became cheaper, learned values fall."""
    body, first, count = mind.body, crew.heard[unit], crew.news.count
    if first == count:
        return
    news, relief = body.news, bool(first < crew.relieved)
    for i in range(first, count):
        news = reported(news, crew.news.states[i], relief)
    body.news = without_repeats(news, len(borrow_field(body, "order")))
    crew.heard[unit] = count
    if needs_relief(body):
        process_news(mind, NEVER)


@compiled
def line_up_all(queues: Any, rows: np.ndarray, units: np.ndarray, tick: Int) -> None:
    """Queue these units for a turn, stuck ones too; until then they follow their paths."""
    for i in range(len(units)):
        row = borrow(rows)[units[i]]
        if row.reason == STUCK:
            row.reason = WAITING
        if MOVING <= row.reason <= BLOCKED:
            line_up(queues, rows, units[i], tick)


# ------------------------------------------------------------------ called from Python


@compiled
def set_mind(crew: Any, unit: Int, address: Any) -> None:
    """Install the mind of a unit, which knows all news."""
    crew.minds[unit], crew.heard[unit], crew.bytes[unit] = address, crew.news.count, 0


@compiled
def take_minds(crew: Any, units: np.ndarray) -> None:
    """Remove the minds of these units, if they have any."""
    for i in range(len(units)):
        if units[i] < len(crew.heard):
            crew.minds[units[i]], crew.bytes[units[i]] = NOBODY, 0


@compiled
def copy_crew(crew: Any, larger: Any) -> None:
    """Copy what a crew knows of its units to a larger one."""
    for i in range(len(crew.heard)):
        larger.minds[i], larger.heard[i], larger.bytes[i] = crew.minds[i], crew.heard[i], crew.bytes[i]
    larger.news, larger.relieved = crew.news, crew.relieved


@compiled
def news_of(crew: Any) -> int:
    """Return the number of news."""
    return crew.news.count


@compiled
def bytes_of(crew: Any) -> int:
    """Return the memory of all searches."""
    return crew.bytes.sum()


@compiled
def set_limits(crew: Any, longest: int, full: bool) -> None:
    """Set the bound on path costs, and whether memory has run out."""
    crew.longest, crew.full = longest, full
