"""How an agent catches up with a world that has changed since it last did something.

In known terrain it learns of every change at once. In unknown and partial terrain it keeps its belief until its sensor
or a program tells it otherwise; what it has decided to do may turn out to be impossible.
"""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled
from ..integers import Int
from ..knowledge.grid import FREE, OUTDATED, learn_cell, map_changed
from ..worlds import Grid
from ..worlds.changes import Noted
from ..worlds.grid import OF_CELL
from .walk import GOING, NOWHERE, STUCK, UNREACHABLE


class Watch:
    """What one agent knows of the changes of its world."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.version = agent.world.version
        self.wall: int | None = None  # the cell that the agent is in, if that has become a wall

    def catch_up(self) -> None:
        """Take in what has changed."""
        agent, changes = self.agent, self.agent.world.changes
        noted, self.version = changes.since(self.version), changes.version
        if isinstance(agent.world, Grid):
            self._follow_grid(noted)
        refuse_decision(agent)
        if agent.terrain != "known" and is_at_loss(agent._walk):
            agent.sense()  # it does not move, and so would never look again
        self.go_on()

    def _follow_grid(self, noted: Noted) -> None:
        cells = noted.subjects % 2 == OF_CELL
        self._follow_map(noted.subjects[cells] // 2, noted.before[cells])

    def _follow_map(self, cells: np.ndarray, before: np.ndarray) -> None:
        agent = self.agent
        now = agent.world.passable.ravel()[cells]
        differ = now != (before != 0)
        cells, before, now = cells[differ], before[differ], now[differ]
        agent._knowledge.tally[OUTDATED] = 1
        if agent.terrain == "unknown" or not len(cells):
            return  # it assumes all cells to be free, and its sensor looks at this very map
        if agent.terrain == "partial":
            agent.truth.copy_cells(agent.world, cells)
        hear_of_cells(agent._walk, agent._knowledge, cells, before, agent.terrain == "known")
        self.stand_in_wall()

    # ---------------------------------------------------------------- a wall where the agent is

    def stand_in_wall(self) -> None:
        """An agent under a new wall takes its cell for free as long as it is there, so that it can leave."""
        agent = self.agent
        here = agent._state
        self.wall = None
        if agent.terrain == "known" and not agent.world.passable.ravel()[here]:
            self.wall = here
            take_for_free(agent._walk, agent._knowledge, here)

    def leave_wall(self) -> None:
        """Has it left the wall? Then it may not come back."""
        agent = self.agent
        if self.wall is not None and agent._state != self.wall:
            cell, self.wall = np.array([self.wall]), None
            hear_of_cells(agent._walk, agent._knowledge, cell, np.ones(1, np.int64), True)
            refuse_decision(agent)

    # ---------------------------------------------------------------- hope

    def go_on(self) -> None:
        """An agent that has given up goes on if there is hope: it heard of a move that became possible or cheaper."""
        agent = self.agent
        if has_hope(agent._walk):
            resume(agent._walk)
            if agent._retreat_walk is not None:
                resume(agent._retreat_walk)


def refuse_decision(agent: Any) -> None:
    """The move that the agent has decided to make may be impossible by now: then it stays where it is."""
    decision = decision_of(agent._walk)
    if decision != NOWHERE and decision != agent._state and not agent.truth.allows(agent._state, decision):
        take_back(agent._walk)


# ------------------------------------------------------------------ compiled: once for all agents


@compiled
def hear_of_cells(walk: Any, knowledge: Any, cells: np.ndarray, before: np.ndarray, at_once: bool) -> None:
    """The map has changed."""
    walk.news = map_changed(knowledge, cells, before, at_once, walk.news)


@compiled
def take_for_free(walk: Any, knowledge: Any, cell: Int) -> None:
    """The agent is in that cell, so that it must be able to leave it."""
    walk.news = learn_cell(knowledge, cell, FREE, walk.news)


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
def resume(walk: Any) -> None:
    """Go on."""
    walk.stop = GOING


@compiled
def decision_of(walk: Any) -> Int:
    """Where it wants to go next, or NOWHERE."""
    return walk.decision


@compiled
def take_back(walk: Any) -> None:
    """Nothing is decided."""
    walk.decision, walk.stepping_back = NOWHERE, False
