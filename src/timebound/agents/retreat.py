"""The fallback of agents that do not know what they can reach, because they search from the goal or only locally.

Such an agent has another one that takes over when it gives up, a forward Repeated A* with the same knowledge: once the
goal is proved unreachable, it searches all reachable states, goes to the one nearest to the goal, and replans when it
learns something. It does what every forward agent does, and needs no separate code.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, optional
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
from .interval import begin_retreat, new_mind, plan, retreats, take_in_news, takes_news
from .journey import GOING, NOT_DUE, NOWHERE, Journey
from .parts import WITHOUT
from .roles import Parts, Size, path_ahead, rewind, size


class Retreat(NamedTuple):
    """Another agent takes over, on the same journey."""

    mind: Any
    begun: np.ndarray  # has it taken over? One element


def retreat_to_nearest(world: World, believed: Learned, knowledge: Knowledge, journey: Journey) -> Retreat:
    """Make a forward Repeated A* to fall back on."""
    astar, nothing = Order.of(world), np.empty(0, np.int64)
    believed = believed._replace(h=nothing, path_costs=nothing)  # learned values prove that there is no path
    nodes = untouched(world.states, NODE)
    search = new_search(believed, nodes, open_memory(), astar, world.branching, 0, False)
    parts = Parts(astar, ToTheEnd(False, False), Nothing(new_beacon()), Best(), FollowPath(NEVER), WITHOUT)
    return Retreat(new_mind(parts, search, believed, knowledge, journey), np.zeros(1, np.bool_))


@begin_retreat.of(Retreat)
def _begin(retreat: Retreat, body: Body) -> None:
    """Start the retreat in the next interval, from scratch: the budget of this one may be spent."""
    retreat.begun[0] = True
    body.stop, body.searching, body.updating = GOING, False, NOT_DUE
    body.length, body.old_length, body.refuge, body.debt = 0, 0, NOWHERE, 0


@retreats.of(Retreat)
def _retreats(retreat: Retreat, body: Body, allowance: Allowance) -> bool:
    if retreat.begun[0]:
        plan(borrow_field(retreat.mind, "parts"), retreat.mind.body, allowance)
    return bool(retreat.begun[0])


@takes_news.of(Retreat)
def _takes_news(retreat: Retreat) -> bool:
    if retreat.begun[0]:
        take_in_news(borrow_field(retreat.mind, "parts"), retreat.mind.body)
    return bool(retreat.begun[0])


@optional
def way_ahead(retreat: Any, parts: Parts, body: Body) -> np.ndarray:
    """Return the states that the agent intends to pass; empty if it does not know yet."""
    return path_ahead(parts.lookahead, body)


@way_ahead.of(Retreat)
def _way_ahead(retreat: Retreat, parts: Parts, body: Body) -> np.ndarray:
    return rest_of_path(borrow_field(body, "journey")) if retreat.begun[0] else path_ahead(parts.lookahead, body)


@rewind.of(Retreat)
def _rewind(retreat: Retreat) -> None:
    retreat.begun[0] = False


@size.of(Retreat)
def _size(retreat: Retreat, body: Body) -> Size:
    search = retreat.mind.body.search
    return Size(figures(search)[3], search.reached) if retreat.begun[0] else Size(0, 0)
