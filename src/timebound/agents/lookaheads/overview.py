"""LRTA* on an abstract map: the first decision of PR LRTA*.

Lookaheads of more than one move can lead LRTA* in circles without any rise of h. So when an abstract state is visited
a second time since h last rose, the agent leaves it with a lookahead of one move, which cannot cycle.
"""

from typing import Any

import numpy as np

from ...compiled import borrow_field, compiled, mutable
from ...compiled.clock import NEVER
from ...core.integers import Int
from ...search.breadth_first import look_within
from ...search.learning import RISES, learn
from ...search.state import begin
from ...subgoals.abstraction import NO_REGION

Overview = mutable(
    __name__,
    "Overview",
    [
        "world",  # the abstract map, aimed at the goal's region, with what was learned
        "search",  # for the lookaheads there
        "visited",  # for every abstract state, the sum of all rises of h when it was last visited, plus 1
        "regions",  # the region of every state of the map
        "region",  # where the abstract move leads
        "everywhere",  # does the current search cover the whole map?
        "freer",  # has the map become freer since it was abstracted?
    ],
)


@compiled
def new_overview(world: Any, search: Any, visited: np.ndarray, regions: np.ndarray, freer: bool) -> Any:
    """Make the overview of an agent that has not begun."""
    return Overview(world, search, visited, regions, NO_REGION, False, freer)


@compiled
def next_region(overview: Any, region: Int, most: int, order: Any, allowance: Any, ties: Any) -> Int:
    """Do one step of LRTA* on the abstract map: look ahead, learn, return the first move."""
    search = overview.search
    world = borrow_field(overview, "world")
    now = world.tally[RISES] + 1
    depth = 1 if overview.visited[region] == now else most
    overview.visited[region] = now
    begin(search, overview.world, region, order)
    best = look_within(search, region, depth, NEVER, allowance, ties)
    learn(world, region, best.f)
    following = np.int64(best.state)
    nodes = borrow_field(search, "nodes")
    while nodes[following].parent != region:
        following = np.int64(nodes[following].parent)
    return following
