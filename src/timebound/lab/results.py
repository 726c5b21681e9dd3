"""The results of a run, by configuration and problem; and two runs compared, problem by problem."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import ProblemError
from . import statistics
from .claims import Term, show
from .experiment import Configuration, Experiment
from .measures import ARRIVED, FIGURES, OF_THE_MAP, SAVED, TIMES, Measure
from .statistics import Array, Confidence, Maps, Mask, Pair, Sample
from .store import Contents, Run, joined

_WHERE = ["problem", "fingerprint", "start", "goal", "seed"]
_COLUMNS = {"problem", "fingerprint", "label", "settings", "solved", *FIGURES}

Measured = tuple[Configuration, Measure]


@dataclass(frozen=True)
class Results:
    """The figures of every configuration that was run, problem by problem."""

    experiment: Experiment
    samples: Mapping[Configuration, Sample]  # figures of the episodes that reached their goal
    walks: Mapping[Configuration, Sample] = field(default_factory=dict)  # figures of all episodes
    lost: Mapping[Configuration, Mask] = field(default_factory=dict)  # the episodes that did not reach their goal
    maps: Maps | None = None  # of the problems; None if each has its own
    table: Any = None  # all rows, as a PyArrow table
    missing: str = ""  # what is damaged or missing; empty if nothing is

    def on_these_maps(self) -> "Results":
        """Return the same results, with intervals about these maps only."""
        return replace(self, maps=self.maps and self.maps._replace(only_these=True))

    def unsolved(self, configuration: Configuration) -> int:
        """Return how many episodes did not reach their goal."""
        return int(self.lost[configuration].sum()) if configuration in self.lost else 0

    def run(self, configuration: Configuration) -> int:
        """Return how many episodes there are."""
        return int(np.isfinite(self.walks[configuration]["moves"]).sum())

    @cached_property
    def shared(self) -> Mask:
        """The problems that every configuration was run on. If there are none, all of them."""
        run = [np.isfinite(walk["moves"]) for walk in self.walks.values()]
        both: Mask = np.logical_and.reduce(run)
        return both if both.any() else np.ones_like(both)

    def estimate(self, configuration: Configuration, measure: Measure, share: float = 0.95) -> Confidence | None:
        """Return a measure with its confidence interval; None if not run. For agents that failed it is the median.

        It is that of the problems that all configurations share: others may be easier, or harder.
        """
        if configuration not in self.samples:
            return None
        if self.by_median([(configuration, measure)]):
            values = np.where(self.shared, self._values(configuration, measure), math.nan)
            return statistics.median_of(values, self.maps, share)
        sample = self.samples[configuration]
        shared = {name: np.where(self.shared, sample[name], math.nan) for name in measure.figures}
        return statistics.estimate(measure, shared, self.maps, share)

    def by_median(self, sides: Iterable[Measured]) -> bool:
        """Are these compared by their medians, because that was requested or because agents failed?

        A mean over only the solved problems would look better the more an agent failed.
        """
        return any(one.median or (self.unsolved(side) and not one.valid_if_unsolved) for side, one in sides)

    def _values(self, configuration: Configuration, measure: Measure) -> Array:
        """Return a measure of each problem; infinite where the agent failed: that is worse than any other."""
        if measure.is_a_rate:
            return statistics.per_problem(measure, self.walks[configuration])
        values = statistics.per_problem(measure, self.samples[configuration])
        return values if measure.valid_if_unsolved else np.where(self.lost[configuration], math.inf, values)

    def pair(self, couples: Sequence[tuple[Measured, Measured]]) -> Pair | None:
        """Compare pairs of configurations problem by problem, averaged over the pairs; None without data."""
        if self.by_median(side for couple in couples for side in couple):
            values = [(self._values(*one), self._values(*two)) for one, two in couples]
            return statistics.pair_of_medians(values, self.maps)
        samples = [((one[1], self.samples[one[0]]), (two[1], self.samples[two[0]])) for one, two in couples]
        return statistics.pair(samples, self.maps)

    def arrivals(self, couples: Sequence[tuple[Measured, Measured]]) -> Pair | None:
        """Compare the share of agents that arrive, in the same way."""
        arrived = Measure(ARRIVED)
        return self.pair([((one, arrived), (two, arrived)) for (one, _), (two, _) in couples])

    def above_cut_off(self, configuration: Configuration) -> bool:
        """Did some episode exceed a limit of the experiment?"""
        sample = self.walks.get(configuration, {})
        return any(name in sample and bool((sample[name] > most).any()) for name, most in self.experiment.cut_off)

    def matching(self, term: Term) -> list[Configuration]:
        """Return the configurations of a term, in the order of the experiment, run or not."""
        return [
            one
            for one in self.experiment.configurations()
            if one.label == term.label and term.fixed.items() <= one.settings.items() and not self.above_cut_off(one)
        ]


def results_of(run: Run, contents: Contents | None = None) -> Results:
    """Return the results of a run so far, from contents that were already read if given; and what is missing."""
    contents = contents or run.contents()
    table = joined(run, contents)
    columns = table.select([name for name in table.column_names if name in _COLUMNS]).to_pydict()
    return replace(arrange(run.experiment, columns), table=table, missing=run.missing(contents))


def arrange(experiment: Experiment, columns: Mapping[str, Sequence[Any]]) -> Results:
    """Sort rows, given as columns of equal length, into results."""
    by_name = {(one.label, one.stored_settings): one for one in experiment.configurations()}
    size = max(columns["problem"]) + 1
    figures = [name for name in FIGURES if name in columns]
    rows: dict[Configuration, list[int]] = {}
    for row, key in enumerate(zip(columns["label"], columns["settings"], strict=True)):
        rows.setdefault(by_name[key], []).append(row)
    problems, solved = np.array(columns["problem"]), np.array(columns["solved"], bool)
    arrays = {name: np.array(columns[name], float) for name in figures}
    walks = {
        one: {name: _by_problem(problems[some], values[some], size, name in TIMES) for name, values in arrays.items()}
        for one, some in rows.items()
    }
    lost = {one: _by_problem(problems[some], ~solved[some], size) == 1 for one, some in rows.items()}
    samples = dict[Configuration, dict[str, Array]]()
    for one, walk in walks.items():
        known = {name: walk[name] if name in OF_THE_MAP else np.where(lost[one], math.nan, walk[name]) for name in walk}
        samples[one] = {**known, ARRIVED: np.where(np.isfinite(walk["moves"]), ~lost[one], math.nan)}
    if experiment.reference is not None:
        taken = samples.get(experiment.reference, {}).get("memory_kb", np.full(size, np.nan))
        for sample in samples.values():
            sample[SAVED] = taken - sample["memory_kb"]
    return Results(experiment, samples, walks, lost, _maps(problems, columns.get("fingerprint"), size))


def _maps(problems: Any, maps: Sequence[str] | None, size: int) -> Maps | None:
    if maps is None:
        return None
    found = np.full(size, -1)
    found[problems] = np.unique(np.array(maps), return_inverse=True)[1]
    return Maps(found)


def _by_problem(problems: Any, values: Any, size: int, repeated: bool = False) -> Array:
    """Return a value per problem, NaN where there is none; the median of several rounds, if they vary."""
    found = np.full(size, np.nan)
    found[problems[::-1]] = values[::-1]  # the first one counts
    if repeated:
        order = np.argsort(problems, kind="stable")
        single, first = np.unique(problems[order], return_index=True)
        found[single] = [np.median(some) for some in np.split(values[order], first[1:])]
    return found


# ------------------------------------------------------------------ two runs


class Compared(NamedTuple):
    """Two runs side by side."""

    rows: list[tuple[str, ...]]
    """For every configuration and measure that both have: means, difference, confidence, which is less."""
    faults: list[str]  # runs that are damaged or incomplete: a line for each


def compared(one: Run, two: Run) -> Compared:
    """Compare two runs."""
    left, right = results_of(one), results_of(two)
    here, there = _problems(left), _problems(right)
    if different := [number for number in here.keys() & there.keys() if here[number] != there[number]]:
        raise ProblemError(
            f"{one.directory} and {two.directory} have different problems (for example, number {different[0]})"
        )
    others = {(other.label, other.stored_settings): sample for other, sample in right.samples.items()}
    measures = [measure for measure in one.experiment.measures if measure in two.experiment.measures]
    rows = [
        row
        for configuration, sample in left.samples.items()
        if (other := others.get((configuration.label, configuration.stored_settings))) is not None
        for measure in measures
        if (row := _row(str(configuration), measure, sample, other)) is not None
    ]
    if not rows:
        raise ProblemError(f"{one.directory} and {two.directory} have no configuration and measure in common")
    faults = [f"{run.directory}: {results.missing}" for run, results in ((one, left), (two, right)) if results.missing]
    return Compared(rows, faults)


def _problems(results: Results) -> dict[int, Any]:
    """Return the map, start and goal of every problem: different ones cannot be paired."""
    return {row["problem"]: row for row in results.table.select(_WHERE).to_pylist()}


def _row(name: str, measure: Measure, one: Sample, two: Sample) -> tuple[str, ...] | None:
    """Return a row of the table; None if not both have the measure."""
    if not all(figure in sample for sample in (one, two) for figure in measure.figures):
        return None
    both = statistics.pair([((measure, one), (measure, two))])
    if both is None:
        return None
    difference = both.difference()
    outcome = "A is less" if difference.low > 0 else "B is less" if difference.high < 0 else "no difference seen"
    numbers = (f"{number:,.2f}" for number in (both.one, both.two, difference.value))
    limits = f"{difference.low:,.2f} to {difference.high:,.2f}"
    return name, measure, *numbers, limits, show(difference.problems), outcome if both.differing else "the same"
