"""The results of a run, by configuration and problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .claims import Term
from .measures import FIGURES, OF_THE_MAP, SAVED, Measure
from .rows import settings_of
from .spec import Configuration, Experiment
from .statistics import Interval, Sample, estimate
from .store import Contents, Run, columns_of, joined


@dataclass(frozen=True)
class Results:
    """For every configuration that was run its figures, problem by problem."""

    experiment: Experiment
    samples: Mapping[Configuration, Sample]
    unsolved: Mapping[Configuration, int]
    """How many episodes did not reach their goal."""
    table: Any = None
    """All rows, as a PyArrow table."""
    missing: str = ""
    """What is damaged or not there; nothing if all is."""

    def estimate(self, configuration: Configuration, measure: Measure) -> Interval | None:
        """A measure with its confidence interval; None if it was not run."""
        sample = self.samples.get(configuration)
        return None if sample is None else estimate(measure, sample)

    def matching(self, term: Term) -> list[Configuration]:
        """The configurations that a term speaks of, in the order of the experiment; run or not."""
        return [
            configuration
            for configuration in self.experiment.configurations()
            if configuration.label == term.label
            and all(configuration.settings[name] == value for name, value in term.fixed.items())
        ]


def results_of(run: Run) -> Results:
    """Everything that a run has so far, and what it has not."""
    return results_in(run, run.contents())


def results_in(run: Run, contents: Contents) -> Results:
    """The same from what was read already."""
    table = joined(run, contents)
    return replace(arrange(run.experiment, columns_of(table)), table=table, missing=run.missing(contents))


def arrange(experiment: Experiment, columns: Mapping[str, Sequence[Any]]) -> Results:
    """Rows, as columns of equal length, put in order."""
    known = {(one.label, settings_of(one)): one for one in experiment.configurations()}
    size = max(columns["problem"]) + 1
    figures = [name for name in FIGURES if name in columns]
    samples: dict[Configuration, dict[str, Any]] = {}
    unsolved: dict[Configuration, int] = {}
    for row, key in enumerate(zip(columns["label"], columns["settings"], strict=True)):
        configuration = known[key]
        if configuration not in samples:
            samples[configuration] = {name: np.full(size, np.nan) for name in figures}
            unsolved[configuration] = 0
        solved = columns["solved"][row]
        unsolved[configuration] += not solved
        for name in figures:
            if solved or name in OF_THE_MAP:
                samples[configuration][name][columns["problem"][row]] = columns[name][row]
    if experiment.reference is not None:
        taken = samples.get(experiment.reference, {}).get("memory_kb", np.full(size, np.nan))
        for sample in samples.values():
            sample[SAVED] = taken - sample["memory_kb"]
    return Results(experiment, samples, unsolved)
