"""LRTA* toward a goal that may change from move to move: what agents do that follow subgoals.

The kNN LRTA* paper, Figure 1, with a lookahead of one move. Learned values are kept for every goal apart.
"""

from typing import Any

import numpy as np

from ..compiled import borrow, compiled, inlined, mutable
from ..search.goal_tables import new_tables, recalled, remember
from ..search.learning import RISES, UPDATES
from ..search.open_list import EMPTY, FIRST, NOBODY, Entry, before
from ..worlds.interface import aimed, heuristic, is_goal, successors

Quest = mutable(
    __name__,
    "Quest",
    [
        "tables",  # what was learned, for every goal apart
        "world",  # aimed at the present goal
        "target",  # which is this state
    ],
)


@compiled
def new_quest(world: Any, states: int, target: int) -> Any:
    """Nothing learned, and a first goal."""
    return Quest(new_tables(states), world, target)


@compiled
def aim(quest: Any, target: int) -> None:
    """Go there from now on."""
    quest.world, quest.target = aimed(quest.world, target), target


@inlined
def estimate(world: Any, keys: Any, values: Any, first_key: int, state: int) -> int:
    """The heuristic of a state, what was learned included."""
    return max(heuristic(world, state), recalled(keys, values, first_key + state))


@compiled
def pursue(quest: Any, body: Any, owned_world: Any, limit: int) -> bool:
    """Look at the neighbours, learn, decide for the best of them.

    `owned_world` is the quest's own, or one of the same goal with another heuristic. Return False, without a decision,
    if h says that the target is more than `limit` away, or if there is no move.
    """
    tables = quest.tables
    owned_keys, owned_values = tables.keys, tables.values
    world, keys, values = borrow(owned_world), borrow(owned_keys), borrow(owned_values)
    first_key = quest.target * tables.states
    old, best = estimate(world, keys, values, first_key, body.position), EMPTY
    if old > limit:
        return False
    for i, (reached, cost) in enumerate(successors(world, body.position)):
        successor = np.int64(reached)
        rank = FIRST if is_goal(world, successor) else cost
        seen = Entry(cost + estimate(world, keys, values, first_key, successor), rank, successor, i)
        if before(seen, best):
            best = seen
    body.expansions += 1
    if best.state == NOBODY:
        return False
    body.world.tally[UPDATES] += 1
    if best.f > old:
        body.world.tally[RISES] += best.f - old
        remember(tables, first_key + body.position, best.f)
    body.decision = best.state
    return True
