"""The order of expansion: how promising a state is, as a number; the least first.

`Order` is f(s) = a g(s) + b h(s): A* has a = b = 1, weighted A* has b / a = w, greedy search has a = 0. All are whole
numbers, so sums are exact and ties are real ties. Any other `NamedTuple` with a `shift` can be an order: give it a
`priority`, and define its other properties.
"""

from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..compiled import generic, inlined, optional
from ..core.errors import ProblemError
from ..core.integers import Int
from ..core.limits import SPARE
from ..core.memory import untouched
from ..core.values import checked_weight, flag, one_of, seed_number
from ..worlds.interface import heuristic
from ..worlds.world import World
from .heap import ENTRY
from .hot_queue import BUCKETS, ONE_BUCKET, HotMemory
from .types import AnyOrder, CompiledWorld, Ties

ENTRIES = 1 << 16  # room in a new open list, of untouched memory; growing takes time, so it should be rare


class Order(NamedTuple):
    """Order by g_weight * g + h_weight * h."""

    g_weight: int
    h_weight: int
    once: bool
    """Whether no state is expanded more than once. (A* never does that.)"""
    shift: int
    """2**shift is a small difference of f: see `hot_queue`."""

    @classmethod
    def of(cls, world: World, weight: float = 1.0, greedy: bool = False, reopen: bool = False) -> "Order":
        """Make an order: A* has weight 1, weighted A* more; greedy search uses only h.

        Weighted A* reopens states that it later reaches at lower cost only with `reopen`.
        """
        weights = (0, 1) if greedy else _whole_weights(weight, world.longest)
        return cls(*weights, greedy or (weight > 1 and not reopen), bucket_shift(world, sum(weights)))

    @classmethod
    def by_cost(cls, world: World) -> "Order":
        """Order by g alone: Dijkstra's algorithm."""
        return cls(1, 0, False, bucket_shift(world, 1))


class RandomTies(NamedTuple):
    """An `Order` in which chance decides between states with the same f and g, differently in every search."""

    g_weight: int
    h_weight: int
    once: bool
    shift: int
    seed: Int


def order_of(
    world: World,
    weight: float = 1.0,
    greedy: bool = False,
    reopen: bool = False,
    ties: str = "fixed",
    seed: int = 0,
) -> Order | RandomTies:
    """See `Order.of`. With `ties="random"`, chance decides between states with the same f and g, not who was first."""
    order = Order.of(world, weight, greedy, reopen)
    return order if ties == "fixed" else RandomTies(*order, seed % 2**62)


def checked_order(
    world: World, weight: Any, greedy: Any, reopen: Any, ties: str, seed: Any, open_list: str = "auto"
) -> Order | RandomTies:
    """Return the order that a user describes, for the wanted open list; by default for the one that suits it."""
    weight, greedy, reopen = checked_weight(weight), flag(greedy, "greedy"), flag(reopen, "reopen")
    one_of(ties, ("fixed", "random"), "ties are 'fixed' or 'random'")
    one_of(open_list, ("auto", "hot", "heap"), "an open list is 'auto', 'hot' or 'heap'")
    order = order_of(world, float(weight), greedy, reopen, ties, seed_number(seed) if ties == "random" else 0)
    return order._replace(shift=ONE_BUCKET) if open_list == "heap" or (open_list == "auto" and greedy) else order


