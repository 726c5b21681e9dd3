"""Ways from region to region: how kNN LRTA* uses a case base of even coverage (`subgoals.covered`).

The base has a record between neighbouring regions; a search over regions joins such records.
"""

from typing import Any

import numpy as np

from ....compiled import compiled
from ....compiled.clock import NEVER
from ....core.integers import Int
from ....search.best_first import advance, best_open
from ....search.orders import Order
from ....search.paths import begin_trace, trace
from ....search.state import FOUND, RUNNING, begin
from ....subgoals.covered import Regions
from ....subgoals.hill_climbing import NO_WAY
from ....worlds.interface import aimed
from ...journey import NOWHERE
from .guide import AT_START, ON_THE_WAY, append, append_record, can_climb, cost_of_climb, fail, set_out


@compiled
def look_at_region(target: Any, body: Any, region: Int) -> None:
    """Can the way begin or end in this region?"""
    guide = target.guide
    seed = np.int64(target.cases.seeds[region])
    if guide.stage == AT_START:
        cost = cost_of_climb(target, body, body.position, seed)
        if cost != NO_WAY:
            add_entry(guide.regions, region, cost)
    elif can_climb(target, body, seed, body.goal):
        add_exit(guide.regions, region)


@compiled
def add_entry(regions: Any, region: Int, cost: int) -> None:
    """Note that the way may begin there."""
    regions.entries[regions.ends[0]], regions.entry_costs[regions.ends[0]] = region, cost
    regions.ends[0] += 1


@compiled
def add_exit(regions: Any, region: Int) -> None:
    """Note that the way may end there."""
    regions.exits[regions.ends[1]] = region
    regions.ends[1] += 1
    regions.ends[2] |= np.int64(1) << (region & 63)


@compiled
def begin_way(target: Any, body: Any) -> None:
    """Begin to search for a way over regions."""
    guide = target.guide
    guide.stage = ON_THE_WAY
    known, grid = guide.regions, aimed(body.world.world, body.goal)
    graph = Regions(known.cases, grid, known.entries, known.entry_costs, known.exits, known.ends, known.listener)
    begin(guide.route, graph, len(target.cases.seeds), Order(1, 1, False, target.shift))


@compiled
def find_way(target: Any, body: Any, allowance: Any) -> bool:
    """Continue the search from region to region; return whether it is over."""
    guide = target.guide
    route, done = guide.route, guide.route.expansions
    outcome = advance(route, allowance)
    body.expansions += route.expansions - done
    if outcome == RUNNING:
        return False
    if outcome != FOUND:
        fail(target, body)
        return True
    begin_trace(route, best_open(route))
    trace(route, NEVER)
    # The trail begins at the last region, and ends with the first and where the agent is.
    region = np.int64(route.trail[route.traced - 2])
    append(guide, np.int64(target.cases.seeds[region]))
    for i in range(route.traced - 3, -1, -1):
        following = np.int64(route.trail[i])
        append_record(target, record_between(target.cases, region, following), 1)
        region = following
    append(guide, body.goal)
    set_out(target, body)
    return True


@compiled
def record_between(cases: Any, region: Int, other: Int) -> int:
    """Return the record that leads from one region to another; it exists."""
    for record in range(np.int64(cases.leaving[region]), np.int64(cases.leaving[region + 1])):
        if cases.arriving[record] == other:
            return record
    return NOWHERE
