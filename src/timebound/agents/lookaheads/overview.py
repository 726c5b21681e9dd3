"""LRTA* on an abstract map: what PR LRTA* decides before it looks at the real one.

Lookaheads of more than one move can lead LRTA* in circles without any h rising. So an abstract state that is visited a
second time since h last rose is left by a lookahead of one move, which cannot.
"""

from typing import Any

import numpy as np

from ...compiled import borrow_field, compiled, mutable
from ...integers import Int
from ...search.breadth_first import look_within
from ...search.clock import NEVER
from ...search.learning import RISES, learn
from ...search.state import begin
from ...subgoals.abstraction import NO_REGION

Overview = mutable(
    __name__,
    "Overview",
    [
        "world",  # the abstract map, aimed at the goal's region, with what was learned
        "search",  # of the lookaheads there
        "visited",  # for every abstract state the sum of all rises of h when it was last visited, plus 1
        "regions",  # of every state of the map
        "region",  # where the abstract move leads
        "everywhere",  # is the present search one of the whole map?
        "freer",  # has the map become freer than it was when it was abstracted?
    ],
)


@compiled
def new_overview(world: Any, search: Any, visited: np.ndarray, regions: np.ndarray) -> Any:
    """Of an agent that has not begun."""
    return Overview(world, search, visited, regions, NO_REGION, False, False)


@compiled
def next_region(overview: Any, region: Int, most: int, order: Any, allowance: Any, ties: Any) -> Int:
    """One step of LRTA* on the abstract map: look ahead, learn, return the first move."""
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
