"""Experiment files: those of the package and the user's own, each perhaps `like` another, whose values it replaces.

Every error message names the file, the line, and the nearest valid word. msgspec checks the types; what it complains
about is put into the words of a user, who thinks of lines, not of paths.
"""

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from ..core.disk import Wanted, read_bytes
from ..core.errors import TimeboundError
from ..core.wording import nearest, shown
from .measures import NAMES, Measure

Keys = tuple[str | int, ...]
Content = dict[str, Any]

LARGEST = 1e18  # number in a file

Number = int | float
FromZero = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]
Whole = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Texts = tuple[str, ...]
T = TypeVar("T", bound=Struct)

_LONGEST = 500  # characters of an error message
_TYPES = {"int": "a whole number", "float": "a number", "str": "a text in quotes", "array": "a list"}
_TYPES |= {"bool": "true or false", "object": "a table"}
_NAMES = {"dict": "object", "list": "array", **{name: name for name in ("int", "float", "str", "bool")}}
_BOUNDS = {" of length >= ": " of at least ", " of length <= ": " of at most ", " >= ": " from ", " <= ": " up to "}
_BOUNDS |= {" > ": " above "}
SUFFIX = ".toml"
_LONGEST_NAME = 100
MOST_LIKE = 8  # files, each like the next
_HEADER = re.compile(r"\s*(\[\[?)([^\[\]]+)\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*=""")
_AT = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")
_BY_KEY = ("agents", "scale", "measures", "published")
"""The tables that are merged key by key: the file's own keys replace the other's."""
_KNOWN_BY = {"claims": "id", "figures": "id", "tables": "title"}
"""The arrays of tables, and the key that identifies an entry."""


class SpecError(TimeboundError):
    """An invalid experiment file."""


_FILE = Wanted("an experiment file (.toml)", 2**18, SpecError)


class Like(Struct, frozen=True):
    """What a file says about the one that it is like."""

    like: str = ""
    without: Texts = ()


@dataclass(frozen=True)
class Source:
    """An experiment file and the base file it inherits from, and where things are in them."""

    name: str
    text: str
    base: "Source | None" = None

    @cached_property
    def content(self) -> Content:
        """Its content, merged with that of the file it is like."""
        if self.base is None:
            return self.own
        top = TomlTable(Source(self.name, self.text), (), self.own)
        left_out, known = top.read(Like).without, list(names_in(self.base.content))
        for name in left_out:
            if name not in known:
                top.fail(f"{self.base.name} has no {shown(name)}; {nearest(name, known)}", "without", token=name)
        said = {key: value for key, value in self.own.items() if key not in Like.__struct_fields__}
        return join(leave_out(self.base.content, {*left_out}), said)

    def where(self, keys: Keys, token: str = "") -> str:
        """Return the file and the line of something: the nearest of the files that are like each other has it."""
        for size in range(len(keys), 0, -1):
            source: Source | None = self
            while source is not None:
                if (there := found_in(source.own, self.content, keys[:size])) is not None:
                    like = "" if source is self else f" (which {self.name} is like)"
                    return f"{source.name}, line {source._line(there + keys[size:], token)}{like}"
                source = source.base
        return f"{self.name}, line {self._line(keys, token)}"

    @cached_property
    def own(self) -> Content:
        """Return the content of the file itself."""
        try:
            return tomllib.loads(self.text)
        except RecursionError:
            raise SpecError(f"{self.name}: not an experiment: tables or lists are nested too deeply") from None
        except tomllib.TOMLDecodeError as error:
            where = _AT.search(str(error))
            line = where[1] if where and where[1] else len(self.text.splitlines())
            raise SpecError(f"{self.name}, line {line}: not TOML: {_AT.sub('', str(error))}") from None
        except ValueError as error:  # a number with more digits than Python accepts
            raise SpecError(f"{self.name}: not TOML: {error}") from None

    def _line(self, keys: Keys, token: str = "") -> int:
        """Return the line of something: of the token at or after the innermost of these keys with a known line."""
        known = next((keys[:n] for n in range(len(keys), 0, -1) if keys[:n] in self._places), ())
        first = self._places.get(known, 1)
        wanted = token or next((key for key in reversed(keys[len(known) :]) if isinstance(key, str)), "")
        lines = self.text.splitlines()
        return next((n for n in range(first, len(lines) + 1) if wanted in lines[n - 1]), first)

    @cached_property
    def _places(self) -> dict[Keys, int]:
        """Return the line of every table and of every key that begins a line."""
        places: dict[Keys, int] = {}
        table: Keys = ()
        counts: dict[Keys, int] = {}  # of the tables of every array
        for number, line in enumerate(self.text.splitlines(), 1):
            if header := _HEADER.match(line):
                table = tuple(part.strip().strip("\"'") for part in header[2].split("."))
                if header[1] == "[[":
                    counts[table] = counts.get(table, -1) + 1
                    table = (*table, counts[table])
                places.setdefault(table, number)
            elif key := _KEY.match(line):
                places.setdefault((*table, key[1].strip("\"'")), number)
        return places


def names() -> list[str]:
    """Return the names of the experiments that come with the package."""
    folder = resources.files(__package__) / "experiments"
    return sorted(file.name.removesuffix(SUFFIX) for file in folder.iterdir() if file.name.endswith(SUFFIX))


