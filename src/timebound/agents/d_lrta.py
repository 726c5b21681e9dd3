"""D LRTA* (Bulitko et al. 2008): LRTA* from region to region, toward subgoals that were worked out before.

As section 4 of the kNN LRTA* paper describes it. In every region but the goal's the agent goes to the state where the
best path to the goal's region enters the next one; see `subgoals.regions`.

Two things are added, so that it arrives or proves that it cannot. Regions may lead in circles: the best path from the
middle of one may lead back through the region that the agent came from. So a region's subgoal is given up, and the goal
itself pursued there, when it is taken a second time without any h having risen in between. And the map may have
changed: a subgoal that h proves to be farther away than any path through the region is given up, too.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, mutable
from ..knowledge import News
from ..search.goal_tables import forget_all
from ..subgoals.abstraction import NO_REGION
from ..subgoals.regions import NO_WAY
from .body import UNREACHABLE, bytes_used, conclude, decide, path_ahead, search_number, states_kept
from .prioritised import one_move
from .subgoal import aim, pursue

_UNSETTLED = -2  # no region yet
_GIVEN_UP = -1

Itinerary = mutable(
    __name__,
    "Itinerary",
    [
        "region",  # whose subgoal the agent pursues
        "taken",  # for every region the number of rises of h when its subgoal was last taken, plus 1; or _GIVEN_UP
        "freer",  # has the map become freer since the subgoals were worked out?
    ],
)


class DLrta(NamedTuple):
    """How D LRTA* decides."""

    regions: np.ndarray  # of every state
    subgoals: np.ndarray  # of every region, toward the region of the goal
    sizes: np.ndarray  # of every region, in states
    dearest: int  # what a move may cost
    longest: int  # no path costs more, so a larger h is a proof that there is none
    itinerary: Any


@compiled
def new_itinerary(taken: np.ndarray) -> Any:
    """Of an agent that has not begun."""
    return Itinerary(_UNSETTLED, taken, False)


@bytes_used.of(DLrta)
def _bytes_used(control: Any, body: Any) -> int:
    return 16 * body.search.tables.count


@states_kept.of(DLrta)
def _states_kept(control: Any, body: Any) -> int:
    return body.search.tables.count


@search_number.of(DLrta)
def _search_number(control: Any, body: Any) -> int:
    return 0


@path_ahead.of(DLrta)
def _path_ahead(control: Any, body: Any) -> np.ndarray:
    return one_move(body)


@conclude.of(DLrta)
def _conclude(control: Any, body: Any) -> None:
    itinerary = control.itinerary
    itinerary.region = _UNSETTLED
    itinerary.taken[:] = 0


@decide.of(DLrta)
def _decide(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    step_on(control, body)


@compiled
def step_on(control: Any, body: Any) -> None:
    """One move of LRTA* toward the subgoal of the present region, or toward the goal."""
    quest, itinerary = body.search, control.itinerary
    if body.news.relief:
        forget_all(quest.tables)
        itinerary.freer = True
    body.news = News(body.news.states, 0, False)
    body.searches += 1
    region = np.int64(control.regions[body.position])
    if region != NO_REGION and control.subgoals[region] == NO_WAY and not itinerary.freer:
        body.stop = UNREACHABLE
        return
    if region != itinerary.region:
        itinerary.region = region
        aim(quest, take_subgoal(control, body, region))
    if quest.target != body.goal and not pursue(quest, body, control.dearest * control.sizes[region]):
        itinerary.taken[region] = _GIVEN_UP
        aim(quest, body.goal)
    if quest.target == body.goal and not pursue(quest, body, control.longest):
        body.stop = UNREACHABLE


@compiled
def take_subgoal(control: Any, body: Any, region: int) -> int:
    """The subgoal of the region that the agent is in; the goal itself if there is none, or if it was given up."""
    if region == NO_REGION or control.subgoals[region] < 0:
        return body.goal
    taken, now = control.itinerary.taken, body.search.tables.rises + 1
    taken[region] = _GIVEN_UP if taken[region] in (_GIVEN_UP, now) else now
    return body.goal if taken[region] == _GIVEN_UP else np.int64(control.subgoals[region])
