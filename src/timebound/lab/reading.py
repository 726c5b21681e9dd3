"""The tables of an experiment file: every error message names the file, the line, and the nearest valid word.

msgspec checks the types; what it complains about is put into the words of a user, who thinks of lines, not of paths.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from ..core.errors import TimeboundError
from ..core.wording import shown
from .measures import NAMES, Measure

if TYPE_CHECKING:
    from .files import Source

Keys = tuple[str | int, ...]
Content = dict[str, Any]

LARGEST = 1e18  # number in a file

Number = int | float
FromZero = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]
Whole = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Texts = tuple[str, ...]
T = TypeVar("T", bound=Struct)

_SHOWN = 60  # the most names in a hint
_LONGEST = 500  # characters of an error message
_TYPES = {"int": "a whole number", "float": "a number", "str": "a text in quotes", "array": "a list"}
_TYPES |= {"bool": "true or false", "object": "a table"}
_NAMES = {"dict": "object", "list": "array", **{name: name for name in ("int", "float", "str", "bool")}}
_BOUNDS = {" of length >= ": " of at least ", " of length <= ": " of at most ", " >= ": " from ", " <= ": " up to "}
_BOUNDS |= {" > ": " above "}


class SpecError(TimeboundError):
    """An invalid experiment file."""


@dataclass(frozen=True)
class TomlTable:
    """A table of the file, and its keys."""

    source: "Source"
    keys: Keys
    values: Content

    def fail(self, message: str, *keys: str | int, token: str = "") -> NoReturn:
        """Raise an error about something under these keys."""
        message = message if len(message) <= _LONGEST else message[:_LONGEST] + "..."
        raise SpecError(f"{self.source.where((*self.keys, *keys), token)}: {message}")

    def only(self, *names: str) -> None:
        """Reject all other keys."""
        for key in self.values:
            if key not in names:
                self.fail(f"unknown key {shown(key)}; {nearest(key, names)}", key)

    def table(self, *keys: str | int) -> "TomlTable":
        """Return the table under these keys; empty if there is none."""
        values: Any = self.values
        for key in keys:
            values = values.get(key, {}) if isinstance(values, dict) else values[key]
        return TomlTable(self.source, (*self.keys, *keys), values)

    def tables(self, key: str) -> list["TomlTable"]:
        """Return the tables of an array."""
        return [self.table(key, number) for number in range(len(self.values.get(key, ())))]

    def measure(self, text: str, key: str, token: str = "") -> Measure:
        """Read a measure from its text, which is under that key."""
        try:
            return measure_of(text)
        except ValueError as error:
            self.fail(str(error), key, token=token)

    def read(self, kind: type[T]) -> T:
        """Return the values as a struct. In place of a list, a single string will do."""
        lists = {field.name for field in msgspec.structs.fields(kind) if get_origin(field.type) is tuple}
        values = {
            key: [value] if key in lists and isinstance(value, str) else value for key, value in self.values.items()
        }
        try:
            return msgspec.convert(values, kind, dec_hook=lambda _, text: measure_of(text))  # msgspec knows no measures
        except msgspec.ValidationError as error:
            TomlTable(self.source, self.keys, values)._explain(kind, str(error))

    def _explain(self, kind: Any, complaint: str) -> NoReturn:
        """Say in a user's words what msgspec complains about."""
        complaint, _, path = complaint.removesuffix("`").partition(" - at `$")
        expected, _, got = complaint.removeprefix("Expected ").partition(", got `")
        if complaint.startswith("Object"):
            self.only(*kind.__struct_fields__)
            name = complaint.split("`")[1]
            self.fail(f"{name} is missing; add a line {name} = ...")
        value: Any = self.values
        place: list[str | int] = []
        for key, number in re.findall(r"\.([^.\[]+)|\[(.+?)\]", path):
            if number == "...":  # some value of a table
                key = next(name for name, one in value.items() if _NAMES.get(type(one).__name__, got[:-1]) == got[:-1])
            place.append(int(number) if number.isdigit() else key)
            value = value[place[-1]]
        name = next((part for part in (*reversed(place), *reversed(self.keys)) if isinstance(part, str)), "")
        if "enum" in complaint:
            choices = get_args(get_type_hints(kind)[str(place[0])])
            choices = get_args(choices[0]) or choices  # of a list of them
            self.fail(f"{name} cannot be {shown(value)}; {nearest(str(value), map(str, choices))}", *place)
        token = value if isinstance(value, str) and isinstance(place[-1], int) else ""
        if expected == complaint:
            self.fail(complaint, *place, token=token)
        types = re.findall(r"`(.*?)(?: \| null)?`", expected)[0].replace("int | float", "float").split(" | ")
        expected = " or ".join(_TYPES.get(one, one) for one in types) + expected.rpartition("`")[2]
        for sign, words in _BOUNDS.items():
            expected = expected.replace(sign, words)
        expected = re.sub(r"\d{4,}", lambda number: f"{int(number[0]):,}", expected)
        self.fail(f"{name} is {expected}, not {shown(value)}", *place, token=token)


def refuse_unfit(top: TomlTable) -> None:
    """Join the lines of texts; reject what a terminal might obey, and numbers too large to calculate with."""
    pending: list[tuple[Keys, Any]] = [((), top.values)]
    while pending:
        keys, some = pending.pop()
        for key, value in list(some.items() if isinstance(some, dict) else enumerate(some)):
            if isinstance(value, str) and "\n" in value:
                some[key] = value = " ".join(value.split())
            name = next(part for part in (key, *reversed(keys)) if isinstance(part, str))
            if isinstance(value, (dict, list)):
                pending.append(((*keys, key), value))
            if not name.isprintable():
                top.fail(f"the name {shown(name)} has an unprintable character", *keys, key)
            if isinstance(value, str) and not value.isprintable():
                top.fail(f"{name} has an unprintable character: {shown(value)}", *keys, key)
            if isinstance(value, (int, float)) and LARGEST < abs(value) < math.inf:
                top.fail(f"{name} has a number above {LARGEST:g}: {shown(value)}", *keys, key)


def measure_of(text: Any) -> Measure:
    """Read a measure from its text."""
    if not isinstance(text, str):
        raise ValueError("Expected `str`")
    try:
        return Measure.parse(text)
    except KeyError as error:
        raise ValueError(f"there is no measure {error.args[0]!r}; {nearest(error.args[0], NAMES)}") from None


def nearest(word: str, names: Iterable[str]) -> str:
    """Return a hint about what was meant.

    >>> nearest("expansion", ["expansions", "moves"]), nearest("x", ["cost", "moves"])
    ("did you mean 'expansions'?", 'choose from: cost, moves')
    """
    known = list(names)
    near = get_close_matches(word, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"choose from: {', '.join(known[:_SHOWN])}"
