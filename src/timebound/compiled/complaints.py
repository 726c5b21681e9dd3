"""What the compiler complains about, in one line; its own reports have a hundred."""

import re
from pathlib import Path
from typing import Any

from numba import typeof

from ..core.errors import CompilationError

_LIBRARY = Path(__file__).parents[1]
_COLOURS = re.compile(r"\x1b\[\d*m")
_GENERAL = re.compile(r"(\w+Error: )?Failed in nopython mode|Rejected as the implementation raised a specific error")
_FUNCTION = re.compile(r"(?:Function\()?<function (\w+) at 0x[0-9a-f]+>\)?")
_PLACE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+):\s*(?:def (?P<name>\w+)\()?')
_CALL = re.compile(r">>> (\w+)\((\w+)\(")
_LONGEST, _SHORT = 200, 20  # characters


def complaint(report: str) -> str:
    """Return what is wrong: it comes after the last of the general remarks.

    >>> complaint("Failed in nopython mode pipeline\\nUnknown attribute 'plce' of Walk(int64, array(int64, 1d))\\n")
    "Unknown attribute 'plce' of Walk(...)"
    """
    lines = [line.strip(" -\t") for line in report.splitlines() if line.strip(" -\t")] or [""]
    remarks = [i for i, line in enumerate(lines) if _GENERAL.match(line)]
    line = lines[min(remarks[-1] + 1, len(lines) - 1)] if remarks else lines[0]
    return _without_details(_FUNCTION.sub(r"`\1`", line).removeprefix("TypingError: "))[:_LONGEST]


def _without_details(line: str) -> str:
    """Leave out what is within parentheses, if it is long: types may have thousands of characters."""
    told, depth, began = "", 0, 0
    for letter in line:
        told += letter
        if letter == "(":
            began = began if depth else len(told)
            depth += 1
        elif letter == ")" and depth:
            depth -= 1
            if depth == 0 and len(told) - began > _SHORT:
                told = f"{told[:began]}...)"
    return told if depth == 0 else f"{told[:began]}..."


def in_one_line(error: Exception, purpose: str, arguments: tuple[Any, ...]) -> CompilationError:
    """Return an error that says what does not compile, where it stands, and why."""
    report = _COLOURS.sub("", str(error))
    what = _without_type(arguments) or f"{_culprit(report)}: {complaint(report)}"
    return CompilationError(f"{purpose}: {what}" if purpose else what, report)


def _culprit(report: str) -> str:
    """Return which function does not compile: the innermost from outside the library, if the report names one."""
    places = [place for place in _PLACE.finditer(report) if place["file"] != "<string>"]
    outside = [place for place in places if _LIBRARY not in Path(place["file"]).resolve().parents]
    if outside:
        file = Path(outside[0]["file"]).name
        return f"{outside[0]['name'] or 'a function'} does not compile ({file}, line {outside[0]['line']})"
    calls = _CALL.findall(report)
    return "{} of {} does not compile".format(*calls[-1]) if calls else "a function does not compile"


def _without_type(value: Any, name: str = "an argument") -> str:
    """Return which value, in arguments and the tuples in them, is nothing that can be compiled; empty if all can."""
    try:
        typeof(value)
    except ValueError:
        if not isinstance(value, tuple):
            return f"{name} is a {type(value).__name__}, which cannot be compiled"
        names = [f"{type(value).__name__}.{field}" for field in getattr(value, "_fields", ())] or [name] * len(value)
        return next(filter(None, map(_without_type, value, names)), "")
    return ""
