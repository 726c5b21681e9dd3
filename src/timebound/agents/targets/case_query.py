"""Which subgoals? What kNN LRTA* asks its case base, and what it makes of the answer (sections 5 and 6 of its paper).

The base may be the paper's (the record whose ends are most similar to the problem) or one of even coverage, in which a
way is looked for from record to record (`subgoals.covered`). What follows is the same for both: a list of subgoals, the
goal last.
"""

from typing import Any

import numpy as np

from ...compiled import borrow, borrow_field, compiled
from ...integers import Int
from ...search.allowance import late
from ...search.best_first import FOUND, RUNNING, advance, begin, best_open
from ...search.clock import NEVER, virtual_ns
from ...search.orders import Order
from ...search.paths import begin_trace, trace
from ...subgoals import kd_tree
from ...subgoals.covered import Regions
from ...subgoals.hill_climbing import NO_WAY
from ...worlds.interface import aimed
from ..walk import NOWHERE
from .guide import (
    AT_GOAL,
    AT_START,
    BEGINNING,
    FOLLOWING,
    FOREVER,
    ON_THE_WAY,
    append,
    append_record,
    can_climb,
    cost_of_climb,
    fail,
    set_out,
)
from .quest import aim_at

NEIGHBOURS = 8  # of a state of the map, as the virtual clock counts those of a climb


@compiled
def choose(target: Any, body: Any, allowance: Any) -> bool:
    """Choose subgoals, within the limits; is a target there? If not, the next interval goes on."""
    guide = target.guide
    climbed = body.trace_steps
    while guide.stage != FOLLOWING:
        if guide.stage == BEGINNING:
            ask(target, body)
        elif guide.stage == ON_THE_WAY:
            if not find_way(target, body, allowance):
                return False
        elif guide.tried < guide.candidates:
            look_at_next(target, body)
        else:
            after_candidates(target, body)
        steps = body.trace_steps - climbed
        if virtual_ns(steps, NEIGHBOURS * steps, 0) >= allowance.virtual or late(allowance):
            return guide.stage == FOLLOWING
    return True


@compiled
def ask(target: Any, body: Any) -> None:
    """The goal, if it can be climbed to (the first enhancement); else the base has to say something."""
    guide = target.guide
    guide.count = guide.tried = guide.candidates = 0
    if target.goal_first and can_climb(target, body, body.position, body.goal):
        guide.stage, guide.quota = FOLLOWING, FOREVER
        aim_at(guide.quest, body.goal)
    else:
        guide.stage = AT_START
        guide.regions.ends[:] = 0
        query(target, body, body.position, body.goal)


@compiled
def query(target: Any, body: Any, first: int, second: int) -> None:
    """The records, or the regions, that are nearest to these cells."""
    guide = target.guide
    tree, found = borrow(target.cases.tree), borrow_field(guide, "found")
    most = min(target.candidates, len(tree.rows))
    about = kd_tree.about(borrow_field(body, "world").world, first, second)
    if target.kd_tree:
        guide.candidates = kd_tree.search(tree, about, found, most)
    else:
        guide.candidates = kd_tree.scan(tree, about, found, most)
    guide.tried = 0


@compiled
def look_at_next(target: Any, body: Any) -> None:
    """Can the next candidate be made use of? (Figure 8, line 4.)"""
    guide = target.guide
    item = np.int64(guide.found.items[guide.tried])
    guide.tried += 1
    if len(target.cases.seeds):
        look_at_region(target, body, item)
        return
    begins, ends = np.int64(target.cases.first[item]), np.int64(target.cases.first[item + 1]) - 1
    start, end = np.int64(target.cases.states[begins]), np.int64(target.cases.states[ends])
    if can_climb(target, body, body.position, start) and can_climb(target, body, end, body.goal):
        append_record(target, item, 0)
        append(guide, body.goal)
        set_out(target, body)


@compiled
def look_at_region(target: Any, body: Any, region: Int) -> None:
    """Can a region be where the way begins, or where it ends?"""
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
    """The way may begin there."""
    regions.entries[regions.ends[0]], regions.entry_costs[regions.ends[0]] = region, cost
    regions.ends[0] += 1


@compiled
def add_exit(regions: Any, region: Int) -> None:
    """The way may end there."""
    regions.exits[regions.ends[1]] = region
    regions.ends[1] += 1
    regions.ends[2] |= np.int64(1) << (region & 63)


@compiled
def after_candidates(target: Any, body: Any) -> None:
    """All candidates have been looked at: no record will do, or it is known which regions will.

    If climbs connect with none of the regions, the nearest is taken all the same: LRTA* has to learn a little there,
    less than on its way to a far goal. But only once.
    """
    guide = target.guide
    if len(target.cases.seeds) == 0:
        fail(target, body)
        return
    none = guide.regions.ends[0 if guide.stage == AT_START else 1] == 0
    if none and (guide.failures or guide.candidates == 0):
        fail(target, body)
    elif guide.stage == AT_START:
        guide.doubtful = none
        if none:
            add_entry(guide.regions, np.int64(guide.found.items[0]), guide.found.distances[0])
        guide.stage = AT_GOAL
        query(target, body, body.goal, body.goal)
    else:
        if none:
            add_exit(guide.regions, np.int64(guide.found.items[0]))
        begin_way(target, body)


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
    """Search on, from region to region; is the search over?"""
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
    """The record that leads from one region to another; there is one."""
    for record in range(np.int64(cases.leaving[region]), np.int64(cases.leaving[region + 1])):
        if cases.arriving[record] == other:
            return record
    return NOWHERE
