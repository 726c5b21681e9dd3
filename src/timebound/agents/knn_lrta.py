"""kNN LRTA* (Bulitko, Björnsson, Lawrence 2010): LRTA* with one move of lookahead, toward subgoals of solved cases.

An agent asks its base for subgoals that lead to its goal, and goes from one to the next. A climb (`hill_climbing`)
tells beforehand that LRTA* will come there without learning. Where the base has nothing to offer, LRTA* goes for the
goal.

The base may be the paper's (section 6: the record whose ends are most similar to the problem) or one of even coverage,
in which a way is looked for from record to record (`subgoals.covered`). What follows is the same for both: a list of
subgoals, the goal last.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, borrow_field, compiled, mutable, resized
from ..integers import Int
from ..knowledge import News
from ..search.best_first import FOUND, RUNNING, advance, begin, best_open, figures
from ..search.clock import NEVER, now, virtual_ns
from ..search.goal_tables import BYTES, learned_count
from ..search.paths import begin_trace, trace
from ..subgoals import kd_tree
from ..subgoals.covered import Regions
from ..subgoals.hill_climbing import NO_WAY, climb
from ..worlds.interface import aimed, heuristic
from ..worlds.moves import price_of
from .body import NOWHERE, UNREACHABLE, bytes_used, decide, path_ahead, search_number, states_kept
from .prioritised import one_move
from .subgoal import aim, forget_all, pursue

# What an agent is doing: going for its target, or choosing one, which may take several intervals.
FOLLOWING, BEGINNING, AT_START, AT_GOAL, ON_THE_WAY = 0, 1, 2, 3, 4
NEIGHBOURS = 8  # of a state of the map, as the virtual clock counts those of a climb
FOREVER = -1  # as a quota

Guide = mutable(
    __name__,
    "Guide",
    [
        "subgoals",  # that the agent is to pass, its goal last
        "count",  # how many there are
        "place",  # of the target among them
        "quota",  # what the way to the goal may still cost before the base is asked again, or FOREVER
        "failures",  # of the base to offer anything
        "doubtful",  # does no climb lead to the first subgoal?
        "left",  # the state that the last decision was made in
        "expected",  # and the one that it led to
        "changed",  # was the agent told that the map is another one than the base was built for?
        "stage",  # FOLLOWING, or how far the choice of a target is
        "candidates",  # how many the query has found
        "tried",  # of them so far
        "found",  # the candidates
        "route",  # the search over regions
        "regions",  # and its world
        "quest",  # LRTA* toward one of the subgoals
    ],
)


class KnnLrta(NamedTuple):
    """How kNN LRTA* decides."""

    cases: Any
    cap: int  # steps of a climb
    candidates: int  # records, or regions, that are looked at
    quota: tuple[int, int]  # how many times the distance to the goal the agent goes on its own, as a fraction
    # The enhancements of section 6.2, in their order; the fourth is `candidates`.
    goal_first: bool  # ask whether the goal itself can be climbed to, before the base is asked
    skip_start: bool  # leave out the start of a record if what follows can be climbed to
    skip_end: bool  # leave out its end if the goal can be climbed to
    kd_tree: bool  # ask the tree, instead of looking at all records
    interrupt: bool  # ask again when the quota is used up
    shortcuts: bool  # not in the paper: at every subgoal, leave out the following ones that are not needed
    shift: int  # of the open list's buckets in a search over regions
    longest: int  # no path costs more, so a larger h is a proof that there is none


@compiled
def new_guide(found: Any, route: Any, regions: Any, quest: Any) -> Any:
    """An agent that has not asked for anything yet."""
    subgoals = np.empty(16, np.int32)
    where = (FOREVER, 0, False, NOWHERE, NOWHERE, False)
    return Guide(subgoals, 0, 0, *where, BEGINNING, 0, 0, found, route, regions, quest)


@bytes_used.of(KnnLrta)
def _bytes_used(control: Any, body: Any) -> int:
    guide = body.search
    search = figures(guide.route)[3] if guide.route.reached else 0
    return search + 4 * guide.count + 12 * guide.candidates + BYTES * learned_count(guide.quest.tables)


@states_kept.of(KnnLrta)
def _states_kept(control: Any, body: Any) -> int:
    return body.search.count + learned_count(body.search.quest.tables)


@search_number.of(KnnLrta)
def _search_number(control: Any, body: Any) -> int:
    return 0


@path_ahead.of(KnnLrta)
def _path_ahead(control: Any, body: Any) -> np.ndarray:
    return one_move(body)


@decide.of(KnnLrta)
def steer(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """Choose a subgoal if need be (Figure 1, line 3); then one step of LRTA* toward it (lines 4 to 7)."""
    guide, done = body.search, body.expansions
    take_notice(guide, body)
    if guide.stage == FOLLOWING and body.position == guide.quest.target:
        proceed(control, guide, body)
    elif guide.stage == FOLLOWING and guide.quota == 0:
        if guide.quest.target == body.goal:
            guide.stage = BEGINNING
        else:
            fail(control, guide, body)
    if guide.stage != FOLLOWING and not choose(control, guide, body, expansions, deadline, virtual):
        return
    if body.expansions - done < expansions:
        step_toward(control, guide, body)


@compiled
def take_notice(guide: Any, body: Any) -> None:
    """Begin anew if the world, or the agent's place in it, is not what it was."""
    if borrow_field(body, "news").count:
        guide.changed = True
        if borrow_field(body, "news").relief:
            forget_all(guide.quest)
        body.news = News(body.news.states, 0, False)
        guide.expected = NOWHERE
    if body.position != guide.expected and (body.position != guide.left or guide.expected == NOWHERE):
        guide.stage, guide.failures, guide.expected = BEGINNING, 0, body.position


