"""Fringe-Retrieving A* (Sun, Yeoh and Koenig 2009): A* that keeps its search tree when the goal moves.

The agent has moved down the tree. If the new goal is in the tree below the agent, the path is already known. Otherwise
the search continues with the part of the tree below the agent (`search.fringe`). Any change of a cost that the tree may
depend on makes it start from scratch: this is an agent for moving goals in a world that seldom changes.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, optional
from ...compiled.clock import NEVER
from ...compiled.prices import UPDATE
from ...core.integers import Int
from ...search.allowance import after
from ...search.fringe import READY, begin_retrieval, new_fringe, retrieve
from ...search.orders import Order, RandomTies
from ...search.paths import begin_trace
from ...search.state import EXPANDED, FOUND, RUNNING, reached_by
from ...worlds.interface import aimed
from ..body import search_on
from ..making import search_for
from ..parts import Part, Setting, needs_positive_costs
from ..paths import take_news_of_path, take_path
from ..roles import at_root, for_search, look, take_news
from ..walk import NOWHERE
from .complete import begin_search, find_end


class Retrieving(NamedTuple):
    """A search to the end whose tree is kept."""

    fringe: Any


@take_news.of(Retrieving)
def _take_news(lookahead: Any, parts: Any, body: Any) -> None:
    give_up_tree(lookahead.fringe, body)
    take_news_of_path(body)


@compiled
def give_up_tree(fringe: Any, body: Any) -> None:
    """Is the tree invalid? A cheaper move may lead into it from anywhere."""
    news, nodes = borrow_field(body, "news"), borrow_field(body.search, "nodes")
    spoiled = news.relief or fringe.phase != READY
    for j in range(news.count):
        spoiled = spoiled or reached_by(nodes[news.states[j]], body.search.number)
    if spoiled:
        fringe.valid, fringe.phase, body.searching = False, READY, False


@look.of(Retrieving)
def _look(lookahead: Any, parts: Any, body: Any, allowance: Any) -> None:
    """Retrieve the tree, or begin another one; continue the search; take the path once it is found."""
    fringe = lookahead.fringe
    body.length = 0
    if not body.searching or not at_root(parts.walk, body):
        if fringe.valid and is_closed(body, body.position):
            go_on_from_here(fringe, body)
        else:
            fringe.phase, fringe.valid = READY, True
            begin_search(body, once_each(parts.order), False)
    if fringe.phase != READY:
        allowance = retrieve_within(fringe, body, allowance)
        if fringe.phase != READY:
            return
    outcome = search_on(body, for_search(parts.walk, body, allowance))
    if outcome != RUNNING and find_end(body, False, outcome == FOUND, allowance.deadline):
        body.searching = not take_path(body, False, allowance.deadline)


@compiled
def retrieve_within(fringe: Any, body: Any, allowance: Any) -> Any:
    """Retrieve as much as the allowance permits; return what is left of it."""
    steps = NEVER if allowance.virtual == NEVER else max(1, allowance.virtual // UPDATE)
    done = retrieve(fringe, body.search, body.position, steps, allowance.deadline)
    return after(allowance, 0, done * UPDATE)


@compiled
def is_closed(body: Any, state: Int) -> bool:
    """Has the search expanded it?"""
    return borrow_field(body.search, "nodes")[state].search == body.search.number + EXPANDED


@compiled
def go_on_from_here(fringe: Any, body: Any) -> None:
    """Take the path from the tree, or start retrieving it."""
    search = body.search
    body.searching, body.root, body.refuge, body.progress = True, body.position, NOWHERE, 0
    body.searches += 1
    search.world = aimed(body.world, body.goal)
    search.traced = 0
    if is_closed(body, body.goal) and is_below(borrow_field(search, "nodes"), body.goal, body.position):
        search.outcome = FOUND
        begin_trace(search, body.goal)
    else:
        begin_retrieval(fringe, search, body.position)


@compiled
def is_below(nodes: Any, state: Int, root: Int) -> bool:
    """Does the tree lead from `root` to the state? No state above it is that far from the tree's own root."""
    while state != root and nodes[state].g > nodes[root].g:
        state = np.int64(nodes[state].parent)
    return state == root


@optional
def once_each(order: Any) -> Any:
    """Return the order, with which no state is expanded twice."""
    return order


@once_each.of(Order)
def _once_each(order: Any) -> Order:
    return Order(order.g_weight, order.h_weight, True, order.shift)


@once_each.of(RandomTies)
def _once_each_at_random(order: Any) -> RandomTies:
    return RandomTies(order.g_weight, order.h_weight, True, order.shift, order.seed)


def _search(setting: Setting, order: Any) -> Any:
    if setting.before is None:
        return search_for(setting, order, keep_closed=True)
    setting.open_list = setting.before.open_list
    return setting.before.search


def _make(setting: Setting) -> Retrieving:
    return Retrieving(new_fringe()) if setting.before is None else setting.before.lookahead


def _objection(setting: Setting) -> str | None:
    if not setting.world.aims_anywhere:
        return f"agent {setting.name!r} is for moving goals on grids and graphs"
    if not (setting.has("order", "weighted") and setting.parameters["weight"] == 1):
        return f"agent {setting.name!r} keeps the costs that its search has found, which must be exact: use weight 1"
    return needs_positive_costs(setting)  # by its g, a state is below another one in the tree


RETRIEVING = Part(
    "lookahead",
    "retrieving",
    "a search to the goal that keeps its tree when the goal moves",
    _make,
    memory=("nodes",),
    objection=_objection,
    search=_search,
    paper="Sun, Yeoh, Koenig 2009",
)
