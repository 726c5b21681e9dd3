"""D LRTA* (Bulitko et al. 2008): LRTA* from region to region, toward subgoals that were worked out before.

As section 4 of the kNN LRTA* paper describes it. In every region but the goal's the agent goes to the state where the
best path to the goal's region enters the next one; see `subgoals.regions`.

That alone need not lead anywhere. Regions may lead in circles: the best path from the middle of one may lead back
through the region that the agent came from. And the map may have changed. So an agent that takes a region's subgoal a
second time without any h having risen in between, or whose h says that the subgoal is farther away than any path
through the region, is lost: from then on it is LRTA* toward the goal itself, with a heuristic from the same table.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled, mutable
from ..integers import Int
from ..knowledge import News
from ..search.goal_tables import BYTES, learned_count
from ..search.learning import RISES
from ..subgoals.abstraction import NO_REGION
from ..subgoals.regions import NO_WAY
from ..worlds.interface import aimed, heuristic
from ..worlds.wrapping import wrapping
from .body import UNREACHABLE, bytes_used, conclude, decide, path_ahead, search_number, states_kept
from .prioritised import one_move
from .subgoal import aim, forget_all, pursue

_UNSETTLED = -2  # no region yet

Itinerary = mutable(
    __name__,
    "Itinerary",
    [
        "region",  # whose subgoal the agent pursues
        "taken",  # for every region by how much h had risen in all when its subgoal was last taken, plus 1
        "lost",
        "freer",  # has the map become freer since the subgoals were worked out?
    ],
)


class DLrta(NamedTuple):
    """How D LRTA* decides."""

    regions: np.ndarray  # of every state
    subgoals: np.ndarray  # of every region, toward the region of the goal
    beyond: np.ndarray  # what it costs from there, in moves
    sizes: np.ndarray  # of every region, in states
    unit: int
    dearest: int  # what a move may cost
    longest: int  # no h is so large if there is a way
    itinerary: Any


@compiled
def new_itinerary(taken: np.ndarray) -> Any:
    """Of an agent that has not begun."""
    return Itinerary(_UNSETTLED, taken, False, False)


# ------------------------------------------------------------------ the heuristic of an agent that is lost


@wrapping
class Guided(NamedTuple):
    """A world whose heuristic leads by the subgoals: to that of a state's region, and from there as far as it is."""

    world: Any  # aimed at the goal
    regions: np.ndarray
    subgoals: np.ndarray
    beyond: np.ndarray
    unit: int


@heuristic.of(Guided)
def _heuristic(world: Any, state: Int) -> Int:
    region = np.int64(world.regions[state])
    if region == NO_REGION or world.subgoals[region] < 0:
        return heuristic(world.world, state)
    near = aimed(world.world, np.int64(world.subgoals[region]))
    return heuristic(near, state) + np.int64(world.beyond[region] * world.unit)


# ------------------------------------------------------------------ the agent


@bytes_used.of(DLrta)
def _bytes_used(control: Any, body: Any) -> int:
    return BYTES * learned_count(body.search.tables)


@states_kept.of(DLrta)
def _states_kept(control: Any, body: Any) -> int:
    return learned_count(body.search.tables)


@search_number.of(DLrta)
def _search_number(control: Any, body: Any) -> int:
    return 0


@path_ahead.of(DLrta)
def _path_ahead(control: Any, body: Any) -> np.ndarray:
    return one_move(body)


@conclude.of(DLrta)
def _conclude(control: Any, body: Any) -> None:
    itinerary = control.itinerary
    itinerary.region, itinerary.lost = _UNSETTLED, False
    itinerary.taken[:] = 0


@decide.of(DLrta)
def step_on(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """One move of LRTA* toward the subgoal of the present region, or toward the goal."""
    quest, itinerary = body.search, control.itinerary
    if borrow_field(body, "news").relief:
        forget_all(quest)
        itinerary.freer = True
    body.news = News(body.news.states, 0, False)
    body.searches += 1
    region = np.int64(control.regions[body.position])
    if region != NO_REGION and control.subgoals[region] == NO_WAY and not itinerary.freer:
        body.stop = UNREACHABLE
        return
    if region != itinerary.region and not itinerary.lost:
        itinerary.region = region
        aim(quest, take_subgoal(control, body, region))
    if quest.target != body.goal and not pursue(quest, body, quest.world, control.dearest * control.sizes[region]):
        itinerary.lost = True
        aim(quest, body.goal)
    if quest.target == body.goal and not pursue_goal(control, body):
        body.stop = UNREACHABLE


@compiled
def pursue_goal(control: Any, body: Any) -> bool:
    """One move of LRTA* toward the goal; False if there is no way."""
    quest = body.search
    if not control.itinerary.lost:
        return pursue(quest, body, quest.world, control.longest)
    guided = Guided(quest.world, control.regions, control.subgoals, control.beyond, control.unit)
    return pursue(quest, body, guided, control.longest)


@compiled
def take_subgoal(control: Any, body: Any, region: Int) -> Int:
    """The subgoal of the region that the agent is in; the goal itself if there is none, or if it leads in circles."""
    if region == NO_REGION or control.subgoals[region] < 0:
        return body.goal
    itinerary, now = control.itinerary, borrow_field(body, "world").tally[RISES] + 1
    itinerary.lost = itinerary.taken[region] == now
    itinerary.taken[region] = now
    return body.goal if itinerary.lost else np.int64(control.subgoals[region])
