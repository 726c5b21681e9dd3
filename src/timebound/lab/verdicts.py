"""Judging claims by the data.

A claim is a set of comparisons, each with a 95 % confidence interval. It holds if every comparison does; or the share
of them that it speaks of; or their average, if it speaks of that. It does not hold if comparisons are contradicted so
clearly that, among as many of them, chance would do that in 5 % of cases only (Bonferroni). Otherwise nothing can be
said at this scale.

An agent that did not solve all problems has no mean: over those that it solved it would look the better the more it
failed. So it is compared by its median, in which problems that it did not solve are worse than all others; and if its
share of arrivals speaks against that, nothing is said. Where most episodes of both sides are lost, that share decides.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from .claims import MATCHED, Claim, Term, show
from .results import Results
from .spec import Configuration
from .statistics import Interval, Pair

HOLDS, FAILS, OPEN = "holds", "does not hold", "not decidable at this scale"
_CONFIDENCE = 0.95
_SIGNS = {"constant": "=", "same": "=", "ratio": "/", "difference": "-"}


@dataclass(frozen=True)
class Comparison:
    """One comparison that a claim is made of."""

    words: str
    outcome: str
    interval: Interval | None
    """Of the difference, or the ratio; None if there are no data."""
    size: Interval | None = None
    """The effect: how many times the second the first is; or their difference, if the claim speaks of that."""


@dataclass(frozen=True)
class Verdict:
    """What the data say about a claim."""

    claim: Claim
    outcome: str
    comparisons: tuple[Comparison, ...] = ()
    reason: str = ""
    """Why it is not said to hold, in words."""


class Side(NamedTuple):
    """A measure of one configuration."""

    term: Term
    configuration: Configuration

    def __str__(self) -> str:
        return f"{self.configuration}: {self.term.measure}"


Couple = tuple[Side, Side]
Judge = Callable[[Pair, float], tuple[str, Interval]]


@dataclass(frozen=True)
class Group:
    """Couples that are compared on average; mostly a single one."""

    couples: list[Couple] = field(default_factory=list)
    averaged: tuple[str, ...] = ()

    @property
    def sides(self) -> list[Any]:
        """As results want them."""
        return [tuple((side.configuration, side.term.measure) for side in couple) for couple in self.couples]

    def words(self, sign: str) -> str:
        """What is compared with what."""
        one, two = self.couples[0]
        if len(self.couples) == 1:
            return f"{one} {sign} {two}"
        return (
            f"{one.term} {sign} {two.term}, on average over {' and '.join(self.averaged)} ({len(self.couples)} pairs)"
        )


# ------------------------------------------------------------------ a claim


def judge(claim: Claim, results: Results, others: Mapping[str, Results] | None = None) -> Verdict:
    """The verdict on a claim; the results of other experiments are for claims that speak of them."""
    couples = list(_couples(claim, results))
    missing = [side for couple in couples for side in couple if side.configuration not in results.samples]
    if missing:
        labels = dict.fromkeys(side.configuration.label for side in missing)
        return Verdict(claim, OPEN, (), f"not run, or not with all settings: {', '.join(labels)}")
    groups = _groups(claim, couples)
    if not groups:
        return Verdict(claim, OPEN, (), "no two configurations to compare")
    if claim.above:
        return _judge_above(claim, results, groups, others or {})
    comparisons = tuple(_comparisons(claim, results, groups))
    outcome = _outcome(claim, comparisons)
    return Verdict(claim, outcome, comparisons, _reason(outcome, comparisons))


def _outcome(claim: Claim, comparisons: Sequence[Comparison]) -> str:
    """Do enough comparisons hold, or are more contradicted than the claim leaves room for?"""
    count = len(comparisons)
    needed = math.ceil(claim.share * count - 1e-9)
    if sum(one.outcome == HOLDS for one in comparisons) >= needed:
        return HOLDS
    return FAILS if sum(one.outcome == FAILS for one in comparisons) > count - needed else OPEN


def _reason(outcome: str, comparisons: Sequence[Comparison]) -> str:
    """Why a claim does not hold, or is open."""
    if outcome == HOLDS:
        return ""
    wrong = [one for one in comparisons if one.outcome == outcome]
    number = "the comparison" if len(comparisons) == 1 else f"{len(wrong)} of {len(comparisons)} comparisons"
    verb = "is" if len(wrong) == 1 or len(comparisons) == 1 else "are"
    if outcome == FAILS:
        return f"{number} {verb} clearly the other way round, or outside the limits: {in_words(wrong[0])}"
    problems = min((one.interval.problems for one in wrong if one.interval is not None), default=0)
    return f"{number} {verb} not certain with {problems} problems: {in_words(wrong[0])}"


def _comparisons(claim: Claim, results: Results, groups: Sequence[Group]) -> Iterator[Comparison]:
    strict = 1 - (1 - _CONFIDENCE) / len(groups)
    for group in groups:
        yield _compare(claim, results, group, strict)


def _compare(claim: Claim, results: Results, group: Group, strict: float) -> Comparison:
    if claim.test == "value":
        return _look_at(claim, results, group, strict)
    words, both = group.words(_SIGNS.get(claim.test, "<")), results.pair(group.sides)
    if both is None:
        return Comparison(words, OPEN, None)
    rule = _rule(claim, results, group)
    outcome, shown = rule(both, _CONFIDENCE)
    if outcome == FAILS and rule(both, strict)[0] != FAILS:
        outcome = OPEN
    return Comparison(words + _arrivals(results, group), outcome, shown, _size(claim, both))


def _look_at(claim: Claim, results: Results, group: Group, strict: float) -> Comparison:
    """A single value, and whether it lies between the limits."""
    side = group.couples[0][0]
    found, surely = (results.estimate(side.configuration, side.term.measure, share) for share in (_CONFIDENCE, strict))
    if found is None or surely is None:
        return Comparison(str(side), OPEN, None)
    outcome = _within(found, claim.between)[0]
    if outcome == FAILS and _within(surely, claim.between)[0] != FAILS:
        outcome = OPEN
    return Comparison(str(side) + _arrivals(results, group), outcome, found, found)


def _size(claim: Claim, both: Pair) -> Interval:
    return both.swapped().difference() if claim.test == "difference" else both.ratio()


def _arrivals(results: Results, group: Group) -> str:
    """How many arrive, if not all do."""
    sides = [side.configuration for couple in group.couples for side in couple]
    if not any(map(results.unsolved, sides)):
        return ""
    counts = [
        sum(
            results.run(couple[n].configuration) - results.unsolved(couple[n].configuration) for couple in group.couples
        )
        for n in (0, 1)
    ]
    runs = [sum(results.run(couple[n].configuration) for couple in group.couples) for n in (0, 1)]
    arrive = dict.fromkeys(f"{count} of {run}" for count, run in zip(counts, runs, strict=True))
    return f" (medians; {' and '.join(arrive)} arrive)"


# ------------------------------------------------------------------ beside other experiments


def _judge_above(claim: Claim, results: Results, groups: Sequence[Group], others: Mapping[str, Results]) -> Verdict:
    """Is the ratio larger here than in each of the others?"""
    comparisons = []
    for name in claim.above:
        if name not in others:
            return Verdict(claim, OPEN, (), f"not run: {name}")
        theirs = _groups(claim, list(_couples(claim, others[name])))
        for group in groups:
            pairs = [results.pair(group.sides), *(others[name].pair(one.sides) for one in theirs[:1])]
            comparisons.append(_compare_ratios(f"{group.words('/')}: more than in {name}", pairs))
    outcome = _outcome(claim, comparisons)
    return Verdict(claim, outcome, tuple(comparisons), _reason(outcome, comparisons))


def _compare_ratios(words: str, pairs: Sequence[Pair | None]) -> Comparison:
    """The ratio of two independent ratios."""
    ratios = [both.ratio() for both in pairs if both is not None]
    if len(ratios) < 2 or any(math.isnan(ratio.value) for ratio in ratios):
        return Comparison(words, OPEN, None)
    here, there = ratios
    middle = math.log(here.value) - math.log(there.value)
    error = math.hypot(*(math.log(ratio.high / ratio.value) for ratio in ratios))
    low, high = (math.exp(min(middle + limit, 700.0)) for limit in (-error, error))
    quotient = Interval(math.exp(middle), low, high, min(here.problems, there.problems))
    outcome = HOLDS if quotient.low > 1 else FAILS if quotient.high < 1 else OPEN
    return Comparison(words, outcome, quotient, quotient)


# ------------------------------------------------------------------ what is compared with what


def _couples(claim: Claim, results: Results) -> Iterator[Couple]:
    """Pairs of configurations; of the first it is claimed that it is less, or the same."""
    if claim.test in MATCHED:
        for first, second in pairwise(claim.terms):
            yield from (
                _limited(claim, results, first, second) if claim.within else _matched(claim, results, first, second)
            )
    elif claim.test == "lowest":
        for line in (line for term in claim.terms for line in _lines(claim, results, term)):
            best = [side for side in line if side.configuration.settings[claim.over] in claim.at]
            yield from ((one, other) for one in best for other in line if other not in best)
    elif claim.test == "value":
        yield from ((side, side) for term in claim.terms for side in _row(claim, results, term))
    elif claim.test == "best":
        yield from _after_the_best(claim, results)
    else:
        for term in claim.terms:
            for line in _lines(claim, results, term):
                yield from ((two, one) if claim.test == "decreasing" else (one, two) for one, two in pairwise(line))


def _matched(claim: Claim, results: Results, first: Term, second: Term) -> Iterator[Couple]:
    """Configurations with the same settings; a term of one configuration is compared with all of the other's."""
    ones, twos = _row(claim, results, first), _row(claim, results, second)
    for one in ones:
        for two in twos:
            free = {*one.configuration.settings, *two.configuration.settings} - {*first.fixed, *second.fixed}
            alike = all(one.configuration.settings.get(name) == two.configuration.settings.get(name) for name in free)
            if len(ones) == 1 or len(twos) == 1 or alike:
                yield one, two


