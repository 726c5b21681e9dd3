"""Searches kept for the next query: the first touch of their memory is most of the cost of a short one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..compiled import compiled
from ..core.memory import Pool
from ..core.values import one_of
from ..worlds.world import World
from .nodes import NODE, new_nodes
from .open_list import ENTRY
from .orders import ENTRIES, Order, RandomTies, open_memory
from .state import SearchState, new_search
from .types import AnyOrder, CompiledWorld


@contextmanager
def idle_search(world: World, target: CompiledWorld, order: Order | RandomTies) -> Iterator[Any]:
    """Lend a search of `target`, a compiled form of `world`; if it fails, it is not reused."""
    kind = open_list_for(order)
    search = take_search(world, target, order, kind)
    yield search
    leave_search(world.states, order, kind, search, world.pool)


def take_search(world: World, target: CompiledWorld, order: Order | RandomTies, kind: str) -> Any:
    """Return a search that was left, or a new one."""
    search = world.pool.take_object(_name(order, kind), lambda: new_search_of(world, target, order, kind))
    if isinstance(order, RandomTies):
        set_order(search, order)
    return search


@compiled
def set_order(search: SearchState, order: AnyOrder) -> None:
    """Reset the seed of random ties, so that results do not depend on earlier queries."""
    search.order = order


def leave_search(states: int, order: Order | RandomTies, kind: str, search: SearchState, pool: Pool) -> None:
    """Leave a search of a world with so many states for the next query."""
    pool.leave_object(_name(order, kind), search, states * NODE.itemsize + 2 * ENTRIES * ENTRY.itemsize)


def _name(order: Order | RandomTies, kind: str) -> str:
    return f"{kind} {type(order).__name__}"


def new_search_of(world: World, target: CompiledWorld, order: Order | RandomTies, kind: str) -> Any:
    """Make a search of `target`, a compiled form of `world`, that has not begun."""
    return new_search(target, new_nodes(world.states), open_memory(kind), order, world.branching, 0, False)


def open_list_for(order: Order | RandomTies, wanted: str = "auto") -> str:
    """Return the kind of open list: `"hot"` or `"heap"`; by default the one that suits the order."""
    kind = one_of(wanted, ("auto", "hot", "heap"), "an open list is 'auto', 'hot' or 'heap'")
    return kind if kind != "auto" else "heap" if order.g_weight == 0 else "hot"
