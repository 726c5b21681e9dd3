"""kNN LRTA* (Bulitko, Björnsson, Lawrence 2010): subgoals of the most similar problem solved in advance.

An agent queries its base for subgoals that lead to its goal (sections 5 and 6), and goes from one to the next. If the
base has nothing to offer, it heads for the goal. A climb (`hill_climbing`) shows in advance that LRTA* will reach a
state without learning.

The base may be the paper's (the record whose ends are most similar to the problem) or one of even coverage, with a
record between neighbouring regions and a search from region to region (`subgoals.coverage`). The result is the same for
both: a list of subgoals, the goal last.

    Figure 1    3      select a subgoal                _aim, choose
                4-7    look ahead, update h, move      lrta.make_one_move
    Figure 5           solve problems in advance       subgoals.building
    Figure 6           compress their paths            subgoals.hill_climbing.compress
    Figure 7           is a state reachable?           subgoals.hill_climbing.climb
    Figure 8    1      the most similar records        query
                2-4    can one be used?                look_at_next
                5-6    take it                         append_record, set_out
                9      head for the goal               after_candidates, fail
    Section 6.2        the enhancements                the fields of CaseSubgoal
"""

from fractions import Fraction
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow, borrow_field, compiled, making, resized, struct
from ...compiled.clock import NEVER, virtual_ns
from ...core.errors import ProblemError
from ...core.integers import Int
from ...core.limits import MOST_RECORDS
from ...core.wording import shown
from ...search.best_first import advance, best_open
from ...search.budget import Allowance, late
from ...search.goal_tables import BYTES, new_tables
from ...search.hot_queue import BUCKETS, HotMemory
from ...search.open_list import ENTRY, NOBODY
from ...search.orders import Order
from ...search.paths import begin_trace, trace
from ...search.state import FOUND, RUNNING, begin, figures, new_search
from ...search.types import NODE
from ...subgoals import kd_tree
from ...subgoals.building import small_base
from ...subgoals.cases import CaseBase
from ...subgoals.coverage import Regions
from ...subgoals.hill_climbing import NO_WAY, climb
from ...worlds import Grid
from ...worlds.interface import aimed, heuristic, price_of
from ..body import Body
from ..journey import NOWHERE, UNREACHABLE
from ..making import limit
from ..parameters import Parameter, a_count, a_flag, a_number, a_word, endless, up_to
from ..parts import Part, Setting
from ..roles import Size, aim, decided, missed, size, take_news_of_target, view
from .quest import aim_at, new_quest, one_state_or_nothing, toward, values_learned

# What an agent is doing: heading for its target, or choosing one, which may take several intervals.
FOLLOWING, BEGINNING, AT_START, AT_GOAL, ON_THE_WAY = 0, 1, 2, 3, 4
FOREVER = -1  # as a quota
NEIGHBOURS = 8  # of a state of the map, as the virtual clock counts those of a climb


@struct
class Guide:
    """What an agent needs to find its subgoals, and the ones that it has."""

    subgoals: np.ndarray  # that the agent must pass, its goal last
    count: Int  # how many there are
    place: Int  # of the target among them
    quota: Int  # what the path to the goal may still cost before the base is queried again, or FOREVER
    failures: Int  # of the base to offer anything
    doubtful: bool  # does no climb lead to the first subgoal?
    left: Int  # the state that the last decision was made in
    expected: Int  # and the one that it led to
    changed: bool  # has the agent learned that the map differs from the one that the base was built for?
    stage: Int  # FOLLOWING, or the stage of choosing a target
    candidates: Int  # how many the query has found
    tried: Int  # of them so far
    found: Any  # the candidates
    route: Any  # the search over regions
    regions: Any  # and its world
    quest: Any  # LRTA* toward one of the subgoals


new_guide = making(Guide)
# The enhancements of section 6.2, in their order (the fourth is the number of candidates), and one more.
ENHANCEMENTS = ("goal_first", "skip_start", "skip_end", "kd_tree", "interrupt", "shortcuts")


class CaseSubgoal(NamedTuple):
    """The next subgoal of the most similar case."""

    guide: Any
    cases: Any
    cap: int  # steps of a climb
    candidates: int  # records, or regions, to check
    quota: tuple[int, int]  # how many times the distance to the goal the agent walks without subgoals, as a fraction
    shift: int  # of the open list's buckets in a search over regions
    goal_first: bool  # check whether the goal itself can be climbed to, before querying the base
    skip_start: bool  # skip the start of a record if the next subgoal can be climbed to
    skip_end: bool  # skip its end if the goal can be climbed to
    kd_tree: bool  # query the tree, instead of checking all records
    interrupt: bool  # query again when the quota is used up
    shortcuts: bool  # not in the paper: at every subgoal, skip the following ones that are not needed


@take_news_of_target.of(CaseSubgoal)
def _take_news(target: CaseSubgoal, body: Body) -> None:
    """Note that the map may differ from the one that the base was built for."""
    guide = target.guide
    guide.changed, guide.expected = True, NOWHERE
    if borrow_field(body, "news").relief:
        guide.quest.era += 1


