"""Learning from a search: rules that raise the h of its expanded states from its open states.

All keep h consistent, unless costs are weighted, and none lowers it. They also hold for a weighted search, which may
have to reopen states.
"""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled, inlined
from ..compiled.clock import NEVER
from ..compiled.interrupts import cut_short
from ..compiled.prices import SUCCESSOR, UPDATE
from ..worlds.interface import NO_STATE, heuristic, number_of, predecessors, successors
from .best_first import best_open
from .learning import INFINITE, learn
from .open_list import NOBODY
from .open_states import least_f, open_states
from .orders import expands_once, is_lower_bound
from .state import EXPANDED

# The role of a state in the update of h after search n: it was expanded and waits for its value, ...
WAITING = 2
FALLEN = 1  # which, as far as known, has just become smaller;
FRONTIER = 3  # or it was open, and the others follow from its h.
GLANCE = 16  # states between two looks at the clock
MARKING, LEARNING = -1, -2  # numbers of the first and the last pass over the expanded states


# ------------------------------------------------------------------ the adaptive rule


@compiled
def raise_adaptively(search: Any, first: int) -> int:
    """Set h(s) := f - g(s) for every expanded state s, with f the least of all open ones (RTAA* paper, lines 6 and 7).

    Start at the first or a later one; return how many have been raised. Only Ctrl-C leaves some for later.
    """
    world, nodes, closed = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "closed")
    best_open(search)  # takes it into the hand
    f = search.queue.hand.f if is_lower_bound(search.order) else least_f(search)
    for i in range(first, search.expansions):
        state = np.int64(closed[i])
        learn(world, state, min(f - nodes[state].g, INFINITE))  # if nothing is open, there is no path
        if cut_short(i + 1, NEVER, NEVER):
            return i + 1
    return search.expansions


# ------------------------------------------------------------------ Dijkstra's rule


@inlined
def begin_dijkstra(search: Any, weight: int) -> None:
    """Begin to raise the h of every expanded state s to the least w c(s, t) + h(t) over all open states t.

    With weight w = 1 this is Equation 1 of the time-bounded best-first search paper, the rule of LSS-LRTA*. The
    search is over after it.
    """
    consistent = is_lower_bound(search.order) and weight == 1
    if not consistent and not expands_once(search.order):  # then expanded states may be open again
        world, nodes = borrow_field(search, "world"), borrow_field(search, "nodes")
        for open_state in open_states(search):
            state = np.int64(open_state)
            if state != NOBODY:
                nodes[state].search = search.number + FRONTIER
                nodes[state].g = heuristic(world, state)
    search.sweeps, search.swept, search.falling = MARKING, 0, False


@inlined
def advance_dijkstra(search: Any, weight: int, deadline: int, virtual_limit: int) -> tuple[bool, int]:
    """Continue until `deadline`, or for that many virtual nanoseconds; return whether it is done, and the cost.

    Instead of a queue, this makes passes over the expanded states, alternately from the
    last and from the first. Later states are nearer to the open ones, so most values are right after the
    first pass, nearly all after the second. From the third on, only values that have just fallen make others fall.
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


@inlined
def _mark_or_learn(search: Any, deadline: int, virtual_limit: int) -> int:
    """Make the first pass, which marks the states that wait for a value; or the last, which learns the values."""
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
            node.search = number + EXPANDED  # so that it is not learned again, if it was expanded twice
            learn(world, state, min(node.g, INFINITE))  # if it has none, no open state can be reached
        if UPDATE * (swept - first) >= virtual_limit or cut_short(swept, GLANCE, deadline):
            break
    search.swept = swept
    return 0 if marking else UPDATE * (swept - first)


@inlined
def _draw_values(search: Any, weight: int, deadline: int, virtual_limit: int) -> int:
    """Make a pass in which every expanded state takes its value from its successors; return the cost."""
    if search.sweeps == 0:
        return _draw(search, True, weight, deadline, virtual_limit)
    return _draw(search, False, weight, deadline, virtual_limit)


@inlined
def _draw(search: Any, first_time: bool, weight: int, deadline: int, virtual_limit: int) -> int:
    """Make the pass from the last expanded state, which also values open states; or from the first."""
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


@inlined
def _spread_falls(search: Any, weight: int, deadline: int, virtual_limit: int) -> int:
    """Make a pass in which states whose value has fallen update their predecessors; return the cost."""
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
