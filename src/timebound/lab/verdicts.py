"""Judging claims by the data.

A claim is a set of comparisons, each with a 95 % confidence interval. It holds if every comparison does. It does not
hold if some comparison is contradicted so clearly that, among as many comparisons, chance would do that in 5 % of cases
only (Bonferroni). Otherwise nothing can be said at this scale.

An agent that did not solve all problems has no mean: over those that it solved it would look the better the more it
failed. So nothing is said about it either.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from .claims import Claim, Term, show
from .results import Results
from .spec import Configuration
from .statistics import Interval, Pair, pair

HOLDS, FAILS, OPEN = "holds", "does not hold", "not decidable at this scale"
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Comparison:
    """One comparison that a claim is made of."""

    words: str
    outcome: str
    interval: Interval | None
    """Of the difference, or the ratio; None if there are no data."""


@dataclass(frozen=True)
class Verdict:
    """What the data say about a claim."""

    claim: Claim
    outcome: str
    comparisons: tuple[Comparison, ...]
    reason: str = ""


class Side(NamedTuple):
    """A measure of one configuration."""

    term: Term
    configuration: Configuration

    def __str__(self) -> str:
        return f"{self.configuration}: {self.term.measure}"


Judge = Callable[[Pair, float], tuple[str, Interval]]
Couple = tuple[Side, Side]


def judge(claim: Claim, results: Results) -> Verdict:
    """The verdict on a claim."""
    missing = [
        side for couple in _couples(claim, results) for side in couple if side.configuration not in results.samples
    ]
    if missing:
        labels = dict.fromkeys(side.configuration.label for side in missing)
        return Verdict(claim, OPEN, (), f"not run, or not with all settings: {', '.join(labels)}")
    comparisons = tuple(_comparisons(claim, results))
    if not comparisons:
        return Verdict(claim, OPEN, (), "no two configurations to compare")
    outcomes = {comparison.outcome for comparison in comparisons}
    outcome = FAILS if FAILS in outcomes else OPEN if OPEN in outcomes else HOLDS
    return Verdict(claim, outcome, comparisons)


def _comparisons(claim: Claim, results: Results) -> Iterator[Comparison]:
    rules: dict[str, tuple[str, Judge]] = {
        "less": ("<", _less),
        "lowest": ("<", _less),
        "increasing": ("<", _less),
        "decreasing": (">", lambda two, share: _less(two.swapped(), share)),
        "constant": ("=", _equal),
        "ratio": ("/", lambda two, share: _within(two, share, claim.between)),
    }
    couples = list(_couples(claim, results))
    strict = 1 - (1 - _CONFIDENCE) / max(1, len(couples))
    for couple in couples:
        yield _compare(results, couple, *rules[claim.test], strict)


def _compare(results: Results, couple: Couple, sign: str, rule: Judge, strict: float) -> Comparison:
    one, two = couple
    words, walks = f"{one} {sign} {two}", [side for side in couple if not side.term.measure.of_the_map]
    failures = sum(results.unsolved.get(side.configuration, 0) for side in walks)
    if failures:
        return Comparison(f"{words} ({failures} episodes not solved)", OPEN, None)
    both = pair(*((side.term.measure, results.samples[side.configuration]) for side in couple))
    if both is None:
        return Comparison(words, OPEN, None)
    outcome, shown = rule(both, _CONFIDENCE)
    if outcome == FAILS and rule(both, strict)[0] != FAILS:
        outcome = OPEN
    return Comparison(words, outcome, shown)


# ------------------------------------------------------------------ what is compared with what


def _couples(claim: Claim, results: Results) -> Iterator[Couple]:
    if claim.test in ("less", "ratio"):
        for first, second in pairwise(claim.terms):
            yield from _matched(claim, results, first, second)
    elif claim.test == "lowest":
        for term in claim.terms:
            sides = _row(claim, results, term)
            best = [side for side in sides if side.configuration.settings[claim.over] in claim.at]
            yield from ((one, other) for one in best for other in sides if other not in best)
    else:
        for term in claim.terms:
            for line in _lines(claim, results, term):
                yield from pairwise(line)


def _matched(claim: Claim, results: Results, first: Term, second: Term) -> Iterator[Couple]:
    """Configurations with the same settings; a term of one configuration is compared with all of the other's."""
    ones, twos = _row(claim, results, first), _row(claim, results, second)
    for one in ones:
        for two in twos:
            free = {*one.configuration.settings, *two.configuration.settings} - {*first.fixed, *second.fixed}
            alike = all(one.configuration.settings.get(name) == two.configuration.settings.get(name) for name in free)
            if len(ones) == 1 or len(twos) == 1 or alike:
                yield one, two


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


# ------------------------------------------------------------------ single comparisons


def _less(two: Pair, share: float) -> tuple[str, Interval]:
    """Is the first less than the second?"""
    difference = two.difference(share)
    if not two.differing:
        return OPEN, difference
    return HOLDS if difference.low > 0 else FAILS if difference.high < 0 else OPEN, difference


def _within(two: Pair, share: float, limits: tuple[float, float]) -> tuple[str, Interval]:
    """Does the ratio lie between the limits?"""
    ratio, (low, high) = two.ratio(share), limits
    if ratio.problems < 2:
        return OPEN, ratio
    if low <= ratio.low and ratio.high <= high:
        return HOLDS, ratio
    return FAILS if ratio.high < low or ratio.low > high else OPEN, ratio


def _equal(two: Pair, share: float) -> tuple[str, Interval]:
    """Are both the same for every problem, exactly?"""
    return FAILS if two.differing else HOLDS, two.difference(share)


def in_words(comparison: Comparison) -> str:
    """A comparison with its numbers."""
    if comparison.interval is None:
        return comparison.words
    value, low, high, problems = comparison.interval
    limits = f"{show(round(low, 4))} to {show(round(high, 4))}"
    return f"{comparison.words}: {show(round(value, 4))} ({limits}; {problems} problems)"
