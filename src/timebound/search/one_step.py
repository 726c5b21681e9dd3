"""A lookahead of one move: how LRTA*, its descendants and hill-climbing decide."""

from typing import Any

from ..compiled import inlined
from ..core.integers import Int
from ..worlds.interface import NO_STATE, heuristic, is_goal, number_of, successors
from .open_list import EMPTY, FIRST, Entry, before
from .orders import FIXED, in_turn
from .types import CompiledWorld, Ties


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
