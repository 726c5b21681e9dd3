"""Parameters of agents: their defaults, allowed values, and plain form.

A rule takes the parameter's name and value, so that a bad value is rejected before anything is made from it.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..core.values import flag, number, one_of, whole, whole_or_endless

Rule = Callable[[str, Any], Any]


class Parameter(NamedTuple):
    """A parameter: its default and its rule."""

    default: Any
    rule: Rule


def a_flag(name: str, value: Any) -> bool:
    """Accept True or False."""
    return flag(value, name)


def a_count(name: str, value: Any) -> int:
    """Accept a whole number, 1 or more."""
    return whole(value, f"{name} is a whole number above 0")


def endless(name: str, value: Any) -> float:
    """Accept a count, or infinity as a number or a word."""
    word = isinstance(value, str) and value in ("all", "inf")
    return math.inf if word else whole_or_endless(value, f"{name} is a whole number above 0")


def or_none(rule: Rule) -> Rule:
    """Accept None as well."""
    return lambda name, value: None if value is None else rule(name, value)


def up_to(most: int, text: str) -> Rule:
    """Accept a whole number from 1 to `most`."""
    return lambda name, value: whole(value, f"{text} is a whole number from 1 to {most}", most=most)


def a_number(text: str, accept: Callable[[float], bool]) -> Rule:
    """Accept numbers that pass the test; the text states the rule."""
    return lambda name, value: number(value, text, accept)


def a_word(text: str, *words: str) -> Rule:
    """Accept one of some words."""
    return lambda name, value: one_of(value, words, f"{text} is {' or '.join(words)}")


# What every agent takes besides the parameters of its parts, and where it has a meaning.
COMMON: Mapping[str, Parameter] = {
    "radius": Parameter(None, or_none(up_to(1000, "the sensor's radius"))),
    "line_of_sight": Parameter(False, a_flag),
    "hidden": Parameter(
        0.15, a_number("the share of hidden obstacles is a number from 0 to below 1", lambda given: 0 <= given < 1)
    ),
    "solvable": Parameter(True, a_flag),
    "cost_factor": Parameter(
        None, or_none(a_number("cost_factor is a factor from above 1 to a million", lambda given: 1 < given <= 1e6))
    ),
    "fallback": Parameter("none", a_word("the fallback", "none", "nearest")),
    "memory_mb": Parameter(None, or_none(a_number("memory_mb is a number above 0", lambda given: given > 0))),
}
SENSOR, SURPRISES = ("radius", "line_of_sight"), ("hidden", "solvable", "cost_factor")
