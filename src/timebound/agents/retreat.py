"""The fallback of agents that search from the goal, which do not know what they can reach.

Such an agent has a second body, a forward Repeated A* with the same knowledge, and hands over to it as soon as the goal
is proved unreachable. That one searches all that can be reached, goes to the nearest state, and thinks again when it
learns something: it does what every forward agent does, and needs nothing of its own.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled
from ..knowledge.terrain import Knowledge
from ..memory import untouched
from ..search.best_first import new_search
from ..search.clock import NEVER
from ..search.learning import Learned
from ..search.nodes import NODE
from ..solver import Order, bucket_shift, open_memory
from ..worlds import AnyWorld
from .body import (
    GOING,
    NOWHERE,
    UNREACHABLE,
    bytes_used,
    conclude,
    decide,
    new_body,
    new_walk,
    path_ahead,
    renewed,
    search_number,
    states_kept,
)
from .complete import Complete
from .paths import rest_of_path


class WithRetreat(NamedTuple):
    """How an agent decides that has another one to go on where it gives up."""

    control: Any  # its own way to decide
    retreat: Any  # the body of the other one; it has had no interval until it is needed


def with_retreat(
    control: Any, world: AnyWorld, believed: Learned, knowledge: Knowledge, start: int, goal: int, order: np.ndarray
) -> WithRetreat:
    """A control with a forward Repeated A* to fall back on."""
    weights = Order.of(world, 1.0, False)
    forward = Complete(*weights, bucket_shift(world, weights), False, False, (1, 1), 0, False)
    nothing = np.empty(0, np.int64)
    believed = believed._replace(h=nothing, path_costs=nothing)  # what has been learned proves that there is no way
    search = new_search(believed, untouched(world.states, NODE), open_memory("hot", weights), world.branching, 0, False)
    walk = new_walk(start, goal, True, order, NEVER)
    return WithRetreat(control, new_body(forward, search, believed, knowledge, walk))


@renewed.of(WithRetreat)
def _renewed(control: Any, other: Any) -> WithRetreat:
    return WithRetreat(other, control.retreat)


@decide.of(WithRetreat)
def decide_or_retreat(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """Decide as always; from the proof on, do what the retreat decides."""
    retreat = control.retreat
    if retreat.intervals:
        go_on(retreat, body, expansions, deadline, virtual)
        return
    decide(control.control, body, expansions, deadline, virtual)
    if body.stop == UNREACHABLE:  # the budget of this interval may be spent: the retreat begins with the next
        body.stop = GOING
        retreat.intervals = body.intervals
        retreat.searches, retreat.expansions = body.searches, body.expansions


@compiled
def go_on(retreat: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """Tell the retreat what is new, and take over what it decides."""
    retreat.position, retreat.news, retreat.decision = body.position, body.news, NOWHERE
    decide(retreat.control, retreat, expansions, deadline, virtual)
    body.news = retreat.news
    body.decision, body.stop = retreat.decision, retreat.stop
    body.searching, body.refuge = retreat.searching, retreat.refuge
    body.path, body.length = retreat.path, retreat.length
    body.searches, body.expansions = retreat.searches, retreat.expansions


@bytes_used.of(WithRetreat)
def _bytes_used(control: Any, body: Any) -> int:
    own, retreat = bytes_used(control.control, body), control.retreat
    return own + bytes_used(retreat.control, retreat) if retreat.intervals else own


@states_kept.of(WithRetreat)
def _states_kept(control: Any, body: Any) -> int:
    own, retreat = states_kept(control.control, body), control.retreat
    return own + states_kept(retreat.control, retreat) if retreat.intervals else own


@search_number.of(WithRetreat)
def _search_number(control: Any, body: Any) -> int:
    return search_number(control.control, body)


@conclude.of(WithRetreat)
def _conclude(control: Any, body: Any) -> None:
    conclude(control.control, body)
    control.retreat.intervals = 0


@path_ahead.of(WithRetreat)
def _path_ahead(control: Any, body: Any) -> np.ndarray:
    return rest_of_path(borrow_field(body, "walk")) if control.retreat.intervals else path_ahead(control.control, body)
