"""A crew: what the units of one kind plan with, in compiled code: one mind that is lent to each in turn, or one each.

A search that is over when it has a path leaves nothing behind: all units can use the same nodes. A search that goes on
from tick to tick is a unit's own.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, generic, mutable, optional
from ..integers import Int
from ..knowledge import News

Crew = mutable(
    __name__,
    "Crew",
    [
        "manner",  # Lent or Own
        "mind",  # that is lent to all; or one that looks around for those who have their own
        "minds",  # the addresses of these, by the numbers of units: see `addresses`
        "heard",  # of every unit: how much of the news it has heard
        "bytes",  # that a unit's own search takes up
        "news",  # what has changed since the first unit came, for those who have their own minds
        "relieved",  # among the news that far, some move became possible or cheaper
        "longest",  # no path on the map costs more
        "full",  # is there no memory left for searches?
    ],
)


class OneForAll(NamedTuple):
    """One mind is lent to each unit in turn."""

    tag: int = 0


class OneEach(NamedTuple):
    """Every unit has a mind of its own."""

    tag: int = 1


@compiled
def new_crew(manner: Any, mind: Any, minds: Any, units: int, longest: int) -> Any:
    """Room for so many units."""
    heard, used = np.zeros(units, np.int64), np.zeros(units, np.int64)
    return Crew(manner, mind, minds, heard, used, News(np.empty(64, np.int32), 0, False), 0, longest, False)


@generic
def serve(  # type: ignore[empty-body]
    manner: Any, crew: Any, streams: Any, arena: Any, rows: np.ndarray, unit: Int, expansions: int
) -> Int:
    """Let one unit plan from where it is; return how many expansions it took."""


@optional
def has_mind(manner: Any, crew: Any, unit: Int) -> bool:
    """Has the unit something to plan with?"""
    return True


@optional
def tell_crew(manner: Any, crew: Any) -> None:
    """Let all hear what one has just seen; a mind that is lent begins anew anyway."""


@optional
def hears_at_once(manner: Any) -> bool:
    """Has a unit a search to correct when it sees something new, although that does not cut its path?"""
    return False
