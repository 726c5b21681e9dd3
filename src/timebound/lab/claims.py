"""The claims of a paper as data: terms such as `rtaa(budget=9).cost`, and tests on terms."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, defstruct

from ..core.wording import nearest
from .files import Number, Texts, TomlTable
from .measures import Measure

Settings = Mapping[str, Mapping[str, Sequence[Any]]]
"""For each agent, by its label: its settings, each with all its values."""

TESTS = {
    "less": "the first term is less than the second, the second less than the third, and so on",
    "decreasing": "each term falls from one value of `over` to the next; on average over it: its trend does",
    "increasing": "each term rises from one value of `over` to the next; on average over it: its trend does",
    "constant": "each term is the same for every value of `over`, problem by problem",
    "same": "the terms are the same, problem by problem",
    "lowest": "each term is lowest at `at`",
    "best": "the least value of the first term is less than all values of the others",
    "ratio": "the first term over the second lies `between` two numbers, or is `above` that of other experiments",
    "difference": "the first term minus the second lies `between` two numbers",
    "value": "each term lies `between` two numbers",
}
MATCHED = ("less", "same", "ratio", "difference")
"""The tests that compare configurations of one term with those of the next."""
_LIMITED = ("ratio", "difference", "value")
_ONLY_FOR = {
    "above": ("ratio",),
    "average": ("less", "ratio", "difference", "value", "decreasing", "increasing", "lowest"),
    "within": ("less", "ratio", "difference"),
    "beyond": _LIMITED,
}
SETTING = re.compile(r"\s*([A-Za-z_]+)\s*=\s*([^,\s]+)\s*")
_ONE = r"([^.()]+)(?:\(([^()]*)\))?"
_TERM = re.compile(rf"{_ONE}\.(.+)")


@dataclass(frozen=True)
class Term:
    """A measure of an agent, with some settings fixed; the others take all their values."""

    label: str
    fixed: Mapping[str, Any]
    measure: Measure

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={show(value)}" for name, value in self.fixed.items())
        return f"{self.label}{f'({inside})' if inside else ''}.{self.measure}"


class Said(Struct, frozen=True, kw_only=True):
    """What the file says about a claim, except its test."""

    id: str
    words: str
    over: str = "budget"
    at: tuple[Number, ...] = ()
    share: Annotated[float, Meta(gt=0, le=1)] = 1.0  # the share of comparisons that must hold
    totals: bool = False  # whether the average of ratios is the average of the first term over that of the second
    where: str = ""  # where the paper makes the claim
    says: str = ""  # the paper's own words
    ours: bool = False  # is this claim not the paper's?
    since: str = ""  # the date of its limits or its reading, if that is later than the first results
    beyond: Literal["", "above", "below"] = ""  # on which side of its limits a claim is exceeded
    published: Number = math.nan  # the number in the paper
    note: str = ""  # a note on the verdict
    above: Texts = ()  # other experiments, whose ratio is smaller
    average: Texts = ()  # the settings over which comparisons are averaged
    within: Measure | None = None
    """Configurations of the second term count only if this measure is at most that of the first; `at` applies to
    the first."""


class Claim(Said, frozen=True, kw_only=True):
    """One claim, in words and as a test."""

    test: str
    terms: tuple[Term, ...]
    between: tuple[float, float]


_Table: Any = defstruct(
    "_Table",
    [("between", tuple[Number, Number] | None, None), *((test, Texts, ()) for test in TESTS)],
    bases=(Said,),
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
)


def read_claim(table: TomlTable, settings: Settings) -> Claim:
    """Read a claim from its table."""
    said = table.read(_Table)
    tests = [name for name in TESTS if name in table.values]
    if len(tests) != 1:
        table.fail(f"a claim has one test ({', '.join(TESTS)}), not {len(tests)}")
    test = tests[0]
    terms = []
    for text in getattr(said, test):
        parts = _TERM.fullmatch(text)
        if parts is None:
            table.fail(f"{text!r} is not a term; write one like rtaa.cost or rtaa(budget=9).cost", test, token=text)
        terms.append(Term(*_agent(table, test, text, parts, settings), table.measure(parts[3], test, text)))
    least = 2 if test in (*MATCHED, "best") else 1
    if len(terms) < least:
        table.fail(f"{test} takes {least} terms or more", test)
    for key, allowed in _ONLY_FOR.items():
        if table.values.get(key) and test not in allowed:
            table.fail(f"{key} is for {', '.join(allowed)}, not for {test}", key)
    if table.values.get("totals") and (test != "ratio" or "average" not in table.values):
        table.fail("totals is for the average of a ratio", "totals")
    _check_at(table, test, terms, said.over, said.at, settings)
    known = {name: None for term in terms for name in settings[term.label]}
    for name in said.average:
        if name not in known:
            table.fail(f"{name!r} is not set in these terms; {nearest(name, known)}", "average", token=name)
    if test == "lowest" and said.over in said.average:
        table.fail("lowest cannot average over the setting that it compares", "average")
    return Claim(
        **{name: getattr(said, name) for name in Said.__struct_fields__},
        test=test,
        terms=tuple(terms),
        between=_between(table, test, said.between),
    )


def _check_at(
    table: TomlTable, test: str, terms: Sequence[Term], over: str, at: Sequence[float], settings: Settings
) -> None:
    for term in terms[:1] if "within" in table.values else terms:
        single = all(name in term.fixed or len(values) == 1 for name, values in settings[term.label].items())
        if test in MATCHED and single:
            continue
        if over not in settings[term.label]:
            table.fail(f"{term.label} has no {over!r}; {nearest(over, settings[term.label])}", "over")
        if not {*at} <= {*settings[term.label][over]} and not (test in MATCHED and over in term.fixed):
            there = ", ".join(map(show, settings[term.label][over]))
            table.fail(f"not all values of at are values of {over} of {term.label}; choose from: {there}", "at")
    if test == "lowest" and not at:
        table.fail("lowest needs at, the place of the lowest value, such as at = [17]")


def _between(table: TomlTable, test: str, limits: Any) -> tuple[float, float]:
    if test not in _LIMITED:
        return 0.0, 0.0
    if limits is None:
        if "above" in table.values:
            return 0.0, math.inf
        table.fail("between is missing; give two numbers, such as [0.9, 1.1]")
    low, high = limits
    if not low <= high or (test == "ratio" and low < 0):
        table.fail("between needs two numbers, the smaller first, such as [0.9, 1.1]", "between")
    return low, high


def find_one(table: TomlTable, key: str, text: str, settings: Settings) -> tuple[str, dict[str, Any]]:
    """Read an agent with enough settings for a single configuration, as in `tba(budget=50)`."""
    parts = re.fullmatch(_ONE, text)
    if parts is None:
        table.fail(f"{text!r} is not a configuration; write one like rtaa or rtaa(budget=9)", key, token=text)
    label, fixed = _agent(table, key, text, parts, settings)
    for name, values in settings[label].items():
        if len(values) > 1 and name not in fixed:
            table.fail(f"{text!r} stands for {len(values)} configurations; set its {name}", key, token=text)
    return label, fixed


def _agent(
    table: TomlTable, key: str, text: str, parts: re.Match[str], settings: Settings
) -> tuple[str, dict[str, Any]]:
    """Read an agent, and the settings in brackets behind it."""
    label, inside = parts[1].strip(), parts[2] or ""
    if label not in settings:
        table.fail(f"there is no agent {label!r} in this experiment; {nearest(label, settings)}", key, token=text)
    known, fixed = settings[label], dict[str, Any]()
    for part in inside.split(",") if inside.strip() else ():
        setting = SETTING.fullmatch(part)
        if setting is None:
            table.fail(f"{part.strip()!r} in {text!r} is not a setting; write one like budget=9", key, token=text)
        name, value = setting[1], value_of(setting[2])
        if name not in known:
            table.fail(f"{name!r} is not set in {text!r}; {nearest(name, known)}", key, token=text)
        if value not in known[name]:
            there = ", ".join(map(show, known[name]))
            table.fail(f"{name} is never {show(value)} in {text!r}; choose from: {there}", key, token=text)
        fixed[name] = value
    return label, fixed


def value_of(text: str) -> Any:
    """Read a number, or keep the word."""
    try:
        return float(text)
    except ValueError:
        return text


def show(value: Any) -> str:
    """Format a setting for people.

    >>> show(9.0), show(float("inf")), show("all")
    ('9', '∞', 'all')
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "∞" if value == float("inf") else f"{value:g}"
    return str(value)
