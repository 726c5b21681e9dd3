"""The path of a time-bounded agent: traced back from the target, over several intervals if necessary, then followed."""

from typing import Any

import numpy as np

from ...compiled import borrow_field, compiled, inlined, mutable, resized
from ...compiled.clock import NEVER, passed
from ...compiled.prices import TRACE_STEP
from ...search.listener import PATH
from ...search.paths import trace
from ...search.state import FOUND
from ...worlds.interface import NO_STATE, is_goal, tell
from ...worlds.moves import IMPOSSIBLE, price_of
from ..paths import PACE, place_on_path
from ..walk import NOWHERE
from .way_back import off_path

Pursuit = mutable(
    __name__,
    "Pursuit",
    [
        "tracing",  # is a trace running?
        "solved",  # has the path to the goal been traced?
        "found_before",  # had the search found the goal before this interval?
        "expanded",  # how many states the agent had expanded before this interval
        "last_trace",  # how many steps the last trace took
        "surprised",  # was anything different from the agent's belief, since its search began? (If it learns: ever.)
    ],
)


@compiled
def new_pursuit() -> Any:
    """Make the trace of an agent that has not begun."""
    return Pursuit(False, False, False, 0, 0, False)


@compiled
def has_solution(body: Any, pursuit: Any) -> bool:
    """Does it follow the path to the goal? Not if it was put where no step back leads to that path."""
    if off_path(body) and borrow_field(body, "path")[0] != body.root:
        body.length, pursuit.solved, pursuit.tracing = 0, False, False
    return pursuit.solved


@compiled
def trace_on(body: Any, pursuit: Any, merging: bool, most: int, deadline: int) -> bool:
    """Trace the path as far as the limits allow; return whether that is far enough."""
    steps, done = 0, trace_is_done(body, merging)
    while not done and steps < most:
        trace(body.search, 1)
        steps += 1
        done = trace_is_done(body, merging)
        if steps % PACE == 0 and passed(deadline):
            break
    body.trace_steps += steps
    body.debt += TRACE_STEP * steps
    pursuit.last_trace += steps
    return done


@inlined
def trace_is_done(body: Any, merging: bool) -> bool:
    """Has it reached the root, or the agent; or, if paths only grow at their ends, a state of the old path?"""
    search = body.search
    front = np.int64(borrow_field(search, "trail")[search.traced - 1])
    return front == body.root or front == body.position or (merging and place_on_path(body, front) != NOWHERE)


@compiled
def worth_following(steady: bool, body: Any) -> bool:
    """Check the rule against indecision (2009, section 3.4): the new path reaches at least as far as the agent."""
    if not steady or body.length == 0:
        return True
    nodes, end = borrow_field(body.search, "nodes"), np.int64(borrow_field(body.search, "trail")[0])
    return is_goal(borrow_field(body, "world"), end) or nodes[end].g >= nodes[body.position].g


@compiled
def follow_trace(body: Any, pursuit: Any, merging: bool) -> bool:
    """Follow what was traced, from the agent, the root or the old path on; False if a cost on it has risen."""
    search = body.search
    nodes, world, trail, count = borrow_field(search, "nodes"), borrow_field(body, "world"), search.trail, search.traced
    front = np.int64(trail[count - 1])
    first = max(0, place_on_path(body, front)) if merging else 0
    make_room(body, first + count)
    path, prices, order, before = body.path, body.prices, body.order, front
    path[first], order[front] = front, first
    tell(world, PATH, front, NO_STATE, first, 0)
    for i in range(1, count):
        state = np.int64(trail[count - 1 - i])
        path[first + i] = state
        prices[first + i] = abs(nodes[state].g - nodes[before].g)
        order[state] = first + i
        tell(world, PATH, state, NO_STATE, first + i, prices[first + i])
        if pursuit.surprised:
            price = price_of(world, before, state)
            if price == IMPOSSIBLE or price > prices[first + i]:  # 2012, Algorithm 2, line 22
                return False
        before = state
    body.length = first + count
    pursuit.solved = search.outcome == FOUND and is_goal(world, before)
    return True


@compiled
def make_room(body: Any, length: int) -> None:
    """Make room for a path of `length` states."""
    if length > len(body.path):
        body.path, body.prices = resized(body.path, 2 * length), resized(body.prices, 2 * length)


# ------------------------------------------------------------------ limits of a trace


@inlined
def shares(walk: Any, expansions: int) -> tuple[int, int]:
    """Return N_E = floor(R r) and N_T = (R - N_E) c; at least one of each, or nothing would ever happen."""
    most = expansions * walk.ratio[0] // walk.ratio[1]
    return max(1, most), max(1, (expansions - most) * walk.trace_cost)


@inlined
def most_steps(walk: Any, expansions: int) -> int:
    """Return N_T; or the whole budget, if the solution was found before this interval."""
    if not walk.limited or expansions == NEVER:
        return NEVER
    return expansions * walk.trace_cost if walk.pursuit.found_before else shares(walk, expansions)[1]
