"""Ties between equally good moves: the one that every open list prefers, or a random one.

For lookaheads without an `orders.Order`. A type of ties that is not known here keeps the fixed order.
"""

from typing import Any, NamedTuple

from ..compiled import optional
from ..integers import Int
from .open_list import FIRST
from .orders import scatter


class FixedTies(NamedTuple):
    """The order of `open_list`: the goal before others, larger g, earlier insertion."""

    tag: int = 0


FIXED = FixedTies()


class AnyOfEquals(NamedTuple):
    """A random one; a goal still comes first."""

    seed: Int


@optional
def in_search(ties: Any, number: Int) -> Any:
    """Return how the search with that number breaks ties."""
    return ties


@in_search.of(AnyOfEquals)
def _in_search(ties: Any, number: Int) -> AnyOfEquals:
    return AnyOfEquals(scatter(ties.seed + number) >> 1)


@optional
def among_equals(ties: Any, rank: Int, state: Int) -> Int:
    """Return the rank of a state among those with the same f: the larger, the better."""
    return rank


@among_equals.of(AnyOfEquals)
def _among_equals(ties: Any, rank: Int, state: Int) -> Int:
    return rank if rank == FIRST else scatter(ties.seed + state)


@optional
def turn(ties: Any, order: Int, state: Int) -> Int:
    """Return the order of insertion of a state, where nothing else may change: a number of 31 bits."""
    return order


@turn.of(AnyOfEquals)
def _turn(ties: Any, order: Int, state: Int) -> Int:
    return scatter(ties.seed + state) >> 32
