"""Worlds with every move turned round, for searches from the goal."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..compiled import optional
from .interface import aimed, heuristic, is_goal, number_of, predecessors, successors


class Reversed(NamedTuple):
    """A world in which moves lead from their ends to their starts.

    Estimates are those of the world itself: of a move's two ends they say the same in both directions (distances), or
    nothing (`aimed` drops those that are made for one goal).
    """

    world: Any


@successors.of(Reversed)
def _successors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    return predecessors(world.world, state)


@predecessors.of(Reversed)
def _predecessors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    return successors(world.world, state)


@number_of.of(Reversed)
def _number_of(world: Any, given: Any, state: int, cost: int) -> int:
    return number_of(world.world, given, state, cost)


@aimed.of(Reversed)
def _aimed(world: Any, goal: int) -> Reversed:
    return Reversed(aimed(world.world, goal))


@heuristic.of(Reversed)
def _heuristic(world: Any, state: int) -> int:
    return heuristic(world.world, state)


@is_goal.of(Reversed)
def _is_goal(world: Any, state: int) -> bool:
    return is_goal(world.world, state)


@optional
def turned_like(pattern: Any, world: Any) -> Any:
    """`world`, with its moves turned round if those of `pattern` are."""
    return world


@turned_like.of(Reversed)
def _turned(pattern: Any, world: Any) -> Reversed:
    return Reversed(world)
