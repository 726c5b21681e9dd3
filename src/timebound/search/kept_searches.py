"""Searches kept for the next query: the first touch of their memory is most of the cost of a short one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..compiled import writing
from ..core.memory import Pool, untouched
from ..worlds.world import World
from .heap import ENTRY
from .orders import ENTRIES, Order, RandomTies, open_memory
from .state import SearchState, new_search
from .types import NODE, CompiledWorld

_set_order = writing("order")


@contextmanager
def idle_search(world: World, target: CompiledWorld, order: Order | RandomTies) -> Iterator[Any]:
    """Lend a search of `target`, a compiled form of `world`; if it fails, it is not reused."""
    search = take_search(world, target, order)
    yield search
    leave_search(world.states, order, search, world.pool)


def take_search(world: World, target: CompiledWorld, order: Order | RandomTies) -> Any:
    """Return a search that was left, or a new one."""
    search = world.pool.take_object(type(order).__name__, lambda: new_search_of(world, target, order))
    if isinstance(order, RandomTies):
        _set_order(search, order)  # with its seed, so that results do not depend on earlier queries
    return search


def leave_search(states: int, order: Order | RandomTies, search: SearchState, pool: Pool) -> None:
    """Leave a search of a world with so many states for the next query."""
    pool.leave_object(type(order).__name__, search, states * NODE.itemsize + 2 * ENTRIES * ENTRY.itemsize)


def new_search_of(world: World, target: CompiledWorld, order: Order | RandomTies) -> Any:
    """Make a search of `target`, a compiled form of `world`, that has not begun."""
    return new_search(target, untouched(world.states, NODE), open_memory(), order, world.branching, 0, False)
