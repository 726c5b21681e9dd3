"""The rule of every parameter of agents: what may be given, and the plain form in which agents take it.

All rules are here, so that a value is refused before anything is made from it.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from ..limits import MOST_RECORDS, SPARE
from ..values import checked_weight, flag, number, one_of, whole, whole_or_endless

Rule = Callable[[str, Any], Any]  # of the parameter's name and its value


def _flag(name: str, value: Any) -> bool:
    return flag(value, name)


def _count(name: str, value: Any) -> int:
    return whole(value, f"{name} is a whole number above 0")


def _endless(name: str, value: Any) -> float:
    """A count, or infinite: as a number, or in a word."""
    word = isinstance(value, str) and value in ("all", "inf")
    return math.inf if word else whole_or_endless(value, f"{name} is a whole number above 0")


def _optional(rule: Rule) -> Rule:
    return lambda name, value: None if value is None else rule(name, value)


def _whole(text: str, most: int) -> Rule:
    return lambda name, value: whole(value, f"{text} is a whole number from 1 to {most}", most=most)


def _number(text: str, accept: Callable[[float], bool]) -> Rule:
    return lambda name, value: number(value, text, accept)


def _word(text: str, *words: str) -> Rule:
    return lambda name, value: one_of(value, words, f"{text} is {' or '.join(words)}")


def _anything(name: str, value: Any) -> Any:
    return value


_RULES: Mapping[str, Rule] = {
    # of all agents
    "radius": _optional(_whole("the sensor's radius", 1000)),
    "line_of_sight": _flag,
    "hidden": _number("the share of hidden obstacles is a number from 0 to below 1", lambda given: 0 <= given < 1),
    "solvable": _flag,
    "dearer": _optional(_number("dearer is a factor from above 1 to a million", lambda given: 1 < given <= 1e6)),
    "fallback": _word("the fallback", "none", "nearest"),
    "memory_mb": _optional(_number("memory_mb is a number above 0", lambda given: given > 0)),
    # of those that search
    "weight": lambda name, value: checked_weight(value),
    "reopen": _flag,
    "direction": _word("the direction", "forward", "backward"),
    "lookahead": _optional(_endless),
    "movements": _optional(_endless),
    "update_weight": _whole("update_weight, of costs in the update,", SPARE),
    "target": _word("target", "best", "unraised", "least-raised"),
    "trace_ratio": _optional(
        _number("trace_ratio is a number between 0 and 1 (or None: no limit to traces)", lambda given: 0 < given < 1)
    ),
    "trace_cost": _count,
    "steady": _flag,
    "shortcut": _flag,
    "most_steps_back": _optional(lambda name, value: whole(value, f"{name} is a whole number from 0", least=0)),
    # of LRTA* and its kin
    "depth": _count,
    "cost_limit": _optional(_number("the cost_limit of the lookahead is a number above 0", lambda given: given > 0)),
    "queue": _whole("the queue of plrta, which is looked through whole,", 100_000),
    "level": _optional(_count),
    "gamma": _number(
        "gamma, the weight of costs beside h on the abstract map, is from 0.01 to 1", lambda given: 0.01 <= given <= 1
    ),
    # of those that steer by cases
    "cases": _anything,  # a base, or its file: it is checked when it is read
    "records": _whole("records, of a base that an agent makes by itself,", MOST_RECORDS),
    "coverage": _word("coverage", "even", "random"),
    "cap": _count,
    "candidates": _endless,
    "quota": _number(
        "the quota is a number from 1 to 1000 (times the distance to the goal)", lambda given: 1 <= given <= 1000
    ),
    "goal_first": _flag,
    "skip_start": _flag,
    "skip_end": _flag,
    "kd_tree": _flag,
    "interrupt": _flag,
    "shortcuts": _flag,
}
_RULES_OF_FAMILIES: Mapping[str, Mapping[str, Rule]] = {
    "local": {"learning": _word("learning", "adaptive", "dijkstra")},
    "time-bounded": {"learning": _word("learning", "none", "adaptive", "dijkstra")},
    "refining": {"level": _count},
}


def checked(family: str, name: str, value: Any) -> Any:
    """The value of a parameter in its plain form, if it is right for agents of that family."""
    rule = _RULES_OF_FAMILIES.get(family, {}).get(name) or _RULES[name]
    return rule(name, value)
