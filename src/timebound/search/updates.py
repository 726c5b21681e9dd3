"""What a search teaches: rules that raise the h of the states that it has expanded, from those that it left open.

All keep h consistent, and none lowers it. They also hold for a weighted search, which may have to open states anew.
"""

from typing import Any

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..worlds.interface import NO_STATE, heuristic, number_of, predecessors
from .best_first import EXPANDED, best_open
from .clock import NEVER, now, virtual_ns
from .learning import INFINITE, learn
from .open_list import EMPTY, NOBODY, Open, begin_store, entry_at, grown, places, push, remove, room, stale, surface
from .prices import UPDATE

# The part of a state in the update of h after search n, beside n itself: it was expanded and waits for its value, ...
SETTLED = 2  # it has one, ...
FRONTIER = 3  # or it was open, and its h is what the others follow from.
GLANCE = 16  # states between two looks at the clock


@inlined
def is_open(entry: Any, nodes: Any, number: int) -> bool:
    """Is this entry of an open list the one that counts for its state?"""
    return entry.state != NOBODY and not stale(entry, nodes) and nodes[entry.state].search == number


@compiled
def open_states(search: Any) -> np.ndarray:
    """All open states, in no order; the goal perhaps more than once."""
    owned_nodes, owned_memory, queue = search.nodes, search.memory, search.queue
    nodes, memory, number = borrow(owned_nodes), borrow(owned_memory), search.number
    states, count = np.empty(places(memory, queue.store) + 1, np.int32), 0
    if is_open(queue.hand, nodes, number):
        states[0] = queue.hand.state
        count = 1
    for i in range(places(memory, queue.store)):
        entry = entry_at(memory, queue.store, i)
        if is_open(entry, nodes, number):
            states[count] = entry.state
            count += 1
    states[count:] = NOBODY
    return states


@compiled
def least_f(search: Any) -> int:
    """The smallest g + h of an open state: no path to the goal through this search is cheaper."""
    owned_world, owned_nodes = search.world, search.nodes
    world, nodes, least = borrow(owned_world), borrow(owned_nodes), NEVER
    for state in open_states(search):
        if state != NOBODY:
            least = min(least, nodes[state].g + heuristic(world, np.int64(state)))
    return least


# ------------------------------------------------------------------ the adaptive rule


@compiled
def raise_adaptively(search: Any) -> None:
    """h(s) := f - g(s) for every expanded state s, where f is the least of an open one (RTAA* paper, lines 6 and 7)."""
    owned_world, owned_nodes, owned_closed = search.world, search.nodes, search.closed
    world, nodes, closed = borrow(owned_world), borrow(owned_nodes), borrow(owned_closed)
    best_open(search)  # comes into the hand
    f = search.queue.hand.f if search.g_weight == search.h_weight == 1 else least_f(search)
    for i in range(search.expansions):
        state = np.int64(closed[i])
        learn(world, state, f - nodes[state].g)


# ------------------------------------------------------------------ Dijkstra's rule


@compiled
def begin_dijkstra(search: Any, shift: int) -> None:
    """Begin to raise the h of every expanded state s to the least c(s, t) + h(t) over all open states t.

    That is Equation 1 of the time-bounded best-first search paper; the rule of LSS-LRTA*. The search is over after it.
    """
    owned_world, owned_nodes, owned_memory = search.world, search.nodes, search.memory
    world, nodes, memory = borrow(owned_world), borrow(owned_nodes), borrow(owned_memory)
    number, least, frontier = search.number, NEVER, open_states(search)
    for state in frontier:
        if state != NOBODY:
            least = min(least, heuristic(world, np.int64(state)))
    queue = Open(EMPTY, begin_store(memory, shift, least), 0)
    for open_state in frontier:
        state = np.int64(open_state)
        if state != NOBODY and nodes[state].search == number:
            h = heuristic(world, state)
            nodes[state].search = number + FRONTIER
            nodes[state].g = h
            queue = push(memory, queue, h, h, state)
    search.queue = queue


@compiled
def advance_dijkstra(search: Any, deadline: int, virtual_limit: int) -> tuple[bool, int]:
    """Go on until the clock shows `deadline`, or for so many virtual nanoseconds; is it done, and what did it take?"""
    spent = 0
    while True:
        outcome, more = _settle(search, deadline, virtual_limit - spent)
        spent += more
        if outcome != _CROWDED:
            break
        search.memory = grown(search.memory)
    if outcome == _DONE:
        _give_up_dead_ends(search)
    return outcome == _DONE, spent


_RUNNING, _DONE, _CROWDED = 0, 1, 2


@compiled
def _settle(search: Any, deadline: int, virtual_limit: int) -> tuple[int, int]:
    """Give states their value, the least first; return why it ended, and the virtual time that it took."""
    owned_world, owned_nodes, owned_memory = search.world, search.nodes, search.memory
    world, nodes, memory = borrow(owned_world), borrow(owned_nodes), borrow(owned_memory)
    number, branching, queue = search.number, search.branching, search.queue
    settled, looked_at, pushed, spent, outcome = 0, 0, queue.order, 0, _RUNNING
    while outcome == _RUNNING:
        queue = surface(memory, queue, nodes)
        state, value = queue.hand.state, queue.hand.f
        if state == NOBODY:
            outcome = _DONE
            break
        if room(memory, queue.store) <= branching:
            outcome = _CROWDED
            break
        queue = remove(queue)
        if nodes[state].search == number + SETTLED:
            learn(world, state, value)
        for given, cost in predecessors(world, state):
            predecessor = number_of(world, given, state, cost)
            looked_at += 1
            if predecessor == NO_STATE:
                continue
            node, through = nodes[predecessor], value + cost
            waits = number <= node.search <= number + EXPANDED
            if waits or (node.search == number + SETTLED and through < node.g):
                node.search = number + SETTLED
                node.g = through
                queue = push(memory, queue, through, through, predecessor)
        settled += 1
        if deadline != NEVER and settled % GLANCE == 0 and now() >= deadline:
            break
        spent = virtual_ns(settled, looked_at, queue.order - pushed) + UPDATE * settled
        if spent >= virtual_limit:
            break
    search.queue = queue
    return outcome, spent


@compiled
def _give_up_dead_ends(search: Any) -> None:
    """An expanded state that has no value now is one from which no open state can be reached."""
    owned_world, owned_nodes, owned_closed = search.world, search.nodes, search.closed
    world, nodes, closed = borrow(owned_world), borrow(owned_nodes), borrow(owned_closed)
    for i in range(search.expansions):
        state = np.int64(closed[i])
        if nodes[state].search <= search.number + EXPANDED:
            learn(world, state, INFINITE)
