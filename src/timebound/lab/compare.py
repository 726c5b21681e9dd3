"""Two runs compared, problem by problem."""

import json
from typing import Any

from ..errors import ProblemError
from .claims import show
from .measures import Measure
from .results import results_of
from .spec import Configuration
from .statistics import pair
from .store import Run, read_rows

_WHERE = ("problem", "fingerprint", "start", "goal", "seed")


def compared(one: Run, two: Run) -> list[tuple[str, ...]]:
    """A row for every configuration and measure that both runs have: means, difference, confidence, which is less."""
    _same_problems(one, two)
    left, right = results_of(one), results_of(two)
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
    return rows


def _name(configuration: Configuration) -> tuple[str, str]:
    return configuration.label, json.dumps(configuration.settings, sort_keys=True)


def _same_problems(one: Run, two: Run) -> None:
    """Refuse runs on other maps or with other starts and goals: nothing could be paired."""
    left, right = (_problems(run) for run in (one, two))
    for number in left.keys() & right.keys():
        if left[number] != right[number]:
            raise ProblemError(f"{one.directory} and {two.directory} have different problems (the {number}th, say)")


def _problems(run: Run) -> dict[int, Any]:
    columns = [read_rows(run).column(name).to_pylist() for name in _WHERE]
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
    return name, str(measure), *numbers, limits, show(difference.problems), outcome


def _outcome(low: float, high: float) -> str:
    return "A is less" if low > 0 else "B is less" if high < 0 else "no difference seen"
