"""Worlds of which a search sees only a part: two regions, say, of a map that is divided into them."""

from typing import Any, NamedTuple

import numpy as np

from ..integers import Int
from .interface import aimed, hopeless
from .wrapping import wrapping


@wrapping
class Corridor(NamedTuple):
    """A world in which searches open the states of two regions only, or of all.

    States outside have their moves; nothing leads on from there, as if the goal could not be reached from them.
    """

    world: Any
    regions: np.ndarray  # of every state
    here: Int
    there: int
    everywhere: bool


@aimed.of(Corridor)
def _aimed(world: Any, goal: Int) -> Corridor:
    return Corridor(aimed(world.world, goal), world.regions, world.here, world.there, world.everywhere)


@hopeless.of(Corridor)
def _hopeless(world: Any, state: Int) -> bool:
    region = world.regions[state]
    return not (world.everywhere or region == world.here or region == world.there)
