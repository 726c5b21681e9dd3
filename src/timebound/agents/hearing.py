"""What an agent hears of changes of its world, in compiled code: once for all agents."""

from typing import Any

import numpy as np

from ..compiled import borrow, borrow_field, compiled
from ..integers import Int
from ..knowledge.graph import edges_changed
from ..knowledge.grid import FREE, costs_changed, learn_cell, map_changed
from ..search.consistency import full_heuristic
from ..search.learning import INFINITE, TOP
from .walk import AT_GOAL, GOING, NOWHERE, STUCK, UNREACHABLE


@compiled
def hear_of_cells(walk: Any, knowledge: Any, cells: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """The map has changed."""
    walk.news = map_changed(knowledge, cells, before, at_once, walk.news)


@compiled
def hear_of_costs(walk: Any, knowledge: Any, cells: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """Travel costs of a grid have changed."""
    walk.news = costs_changed(knowledge, cells, before, at_once, walk.news)


@compiled
def hear_of_edges(walk: Any, knowledge: Any, edges: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """Edges of a graph have changed."""
    walk.news = edges_changed(knowledge, edges, before, at_once, walk.news)


@compiled
def set_longest(walk: Any, longest: int) -> None:
    """No path of the map costs more."""
    walk.longest = longest


@compiled
def take_for_free(walk: Any, knowledge: Any, cell: Int) -> None:
    """The agent is in that cell, so that it must be able to leave it."""
    walk.news = learn_cell(knowledge, cell, FREE, walk.news)


@compiled
def value_at(body: Any, nodes: np.ndarray, state: Int) -> int:
    """h of one state, with all that was learned; -1 if h need not be consistent, or says of some state: no way."""
    world = borrow_field(body, "world")
    if body.steepness == 0 or world.tally[TOP] - world.base >= INFINITE:
        return -1
    return full_heuristic(world, borrow(nodes), state)


@compiled
def is_at_loss(walk: Any) -> bool:
    """Has the agent given up?"""
    return walk.stop == UNREACHABLE or walk.stop == STUCK


@compiled
def has_hope(walk: Any) -> bool:
    """Has the agent given up, and then heard of something that may help?"""
    news = borrow_field(walk, "news")
    return news.count > 0 and (walk.stop == STUCK or (walk.stop == UNREACHABLE and news.relief))


@compiled
def has_begun(walk: Any) -> bool:
    """Has it had an interval?"""
    return walk.intervals > 0


@compiled
def is_relieved(walk: Any) -> bool:
    """Has it heard of a move that became possible or cheaper?"""
    return borrow_field(walk, "news").relief


@compiled
def has_news(walk: Any) -> bool:
    """Is there anything that it has not taken in yet?"""
    return borrow_field(walk, "news").count > 0


@compiled
def resume(walk: Any) -> None:
    """Go on."""
    walk.stop = GOING


@compiled
def catch(walk: Any, state: Int) -> None:
    """The target has come to where the agent is."""
    walk.goal, walk.stop, walk.decision = state, AT_GOAL, NOWHERE


@compiled
def decision_of(walk: Any) -> Int:
    """Where it wants to go next, or NOWHERE."""
    return walk.decision


@compiled
def take_back(walk: Any) -> None:
    """Nothing is decided."""
    walk.decision, walk.stepping_back = NOWHERE, False
