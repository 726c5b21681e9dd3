"""What the lab measures: figures of an episode and of what was prepared for it, and ratios of their totals."""

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


class Seen(NamedTuple):
    """All that is known of an episode."""

    episode: Episode
    prepared: Prepared
    cells: int


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
OF_THE_MAP = ("prepared_s", "prepared_kb", "prepared_records", "prepared_states", "cells")
"""The figures that are the same for all problems of a map, whether or not they were solved."""
PREPARED = (*OF_THE_MAP, "total_kb")
"""The figures for which all that can be prepared must be, also what no episode would ask for."""
DEAR = (*OPTIMAL, *PREPARED)
"""The figures that take time: measured only where an experiment asks for them."""


@dataclass(frozen=True)
class Measure:
    """A figure, in the mean over problems, or one figure's total over another's, as in `planning_us / searches`.

    >>> Measure.parse("planning_us / searches")
    Measure(figure='planning_us', per='searches')
    >>> str(Measure.parse("cost"))
    'cost'
    """

    figure: str
    per: str = ""

    @classmethod
    def parse(cls, text: str) -> "Measure":
        """From its text; a figure that does not exist is a `KeyError` with its name."""
        figure, _, per = (part.strip() for part in text.partition("/"))
        for name in (figure, per) if "/" in text else (figure,):
            if name not in NAMES:
                raise KeyError(name)
        return cls(figure, per)

    @property
    def figures(self) -> tuple[str, ...]:
        """The figures that it is made of."""
        return (self.figure, self.per) if self.per else (self.figure,)

    @property
    def of_the_map(self) -> bool:
        """Does it not depend on what agents do?"""
        return {*self.figures} <= {*OF_THE_MAP}

    def __str__(self) -> str:
        return " / ".join(self.figures)
