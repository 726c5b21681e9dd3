"""Parameters of agents: their defaults, allowed values, and plain form.

A rule takes the parameter's name and value, so that a bad value is rejected before anything is made from it.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..core.values import LARGEST, flag, number, one_of, whole, whole_or_endless


class Rule(NamedTuple):
    """What values a parameter takes, as data: `timebound export` writes it into the C library."""

    kind: str
    """`flag`, `whole`, `number`, `word`, or `any`."""
    text: str = "{}"
    """The rule, as the first half of a message; {} stands for the parameter's name."""
    least: float = 1
    most: float = LARGEST
    ends: str = "[]"
    """Which of the two the interval of a number contains, as in mathematics."""
    words: tuple[str, ...] = ()
    endless: bool = False
    """Whether infinity is allowed."""
    optional: bool = False
    """Whether None is allowed."""

    def __call__(self, name: str, value: Any) -> Any:
        """Return the value in its plain form, or raise an error."""
        text = self.text.format(name)
        if (value is None and self.optional) or self.kind == "any":
            return value
        if self.kind == "flag":
            return flag(value, name)
        if self.kind == "word":
            return one_of(value, self.words, f"{text} is {' or '.join(self.words)}")
        if self.kind == "number":
            return number(value, text, self.holds)
        if self.endless:
            return math.inf if isinstance(value, str) and value in ("all", "inf") else whole_or_endless(value, text)
        return whole(value, text, int(self.least), int(self.most))

    def holds(self, value: float) -> bool:
        """Is a number in the interval?"""
        above = value > self.least or (value == self.least and self.ends[0] == "[")
        return above and (value < self.most or (value == self.most and self.ends[1] == "]"))


class Parameter(NamedTuple):
    """A parameter: its default and its rule."""

    default: Any
    rule: Rule | Callable[[str, Any], Any]


a_flag = Rule("flag", "{} is True or False")
a_count = Rule("whole", "{} is a whole number above 0")
endless = a_count._replace(endless=True)
"""A count, or infinity as a number or a word."""


def or_none(rule: Rule) -> Rule:
    """Accept None as well."""
    return rule._replace(optional=True)


def up_to(most: int, text: str) -> Rule:
    """Accept a whole number from 1 to `most`."""
    return Rule("whole", f"{text} is a whole number from 1 to {most}", most=most)


def a_number(text: str, least: float, most: float = math.inf, ends: str = "[]") -> Rule:
    """Accept numbers in an interval; the text states the rule."""
    return Rule("number", text, least, most, ends)


def a_word(text: str, *words: str) -> Rule:
    """Accept one of some words."""
    return Rule("word", text, words=words)


# What every agent takes besides the parameters of its parts, and where it has a meaning.
COMMON: Mapping[str, Parameter] = {
    "radius": Parameter(None, or_none(up_to(1000, "the sensor's radius"))),
    "line_of_sight": Parameter(False, a_flag),
    "hidden": Parameter(0.15, a_number("the share of hidden obstacles is a number from 0 to below 1", 0, 1, "[)")),
    "solvable": Parameter(True, a_flag),
    "cost_factor": Parameter(
        None, or_none(a_number("cost_factor is a factor from above 1 to a million", 1, 1e6, "(]"))
    ),
    "fallback": Parameter("none", a_word("the fallback", "none", "nearest")),
    "memory_mb": Parameter(None, or_none(a_number("memory_mb is a number above 0", 0, ends="(]"))),
}
SENSOR, SURPRISES = ("radius", "line_of_sight"), ("hidden", "solvable", "cost_factor")
