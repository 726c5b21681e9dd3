"""One resumable best-first search over any world: A*, weighted A* and greedy search.

The order of expansion is a part of its own: see `orders`. Weighted search may reach an expanded state more cheaply
later. To open it again brings cheaper paths, at the price of many expansions; the bound w holds without (Ebendt and
Drechsler 2009). So a search may expand states once. A state gets another parent only if its f falls (TB(BFS) paper,
Algorithm 4): in a greedy search, never.

A search stops when the goal is next in the open list (FOUND), when nothing is left (UNREACHABLE) or when its limit is
reached or Ctrl-C pressed (RUNNING), and then goes on with the next call as if it had never stopped.
"""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled, inlined, mutable, resized
from ..integers import Int
from ..worlds.interface import (
    NO_STATE,
    hopeless,
    is_goal,
    number_of,
    states_met,
    successors,
    tell,
    tell_generated,
    touch,
)
from .allowance import Allowance
from .clock import NEVER, virtual_ns
from .interrupts import breathe, cut_short
from .listener import CLOSE, EXPAND, SEARCH
from .open_list import FIRST, NOBODY, begin_open, grown, memory_bytes, push, remove, room, surface
from .orders import expands_once, for_search_number, priority, regards_cost, weights

RUNNING, FOUND, UNREACHABLE = 0, 1, 2
_CROWDED = 3  # the open list needs more memory
# A node's mark is the number of its search, and in the lowest two bits the part that the state has in an update of h.
STRIDE = 4
EXPANDED = 1  # and is not to be opened again
NO_MARK = -1
LAST_NUMBER = np.iinfo(np.int32).max // STRIDE * STRIDE
GLANCE = 4  # expansions between two looks at the clock: it costs 25 ns, the first touch of a page of nodes 1,600

SearchState = mutable(
    __name__,
    "SearchState",
    [
        "world",  # what is searched, goal included
        "nodes",  # what is remembered of the states
        "number",  # of the search, a multiple of STRIDE: a node with another number is not part of it
        "memory",  # of the open list
        "queue",  # and its value
        "branching",  # no state has more successors, nor, if h is to be updated, predecessors
        "order",  # of expansion
        "outcome",
        "expansions",
        "closed",  # the expanded states, in their order; an array of length 0 if nobody will ask
        "generated",  # successors looked at
        "reached",  # states that have a g
        "trail",  # the part of a path that has been traced: see paths
        "traced",
        "sweeps",  # over the expanded states, to update h: see updates
        "swept",  # how many states the present one has come past
        "falling",  # and whether it has changed a value
    ],
)


@compiled
def new_search(
    world: Any, nodes: np.ndarray, memory: Any, order: Any, branching: int, number: int, keep_closed: bool
) -> Any:
    """A search of `world` that has not begun. No node has a higher number than `number`, from others."""
    queue = begin_open(memory, 0, 0, 0, 0)
    closed, trail = np.empty(64 if keep_closed else 0, np.int32), np.empty(64, np.int32)
    counts = (RUNNING, 0, closed, 0, 0)
    return SearchState(world, nodes, number, memory, queue, branching, order, *counts, trail, 0, 0, 0, False)


@compiled
def begin(search: Any, world: Any, start: Int, order: Any) -> None:
    """Begin anew from `start`; `world` may have another goal than before."""
    search.world = world
    begin_again(search, start, order)


@compiled
def begin_again(search: Any, start: Int, order: Any) -> None:
    """Begin anew from `start`, in the same world: to give a search another one takes as long as an expansion or two."""
    nodes = borrow_field(search, "nodes")
    if search.number >= LAST_NUMBER:
        for i in range(len(nodes)):
            nodes[i].search = 0
        search.number = 0
    search.number += STRIDE
    world = borrow_field(search, "world")
    order = for_search_number(order, search.number)
    search.order = order
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
    search.queue = begin_open(borrow_field(search, "memory"), order.shift, f, rank, start)
    tell_generated(world, start, NO_STATE, 0)


@compiled
def seed(search: Any, state: Int, g: int) -> None:
    """Another start, of a search that has just begun; `g` is what it costs to be there."""
    world, node = borrow_field(search, "world"), borrow_field(search, "nodes")[state]
    if room(borrow_field(search, "memory"), search.queue.store) <= 1:
        search.memory = grown(search.memory)
    node.g = g
    node.search = search.number
    node.parent = state
    search.reached += 1
    rank = FIRST if is_goal(world, state) else g
    f = priority(search.order, world, g, state)
    search.queue = push(borrow_field(search, "memory"), search.queue, f, rank, state)
    tell_generated(world, state, NO_STATE, g)


@compiled
def advance_within(search: Any, expansions: int, deadline: int, virtual: int) -> int:
    """`advance`, for Python, which has the allowance in three numbers."""
    return advance(search, Allowance(expansions, deadline, virtual))


