"""Searches kept for the next query: the first touch of their memory is most of the cost of a short one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..compiled import compiled
from ..core.memory import Pool
from ..worlds.world import World
from .heap import ENTRY
from .nodes import NODE, new_nodes
from .orders import ENTRIES, Order, RandomTies, open_memory
from .state import SearchState, new_search
from .types import AnyOrder, CompiledWorld


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
        set_order(search, order)
    return search


@compiled
def set_order(search: SearchState, order: AnyOrder) -> None:
    """Reset the seed of random ties, so that results do not depend on earlier queries."""
    search.order = order


def leave_search(states: int, order: Order | RandomTies, search: SearchState, pool: Pool) -> None:
    """Leave a search of a world with so many states for the next query."""
    pool.leave_object(type(order).__name__, search, states * NODE.itemsize + 2 * ENTRIES * ENTRY.itemsize)


def new_search_of(world: World, target: CompiledWorld, order: Order | RandomTies) -> Any:
    """Make a search of `target`, a compiled form of `world`, that has not begun."""
    return new_search(target, new_nodes(world.states), open_memory(), order, world.branching, 0, False)