@compiled
def step_toward(control: Any, guide: Any, body: Any) -> None:
    """LRTA*, one move of lookahead."""
    quest = guide.quest
    body.searches += 1
    if pursue(quest, body, quest.world, control.longest):
        guide.left, guide.expected = body.position, body.decision
        if guide.quota != FOREVER and body.decision != NOWHERE:
            guide.quota = max(0, guide.quota - price_of(borrow_field(quest, "world"), body.position, body.decision))
    elif quest.target != body.goal:  # a subgoal of a map that has changed
        fail(control, guide, body)
    else:
        body.stop = UNREACHABLE


# ------------------------------------------------------------------ from subgoal to subgoal


@compiled
def can_climb(control: Any, body: Any, start: Int, target: Int) -> bool:
    """Does a climb lead there?"""
    return cost_of_climb(control, body, start, target) != NO_WAY


@compiled
def cost_of_climb(control: Any, body: Any, start: Int, target: Int) -> int:
    """What a climb costs, or NO_WAY; its steps are counted."""
    cost, steps = climb(borrow_field(body, "world").world, start, target, control.cap)
    body.trace_steps += steps
    return cost


@compiled
def proceed(control: Any, guide: Any, body: Any) -> None:
    """The target is reached: on to the next, or beyond."""
    place, last = guide.place + 1, guide.count - 1
    if control.skip_end and place == last - 1 and can_climb(control, body, body.position, body.goal):
        place = last  # the third enhancement
    if control.shortcuts:
        while place < last and can_climb(control, body, body.position, np.int64(guide.subgoals[place + 1])):
            place += 1
    guide.place, guide.quota = place, FOREVER
    aim(guide.quest, np.int64(guide.subgoals[place]))
    if guide.changed and not can_climb(control, body, body.position, guide.quest.target):
        fail(control, guide, body)


@compiled
def set_out(control: Any, guide: Any, body: Any) -> None:
    """The subgoals are there: go for the first of them, or the one after it."""
    guide.place, guide.stage, guide.quota = 0, FOLLOWING, FOREVER
    second = np.int64(guide.subgoals[1])
    if control.skip_start and can_climb(control, body, body.position, second):
        guide.place = 1  # the second enhancement
    aim(guide.quest, np.int64(guide.subgoals[guide.place]))
    if guide.quest.target == body.position:
        proceed(control, guide, body)
    elif guide.doubtful and guide.place == 0:
        guide.quota = quota_to_target(control, guide, body)


@compiled
def fail(control: Any, guide: Any, body: Any) -> None:
    """Nothing to steer by: go for the goal, the first time only as far as the quota allows (the sixth enhancement)."""
    guide.failures += 1
    guide.stage, guide.count = FOLLOWING, 0
    aim(guide.quest, body.goal)
    guide.quota = FOREVER
    if control.interrupt and guide.failures == 1:
        guide.quota = quota_to_target(control, guide, body)