@compiled
def advance(search: Any, allowance: Any) -> int:
    """Go on for at most so many expansions, until the clock shows the deadline, or for so many virtual nanoseconds."""
    if search.outcome != RUNNING:
        return search.outcome
    spent = virtual_ns(search.expansions, search.generated, search.queue.order)
    last_expansion = allowance.expansions + min(search.expansions, NEVER - allowance.expansions)
    virtual_end = allowance.virtual + min(spent, NEVER - allowance.virtual)
    while True:
        search.outcome = _expand(search, last_expansion, allowance.deadline, virtual_end)
        if search.outcome != _CROWDED:
            return search.outcome
        make_room(search)


@compiled
def make_room(search: Any) -> None:
    """More memory for the open list, or for the list of expanded states."""
    if len(search.closed) and search.expansions == len(search.closed):
        search.closed = resized(search.closed, 2 * len(search.closed))
    else:
        search.memory = grown(search.memory)


@compiled
def _expand(search: Any, last_expansion: int, deadline: int, virtual_end: int) -> int:
    """Expand states, best first, until one of the limits or one of the ends."""
    world, nodes = borrow_field(search, "world"), borrow_field(search, "nodes")
    memory, closed = borrow_field(search, "memory"), borrow_field(search, "closed")
    number, branching, queue, order = search.number, search.branching, search.queue, search.order
    once = expands_once(order)
    finished = number + EXPANDED if once else NO_MARK
    expansions, generated, reached = search.expansions, search.generated, search.reached
    outcome = RUNNING
    while expansions < last_expansion:
        queue = surface(memory, queue, nodes)
        state = queue.hand.state
        if state == NOBODY:
            outcome = UNREACHABLE
            break
        if is_goal(world, state):
            outcome = FOUND
            break
        if room(memory, queue.store) <= branching or (len(closed) and expansions == len(closed)):
            outcome = _CROWDED
            break
        queue = remove(queue)
        if len(closed):
            closed[expansions] = state
        if once:
            nodes[state].search = finished
        expansions += 1
        queue, generated, reached = expand(
            world, nodes, memory, queue, number, finished, state, order, generated, reached
        )
        if cut_short(expansions, GLANCE, deadline):
            break
        if virtual_end != NEVER and virtual_ns(expansions, generated, queue.order) >= virtual_end:
            break
    search.queue = queue
    search.expansions, search.generated, search.reached = expansions, generated, reached
    return outcome


@inlined
def expand(
    world: Any,
    nodes: Any,
    memory: Any,
    queue: Any,
    number: int,
    finished: int,
    state: Int,
    order: Any,
    generated: int,
    reached: int,
) -> tuple[Any, int, int]:
    """Open every successor whose f falls if it is reached through `state`; return queue, generated and reached."""
    g, parent = nodes[state].g, np.int64(nodes[state].parent)
    tell(world, EXPAND, state, parent, g, 0)
    for given, cost in successors(world, state):
        successor = number_of(world, given, state, cost)
        generated += 1
        if successor == NO_STATE:
            break
        if successor == parent:  # which is never cheaper: no look at it
            continue
        node, through = nodes[successor], g + cost
        if node.search == finished:
            continue
        if node.search != number:
            touch(world, successor, np.int64(node.search), node.g)
            node.search = number
            reached += 1
        elif through >= node.g or not regards_cost(order):
            continue
        node.g = through
        node.parent = state
        if hopeless(world, successor):
            tell(world, CLOSE, successor, state, through, 0)
            continue
        rank = FIRST if is_goal(world, successor) else through
        queue = push(memory, queue, priority(order, world, through, successor), rank, successor)
        tell_generated(world, successor, state, through)
    return queue, generated, reached


@inlined
def reached_by(node: Any, number: int) -> bool:
    """Has the search of that number come to this state?"""
    return number <= node.search < number + STRIDE


@compiled
def best_open(search: Any) -> int:
    """The state that would be expanded next, or -1 if none is open."""
    search.queue = surface(borrow_field(search, "memory"), search.queue, borrow_field(search, "nodes"))
    return search.queue.hand.state


@compiled
def figures(search: Any) -> tuple[int, int, int, int]:
    """Outcome, expansions, successors generated, bytes of memory in use: nodes reached, and the open list."""
    nodes = search.reached * search.nodes.itemsize
    return search.outcome, search.expansions, search.generated, nodes + memory_bytes(search.memory, search.queue.store)


@compiled
def costs_reached(search: Any) -> np.ndarray:
    """The g of every state that this search has reached, -1 for the others."""
    nodes = borrow_field(search, "nodes")
    costs = np.full(states_met(search.world, len(nodes)), -1, np.int64)
    for state in range(len(costs) if search.number else 0):
        breathe(state)
        if reached_by(nodes[state], search.number):
            costs[state] = nodes[state].g
    return costs
