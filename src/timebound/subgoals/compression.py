"""Compression: keep only states of a path from each of which a climb leads to the next."""

from typing import Any

import numpy as np

from ..compiled import compiled
from .hill_climbing import reachable


@compiled
def compress(world: Any, path: np.ndarray, cap: int) -> np.ndarray:
    """Return the subgoals of a path, including its first and last state (kNN LRTA* paper, Figure 6).

    By binary search: the next subgoal that it finds is reachable, but not always the farthest reachable state,
    because a climb may fail for a state and succeed for one behind it. `world` is borrowed.
    """
    kept, count, last = np.empty(len(path), np.int32), 1, 0
    kept[0] = path[0]
    while last < len(path) - 1:
        following = last + 1  # one move away: reachable, unless travel costs mislead
        low, high = following + 1, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            if reachable(world, np.int64(path[last]), np.int64(path[middle]), cap):
                following, low = middle, middle + 1
            else:
                high = middle - 1
        kept[count] = path[following]
        count += 1
        last = following
    return kept[:count].copy()
