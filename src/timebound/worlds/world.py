"""What all worlds have in common, seen from Python."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..memory import Idle


class World(ABC):
    """States, moves and costs.

    Inside the library a state is a whole number from 0 to `states` - 1, and a cost is a whole number of `1 / unit`.
    Users see positions or labels, and ordinary numbers.
    """

    states: int
    """How many states there are."""
    unit: int
    """Costs are whole numbers of 1 / unit: sums are exact, and ties are real ties."""
    branching: int
    """No state has more successors."""
    confluence: int
    """No state has more predecessors."""
    dearest: int
    """What the dearest move costs, in the world's unit."""
    cheapest: int
    """What the cheapest move costs, in the world's unit."""
    longest: int
    """No path without loops costs more, in the world's unit."""

    @cached_property
    def idle_searches(self) -> tuple[list[Any], list[Any]]:
        """Searches that wait for the next query, with hot queues and with heaps: no query pays for memory."""
        return [], []

    @cached_property
    def idle_memory(self) -> Idle:
        """Memory of agents that are no more, for the next."""
        return Idle()

    @cached_property
    def idle_cases(self) -> dict[Any, Any]:
        """Small case bases that agents have built for themselves, for the next."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        idle = ("idle_searches", "idle_memory", "idle_cases")
        return {name: value for name, value in self.__dict__.items() if name not in idle}

    @abstractmethod
    def state(self, place: Any) -> int:
        """The number of the state at a position or label that a user gave; bad ones raise `ProblemError`."""

    def inside(self, place: Any) -> int:
        """The number of the state at a place, whether or not an agent can be there."""
        return self.state(place)

    @abstractmethod
    def place(self, state: int) -> Hashable:
        """The position or label of a state."""

    @abstractmethod
    def compiled(self, goal: int) -> Any:
        """The form in which compiled code takes this world: a NamedTuple with its own `successors`, `heuristic`, ..."""

    @abstractmethod
    def path_cost(self, states: np.ndarray) -> float:
        """What a path costs, in ordinary numbers."""

    def walk_cost(self, states: np.ndarray) -> float:
        """What a walk costs that may have jumps, where something put the agent elsewhere; a jump costs nothing."""
        return self.path_cost(states)

    def places(self, states: np.ndarray) -> Sequence[Hashable]:
        """The positions or labels of many states."""
        return [self.place(int(state)) for state in states]
