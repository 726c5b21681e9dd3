"""timebound itself, under whatever rule the others follow."""

from typing import Any

import numpy as np

import timebound as tb

from ..rules import Position, Rule
from .base import Contender


class Timebound(Contender):
    """`timebound.shortest_path`, as a user calls it."""

    package = "timebound"

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


class Prepared(Timebound):
    """The same after `world.prepare()`."""

    method = "prepared"

    def __init__(self, passable: np.ndarray, rule: Rule) -> None:
        super().__init__(passable, rule)
        self.world.prepare()

    def expansions(self, answer: Any) -> None:
        """Corners, not cells: there is nothing to compare them with."""
