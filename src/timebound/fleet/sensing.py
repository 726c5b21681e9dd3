"""Unknown terrain: units of one kind share a map of what they have seen, like one side in a game."""

from typing import Any

import numpy as np

from ..compiled import borrow, borrow_field, compiled, inlined, optional
from ..core.integers import Int
from ..knowledge import News, hides, see, sense, worth_a_look
from ..knowledge.grid import FREE, GridKnowledge, believed_free, really_free
from ..worlds.grid import OF_CELL
from ..worlds.interface import IMPOSSIBLE, price_of
from .allocator import Allocator
from .kinds import share_news
from .turns import enqueue, line_up
from .units import ABSENT, ARRIVED, BLOCKED, MOVING, Units


@compiled
def sense_all(planners: Any, kind: int, queues: Any, units: Units, present: np.ndarray, tick: Int) -> bool:
    """Let all units of a kind look around; return whether any of them found a new way."""
    planner, rows = planners.shared, units.rows
    knowledge, relief = borrow_field(planner.body, "knowledge"), False
    if not hides(knowledge):
        return False
    for i in range(len(present)):
        row = borrow(rows)[present[i]]
        if row.kind != kind or row.reason == ABSENT:
            continue
        mistaken = takes_for_wall(knowledge, row.position)
        if mistaken or worth_a_look(knowledge, row.position):
            body = planner.body
            body.news = News(body.news.states, 0, False)
            if mistaken:
                body.news = see(body.knowledge, 2 * row.position + OF_CELL, FREE, body.news)
            body.news = sense(body.knowledge, row.position, body.news)
            relief = relief or body.news.relief
            if body.news.count:
                leaves = row.length and not row.buried
                if row.reason != ARRIVED and leaves and is_cut(planner, borrow(units.allocator), row):
                    enqueue(queues, rows, present[i], tick)
                elif planners.ownership.keeps_search and MOVING <= row.reason <= BLOCKED:
                    line_up(queues, rows, present[i], tick)  # it must correct its search
                share_news(planners.ownership, planners)
            body.news = News(body.news.states, 0, False)
    return relief


@optional
def takes_for_wall(knowledge: Any, state: Int) -> bool:
    """Is a unit, pushed there by another, in a cell that was a wall when it was last seen?"""
    return False


@takes_for_wall.of(GridKnowledge)
def _takes_for_wall(knowledge: Any, state: Int) -> bool:
    return really_free(knowledge, state) and not believed_free(knowledge, state)


@inlined
def is_cut(planner: Any, allocator: Allocator, row: Any) -> bool:
    """Is any move ahead on a path impossible?"""
    world, cells = borrow_field(planner.body, "world"), allocator.cells
    for i in range(row.path + row.at, row.path + row.length - 1):
        if price_of(world, cells[i], cells[i + 1]) == IMPOSSIBLE:
            return True
    return False
