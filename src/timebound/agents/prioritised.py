"""Prioritised LRTA* (Rayner et al. 2007): one step of lookahead, and a queue of states whose h may rise as well.

The larger the rise of a state's h, the more it matters to its neighbours: they are updated in that order. The queue is
small, so that it is looked through from one end to the other.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled, inlined, mutable
from ..integers import Int
from ..knowledge import News
from ..search.clock import NEVER, now, virtual_ns
from ..search.learning import learn, without_learned
from ..search.listener import EXPAND, SEARCH
from ..search.one_step import best_step
from ..search.open_list import NOBODY
from ..search.prices import UPDATE
from ..worlds.interface import NO_STATE, heuristic, is_goal, number_of, successors, tell
from .body import NOWHERE, UNREACHABLE, bytes_used, decide, path_ahead, search_number, states_kept
from .proof import proved_unreachable

Sweep = mutable(
    __name__,
    "Sweep",
    [
        "states",  # that wait for their update
        "priorities",
        "orders",  # of insertion
        "waiting",  # how many
        "insertions",  # so far
    ],
)


class Prioritised(NamedTuple):
    """How Prioritised LRTA* decides."""

    updates: int  # at most, per move
    longest: int  # no path on the map costs more: see `proof`


@compiled
def new_sweep(room: int) -> Any:
    """An empty queue with room for so many states."""
    return Sweep(np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.int64), 0, 0)


@bytes_used.of(Prioritised)
def _bytes_used(control: Any, body: Any) -> int:
    return 20 * body.search.waiting


@states_kept.of(Prioritised)
def _states_kept(control: Any, body: Any) -> int:
    return body.search.waiting


@search_number.of(Prioritised)
def _search_number(control: Any, body: Any) -> int:
    return 0


@path_ahead.of(Prioritised)
def _path_ahead(control: Any, body: Any) -> np.ndarray:
    return one_move(body)


@compiled
def one_move(body: Any) -> np.ndarray:
    """It has no plan beyond its decision."""
    ahead = np.empty(0 if body.decision == NOWHERE else 2, np.int32)
    if len(ahead):
        ahead[0], ahead[1] = body.position, body.decision
    return ahead


@decide.of(Prioritised)
def sweep(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """Update the present state, then others by priority; then step to the best successor."""
    queue = body.search
    if borrow_field(body, "news").relief:
        body.world, queue.waiting = without_learned(body.world), 0
    body.news = News(body.news.states, 0, False)
    world = borrow_field(body, "world")
    if proved_unreachable(body, control.longest):
        body.stop = UNREACHABLE
        return
    body.searches += 1
    tell(world, SEARCH, body.position, NO_STATE, 1, 1)
    done, generated = 1, update(queue, world, body.position)
    while queue.waiting and done < min(control.updates, expansions):
        if (deadline != NEVER and now() >= deadline) or virtual_ns(done, generated, 0) + UPDATE * done >= virtual:
            break
        state = take_most_urgent(queue)
        if not is_goal(world, state):
            generated += update(queue, world, state)
            done += 1
    body.expansions += done
    best, _ = best_step(world, body.position)
    if best.state == NOBODY:
        body.stop = UNREACHABLE
    else:
        body.decision = best.state


@compiled
def update(queue: Any, world: Any, state: Int) -> int:
    """Raise the h of a state to what its successors say, and let them wait for theirs; return their number."""
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
    """Let a state wait, unless the queue is full of more urgent ones."""
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
