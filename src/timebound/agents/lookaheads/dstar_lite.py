"""D* Lite (Koenig and Likhachev 2002): one backward search, repaired when the agent observes a change."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow, borrow_field, compiled, resized
from ...core.memory import untouched
from ...search.open_list import ENTRY
from ...search.orders import ENTRIES
from ...search.repair import (
    DONE,
    begin_repair,
    compute_shortest_path,
    correct,
    downhill,
    look_ahead,
    new_repairs,
    off_course,
    set_course,
)
from ...search.vertices import VERTEX_BYTES, vertex, vertices_reached
from ...worlds.interface import aimed, heuristic
from ..parameters import Parameter, a_flag
from ..parts import Part, Setting, needs_positive_costs
from ..roles import look, path_ahead, search_bytes, search_costs, search_states, take_news
from ..walk import NOWHERE, UNREACHABLE, forget_news


class Repair(NamedTuple):
    """A search from the goal to the agent that is repaired."""

    tag: int = 0


@take_news.of(Repair)
def _take_news(lookahead: Any, parts: Any, body: Any) -> None:
    """Do nothing: repairing the search processes the news."""


@look.of(Repair)
def _look(lookahead: Any, parts: Any, body: Any, allowance: Any) -> None:
    """Procedure Main: repair the search, then step to the neighbour from which the goal is cheapest."""
    search, toward = body.search, aimed(borrow_field(body, "world"), body.position)
    before, pushes, modifier, last = search.expansions, search.queue.pushes, search.modifier, search.last
    search.modifier, search.last = modifier + heuristic(toward, last), body.position
    changed = borrow_field(body, "news").count > 0
    if pushes == 0:
        body.searches += 1
        begin_repair(search, toward, body.goal)
    if changed:
        correct_news(body, toward)
    outcome = compute_shortest_path(search, toward, body.position, allowance)
    if not changed and search.queue.pushes == pushes and search.expansions == before:
        # There was nothing to do, so k_m need not rise: with every rise its keys would be less informed.
        search.modifier, search.last = modifier, last
    body.expansions += search.expansions - before
    body.searching = outcome != DONE
    if outcome == DONE:
        take_course(body)


@compiled
def take_course(body: Any) -> None:
    """Decide on the next move. A repair counts as another search if the path that the agent followed has changed."""
    search, world, position = body.search, borrow_field(body, "world"), body.position
    if off_course(search, world, position):
        body.searches += 1
    body.decision = downhill(search, world, position)
    if body.decision == NOWHERE:
        body.stop = UNREACHABLE
    else:
        set_course(search, world, position, body.decision)


@compiled
def correct_news(body: Any, toward: Any) -> None:
    """Lines 39 to 45 of Main: correct rhs of the states whose moves changed."""
    search, news = body.search, borrow_field(body, "news")
    vertices, world = borrow_field(search, "vertices"), borrow(toward)
    for j in range(news.count):
        state = np.int64(news.states[j])
        if state != body.goal:
            vertex(vertices, search.number, state).rhs = look_ahead(vertices, search.number, world, state)
            correct(search, toward, state)
    forget_news(borrow_field(body, "walk"))


@path_ahead.of(Repair)
def _path_ahead(lookahead: Any, body: Any) -> np.ndarray:
    return way_down(body)


@compiled
def way_down(body: Any) -> np.ndarray:
    """Return the path from the agent to the goal; empty if the search has not got that far."""
    way, state, length = np.empty(64, np.int32), NOWHERE if body.searching else body.position, 0
    while state != NOWHERE and length <= len(body.order):
        if length == len(way):
            way = resized(way, 2 * length)
        way[length] = state
        length += 1
        if state == body.goal:
            return resized(way, length)
        state = downhill(body.search, borrow_field(body, "world"), state)
    return np.empty(0, np.int32)


@search_bytes.of(Repair)
def _search_bytes(lookahead: Any, body: Any) -> int:
    return search_states(lookahead, body) * VERTEX_BYTES + body.search.queue.size * body.search.heap.itemsize


@search_states.of(Repair)
def _search_states(lookahead: Any, body: Any) -> int:
    return min(body.search.generated + 1, len(body.search.vertices))  # at most


@search_costs.of(Repair)
def _search_costs(lookahead: Any, body: Any) -> np.ndarray:
    return vertices_reached(body.search)


def _search(setting: Setting, order: Any) -> Any:
    vertices, mark = setting.memory["vertices"]
    heap = setting.open_list = setting.world.pool.take_object("heap", partial(untouched, ENTRIES, ENTRY))
    larger_g = setting.parameters["larger_g"]
    return new_repairs(vertices, mark + 1, heap, setting.start, setting.world.most_predecessors, order, larger_g)


def _objection(setting: Setting) -> str | None:
    if not setting.world.aims_anywhere:
        return f"agent {setting.name!r} searches from the goal, which works only on grids and graphs"
    return needs_positive_costs(setting)


REPAIR = Part(
    "lookahead",
    "repair",
    "one search from the goal to the agent, repaired after every observation",
    lambda setting: Repair(),
    {"larger_g": Parameter(False, a_flag)},
    memory=("vertices",),
    objection=_objection,
    search=_search,
    paper="Koenig, Likhachev 2002",
)
