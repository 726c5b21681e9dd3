"""timebound itself, under whatever rule the others follow."""

from typing import Any

import numpy as np

import timebound as tb
from timebound.search.solver import astar as plain

from ..rules import Position, Rule
from .base import Contender


class Timebound(Contender):
    """`timebound.shortest_path`, as a user calls it: with jump points, if they are faster than A*."""

    package = "timebound"
    method = "jump points"

    def __init__(self, passable: np.ndarray, rule: Rule) -> None:
        self.rule = rule
        self.world = rule.world(passable)

    def find(self, start: Position, goal: Position) -> Any:
        answer = tb.shortest_path(self.world, start, goal)
        answer.states  # noqa: B018 - the path is part of the answer
        return answer

    def states(self, answer: Any) -> Any:
        return answer.states

    def expansions(self, answer: Any) -> int:
        return answer.expansions


def astar(world: tb.World, start: Any, goal: Any) -> tb.Path:
    """Return the path that A* finds."""
    return plain(world, world.state(start), world.state(goal))


class Astar(Timebound):
    """A*, always."""

    method = "A*"

    def find(self, start: Position, goal: Position) -> Any:
        answer = astar(self.world, start, goal)
        answer.states  # noqa: B018 - the path is part of the answer
        return answer


class Prepared(Timebound):
    """The same after `world.prepare()`."""

    method = "prepared"

    def __init__(self, passable: np.ndarray, rule: Rule) -> None:
        super().__init__(passable, rule)
        self.world.prepare()

    def expansions(self, answer: Any) -> None:
        """Corners, not cells: there is nothing to compare them with."""