def source_of(name: str | Path) -> tuple[str, Source]:
    """Read an experiment, of the package or from a file."""
    path = Path(name)
    if path.suffix == SUFFIX and not can_name_files(path.stem):
        raise SpecError(f"{path}: an experiment is named after its file; give the file a short printable name")
    if path.suffix != SUFFIX and str(name) not in names():
        raise SpecError(f"there is no experiment {str(name)!r}; {nearest(str(name), names())}, or give a .toml file")
    return path.stem if path.suffix == SUFFIX else str(name), _with_base(_read(name), ())


def can_name_files(name: str) -> bool:
    """Is it a plain file name, which cannot lead to another folder?"""
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable() and not {*name} & {"/", "\\"}


def _read(name: str | Path) -> Source:
    if Path(name).suffix != SUFFIX:
        text = (resources.files(__package__) / "experiments" / f"{name}{SUFFIX}").read_text("utf-8")
        return Source(f"{name}{SUFFIX}", text)
    try:
        return Source(str(name), read_bytes(Path(name), _FILE).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise SpecError(f"{name}: not UTF-8 text at byte {error.start}") from None


def _with_base(source: Source, above: tuple[str, ...]) -> Source:
    """Read the source, and the file it is like: one of the package by its name, or one next to it.

    `above` are the files that are like it.
    """
    if "like" not in source.own:
        return source
    top = TomlTable(source, (), source.own)
    if len(above) == MOST_LIKE:
        top.fail(f"more than {MOST_LIKE} experiments, each like the next; shorten the chain", "like")
    given = top.read(Like).like
    if given not in names() and not given.endswith(SUFFIX):
        top.fail(f"there is no experiment {given!r}; {nearest(given, names())}, or give a .toml file", "like")
    try:
        other = _read(given if given in names() else Path(source.name).parent / given)
    except SpecError as error:
        top.fail(str(error), "like")
    if other.name in (*above, source.name):
        top.fail(f"{other.name} is already like this one; break the circle", "like")
    return Source(source.name, source.text, _with_base(other, (*above, source.name)))


def as_stored(source: Source) -> list[dict[str, str]]:
    """Return the files that a source is like, nearest first, as a run stores them."""
    base = source.base
    return [] if base is None else [{"file": base.name, "text": base.text}, *as_stored(base)]


def from_stored(file: str, text: str, others: list[dict[str, Any]]) -> Source:
    """Return a source as a run has stored it: no other file is read."""
    base = from_stored(**others[0], others=others[1:]) if others else None
    return Source(file, text, base)


# ------------------------------------------------------------------ one file like another


def join(other: Content, own: Content) -> Content:
    """Merge the other's content with that of the file, which takes precedence."""
    values = other | own
    for key in other.keys() & own.keys():
        there, here = other[key], own[key]
        if key in _BY_KEY and isinstance(there, dict) and isinstance(here, dict):
            values[key] = there | here
        elif key in _KNOWN_BY and isinstance(there, list) and isinstance(here, list):
            values[key] = entries = list(there)
            places = {_name(key, entry): number for number, entry in enumerate(there)}
            for entry in here:  # a known one is changed key by key; new ones follow
                if (name := _name(key, entry)) is not None and name in places:
                    entries[places[name]] = entries[places[name]] | entry
                else:
                    entries.append(entry)
    return values


def _name(key: str | int, entry: Any) -> str | None:
    """Return what identifies an entry of an array of tables."""
    name = entry.get(_KNOWN_BY.get(str(key))) if isinstance(entry, dict) else None
    return name if isinstance(name, str) else None


def found_in(own: Any, merged: Any, keys: Keys) -> Keys | None:
    """Return the keys in a file's own content of what has these keys in the merged content; None if it is not there."""
    there: Keys = ()
    for before, key in zip(("", *keys), keys, strict=False):
        try:
            merged = merged[key]
            if isinstance(own, list):
                name = _name(before, merged) or object()
                key = next(n for n, one in enumerate(own) if one is merged or _name(before, one) == name)
            own, there = own[key], (*there, key)
        except (KeyError, IndexError, TypeError, StopIteration):
            return None
    return there


def names_in(content: Content) -> Iterator[str]:
    """Return what can be left out: tables, and entries such as `agents.rtaa` or `claims.cost-falls`."""
    for key, value in content.items():
        yield key
        if key in _BY_KEY and isinstance(value, dict):
            yield from (f"{key}.{name}" for name in value)
        if key in _KNOWN_BY and isinstance(value, list):
            yield from (f"{key}.{name}" for entry in value if (name := _name(key, entry)) is not None)


def leave_out(content: Content, names: set[str]) -> Content:
    """Return the content without some of its tables and entries."""
    values = {key: value for key, value in content.items() if key not in names}
    for key, value in values.items():
        if key in _BY_KEY and isinstance(value, dict):
            values[key] = {name: part for name, part in value.items() if f"{key}.{name}" not in names}
        elif key in _KNOWN_BY and isinstance(value, list):
            values[key] = [entry for entry in value if f"{key}.{_name(key, entry)}" not in names]
    match values.get("published"):
        case {"columns": list(columns), "rows": list(rows)} if "agent" in columns:  # without the rows of these agents
            place = columns.index("agent")
            out = [
                row for row in rows if isinstance(row, list) and len(row) > place and f"agents.{row[place]}" in names
            ]
            values["published"] = {**values["published"], "rows": [row for row in rows if row not in out]}
    return values


# ------------------------------------------------------------------ tables


@dataclass(frozen=True)
class TomlTable:
    """A table of the file, and its keys."""

    source: Source
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
