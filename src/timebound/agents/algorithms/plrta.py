"""Prioritised LRTA* (Rayner et al. 2007): one step of lookahead, and a queue of states whose h may also rise.

The larger the rise of a state's h, the more it matters to its neighbours: they are updated in that order. The queue is
small, so it is scanned from end to end.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, inlined, making, struct
from ...compiled.clock import virtual_ns
from ...compiled.prices import UPDATE
from ...core.integers import Int
from ...search.budget import Allowance, after, late
from ...search.learning import RISES, learn
from ...search.listener import EXPAND, SEARCH
from ...search.one_step import best_step
from ...search.open_list import NOBODY
from ...worlds.interface import NO_STATE, heuristic, is_goal, number_of, successors, tell
from ..body import Body, proved_unreachable
from ..journey import NOWHERE, UNREACHABLE
from ..parameters import Parameter, up_to
from ..parts import Part, Setting
from ..roles import Size, catch_up, circles, forget, search_ended, size
from .plain import comes_back, new_beacon


@struct
class Sweep:
    """States that wait for their update."""

    states: np.ndarray  # that wait for their update
    priorities: np.ndarray
    orders: np.ndarray  # order of insertion
    waiting: Int  # how many states
    insertions: Int  # so far


class Prioritised(NamedTuple):
    """Raise the h of the current state, and of others whose h may rise because of that.

    h(s) := max(h(s), min c(s, t) + h(t)) over all successors t; for the agent's state, then for those in the queue.
    Every rise queues the successors of s, with the rise as priority.

    h stays consistent. It takes O(u q) time for u updates with a queue of q states. Rayner et al. 2007.
    """

    updates: int  # the most per move
    queue: Any
    beacon: np.ndarray  # see `comes_back`


new_sweep = making(Sweep)


@circles.of(Prioritised)
def _circles(rule: Prioritised, body: Body) -> bool:
    # One move at a time raises h in every circle; longer ones may pass states where it does not.
    return comes_back(body, rule.beacon, borrow_field(body, "world").tally[RISES])


@forget.of(Prioritised)
def _forget(rule: Prioritised) -> None:
    rule.queue.waiting = 0


search_ended.of(Prioritised)(lambda rule, body: None)


@catch_up.of(Prioritised)
@compiled
def _catch_up(rule: Prioritised, body: Body, allowance: Allowance) -> Any:
    """Update the current state, then others by priority; the lookahead itself counts the current state's expansion."""
    if proved_unreachable(body):
        body.stop = UNREACHABLE
        return allowance
    world, queue, most = borrow_field(body, "world"), rule.queue, min(rule.updates, allowance.expansions)
    tell(world, SEARCH, body.position, NO_STATE, 1, 1)
    done, generated = 1, update(queue, world, body.position)
    while queue.waiting and done < most:
        if late(allowance) or virtual_ns(done, generated, 0) + UPDATE * done >= allowance.virtual:
            break
        state = take_most_urgent(queue)
        if not is_goal(world, state):
            generated += update(queue, world, state)
            done += 1
    body.expansions += done - 1
    return after(allowance, done - 1, virtual_ns(done, generated, 0) + UPDATE * done)


@size.of(Prioritised)
def _size(rule: Prioritised, body: Body) -> Size:
    return Size(20 * rule.queue.waiting, rule.queue.waiting)


@compiled
def update(queue: Any, world: Any, state: Int) -> int:
    """Raise the h of a state from its successors, and queue them for their own update; return their number."""
    best, count = best_step(world, state)
    tell(world, EXPAND, state, NO_STATE, 0, 0)
    rise = best.f - heuristic(world, state)
    if best.state == NOBODY:
        return 0
    learn(world, state, best.f)
    if rise > 0:
        for given, cost in successors(world, state):
            successor = number_of(world, given, state, cost)
            if successor == NO_STATE:
                break
            offer(queue, successor, rise)
    return count


@compiled
def offer(queue: Any, state: Int, priority: int) -> None:
    """Queue a state, unless the queue is full of more urgent ones."""
    place, lowest = NOWHERE, 0
    for i in range(queue.waiting):
        if queue.states[i] == state:
            place = i
        if comes_after(queue, i, lowest):
            lowest = i
    if place != NOWHERE and queue.priorities[place] >= priority:
        return
    if place == NOWHERE and queue.waiting < len(queue.states):
        place = queue.waiting
        queue.waiting += 1
    elif place == NOWHERE and queue.priorities[lowest] < priority:
        place = lowest
    if place != NOWHERE:
        queue.insertions += 1
        queue.states[place], queue.priorities[place], queue.orders[place] = state, priority, queue.insertions


@inlined
def comes_after(queue: Any, i: int, j: int) -> bool:
    """Is the state at place i less urgent than that at place j?"""
    lower = queue.priorities[i] < queue.priorities[j]
    return lower or (queue.priorities[i] == queue.priorities[j] and queue.orders[i] > queue.orders[j])


@compiled
def take_most_urgent(queue: Any) -> Int:
    """Take the state of highest priority, the earliest among equals, out of the queue."""
    first, last = 0, queue.waiting - 1
    for i in range(1, queue.waiting):
        if comes_after(queue, first, i):
            first = i
    state = np.int64(queue.states[first])
    queue.states[first], queue.priorities[first] = queue.states[last], queue.priorities[last]
    queue.orders[first] = queue.orders[last]
    queue.waiting = last
    return state


def _make(setting: Setting) -> Prioritised:
    room = setting.parameters["queue"]
    states, priorities, orders = np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.int64)
    return Prioritised(room, new_sweep(states, priorities, orders, 0, 0), new_beacon())


PRIORITISED = Part(
    "learning",
    "prioritised",
    "raise the h of the current state before the lookahead, then of its neighbours, the largest increase first",
    _make,
    {"queue": Parameter(100, up_to(100_000, "the queue of plrta, which is scanned completely,"))},
    memory=("h",),
    steepness=lambda setting: 1,
    learns_first=True,
    lookaheads=("step", "within", "local"),
    needs="it learns from one-step lookaheads around the agent, before every search",
    paper="Rayner et al. 2007",
    remembers=True,
)
