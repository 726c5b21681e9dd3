"""Hill-climbing: can a state be reached greedily, without learning? (kNN LRTA* paper, Figure 7.)

A climb chooses every step like LRTA* with a lookahead of one move, ties included. So if a climb arrives, LRTA* takes
the same path, and visits no state twice (Theorem 5 there).

The paper ends a climb where no neighbour has a lower h. We end it where the step itself does not lower h. With the
octile distance this is the same, because the best step always lowers h if any does; with other heuristics a climb that
only looks at its neighbours could cycle.
"""

from typing import Any

import numpy as np

from ..compiled import compiled
from ..core.integers import Int
from ..search.one_step import best_step
from ..search.open_list import NOBODY
from ..worlds.interface import aimed, heuristic

NO_WAY = -1


@compiled
def climb(world: Any, start: Int, target: Int, cap: int) -> tuple[int, int]:
    """Return the cost of the climb from `start` to `target` (NO_WAY: it does not arrive), and its number of steps.

    It gives up after `cap` steps: an agent must stay within constant time per move. `world` is borrowed, and may
    have any goal.
    """
    around = aimed(world, target)
    state, cost, steps, h = start, 0, 0, heuristic(around, start)
    while state != target:
        if steps == cap:
            return NO_WAY, steps
        best, _ = best_step(around, state)
        if best.state == NOBODY:
            return NO_WAY, steps
        lower = heuristic(around, best.state)
        if lower >= h:
            return NO_WAY, steps
        cost += best.f - lower
        state, h = np.int64(best.state), lower
        steps += 1
    return cost, steps


@compiled
def reachable(world: Any, start: Int, target: Int, cap: int) -> bool:
    """Does the climb arrive?"""
    return climb(world, start, target, cap)[0] != NO_WAY
