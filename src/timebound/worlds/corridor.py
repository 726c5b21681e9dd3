"""Worlds of which a search sees only a part, such as two regions of a map."""

from typing import NamedTuple

import numpy as np

from ..core.integers import Int
from .interface import CompiledWorld, aimed, hopeless
from .wrapping import wrapping


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
def _aimed(world: Corridor, goal: Int) -> Corridor:
    return Corridor(aimed(world.world, goal), world.regions, world.here, world.there, world.everywhere)


@hopeless.of(Corridor)
def _hopeless(world: Corridor, state: Int) -> bool:
    region = world.regions[state]
    return not (world.everywhere or region == world.here or region == world.there)
