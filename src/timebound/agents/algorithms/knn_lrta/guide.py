"""From subgoal to subgoal of a case: what the agent must pass, and how it continues.

A climb (`hill_climbing`) shows in advance that LRTA* will reach a state without learning.
"""

from typing import Any

import numpy as np

from ....compiled import borrow_field, compiled, mutable, resized
from ....core.integers import Int
from ....search.open_list import NOBODY
from ....subgoals.hill_climbing import NO_WAY, climb
from ....worlds.interface import heuristic
from ..quest import aim_at

# What an agent is doing: heading for its target, or choosing one, which may take several intervals.
FOLLOWING, BEGINNING, AT_START, AT_GOAL, ON_THE_WAY = 0, 1, 2, 3, 4
FOREVER = -1  # as a quota

Guide = mutable(
    __name__,
    "Guide",
    [
        "subgoals",  # that the agent must pass, its goal last
        "count",  # how many there are
        "place",  # of the target among them
        "quota",  # what the path to the goal may still cost before the base is queried again, or FOREVER
        "failures",  # of the base to offer anything
        "doubtful",  # does no climb lead to the first subgoal?
        "left",  # the state that the last decision was made in
        "expected",  # and the one that it led to
        "changed",  # has the agent learned that the map differs from the one that the base was built for?
        "stage",  # FOLLOWING, or the stage of choosing a target
        "candidates",  # how many the query has found
        "tried",  # of them so far
        "found",  # the candidates
        "route",  # the search over regions
        "regions",  # and its world
        "quest",  # LRTA* toward one of the subgoals
    ],
)


@compiled
def new_guide(found: Any, route: Any, regions: Any, quest: Any) -> Any:
    """Make the guide of an agent that has not queried anything yet."""
    subgoals = np.empty(16, np.int32)
    where = (FOREVER, 0, False, NOBODY, NOBODY, False)
    return Guide(subgoals, 0, 0, *where, BEGINNING, 0, 0, found, route, regions, quest)


@compiled
def can_climb(target: Any, body: Any, start: Int, end: Int) -> bool:
    """Does a climb lead there?"""
    return cost_of_climb(target, body, start, end) != NO_WAY


@compiled
def cost_of_climb(target: Any, body: Any, start: Int, end: Int) -> int:
    """Return the cost of a climb, or NO_WAY; its steps are counted."""
    cost, steps = climb(borrow_field(body, "world").world, start, end, target.cap)
    body.trace_steps += steps
    return cost


@compiled
def proceed(target: Any, body: Any) -> None:
    """Go on to the next subgoal, or beyond: the target is reached."""
    guide = target.guide
    place, last = guide.place + 1, guide.count - 1
    if target.skip_end and place == last - 1 and can_climb(target, body, body.position, body.goal):
        place = last  # the third enhancement
    if target.shortcuts:
        while place < last and can_climb(target, body, body.position, np.int64(guide.subgoals[place + 1])):
            place += 1
    guide.place, guide.quota = place, FOREVER
    aim_at(guide.quest, np.int64(guide.subgoals[place]))
    if guide.changed and not can_climb(target, body, body.position, guide.quest.target):
        fail(target, body)


@compiled
def set_out(target: Any, body: Any) -> None:
    """Start with the subgoals: head for the first of them, or the one after it."""
    guide = target.guide
    guide.place, guide.stage, guide.quota = 0, FOLLOWING, FOREVER
    second = np.int64(guide.subgoals[1])
    if target.skip_start and can_climb(target, body, body.position, second):
        guide.place = 1  # the second enhancement
    aim_at(guide.quest, np.int64(guide.subgoals[guide.place]))
    if guide.quest.target == body.position:
        proceed(target, body)
    elif guide.doubtful and guide.place == 0:
        guide.quota = quota_to_target(target, body)


@compiled
def fail(target: Any, body: Any) -> None:
    """Head for the goal without subgoals; the first time only as far as the quota allows (the sixth enhancement)."""
    guide = target.guide
    guide.failures += 1
    guide.stage, guide.count = FOLLOWING, 0
    aim_at(guide.quest, body.goal)
    guide.quota = FOREVER
    if target.interrupt and guide.failures == 1:
        guide.quota = quota_to_target(target, body)


@compiled
def quota_to_target(target: Any, body: Any) -> int:
    """Return what the path to the target may cost where no climb leads to it."""
    guide = target.guide
    h = heuristic(borrow_field(guide.quest, "world"), body.position)
    return max(1, h * target.quota[0] // target.quota[1])


@compiled
def append(guide: Any, state: Int) -> None:
    """Add a subgoal."""
    if guide.count == len(guide.subgoals):
        guide.subgoals = resized(guide.subgoals, 2 * guide.count)
    guide.subgoals[guide.count] = state
    guide.count += 1


@compiled
def append_record(target: Any, record: Int, skipped: int) -> None:
    """Add the states of a record, except the first `skipped`."""
    guide = target.guide
    first = target.cases.first
    for i in range(np.int64(first[record]) + skipped, np.int64(first[record + 1])):
        append(guide, np.int64(target.cases.states[i]))
