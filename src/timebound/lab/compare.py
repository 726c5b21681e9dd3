"""Two runs compared, problem by problem."""

from typing import Any, NamedTuple

from ..core.errors import ProblemError
from .claims import show
from .experiment import Configuration
from .measures import Measure
from .results import Results, results_of
from .statistics import pair
from .store import Run

_WHERE = ("problem", "fingerprint", "start", "goal", "seed")


class Compared(NamedTuple):
    """Two runs side by side."""

    rows: list[tuple[str, ...]]
    """For every configuration and measure that both have: means, difference, confidence, which is less."""
    faults: list[str]
    """Runs that are damaged or incomplete: a line for each."""


def compared(one: Run, two: Run) -> Compared:
    """Compare two runs."""
    left, right = results_of(one), results_of(two)
    here, there = _problems(left), _problems(right)
    if different := [number for number in here.keys() & there.keys() if here[number] != there[number]]:
        raise ProblemError(
            f"{one.directory} and {two.directory} have different problems (for example, number {different[0]})"
        )
    others = {_name(configuration): configuration for configuration in right.samples}
    measures = [measure for measure in one.experiment.measures if measure in two.experiment.measures]
    rows = [
        row
        for configuration, sample in left.samples.items()
        if (other := others.get(_name(configuration))) is not None
        for measure in measures
        if (row := _row(str(configuration), measure, sample, right.samples[other])) is not None
    ]
    if not rows:
        raise ProblemError(f"{one.directory} and {two.directory} have no configuration and measure in common")
    faults = [f"{run.directory}: {results.missing}" for run, results in ((one, left), (two, right)) if results.missing]
    return Compared(rows, faults)


def _name(configuration: Configuration) -> tuple[str, str]:
    return configuration.label, configuration.stored_settings


def _problems(results: Results) -> dict[int, Any]:
    """Return the map, start and goal of every problem: different ones cannot be paired."""
    columns = [results.table.column(name).to_pylist() for name in _WHERE]
    return {row[0]: row[1:] for row in zip(*columns, strict=True)}


def _row(name: str, measure: Measure, one: Any, two: Any) -> tuple[str, ...] | None:
    if not all(figure in sample for sample in (one, two) for figure in measure.figures):
        return None
    both = pair((measure, one), (measure, two))
    if both is None:
        return None
    difference = both.difference()
    outcome = "the same" if not both.differing else _outcome(difference.low, difference.high)
    numbers = (f"{number:,.2f}" for number in (both.one, both.two, difference.value))
    limits = f"{difference.low:,.2f} to {difference.high:,.2f}"
    return name, measure, *numbers, limits, show(difference.problems), outcome


def _outcome(low: float, high: float) -> str:
    return "A is less" if low > 0 else "B is less" if high < 0 else "no difference seen"
