"""What the lab measures: figures of an episode and its preparation, ratios of totals, and medians."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..agents.episode import Episode


class Preparation(NamedTuple):
    """What was prepared for an agent: how long that took, and how large it is."""

    seconds: float = 0.0  # seconds of processor time
    bytes: float = 0.0
    records: float = 0.0  # problems solved in advance, or pairs of regions
    states: float = 0.0  # states stored: subgoals, and the region of every cell
    detours: float = math.nan  # percent of the subgoals to which a climb takes a detour
    detour: float = math.nan  # how much longer than optimal these climbs are on average, percent


UNTOLD = Preparation(*[math.nan] * len(Preparation._fields))  # for an agent that does not report its preparation


class Tempo(NamedTuple):
    """What is known about an episode only if each of its intervals is watched."""

    first_move: float = math.nan  # the interval in which the agent makes its first move
    most_expansions: float = math.nan  # the most expansions in one interval


class Seen(NamedTuple):
    """All that is known about an episode."""

    episode: Episode
    prepared: Preparation
    pace: Tempo
    cells: int
    interval_us: float  # the length of an interval in real time; NaN if its budget is not in real time
    share: float = 1.0  # of the episode's time in which the process had a processor


FIGURES: Mapping[str, Callable[[Seen], float]] = {
    "cost": lambda seen: seen.episode.cost,
    "moves": lambda seen: seen.episode.moves,
    "intervals": lambda seen: seen.episode.intervals,
    "expansions": lambda seen: seen.episode.expansions,
    "searches": lambda seen: seen.episode.searches,
    "back_moves": lambda seen: seen.episode.back_moves,
    "reversals": lambda seen: seen.episode.reversals,
    "waits": lambda seen: seen.episode.intervals - seen.episode.moves,
    "planning_us": lambda seen: seen.episode.planning_us * seen.share,
    "longest_us": lambda seen: seen.episode.time_per_move_us["max"],
    "memory_kb": lambda seen: seen.episode.memory_bytes / 1024,
    "states_in_memory": lambda seen: seen.episode.states_in_memory,
    "updates": lambda seen: seen.episode.updates,
    "raised": lambda seen: seen.episode.updates * seen.episode.raise_per_update,
    "expansions_per_move": lambda seen: seen.episode.expansions / max(1, seen.episode.moves),
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
    "detours": lambda seen: seen.prepared.detours,
    "detour": lambda seen: seen.prepared.detour,
    "total_kb": lambda seen: (seen.episode.memory_bytes + seen.prepared.bytes) / 1024,
    "cells": lambda seen: seen.cells,
}
SAVED = "saved_kb"  # how much less memory an episode used than the reference on the same problem: known when both are
ARRIVED = "arrived"  # 1 if an agent reached its goal, otherwise 0; its mean is the share that arrives
NAMES = (*FIGURES, SAVED, ARRIVED)
TIMES = ("planning_us", "longest_us", "prepared_s")  # depend on the machine
OPTIMAL = ("optimal_cost", "suboptimality", "excess")  # need another search
PACE = Tempo._fields  # need an agent that is watched interval by interval
OF_THE_WALK = (
    "cost", "moves", "intervals", "expansions", "searches", "back_moves", "reversals", "waits", "planning_us",
    "updates", "raised", "available_us",
)  # fmt: skip
"""The figures that accumulate. Ratios of them are known even for an agent that never arrives."""
OF_THE_MAP = ("prepared_s", "prepared_kb", "prepared_records", "prepared_states", "detours", "detour", "cells")
"""The figures that are the same for all problems on a map, solved or not."""
PREPARED = (*OF_THE_MAP, "total_kb")  # for these, everything must be prepared, even what no episode needs
EXPENSIVE = (
    *OPTIMAL,
    *PREPARED,
    *PACE,
    "available_us",
    "expansions_per_move",
)  # take time, or matter rarely: measured only if requested
_MEDIAN = "median "


class Measure(str):
    """The mean of a figure over problems, or one figure's total over another's, as in `planning_us / searches`.

    After the word `median` it is the median over problems, of the figure or the quotient.

    >>> Measure.parse("median  moves/searches")
    'median moves / searches'
    """

    figure: str
    per: str
    median: bool

    def __new__(cls, figure: str, per: str = "", median: bool = False) -> "Measure":
        """Make it of its parts."""
        new = super().__new__(cls, median * _MEDIAN + (f"{figure} / {per}" if per else figure))
        new.figure, new.per, new.median = figure, per, median
        return new

    @classmethod
    def parse(cls, text: str) -> "Measure":
        """Read a measure from its text; an unknown figure raises `KeyError` with its name."""
        plain = text.strip().removeprefix(_MEDIAN)
        figure, _, per = (part.strip() for part in plain.partition("/"))
        for name in (figure, per) if "/" in plain else (figure,):
            if name not in NAMES:
                raise KeyError(name)
        return cls(figure, per, plain != text.strip())

    @property
    def figures(self) -> tuple[str, ...]:
        """Its figures."""
        return (self.figure, self.per) if self.per else (self.figure,)

    @property
    def valid_if_unsolved(self) -> bool:
        """Whether the measure is valid for agents that never arrive: it does not depend on how far they walk."""
        return {*self.figures} <= {*OF_THE_MAP, ARRIVED}

    @property
    def is_a_rate(self) -> bool:
        """Whether it is known for an agent that never arrives, such as its time per move."""
        return bool(self.per) and {*self.figures} <= {*OF_THE_WALK}

    @property
    def timed(self) -> bool:
        """Whether it depends on how long an episode took on this machine."""
        return bool({*self.figures} & {"planning_us", "longest_us"})
