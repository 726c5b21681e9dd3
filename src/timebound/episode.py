"""The record of one agent taken from its start to its goal, or to the proof that there is no way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Episode:
    """What happened, in the figures that the papers report."""

    agent: str
    solved: bool
    cost: float
    """Of the path walked."""
    moves: int
    intervals: int
    """Turns of the game clock. The agent waits in some of them, and makes at most one move in each."""
    expansions: int
    searches: int
    back_moves: int
    """Moves that undo an earlier one."""
    path: Sequence[Any] = field(repr=False)
    """Positions or labels, start and goal included."""
    time_per_move_us: Mapping[str, float] = field(repr=False)
    """Microseconds of planning per move: mean, p50, p99, max."""
    memory_bytes: int
    stop: str
    """Why it ended: `goal`, `unreachable`, `intervals` (the limit on them) or `memory`; `going` if it has not."""

    def as_json(self) -> dict[str, Any]:
        """The record as plain numbers, strings and lists."""
        record = {name: getattr(self, name) for name in self.__dataclass_fields__}
        record["path"] = [list(place) if isinstance(place, tuple) else place for place in self.path]
        record["time_per_move_us"] = dict(self.time_per_move_us)
        return record


def summary_of(times: Sequence[float]) -> dict[str, float]:
    """Mean, median, 99th percentile and maximum, rounded to a thousandth.

    >>> summary_of([3.0, 0.0, 0.0, 0.0])
    {'mean': 0.75, 'p50': 0.0, 'p99': 2.91, 'max': 3.0}
    """
    values = np.array(times if len(times) else [0.0])
    figures = (values.mean(), *np.percentile(values, (50, 99)), values.max())
    return {name: round(float(figure), 3) for name, figure in zip(("mean", "p50", "p99", "max"), figures, strict=True)}
