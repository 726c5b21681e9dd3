"""Means, ratios of totals, medians, and their differences, with confidence intervals.

Intervals of means and of ratios of totals come from the jackknife: every value is recomputed without each problem, and
the change is that problem's pull. The pulls on a mean are the distances from it; the pulls on a ratio do not understate
a problem that outweighs the others, as a linear formula does. Limits come from Student's t distribution.

Other work on the machine disturbs times. So the problems where two sides differ most, a twentieth at each end, are left
out of their means (trimmed means; the pull of such a problem is that of the outermost one kept, and all pulls grow
accordingly, as in Yuen's test).

Intervals of medians come from the bootstrap: they are recomputed for problems drawn with replacement.

Both sides of a comparison use the same problems: the tests are paired.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from .measures import Measure

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Sample = Mapping[str, Array]
"""Figures by name; the same index in every array is the same problem, NaN where it was not solved."""
Sampled = tuple[Measure, Sample]

TRIMMED = 0.05
"""The share of problems left out at each end, when times are compared."""
_FEWEST = 5  # problems; with fewer, none are left out
_DRAWS = 1000
_LOGARITHM = 700.0  # of the largest number


class Confidence(NamedTuple):
    """A value and its confidence limits."""

    value: float
    low: float
    high: float
    problems: int


class Values(NamedTuple):
    """A value, and its recomputed values: without each problem, or for other draws of problems."""

    value: float
    again: Array


def there(measure: Measure, sample: Sample) -> Mask:
    """Return the problems that have figures."""
    present: Mask = np.logical_and.reduce([np.isfinite(sample[name]) for name in measure.figures])
    return present


def per_problem(measure: Measure, sample: Sample) -> Array:
    """Return the measure of each problem by itself."""
    values: Array = _ratio(sample[measure.figure], sample[measure.per]) if measure.per else sample[measure.figure]
    return values


def _ratio(top: Any, bottom: Any) -> Any:
    """Divide; NaN where the divisor is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom == 0, np.nan, np.divide(top, bottom))[()]


# ------------------------------------------------------------------ means


def _mean(measure: Measure, sample: Sample, chosen: Mask) -> Values:
    """Return the measure over some problems, and over all but each of them."""
    top = sample[measure.figure][chosen]
    bottom = sample[measure.per][chosen] if measure.per else np.ones(len(top))
    if len(top) < 2:
        return Values(_ratio(top.sum(), bottom.sum()), np.full(len(top), np.nan))
    return Values(_ratio(top.sum(), bottom.sum()), _ratio(top.sum() - top, bottom.sum() - bottom))


class _Trim(NamedTuple):
    """The problems left out, because they are the outermost in some order."""

    kept: Mask
    nearest: NDArray[np.int64]  # for every problem, the index among those kept of the one whose pull it has

    @classmethod
    def of(cls, order: Array) -> "_Trim":
        count = len(order)
        out = max(1, int(TRIMMED * count)) if count >= _FEWEST else 0
        ranked = np.argsort(order, kind="stable")
        inner = ranked[np.clip(np.arange(count), out, count - 1 - out)]
        kept = np.zeros(count, bool)
        kept[inner] = True
        nearest = np.empty(count, np.int64)
        nearest[ranked] = (np.cumsum(kept) - 1)[inner]
        return cls(kept, nearest)


def _trimmed_mean(side: Sampled, chosen: Mask, trim: _Trim) -> Values:
    some = chosen.copy()
    some[chosen] = trim.kept
    value, without = _mean(*side, some)
    count, kept = len(trim.kept), len(without)
    if kept < 2:
        return Values(value, np.full(count, np.nan))
    pulls = ((kept - 1) * (value - without))[trim.nearest] * count / kept
    return Values(value, value - pulls / (count - 1))


def _means(sides: Sequence[Sampled], chosen: Mask) -> list[Values]:
    """Compute the sides of a comparison, or one of them alone, over the same problems."""
    if not any(measure.timed for measure, _ in sides):
        return [_mean(*side, chosen) for side in sides]
    singles = [per_problem(*side)[chosen] for side in sides]
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.log(singles[0]) - (np.log(singles[1]) if len(singles) > 1 else 0)
    trim = _Trim.of(np.nan_to_num(order))
    return [_trimmed_mean(side, chosen, trim) for side in sides]


# ------------------------------------------------------------------ medians


def _median(values: Array) -> Values:
    return Values(float(np.median(values)), np.median(values[_drawn(len(values))], axis=1))


@lru_cache(8)
def _drawn(problems: int) -> NDArray[np.int64]:
    """Return draws of problems, fixed by their number: both sides of a comparison have the same."""
    return np.random.default_rng(0).integers(0, problems, (_DRAWS, problems))


# ------------------------------------------------------------------ intervals


def interval(measured: float, without: Array, share: float = 0.95) -> Confidence:
    """Return the confidence limits of a value from its jackknife values."""
    count = len(without)
    if count < 2 or not np.isfinite(without).all():
        return Confidence(float(measured), -math.inf, math.inf, count)
    pulls = (count - 1) * (measured - without)
    error = float(stdtrit(count - 1, (1 + share) / 2)) * float(pulls.std(ddof=1)) / math.sqrt(count)
    return Confidence(float(measured), measured - error, measured + error, count)


def _drawn_interval(measured: float, again: Array, share: float, problems: int) -> Confidence:
    """Return the same from its bootstrap values."""
    if problems < _FEWEST:
        return Confidence(float(measured), -math.inf, math.inf, problems)
    outside = (1 - share) / 2
    low, high = np.quantile(again, (outside, 1 - outside), method="inverted_cdf")
    return Confidence(float(measured), float(low), float(high), problems)


