"""A lookahead with a depth prepared for the region: the dynamic depth of D LRTA* (Bulitko et al. 2008).

The target knows the depth, from `subgoals.depths`. If it is 1, or if the depth is not dynamic, this is a lookahead of
one step. The agent makes one move, as in LRTA*, whatever the depth.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field
from ...compiled.clock import NEVER
from ...search.breadth_first import look_within
from ...search.open_list import NOBODY, Entry
from ...search.orders import Order
from ...search.paths import first_move
from ...search.state import begin
from ...search.ties import in_search
from ..making import search_for
from ..parameters import Parameter, a_flag
from ..parts import NO_SEARCH, Part, Setting
from ..roles import depth_ahead, look, path_ahead, take_news, take_news_of_target, view_again
from ..targets.regions import world_toward
from ..walk import forget_news, one_move
from .step import Step, best_move, best_neighbor, make_one_move


class Prepared(NamedTuple):
    """A lookahead over everything within the number of moves that the target says."""

    order: Any  # by cost


@look.of(Prepared)
def _look(lookahead: Any, parts: Any, body: Any, allowance: Any) -> None:
    make_one_move(lookahead, parts, body, allowance)


@best_move.of(Prepared)
def _best_move(lookahead: Any, parts: Any, body: Any, world: Any, allowance: Any) -> Any:
    depth = depth_ahead(parts.target, body)
    if depth == 1:
        return best_neighbor(parts, body, world)
    search = body.search
    begin(search, view_again(parts.target, body, search.world), body.position, lookahead.order)
    best = look_within(search, body.position, depth, NEVER, allowance, in_search(parts.order, body.searches))
    body.expansions += search.expansions
    state = best.state if best.state == NOBODY else first_move(search, np.int64(best.state))
    return Entry(best.f, best.rank, state, best.order)


@take_news.of(Prepared)
def _take_news(lookahead: Any, parts: Any, body: Any) -> None:
    take_news_of_target(parts.target, body)
    forget_news(borrow_field(body, "walk"))


@path_ahead.of(Prepared)
def _path_ahead(lookahead: Any, body: Any) -> np.ndarray:
    return one_move(borrow_field(body, "walk"))


def _make(setting: Setting) -> Prepared | Step:
    return Prepared(Order.by_cost(setting.world)) if setting.parameters["dynamic_depth"] else Step()


def _search(setting: Setting, order: Any) -> Any:
    if not setting.parameters["dynamic_depth"]:
        return NO_SEARCH
    return search_for(setting, Order.by_cost(setting.world), world_toward(setting))


def _objection(setting: Setting) -> str | None:
    if setting.has("target", "regions"):
        return None
    return f"agent {setting.name!r}: only the target 'regions' knows how far to look; use another lookahead"


PREPARED = Part(
    "lookahead",
    "prepared",
    "the neighbours of the current state; with `dynamic_depth`, everything within a depth chosen for the region",
    _make,
    {"dynamic_depth": Parameter(False, a_flag)},
    memory=("nodes",),
    search=_search,
    objection=_objection,
    paper="Bulitko et al. 2008",
)
