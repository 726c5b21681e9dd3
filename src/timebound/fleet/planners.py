"""Planners: what the units of one kind plan with, in compiled code.

A planner is what the agents call a mind: the parts of an agent, and its body with search and path. A search that ends
when it has a path leaves nothing behind: then one planner is lent to all units in turn. A search that continues from
tick to tick belongs to one unit.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, generic, mutable, optional
from ..core.integers import Int
from ..knowledge import News
from .units import Units

Planners = mutable(
    __name__,
    "Planners",
    [
        "ownership",  # Shared or Own
        "shared",  # lent to all units; or one that senses for units that have their own
        "own",  # the addresses of the units' own planners, by unit: see `addresses`
        "heard",  # for every unit: how much of the news it has read
        "bytes",  # that a unit's own search uses
        "news",  # changes since the first unit was added, for units with their own planners
        "relieved",  # the last news in which a move became possible or cheaper
        "longest",  # no path on the map costs more
        "full",  # is there no memory left for searches?
    ],
)


class Shared(NamedTuple):
    """One planner is lent to each unit in turn."""

    tag: int = 0


class Own(NamedTuple):
    """Every unit has its own planner."""

    tag: int = 1


@compiled
def new_planners(
    ownership: Shared | Own, shared: Any, own: Any, heard: np.ndarray, used: np.ndarray, longest: int
) -> Any:
    """Make planners that know no news; the arrays have a number for every unit."""
    return Planners(ownership, shared, own, heard, used, News(np.empty(64, np.int32), 0, False), 0, longest, False)


@generic
def serve(  # type: ignore[empty-body]
    ownership: Shared | Own, planners: Any, units: Units, unit: Int, expansions: int
) -> Int:
    """Let one unit plan from its position; return the number of expansions."""


@optional
def has_planner(ownership: Shared | Own, planners: Any, unit: Int) -> bool:
    """Does the unit have a planner?"""
    return True


@optional
def share_news(ownership: Shared | Own, planners: Any) -> None:
    """Share what one unit has just seen; a lent planner starts from scratch anyway."""


@optional
def hears_at_once(ownership: Shared | Own) -> bool:
    """Must a unit correct its search when it sees something new that does not block its path?"""
    return False
