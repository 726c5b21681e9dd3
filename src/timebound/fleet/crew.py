"""A crew: what units of one kind plan with, in compiled code: one mind lent to each in turn, or one mind each.

A search that ends when it has a path leaves nothing behind: all units can use the same nodes. A search that continues
from tick to tick belongs to one unit.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, generic, mutable, optional
from ..core.integers import Int
from ..knowledge import News

Crew = mutable(
    __name__,
    "Crew",
    [
        "manner",  # Lent or Own
        "mind",  # lent to all units; or one that senses for units that have their own
        "minds",  # the addresses of the units' own minds, by unit: see `addresses`
        "heard",  # for every unit: how much of the news it has read
        "bytes",  # that a unit's own search uses
        "news",  # changes since the first unit was added, for units with their own minds
        "relieved",  # the last news in which a move became possible or cheaper
        "longest",  # no path on the map costs more
        "full",  # is there no memory left for searches?
    ],
)


class OneForAll(NamedTuple):
    """One mind is lent to each unit in turn."""

    tag: int = 0


class OneEach(NamedTuple):
    """Every unit has its own mind."""

    tag: int = 1


@compiled
def new_crew(manner: Any, mind: Any, minds: Any, units: int, longest: int) -> Any:
    """Make room for that many units."""
    heard, used = np.zeros(units, np.int64), np.zeros(units, np.int64)
    return Crew(manner, mind, minds, heard, used, News(np.empty(64, np.int32), 0, False), 0, longest, False)


@generic
def serve(  # type: ignore[empty-body]
    manner: Any, crew: Any, streams: Any, arena: Any, rows: np.ndarray, unit: Int, expansions: int
) -> Int:
    """Let one unit plan from its position; return the number of expansions."""


@optional
def has_mind(manner: Any, crew: Any, unit: Int) -> bool:
    """Does the unit have a mind to plan with?"""
    return True


@optional
def tell_crew(manner: Any, crew: Any) -> None:
    """Share what one unit has just seen; a lent mind starts from scratch anyway."""


@optional
def hears_at_once(manner: Any) -> bool:
    """Must a unit correct its search when it sees something new that does not block its path?"""
    return False
