"""D LRTA* (Bulitko et al. 2008): LRTA* from region to region, toward subgoals prepared in advance.

As described in section 4 of the kNN LRTA* paper. In every region except the goal's, the agent goes to the state where
the best path to the goal's region enters the next one; see `subgoals.regions`.

That alone may lead nowhere. Regions may lead in circles: the best path from the middle of one may lead back through the
region that the agent came from. And the map may have changed. So an agent that takes a region's subgoal a second time
without any rise of h in between, or whose h says that the subgoal is farther away than any path through the region, is
lost: from then on it is LRTA* toward the goal itself, with a heuristic from the same table.

With `dynamic_depth` it looks ahead to a depth prepared for the region (`RegionSubgoals.depths`), and makes one move.
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
from ...search.learning import RISES
from ...search.open_list import NOBODY, Entry
from ...search.orders import Order, in_search
from ...search.paths import first_move
from ...search.state import begin
from ...subgoals.abstraction import NO_REGION, Abstraction
from ...subgoals.regions import NO_WAY, RegionSubgoals, lowest_level
from ...worlds.interface import aimed, heuristic, wrapping
from ..body import Body, most_cost
from ..journey import UNREACHABLE, one_move
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
from .lrta import Step, best_move, best_neighbor, make_one_move, step_for
from .quest import aim_at, new_quest, one_state_or_nothing, table_of, toward, values_learned

_UNSETTLED = -2  # no region yet


@struct
class Itinerary:
    """The subgoals that an agent has taken."""

    region: Int  # whose subgoal the agent pursues
    taken: np.ndarray  # for every region, the total rise of h when its subgoal was last taken, plus 1
    lost: bool
    freer: bool  # has the map become freer since the subgoals were prepared?


new_itinerary = making(Itinerary)


@wrapping
class Guided(NamedTuple):
    """A world whose heuristic goes along subgoals: to that of a state's region, plus the cost from there."""

    world: Any  # aimed at the goal
    regions: np.ndarray
    subgoals: np.ndarray
    beyond: np.ndarray
    unit: int
    lost: bool  # otherwise it leads straight to the target


@heuristic.of(Guided)
def _heuristic(world: Guided, state: Int) -> Int:
    region = np.int64(world.regions[state])
    if not world.lost or region == NO_REGION or world.subgoals[region] < 0:
        return heuristic(world.world, state)
    near = aimed(world.world, np.int64(world.subgoals[region]))
    return heuristic(near, state) + np.int64(world.beyond[region] * world.unit)


class RegionSubgoal(NamedTuple):
    """The subgoal of the agent's region."""

    regions: np.ndarray  # the region of every state
    subgoals: np.ndarray  # for every region, toward the region of the goal
    beyond: np.ndarray  # the cost from there, in moves
    sizes: np.ndarray  # of every region, in states
    depths: np.ndarray  # for every region, how many moves to look ahead; empty if always one
    unit: int
    highest_cost: int  # of a move
    first_h: int  # the largest initial h
    itinerary: Any
    quest: Any


@take_news_of_target.of(RegionSubgoal)
def _take_news(target: RegionSubgoal, body: Body) -> None:
    if borrow_field(body, "news").relief:
        target.quest.era += 1
        target.itinerary.freer = True


@aim.of(RegionSubgoal)
def _aim(target: RegionSubgoal, body: Body, allowance: Allowance) -> bool:
    """Choose the subgoal of the current region, or the goal."""
    itinerary, region = target.itinerary, np.int64(target.regions[body.position])
    if region != NO_REGION and target.subgoals[region] == NO_WAY and not itinerary.freer:
        body.searches += 1
        body.stop = UNREACHABLE
        return False
    if region != itinerary.region and not itinerary.lost:
        itinerary.region = region
        aim_at(target.quest, take_subgoal(target, body, region))
    return True


