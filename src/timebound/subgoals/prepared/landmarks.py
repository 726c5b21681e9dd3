"""Landmarks: a heuristic that knows the walls (Goldberg and Harrelson 2005; differential heuristics, Sturtevant 2009).

Given the distances of every state from a few landmarks, the triangle inequality says that no path from s to t costs
less than the difference of their distances from any landmark. This h is consistent. It is for worlds in which a path
costs the same in both directions.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow, compiled
from ...core.integers import Int
from ...worlds.interface import heuristic, successors
from ...worlds.wrapping import wrapping

UNREACHED = -1  # the distance of an unreachable landmark; it is unreachable from the goal too: no difference


@wrapping
class Landmarks(NamedTuple):
    """A world whose heuristic uses landmarks. The distances of its last states need not be known."""

    world: Any
    distances: np.ndarray  # distances[s * len(aim) + i] is the distance of state s from landmark i
    aim: np.ndarray  # the distances of the goal


@compiled
def locate(landmarks: Landmarks, goal: Int) -> None:
    """Compute the distances of the goal from the landmarks, from those of its successors."""
    world, distances, aim = borrow(landmarks.world), borrow(landmarks.distances), borrow(landmarks.aim)
    for i in range(len(aim)):
        aim[i] = UNREACHED
    for successor, cost in successors(world, goal):
        for i in range(len(aim)):
            there = distances[successor * len(aim) + i]
            if there != UNREACHED and (aim[i] == UNREACHED or cost + there < aim[i]):
                aim[i] = cost + there


@heuristic.of(Landmarks)
def _heuristic(world: Landmarks, state: Int) -> int:
    h, here = heuristic(world.world, state), state * len(world.aim)
    if here < len(world.distances):
        for i in range(len(world.aim)):
            h = max(h, abs(world.distances[here + i] - world.aim[i]))
    return h
