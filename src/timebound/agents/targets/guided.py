"""A heuristic along the subgoals of regions, for an agent of D LRTA* that is lost."""

from typing import Any, NamedTuple

import numpy as np

from ...core.integers import Int
from ...subgoals.abstraction import NO_REGION
from ...worlds.interface import aimed, heuristic
from ...worlds.wrapping import wrapping


@wrapping
class Guided(NamedTuple):
    """A world whose heuristic goes along subgoals: to that of a state's region, plus the cost from there."""

    world: Any  # aimed at the goal
    regions: np.ndarray
    subgoals: np.ndarray
    beyond: np.ndarray
    unit: int
    lost: bool  # otherwise it leads straight to the target


@heuristic.of(Guided)
def _heuristic(world: Any, state: Int) -> Int:
    region = np.int64(world.regions[state])
    if not world.lost or region == NO_REGION or world.subgoals[region] < 0:
        return heuristic(world.world, state)
    near = aimed(world.world, np.int64(world.subgoals[region]))
    return heuristic(near, state) + np.int64(world.beyond[region] * world.unit)
