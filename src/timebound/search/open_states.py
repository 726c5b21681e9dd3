"""All open states of a search, which learning rules start from."""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled, inlined, resized
from ..compiled.clock import NEVER
from ..worlds.interface import heuristic
from .heap import NOBODY, stale
from .hot_queue import entry_at, places


@inlined
def is_open(entry: Any, nodes: Any, number: int) -> bool:
    """Is this entry of an open list the valid one for its state?"""
    return entry.state != NOBODY and not stale(entry, nodes) and nodes[entry.state].search == number


@compiled
def open_states(search: Any) -> np.ndarray:
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
def least_f(search: Any) -> int:
    """Return the least g + h of all open states: no path to the goal through this search is cheaper."""
    world, nodes, least = borrow_field(search, "world"), borrow_field(search, "nodes"), NEVER
    for state in open_states(search):
        least = min(least, nodes[state].g + heuristic(world, np.int64(state)))
    return least
