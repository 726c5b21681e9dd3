"""Checks of user input: each returns the value in its plain form, or raises an error that states the rule.

A rule is the first half of a sentence, such as "the speed limit is a whole number from 1 to 10"; the value that breaks
it is the other half. NumPy's numbers count like Python's; True is not a number.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from .errors import ProblemError, TimeboundError
from .wording import shown

Choice = TypeVar("Choice", bound=str | int)
Refusal = type[TimeboundError]

LARGEST = 2**63 - 1  # the largest number in compiled code


def is_whole(value: Any) -> bool:
    """Is it a whole number, of Python or NumPy?

    >>> is_whole(3), is_whole(np.uint8(3)), is_whole(True), is_whole(3.0)
    (True, True, False, False)
    """
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_int64(value: Any) -> bool:
    """Is it a whole number that fits into compiled code?"""
    return is_whole(value) and -LARGEST - 1 <= value <= LARGEST


def is_number(value: Any) -> bool:
    """Is it a whole number or a float, of Python or NumPy, that Python can calculate with?"""
    if isinstance(value, (float, np.floating)):
        return True
    return is_whole(value) and abs(int(value)) < 2**1023  # larger ones do not fit into a float


def whole(value: Any, rule: str, least: int = 1, most: int = LARGEST, error: Refusal = ProblemError) -> int:
    """Return a whole number from `least` to `most`.

    >>> whole(np.int64(7), "intervals is a whole number above 0")
    7
    """
    if not (is_whole(value) and least <= value <= most):
        raise error(f"{rule}, not {shown(value)}")
    return int(value)


def whole_or_endless(value: Any, rule: str) -> float:
    """Return a whole number above 0, or infinity."""
    endless = isinstance(value, (float, np.floating)) and value == math.inf
    return math.inf if endless else whole(value, f"{rule} (or inf)")


def seed_number(value: Any, error: Refusal = ProblemError) -> int:
    """Return a random seed."""
    return whole(value, "a seed is a whole number from 0, of at most 63 bits", least=0, error=error)


def number(value: Any, rule: str, accept: Callable[[float], bool], error: Refusal = ProblemError) -> float:
    """Return a number that passes the test; whole numbers stay whole.

    >>> number(np.float32(0.5), "a share is a number from 0 to 1", lambda share: 0 <= share <= 1)
    0.5
    """
    if not (is_number(value) and accept(value)):
        raise error(f"{rule}, not {shown(value)}")
    return int(value) if is_whole(value) else float(value)


def checked_weight(weight: Any) -> float:
    """Return a weight of the heuristic."""
    return number(weight, "the weight must be a number from 1 to a million", lambda given: 1 <= given <= 1e6)


def flag(value: Any, name: str, error: Refusal = ProblemError) -> bool:
    """Return True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise error(f"{name} is True or False, not {shown(value)}")
    return bool(value)


def name_of(value: Any, whose: str, error: Refusal = ProblemError) -> str:
    """Return the name of something."""
    if not isinstance(value, str):
        raise error(f"the name of {whose} must be a string, not {shown(value)}")
    return value


def one_of(value: Any, choices: Iterable[Choice], rule: str, error: Refusal = ProblemError) -> Choice:
    """Return one of the given words or whole numbers."""
    for choice in choices:
        if (is_whole(value) if isinstance(choice, int) else isinstance(value, str)) and value == choice:
            return choice
    raise error(f"{rule}, not {shown(value)}")


def items(value: Any, rule: str, error: Refusal = ProblemError) -> list[Any]:
    """Return the items of a list or another iterable; a string does not count as one."""
    try:
        if not isinstance(value, (str, bytes)):
            return list(value)
    except TypeError:
        pass
    raise error(f"{rule}, not {shown(value)}")


def rows(value: Any, rule: str) -> Any:
    """Return an array as it is, or the items of another iterable."""
    return value if isinstance(value, np.ndarray) and value.ndim else items(value, rule)


def numeric_array(value: Any, rule: str, error: Refusal = ProblemError) -> np.ndarray:
    """Return an array of numbers or booleans, of any shape."""
    try:
        given = np.asarray(value)
    except Exception:  # rows of different lengths; a user's object may raise anything
        raise error(f"{rule}, not {shown(value)}") from None
    if given.size and given.dtype.kind not in "biuf":
        raise error(f"{rule}, not {shown(value)}")
    return given


def floats(value: Any, rule: str, error: Refusal = ProblemError) -> np.ndarray:
    """Return a new array of floats, of any shape, from numbers of any kind except complex ones."""
    try:
        given = np.asarray(value)
        real = given.dtype.kind == "O" and not any(isinstance(item, (str, bytes, complex)) for item in given.flat)
        if real or given.dtype.kind in "biuf":
            return given.astype(np.float64)
    except Exception:  # as above
        pass
    raise error(f"{rule}, not {shown(value)}")
