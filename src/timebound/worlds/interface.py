"""The interface of worlds to the compiled search: a few generic functions, implemented once per type of world.

The compiled form of a world is a `NamedTuple` of arrays and numbers, its goal included; a state is a whole number.
Some worlds wrap another, as `world`, and differ from it in only a few things.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ..compiled import borrow, compiled, generic, inlined, optional
from ..core.integers import Int

NO_STATE = -1
IMPOSSIBLE = -1  # the cost of a move that there is not
CompiledWorld: TypeAlias = tuple[Any, ...]
"""The compiled form of a world: some `NamedTuple`."""
Kind = TypeVar("Kind", bound=type)


@generic
def successors(world: CompiledWorld, state: Int) -> Iterator[tuple[Any, int]]:  # type: ignore[empty-body]
    """Yield every state that one move leads to, as `number_of` takes it, and the move's cost in the world's unit."""


@generic
def predecessors(world: CompiledWorld, state: Int) -> Iterator[tuple[Any, int]]:  # type: ignore[empty-body]
    """Yield every state from which one move leads to `state`, as `number_of` takes it, and the move's cost."""


@optional
def number_of(world: CompiledWorld, given: Any, state: Int, cost: int) -> Int:
    """Return the number of a result of `successors` or `predecessors` of `state`; NO_STATE if it is invalid.

    Worlds whose states are numbered as they are met do it here, and custom worlds are watched here. After
    NO_STATE a loop over the moves must end: the moves may never end.
    """
    return np.int64(given)


@optional
def states_met(world: CompiledWorld, states: int) -> int:
    """Return how many states have a number by now: all of them, unless they are numbered as they are met."""
    return states


@optional
def aimed(world: CompiledWorld, goal: Int) -> Any:
    """Return the same world with another goal; worlds with a fixed goal, or with many, stay as they are."""
    return world


@optional
def touch(world: CompiledWorld, state: Int, search: Int, g: int) -> None:
    """Note that a search reaches `state` for the first time; earlier search number `search` reached it at cost `g`.

    Worlds that learn (see `search.learning`) update h here; search 0 means never.
    """


@optional
def tell(world: CompiledWorld, kind: int, state: Int, other: Int, g: Int, h: int) -> None:
    """Report an event of a search in this world: see `search.listener`. Without a listener, do nothing."""


@optional
def tell_generated(world: CompiledWorld, state: Int, other: Int, g: Int) -> None:
    """Report that the state was put on an open list, reached from `other`; h is computed only for a listener."""


@optional
def hopeless(world: CompiledWorld, state: Int) -> bool:
    """Is it known that no path leads from `state` to the goal? Then no search opens it."""
    return False


@generic
def heuristic(world: CompiledWorld, state: Int) -> int:  # type: ignore[empty-body]
    """Return a consistent estimate of the cost from `state` to the goal, in the world's unit."""


@optional
def moves_to_goal(world: CompiledWorld, state: Int) -> int:
    """Return how many moves (not costs) there are at least to the goal: on a grid, if it is free; elsewhere 0."""
    return 0


@optional
def after_waiting(world: CompiledWorld, state: Int) -> Int:
    """Return where an agent is after an interval without a move, if time passes; NO_STATE if that is its end."""
    return state


@optional
def is_safe(world: CompiledWorld, state: Int) -> bool:
    """Can an agent stay here, or surely go on? Where nothing is dangerous, it can everywhere."""
    return True


@generic
def is_goal(world: CompiledWorld, state: Int) -> bool:  # type: ignore[empty-body]
    """Does the search end here?"""


# ------------------------------------------------------------------ single moves, and walks made of them


@inlined
def price_of(world: CompiledWorld, state: Int, successor: Int) -> int:
    """Return the cost of the move, the cheapest if there are several; IMPOSSIBLE if there is none."""
    best = IMPOSSIBLE
    for given, cost in successors(world, state):
        found = number_of(world, given, state, cost)
        if found == NO_STATE:
            break
        if found == successor and (best == IMPOSSIBLE or cost < best):
            best = cost
    return best


@compiled
def prices_of(world: CompiledWorld, walk: np.ndarray) -> np.ndarray:
    """Return the cost of every step of a walk; IMPOSSIBLE where there is no such move."""
    lent, prices = borrow(world), np.empty(max(0, len(walk) - 1), np.int64)
    for i in range(len(prices)):
        prices[i] = price_of(lent, np.int64(walk[i]), np.int64(walk[i + 1]))
    return prices


# ------------------------------------------------------------------ worlds that wrap another

# None of them is a generator around a generator: the inner one would live in memory, and a search would take six times
# as long.
_PASSED_ON: dict[Any, Callable[..., Any]] = {
    successors: lambda world, state: successors(world.world, state),
    predecessors: lambda world, state: predecessors(world.world, state),
    number_of: lambda world, given, state, cost: number_of(world.world, given, state, cost),
    states_met: lambda world, states: states_met(world.world, states),
    heuristic: lambda world, state: heuristic(world.world, state),
    moves_to_goal: lambda world, state: moves_to_goal(world.world, state),
    after_waiting: lambda world, state: after_waiting(world.world, state),
    is_safe: lambda world, state: is_safe(world.world, state),
    is_goal: lambda world, state: is_goal(world.world, state),
    tell: lambda world, kind, state, other, g, h: tell(world.world, kind, state, other, g, h),
    tell_generated: lambda world, state, other, g: tell_generated(world.world, state, other, g),
}


def wrapping(kind: Kind) -> Kind:
    """Let worlds of this type delegate what they do not define themselves.

    (Not `aimed`, which makes a new one, nor `hopeless` and `touch`: what the inner world has learned may be true for it
    alone.)
    """
    for function, passed_on in _PASSED_ON.items():
        function.of(kind)(passed_on)
    return kind


@wrapping
class Reversed(NamedTuple):
    """A world in which every move leads from its end to its start: for searches from the goal.

    Estimates are those of the world itself: they are the same in both directions (distances), or
    zero (`aimed` drops those that are made for one goal).
    """

    world: CompiledWorld


@successors.of(Reversed)
def _reversed_successors(world: Reversed, state: Int) -> Iterator[tuple[int, int]]:
    return predecessors(world.world, state)


@predecessors.of(Reversed)
def _reversed_predecessors(world: Reversed, state: Int) -> Iterator[tuple[int, int]]:
    return successors(world.world, state)


@aimed.of(Reversed)
def _aimed_reversed(world: Reversed, goal: Int) -> Reversed:
    return Reversed(aimed(world.world, goal))


@optional
def turned_like(pattern: CompiledWorld, world: CompiledWorld) -> Any:
    """Return `world`, with its moves reversed if those of `pattern` are."""
    return world


@turned_like.of(Reversed)
def _turned(pattern: Reversed, world: CompiledWorld) -> Reversed:
    return Reversed(world)


@wrapping
class Corridor(NamedTuple):
    """A world in which searches open only the states of two regions, or all states.

    States outside keep their moves, but no search opens them, as if the goal could not be reached from there.
    """

    world: CompiledWorld
    regions: np.ndarray  # the region of every state
    here: Int
    there: int
    everywhere: bool


@aimed.of(Corridor)
def _aimed_corridor(world: Corridor, goal: Int) -> Corridor:
    return Corridor(aimed(world.world, goal), world.regions, world.here, world.there, world.everywhere)


@hopeless.of(Corridor)
def _hopeless(world: Corridor, state: Int) -> bool:
    region = world.regions[state]
    return not (world.everywhere or region == world.here or region == world.there)
