"""timebound compared with what a user could choose instead: the same queries, the same run, every path checked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import geometric_mean

import numpy as np

from timebound import maps

from .contenders import OTHERS, Astar, Contender, Prepared, Timebound
from .maps import KINDS, RANDOM_1024, load
from .options import Options
from .paths import warm_up
from .rules import Position, Rule, WrongAnswerError, path_length
from .table import table
from .timing import Ratio, Turns, take_turns, timed

Problem = tuple[Position, Position]

_HEADERS = (
    "package",
    "method",
    "neighbours",
    "prepare ms",
    "ms/query",
    "M exp/s",
    "time/timebound's",
    "time/prepared's",
    "queries",
    "remark",
)


@dataclass
class Entry:
    """A contender that is ready to answer, and its results so far."""

    contender: Contender
    prepare_seconds: float
    lengths: list[float]
    expansions: list[int | None]
    turns: Turns | None = None

    @property
    def label(self) -> str:
        """Package and method."""
        return f"{self.contender.package}, {self.contender.method}"


@dataclass(frozen=True)
class Row:
    """One line of the table of a map."""

    package: str
    method: str
    rule: str
    prepare_ms: float
    ms_per_query: float
    million_expansions_per_second: float | None
    ratio: Ratio
    to_prepared: Ratio
    queries: int
    remark: str

    def cells(self) -> tuple[object, ...]:
        """What the table shows."""
        return tuple(vars(self).values())


def run(options: Options) -> dict[str, list[Row]]:
    """Print a table for each map, and one for all of them."""
    present = _who_takes_part(options.others)
    warm_up()
    results = {}
    for kind in (RANDOM_1024, *KINDS)[: 2 if options.quick else None]:
        chosen = load(kind, options.data, options.seed)
        results[chosen.name] = _one_map(chosen, present, options)
        print(f"\n{chosen.name} ({kind.name}, {chosen.width} x {chosen.height})\n")
        print(table(_HEADERS, [row.cells() for row in results[chosen.name]]), flush=True)
    print("\nTime per query, divided by timebound's A* under the same rule (above 1: timebound is faster)\n")
    print(table(*_summary(results, lambda row: row.ratio)))
    print("\nThe same, divided by that of prepared paths\n")
    print(table(*_summary(results, lambda row: row.to_prepared)))
    return results


def _who_takes_part(wanted: Sequence[str]) -> list[type[Contender]]:
    chosen = [other for other in OTHERS if not wanted or other.package in wanted]
    versions = {other.package: other.version() for other in chosen}
    print("with:", ", ".join(f"{package} {version}" for package, version in versions.items() if version) or "nobody")
    missing = [package for package, version in versions.items() if not version]
    if missing:
        print("left out, because not installed:", ", ".join(missing))
    return [other for other in chosen if other.version()]


OURS: tuple[type[Timebound], ...] = (Astar, Timebound, Prepared)


def _one_map(map_: maps.Map, others: Sequence[type[Contender]], options: Options) -> list[Row]:
    problems = maps.random_problems(map_, options.queries, seed=options.seed)
    free = int(map_.passable.sum())
    ours, jumps, prepared = (
        {rule: _prepare(partial(kind, rule=rule), map_) for rule in _rules(others)} for kind in OURS
    )
    entries = [
        *ours.values(),
        *jumps.values(),
        *prepared.values(),
        *(_prepare(other, map_) for other in others if free <= other.most_cells),
    ]
    for entry in entries:
        _answer(entry, map_, problems, np.inf if entry.contender.package == "timebound" else options.box / 3)
        _compare(entry, ours[entry.contender.rule], problems, map_.name)
    actions = [[partial(e.contender.find, *problem) for problem in problems[: len(e.lengths)]] for e in entries]
    for entry, turns in zip(entries, take_turns(actions, options.rounds, options.box), strict=True):
        entry.turns = turns
    return [_row(entry, ours[entry.contender.rule], prepared[entry.contender.rule]) for entry in entries]


def _rules(others: Sequence[type[Contender]]) -> list[Rule]:
    return list(dict.fromkeys([Contender.rule, *(other.rule for other in others)]))


def _prepare(make: partial | type[Contender], map_: maps.Map) -> Entry:
    seconds, contender = timed(lambda: make(map_.passable))
    return Entry(contender, seconds, [], [])


def _answer(entry: Entry, map_: maps.Map, problems: Sequence[Problem], box: float) -> None:
    """Warm up: answer as many problems as the time allows, at least one, and check the paths."""
    contender, spent = entry.contender, 0.0
    for start, goal in problems:
        if spent > box:
            break
        seconds, answer = timed(lambda s=start, g=goal: contender.find(s, g))
        spent += seconds
        try:
            length = path_length(map_.passable, contender.rule, start, goal, contender.states(answer))
        except WrongAnswerError as problem:
            raise WrongAnswerError(f"{map_.name}, {entry.label}: {problem}") from None
        entry.lengths.append(length)
        entry.expansions.append(contender.expansions(answer))


def _compare(entry: Entry, ours: Entry, problems: Sequence[Problem], name: str) -> None:
    """Stop the benchmark where two answers differ in length."""
    for (start, goal), length, our_length in zip(problems, entry.lengths, ours.lengths, strict=False):
        if abs(length - our_length) > 1e-6:
            raise WrongAnswerError(
                f"{name}, {start} to {goal}, {entry.contender.rule.name}: "
                f"timebound's path has length {our_length}, that of {entry.label} {length}"
            )


def _row(entry: Entry, ours: Entry, prepared: Entry) -> Row:
    contender, turns = entry.contender, entry.turns
    known = [count for count in entry.expansions if count is not None]
    seconds = turns.ms_per_query * turns.queries / 1e3
    return Row(
        package=contender.package,
        method=contender.method,
        rule=contender.rule.name,
        prepare_ms=1e3 * entry.prepare_seconds,
        ms_per_query=turns.ms_per_query,
        million_expansions_per_second=sum(known) / seconds / 1e6 if known else None,
        ratio=turns.ratio_to(ours.turns),
        to_prepared=turns.ratio_to(prepared.turns),
        queries=turns.queries,
        remark=contender.remark,
    )


def _summary(results: dict[str, list[Row]], ratio: Callable[[Row], Ratio]) -> tuple[list[str], list[list[object]]]:
    """A line for each contender: its ratio on every map, and their geometric mean."""
    ratios: dict[tuple[str, ...], dict[str, float]] = {}
    for name, rows in results.items():
        for row in rows:
            ratios.setdefault((row.package, row.method, row.rule), {})[name] = ratio(row).median
    lines = [
        [*who, *(by_map.get(name) for name in results), geometric_mean(by_map.values())]
        for who, by_map in ratios.items()
    ]
    return ["package", "method", "neighbours", *results, "mean"], lines
