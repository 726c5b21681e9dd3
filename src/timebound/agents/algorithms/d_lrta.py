"""D LRTA* (Bulitko et al. 2008): LRTA* from region to region, toward subgoals prepared in advance.

As described in section 4 of the kNN LRTA* paper. The subgoal of a region is the state where the best path from its
middle to the goal's region enters the next region; see `subgoals.regions`. When a subgoal is reached, and not before,
the agent takes that of the region where it is (Figure 1, line 3); in the goal's region, the goal.

Subgoals may lead in a circle: the best path from the middle of one region may lead back into the region that the agent
came from. Whatever it learns, an agent that comes to the same region's subgoal again would do so for ever; the paper
does not mention it. With `escape`, which is ours, such an agent is LRTA* toward the goal itself until it enters a
region whose subgoal it has not taken yet. It does the same when the map has changed, and the subgoal is farther away
than any path through the region. Without `escape` it is stuck.

With `dynamic_depth` it looks ahead to a depth prepared with the subgoal (`RegionSubgoals.depths`), and makes one move.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, making, struct
from ...compiled.clock import NEVER
from ...core.integers import Int
from ...core.memory import untouched
from ...search.breadth_first import look_within
from ...search.budget import Allowance
from ...search.goal_tables import BYTES, Toward, new_tables
from ...search.open_list import NOBODY, Entry
from ...search.orders import Order, in_search
from ...search.paths import first_move
from ...search.state import begin
from ...subgoals.abstraction import NO_REGION, Abstraction
from ...subgoals.regions import HERE, NO_WAY, RegionSubgoals, lowest_level
from ..body import Body, most_cost
from ..journey import STUCK, UNREACHABLE, one_move
from ..making import search_for
from ..parameters import Parameter, a_count, a_flag, or_none
from ..parts import WITHOUT, Part, Setting
from ..roles import (
    Parts,
    Size,
    aim,
    farthest,
    look,
    missed,
    path_ahead,
    rewind,
    size,
    take_news,
    take_news_of_one_move,
    take_news_of_target,
    view,
)
from .lrta import Step, best_move, looked_at, make_one_move, step_for
from .quest import aim_at, new_quest, one_state_or_nothing, table_of, toward, values_learned

_UNSETTLED = -2  # no region yet


@struct
class Itinerary:
    """The subgoals that an agent has taken."""

    region: Int  # whose subgoal the agent pursues; NO_REGION if it heads for the goal until it enters a new region
    taken: np.ndarray  # for every region, was its subgoal taken?
    freer: bool  # has the map become freer since the subgoals were prepared?


new_itinerary = making(Itinerary)


class RegionSubgoal(NamedTuple):
    """The subgoal of a region."""

    regions: np.ndarray  # the region of every state
    subgoals: np.ndarray  # for every region, toward the region of the goal
    sizes: np.ndarray  # of every region, in states
    depths: np.ndarray  # for every region, how many moves to look ahead; empty if always one
    highest_cost: int  # of a move
    escape: bool  # from circles?
    itinerary: Any
    quest: Any


@take_news_of_target.of(RegionSubgoal)
def _take_news(target: RegionSubgoal, body: Body) -> None:
    if borrow_field(body, "news").relief:
        target.quest.era += 1
        target.itinerary.freer = True


@aim.of(RegionSubgoal)
def _aim(target: RegionSubgoal, body: Body, allowance: Allowance) -> bool:
    """Take a subgoal if there is none, or if it is reached (Figure 1, line 3); or if the agent has escaped."""
    itinerary, region = target.itinerary, np.int64(target.regions[body.position])
    if region != NO_REGION and target.subgoals[region] == NO_WAY and not itinerary.freer:
        body.searches += 1
        body.stop = UNREACHABLE
        return False
    heading = itinerary.region != _UNSETTLED and body.position != target.quest.target
    if heading and (itinerary.region != NO_REGION or region == NO_REGION or target.itinerary.taken[region]):
        return True
    return take_subgoal(target, body, region)


@view.of(RegionSubgoal)
def _view(target: RegionSubgoal, body: Body) -> Any:
    return toward(target.quest, borrow_field(target.quest, "world"), borrow_field(body, "world"))


@farthest.of(RegionSubgoal)
def _farthest(target: RegionSubgoal, body: Body) -> int:
    region = target.regions[body.position]
    if target.quest.target == body.goal or region != target.itinerary.region:
        return most_cost(body)
    return target.highest_cost * target.sizes[region]  # a path through the region, while the map is as it was


@missed.of(RegionSubgoal)
def _missed(target: RegionSubgoal, body: Body) -> bool:
    """Head for the goal: there is no way to the subgoal, or it is a long one."""
    if target.quest.target == body.goal:
        body.stop = UNREACHABLE
        return False
    return take_subgoal(target, body, NO_REGION)


@compiled
def take_subgoal(target: Any, body: Body, region: Int) -> bool:
    """Take the subgoal of the agent's region; if it was taken before, or there is none, escape toward the goal."""
    itinerary, subgoal = target.itinerary, np.int64(HERE)
    itinerary.region = NO_REGION
    if region != NO_REGION and not itinerary.taken[region]:
        itinerary.region, itinerary.taken[region], subgoal = region, True, np.int64(target.subgoals[region])
    elif not target.escape:
        body.stop = STUCK
        return False
    aim_at(target.quest, subgoal if subgoal >= 0 else body.goal)
    return True


