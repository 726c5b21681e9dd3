"""Means, ratios of totals, medians, and their differences, with confidence intervals.

Problems on one map are alike. So the units are the maps, if there are at least five. Otherwise, or if only these maps
are meant, the units are the problems, and an interval is about other problems on these maps. With fewer than 30 units a
value is recomputed without each of them (jackknife), and the limits come from Student's t distribution. With more, they
come from the bootstrap: maps, or problems within each map, are drawn with replacement. That suits long tails. Medians
always come from the bootstrap, and shares have Wilson's interval.

Other work on the machine disturbs times. So the problems where two sides differ most, a twentieth at each end, are left
out of their means (trimmed means).

Both sides of a comparison use the same problems and draws: the tests are paired.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from .measures import ARRIVED, Measure

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Sample = Mapping[str, Array]
"""Figures by name; the same index in every array is the same problem, NaN where it was not solved."""
Sampled = tuple[Measure, Sample]

TRIMMED = 0.05
"""The share of problems left out at each end, when times are compared."""
_FEWEST = 5  # problems; with fewer, none are left out
_MAPS = 5  # are several
_MANY = 30  # units
_DRAWS = 2000
_LOGARITHM = 700.0  # of the largest number


class Maps(NamedTuple):
    """The maps of the problems."""

    numbers: NDArray[np.int64]
    """The number of the map of every problem."""
    only_these: bool = False
    """Whether intervals are about these maps only."""


class Confidence(NamedTuple):
    """A value and its confidence limits."""

    value: float
    low: float
    high: float
    problems: int


class Values(NamedTuple):
    """A value, and its recomputed values, one for each of the draws."""

    value: float
    again: Array


class Draws(NamedTuple):
    """How often each problem counts: once in the first row, which is the data; in the others, as drawn."""

    weights: Array
    units: int
    left_out: bool
    """Does every other row leave out one unit, instead of drawing units?"""


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


# ------------------------------------------------------------------ draws


def _drawn(chosen: Mask, maps: Maps | None, median: bool) -> Draws:
    """Return draws of the chosen problems, fixed by their maps: both sides of a comparison have the same."""
    numbers = np.arange(len(chosen)) if maps is None else maps.numbers
    some = np.unique(numbers[chosen], return_inverse=True)[1].astype(np.int64)
    return _draws(some.tobytes(), median, maps is not None and maps.only_these)


@lru_cache(3)
def _draws(content: bytes, median: bool, only_these: bool) -> Draws:
    places = np.frombuffer(content, np.int64)
    problems, maps = len(places), int(places.max(initial=-1)) + 1
    by_map = maps == problems or (maps >= _MAPS and not only_these)
    units = maps if by_map else problems
    if units < _MANY and not median:
        owner = places if by_map else np.arange(problems)
        return Draws(np.vstack([np.ones(problems), owner != np.arange(units)[:, None]]), units, True)
    rng, weights = np.random.default_rng(0), np.ones((1 + _DRAWS, problems))
    if by_map:
        weights[1:] = rng.multinomial(maps, np.full(maps, 1 / maps), _DRAWS)[:, places]
    else:
        for place in range(maps):
            here = np.flatnonzero(places == place)
            weights[1:, here] = rng.multinomial(len(here), np.full(len(here), 1 / len(here)), _DRAWS)
    return Draws(weights, units, False)


def _limits(measured: float, again: Array, share: float, draws: Draws, problems: int) -> Confidence:
    """Return the confidence limits of a value from its recomputed values."""
    least = 2 if draws.left_out else _FEWEST
    if problems < least or np.isnan(again).any() or (draws.left_out and not np.isfinite(again).all()):
        return Confidence(float(measured), -math.inf, math.inf, problems)
    if draws.left_out:
        pulls = (draws.units - 1) * (measured - again)
        spread = float(pulls.std(ddof=1)) / math.sqrt(draws.units)
        error = float(stdtrit(draws.units - 1, (1 + share) / 2)) * spread
        return Confidence(float(measured), measured - error, measured + error, problems)
    outside = (1 - share) / 2
    low, high = np.quantile(again, (outside, 1 - outside), method="inverted_cdf")
    return Confidence(float(measured), float(low), float(high), problems)


def wilson(measured: float, count: int, share: float = 0.95) -> Confidence:
    """Return a share of so many cases with Wilson's interval."""
    z = float(ndtri((1 + share) / 2))
    middle, scale = measured + z * z / (2 * count), 1 + z * z / count
    error = z * math.sqrt(measured * (1 - measured) / count + z * z / (4 * count * count))
    return Confidence(measured, max(0.0, (middle - error) / scale), min(1.0, (middle + error) / scale), count)


