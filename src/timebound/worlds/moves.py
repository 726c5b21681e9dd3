"""Single moves, and walks made of them."""

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..core.integers import Int
from .interface import NO_STATE, CompiledWorld, number_of, successors

IMPOSSIBLE = -1


@inlined
def price_of(world: CompiledWorld, state: Int, successor: Int) -> int:
    """Return the cost of the move, the cheapest if there are several; IMPOSSIBLE if there is none."""
    best = IMPOSSIBLE
    for given, cost in successors(world, state):
        found = number_of(world, given, state, cost)
        if found == NO_STATE:
            break
        if found == successor and (best == IMPOSSIBLE or cost < best):
            best = cost
    return best


@compiled
def prices_of(world: CompiledWorld, walk: np.ndarray) -> np.ndarray:
    """Return the cost of every step of a walk; IMPOSSIBLE where there is no such move."""
    lent, prices = borrow(world), np.empty(max(0, len(walk) - 1), np.int64)
    for i in range(len(prices)):
        prices[i] = price_of(lent, np.int64(walk[i]), np.int64(walk[i + 1]))
    return prices
