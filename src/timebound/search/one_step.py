"""A lookahead of one move: how LRTA*, its descendants and hill-climbing decide."""

from typing import Any

from ..compiled import inlined
from ..integers import Int
from ..worlds.interface import NO_STATE, heuristic, is_goal, number_of, successors
from .open_list import EMPTY, FIRST, Entry, before


@inlined
def best_step(world: Any, state: Int) -> tuple[Any, int]:
    """Return the successor with the least cost + h, as an entry, and the number of successors; ties as usual."""
    best, count = EMPTY, 0
    for given, cost in successors(world, state):
        successor = number_of(world, given, state, cost)
        if successor == NO_STATE:
            break
        count += 1
        rank = FIRST if is_goal(world, successor) else cost
        seen = Entry(cost + heuristic(world, successor), rank, successor, count)
        if before(seen, best):
            best = seen
    return best, count