@rewind.of(RegionSubgoal)
@compiled
def _rewind(target: RegionSubgoal) -> None:
    target.itinerary.region = _UNSETTLED
    target.itinerary.taken[:] = False


size.of(RegionSubgoal)(lambda target, body: Size(BYTES * values_learned(target.quest), values_learned(target.quest)))


def _table(setting: Setting) -> RegionSubgoals:
    level = setting.parameters["level"]
    return RegionSubgoals.of(setting.world, lowest_level(Abstraction.of(setting.world)) if level is None else level)


def _make(setting: Setting) -> RegionSubgoal:
    world, goal, table = setting.world, setting.goal, _table(setting)
    region, parameters = int(table.regions[goal]), setting.parameters
    depths = table.depths(region) if parameters.get("dynamic_depth", False) else np.empty(0, np.int64)
    itinerary = new_itinerary(_UNSETTLED, untouched(table.count, np.bool_), setting.freer)
    quest = new_quest(new_tables(world.states), 0, setting.believed.world, goal)
    rest = world.highest_cost, parameters["escape"], itinerary, quest
    return RegionSubgoal(table.regions, table.row(region), table.sizes, depths, *rest)


REGIONS = Part(
    "target",
    "regions",
    "go to the subgoal of the agent's region on an abstract map",
    _make,
    {"level": Parameter(None, or_none(a_count)), "escape": Parameter(True, a_flag)},
    lookaheads=("step", "prepared"),
    needs="its subgoals are for a lookahead of one step",
    objection=one_state_or_nothing,
    keeps_values=True,
    paper="Bulitko et al. 2008",
    needs_grid=True,
)


# ------------------------------------------------------------------ the lookahead


class Prepared(NamedTuple):
    """A lookahead over everything within the number of moves that the target says."""

    order: Any  # by cost
    learns_first: bool


look.of(Prepared)(make_one_move)


@best_move.of(Prepared)
def _best_move(lookahead: Prepared, parts: Parts, body: Body, world: Any, allowance: Allowance) -> Any:
    """Look as far as prepared on the way to the subgoal; one move on the way to the goal itself."""
    target, region = parts.target, parts.target.itinerary.region
    prepared = len(target.depths) > 0 and region != NO_REGION and target.subgoals[region] >= 0
    depth: Any = np.int64(target.depths[region]) if prepared else 1
    if depth == 1:
        return looked_at(lookahead, parts, body, world)
    # The view of the target, for a search, which keeps it.
    search, quest, before = body.search, parts.target.quest, body.search.world
    toward_target = Toward(quest.world, quest.tables, table_of(quest), before.tally, quest.target, before.listener)
    begin(search, toward_target, body.position, lookahead.order)
    best = look_within(search, body.position, depth, NEVER, allowance, in_search(parts.order, body.searches))
    body.expansions += search.expansions
    state = best.state if best.state == NOBODY else first_move(search, np.int64(best.state))
    return Entry(best.f, best.rank, state, best.order)


take_news.of(Prepared)(take_news_of_one_move)
path_ahead.of(Prepared)(lambda lookahead, body: one_move(borrow_field(body, "journey")))


def _make_lookahead(setting: Setting) -> Prepared | Step:
    return Prepared(Order.by_cost(setting.world), False) if setting.parameters["dynamic_depth"] else step_for(setting)


def _search(setting: Setting, order: Any) -> Any:
    if not setting.parameters["dynamic_depth"]:
        return WITHOUT
    believed = setting.believed
    seen = Toward(believed.world, new_tables(1), setting.goal, believed.tally, setting.goal, believed.listener)
    return search_for(setting, Order.by_cost(setting.world), seen)


def _objection(setting: Setting) -> str | None:
    if setting.has("target", "regions"):
        return None
    return f"agent {setting.name!r}: only the target 'regions' knows how far to look; use another lookahead"


PREPARED = Part(
    "lookahead",
    "prepared",
    "the neighbours of the current state; with `dynamic_depth`, everything within a depth chosen for the region",
    _make_lookahead,
    {"dynamic_depth": Parameter(False, a_flag)},
    memory=("nodes",),
    search=_search,
    objection=_objection,
    paper="Bulitko et al. 2008",
    starts_afresh=True,
    one_move=True,
)