def estimate(measure: Measure, sample: Sample, share: float = 0.95) -> Confidence:
    """Return a measure over all problems that have it, with its confidence interval."""
    if measure.median:
        return median_of(per_problem(measure, sample), share)
    chosen = there(measure, sample)
    if not chosen.any():
        return Confidence(math.nan, -math.inf, math.inf, 0)
    return interval(*_means([(measure, sample)], chosen)[0], share)


def median_of(values: Array, share: float = 0.95) -> Confidence:
    """Return a median with its confidence interval; NaN values are ignored."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Confidence(math.nan, -math.inf, math.inf, 0)
    return _drawn_interval(*_median(known), share, len(known))


# ------------------------------------------------------------------ comparisons


class Pair(NamedTuple):
    """Measures compared on the same problems: of two sides, or of several pairs of sides, averaged over the pairs."""

    ones: Array
    twos: Array
    ones_again: Array  # a row per pair of sides
    twos_again: Array
    problems: int
    differing: int  # the number of problems in which they differ
    medians: bool = False
    totals: bool = False  # whether the ratio is that of the averages, not the average of the ratios

    @property
    def one(self) -> float:
        """The first side, on average."""
        return float(self.ones.mean())

    @property
    def two(self) -> float:
        """The second side, on average."""
        return float(self.twos.mean())

    def first(self, share: float = 0.95) -> Confidence:
        """The first side by itself, on average."""
        return self._interval(self.one, self.ones_again.mean(axis=0), share)

    def difference(self, share: float = 0.95) -> Confidence:
        """The second minus the first, on average."""
        return self._interval(*self._figures(lambda ones, twos: (twos - ones).mean(axis=0), 0.0), share)

    def mean_ratio(self, share: float = 0.95) -> Confidence | None:
        """Return the geometric mean of the ratios, with equal weight for every pair; None if a value is 0."""
        if not self._positive:
            return None
        return self._risen(self._figures(lambda ones, twos: (np.log(ones) - np.log(twos)).mean(axis=0), 0.0), share)

    def ratio(self, share: float = 0.95) -> Confidence:
        """The first over the second, on average; the limits are those of its logarithm."""
        if not self._positive:
            return Confidence(math.nan, -math.inf, math.inf, self.problems)
        measured, again = self._figures(lambda ones, twos: np.log(self._quotient(ones, twos)), math.nan)
        if self.medians and (math.isnan(measured) or np.isnan(again).any()):  # infinite over infinite
            return Confidence(math.exp(measured), 0.0, math.inf, self.problems)
        return self._risen((measured, again), share)

    @property
    def _positive(self) -> bool:
        return bool((self.ones > 0).all() and (self.twos > 0).all())

    def _figures(self, figure: Callable[[Any, Any], Any], endless: float) -> tuple[float, Array]:
        """Return a figure of both sides, and its recomputed values: medians may both be infinite."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = [figure(self.ones, self.twos), figure(self.ones_again, self.twos_again)]
        if self.medians:
            found = [np.where(np.isnan(one), endless, one) for one in found]
        return float(found[0]), found[1]

    def _risen(self, logarithms: tuple[float, Array], share: float) -> Confidence:
        """Return the limits of a ratio from those of its logarithm."""
        *limits, count = self._interval(*logarithms, share)
        value, low, high = (math.exp(one) if one < _LOGARITHM else math.inf for one in limits)
        return Confidence(value, low, high, int(count))

    def _quotient(self, ones: Array, twos: Array) -> Any:
        return ones.mean(axis=0) / twos.mean(axis=0) if self.totals else (ones / twos).mean(axis=0)

    def _interval(self, measured: float, again: Array, share: float) -> Confidence:
        if self.medians:
            return _drawn_interval(measured, again, share, self.problems)
        return interval(measured, again, share)

    def swapped(self) -> "Pair":
        """Return the comparison with its sides swapped."""
        return self._replace(ones=self.twos, twos=self.ones, ones_again=self.twos_again, twos_again=self.ones_again)


def pair(couples: Sequence[tuple[Sampled, Sampled]]) -> Pair | None:
    """Compare pairs of sides problem by problem, on average over the pairs; None if no problem has all."""
    chosen: Mask = np.logical_and.reduce([there(*side) for couple in couples for side in couple])
    if not chosen.any():
        return None
    values = [_means(couple, chosen) for couple in couples]
    differing = np.logical_or.reduce([_differ(*couple, chosen) for couple in couples])
    return _paired(values, int(chosen.sum()), int(differing.sum()))


def pair_of_medians(couples: Sequence[tuple[Array, Array]]) -> Pair | None:
    """Compare pairs of sides by their medians, given the values of all problems."""
    chosen: Mask = ~np.logical_or.reduce([np.isnan(side) for couple in couples for side in couple])
    if not chosen.any():
        return None
    values = [[_median(side[chosen]) for side in couple] for couple in couples]
    differing = np.logical_or.reduce([one[chosen] != two[chosen] for one, two in couples])
    return _paired(values, int(chosen.sum()), int(differing.sum()), medians=True)


def _paired(values: Sequence[Sequence[Values]], problems: int, differing: int, medians: bool = False) -> Pair:
    ones, twos = (np.array([sides[n].value for sides in values]) for n in (0, 1))
    ones_again, twos_again = (np.array([sides[n].again for sides in values]) for n in (0, 1))
    return Pair(ones, twos, ones_again, twos_again, problems, differing, medians)


def _differ(one: Sampled, two: Sampled, chosen: Mask) -> Mask:
    if one[0] != two[0]:
        return np.ones(int(chosen.sum()), bool)
    different: Mask = np.logical_or.reduce([one[1][name][chosen] != two[1][name][chosen] for name in one[0].figures])
    return different