@compiled
def quota_to_target(control: Any, guide: Any, body: Any) -> int:
    """What the way to the target may cost where no climb leads to it."""
    h = heuristic(borrow_field(guide.quest, "world"), body.position)
    return max(1, h * control.quota[0] // control.quota[1])


@compiled
def append(guide: Any, state: Int) -> None:
    """One more subgoal."""
    if guide.count == len(guide.subgoals):
        guide.subgoals = resized(guide.subgoals, 2 * guide.count)
    guide.subgoals[guide.count] = state
    guide.count += 1


@compiled
def append_record(control: Any, guide: Any, record: Int, skipped: int) -> None:
    """The states of a record, but for the first so many."""
    first = control.cases.first
    for i in range(np.int64(first[record]) + skipped, np.int64(first[record + 1])):
        append(guide, np.int64(control.cases.states[i]))


# ------------------------------------------------------------------ choosing subgoals


@compiled
def choose(control: Any, guide: Any, body: Any, expansions: int, deadline: int, virtual: int) -> bool:
    """Choose subgoals, within the limits; is a target there? If not, the next interval goes on."""
    climbed = body.trace_steps
    while guide.stage != FOLLOWING:
        if guide.stage == BEGINNING:
            ask(control, guide, body)
        elif guide.stage == ON_THE_WAY:
            if not find_way(control, guide, body, expansions, deadline, virtual):
                return False
        elif guide.tried < guide.candidates:
            look_at_next(control, guide, body)
        else:
            after_candidates(control, guide, body)
        steps = body.trace_steps - climbed
        if virtual_ns(steps, NEIGHBOURS * steps, 0) >= virtual or (deadline != NEVER and now() >= deadline):
            return guide.stage == FOLLOWING
    return True


@compiled
def ask(control: Any, guide: Any, body: Any) -> None:
    """The goal, if it can be climbed to (the first enhancement); else the base has to say something."""
    guide.count = guide.tried = guide.candidates = 0
    if control.goal_first and can_climb(control, body, body.position, body.goal):
        guide.stage, guide.quota = FOLLOWING, FOREVER
        aim(guide.quest, body.goal)
    else:
        guide.stage = AT_START
        guide.regions.ends[:] = 0
        query(control, guide, body, body.position, body.goal)


@compiled
def query(control: Any, guide: Any, body: Any, first: int, second: int) -> None:
    """The records, or the regions, that are nearest to these cells."""
    tree, found = borrow(control.cases.tree), borrow_field(guide, "found")
    most = min(control.candidates, len(tree.rows))
    about = kd_tree.about(borrow_field(body, "world").world, first, second)
    if control.kd_tree:
        guide.candidates = kd_tree.search(tree, about, found, most)
    else:
        guide.candidates = kd_tree.scan(tree, about, found, most)
    guide.tried = 0


@compiled
def look_at_next(control: Any, guide: Any, body: Any) -> None:
    """Can the next candidate be made use of? (Figure 8, line 4.)"""
    item = np.int64(guide.found.items[guide.tried])
    guide.tried += 1
    if len(control.cases.seeds):
        look_at_region(control, guide, body, item)
        return
    begins, ends = np.int64(control.cases.first[item]), np.int64(control.cases.first[item + 1]) - 1
    start, end = np.int64(control.cases.states[begins]), np.int64(control.cases.states[ends])
    if can_climb(control, body, body.position, start) and can_climb(control, body, end, body.goal):
        append_record(control, guide, item, 0)
        append(guide, body.goal)
        set_out(control, guide, body)


@compiled
def look_at_region(control: Any, guide: Any, body: Any, region: Int) -> None:
    """Can a region be where the way begins, or where it ends?"""
    seed = np.int64(control.cases.seeds[region])
    if guide.stage == AT_START:
        cost = cost_of_climb(control, body, body.position, seed)
        if cost != NO_WAY:
            add_entry(guide.regions, region, cost)
    elif can_climb(control, body, seed, body.goal):
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
def after_candidates(control: Any, guide: Any, body: Any) -> None:
    """All candidates have been looked at: no record will do, or it is known which regions will.

    If climbs connect with none of the regions, the nearest is taken all the same: LRTA* has to learn a little there,
    less than on its way to a far goal. But only once.
    """
    if len(control.cases.seeds) == 0:
        fail(control, guide, body)
        return
    none = guide.regions.ends[0 if guide.stage == AT_START else 1] == 0
    if none and (guide.failures or guide.candidates == 0):
        fail(control, guide, body)
    elif guide.stage == AT_START:
        guide.doubtful = none
        if none:
            add_entry(guide.regions, np.int64(guide.found.items[0]), guide.found.distances[0])
        guide.stage = AT_GOAL
        query(control, guide, body, body.goal, body.goal)
    else:
        if none:
            add_exit(guide.regions, np.int64(guide.found.items[0]))
        begin_way(control, guide, body)


@compiled
def begin_way(control: Any, guide: Any, body: Any) -> None:
    """Begin to search for a way over regions."""
    guide.stage = ON_THE_WAY
    known, grid = guide.regions, aimed(body.world.world, body.goal)
    graph = Regions(known.cases, grid, known.entries, known.entry_costs, known.exits, known.ends, known.listener)
    begin(guide.route, graph, len(control.cases.seeds), 1, 1, False, control.shift)


@compiled
def find_way(control: Any, guide: Any, body: Any, expansions: int, deadline: int, virtual: int) -> bool:
    """Search on, from region to region; is the search over?"""
    route, done = guide.route, guide.route.expansions
    outcome = advance(route, expansions, deadline, virtual)
    body.expansions += route.expansions - done
    if outcome == RUNNING:
        return False
    if outcome != FOUND:
        fail(control, guide, body)
        return True
    begin_trace(route, best_open(route))
    trace(route, NEVER)
    # The trail begins at the last region, and ends with the first and where the agent is.
    region = np.int64(route.trail[route.traced - 2])
    append(guide, np.int64(control.cases.seeds[region]))
    for i in range(route.traced - 3, -1, -1):
        following = np.int64(route.trail[i])
        append_record(control, guide, record_between(control.cases, region, following), 1)
        region = following
    append(guide, body.goal)
    set_out(control, guide, body)
    return True


@compiled
def record_between(cases: Any, region: Int, other: Int) -> int:
    """The record that leads from one region to another; there is one."""
    for record in range(np.int64(cases.leaving[region]), np.int64(cases.leaving[region + 1])):
        if cases.arriving[record] == other:
            return record
    return NOWHERE
