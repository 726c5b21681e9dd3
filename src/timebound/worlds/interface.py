"""What a world must offer the compiled search: a few generic functions, implemented once per type of world.

The compiled form of a world is a `NamedTuple` of arrays and numbers, its goal included; a state is a whole number.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..compiled import generic, optional
from ..integers import Int

NO_STATE = -1


@generic
def successors(world: Any, state: Int) -> Iterator[tuple[Any, int]]:  # type: ignore[empty-body]
    """Yield every state that one move leads to, as `number_of` takes it, and the move's cost in the world's unit."""


@generic
def predecessors(world: Any, state: Int) -> Iterator[tuple[Any, int]]:  # type: ignore[empty-body]
    """Yield every state from which one move leads to `state`, as `number_of` takes it, and what the move costs."""


@optional
def number_of(world: Any, given: Any, state: Int, cost: int) -> Int:
    """The number of what `successors` or `predecessors` of `state` gave; NO_STATE where something is wrong with it.

    Worlds whose states are numbered as they are met do it here, and worlds of others' making are watched here. After
    NO_STATE a loop over the moves must end: there may be no end to them.
    """
    return np.int64(given)


@optional
def states_met(world: Any, states: int) -> int:
    """How many of so many states have a number by now: all of them, unless they are numbered as they are met."""
    return states


@optional
def aimed(world: Any, goal: Int) -> Any:
    """The same world with another goal; worlds that have one goal for good, or many, stay as they are."""
    return world


@optional
def touch(world: Any, state: Int, search: Int, g: int) -> None:
    """A search comes upon `state` for the first time; an earlier one, of that number, had reached it at cost `g`.

    Worlds that learn (see `search.learning`) take the chance; search 0 means never.
    """


@optional
def tell(world: Any, kind: int, state: Int, other: Int, g: Int, h: int) -> None:
    """Something happened in a search of this world: see `search.listener`. Nothing, where nobody listens."""


@optional
def tell_generated(world: Any, state: Int, other: Int, g: Int) -> None:
    """The state was put on an open list, reached from `other`; its h is worked out only if somebody listens."""


@optional
def hopeless(world: Any, state: Int) -> bool:
    """Is it known that no way leads from `state` to the goal? Then no search opens it."""
    return False


@generic
def heuristic(world: Any, state: Int) -> int:  # type: ignore[empty-body]
    """A consistent estimate of the cost from `state` to the goal, in the world's unit."""


@generic
def is_goal(world: Any, state: Int) -> bool:  # type: ignore[empty-body]
    """Does the search end here?"""
