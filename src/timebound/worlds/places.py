"""Users' places, where there may be many: one place, a list of places, or an array."""

from typing import Any

import numpy as np

from ..core.errors import ProblemError
from ..core.wording import shown
from .grid import Grid
from .world import World


def is_one_place(world: World, given: Any) -> bool:
    """Is it one place rather than a list of places?"""
    if isinstance(given, np.ndarray):
        return given.ndim < (2 if isinstance(world, Grid) else 1)
    if isinstance(world, Grid):
        return isinstance(given, tuple) and len(given) == 2 and not isinstance(given[0], list | tuple | np.ndarray)
    return not isinstance(given, list)


def states_of(world: World, given: Any) -> np.ndarray:
    """Return the states of one place, or of many; bad ones raise `ProblemError`."""
    if is_one_place(world, given):
        return np.array([world.state(given)], np.int64)
    if isinstance(world, Grid) and isinstance(given, np.ndarray):
        if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
            raise ProblemError(f"an array of cells must be [n, 2] of whole numbers, not {given.shape} of {given.dtype}")
        states = world.cells(given, "")
        blocked = ~world.passable.ravel()[states]
        if blocked.any():
            world.state(given[int(np.argmax(blocked))])  # raises the proper error
        return states
    try:
        places = list(given)
    except TypeError:
        raise ProblemError(f"places must be a list or an array, not {shown(given)}") from None
    return np.array([world.state(place) for place in places], np.int64)


def places_of(world: World, states: np.ndarray) -> np.ndarray:
    """Return an array of places: `[n, 2]` with x and y of cells on a grid, states elsewhere."""
    if isinstance(world, Grid):
        return np.stack([states % world.width, states // world.width], axis=-1)
    return states