@aim.of(CaseSubgoal)
@compiled
def _aim(target: CaseSubgoal, body: Body, allowance: Allowance) -> bool:
    """Choose a subgoal if necessary (Figure 1, line 3)."""
    guide, done = target.guide, body.expansions
    if body.position != guide.expected and (body.position != guide.left or guide.expected == NOWHERE):
        guide.stage, guide.failures, guide.expected = BEGINNING, 0, body.position  # the agent was put elsewhere
    if guide.stage == FOLLOWING and body.position == guide.quest.target:
        proceed(target, body)
    elif guide.stage == FOLLOWING and guide.quota == 0:
        if guide.quest.target == body.goal:
            guide.stage = BEGINNING
        else:
            fail(target, body)
    if guide.stage != FOLLOWING and not choose(target, body, allowance):
        return False
    return body.expansions - done < allowance.expansions


@view.of(CaseSubgoal)
def _view(target: CaseSubgoal, body: Body) -> Any:
    quest = target.guide.quest
    return toward(quest, borrow_field(quest, "world"), borrow_field(body, "world"))


@missed.of(CaseSubgoal)
def _missed(target: CaseSubgoal, body: Body) -> bool:
    if target.guide.quest.target == body.goal:
        body.stop = UNREACHABLE
    else:  # a subgoal of a map that has changed
        fail(target, body)
    return False


@decided.of(CaseSubgoal)
def _decided(target: CaseSubgoal, body: Body) -> None:
    guide = target.guide
    guide.left, guide.expected = body.position, body.decision
    if guide.quota != FOREVER:
        guide.quota = max(0, guide.quota - price_of(borrow_field(guide.quest, "world"), body.position, body.decision))


@size.of(CaseSubgoal)
def _size(target: CaseSubgoal, body: Body) -> Size:
    guide = target.guide
    search, learned = figures(guide.route)[3] if guide.route.reached else 0, values_learned(guide.quest)
    return Size(search + 4 * guide.count + 12 * guide.candidates + BYTES * learned, guide.count + learned)


# ------------------------------------------------------------------ subgoals from the base


@compiled
def choose(target: Any, body: Body, allowance: Allowance) -> bool:
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
def ask(target: Any, body: Body) -> None:
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
def query(target: Any, body: Body, first: Int, second: Int) -> None:
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
def look_at_next(target: Any, body: Body) -> None:
    """Can the next record be used (Figure 8, line 4), or can the way begin or end in the next region?"""
    guide, cases = target.guide, target.cases
    item = np.int64(borrow_field(guide, "found").heap[guide.tried].state)
    guide.tried += 1
    if len(cases.seeds) == 0:
        start, end = np.int64(cases.states[cases.first[item]]), np.int64(cases.states[cases.first[item + 1] - 1])
        if can_climb(target, body, body.position, start) and can_climb(target, body, end, body.goal):
            append_record(target, item, 0)
            append(guide, body.goal)
            set_out(target, body)
    elif guide.stage == AT_START:
        cost = cost_of_climb(target, body, body.position, np.int64(cases.seeds[item]))
        if cost != NO_WAY:
            add_entry(guide.regions, item, cost)
    elif can_climb(target, body, np.int64(cases.seeds[item]), body.goal):
        add_exit(guide.regions, item)


@compiled
def after_candidates(target: Any, body: Body) -> None:
    """Finish after all candidates: no record is suitable, or the suitable regions are known.

    If no region can be reached by a climb, take the nearest anyway: LRTA* has to learn a little there,
    less than on its way to a far goal. But only once.
    """
    guide = target.guide
    if len(target.cases.seeds) == 0:
        fail(target, body)
        return
    nearest = borrow_field(guide, "found").heap[0]
    none = guide.regions.ends[0 if guide.stage == AT_START else 1] == 0
    if none and (guide.failures or guide.candidates == 0):
        fail(target, body)
    elif guide.stage == AT_START:
        guide.doubtful = none
        if none:
            add_entry(guide.regions, np.int64(nearest.state), -nearest.f)
        guide.stage = AT_GOAL
        query(target, body, body.goal, body.goal)
    else:
        if none:
            add_exit(guide.regions, np.int64(nearest.state))
        guide.stage, known = ON_THE_WAY, guide.regions
        there = known.entries, known.entry_costs, known.exits, known.ends, known.listener
        graph = Regions(known.cases, aimed(body.world.world, body.goal), *there)
        begin(guide.route, graph, len(target.cases.seeds), Order(1, 1, False, target.shift))


# ------------------------------------------------------------------ ways from region to region


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
def find_way(target: Any, body: Body, allowance: Allowance) -> bool:
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
        record, following = np.int64(target.cases.leaving[region]), np.int64(route.trail[i])
        while target.cases.arriving[record] != following:
            record += 1
        append_record(target, record, 1)
        region = following
    append(guide, body.goal)
    set_out(target, body)
    return True


