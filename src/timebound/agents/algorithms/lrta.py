"""LRTA* (Korf 1990): look ahead to a depth or a cost, raise the h of the agent's state, move.

Figure 1 of the kNN LRTA* paper (Bulitko, Björnsson and Lawrence 2010), inside the loop of `interval.turns`:

    3     select a subgoal                           the target: `aim`, `view`
    4     generate the successors up to g_max        a depth of 1: best_choice; deeper: search.breadth_first
    5     the frontier state with the least g + h    the same
    6     h(s) := that                               teach, for the learning rule `one-state`
    7     one step toward it                         the decision; deeper: plain.FollowPath
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, inlined, optional
from ...compiled.clock import NEVER
from ...compiled.prices import TRACE_STEP
from ...search.breadth_first import look_within
from ...search.budget import Allowance
from ...search.learning import FULL, learn
from ...search.listener import EXPAND, SEARCH
from ...search.open_list import NOBODY
from ...search.orders import Order, in_search
from ...search.paths import begin_trace
from ...search.state import begin_again
from ...worlds.interface import NO_STATE, heuristic, hopeless, tell
from ..body import Body, proved_unreachable, same_world, take_path
from ..journey import OUT_OF_MEMORY, STUCK, UNREACHABLE
from ..making import limit, search_for
from ..parameters import Parameter, a_count, a_number, or_none
from ..parts import WITHOUT, Part, Setting, learns_from_positive_costs
from ..roles import Parts, best_neighbor, circles, decided, farthest, look, missed, search_ended, teach, view

# ------------------------------------------------------------------ one move


class Step(NamedTuple):
    """Look at the neighbours."""

    learns_first: bool  # does the rule learn before the lookahead, and so check whether there is a path?


@optional
def best_move(lookahead: Any, parts: Parts, body: Body, world: Any, allowance: Allowance) -> Any:
    """Return the best neighbour, as an entry; the current state's h may be raised to its f."""
    return looked_at(lookahead, parts, body, world)


@inlined
def looked_at(lookahead: Any, parts: Parts, body: Body, world: Any) -> Any:
    """Return the neighbour that the target prefers: by default that with the least cost + h."""
    if not lookahead.learns_first:
        tell(borrow_field(body, "world"), SEARCH, body.position, NO_STATE, 1, 1)
        tell(borrow_field(body, "world"), EXPAND, body.position, NO_STATE, 0, 0)
    body.expansions += 1
    return best_neighbor(parts.target, world, body.position, in_search(parts.order, body.searches))


@look.of(Step)
def make_one_move(lookahead: Step, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Move toward the target: the kNN LRTA* paper, Figure 1, lines 4 to 7."""
    going = not circles(parts.learning, body)
    if not going:
        body.stop = STUCK
    while going:
        world = view(parts.target, body)
        proved = hopeless(world, body.position) or heuristic(world, body.position) > farthest(parts.target, body)
        if proved and not lookahead.learns_first:
            going = missed(parts.target, body)
            continue
        body.searches += 1
        best = best_move(lookahead, parts, body, world, allowance)
        if best.state == NOBODY:
            going = missed(parts.target, body)
            continue
        teach(parts.learning, world, body.position, best.f)
        if borrow_field(body, "world").tally[FULL]:
            body.stop = OUT_OF_MEMORY
            break
        body.decision = np.int64(best.state)
        decided(parts.target, body)
        break


def step_for(setting: Setting) -> Step:
    """Make the lookahead of one move."""
    return Step(setting.parts["learning"].learns_first)


STEP = Part(
    "lookahead",
    "step",
    "the neighbours of the current state",
    step_for,
    objection=learns_from_positive_costs,
    paper="Korf 1990",
    starts_afresh=True,
    one_move=True,
)


# ------------------------------------------------------------------ deeper


class Within(NamedTuple):
    """Everything within some moves, or within a cost."""

    depth: int  # in moves; NEVER if the limit is a cost
    cost_limit: int  # NEVER if the limit is a depth
    order: Any  # by cost


@look.of(Within)
def _look_within(lookahead: Within, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Look ahead, raise the h of the current state to what was found, take the path to it."""
    search = body.search
    body.length = 0
    if proved_unreachable(body):
        body.stop = UNREACHABLE
        return
    if circles(parts.learning, body):
        body.stop = STUCK
        return
    same_world(body)
    begin_again(search, body.position, lookahead.order)
    body.searches += 1
    ties = in_search(parts.order, body.searches)
    best = look_within(search, body.position, lookahead.depth, lookahead.cost_limit, allowance, ties)
    body.expansions += search.expansions
    if best.state == NOBODY:
        body.stop = UNREACHABLE
        return
    begin_trace(search, best.state)
    body.progress = 0
    take_path(body, False, NEVER)
    teach(parts.learning, borrow_field(body, "world"), body.position, best.f)
    body.debt = TRACE_STEP * body.length


def is_one_step(setting: Setting) -> bool:
    """Does the lookahead end at the neighbours? Deeper ones skip the states in between."""
    parameters = setting.parameters
    return setting.parts["lookahead"].one_move or (
        parameters.get("depth") == 1 and parameters.get("cost_limit") is None
    )


def _make(setting: Setting) -> Within | Step:
    if is_one_step(setting):
        return step_for(setting)
    most, unit = setting.parameters["cost_limit"], setting.world.unit
    cost_limit = NEVER if most is None or most * unit >= NEVER else int(most * unit)
    depth = limit(None) if most is not None else setting.parameters["depth"]
    return Within(depth, cost_limit, Order.by_cost(setting.world))


WITHIN = Part(
    "lookahead",
    "within",
    "everything within `depth` moves, or within `cost_limit`",
    _make,
    {
        "depth": Parameter(1, a_count),
        "cost_limit": Parameter(
            None, or_none(a_number("the cost_limit of the lookahead is a number above 0", 0, ends="(]"))
        ),
    },
    memory=("nodes",),
    objection=learns_from_positive_costs,
    search=lambda setting, order: (
        WITHOUT if is_one_step(setting) else search_for(setting, Order.by_cost(setting.world))
    ),
    paper="Korf 1990",
    starts_afresh=True,
)


# ------------------------------------------------------------------ learning


class OneState(NamedTuple):
    """Mini-min: raise the h of the agent's state only.

    h(s) := max(h(s), min g(t) + h(t)) over the states t that the lookahead from s has reached but not expanded.

    With a lookahead of one move h stays consistent. It takes O(1) time besides the lookahead. Korf 1990; kNN LRTA*
    paper, Figure 1, line 6.
    """

    tag: int = 1


teach.of(OneState)(lambda rule, world, state, value: learn(world, state, value))
search_ended.of(OneState)(lambda rule, body: None)


ONE_STATE = Part(
    "learning",
    "one-state",
    "raise the h of the current state to the least f that the lookahead has seen",
    lambda setting: OneState(),
    memory=("h",),
    steepness=lambda setting: int(is_one_step(setting)),
    lookaheads=("within", "step", "prepared"),
    needs="a best-first search learns about all states that it expands; use learning='adaptive', 'lazy' or 'dijkstra'",
    paper="Korf 1990",
)
