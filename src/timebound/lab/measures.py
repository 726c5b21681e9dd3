"""What the lab measures: figures of an episode and of what was prepared for it, ratios of their totals, and medians."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..episode import Episode


class Prepared(NamedTuple):
    """What an agent had before it set out: how long it took to make, and how large it is."""

    seconds: float = 0.0
    """Of processor time."""
    bytes: float = 0.0
    records: float = 0.0
    """Problems solved beforehand, or pairs of regions."""
    states: float = 0.0
    """That are stored: subgoals, and the region of every cell."""


UNTOLD = Prepared(math.nan, math.nan, math.nan, math.nan)
"""Of an agent that does not say what it had."""


class Pace(NamedTuple):
    """What is known of an episode only if somebody looks at each of its intervals."""

    first_move: float = math.nan
    """The interval in which the agent makes its first move."""
    most_expansions: float = math.nan
    """In any one interval."""


class Seen(NamedTuple):
    """All that is known of an episode."""

    episode: Episode
    prepared: Prepared
    pace: Pace
    cells: int
    interval_us: float
    """How long an interval is by the clock on the wall; NaN if its end is another one."""


FIGURES: Mapping[str, Callable[[Seen], float]] = {
    "cost": lambda seen: seen.episode.cost,
    "moves": lambda seen: seen.episode.moves,
    "intervals": lambda seen: seen.episode.intervals,
    "expansions": lambda seen: seen.episode.expansions,
    "searches": lambda seen: seen.episode.searches,
    "back_moves": lambda seen: seen.episode.back_moves,
    "reversals": lambda seen: seen.episode.reversals,
    "waits": lambda seen: seen.episode.intervals - seen.episode.moves,
    "planning_us": lambda seen: seen.episode.planning_us,
    "longest_us": lambda seen: seen.episode.time_per_move_us["max"],
    "memory_kb": lambda seen: seen.episode.memory_bytes / 1024,
    "states_in_memory": lambda seen: seen.episode.states_in_memory,
    "updates": lambda seen: seen.episode.updates,
    "raised": lambda seen: seen.episode.updates * seen.episode.raise_per_update,
    "available_us": lambda seen: seen.episode.intervals * seen.interval_us,
    "first_move": lambda seen: seen.pace.first_move,
    "most_expansions": lambda seen: seen.pace.most_expansions,
    "optimal_cost": lambda seen: seen.episode.optimal_cost,
    "suboptimality": lambda seen: seen.episode.suboptimality,
    "excess": lambda seen: 100 * (seen.episode.suboptimality - 1),  # percent
    "prepared_s": lambda seen: seen.prepared.seconds,
    "prepared_kb": lambda seen: seen.prepared.bytes / 1024,
    "prepared_records": lambda seen: seen.prepared.records,
    "prepared_states": lambda seen: seen.prepared.states,
    "total_kb": lambda seen: (seen.episode.memory_bytes + seen.prepared.bytes) / 1024,
    "cells": lambda seen: seen.cells,
}
SAVED = "saved_kb"
"""How much less memory an episode took than that of the reference on the same problem: known when both are."""
NAMES = (*FIGURES, SAVED)
TIMES = ("planning_us", "longest_us", "prepared_s")
"""The figures that depend on the machine."""
OPTIMAL = ("optimal_cost", "suboptimality", "excess")
"""The figures that take another search."""
PACE = Pace._fields
"""The figures for which an agent is watched interval by interval."""
OF_THE_WALK = (
    "cost", "moves", "intervals", "expansions", "searches", "back_moves", "reversals", "waits", "planning_us",
    "updates", "raised", "available_us",
)  # fmt: skip
"""The figures that add up as an agent goes on. One over another is known also of an agent that never arrives."""
OF_THE_MAP = ("prepared_s", "prepared_kb", "prepared_records", "prepared_states", "cells")
"""The figures that are the same for all problems of a map, whether or not they were solved."""
PREPARED = (*OF_THE_MAP, "total_kb")
"""The figures for which all that can be prepared must be, also what no episode would ask for."""
EXPENSIVE = (*OPTIMAL, *PREPARED, *PACE, "available_us")
"""The figures that take time, or mean something in few experiments: measured only where one asks for them."""
_MEDIAN = "median "


@dataclass(frozen=True)
class Measure:
    """A figure, in the mean over problems, or one figure's total over another's, as in `planning_us / searches`.

    After the word `median` it is the median over problems, of the figure or of the quotient.

    >>> Measure.parse("planning_us / searches")
    Measure(figure='planning_us', per='searches', median=False)
    >>> str(Measure.parse("median cost"))
    'median cost'
    """

    figure: str
    per: str = ""
    median: bool = False

    @classmethod
    def parse(cls, text: str) -> "Measure":
        """From its text; a figure that does not exist is a `KeyError` with its name."""
        plain = text.strip().removeprefix(_MEDIAN)
        figure, _, per = (part.strip() for part in plain.partition("/"))
        for name in (figure, per) if "/" in plain else (figure,):
            if name not in NAMES:
                raise KeyError(name)
        return cls(figure, per, plain != text.strip())

    @property
    def figures(self) -> tuple[str, ...]:
        """The figures that it is made of."""
        return (self.figure, self.per) if self.per else (self.figure,)

    @property
    def of_the_map(self) -> bool:
        """Does it not depend on what agents do?"""
        return {*self.figures} <= {*OF_THE_MAP}

    @property
    def is_a_rate(self) -> bool:
        """Is it known of an agent that never arrives: its time per move, say?"""
        return bool(self.per) and {*self.figures} <= {*OF_THE_WALK}

    @property
    def timed(self) -> bool:
        """Does it depend on how long an episode took on this machine?"""
        return bool({*self.figures} & {"planning_us", "longest_us"})

    def __str__(self) -> str:
        return self.median * _MEDIAN + " / ".join(self.figures)