def _limited(claim: Claim, results: Results, first: Term, second: Term) -> Iterator[Couple]:
    """Each configuration of the first term with the best one of the second that takes no more of something."""
    twos = [Side(second, configuration) for configuration in results.matching(second)]
    for one in _row(claim, results, first):
        limit = _value(results, one, claim.within)
        fit = [two for two in twos if _value(results, two, claim.within) <= limit < math.inf]
        if fit:
            yield one, min(fit, key=lambda two: _value(results, two))


def _after_the_best(claim: Claim, results: Results) -> Iterator[Couple]:
    """The best configuration of the first term with every one of the others."""
    ones = _row(claim, results, claim.terms[0])
    best = min(ones, key=lambda one: _value(results, one), default=None)
    for term in claim.terms[1:]:
        yield from ((best, two) for two in _row(claim, results, term) if best is not None)


def _value(results: Results, side: Side, measure: Any = None) -> float:
    """A measure of a configuration, its own if none is given; infinite if there is none."""
    found = results.estimate(side.configuration, measure or side.term.measure)
    return math.inf if found is None or math.isnan(found.value) else found.value


def _row(claim: Claim, results: Results, term: Term) -> list[Side]:
    """The configurations of a term, only those `at` some values if the claim says so."""
    sides = [Side(term, configuration) for configuration in results.matching(term)]
    if not claim.at or claim.test == "lowest" or len(sides) == 1:
        return sides
    return [side for side in sides if side.configuration.settings.get(claim.over) in claim.at]


