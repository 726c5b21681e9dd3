"""LRTA* toward a goal that may change from move to move: what agents do that follow subgoals.

The kNN LRTA* paper, Figure 1, with a lookahead of one move. Learned values are kept for every goal apart.
"""

from typing import Any

import numpy as np

from ..compiled import borrow, borrow_field, compiled, mutable
from ..integers import Int
from ..search.goal_tables import Toward, remember
from ..search.learning import RISES, UPDATES
from ..search.listener import EXPAND, RAISE, SEARCH, SUBGOAL
from ..search.one_step import best_step
from ..search.open_list import NOBODY
from ..worlds.interface import NO_STATE, aimed, heuristic, tell
from .body import OUT_OF_MEMORY

Quest = mutable(
    __name__,
    "Quest",
    [
        "tables",  # what was learned, for every goal apart
        "era",  # how often all of it was forgotten
        "world",  # aimed at the present goal
        "target",  # which is this state
    ],
)


@compiled
def new_quest(tables: Any, world: Any, target: Int) -> Any:
    """Nothing learned, and a first goal."""
    return Quest(tables, 0, world, target)


@compiled
def aim(quest: Any, target: Int) -> None:
    """Go there from now on."""
    quest.world, quest.target = aimed(quest.world, target), target


@compiled
def forget_all(quest: Any) -> None:
    """A move became cheaper, so that what was learned may overestimate now: it is left under keys of another era."""
    quest.era += 1


@compiled
def pursue(quest: Any, body: Any, owned_world: Any, limit: int) -> bool:
    """Look at the neighbours, learn, decide for the best of them.

    `owned_world` is the quest's own, or one of the same goal with another heuristic. Return False, without a decision,
    if h says that the target is more than `limit` away, or if there is no move.
    """
    goal, believed = quest.target | quest.era << 32, borrow_field(body, "world")
    tell(believed, SUBGOAL, quest.target, NO_STATE, 0, 0)
    world = Toward(borrow(owned_world), borrow_field(quest, "tables"), goal)
    old = heuristic(world, body.position)
    if old > limit:
        return False
    tell(believed, SEARCH, body.position, NO_STATE, 1, 1)
    tell(believed, EXPAND, body.position, NO_STATE, 0, 0)
    best, _ = best_step(world, body.position)
    body.expansions += 1
    if best.state == NOBODY:
        return False
    believed.tally[UPDATES] += 1
    if best.f > old:
        believed.tally[RISES] += best.f - old
        tell(believed, RAISE, body.position, quest.target, old, best.f)
        if not remember(world, body.position, best.f):
            body.stop = OUT_OF_MEMORY
            return True
    body.decision = np.int64(best.state)
    return True
