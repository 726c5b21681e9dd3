"""How long the operations counted by the virtual clock really take on this machine.

Expansions, successors and pushes cannot be timed one by one: they take a few nanoseconds each, and they overlap in the
processor. So we time whole searches, which need different numbers of each, and fit prices to the times.
"""

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import maps
from ..compiled import borrow_field, compiled, prices
from ..compiled.clock import NEVER
from ..core.memory import untouched
from ..search.best_first import advance_within
from ..search.kept_searches import new_search_of
from ..search.learning import Learned
from ..search.orders import Order
from ..search.paths import begin_trace, trace
from ..search.state import begin, costs_reached
from ..worlds import Grid
from ..worlds.interface import touch

PROBLEMS = 6
FAR = 1 << 40  # the cost of a path so long that every state learns from it
NEIGHBORS = (4, 8, 16)
LEANING = 0.2  # a price of twice the shipped one weighs as much as an error of 20 % in a time


class Prices(NamedTuple):
    """Nanoseconds per operation."""

    expansion: float
    successor: float
    push: float
    trace_step: float
    update: float


SHIPPED = Prices(prices.EXPANSION, prices.SUCCESSOR, prices.PUSH, prices.TRACE_STEP, prices.UPDATE)


class OperationCounts(NamedTuple):
    """The number of operations of each kind."""

    expansions: int
    successors: int
    pushes: int
    trace_steps: int
    updates: int


class Times(NamedTuple):
    """The time in nanoseconds."""

    search: int
    trace: int
    updates: int


class Sample(NamedTuple):
    """The searches on one map with one rule."""

    where: str
    counts: OperationCounts
    times: Times

    def as_json(self) -> dict[str, Any]:
        """As plain numbers and strings."""
        return {"where": self.where, "counts": self.counts._asdict(), "nanoseconds": self.times._asdict()}


@dataclass(frozen=True)
class Calibration:
    """The prices on this machine, and those of the virtual clock."""

    samples: list[Sample]
    measured: Prices

    def times_shipped(self) -> float:
        """Return the time of searches on this machine over that of the virtual clock (geometric mean)."""
        return float(np.exp(-np.log(self._predicted(SHIPPED)).mean()))

    def errors(self) -> np.ndarray:
        """Return the relative error of the measured prices for every sample."""
        return self._predicted(self.measured) - 1

    def shipped_errors(self) -> np.ndarray:
        """Return the same for the shipped prices, scaled to the speed of this machine."""
        return self._predicted(SHIPPED) * self.times_shipped() - 1

    def _predicted(self, priced: Prices) -> np.ndarray:
        counts, nanoseconds = _searches(self.samples)
        return np.asarray(counts @ np.array(priced[:3]) / nanoseconds)


_GENERATORS: tuple[Callable[[int, int], maps.Map], ...] = (
    lambda side, seed: maps.random_obstacles(side, side, 0.25, seed),
    lambda side, seed: maps.rooms(side, side, 16, seed),
    lambda side, seed: maps.maze(side, side, seed, corridor=4),
    lambda side, seed: maps.caves(side, side, seed),
)


def calibrate(
    side: int = 512, seed: int = 0, rounds: int = 12, progress: Callable[[int, int], None] | None = None
) -> Calibration:
    """Time searches on generated maps of all kinds, and fit prices to the times.

    For each search the fastest of several rounds counts. All searches take turns in a round, so a busy moment of the
    machine does not affect just one of them.
    """
    pairs = [(generate(side, seed), neighbors) for generate in _GENERATORS for neighbors in NEIGHBORS]
    courses = [_Course(map_, neighbors, seed) for map_, neighbors in pairs]
    for done, course in enumerate(courses * rounds, start=1):
        course.run()
        if progress:
            progress(done, len(courses) * rounds)
    return fitted([course.sample() for course in courses])


# ------------------------------------------------------------------ timing