@view.of(RegionSubgoal)
def _view(target: RegionSubgoal, body: Body) -> Any:
    quest, lost = target.quest, target.itinerary.lost
    guided = Guided(borrow_field(quest, "world"), target.regions, target.subgoals, target.beyond, target.unit, lost)
    return toward(quest, guided, borrow_field(body, "world"))


@farthest.of(RegionSubgoal)
def _farthest(target: RegionSubgoal, body: Body) -> int:
    if target.quest.target == body.goal:
        return most_cost(body) + target.first_h
    return target.highest_cost * target.sizes[target.regions[body.position]]


@missed.of(RegionSubgoal)
def _missed(target: RegionSubgoal, body: Body) -> bool:
    """Head for the goal: the agent is lost."""
    if target.quest.target == body.goal:
        body.stop = UNREACHABLE
        return False
    target.itinerary.lost = True
    aim_at(target.quest, body.goal)
    return True


@compiled
def take_subgoal(target: Any, body: Body, region: Int) -> Int:
    """Take the subgoal of the agent's region; the goal itself if there is none, or if it leads in circles."""
    if region == NO_REGION or target.subgoals[region] < 0:
        return body.goal
    itinerary, now = target.itinerary, borrow_field(body, "world").tally[RISES] + 1
    itinerary.lost = itinerary.taken[region] == now
    itinerary.taken[region] = now
    return body.goal if itinerary.lost else np.int64(target.subgoals[region])


@rewind.of(RegionSubgoal)
@compiled
def _rewind(target: RegionSubgoal) -> None:
    target.itinerary.region, target.itinerary.lost = _UNSETTLED, False
    target.itinerary.taken[:] = 0


size.of(RegionSubgoal)(lambda target, body: Size(BYTES * values_learned(target.quest), values_learned(target.quest)))


def _table(setting: Setting) -> RegionSubgoals:
    level = setting.parameters["level"]
    return RegionSubgoals.of(setting.world, lowest_level(Abstraction.of(setting.world)) if level is None else level)


def _make(setting: Setting) -> RegionSubgoal:
    world, goal, table = setting.world, setting.goal, _table(setting)
    region = int(table.regions[goal])
    row, dynamic = table.row(region), setting.parameters.get("dynamic_depth", False)
    depths = table.depths(region) if dynamic else np.empty(0, np.int64)
    itinerary = new_itinerary(_UNSETTLED, untouched(table.count, np.int64), False, setting.freer)
    # An h along subgoals may be too large; but h never rises beyond the true cost plus the largest initial h.
    farthest = int(row.beyond.max(initial=0) * world.unit)  # of no region, if every cell is a wall
    first_h = farthest + (table.world.width + table.world.height) * world.highest_cost
    quest = new_quest(new_tables(world.states), 0, setting.believed.world, goal)
    costs = world.unit, world.highest_cost, first_h
    return RegionSubgoal(table.regions, *row, table.sizes, depths, *costs, itinerary, quest)


REGIONS = Part(
    "target",
    "regions",
    "go to the subgoal of the agent's region on an abstract map",
    _make,
    {"level": Parameter(None, or_none(a_count))},
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
    target, quest = parts.target, parts.target.quest
    region = np.int64(target.regions[body.position])
    prepared = len(target.depths) > 0 and region != NO_REGION and quest.target == target.subgoals[region]
    depth: Any = np.int64(target.depths[region]) if prepared else 1
    if depth == 1:
        return best_neighbor(lookahead, parts, body, world)
    # The view of the target, for a search, which keeps it.
    search, before, kept = body.search, body.search.world, body.search.world.world
    guided = Guided(quest.world, kept.regions, kept.subgoals, kept.beyond, kept.unit, target.itinerary.lost)
    toward_target = Toward(guided, quest.tables, table_of(quest), before.tally, quest.target, before.listener)
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
    table, believed = _table(setting), setting.believed
    row = table.row(int(table.regions[setting.goal]))
    guided = Guided(believed.world, table.regions, *row, setting.world.unit, False)
    seen = Toward(guided, new_tables(1), setting.goal, believed.tally, setting.goal, believed.listener)
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
