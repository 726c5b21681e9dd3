"""How many moves ahead LRTA* should look in each region: the other half of D LRTA* (Bulitko et al. 2008).

The depth of a pair of regions is the least at which LRTA*, before learning anything, makes an optimal move from the
representative of the first region: one that begins a cheapest path to the representative of the goal's. If no depth up
to `MOST_DEPTH` does, it is the least one with the best move.
"""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled
from ..compiled.clock import NEVER
from ..compiled.interrupts import ROUNDS, breathe
from ..core.integers import Int
from ..search.allowance import UNLIMITED
from ..search.breadth_first import look_within
from ..search.open_list import NOBODY
from ..search.orders import Order
from ..search.paths import first_move, to_the_end
from ..search.queries import idle_search
from ..search.state import begin
from ..search.ties import FIXED
from ..worlds.interface import aimed
from .regions import NOBODYS, RegionSubgoals

MOST_DEPTH = 15  # moves: expands up to 29 x 29 states, within the 1,000 per move of the TBA* paper's experiments


def depths_of(table: RegionSubgoals, goal: int) -> np.ndarray:
    """Return how many moves to look ahead in every region, if the goal is in region `goal`."""
    subgoals, order = table.row(goal).subgoals, Order.by_cost(table.world)
    target = table.world.compiled(NOBODYS)
    with idle_search(table.world, target, order) as search, idle_search(table.world, target, order) as local:
        begin(search, target, int(table.representatives[goal]), order)
        return best_depths(search, local, order, table.representatives, subgoals)


@compiled
def best_depths(search: Any, local: Any, order: Any, representatives: np.ndarray, subgoals: np.ndarray) -> np.ndarray:
    """Compute the depths; the search has begun at the representative of the goal's region, `local` looks ahead."""
    to_the_end(search)
    depths = np.ones(len(representatives), np.int64)
    for region in range(len(depths)):
        if subgoals[region] >= 0:
            middle = np.int64(representatives[region])
            depths[region] = best_depth(search, local, order, middle, np.int64(subgoals[region]))
        breathe(ROUNDS // 16 * (region + 1))
    breathe(0)  # an interrupted search did not look far enough
    return depths


@compiled
def best_depth(search: Any, local: Any, order: Any, state: Int, subgoal: Int) -> int:
    """Return the least depth at which the first move toward the subgoal is the best that any depth finds."""
    world, costs = aimed(search.world, subgoal), borrow_field(search, "nodes")
    best, least = 1, NEVER
    for depth in range(1, MOST_DEPTH + 1):
        begin(local, world, state, order)
        seen = look_within(local, state, depth, NEVER, UNLIMITED, FIXED)
        if seen.state == NOBODY:
            break
        move = first_move(local, seen.state)
        regret = borrow_field(local, "nodes")[move].g + costs[move].g - costs[state].g
        if regret < least:
            best, least = depth, regret
        if least == 0:
            break
    return best
