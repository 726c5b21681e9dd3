"""Landmarks: a heuristic that knows the walls (Goldberg and Harrelson 2005; differential heuristics, Sturtevant 2009).

Let it be known how far every state is from a few of them, the landmarks. By the triangle inequality no path from s to
t costs less than the difference of their distances from any landmark. Such an h is consistent. It is for worlds in
which a path costs the same in both directions.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled
from ..integers import Int
from ..worlds.interface import heuristic, successors
from ..worlds.wrapping import wrapping

UNREACHED = -1  # the distance of a landmark to which there is no way; there is none from the goal either: no difference


@wrapping
class Landmarks(NamedTuple):
    """A world whose heuristic is helped by landmarks. Of its last states no distance need be known."""

    world: Any
    distances: np.ndarray  # how far state s is from landmark i: distances[s * len(aim) + i]
    aim: np.ndarray  # how far the goal is


@compiled
def locate(landmarks: Any, goal: Int) -> None:
    """Work out how far the goal is from the landmarks, from the distances of its successors."""
    world, distances, aim = borrow(landmarks.world), borrow(landmarks.distances), borrow(landmarks.aim)
    for i in range(len(aim)):
        aim[i] = UNREACHED
    for successor, cost in successors(world, goal):
        for i in range(len(aim)):
            there = distances[successor * len(aim) + i]
            if there != UNREACHED and (aim[i] == UNREACHED or cost + there < aim[i]):
                aim[i] = cost + there


@heuristic.of(Landmarks)
def _heuristic(world: Any, state: Int) -> int:
    h, here = heuristic(world.world, state), state * len(world.aim)
    if here < len(world.distances):
        for i in range(len(world.aim)):
            h = max(h, abs(world.distances[here + i] - world.aim[i]))
    return h
