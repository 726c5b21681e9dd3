"""Prioritised LRTA* (Rayner et al. 2007): one step of lookahead, and a queue of states whose h may also rise.

The larger the rise of a state's h, the more it matters to its neighbours: they are updated in that order. The queue is
small, so it is scanned from end to end.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, making, struct
from ...compiled.clock import virtual_ns
from ...compiled.prices import UPDATE
from ...core.integers import Int
from ...search.breadth_first import best_step
from ...search.budget import Allowance, after, late
from ...search.heap import ENTRY, NOBODY, Entry, before, place
from ...search.learning import RISES, learn
from ...search.listener import EXPAND, SEARCH
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

    entries: np.ndarray  # the states; f is the negative priority, and rank the negative number of the insertion
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


# One move at a time raises h in every circle; longer ones may pass states where it does not.
circles.of(Prioritised)(lambda rule, body: comes_back(body, rule.beacon, borrow_field(body, "world").tally[RISES]))
size.of(Prioritised)(lambda rule, body: Size(20 * rule.queue.waiting, rule.queue.waiting))
search_ended.of(Prioritised)(lambda rule, body: None)


@forget.of(Prioritised)
def _forget(rule: Prioritised) -> None:
    rule.queue.waiting = 0


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
    entries, here, lowest = borrow_field(queue, "entries"), NOWHERE, 0
    for i in range(queue.waiting):
        if entries[i].state == state:
            here = i
        if before(entries[lowest], entries[i]):
            lowest = i
    if here != NOWHERE and -entries[here].f >= priority:
        return
    if here == NOWHERE and queue.waiting < len(entries):
        here = queue.waiting
        queue.waiting += 1
    elif here == NOWHERE and -entries[lowest].f < priority:
        here = lowest
    if here != NOWHERE:
        queue.insertions += 1
        place(entries, here, Entry(-priority, -queue.insertions, state, 0))


@compiled
def take_most_urgent(queue: Any) -> Int:
    """Take the state of highest priority, the earliest among equals, out of the queue."""
    entries, first = borrow_field(queue, "entries"), 0
    for i in range(1, queue.waiting):
        if before(entries[i], entries[first]):
            first = i
    state = np.int64(entries[first].state)
    queue.waiting -= 1
    place(entries, first, entries[queue.waiting])
    return state


def _make(setting: Setting) -> Prioritised:
    room = setting.parameters["queue"]
    return Prioritised(room, new_sweep(np.zeros(room, ENTRY), 0, 0), new_beacon())


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
