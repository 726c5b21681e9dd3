"""What all worlds have in common, seen from Python."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ProblemError
from ..memory import Pool
from ..wording import shown
from .moves import IMPOSSIBLE, prices_of

_OF_THIS_PROCESS = ("pool", "prepared")  # what is not sent along with a world
_FROZEN = ("passable", "travel")  # arrays that nobody may write to


class World(ABC):
    """States, moves and costs.

    Inside the library a state is a whole number from 0 to `states` - 1, and a cost is a whole number of `1 / unit`.
    Users see positions or labels, and ordinary numbers.
    """

    states: int
    """How many states there are; or how many may be met, if they are numbered as they are met."""
    unit: int
    """Costs are whole numbers of 1 / unit: sums are exact, and ties are real ties."""
    branching: int
    """No state has more successors."""
    most_predecessors: int
    """No state has more predecessors; 0 if the world cannot name them."""
    highest_cost: int
    """What the most expensive move costs, in the world's unit."""
    cheapest: int
    """What the cheapest move costs, in the world's unit."""
    longest: int
    """No path without loops costs more, in the world's unit."""
    reversible: bool = True
    """Can moves be undone? Where it is False, some agents are of no use. Of a graph it is not known in advance."""
    aims_anywhere: bool = True
    """Is any state as good a goal as another, also in the middle of an episode? Searches from the goal need that."""

    def __new__(cls, *arguments: Any, **named: Any) -> "World":
        """A world. `World` itself was once the name of the custom one: that still works, with a warning."""
        if cls is not World:
            return super().__new__(cls)
        from .custom import CustomWorld

        warnings.warn("a custom world is now called CustomWorld; World is the base of all", DeprecationWarning, 2)
        return super().__new__(CustomWorld)

    @cached_property
    def pool(self) -> Pool:
        """Memory of agents and searches that are no more, for the next: no query pays for it."""
        return Pool()

    @cached_property
    def prepared(self) -> dict[str, Any]:
        """What was worked out once for all agents on this world: abstractions, subgoals."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _OF_THIS_PROCESS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _FROZEN:  # `pickle` and `deepcopy` forget it
            if isinstance(state.get(name), np.ndarray):
                state[name].flags.writeable = False

    def aim(self, goal: Any) -> "tuple[World, int]":
        """The world as one search or one agent takes it, and the number of the goal (NO_STATE if it is not one state).

        A world whose states are numbered as they are met gives each a numbering of its own.
        """
        return self, self.state(goal)

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

    def guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A compiled function, so that what it meets with in code of the user's own is reported as an error."""
        return function

    def path_cost(self, states: np.ndarray) -> float:
        """What a path costs, in ordinary numbers."""
        return self.walk_cost(states)

    def walk_cost(self, states: np.ndarray) -> float:
        """What a walk costs that may have jumps, where something put the agent elsewhere; a jump costs nothing."""
        prices = self.guarded(prices_of)(self.compiled(int(states[-1])), states) if len(states) else states
        return float(prices[prices != IMPOSSIBLE].sum() / self.unit)

    def places(self, states: np.ndarray) -> Sequence[Hashable]:
        """The positions or labels of many states."""
        return [self.place(int(state)) for state in states]


def a_world(given: Any) -> World:
    """What was given, if it is a world; else say how to make one."""
    if isinstance(given, World):
        return given
    array = isinstance(given, (np.ndarray, list))
    how = (
        "tb.Grid(array)"
        if array
        else "tb.Grid.load(file)"
        if isinstance(given, str)
        else "tb.Grid, tb.Graph, tb.CustomWorld"
    )
    raise ProblemError(f"a world is needed here, not {shown(given)}; make one: {how}")
