"""The fallback of agents that do not know what they can reach, because they search from the goal or only locally.

Such an agent has another one that takes over when it gives up, a forward Repeated A* with the same knowledge: once the
goal is proved unreachable, it searches all reachable states, goes to the one nearest to the goal, and replans when it
learns something. It does what every forward agent does, and needs no separate code.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled, optional
from ..compiled.clock import NEVER
from ..core.memory import untouched
from ..knowledge.terrain import Knowledge
from ..search.budget import Allowance
from ..search.learning import Learned
from ..search.orders import Order, open_memory
from ..search.state import figures, new_search
from ..search.types import NODE
from ..worlds import World
from .algorithms.astar import ToTheEnd
from .algorithms.plain import Best, FollowPath, Nothing, new_beacon
from .body import Body, rest_of_path
from .interval import begin_retreat, new_mind, plan, retreats, take_in_news, tell_retreat
from .journey import GOING, NOWHERE, Task, new_journey
from .parts import WITHOUT
from .roles import Parts, Size, path_ahead, rewind, size


class Retreat(NamedTuple):
    """Another agent takes over."""

    mind: Any  # it has had no interval before it is needed


def retreat_to_nearest(
    world: World, believed: Learned, knowledge: Knowledge, start: int, goal: int, order: np.ndarray
) -> Retreat:
    """Make a forward Repeated A* to fall back on."""
    astar, nothing = Order.of(world), np.empty(0, np.int64)
    believed = believed._replace(h=nothing, path_costs=nothing)  # learned values prove that there is no path
    nodes = untouched(world.states, NODE)
    search = new_search(believed, nodes, open_memory(), astar, world.branching, 0, False)
    problem = Task(start, goal, True, NEVER, world.longest, 0)
    parts = Parts(astar, ToTheEnd(False, False), Nothing(new_beacon()), Best(), FollowPath(NEVER), WITHOUT)
    return Retreat(new_mind(parts, search, believed, knowledge, new_journey(problem, order)))


@begin_retreat.of(Retreat)
def _begin(retreat: Retreat, body: Body) -> None:
    """Start the retreat in the next interval, from scratch: the budget of this one may be spent."""
    other = retreat.mind.body
    body.stop = other.stop = GOING
    other.searching, other.length, other.refuge = False, 0, NOWHERE
    other.intervals = body.intervals
    other.searches, other.expansions = body.searches, body.expansions


@retreats.of(Retreat)
def _retreats(retreat: Retreat, body: Body, allowance: Allowance) -> bool:
    if retreat.mind.body.intervals == 0:
        return False
    go_on(retreat.mind, body, allowance)
    return True


@tell_retreat.of(Retreat)
def _tell_retreat(retreat: Retreat, body: Body, news: Any) -> None:
    other = retreat.mind.body
    if other.intervals:
        other.position, other.news = body.position, news
        take_in_news(borrow_field(retreat.mind, "parts"), other)
        body.length = other.length  # the path that the agent follows is the retreat's


@compiled
def go_on(mind: Any, body: Body, allowance: Allowance) -> None:
    """Pass the news to the retreat, and copy its decision."""
    other = mind.body
    other.position, other.news, other.decision = body.position, body.news, NOWHERE
    plan(borrow_field(mind, "parts"), other, allowance)
    body.news = other.news
    body.decision, body.stop = other.decision, other.stop
    body.searching, body.refuge = other.searching, other.refuge
    body.path, body.length = other.path, other.length
    body.searches, body.expansions = other.searches, other.expansions


@optional
def way_ahead(retreat: Any, parts: Parts, body: Body) -> np.ndarray:
    """Return the states that the agent intends to pass; empty if it does not know yet."""
    return path_ahead(parts.lookahead, body)


@way_ahead.of(Retreat)
def _way_ahead(retreat: Retreat, parts: Parts, body: Body) -> np.ndarray:
    if retreat.mind.body.intervals:
        return rest_of_path(borrow_field(body, "journey"))
    return path_ahead(parts.lookahead, body)


@rewind.of(Retreat)
def _rewind(retreat: Retreat) -> None:
    retreat.mind.body.intervals = 0


@size.of(Retreat)
def _size(retreat: Retreat, body: Body) -> Size:
    other = retreat.mind.body
    return Size(figures(other.search)[3], other.search.reached) if other.intervals else Size(0, 0)
