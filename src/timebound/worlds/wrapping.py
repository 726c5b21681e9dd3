"""Worlds that wrap another world, as `world`, and differ from it in only a few things."""

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

from ..core.integers import Int
from .interface import (
    CompiledWorld,
    heuristic,
    is_goal,
    number_of,
    predecessors,
    states_met,
    successors,
    tell,
    tell_generated,
)


class Wrapper(Protocol):
    """A world that wraps another one."""

    @property
    def world(self) -> CompiledWorld:
        """The other one."""


Kind = TypeVar("Kind", bound=type)


def wrapping(kind: Kind) -> Kind:
    """Let worlds of this type delegate what they do not define themselves.

    (Not `aimed`, which makes a new one, nor `hopeless` and `touch`: what the inner world has learned may be true for it
    alone.)
    """
    for function, passed_on in _PASSED_ON:
        function.of(kind)(passed_on)
    return kind


# None of them is a generator around a generator: the inner one would live in memory, and a search would take six times
# as long.


def _successors(world: Wrapper, state: Int) -> Iterator[tuple[Any, int]]:
    return successors(world.world, state)


def _predecessors(world: Wrapper, state: Int) -> Iterator[tuple[Any, int]]:
    return predecessors(world.world, state)


def _number_of(world: Wrapper, given: Any, state: Int, cost: int) -> Int:
    return number_of(world.world, given, state, cost)


def _states_met(world: Wrapper, states: int) -> int:
    return states_met(world.world, states)


def _heuristic(world: Wrapper, state: Int) -> int:
    return heuristic(world.world, state)


def _is_goal(world: Wrapper, state: Int) -> bool:
    return is_goal(world.world, state)


def _tell(world: Wrapper, kind: int, state: Int, other: Int, g: Int, h: int) -> None:
    tell(world.world, kind, state, other, g, h)


def _tell_generated(world: Wrapper, state: Int, other: Int, g: Int) -> None:
    tell_generated(world.world, state, other, g)


_PASSED_ON: tuple[tuple[Any, Any], ...] = (
    (successors, _successors),
    (predecessors, _predecessors),
    (number_of, _number_of),
    (states_met, _states_met),
    (heuristic, _heuristic),
    (is_goal, _is_goal),
    (tell, _tell),
    (tell_generated, _tell_generated),
)