# ------------------------------------------------------------------ from subgoal to subgoal


@compiled
def can_climb(target: Any, body: Body, start: Int, end: Int) -> bool:
    """Does a climb lead there?"""
    return cost_of_climb(target, body, start, end) != NO_WAY


@compiled
def cost_of_climb(target: Any, body: Body, start: Int, end: Int) -> int:
    """Return the cost of a climb, or NO_WAY; its steps are counted."""
    cost, steps = climb(borrow_field(body, "world").world, start, end, target.cap)
    body.trace_steps += steps
    return cost


@compiled
def proceed(target: Any, body: Body) -> None:
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
def set_out(target: Any, body: Body) -> None:
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
def fail(target: Any, body: Body) -> None:
    """Head for the goal without subgoals; the first time only as far as the quota allows (the sixth enhancement)."""
    guide = target.guide
    guide.failures += 1
    guide.stage, guide.count = FOLLOWING, 0
    aim_at(guide.quest, body.goal)
    guide.quota = FOREVER
    if target.interrupt and guide.failures == 1:
        guide.quota = quota_to_target(target, body)


@compiled
def quota_to_target(target: Any, body: Body) -> int:
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


# ------------------------------------------------------------------ the part


def base_for(world: Grid, parameters: Any) -> CaseBase:
    """Return the given base, if it is for this world; otherwise a small one, which the world keeps for other agents."""
    given = parameters["cases"]
    if given is None:
        return small_base(world, parameters["records"], parameters["coverage"])
    if not isinstance(given, (CaseBase, str, PathLike)):
        raise ProblemError(f"cases must be a CaseBase (see CaseBase.build) or its file, not {shown(given)}")
    base = given if isinstance(given, CaseBase) else CaseBase.load(given)
    base.check(world)
    return base


def guide_for(setting: Setting, base: CaseBase, most: int) -> Any:
    """Make what an agent needs to find its subgoals, with room for `candidates` candidates."""
    cases = base.compiled
    ends = (np.zeros(most, np.int32), np.zeros(most, np.int64), np.zeros(most, np.int32), np.zeros(3, np.int64))
    regions = Regions(cases, setting.believed.world, *ends)
    # Small, and mostly used: from the heap, which has it from the last agent, not page by page from the system.
    nodes, room = np.zeros(len(cases.seeds) + 1, NODE), max(1024, len(cases.seeds) // 4)
    memory = HotMemory(np.empty(room, ENTRY), np.empty(room, ENTRY), np.empty(BUCKETS, np.int32))
    branching = most + int(np.diff(cases.leaving).max(initial=0))
    route = new_search(regions, nodes, memory, Order(1, 1, False, 0), branching, 0, False)
    quest = new_quest(new_tables(setting.world.states), 0, setting.believed.world, setting.goal)
    now = np.empty(16, np.int32), 0, 0, FOREVER, 0, False, NOBODY, NOBODY, False, BEGINNING, 0, 0
    return new_guide(*now, kd_tree.room_for(most, base.levels), route, regions, quest)


def _make(setting: Setting) -> CaseSubgoal:
    world, parameters = setting.world, setting.parameters
    base = base_for(world, parameters)
    cases, most = base.compiled, min(max(len(base.compiled.tree.rows), 1), limit(parameters["candidates"]))
    # The most expensive move of the graph of regions: a record, or a climb, which has at most `cap` steps.
    cap = parameters["cap"]
    highest_cost = max(int(cases.costs.max(initial=0)), min(cap, world.states) * world.highest_cost)
    return CaseSubgoal(
        guide_for(setting, base, most),
        cases,
        cap,
        most,
        Fraction(repr(parameters["quota"])).limit_denominator(1000).as_integer_ratio(),
        (2 * highest_cost // (BUCKETS - 2)).bit_length(),
        *(parameters[name] for name in ENHANCEMENTS),
    )


CASES = Part(
    "target",
    "cases",
    "go to the subgoals of the most similar problem solved in advance",
    _make,
    {
        "cases": Parameter(None, lambda name, value: value),  # a base, or its file: it is checked when it is read
        "records": Parameter(1000, up_to(MOST_RECORDS, "records, the size of a base that an agent makes itself,")),
        "coverage": Parameter("even", a_word("coverage", "even", "random")),
        "cap": Parameter(250, a_count),
        "candidates": Parameter(10, endless),
        "quota": Parameter(
            3,
            a_number("the quota is a number from 1 to 1000 (times the distance to the goal)", 1, 1000),
        ),
        **dict.fromkeys(ENHANCEMENTS, Parameter(True, a_flag)),
    },
    lookaheads=("step",),
    needs="its subgoals are for a lookahead of one step",
    objection=one_state_or_nothing,
    keeps_values=True,
    paper="Bulitko, Björnsson, Lawrence 2010",
    needs_grid=True,
)
