"""Which configurations a claim compares."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from .claims import MATCHED, Claim, Term
from .experiment import Configuration
from .measures import Measure
from .results import Results


class Side(NamedTuple):
    """A measure of one configuration."""

    term: Term
    configuration: Configuration

    def __str__(self) -> str:
        return f"{self.configuration}: {self.term.measure}"


Couple = tuple[Side, Side]


@dataclass(frozen=True)
class Group:
    """Couples that are compared on average; usually just one."""

    couples: list[Couple] = field(default_factory=list)
    averaged: tuple[str, ...] = ()

    @property
    def sides(self) -> list[Any]:
        """Return the pairs as `Results` takes them."""
        return [tuple((side.configuration, side.term.measure) for side in couple) for couple in self.couples]

    def weights(self, claim: Claim) -> list[float] | None:
        """Return the weights of the couples in an average: of a trend, how many pairs of values a step lies between."""
        if not _is_trend(claim):
            return None
        lines = [_rest(first, claim.over) for first, _ in self.couples]
        seen, weights = Counter[str](), []
        for line in lines:
            seen[line] += 1
            weights.append(float(seen[line] * (lines.count(line) + 1 - seen[line])))
        return weights

    def steps(self, claim: Claim) -> "list[Group]":
        """Return the steps of a trend, each averaged over the other settings."""
        if not _is_trend(claim):
            return []
        steps: dict[Any, Group] = {}
        others = tuple(name for name in self.averaged if name != claim.over)
        for couple in self.couples:
            steps.setdefault(couple[0].configuration.settings[claim.over], Group([], others)).couples.append(couple)
        return list(steps.values())

    def words(self, sign: str) -> str:
        """Describe the comparison in words; without a sign, only its first sides."""
        one, two = self.couples[0]
        averaged = f"on average over {' and '.join(self.averaged)}"
        if not sign:
            return str(one) if len(self.couples) == 1 else f"{one.term}, {averaged}"
        if len(self.couples) == 1:
            return f"{one} {sign} {two}"
        return f"{one.term} {sign} {two.term}, {averaged} ({len(self.couples)} pairs)"


def _is_trend(claim: Claim) -> bool:
    return claim.test in ("decreasing", "increasing") and claim.over in claim.average


def _rest(side: Side, name: str) -> str:
    """Return all settings but one."""
    return str({key: value for key, value in side.configuration.settings.items() if key != name})


def couples_of(claim: Claim, results: Results) -> Iterator[Couple]:
    """Return pairs of configurations; the claim is that the first is less, or equal."""
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
        if ones := _row(claim, results, claim.terms[0]):
            best_one = _least(results, ones)
            yield from ((best_one, two) for term in claim.terms[1:] for two in _row(claim, results, term))
    else:
        for term in claim.terms:
            for line in _lines(claim, results, term):
                yield from ((two, one) if claim.test == "decreasing" else (one, two) for one, two in pairwise(line))


def _matched(claim: Claim, results: Results, first: Term, second: Term) -> Iterator[Couple]:
    """Pair configurations with the same settings; a term of one configuration pairs with all of the other's."""
    ones, twos = _row(claim, results, first), _row(claim, results, second)
    for one in ones:
        for two in twos:
            free = {*one.configuration.settings, *two.configuration.settings} - {*first.fixed, *second.fixed}
            alike = all(one.configuration.settings.get(name) == two.configuration.settings.get(name) for name in free)
            if len(ones) == 1 or len(twos) == 1 or alike:
                yield one, two


def _limited(claim: Claim, results: Results, first: Term, second: Term) -> Iterator[Couple]:
    """Pair each configuration of the first term with the best of the second that uses no more of something."""
    twos = [Side(second, configuration) for configuration in results.matching(second)]
    for one in _row(claim, results, first):
        used = [_values(results, [one, two], claim.within) for two in twos]
        if fit := [two for two, (here, there) in zip(twos, used, strict=True) if there <= here < math.inf]:
            yield one, _least(results, fit)


def _least(results: Results, sides: Sequence[Side]) -> Side:
    """Return the side with the least value."""
    values = _values(results, sides)
    return sides[values.index(min(values))]


def _values(results: Results, sides: Sequence[Side], measure: Measure | None = None) -> list[float]:
    """Return a measure of each side, by default its term's; infinite if there is none.

    If one of them has to be a median, because its agent got lost, all are: a median is less than a mean, as a rule.
    """
    chosen = [(side.configuration, measure or side.term.measure) for side in sides]
    if results.by_median(chosen):
        chosen = [(side, Measure(one.figure, one.per, one.median or not one.valid_if_unsolved)) for side, one in chosen]
    found = [results.estimate(*one) for one in chosen]
    return [math.inf if one is None or math.isnan(one.value) else one.value for one in found]


def _row(claim: Claim, results: Results, term: Term) -> list[Side]:
    """Return the configurations of a term; only those `at` some values if the claim says so."""
    sides = [Side(term, configuration) for configuration in results.matching(term)]
    if not claim.at or claim.test == "lowest" or len(sides) == 1 or claim.over in term.fixed:
        return sides
    return [side for side in sides if side.configuration.settings.get(claim.over) in claim.at]


def _lines(claim: Claim, results: Results, term: Term) -> list[list[Side]]:
    """Return, for all combinations of the other settings, the configurations in the order of `over`."""
    lines: dict[str, list[Side]] = {}
    for side in _row(claim, results, term):
        lines.setdefault(_rest(side, claim.over), []).append(side)

    def place(side: Side) -> float:
        value = side.configuration.settings[claim.over]
        return float(value) if isinstance(value, (int, float)) else 0.0

    return [sorted(line, key=place) for line in lines.values()]


def groups_of(claim: Claim, couples: Sequence[Couple]) -> dict[str, Group]:
    """Group couples that differ only in the averaged settings, by what they have in common."""
    groups: dict[str, Group] = {}
    for couple in couples:
        rest = [
            {name: value for name, value in side.configuration.settings.items() if name not in claim.average}
            for side in couple
        ]
        key = f"{[str(side.term) for side in couple]} {rest}"
        groups.setdefault(key, Group([], claim.average)).couples.append(couple)
    return groups