class _Course:
    """A map with some problems, solved again and again."""

    def __init__(self, map_: maps.Map, neighbors: int, seed: int):
        self.world = Grid(map_.passable, neighbors=neighbors)
        self.name = f"{map_.name}, {neighbors} neighbours"
        self.order = Order.of(self.world)
        problems = maps.random_problems(map_, PROBLEMS, seed=seed, neighbors=neighbors)
        self.problems = [(self.world.state(start), self.world.state(goal)) for start, goal in problems]
        self.search = new_search_of(self.world, self.world.compiled(0), self.order)
        self.learned = untouched(self.world.states, np.int64)
        self.counts = np.zeros((PROBLEMS, len(OperationCounts._fields)), np.int64)
        self.times = np.full((PROBLEMS, len(Times._fields)), NEVER)

    def run(self) -> None:
        for i, (start, goal) in enumerate(self.problems):
            self.counts[i], times = self._timed(start, goal)
            self.times[i] = np.minimum(self.times[i], times)

    def sample(self) -> Sample:
        return Sample(
            self.name, OperationCounts(*self.counts.sum(axis=0).tolist()), Times(*self.times.sum(axis=0).tolist())
        )

    def _timed(self, start: int, goal: int) -> tuple[OperationCounts, Times]:
        """One search, the trace of its path, and an update of h for every state that it reached."""
        search, target = self.search, self.world.compiled(goal)
        begin(search, target, start, self.order)
        search_ns = _nanoseconds(advance_within, search, NEVER, NEVER, NEVER)
        begin_trace(search, goal)
        trace_ns = _nanoseconds(trace, search, NEVER)
        reached = np.flatnonzero(costs_reached(search) >= 0)
        self.learned[reached] = 0
        world = Learned(target, self.learned, 0, np.empty(0, np.int64), 0, np.full(2, FAR), 0, np.zeros(6, np.int64))
        update_ns = _nanoseconds(_touch_all, world, search, reached)
        return OperationCounts(*_counted(search), len(reached)), Times(search_ns, trace_ns, update_ns)


def _nanoseconds(function: Callable[..., Any], *arguments: Any) -> int:
    began = time.perf_counter_ns()
    function(*arguments)
    return time.perf_counter_ns() - began


@compiled
def _counted(search: Any) -> tuple[int, int, int, int]:
    return search.expansions, search.generated, search.queue.order, search.traced


@compiled
def _touch_all(world: Any, search: Any, states: np.ndarray) -> None:
    nodes = borrow_field(search, "nodes")
    for state in states:
        touch(world, state, 1, nodes[state].g)


# ------------------------------------------------------------------ fitting


def fitted(samples: list[Sample]) -> Calibration:
    """Return the prices that explain the samples best."""
    trace = sum(sample.times.trace for sample in samples) / sum(sample.counts.trace_steps for sample in samples)
    update = sum(sample.times.updates for sample in samples) / sum(sample.counts.updates for sample in samples)
    return Calibration(samples, Prices._make([*_search_prices(samples), trace, update]))


def _search_prices(samples: list[Sample]) -> list[float]:
    """Fit prices by least squares of the relative errors, regularised toward the shipped prices.

    Searches that expand more also push more, so quite different prices explain the times almost equally well. Of
    those we take the ones nearest to the shipped prices, in proportion; otherwise every run would give different ones.
    """
    counts, nanoseconds = _searches(samples)
    rows = counts / nanoseconds[:, None]
    speed = np.exp(-np.log(rows @ np.array(SHIPPED[:3])).mean())
    lean = LEANING * np.diag(1 / (speed * np.array(SHIPPED[:3])))
    return _least_squares(np.vstack([rows, lean]), np.append(np.ones(len(rows)), np.full(len(lean), LEANING)))


def _searches(samples: list[Sample]) -> tuple[np.ndarray, np.ndarray]:
    """Return the expansions, successors and pushes of every sample, and its time."""
    counts = np.array([sample.counts[:3] for sample in samples], float)
    return counts, np.array([sample.times.search for sample in samples], float)


def _least_squares(rows: np.ndarray, values: np.ndarray) -> list[float]:
    """Return the non-negative numbers that fit the rows to the values best.

    With so few unknowns, we can try every choice of those that are not zero.

    >>> [round(x, 6) for x in _least_squares(np.array([[1.0, 0, 1], [0, 1, 1], [1, 1, 1]]), np.array([2.0, -1, 2]))]
    [2.0, 0.0, 0.0]
    """
    unknowns = rows.shape[1]
    best, least = np.zeros(unknowns), float(values @ values)
    for count in range(1, unknowns + 1):
        for chosen in itertools.combinations(range(unknowns), count):
            solution = np.zeros(unknowns)
            solution[list(chosen)] = np.linalg.lstsq(rows[:, chosen], values, rcond=None)[0]
            error = float(((rows @ solution - values) ** 2).sum())
            if error < least and solution.min() >= 0:
                best, least = solution, error
    return best.tolist()
