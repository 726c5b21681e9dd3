"""What a search teaches: rules that raise the h of the states that it has expanded, from those that it left open.

All keep h consistent, unless costs are weighted, and none lowers it. They also hold for a weighted search, which may
have to open states anew.
"""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled, inlined
from ..worlds.interface import NO_STATE, heuristic, number_of, predecessors, successors
from .best_first import best_open
from .clock import NEVER
from .interrupts import cut_short
from .learning import INFINITE, learn
from .open_list import NOBODY
from .open_states import least_f, open_states
from .orders import expands_once, is_lower_bound
from .prices import SUCCESSOR, UPDATE
from .state import EXPANDED

# The part of a state in the update of h after search n: it was expanded and waits for its value, ...
WAITING = 2
FALLEN = 1  # and that, as far as it is known, has just become smaller;
FRONTIER = 3  # or it was open, and its h is what the others follow from.
GLANCE = 16  # states between two looks at the clock
MARKING, LEARNING = -1, -2  # as the number of a sweep over the expanded states: the first and the last


# ------------------------------------------------------------------ the adaptive rule


@compiled
def raise_adaptively(search: Any, first: int) -> int:
    """h(s) := f - g(s) for every expanded state s, where f is the least of an open one (RTAA* paper, lines 6 and 7).

    From the first or a later one of them on; return how many have been raised. Ctrl-C alone leaves some for later.
    """
    world, nodes, closed = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "closed")
    best_open(search)  # comes into the hand
    f = search.queue.hand.f if is_lower_bound(search.order) else least_f(search)
    for i in range(first, search.expansions):
        state = np.int64(closed[i])
        learn(world, state, min(f - nodes[state].g, INFINITE))  # if nothing is open, there is no way
        if cut_short(i + 1, NEVER, NEVER):
            return i + 1
    return search.expansions


# ------------------------------------------------------------------ Dijkstra's rule


@compiled
def begin_dijkstra(search: Any, weight: int) -> None:
    """Begin to raise the h of every expanded state s to the least w c(s, t) + h(t) over all open states t.

    With the weight w = 1 that is Equation 1 of the time-bounded best-first search paper; the rule of LSS-LRTA*. The
    search is over after it.
    """
    consistent = is_lower_bound(search.order) and weight == 1
    if not consistent and not expands_once(search.order):  # then states may be expanded and open again
        world, nodes = borrow_field(search, "world"), borrow_field(search, "nodes")
        for open_state in open_states(search):
            state = np.int64(open_state)
            if state != NOBODY:
                nodes[state].search = search.number + FRONTIER
                nodes[state].g = heuristic(world, state)
    search.sweeps, search.swept, search.falling = MARKING, 0, False


@compiled
def advance_dijkstra(search: Any, weight: int, deadline: int, virtual_limit: int) -> tuple[bool, int]:
    """Go on until the clock shows `deadline`, or for so many virtual nanoseconds; is it done, and what did it take?

    The values are not found in their order, with a queue, but by sweeps over the expanded states, alternately from the
    last and from the first. Later ones lie nearer to what the search left open, so most values are right after the
    first sweep, nearly all after the second. From the third on, only what has just fallen makes others fall.
    """
    spent = 0
    while True:
        if search.sweeps < 0:
            spent += _mark_or_learn(search, deadline, virtual_limit - spent)
        elif search.sweeps < 2:
            spent += _draw_values(search, weight, deadline, virtual_limit - spent)
        else:
            spent += _spread_falls(search, weight, deadline, virtual_limit - spent)
        if search.swept < search.expansions:
            return False, spent
        if search.sweeps == LEARNING:
            return True, spent
        settled = search.sweeps > 0 and not search.falling
        search.sweeps, search.swept, search.falling = LEARNING if settled else search.sweeps + 1, 0, False


@compiled
def _mark_or_learn(search: Any, deadline: int, virtual_limit: int) -> int:
    """The first sweep, which says who waits for a value; or the last, in which the values are learned."""
    world, nodes, closed = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "closed")
    number, marking, first, swept = search.number, search.sweeps == MARKING, search.swept, search.swept
    while swept < search.expansions:
        state = np.int64(closed[swept])
        swept += 1
        node = nodes[state]
        if marking and node.search != number + FRONTIER:
            node.search = number + WAITING
            node.g = INFINITE
        elif not marking and node.search == number + WAITING:
            node.search = number + EXPANDED  # and is not to be learned again, if it was expanded twice
            learn(world, state, min(node.g, INFINITE))  # if it has none, no open state can be reached
        if UPDATE * (swept - first) >= virtual_limit or cut_short(swept, GLANCE, deadline):
            break
    search.swept = swept
    return 0 if marking else UPDATE * (swept - first)


@compiled
def _draw_values(search: Any, weight: int, deadline: int, virtual_limit: int) -> int:
    """A sweep in which every expanded state takes the value that its successors give it; return what it took."""
    if search.sweeps == 0:
        return _draw(search, True, weight, deadline, virtual_limit)
    return _draw(search, False, weight, deadline, virtual_limit)


@inlined
def _draw(search: Any, first_time: bool, weight: int, deadline: int, virtual_limit: int) -> int:
    """From the last one that was expanded, and who was left open gets its value; or from the first."""
    world, nodes, closed = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "closed")
    number, count, first = search.number, search.expansions, search.swept
    falling, looked_at, swept, spent = search.falling, 0, first, 0
    while swept < count:
        state = np.int64(closed[count - 1 - swept if first_time else swept])
        swept += 1
        node = nodes[state]
        if node.search == number + FRONTIER:
            continue
        least = node.g
        for given, cost in successors(world, state):
            successor = number_of(world, given, state, cost)
            looked_at += 1
            if successor == NO_STATE:
                break
            following = nodes[successor]
            if first_time and following.search <= number + EXPANDED:  # it was left open
                following.search = number + FRONTIER
                following.g = heuristic(world, successor)
            least = min(least, following.g + weight * cost)
        if least < node.g:
            node.g = least
            if not first_time:
                node.search = number + FALLEN
                falling = True
        spent = SUCCESSOR * looked_at + UPDATE * (swept - first)
        if spent >= virtual_limit or cut_short(swept, GLANCE, deadline):
            break
    search.swept, search.falling = swept, falling
    return spent


@compiled
def _spread_falls(search: Any, weight: int, deadline: int, virtual_limit: int) -> int:
    """A sweep in which states whose value has fallen tell their predecessors; return what it took."""
    world, nodes, closed = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "closed")
    number, count, first = search.number, search.expansions, search.swept
    forward, falling, looked_at, swept, spent = search.sweeps % 2 == 1, search.falling, 0, first, 0
    while swept < count:
        state = np.int64(closed[swept if forward else count - 1 - swept])
        swept += 1
        node = nodes[state]
        if node.search != number + FALLEN:
            continue
        node.search = number + WAITING
        for given, cost in predecessors(world, state):
            predecessor = number_of(world, given, state, cost)
            looked_at += 1
            if predecessor == NO_STATE:
                break
            other = nodes[predecessor]
            waits = number + FALLEN <= other.search <= number + WAITING
            if waits and node.g + weight * cost < other.g:
                other.g = node.g + weight * cost
                other.search = number + FALLEN
                falling = True
        spent = SUCCESSOR * looked_at + UPDATE * (swept - first)
        if spent >= virtual_limit or cut_short(swept, GLANCE, deadline):
            break
    search.swept, search.falling = swept, falling
    return spent