# ------------------------------------------------------------------ means and medians


def _mean(measure: Measure, sample: Sample, chosen: Mask, weights: Array) -> Values:
    top = weights @ sample[measure.figure][chosen]
    values = _ratio(top, weights @ sample[measure.per][chosen] if measure.per else weights.sum(axis=1))
    return Values(float(values[0]), values[1:])


def _trimmed_mean(side: Sampled, chosen: Mask, weights: Array, order: Array) -> Values:
    """Return the mean without the problems that are the outermost in some order.

    In the draws such a problem counts as the outermost one kept, and draws spread accordingly more, as in Yuen's test.
    """
    count = len(order)
    out = max(1, int(TRIMMED * count)) if count >= _FEWEST else 0
    ranked = np.argsort(order, kind="stable")
    kept = np.zeros((1, count))
    kept[0, ranked[out : count - out]] = 1
    moved = np.zeros_like(weights)
    np.add.at(moved.T, ranked[np.clip(np.arange(count), out, count - 1 - out)], weights[:, ranked].T)
    value, drawn = _mean(*side, chosen, kept).value, _mean(*side, chosen, moved)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Values(value, value * (drawn.again / drawn.value) ** (1 / (1 - 2 * out / count)))


def _means(sides: Sequence[Sampled], chosen: Mask, draws: Draws) -> list[Values]:
    """Compute the sides of a comparison, or one of them alone, over the same problems."""
    if not any(measure.timed for measure, _ in sides):
        return [_mean(*side, chosen, draws.weights) for side in sides]
    singles = [per_problem(*side)[chosen] for side in sides]
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.log(singles[0]) - (np.log(singles[1]) if len(singles) > 1 else 0)
    return [_trimmed_mean(side, chosen, draws.weights, np.nan_to_num(order)) for side in sides]


def _median(values: Array, draws: Draws) -> Values:
    ranked = np.argsort(values, kind="stable")
    ordered, sums = values[ranked], np.cumsum(draws.weights[:, ranked], axis=1)
    half = sums[:, -1:] / 2
    low, high = ordered[(sums >= half).argmax(axis=1)], ordered[(sums > half).argmax(axis=1)]
    medians = (low + high) / 2
    return Values(float(medians[0]), medians[1:])


def estimate(measure: Measure, sample: Sample, maps: Maps | None = None, share: float = 0.95) -> Confidence:
    """Return a measure over all problems that have it, with its confidence interval."""
    if measure.median:
        return median_of(per_problem(measure, sample), maps, share)
    chosen = there(measure, sample)
    if not chosen.any():
        return Confidence(math.nan, -math.inf, math.inf, 0)
    draws = _drawn(chosen, maps, False)
    value, again = _means([(measure, sample)], chosen, draws)[0]
    if measure.figure == ARRIVED:
        return wilson(value, int(chosen.sum()), share)
    return _limits(value, again, share, draws, int(chosen.sum()))


def median_of(values: Array, maps: Maps | None = None, share: float = 0.95) -> Confidence:
    """Return a median with its confidence interval; NaN values are ignored."""
    known = ~np.isnan(values)
    if not known.any():
        return Confidence(math.nan, -math.inf, math.inf, 0)
    draws = _drawn(known, maps, True)
    return _limits(*_median(values[known], draws), share, draws, int(known.sum()))


