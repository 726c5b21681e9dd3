"""The turn of a unit with its own planner: for agents whose search continues from tick to tick.

In its turn such a unit continues its search. Between two turns it follows its last path, and may be delayed or pushed
aside by others: to its planner, a move failed, or the agent was put elsewhere.
"""

from typing import Any

import numpy as np

from ..agents.algorithms.dstar_lite import Repair, downhill, set_course
from ..agents.algorithms.pr_lrta import Refined
from ..agents.body import arrive, place_on_path
from ..agents.interval import memory_used, needs_relief, plan, process_news
from ..agents.journey import GOING, NOWHERE, forget_news
from ..agents.journey import UNREACHABLE as NO_WAY
from ..agents.roles import path_ahead
from ..compiled import borrow, borrow_field, compiled, inlined, optional
from ..compiled.clock import NEVER
from ..core.integers import Int
from ..knowledge.interface import reported, without_repeats
from ..search.budget import Allowance
from .addresses import NOBODY, struct_at
from .guidance import declare
from .planners import Own, has_planner, hears_at_once, serve, share_news
from .shared_planner import most_states
from .unit_paths import keep_path
from .units import BLOCKED, OUT_OF_MEMORY, STUCK, UNREACHABLE, WAITING

PAGES = 8  # memory of touched pages over memory used; measured on maps of 512 x 512 cells: 5.7 to 12.6
A_STATE = 24  # the most bytes that a planner has per state


@has_planner.of(Own)
def _has_planner(ownership: Any, planners: Any, unit: Int) -> bool:
    return bool(planners.own[unit] != NOBODY)


@serve.of(Own)
def _serve(ownership: Any, planners: Any, units: Any, unit: Int, expansions: int) -> Int:
    return take_turn(planners, struct_at(planners.shared, planners.own[unit]), units, unit, expansions)


@compiled
def take_turn(planners: Any, planner: Any, units: Any, unit: Int, expansions: int) -> Int:
    """Let a unit continue its search; return the number of expansions."""
    rows, allocator, traffic = borrow(units)
    row, body = rows[unit], planner.body
    if row.buried:
        return 0
    if planners.full:  # units that have a path follow it
        row.wants = False
        row.reason = row.reason if row.length else OUT_OF_MEMORY
        return 0
    walk = borrow_field(body, "journey")
    searches, before = walk.searches, walk.expansions
    take_place(body, row.position)
    keep_course(planner.parts.lookahead, body, allocator, row)
    hear_of_news(planners, planner, unit)
    walk.stop, walk.decision, walk.stepping_back, walk.longest = GOING, NOWHERE, False, planners.longest
    plan(borrow_field(planner, "parts"), body, Allowance(expansions, NEVER, NEVER))
    used = memory_used(borrow_field(planner, "parts"), body)
    planners.bytes[unit] = in_pages(planner.parts.lookahead, used, len(borrow_field(walk, "order")))
    row.expansions += walk.expansions - before
    row.searches += walk.searches - searches
    follow(planner, traffic, allocator, row, unit)
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
    """Tell the planner where the moves since its last turn led. The record is elsewhere: the trail keeps one move."""
    walk = borrow_field(body, "journey")
    waited = position == walk.position and walk.decision != NOWHERE and walk.decision != position
    pushed = position not in (walk.position, walk.decision) and place_on_path(walk, position) == NOWHERE
    if waited or pushed:
        walk.surprises += 1  # so where it has searched before is no proof that it goes in a circle
    if position != walk.position:
        walk.trail[0] = walk.position
        walk.moves = 0
        arrive(body, position)


@optional
def keep_course(lookahead: Any, body: Any, allocator: Any, row: Any) -> None:
    """Tell a planner how far along its path the moves led, if it counts how often the path was cut."""


@keep_course.of(Repair)
def _keep_course(lookahead: Any, body: Any, allocator: Any, row: Any) -> None:
    if row.length and row.at:
        world, last = borrow_field(body, "world"), row.at + 1 == row.length
        following = downhill(body.search, world, row.position) if last else allocator.cells[row.path + row.at + 1]
        if following != NOWHERE:
            set_course(body.search, world, row.position, following)


@compiled
def follow(planner: Any, traffic: Any, allocator: Any, row: Any, unit: Int) -> None:
    """Record what a planner has decided, and the path behind that."""
    parts, body = borrow_field(planner, "parts"), planner.body
    barred = allocator.cells[row.path + row.at + 1] if row.length and row.reason == BLOCKED else NOWHERE
    row.length = 0
    declare(traffic, allocator.cells, row)
    row.reason, row.wants = WAITING, body.stop == GOING
    if body.stop != GOING:
        row.reason = UNREACHABLE if body.stop == NO_WAY else STUCK
    elif body.decision != NOWHERE:
        ahead = path_ahead(parts.lookahead, body)
        if len(ahead) > 1 and ahead[1] == body.decision:
            keep_path(allocator, row, unit, ahead, min(len(ahead), int(most_states(parts.walk))))
        else:
            keep_path(allocator, row, unit, (row.position, body.decision), 2)
        row.wants = row.length > 0 and (watches(parts.lookahead) or searches_on(body))
        if row.length and body.decision == barred:  # it still waits for the unit in its way
            row.reason = BLOCKED
    declare(traffic, allocator.cells, row)


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


@hears_at_once.of(Own)
def _hears_at_once(ownership: Any) -> bool:
    return True


@share_news.of(Own)
def _share_news(ownership: Any, planners: Any) -> None:
    publish(planners)


@compiled
def publish(planners: Any) -> None:
    """Record for all units what was seen; each reads it in its next turn."""
    fresh, news = planners.shared.body.news, planners.news
    for i in range(fresh.count):
        news = reported(news, fresh.states[i], False)
    planners.news = news
    if fresh.relief:
        planners.relieved = news.count
    forget_news(borrow_field(planners.shared.body, "journey"))


@compiled
def hear_of_news(planners: Any, planner: Any, unit: Int) -> None:
    """Let a unit read what has changed since its last turn; where moves became cheaper, learned values fall."""
    body, first, count = planner.body, planners.heard[unit], planners.news.count
    if first == count:
        return
    news, relief = body.news, bool(first < planners.relieved)
    for i in range(first, count):
        news = reported(news, planners.news.states[i], relief)
    body.news = without_repeats(news, len(borrow_field(body, "order")))
    planners.heard[unit] = count
    if needs_relief(body):
        process_news(planner, NEVER)


# ------------------------------------------------------------------ called from Python


@compiled
def news_of(planners: Any) -> int:
    """Return the number of news."""
    return planners.news.count


@compiled
def make_room(planners: Any, own: Any, heard: np.ndarray, used: np.ndarray) -> None:
    """Let planners use larger arrays, into which theirs have been copied."""
    planners.own, planners.heard, planners.bytes = own, heard, used


@compiled
def set_limits(planners: Any, longest: int, full: bool) -> None:
    """Set the bound on path costs, and whether memory has run out."""
    planners.longest, planners.full = longest, full
