"""Hill-climbing: can a state be reached greedily, without learning? (kNN LRTA* paper, Figure 7.) And compression by it.

A climb chooses every step like LRTA* with a lookahead of one move, ties included. So if a climb arrives, LRTA* takes
the same path, and visits no state twice (Theorem 5 there).

The paper ends a climb where no neighbour has a lower h. We end it where the step itself does not lower h. With the
octile distance this is the same, because the best step always lowers h if any does; with other heuristics a climb that
only looks at its neighbours could cycle.
"""

import numpy as np

from ..compiled import borrow, compiled
from ..compiled.clock import NEVER
from ..core.integers import Int
from ..search.breadth_first import best_step
from ..search.open_list import NOBODY
from ..worlds.interface import CompiledWorld, aimed, heuristic

NO_WAY = -1


@compiled
def climb(world: CompiledWorld, start: Int, target: Int, cap: int) -> tuple[int, int]:
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
def reachable(world: CompiledWorld, start: Int, target: Int, cap: int) -> bool:
    """Does the climb arrive?"""
    return climb(world, start, target, cap)[0] != NO_WAY


@compiled
def climb_costs(world: CompiledWorld, states: np.ndarray) -> np.ndarray:
    """Return the costs of the climbs from each of these states to the next."""
    costs, around = np.empty(len(states) - 1, np.int64), borrow(world)
    for i in range(len(costs)):
        costs[i], _ = climb(around, np.int64(states[i]), np.int64(states[i + 1]), NEVER)
    return costs


@compiled
def compress(world: CompiledWorld, path: np.ndarray, cap: int) -> np.ndarray:
    """Return the subgoals of a path, including its first and last state (kNN LRTA* paper, Figure 6).

    By binary search: the next subgoal that it finds is reachable, but not always the farthest reachable state,
    because a climb may fail for a state and succeed for one behind it. `world` is borrowed.
    """
    kept, count, last = np.empty(len(path), np.int32), 1, 0
    kept[0] = path[0]
    while last < len(path) - 1:
        following = last + 1  # one move away: reachable, unless travel costs mislead
        low, high = following + 1, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            if reachable(world, np.int64(path[last]), np.int64(path[middle]), cap):
                following, low = middle, middle + 1
            else:
                high = middle - 1
        kept[count] = path[following]
        count += 1
        last = following
    return kept[:count].copy()
