"""Worlds with every move reversed, for searches from the goal."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..compiled import optional
from ..core.integers import Int
from .interface import CompiledWorld, aimed, predecessors, successors
from .wrapping import wrapping


@wrapping
class Reversed(NamedTuple):
    """A world in which every move leads from its end to its start.

    Estimates are those of the world itself: they are the same in both directions (distances), or
    zero (`aimed` drops those that are made for one goal).
    """

    world: CompiledWorld


@successors.of(Reversed)
def _successors(world: Reversed, state: Int) -> Iterator[tuple[int, int]]:
    return predecessors(world.world, state)


@predecessors.of(Reversed)
def _predecessors(world: Reversed, state: Int) -> Iterator[tuple[int, int]]:
    return successors(world.world, state)


@aimed.of(Reversed)
def _aimed(world: Reversed, goal: Int) -> Reversed:
    return Reversed(aimed(world.world, goal))


@optional
def turned_like(pattern: CompiledWorld, world: CompiledWorld) -> Any:
    """Return `world`, with its moves reversed if those of `pattern` are."""
    return world


@turned_like.of(Reversed)
def _turned(pattern: Reversed, world: CompiledWorld) -> Reversed:
    return Reversed(world)