def bucket_shift(world: World, weights: int) -> int:
    """Return the width of buckets that a consistent f, which rises by a multiple of a move's cost, stays within."""
    return (weights * world.highest_cost // (BUCKETS - 2)).bit_length()


@cache
def _whole_weights(weight: float, longest: int) -> tuple[int, int]:
    """Return whole numbers whose ratio is the weight, or just below, so small that f of the longest path fits an int64.

    >>> import math
    >>> _whole_weights(2.6, 10**9), _whole_weights(math.pi, 10**9), _whole_weights(2.6, 2**60)
    ((5, 13), (1000, 3141), (1, 2))
    """
    most = int(2**62 / ((1 + weight) * max(longest, 1)))
    if most < 1:
        raise ProblemError(f"a weight of {weight:g} is too large for these costs; the sums would not be exact")
    ratio, finest = Fraction(repr(weight)), min(max(1, most // SPARE), 1000)
    if ratio.denominator > finest:
        ratio = Fraction(int(weight * finest), finest)
    return ratio.denominator, ratio.numerator


def open_memory() -> HotMemory:
    """Make the memory of a new open list."""
    return HotMemory(untouched(ENTRIES, ENTRY), untouched(ENTRIES, ENTRY), np.empty(BUCKETS, np.int32))


# ------------------------------------------------------------------ the interface of orders to compiled code


@optional
def weights(order: AnyOrder) -> tuple[int, int]:
    """Return the weights of g and h, if it is such an order: for listeners."""
    return 1, 1


weights.of(Order)(lambda order: (order.g_weight, order.h_weight))


@optional
def for_next_search(order: AnyOrder, last: Any) -> Any:
    """Return the order of a search, after one whose order was `last`."""
    return order


@generic
def priority(order: AnyOrder, world: CompiledWorld, g: int, state: Int) -> int:  # type: ignore[empty-body]
    """Return the priority of a state reached at cost `g`: the smaller, the sooner it is expanded."""


@optional
def in_turn(order: AnyOrder | Ties, number: Int, state: Int) -> Int:
    """Return what decides between states with the same f and g, a number of 31 bits, the smaller first."""
    return number  # of the insertion


@optional
def regards_cost(order: AnyOrder) -> bool:
    """Does a state's priority fall if it is reached at lower cost? If not, it keeps its first parent."""
    return True


@optional
def expands_once(order: AnyOrder) -> bool:
    """Is an expanded state never reopened?"""
    return False


@optional
def is_lower_bound(order: AnyOrder) -> bool:
    """Is the priority a lower bound on the cost of a path to the goal through the state (f of A*)?"""
    return False


for _kind in (Order, RandomTies):
    priority.of(_kind)(lambda order, world, g, state: order.g_weight * g + order.h_weight * heuristic(world, state))
    regards_cost.of(_kind)(lambda order: order.g_weight != 0)
    expands_once.of(_kind)(lambda order: order.once)
is_lower_bound.of(Order)(lambda order: order.g_weight == order.h_weight == 1)
in_turn.of(RandomTies)(lambda order, number, state: scatter(order.seed + state) >> 32)


@for_next_search.of(RandomTies)
def _for_next_search(order: RandomTies, last: Any) -> RandomTies:
    return RandomTies(order.g_weight, order.h_weight, order.once, order.shift, scatter(last.seed + 1) >> 1)


# ------------------------------------------------------------------ ties of lookaheads without an order


class FixedTies(NamedTuple):
    """The order of `open_list`, as without any ties of this kind."""

    tag: int = 0


FIXED = FixedTies()


class AnyOfEquals(NamedTuple):
    """A random one, where insertion would decide; a goal and larger g still come first."""

    seed: Int


@optional
def in_search(ties: Ties, number: Int) -> Any:
    """Return how the search with that number breaks ties."""
    return ties


in_search.of(AnyOfEquals)(lambda ties, number: AnyOfEquals(scatter(ties.seed + number) >> 1))
in_turn.of(AnyOfEquals)(lambda ties, number, state: scatter(ties.seed + state) >> 32)


# ------------------------------------------------------------------ chance


@inlined
def scatter(number: Int) -> Int:
    """Return a pseudo-random number below 2**63 that depends on all bits of `number`, which is not negative."""
    upper, lower = np.uint64(number) >> np.uint64(32), np.uint64(number) & np.uint64(0xFFFFFFFF)
    high = mixed(lower ^ mixed(upper))
    low = mixed(high ^ upper)
    return np.int64((high << np.uint64(31)) | (low >> np.uint64(1)))


@inlined
def mixed(number: Any) -> Any:
    """Map a 32-bit number to another (lowbias32 of Wellons: two multiplications that do not overflow a uint64)."""
    number = ((number ^ (number >> np.uint64(16))) * np.uint64(0x7FEB352D)) & np.uint64(0xFFFFFFFF)
    number = ((number ^ (number >> np.uint64(15))) * np.uint64(0x846CA68B)) & np.uint64(0xFFFFFFFF)
    return number ^ (number >> np.uint64(16))
