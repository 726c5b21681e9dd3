"""Ties between equally good moves: the one that every open list prefers, or a random one.

For lookaheads without an `orders.Order`. A type of ties that is not known here keeps the fixed order.
"""

from typing import Any, NamedTuple

from ..compiled import optional
from ..core.integers import Int
from .orders import in_turn, scatter
from .types import Ties


class FixedTies(NamedTuple):
    """The order of `open_list`: the goal before others, larger g, earlier insertion."""

    tag: int = 0


FIXED = FixedTies()


class AnyOfEquals(NamedTuple):
    """A random one, where insertion would decide; a goal and larger g still come first."""

    seed: Int


@optional
def in_search(ties: Ties, number: Int) -> Any:
    """Return how the search with that number breaks ties."""
    return ties


@in_search.of(AnyOfEquals)
def _in_search(ties: AnyOfEquals, number: Int) -> AnyOfEquals:
    return AnyOfEquals(scatter(ties.seed + number) >> 1)


@in_turn.of(AnyOfEquals)
def _in_turn(ties: AnyOfEquals, number: Int, state: Int) -> Int:
    return scatter(ties.seed + state) >> 32
