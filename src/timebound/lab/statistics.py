"""Means, ratios of totals, and their differences, with confidence intervals from the problems that both sides solved.

Intervals come from the jackknife: every value is computed again without each of the problems, and how much that changes
it is that problem's pull. The pulls on a mean are the distances from it; the pulls on a ratio do not understate a
problem that outweighs the others, as a linear formula does. What is compared is computed from the same problems on both
sides, which is what makes a test paired. Limits are Student's.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..race import student_t
from .measures import Measure

Array = NDArray[np.float64]
Sample = Mapping[str, Array]
"""Figures by their names; the same place in every array is the same problem, NaN where it was not solved."""


class Interval(NamedTuple):
    """A value, and between what limits it lies with some confidence."""

    value: float
    low: float
    high: float
    problems: int


def there(measure: Measure, sample: Sample) -> NDArray[np.bool_]:
    """For which problems there are figures."""
    present: NDArray[np.bool_] = np.logical_and.reduce([np.isfinite(sample[name]) for name in measure.figures])
    return present


def value(measure: Measure, sample: Sample, chosen: NDArray[np.bool_]) -> tuple[float, Array]:
    """The measure over some problems, and over all of them but each."""
    top = sample[measure.figure][chosen]
    bottom = sample[measure.per][chosen] if measure.per else np.ones(len(top))
    if len(top) < 2:
        return _ratio(top.sum(), bottom.sum()), np.full(len(top), np.nan)
    return _ratio(top.sum(), bottom.sum()), _ratio(top.sum() - top, bottom.sum() - bottom)


def _ratio(top: Any, bottom: Any) -> Any:
    """NaN where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom == 0, np.nan, np.divide(top, bottom))[()]


def interval(measured: float, without: Array, share: float = 0.95) -> Interval:
    """Between what limits a value lies with that confidence, if it has other values without each of the problems."""
    count = len(without)
    if count < 2 or not np.isfinite(without).all():
        return Interval(float(measured), -math.inf, math.inf, count)
    pulls = (count - 1) * (measured - without)
    error = student_t(count - 1, share) * float(pulls.std(ddof=1)) / math.sqrt(count)
    return Interval(float(measured), measured - error, measured + error, count)


def estimate(measure: Measure, sample: Sample) -> Interval:
    """A measure over all problems that have it, with its 95 % confidence interval."""
    chosen = there(measure, sample)
    if not chosen.any():
        return Interval(math.nan, -math.inf, math.inf, 0)
    return interval(*value(measure, sample, chosen))


class Pair(NamedTuple):
    """Two measures over the problems that both have, and over all of these but each."""

    one: float
    two: float
    one_without: Array
    two_without: Array
    differing: int
    """How many problems tell them apart."""

    def difference(self, share: float = 0.95) -> Interval:
        """The second less the first."""
        return interval(self.two - self.one, self.two_without - self.one_without, share)

    def ratio(self, share: float = 0.95) -> Interval:
        """The first over the second; the limits are those of its logarithm."""
        if not (self.one > 0 and self.two > 0):
            return Interval(math.nan, -math.inf, math.inf, len(self.one_without))
        with np.errstate(divide="ignore", invalid="ignore"):
            without = np.log(self.one_without / self.two_without)
        middle, low, high, count = interval(math.log(self.one) - math.log(self.two), without, share)
        return Interval(math.exp(middle), math.exp(low), math.exp(min(high, 700.0)), count)

    def swapped(self) -> "Pair":
        """The second first."""
        return Pair(self.two, self.one, self.two_without, self.one_without, self.differing)


def pair(one: tuple[Measure, Sample], two: tuple[Measure, Sample]) -> Pair | None:
    """Two measures compared problem by problem; None if no problem has both."""
    chosen = there(*one) & there(*two)
    if not chosen.any():
        return None
    (first, first_without), (second, second_without) = value(*one, chosen), value(*two, chosen)
    return Pair(first, second, first_without, second_without, _differing(one, two, chosen))


def _differing(one: tuple[Measure, Sample], two: tuple[Measure, Sample], chosen: NDArray[np.bool_]) -> int:
    if one[0] != two[0]:
        return int(chosen.sum())
    different = [one[1][name][chosen] != two[1][name][chosen] for name in one[0].figures]
    return int(np.logical_or.reduce(different).sum())
