"""Checks of what users give to a fleet."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import ProblemError
from ..core.values import items, number, one_of, whole
from ..core.wording import shown
from ..worlds import Grid, World
from ..worlds.world import a_world
from .allocator import STRIPES
from .guidance import NoTraffic, Traffic, traffic_of
from .lns import ATTEMPTS
from .pibt import COLLISIONS


def checked_world(world: Any) -> World:
    """Return a world in which every state can be a goal."""
    checked = a_world(world)
    if not checked.aims_anywhere:
        raise ProblemError(f"a fleet needs a grid or a graph, not a {type(checked).__name__}")
    return checked


def checked_collisions(collisions: Any) -> str:
    """Return how units treat each other."""
    return one_of(collisions, tuple(COLLISIONS), "collisions is 'none', 'wait' or 'push'")


def checked_callback(on_arrival: Any) -> Callable[[np.ndarray], Any] | None:
    """Return the function that gives units their next goals, if there is one."""
    if on_arrival is None or callable(on_arrival):
        return on_arrival
    raise ProblemError(f"on_arrival must be a function of unit numbers, not {shown(on_arrival)}")


def checked_threads(threads: Any, guidance: Any) -> int:
    """Return the number of threads: one, if each unit plans around those that have planned before."""
    threads = whole(threads, f"threads is a whole number from 1 to {STRIPES}", most=STRIPES)
    if threads > 1 and guidance is not False:
        raise ProblemError("with guidance, units plan one after the other: use threads=1")
    return threads


def checked_memory(megabytes: Any) -> int:
    """Return the most bytes that units may use."""
    rule = "memory_mb is a number above 0, up to a million"
    return int(number(megabytes, rule, lambda given: 0 < given <= 1e6) * 2**20)


def checked_guidance(world: World, guidance: Any) -> Traffic | NoTraffic:
    """Return the traffic that guidance keeps; none without guidance."""
    if guidance is False:
        return NoTraffic()
    if not isinstance(world, Grid):
        raise ProblemError("guidance is for grids")
    rule = "guidance is True, False, or two numbers from 0 to 1000: extra costs of crowded cells and of opposed moves"
    pair = (0.1, 0.5) if guidance is True else items(guidance, rule)
    if len(pair) != 2:
        raise ProblemError(f"{rule}, not {shown(guidance)}")
    crowded, against = (number(value, rule, lambda given: 0 <= given <= 1000) for value in pair)
    return traffic_of(world, crowded, against)


def checked_repair(repair: Any, collisions: str) -> int:
    """Return how many attempts a tick has to improve the plan of the next steps; 0 without repair."""
    if repair is False:
        return 0
    if collisions != "push":
        raise ProblemError(f"repair is for units that push each other: use collisions='push', not {collisions!r}")
    rule = "repair is True, False, or a whole number from 1 to 1000000: the attempts per tick"
    return ATTEMPTS if repair is True else whole(repair, rule, most=1_000_000)


def checked_group(name: Any, terrain: str) -> str | None:
    """Return the name of a group, if there is one."""
    if name is None:
        return None
    if not isinstance(name, str) or not name:
        raise ProblemError(f"group must be a name, for units that share the search from their goal, not {shown(name)}")
    if terrain != "known":
        raise ProblemError("group needs known terrain: elsewhere no unit knows the way from the goal")
    return name
