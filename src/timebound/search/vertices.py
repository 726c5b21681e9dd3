"""What D* Lite remembers about a state: g, rhs, and its place in the queue."""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled, inlined
from ..core.integers import Int

INFINITE = 1 << 60
ABSENT = -1  # the first key of a state that is not in the queue
# An unvisited state has g = rhs = infinity and is not in the queue. `seen` is the search's number if the state was
# visited. So the memory may be new, all zeros, or may come from searches with lower numbers.
VERTEX = np.dtype([("g", np.int64), ("rhs", np.int64), ("key", np.int64), ("rank", np.int64), ("seen", np.int64)])
VERTEX_BYTES = VERTEX.itemsize


@inlined
def vertex(vertices: Any, number: int, state: Int) -> Any:
    """Return what is remembered about a state, from its first visit by the search with that number on."""
    entry = vertices[state]
    if entry.seen != number:
        entry.g = INFINITE
        entry.rhs = INFINITE
        entry.key = ABSENT
        entry.seen = number
    return entry


@compiled
def vertices_reached(search: Any) -> np.ndarray:
    """Return the g of every state, -1 where it is infinite."""
    vertices = borrow_field(search, "vertices")
    costs = np.full(len(vertices), -1, np.int64)
    for state in range(len(costs)):
        if vertices[state].seen == search.number and vertices[state].g < INFINITE:
            costs[state] = vertices[state].g
    return costs
