"""Where costs have fallen, learned h-values may be too high: lower them until h is consistent again.

This is the procedure of Generalized Adaptive A* (Sun, Koenig and Yeoh 2008): Dijkstra's algorithm from the states whose
moves became cheaper, back over those whose h is larger than the cost of a move plus the h of its end. Only states whose
h falls, and their predecessors, are touched.
"""

import numpy as np

from ..compiled import borrow, compiled, inlined, resized
from ..compiled.interrupts import due, interrupted
from ..core.integers import Int
from ..worlds.interface import NO_STATE, heuristic, is_goal, number_of, predecessors, successors, tell, touch
from .heap import rise, sink
from .learning import Learned
from .listener import RAISE
from .open_list import ENTRY, Entry
from .types import CompiledWorld, Nodes

MOST = 1 << 12  # the most states to lower under a clock: more would take longer than a short interval
HIGH = 1 << 61  # above every h


@compiled
def restore_consistency(
    world: Learned, nodes: np.ndarray, states: np.ndarray, count: int, weight: int, most: int
) -> bool:
    """Lower h where one of the first `count` states, or a move to it, violates h(s) <= weight * c(s, t) + h(t).

    The world has learned values. Those that `touch` computes only when they are needed are in `nodes`, if there
    are any. Return whether it is done; not if more than `most` states would have to be lowered, or Ctrl-C was pressed.
    """
    lent, memory = borrow(world), borrow(nodes)
    owned, size, lowered = np.empty(256, ENTRY), 0, 0
    for i in range(count):
        state = np.int64(states[i])
        allowed = most_allowed(lent, memory, state, weight)
        if allowed < full_heuristic(lent, memory, state):
            if size == len(owned):
                owned = resized(owned, 2 * size)
            size = rise(borrow(owned), size, Entry(allowed, 0, state, i))
    while size:
        heap = borrow(owned)
        value, state = heap[0].f, np.int64(heap[0].state)
        size = sink(heap, size)
        if value >= heuristic(lent, state):
            continue
        tell(lent, RAISE, state, NO_STATE, heuristic(lent, state), value)
        lent.h[state] = lent.base + value
        if len(memory):
            memory[state].search = 0  # what an earlier search found about it is void
        lowered += 1
        if lowered > most or (due(lowered) and interrupted()):
            return False
        for given, cost in predecessors(lent, state):
            other = number_of(lent, given, state, cost)
            if value + weight * cost < full_heuristic(lent, memory, other) and not is_goal(lent, other):
                if size == len(owned):
                    owned = resized(owned, 2 * size)
                size = rise(borrow(owned), size, Entry(value + weight * cost, 0, other, lowered))
    return True


@inlined
def full_heuristic(world: CompiledWorld, nodes: Nodes, state: Int) -> int:
    """Return h, including the part that is computed only when needed."""
    if len(nodes):
        touch(world, state, np.int64(nodes[state].search), nodes[state].g)
    return heuristic(world, state)


@inlined
def most_allowed(world: CompiledWorld, nodes: Nodes, state: Int, weight: int) -> int:
    """Return the largest h that is consistent with those of the successors."""
    allowed = HIGH
    if is_goal(world, state):
        return 0
    for given, cost in successors(world, state):
        successor = number_of(world, given, state, cost)
        if successor == NO_STATE:
            break
        allowed = min(allowed, weight * cost + full_heuristic(world, nodes, successor))
    return allowed