# ------------------------------------------------------------------ comparisons


class Pair(NamedTuple):
    """Measures compared on the same problems: of two sides, or of several pairs of sides, averaged over the pairs."""

    ones: Array
    twos: Array
    ones_again: Array
    """A row per pair of sides."""
    twos_again: Array
    problems: int
    differing: int
    """The number of problems in which they differ."""
    draws: Draws
    medians: bool = False
    shares: bool = False
    totals: bool = False
    """Whether the ratio is that of the averages, not the average of the ratios."""
    weights: Sequence[float] | None = None
    """Of the pairs, in their average; None if all are alike."""

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
        if self.shares:
            return wilson(self.one, self.problems, share)
        return self._interval(self.one, self.ones_again.mean(axis=0), share)

    def difference(self, share: float = 0.95) -> Confidence:
        """The second minus the first, on average."""
        return self._interval(*self._figures(lambda ones, twos: self._average(twos - ones), 0.0), share)

    def mean_ratio(self, share: float = 0.95) -> Confidence | None:
        """Return the geometric mean of the ratios; None if a value is 0."""
        if not self._positive:
            return None
        return self._risen(self._figures(lambda ones, twos: self._average(np.log(ones) - np.log(twos)), 0.0), share)

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

    def _average(self, values: Any) -> Any:
        return np.average(values, axis=0, weights=self.weights)

    def _interval(self, measured: float, again: Array, share: float) -> Confidence:
        return _limits(measured, again, share, self.draws, self.problems)

    def swapped(self) -> "Pair":
        """Return the comparison with its sides swapped."""
        return self._replace(ones=self.twos, twos=self.ones, ones_again=self.twos_again, twos_again=self.ones_again)


def pair(couples: Sequence[tuple[Sampled, Sampled]], maps: Maps | None = None) -> Pair | None:
    """Compare pairs of sides problem by problem, on average over the pairs; None if no problem has all."""
    chosen: Mask = np.logical_and.reduce([there(*side) for couple in couples for side in couple])
    if not chosen.any():
        return None
    draws = _drawn(chosen, maps, False)
    values = [_means(couple, chosen, draws) for couple in couples]
    differing = np.logical_or.reduce([_differ(*couple, chosen) for couple in couples])
    shares = len(couples) == 1 and couples[0][0][0].figure == ARRIVED
    return _paired(values, int(chosen.sum()), int(differing.sum()), draws)._replace(shares=shares)


def pair_of_medians(couples: Sequence[tuple[Array, Array]], maps: Maps | None = None) -> Pair | None:
    """Compare pairs of sides by their medians, given the values of all problems."""
    chosen: Mask = ~np.logical_or.reduce([np.isnan(side) for couple in couples for side in couple])
    if not chosen.any():
        return None
    draws = _drawn(chosen, maps, True)
    values = [[_median(side[chosen], draws) for side in couple] for couple in couples]
    differing = np.logical_or.reduce([one[chosen] != two[chosen] for one, two in couples])
    return _paired(values, int(chosen.sum()), int(differing.sum()), draws)._replace(medians=True)


def _paired(values: Sequence[Sequence[Values]], problems: int, differing: int, draws: Draws) -> Pair:
    ones, twos = (np.array([sides[n].value for sides in values]) for n in (0, 1))
    ones_again, twos_again = (np.array([sides[n].again for sides in values]) for n in (0, 1))
    return Pair(ones, twos, ones_again, twos_again, problems, differing, draws)


def _differ(one: Sampled, two: Sampled, chosen: Mask) -> Mask:
    """Return the problems in which two sides differ."""
    if one[0] != two[0]:
        return np.ones(int(chosen.sum()), bool)
    different: Mask = np.logical_or.reduce([one[1][name][chosen] != two[1][name][chosen] for name in one[0].figures])
    return different
