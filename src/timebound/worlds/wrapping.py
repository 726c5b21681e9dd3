"""Worlds that wrap another world, as `world`, and differ from it in only a few things."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..compiled import optional
from ..core.integers import Int
from .interface import (
    CompiledWorld,
    aimed,
    heuristic,
    hopeless,
    is_goal,
    moves_to_goal,
    number_of,
    predecessors,
    states_met,
    successors,
    tell,
    tell_generated,
)

Kind = TypeVar("Kind", bound=type)

# None of them is a generator around a generator: the inner one would live in memory, and a search would take six times
# as long.
_PASSED_ON: dict[Any, Callable[..., Any]] = {
    successors: lambda world, state: successors(world.world, state),
    predecessors: lambda world, state: predecessors(world.world, state),
    number_of: lambda world, given, state, cost: number_of(world.world, given, state, cost),
    states_met: lambda world, states: states_met(world.world, states),
    heuristic: lambda world, state: heuristic(world.world, state),
    moves_to_goal: lambda world, state: moves_to_goal(world.world, state),
    is_goal: lambda world, state: is_goal(world.world, state),
    tell: lambda world, kind, state, other, g, h: tell(world.world, kind, state, other, g, h),
    tell_generated: lambda world, state, other, g: tell_generated(world.world, state, other, g),
}


def wrapping(kind: Kind) -> Kind:
    """Let worlds of this type delegate what they do not define themselves.

    (Not `aimed`, which makes a new one, nor `hopeless` and `touch`: what the inner world has learned may be true for it
    alone.)
    """
    for function, passed_on in _PASSED_ON.items():
        function.of(kind)(passed_on)
    return kind


@wrapping
class Reversed(NamedTuple):
    """A world in which every move leads from its end to its start: for searches from the goal.

    Estimates are those of the world itself: they are the same in both directions (distances), or
    zero (`aimed` drops those that are made for one goal).
    """

    world: CompiledWorld


@successors.of(Reversed)
def _reversed_successors(world: Reversed, state: Int) -> Iterator[tuple[int, int]]:
    return predecessors(world.world, state)


@predecessors.of(Reversed)
def _reversed_predecessors(world: Reversed, state: Int) -> Iterator[tuple[int, int]]:
    return successors(world.world, state)


@aimed.of(Reversed)
def _aimed_reversed(world: Reversed, goal: Int) -> Reversed:
    return Reversed(aimed(world.world, goal))


@optional
def turned_like(pattern: CompiledWorld, world: CompiledWorld) -> Any:
    """Return `world`, with its moves reversed if those of `pattern` are."""
    return world


@turned_like.of(Reversed)
def _turned(pattern: Reversed, world: CompiledWorld) -> Reversed:
    return Reversed(world)


@wrapping
class Corridor(NamedTuple):
    """A world in which searches open only the states of two regions, or all states.

    States outside keep their moves, but no search opens them, as if the goal could not be reached from there.
    """

    world: CompiledWorld
    regions: np.ndarray  # the region of every state
    here: Int
    there: int
    everywhere: bool


@aimed.of(Corridor)
def _aimed_corridor(world: Corridor, goal: Int) -> Corridor:
    return Corridor(aimed(world.world, goal), world.regions, world.here, world.there, world.everywhere)


@hopeless.of(Corridor)
def _hopeless(world: Corridor, state: Int) -> bool:
    region = world.regions[state]
    return not (world.everywhere or region == world.here or region == world.there)
