"""A trace of every interval, for pictures and replays. It looks at the whole world each time: not for large ones."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiled import borrow, borrow_field, compiled
from ..episode import Interval
from ..knowledge.grid import BLOCKED
from ..search.best_first import reached_by
from ..search.learning import learned_values
from ..search.open_list import NOBODY, grown, remove, surface
from ..search.repair import ABSENT, INFINITE
from ..search.updates import FRONTIER, WAITING
from ..worlds import Grid
from .walk import NOWHERE

if TYPE_CHECKING:
    from .agent import Agent

OPEN, CLOSED, UNSURE = 1, 2, 3


@compiled
def marks_of_search(body: Any) -> np.ndarray:
    """For every state: OPEN, CLOSED, or 0 where the present search has not been."""
    search = body.search
    memory, queue = grown(search.memory), search.queue
    nodes, marks = borrow_field(search, "nodes"), np.zeros(len(borrow_field(search, "nodes")), np.uint8)
    if search.reached == 0:  # it has not begun
        return marks
    updated = False
    for state in range(len(marks)):
        if reached_by(nodes[state], search.number):
            part = nodes[state].search - search.number
            updated = updated or part >= WAITING
            marks[state] = OPEN if part == FRONTIER else UNSURE if part == 0 else CLOSED
    for state in range(len(marks)):
        if marks[state] == UNSURE:
            marks[state] = OPEN if updated else CLOSED
    while not updated:  # empty a copy of the open list
        queue = surface(borrow(memory), queue, nodes)
        if queue.hand.state == NOBODY:
            return marks
        marks[queue.hand.state] = OPEN
        queue = remove(queue)
    return marks


@compiled
def marks_of_repair(body: Any) -> np.ndarray:
    """The same of D* Lite: inconsistent states are open, the other states of finite cost are closed."""
    vertices = borrow_field(body.search, "vertices")
    marks = np.zeros(len(vertices), np.uint8)
    for state in range(len(marks)):
        u = vertices[state]
        seen = u.seen == body.search.number
        if seen and u.key != ABSENT:
            marks[state] = OPEN
        elif seen and u.g < INFINITE:
            marks[state] = CLOSED
    return marks


@compiled
def _h_and_decision(body: Any) -> tuple[np.ndarray, int]:
    return learned_values(body.world), body.decision


class Tracer:
    """Watches an agent from interval to interval."""

    def __init__(self, agent: "Agent"):
        self.agent = agent
        self.seen, self.h = self._seen(), _h_and_decision(agent._body)[0]

    def look(self) -> Interval:
        """What the interval that has just ended brought."""
        world = self.agent.world
        seen, (h, decision) = self._seen(), _h_and_decision(self.agent._body)
        news, risen = np.flatnonzero(seen != self.seen), np.flatnonzero(h != self.h)
        self.seen, self.h = seen, h
        marks = self._marks()
        return Interval(
            position=self.agent.position,
            decision=None if decision == NOWHERE else world.place(decision),
            observed=[(world.place(int(cell)), "blocked" if seen[cell] == BLOCKED else "free") for cell in news],
            open=world.places(np.flatnonzero(marks == OPEN)),
            closed=world.places(np.flatnonzero(marks == CLOSED)),
            learned={world.place(int(state)): float(h[state]) / world.unit for state in risen},
        )

    def _marks(self) -> np.ndarray:
        """Which states are open and closed, if it has a search."""
        lookahead = self.agent._parts["lookahead"].name
        if len(self.agent._search_costs()) == 0:
            return np.zeros(self.agent.world.states, np.uint8)
        marks: np.ndarray = (marks_of_repair if lookahead == "repair" else marks_of_search)(self.agent._body)
        return marks

    def _seen(self) -> np.ndarray:
        """Of a grid the cells; the edges of a graph are not told one by one."""
        return self.agent.knows().ravel() if isinstance(self.agent.world, Grid) else np.empty(0, np.uint8)
