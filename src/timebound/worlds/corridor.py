"""Worlds of which a search sees only a part: two regions, say, of a map that is divided into them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .interface import aimed, heuristic, hopeless, is_goal, predecessors, successors


class Corridor(NamedTuple):
    """A world in which searches open the states of two regions only, or of all.

    States outside have their moves; nothing leads on from there, as if the goal could not be reached from them.
    """

    world: Any
    regions: np.ndarray  # of every state
    here: int
    there: int
    everywhere: bool


@successors.of(Corridor)
def _successors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    return successors(world.world, state)


@predecessors.of(Corridor)
def _predecessors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    return predecessors(world.world, state)


@aimed.of(Corridor)
def _aimed(world: Any, goal: int) -> Corridor:
    return Corridor(aimed(world.world, goal), world.regions, world.here, world.there, world.everywhere)


@heuristic.of(Corridor)
def _heuristic(world: Any, state: int) -> int:
    return heuristic(world.world, state)


@is_goal.of(Corridor)
def _is_goal(world: Any, state: int) -> bool:
    return is_goal(world.world, state)


@hopeless.of(Corridor)
def _hopeless(world: Any, state: int) -> bool:
    region = world.regions[state]
    return not (world.everywhere or region == world.here or region == world.there)
