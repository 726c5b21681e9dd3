"""One resumable best-first search over any world: A*, weighted A* and greedy search.

The order of expansion is a separate part: see `orders`. Weighted search may later reach an expanded state at lower
cost. Reopening it gives cheaper paths, at the price of many expansions; the bound w holds without (Ebendt and Drechsler
2009). So a search may expand states only once. A state gets another parent only if its f falls (TB(BFS) paper,
Algorithm 4): in a greedy search, never.

A search stops when the goal is next in the open list (FOUND), when nothing is left (UNREACHABLE) or when its limit is
reached or Ctrl-C pressed (RUNNING); the next call then continues as if it had never stopped.
"""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled, inlined, resized
from ..compiled.clock import NEVER, virtual_ns
from ..compiled.interrupts import cut_short
from ..core.integers import Int
from ..worlds.interface import NO_STATE, hopeless, is_goal, number_of, successors, tell, tell_generated, touch
from .budget import Allowance
from .hot_queue import HotMemory, grown, room
from .listener import CLOSE, EXPAND
from .open_list import FIRST, NOBODY, Open, push, remove, surface
from .orders import expands_once, in_turn, priority, regards_cost
from .state import EXPANDED, FOUND, NO_MARK, RUNNING, UNREACHABLE, SearchState
from .types import AnyOrder, CompiledWorld, Nodes

_CROWDED = 3  # the open list needs more memory
GLANCE = 4  # expansions between two looks at the clock: it costs 25 ns, the first touch of a page of nodes 1,600


@compiled
def advance_within(search: SearchState, expansions: int, deadline: int, virtual: int) -> int:
    """Call `advance` from Python, with the allowance as three numbers."""
    return advance(search, Allowance(expansions, deadline, virtual))


@compiled
def advance(search: SearchState, allowance: Allowance) -> int:
    """Continue within the allowance of expansions, real time and virtual time."""
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
def make_room(search: SearchState) -> None:
    """Get more memory for the open list, or for the list of expanded states."""
    if len(search.closed) and search.expansions == len(search.closed):
        search.closed = resized(search.closed, 2 * len(search.closed))
    else:
        search.memory = grown(search.memory)


@compiled
def _expand(search: SearchState, last_expansion: int, deadline: int, virtual_end: int) -> int:
    """Expand states, best first, until a limit or the end of the search."""
    world, nodes = borrow_field(search, "world"), borrow_field(search, "nodes")
    memory, closed = borrow_field(search, "memory"), borrow_field(search, "closed")
    number, branching, queue, order = search.number, search.branching, search.queue, borrow_field(search, "order")
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
    world: CompiledWorld,
    nodes: Nodes,
    memory: HotMemory,
    queue: Open,
    number: int,
    finished: int,
    state: Int,
    order: AnyOrder,
    generated: int,
    reached: int,
) -> tuple[Any, int, int]:
    """Open every successor whose f falls through `state`; return queue, generated and reached."""
    g, parent = nodes[state].g, np.int64(nodes[state].parent)
    tell(world, EXPAND, state, parent, g, 0)
    for given, cost in successors(world, state):
        successor = number_of(world, given, state, cost)
        generated += 1
        if successor == NO_STATE:
            break
        if successor == parent:  # it is never cheaper: skip it
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
        f, turn = priority(order, world, through, successor), in_turn(order, queue.order + 1, successor)
        queue = push(memory, queue, f, rank, successor, turn)
        tell_generated(world, successor, state, through)
    return queue, generated, reached


@compiled
def best_open(search: SearchState) -> int:
    """Return the state to be expanded next, or -1 if none is open."""
    search.queue = surface(borrow_field(search, "memory"), search.queue, borrow_field(search, "nodes"))
    best: Any = search.queue.hand.state
    return best
