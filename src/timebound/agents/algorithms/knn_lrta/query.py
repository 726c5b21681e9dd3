"""How kNN LRTA* chooses subgoals: its query to the case base, and how it uses the answer (sections 5 and 6).

The base may be the paper's (the record whose ends are most similar to the problem) or one of even coverage, with a
search from record to record (`subgoals.covered`). The result is the same for both: a list of subgoals, the goal last.
"""

from typing import Any

import numpy as np

from ....compiled import borrow, borrow_field, compiled
from ....compiled.clock import virtual_ns
from ....search.allowance import late
from ....subgoals import kd_tree
from ..quest import aim_at
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
    fail,
    set_out,
)
from .ways import add_entry, add_exit, begin_way, find_way, look_at_region

NEIGHBOURS = 8  # of a state of the map, as the virtual clock counts those of a climb


@compiled
def choose(target: Any, body: Any, allowance: Any) -> bool:
    """Choose subgoals, within the limits; return whether there is a target. If not, the next interval continues."""
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
    """Choose the goal, if it can be climbed to (the first enhancement); otherwise query the base."""
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
    """Find the records, or the regions, nearest to these cells."""
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
    """Can the next candidate be used? (Figure 8, line 4.)"""
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
def after_candidates(target: Any, body: Any) -> None:
    """Finish after all candidates: no record is suitable, or the suitable regions are known.

    If no region can be reached by a climb, take the nearest anyway: LRTA* has to learn a little there,
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
