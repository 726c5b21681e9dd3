"""How an agent learns of changes of its world, in compiled code: once for all agents."""

from typing import Any

import numpy as np

from ..compiled import borrow, borrow_field, compiled
from ..core.integers import Int
from ..knowledge.graph import edges_changed
from ..knowledge.grid import costs_changed, learn_cell, map_changed
from ..search.consistency import full_heuristic
from ..search.learning import INFINITE, TOP
from .walk import AT_GOAL, GOING, NOWHERE, STUCK, UNREACHABLE


@compiled
def hear_of_cells(walk: Any, knowledge: Any, cells: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """Process a change of the map."""
    walk.news = map_changed(knowledge, cells, before, at_once, walk.news)


@compiled
def hear_of_costs(walk: Any, knowledge: Any, cells: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """Process a change of a grid's travel costs."""
    walk.news = costs_changed(knowledge, cells, before, at_once, walk.news)


@compiled
def hear_of_edges(walk: Any, knowledge: Any, edges: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """Process a change of a graph's edges."""
    walk.news = edges_changed(knowledge, edges, before, at_once, walk.news)


@compiled
def set_longest(walk: Any, longest: int) -> None:
    """Set the bound on path costs of the map."""
    walk.longest = longest


@compiled
def take_for(walk: Any, knowledge: Any, cell: Int, fact: int) -> None:
    """Let the agent believe that a cell is FREE or BLOCKED."""
    walk.news = learn_cell(knowledge, cell, fact, walk.news)


@compiled
def value_at(body: Any, nodes: np.ndarray, state: Int) -> int:
    """Return h of one state, with learned values; -1 if h may be inconsistent, or proves a state hopeless."""
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
    """Has the agent given up, and then learned something that may help?"""
    news = borrow_field(walk, "news")
    return news.count > 0 and (walk.stop == STUCK or (walk.stop == UNREACHABLE and news.relief))


@compiled
def has_begun(walk: Any) -> bool:
    """Has it had any interval?"""
    return walk.intervals > 0


@compiled
def is_relieved(walk: Any) -> bool:
    """Has it learned of a move that became possible or cheaper?"""
    return borrow_field(walk, "news").relief


@compiled
def has_news(walk: Any) -> bool:
    """Is there news that it has not processed yet?"""
    return borrow_field(walk, "news").count > 0


@compiled
def resume(walk: Any) -> None:
    """Resume it."""
    walk.stop = GOING


@compiled
def set_out(walk: Any) -> None:
    """Begin to go to another goal, whatever happened to the old one; it may be there already."""
    walk.stop = GOING
    if walk.position == walk.goal:
        walk.stop, walk.decision = AT_GOAL, NOWHERE


@compiled
def take_along(walk: Any, state: Int) -> bool:
    """Note that the environment puts the agent where it did not want to go; return whether that is so.

    What it has concluded where it was does not hold there: that it has arrived, cannot arrive, or goes in a circle. Nor
    does it go in a circle if its move was refused, and it searches where it has just searched.
    """
    if state == walk.position or state == walk.decision:
        walk.surprises += state != walk.decision and walk.decision != NOWHERE
        return False
    walk.surprises += 1
    if walk.stop == AT_GOAL or walk.stop == UNREACHABLE or walk.stop == STUCK:
        walk.stop = GOING
    return True


@compiled
def decision_of(walk: Any) -> Int:
    """Return where it wants to go next, or NOWHERE."""
    return walk.decision


@compiled
def take_back(walk: Any) -> None:
    """Cancel the decision."""
    walk.decision, walk.stepping_back = NOWHERE, False