def _lines(claim: Claim, results: Results, term: Term) -> list[list[Side]]:
    """For all combinations of the other settings, the configurations in the order of `over`."""
    lines: dict[str, list[Side]] = {}
    for side in _row(claim, results, term):
        rest = {name: value for name, value in side.configuration.settings.items() if name != claim.over}
        lines.setdefault(str(rest), []).append(side)
    return [sorted(line, key=lambda side: _order(side.configuration.settings[claim.over])) for line in lines.values()]


def _order(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _groups(claim: Claim, couples: Sequence[Couple]) -> list[Group]:
    """Couples that differ only in what is averaged over are one group."""
    if not claim.average:
        return [Group([couple]) for couple in couples]
    groups: dict[str, Group] = {}
    for couple in couples:
        rest = [
            {name: value for name, value in side.configuration.settings.items() if name not in claim.average}
            for side in couple
        ]
        key = f"{[str(side.term) for side in couple]} {rest}"
        groups.setdefault(key, Group([], claim.average)).couples.append(couple)
    return list(groups.values())


# ------------------------------------------------------------------ single comparisons


def _rule(claim: Claim, results: Results, group: Group) -> Judge:
    if claim.test in _LIMITS:
        return lambda two, share: _within(_LIMITS[claim.test](two, share), claim.between)
    if _SIGNS.get(claim.test) == "=":
        return _equal
    return lambda two, share: _less(two, results, group, share)


_LIMITS: dict[str, Callable[[Pair, float], Interval]] = {
    "ratio": lambda two, share: two.ratio(share),
    "difference": lambda two, share: two.swapped().difference(share),
}


def _less(two: Pair, results: Results, group: Group, share: float) -> tuple[str, Interval]:
    """Is the first less than the second?"""
    difference = two.difference(share)
    if not two.differing:
        return OPEN, difference
    outcome = _sign(difference)
    if two.medians and not all(one.is_a_rate for couple in group.sides for _, one in couple):
        arrive = results.arrivals(group.sides)
        shares = OPEN if arrive is None else _sign(arrive.swapped().difference(share))
        if math.isinf(two.one) and math.isinf(two.two):
            outcome = shares
        elif {outcome, shares} == {HOLDS, FAILS}:
            outcome = OPEN
    return outcome, difference


def _sign(difference: Interval) -> str:
    return HOLDS if difference.low > 0 else FAILS if difference.high < 0 else OPEN


def _within(measured: Interval, limits: tuple[float, float]) -> tuple[str, Interval]:
    """Does it lie between the limits?"""
    low, high = limits
    if measured.problems < 2 or math.isnan(measured.value):
        return OPEN, measured
    if low <= measured.low and measured.high <= high:
        return HOLDS, measured
    return FAILS if measured.high < low or measured.low > high else OPEN, measured


def _equal(two: Pair, share: float) -> tuple[str, Interval]:
    """Are both the same for every problem, exactly?"""
    return FAILS if two.differing else HOLDS, two.difference(share)


# ------------------------------------------------------------------ words


def in_words(comparison: Comparison) -> str:
    """A comparison with its numbers."""
    if comparison.interval is None:
        return comparison.words
    value, low, high, problems = comparison.interval
    limits = f"{show(round(low, 4))} to {show(round(high, 4))}"
    return f"{comparison.words}: {show(round(value, 4))} ({limits}; {problems} problems)"
