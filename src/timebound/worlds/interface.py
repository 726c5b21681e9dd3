"""What a world must offer the compiled search: a few generic functions, implemented once per type of world.

The compiled form of a world is a `NamedTuple` of arrays and numbers, its goal included; a state is a whole number.
"""

from collections.abc import Iterator
from typing import Any

from ..compiled import generic, optional


@generic
def successors(world: Any, state: int) -> Iterator[tuple[int, int]]:  # type: ignore[empty-body]
    """Yield every state that one move leads to, and what the move costs in the world's unit."""


@generic
def predecessors(world: Any, state: int) -> Iterator[tuple[int, int]]:  # type: ignore[empty-body]
    """Yield every state from which one move leads to `state`, and what the move costs."""


@generic
def aimed(world: Any, goal: int) -> Any:
    """The same world with another goal."""


@optional
def touch(world: Any, state: int, search: int, g: int) -> None:
    """A search comes upon `state` for the first time; an earlier one, of that number, had reached it at cost `g`.

    Worlds that learn (see `search.learning`) take the chance; search 0 means never.
    """


@optional
def hopeless(world: Any, state: int) -> bool:
    """Is it known that no way leads from `state` to the goal? Then no search opens it."""
    return False


@generic
def heuristic(world: Any, state: int) -> int:  # type: ignore[empty-body]
    """A consistent estimate of the cost from `state` to the goal, in the world's unit."""


@generic
def is_goal(world: Any, state: int) -> bool:  # type: ignore[empty-body]
    """Does the search end here?"""
