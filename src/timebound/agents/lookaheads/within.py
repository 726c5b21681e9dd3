"""Everything within a depth, or a cost: the lookahead of LRTA* (Korf 1990; kNN LRTA* paper, Figure 1, lines 4 to 7)."""

from typing import Any, NamedTuple

from ...compiled import borrow_field
from ...compiled.clock import NEVER
from ...compiled.prices import TRACE_STEP
from ...search.breadth_first import look_within
from ...search.open_list import NOBODY
from ...search.orders import Order
from ...search.paths import begin_trace
from ...search.state import begin_again
from ...search.ties import in_search
from ..making import limit, search_for
from ..parameters import Parameter, a_count, a_number, or_none
from ..parts import NO_SEARCH, Part, Setting, learns_from_positive_costs
from ..paths import same_world, take_path
from ..proof import proved_unreachable
from ..roles import circles, look, most_overestimated, teach
from ..walk import STUCK, UNREACHABLE
from .step import Step


class Within(NamedTuple):
    """Everything within some moves, or within a cost."""

    depth: int  # in moves; NEVER if the limit is a cost
    cost_limit: int  # NEVER if the limit is a depth
    order: Any  # by cost


@look.of(Within)
def _look(lookahead: Any, parts: Any, body: Any, allowance: Any) -> bool:
    """Look ahead, raise the h of the current state to what was found, take the path to it."""
    search = body.search
    body.length = 0
    if proved_unreachable(body, most_overestimated(parts.learning)):
        body.stop = UNREACHABLE
        return False
    if circles(parts.learning, body):
        body.stop = STUCK
        return False
    same_world(body)
    begin_again(search, body.position, lookahead.order)
    body.searches += 1
    ties = in_search(parts.order, body.searches)
    best = look_within(search, body.position, lookahead.depth, lookahead.cost_limit, allowance, ties)
    body.expansions += search.expansions
    if best.state == NOBODY:
        body.stop = UNREACHABLE
        return False
    begin_trace(search, best.state)
    body.progress = 0
    take_path(body, False, NEVER)
    teach(parts.learning, borrow_field(body, "world"), body.position, best.f)
    body.debt = TRACE_STEP * body.length
    return True


def _is_one_step(setting: Setting) -> bool:
    return setting.parameters["cost_limit"] is None and setting.parameters["depth"] == 1


def _make(setting: Setting) -> Within | Step:
    if _is_one_step(setting):
        return Step()
    most, unit = setting.parameters["cost_limit"], setting.world.unit
    cost_limit = NEVER if most is None or most * unit >= NEVER else int(most * unit)
    depth = limit(None) if most is not None else setting.parameters["depth"]
    return Within(depth, cost_limit, Order.by_cost(setting.world))


def _search(setting: Setting, order: Any) -> Any:
    return NO_SEARCH if _is_one_step(setting) else search_for(setting, Order.by_cost(setting.world))


WITHIN = Part(
    "lookahead",
    "within",
    "everything within `depth` moves, or within `cost_limit`",
    _make,
    {
        "depth": Parameter(1, a_count),
        "cost_limit": Parameter(
            None, or_none(a_number("the cost_limit of the lookahead is a number above 0", lambda given: given > 0))
        ),
    },
    memory=("nodes",),
    objection=learns_from_positive_costs,
    search=_search,
    starts_over=lambda parameters: parameters["depth"] == 1 and parameters["cost_limit"] is None,
    paper="Korf 1990",
)
