"""The lookahead of LRTA*: one move; or everything within a number of moves, or a cost, of a state, nearest first."""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled, inlined
from ..compiled.clock import NEVER, virtual_ns
from ..compiled.interrupts import cut_short
from ..core.integers import Int
from ..worlds.interface import NO_STATE, heuristic, is_goal, number_of, successors, tell
from .best_first import GLANCE, expand, make_room
from .budget import Allowance
from .listener import CLOSE
from .open_list import EMPTY, FIRST, NOBODY, Entry, before, remove, room, surface
from .orders import FIXED, Order, in_turn
from .state import NO_MARK, SearchState
from .types import CompiledWorld, Nodes, Ties

BY_COST = Order(1, 0, False, 0)


@inlined
def best_step(world: CompiledWorld, state: Int) -> tuple[Any, int]:
    """Return the successor with the least cost + h, as an entry, and the number of successors; ties as usual."""
    return best_choice(world, state, FIXED)


@inlined
def best_choice(world: CompiledWorld, state: Int, ties: Ties) -> tuple[Any, int]:
    """Return the same, with ties broken by `ties`."""
    best, count = EMPTY, 0
    for given, cost in successors(world, state):
        successor = number_of(world, given, state, cost)
        if successor == NO_STATE:
            break
        count += 1
        rank = FIRST if is_goal(world, successor) else cost
        seen = Entry(cost + heuristic(world, successor), rank, successor, in_turn(ties, count, successor))
        if before(seen, best):
            best = seen
    return best, count


@compiled
def look_within(search: SearchState, root: Int, depth: int, cost_limit: int, allowance: Allowance, ties: Ties) -> Entry:
    """Expand what lies within the limits; return the best state outside, as an entry.

    Its f is the largest g + h on the path to it (pathmax): values learned for states within count too. So f is above
    the h of the root, which then rises, or the first move leads to a state whose h is lower by its cost: no agent that
    learns from it and makes that move can walk in circles.

    The search must have begun at `root`, in the order of g. A state is within if its cheapest path has fewer than
    `depth` moves and all of its own moves stay within the cost limit. The allowance may end it earlier: the frontier is
    then what has not been expanded by then. No path to the goal avoids it.
    """
    best = EMPTY
    while True:
        crowded, best = _look(search, best, root, depth, cost_limit, allowance, ties)
        if not crowded:
            return best
        make_room(search)


@compiled
def _look(
    search: SearchState, best: Any, root: Int, depth: int, cost_limit: int, allowance: Allowance, ties: Ties
) -> tuple[bool, Entry]:
    world, nodes, memory = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "memory")
    number, branching, queue = search.number, search.branching, search.queue
    expansions, generated, reached = search.expansions, search.generated, search.reached
    crowded, late = False, False
    while not crowded:
        queue = surface(memory, queue, nodes)
        state, rank, order = queue.hand.state, queue.hand.rank, queue.hand.order
        if state == NOBODY:
            break
        crowded = room(memory, queue.store) <= branching
        if crowded:
            break
        queue = remove(queue)
        if state != root and (late or not within(world, nodes, state, depth, cost_limit, branching)):
            seen = Entry(value_of(world, nodes, state), rank, state, in_turn(ties, order, state))
            if before(seen, best):
                best = seen
            tell(world, CLOSE, state, NO_STATE, nodes[state].g, 0)
            continue
        expansions += 1
        queue, generated, reached = expand(
            world, nodes, memory, queue, number, NO_MARK, state, BY_COST, generated, reached
        )
        late = expansions >= allowance.expansions or virtual_ns(expansions, generated, queue.order) >= allowance.virtual
        late = late or cut_short(expansions, GLANCE, allowance.deadline)
    search.queue = queue
    search.expansions, search.generated, search.reached = expansions, generated, reached
    return crowded, best


@inlined
def value_of(world: CompiledWorld, nodes: Nodes, state: Int) -> int:
    """Return the known lower bound on the cost of a path to the goal through this state."""
    value = nodes[state].g + heuristic(world, state)
    while nodes[state].parent != state:
        state = np.int64(nodes[state].parent)
        value = max(value, nodes[state].g + heuristic(world, state))
    return value


@inlined
def within(world: CompiledWorld, nodes: Nodes, state: Int, depth: int, cost_limit: int, branching: int) -> bool:
    """May this state be expanded?"""
    if is_goal(world, state):
        return False
    if depth != NEVER:
        moves, ancestor = 0, state
        while nodes[ancestor].parent != ancestor:
            ancestor = np.int64(nodes[ancestor].parent)
            moves += 1
        return moves < depth
    highest_cost, count = 0, 0
    for _, cost in successors(world, state):
        highest_cost, count = max(highest_cost, cost), count + 1
        if count > branching:  # these moves may never end; the fault is found when the state is expanded
            return True
    return nodes[state].g + highest_cost <= cost_limit
