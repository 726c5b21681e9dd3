"""The state of a best-first search: what it keeps between two calls, how it begins, and queries."""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled, inlined, resized, struct
from ..compiled.clock import NEVER
from ..compiled.interrupts import breathe
from ..core.integers import Int
from ..worlds.interface import NO_STATE, heuristic, is_goal, states_met, tell, tell_generated, touch
from .heap import NOBODY, stale
from .hot_queue import HotMemory, entry_at, grown, memory_bytes, places, room
from .listener import SEARCH
from .open_list import FIRST, Open, begin_open, push
from .orders import for_next_search, in_turn, priority, weights
from .types import AnyOrder, CompiledWorld

RUNNING, FOUND, UNREACHABLE = 0, 1, 2
# A node's mark is the number of its search; the lowest two bits are the state's role in an update of h.
STRIDE = 4
EXPANDED = 1  # and must not be reopened
NO_MARK = -1
LAST_NUMBER = np.iinfo(np.int32).max // STRIDE * STRIDE


@struct
class SearchState:
    """The state of a best-first search."""

    world: CompiledWorld  # what is searched, goal included
    nodes: np.ndarray  # what is remembered about the states
    number: int  # of the search, a multiple of STRIDE: nodes with another number are not part of it
    memory: HotMemory  # of the open list
    queue: Open  # and its value
    branching: int  # the most successors of a state, and, if h is updated, predecessors
    order: AnyOrder  # of expansion
    outcome: int
    expansions: int
    closed: np.ndarray  # the expanded states, in order; an array of length 0 if not needed
    generated: int  # successors generated
    reached: int  # states that have a g
    trail: np.ndarray  # the traced part of a path: see paths
    traced: int
    sweeps: int  # passes over the expanded states, to update h: see updates
    swept: int  # how many states the current pass has visited
    falling: bool  # and whether it has changed a value


@compiled
def new_search(
    world: CompiledWorld,
    nodes: np.ndarray,
    memory: HotMemory,
    order: AnyOrder,
    branching: int,
    number: int,
    keep_closed: bool,
) -> SearchState:
    """Make a search of `world` that has not begun. No node has a number above `number` from other searches."""
    queue = begin_open(0, 0, 0, 0)
    closed, trail = np.empty(64 if keep_closed else 0, np.int32), np.empty(64, np.int32)
    counts = (RUNNING, 0, closed, 0, 0)
    return SearchState(world, nodes, number, memory, queue, branching, order, *counts, trail, 0, 0, 0, False)


@compiled
def begin(search: SearchState, world: CompiledWorld, start: Int, order: AnyOrder) -> None:
    """Start again from `start`; `world` may have another goal than before."""
    search.world = world
    begin_again(search, start, order)


@compiled
def begin_again(search: SearchState, start: Int, order: AnyOrder) -> None:
    """Start again from `start`, in the same world: setting another world takes as long as an expansion or two."""
    nodes = borrow_field(search, "nodes")
    if search.number >= LAST_NUMBER:
        for i in range(len(nodes)):
            nodes[i].search = 0
        search.number = 0
    search.number += STRIDE
    world = borrow_field(search, "world")
    search.order = for_next_search(order, search.order)
    order = borrow_field(search, "order")
    search.outcome, search.expansions, search.generated, search.reached = RUNNING, 0, 0, 1
    search.traced = 0
    g_weight, h_weight = weights(order)
    tell(world, SEARCH, start, NO_STATE, g_weight, h_weight)
    touch(world, start, np.int64(nodes[start].search), nodes[start].g)
    nodes[start].g = 0
    nodes[start].search = search.number
    nodes[start].parent = start
    rank = FIRST if is_goal(world, start) else 0
    f = priority(order, world, 0, start)
    search.queue = begin_open(order.shift, f, rank, start)
    tell_generated(world, start, NO_STATE, 0)


@compiled
def seed(search: SearchState, state: Int, g: int) -> None:
    """Add another start to a search that has just begun; `g` is its cost."""
    node = borrow_field(search, "nodes")[state]
    node.g = g
    node.search = search.number
    node.parent = state
    search.reached += 1
    put_on_open_list(search, state, NO_STATE, g)


@compiled
def put_on_open_list(search: SearchState, state: Int, parent: Int, g: int) -> None:
    """Put a state on the open list, from outside the search."""
    world, order = borrow_field(search, "world"), borrow_field(search, "order")
    if room(borrow_field(search, "memory"), search.queue.store) <= 1:
        search.memory = grown(search.memory)
    rank = FIRST if is_goal(world, state) else g
    f, turn = priority(order, world, g, state), in_turn(order, search.queue.order + 1, state)
    search.queue = push(borrow_field(search, "memory"), search.queue, f, rank, state, turn)
    tell_generated(world, state, parent, g)


@inlined
def reached_by(node: Any, number: int) -> bool:
    """Has the search with that number reached this state?"""
    return number <= node.search < number + STRIDE


@compiled
def figures(search: SearchState) -> tuple[int, int, int, int]:
    """Return outcome, expansions, successors generated, bytes of memory in use: nodes reached, and the open list."""
    nodes = search.reached * search.nodes.itemsize
    return search.outcome, search.expansions, search.generated, nodes + memory_bytes(search.memory, search.queue.store)


@compiled
def costs_reached(search: SearchState) -> np.ndarray:
    """Return the g of every state that this search has reached, -1 for the others."""
    nodes = borrow_field(search, "nodes")
    costs = np.full(states_met(search.world, len(nodes)), -1, np.int64)
    for state in range(len(costs) if search.number else 0):
        breathe(state)
        if reached_by(nodes[state], search.number):
            costs[state] = nodes[state].g
    return costs


# ------------------------------------------------------------------ its open states


@inlined
def is_open(entry: Any, nodes: Any, number: int) -> bool:
    """Is this entry of an open list the valid one for its state?"""
    return entry.state != NOBODY and not stale(entry, nodes) and nodes[entry.state].search == number


@compiled
def open_states(search: SearchState) -> np.ndarray:
    """Return all open states, in no order; the goal perhaps more than once. Each has its g in `search.nodes`."""
    nodes, memory = borrow_field(search, "nodes"), borrow_field(search, "memory")
    queue, number = search.queue, search.number
    states, count = np.empty(places(memory, queue.store) + 1, np.int32), 0
    if is_open(queue.hand, nodes, number):
        states[0] = queue.hand.state
        count = 1
    for i in range(places(memory, queue.store)):
        entry = entry_at(memory, queue.store, i)
        if is_open(entry, nodes, number):
            states[count] = entry.state
            count += 1
    return resized(states, count)


@compiled
def least_f(search: SearchState) -> int:
    """Return the least g + h of all open states: no path to the goal through this search is cheaper."""
    world, nodes, least = borrow_field(search, "world"), borrow_field(search, "nodes"), NEVER
    for state in open_states(search):
        least = min(least, nodes[state].g + heuristic(world, np.int64(state)))
    return least
