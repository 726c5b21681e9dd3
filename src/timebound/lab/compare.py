"""Two runs compared, problem by problem."""

from typing import Any, NamedTuple

from ..core.errors import ProblemError
from .claims import show
from .measures import Measure
from .results import Results, results_of
from .statistics import Sample, pair
from .store import Run

_WHERE = ["problem", "fingerprint", "start", "goal", "seed"]


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
    both = pair([((measure, one), (measure, two))])
    if both is None:
        return None
    difference = both.difference()
    outcome = "A is less" if difference.low > 0 else "B is less" if difference.high < 0 else "no difference seen"
    numbers = (f"{number:,.2f}" for number in (both.one, both.two, difference.value))
    limits = f"{difference.low:,.2f} to {difference.high:,.2f}"
    return name, measure, *numbers, limits, show(difference.problems), outcome if both.differing else "the same"
