"""Landmarks: a heuristic that knows the walls (Goldberg and Harrelson 2005; differential heuristics, Sturtevant 2009).

Given the distances of every state from a few landmarks, the triangle inequality says that no path from s to t costs
less than the difference of their distances from any landmark. This h is consistent. It is for worlds in which a path
costs the same in both directions.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled
from ..integers import Int
from ..worlds.interface import heuristic, successors
from ..worlds.wrapping import wrapping

UNREACHED = -1  # the distance of an unreachable landmark; it is unreachable from the goal too: no difference


@wrapping
class Landmarks(NamedTuple):
    """A world whose heuristic uses landmarks."""

    world: Any
    distances: np.ndarray  # distances[s * count + i] is the distance of state s from landmark i
    count: int  # type: ignore[assignment]  # a tuple's method of that name is not needed here
    goal: int


@compiled
def locate(landmarks: Any, state: Int) -> None:
    """Compute the distances of a state from the landmarks, from those of its successors."""
    world, distances, count = borrow(landmarks.world), borrow(landmarks.distances), landmarks.count
    for i in range(count):
        distances[state * count + i] = UNREACHED
    for successor, cost in successors(world, state):
        for i in range(count):
            here, there = distances[state * count + i], distances[successor * count + i]
            if there != UNREACHED and (here == UNREACHED or cost + there < here):
                distances[state * count + i] = cost + there


@heuristic.of(Landmarks)
def _heuristic(world: Any, state: Int) -> int:
    h, here, there = heuristic(world.world, state), state * world.count, world.goal * world.count
    for i in range(world.count):
        h = max(h, abs(world.distances[here + i] - world.distances[there + i]))
    return h
