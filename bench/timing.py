"""Timing that is robust on a busy machine: rounds in which all take turns, medians, and ratios with their spread."""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that an action takes, and its result."""
    began = time.perf_counter()
    result = action()
    return time.perf_counter() - began, result


@contextmanager
def undisturbed() -> Iterator[None]:
    """Switch garbage collection off: it would cost most where others left many objects behind."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@dataclass(frozen=True)
class Ratio:
    """The ratio of two times: the median of the rounds, the least and the greatest."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f} to {self.high:.2f})"


@dataclass
class Turns:
    """The seconds that one contender took: `seconds[r, q]` for query q in round r."""

    seconds: np.ndarray

    @property
    def queries(self) -> int:
        """The number of queries it answered in every round."""
        return self.seconds.shape[1]

    @property
    def ms_per_query(self) -> float:
        """The median over the rounds of the mean over the queries."""
        return 1e3 * float(np.median(self.seconds.mean(axis=1)))

    def ratio_to(self, other: "Turns") -> Ratio:
        """Compare on the rounds and the queries that both took part in."""
        rounds, queries = np.minimum(self.seconds.shape, other.seconds.shape)
        ours, theirs = (turns.seconds[:rounds, :queries].sum(axis=1) for turns in (self, other))
        quotients = ours / theirs
        return Ratio(float(np.median(quotients)), float(quotients.min()), float(quotients.max()))


def take_turns(actions: Sequence[Sequence[Callable[[], Any]]], rounds: int, box: float) -> list[Turns]:
    """Let each contender run its actions once per round, starting with another one each time.

    A contender that has spent `box` seconds leaves, but not before the end of the first round.
    """
    rows: list[list[list[float]]] = [[] for _ in actions]
    spent = [0.0] * len(actions)
    with undisturbed():
        for turn in range(rounds):
            for index in _starting_with(turn, len(actions)):
                if turn == 0 or spent[index] < box:
                    rows[index].append([timed(action)[0] for action in actions[index]])
                    spent[index] += sum(rows[index][-1])
    return [Turns(np.array(row)) for row in rows]


def _starting_with(first: int, count: int) -> list[int]:
    return [(first + i) % count for i in range(count)]
