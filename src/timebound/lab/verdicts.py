"""Judge claims by the data.

A claim is a set of comparisons, each with a 95 % confidence interval. It holds if every comparison holds; or a share of
them, or their average, if it says so. It does not hold if comparisons are contradicted so clearly that, among this many
of them, chance would do that in only 5 % of cases (Bonferroni). It is exceeded if the data go further than the claim,
in its own direction. Otherwise it is not decidable at this scale.

The average of the steps from one value to the next is that of a trend: the steps count by how many pairs of values they
lie between, so that the average is the slope of the regression line. No single step may clearly go the other way.

An agent that did not solve all problems has no mean: over the solved ones it would look better the more it failed. So
it is compared by its median, in which unsolved problems are worse than all others. If most episodes of both sides fail,
the share that arrives decides. It can also be the subject of a claim (`arrived`): what was cut off may yet arrive.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

from .claims import MATCHED, Claim, Term, show
from .experiment import Configuration
from .measures import ARRIVED, Measure
from .results import Results
from .statistics import Confidence, Pair

HOLDS, EXCEEDS, FAILS = "holds", "exceeds", "does not hold"
CUT_OFF, OPEN = "cut off", "not decidable at this scale"
_CONFIDENCE = 0.95
_SIGNS = {"constant": "=", "same": "=", "ratio": "/", "difference": "-", "value": ""}


@dataclass(frozen=True)
class Comparison:
    """One comparison of a claim."""

    words: str
    outcome: str
    interval: Confidence | None  # the interval of the difference, or the ratio; None without data
    size: Confidence | None = None
    """The effect: the first over the second; or their difference, if the claim is about that."""


@dataclass(frozen=True)
class Verdict:
    """The verdict of the data on a claim."""

    claim: Claim
    outcome: str
    comparisons: tuple[Comparison, ...] = ()
    reason: str = ""  # why it does not hold or is undecided, in words
    only_here: bool = False  # whether this is certain on these maps only: with maps as units it is undecided


# ------------------------------------------------------------------ which configurations a claim compares


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

    couples: list[Couple]
    averaged: tuple[str, ...]

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


# ------------------------------------------------------------------ judging

Judge = Callable[[Pair, float], tuple[str, Confidence]]


def judge(claim: Claim, results: Results, others: Mapping[str, Results] | None = None) -> Verdict:
    """Return the verdict on a claim; results of other experiments are for claims about them.

    If it is open when maps are the units, the verdict is that on these maps.
    """
    verdict = _judge(claim, results, others or {})
    if verdict.outcome != OPEN or results.maps is None:
        return verdict
    here = {name: other.on_these_maps() for name, other in (others or {}).items()}
    again = _judge(claim, results.on_these_maps(), here)
    return verdict if again.outcome == OPEN else replace(again, only_here=True)


def _judge(claim: Claim, results: Results, others: Mapping[str, Results]) -> Verdict:
    couples = list(couples_of(claim, results))
    missing = [side for couple in couples for side in couple if side.configuration not in results.samples]
    if missing:
        labels = dict.fromkeys(side.configuration.label for side in missing)
        return Verdict(claim, OPEN, (), f"not run, or not with all settings: {', '.join(labels)}")
    groups = groups_of(claim, couples)
    if not groups:
        return Verdict(claim, OPEN, (), "no two configurations to compare")
    if claim.above:
        return _judge_above(claim, results, groups, others)
    strict = 1 - (1 - _CONFIDENCE) / len(groups)
    comparisons = tuple(_compare(claim, results, group, strict) for group in groups.values())
    outcome = _outcome(claim, comparisons)
    return Verdict(claim, outcome, comparisons, _reason(outcome, comparisons))


def _outcome(claim: Claim, comparisons: Sequence[Comparison]) -> str:
    """Decide whether enough comparisons hold, or more are contradicted than the claim allows."""
    count = len(comparisons)
    needed = math.ceil(claim.share * count - 1e-9)
    found = Counter(one.outcome for one in comparisons)
    if found[HOLDS] + found[EXCEEDS] >= needed:
        return HOLDS if found[HOLDS] >= needed else EXCEEDS
    return FAILS if found[FAILS] > count - needed else CUT_OFF if found[CUT_OFF] else OPEN


def _reason(outcome: str, comparisons: Sequence[Comparison]) -> str:
    if outcome == HOLDS:
        return ""
    wrong = [one for one in comparisons if one.outcome == outcome]
    number = "the comparison" if len(comparisons) == 1 else f"{len(wrong)} of {len(comparisons)} comparisons"
    verb = "is" if len(wrong) == 1 or len(comparisons) == 1 else "are"
    if outcome == FAILS:
        return f"{number} {verb} clearly reversed, or outside the limits: {in_words(wrong[0])}"
    if outcome == EXCEEDS:
        return f"{number} {verb} beyond the limits, in the paper's direction: {in_words(wrong[0])}"
    if outcome == CUT_OFF:
        return f"{number} {verb} cut off: {in_words(wrong[0])}"
    problems = min((one.interval.problems for one in wrong if one.interval is not None), default=0)
    return f"{number} {verb} not certain with {problems} problems: {in_words(wrong[0])}"


def _compare(claim: Claim, results: Results, group: Group, strict: float) -> Comparison:
    words, both = group.words(_SIGNS.get(claim.test, "<")), results.pair(group.sides)
    if both is None:
        return Comparison(words, OPEN, None)
    both = both._replace(totals=claim.totals, weights=group.weights(claim))
    rule = _rule(claim, results, group)
    outcome, shown = rule(both, _CONFIDENCE)
    if outcome in (FAILS, EXCEEDS) and rule(both, strict)[0] != outcome:
        outcome = OPEN
    words += _arrivals(results, group, both)
    size, steps = _size(claim, both), group.steps(claim)
    for step in steps if outcome != FAILS else ():  # does one of them clearly go the other way?
        both = results.pair(step.sides)
        if both is not None and _less(both, results, step, 1 - (1 - strict) / len(steps))[0] == FAILS:
            return Comparison(
                f"{words}; but not {step.words('<')}", FAILS, _less(both, results, step, _CONFIDENCE)[1], size
            )
    return Comparison(words, outcome, shown, size)


def _size(claim: Claim, both: Pair) -> Confidence:
    if claim.test in ("difference", "value"):
        return _LIMITED[claim.test](both, _CONFIDENCE)
    return (both.mean_ratio() if claim.test != "ratio" else None) or both.ratio()


def _arrivals(results: Results, group: Group, both: Pair) -> str:
    """Return how many arrive, if not all do and that matters."""
    sides = [side.configuration for couple in group.couples for side in couple]
    if not both.medians or not any(map(results.unsolved, sides)):
        return ""
    arrive: dict[str, None] = {}
    for n in (0, 1):
        ones = [couple[n].configuration for couple in group.couples]
        runs = sum(map(results.run, ones))
        arrive[f"{runs - sum(map(results.unsolved, ones))} of {runs}"] = None
    return f" (medians; {' and '.join(arrive)} arrive)"


def _judge_above(claim: Claim, results: Results, groups: Mapping[str, Group], others: Mapping[str, Results]) -> Verdict:
    """Is the ratio larger here than in each of the others?"""
    comparisons = []
    for name in claim.above:
        if name not in others:
            return Verdict(claim, OPEN, (), f"not run: {name}")
        theirs = groups_of(claim, list(couples_of(claim, others[name])))
        for key, group in groups.items():
            there = others[name].pair(theirs[key].sides) if key in theirs else None
            words = f"{group.words('/')}: more than in {name}"
            comparisons.append(_compare_ratios(words, [results.pair(group.sides), there]))
    outcome = _outcome(claim, comparisons)
    return Verdict(claim, outcome, tuple(comparisons), _reason(outcome, comparisons))


def _compare_ratios(words: str, pairs: Sequence[Pair | None]) -> Comparison:
    """Return the ratio of two independent ratios."""
    ratios = [both.ratio() for both in pairs if both is not None]
    if len(ratios) < 2 or any(math.isnan(ratio.value) for ratio in ratios):
        return Comparison(words, OPEN, None)
    here, there = ratios
    middle = math.log(here.value) - math.log(there.value)
    error = math.hypot(*(math.log(ratio.high / ratio.value) for ratio in ratios))
    low, high = (math.exp(min(middle + limit, 700.0)) for limit in (-error, error))
    quotient = Confidence(math.exp(middle), low, high, min(here.problems, there.problems))
    outcome = HOLDS if quotient.low > 1 else FAILS if quotient.high < 1 else OPEN
    return Comparison(words, outcome, quotient, quotient)


def _rule(claim: Claim, results: Results, group: Group) -> Judge:
    if claim.test in _LIMITED:
        return lambda two, share: _between(claim, results, group, _LIMITED[claim.test](two, share))
    if _SIGNS.get(claim.test) == "=":
        return lambda two, share: (FAILS if two.differing else HOLDS, two.difference(share))
    return lambda two, share: _less(two, results, group, share)


_LIMITED: dict[str, Callable[[Pair, float], Confidence]] = {
    "ratio": Pair.ratio,
    "difference": lambda two, share: two.swapped().difference(share),
    "value": Pair.first,
}


def _less(two: Pair, results: Results, group: Group, share: float) -> tuple[str, Confidence]:
    outcome, shown = _below(two, share)
    if not two.differing:
        return OPEN, shown
    if two.medians and math.isinf(two.one) and math.isinf(two.two):
        arrive = results.arrivals(group.sides)
        outcome = OPEN if arrive is None else _sign(arrive.swapped().difference(share))
    return outcome, shown


def _below(two: Pair, share: float) -> tuple[str, Confidence]:
    """Decide by the values alone: by their ratio, in which large maps weigh no more than small ones, if none is 0."""
    ratio = two.mean_ratio(share)
    if ratio is None:
        difference = two.difference(share)
        return _sign(difference), difference
    return HOLDS if ratio.high < 1 else FAILS if ratio.low > 1 else OPEN, ratio


def _sign(difference: Confidence) -> str:
    return HOLDS if difference.low > 0 else FAILS if difference.high < 0 else OPEN


def _between(claim: Claim, results: Results, group: Group, measured: Confidence) -> tuple[str, Confidence]:
    """Does it lie between the limits?"""
    side, (low, high) = group.couples[0][0], claim.between
    if side.term.measure == ARRIVED and claim.test == "value" and high == 1:  # a theorem, seen as far as it was run
        lost = results.unsolved(side.configuration)
        return CUT_OFF if lost and measured.low < low else HOLDS, measured
    if measured.problems < 2 or math.isnan(measured.value):
        return OPEN, measured
    if low <= measured.low and measured.high <= high:
        return HOLDS, measured
    if measured.high >= low and measured.low <= high:
        return OPEN, measured
    return EXCEEDS if claim.beyond == ("above" if measured.low > high else "below") else FAILS, measured


def in_words(comparison: Comparison) -> str:
    """Describe a comparison with its numbers."""
    if comparison.interval is None:
        return comparison.words
    value, low, high, problems = comparison.interval
    limits = f"{show(round(low, 4))} to {show(round(high, 4))}"
    return f"{comparison.words}: {show(round(value, 4))} ({limits}; {problems} problems)"
