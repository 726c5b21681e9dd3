"""The tables of an experiment file: every error message names the file, the line, and the nearest valid word."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

from ..core.errors import TimeboundError
from ..core.wording import shown
from .likeness import LIKE, WITHOUT, Content, Joined, Keys, join, leave_out, names_in

_HEADER = re.compile(r"\s*(\[\[?)([^\[\]]+)\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*=""")
_SHOWN = 60  # the most names in a hint
_LONGEST = 500  # characters of an error message
_AT = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")


class SpecError(TimeboundError):
    """An invalid experiment file."""


class Layers(NamedTuple):
    """The content of a file, and what remains of the file that it is like."""

    joined: Joined
    remains: Joined


@dataclass(frozen=True)
class Source:
    """An experiment file and the base file it inherits from, and where things are in them."""

    name: str
    text: str
    base: "Source | None" = None

    def parsed(self) -> Content:
        """Its content, merged with that of the file it is like."""
        return self.own if self.base is None else self._layers.joined.values

    def where(self, keys: Keys, token: str = "") -> str:
        """Return the file and the line of something."""
        source, keys = self._origin(keys)
        like = "" if source is self else f" (which {self.name} is like)"
        return f"{source.name}, line {source._line(keys, token)}{like}"

    def _origin(self, keys: Keys) -> tuple["Source", Keys]:
        if self.base is None:
            return self, keys
        own, there = self._layers.joined.origin(keys)
        return (self, there) if own else self.base._origin(self._layers.remains.origin(there).keys)

    @cached_property
    def _layers(self) -> Layers:
        assert self.base is not None
        content, own = self.base.parsed(), Table(Source(self.name, self.text), (), self.own)
        left_out, known = own.texts(WITHOUT, []), list(names_in(content))
        for name in left_out:
            if name not in known:
                own.fail(f"{self.base.name} has no {shown(name)}; {nearest(name, known)}", WITHOUT, token=name)
        remains = leave_out(content, {*left_out})
        said = {key: value for key, value in self.own.items() if key not in (LIKE, WITHOUT)}
        return Layers(join(remains.values, said), remains)

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


@dataclass(frozen=True)
class Table:
    """A table of the file, and its keys."""

    source: Source
    keys: Keys
    values: Mapping[str, Any]

    def fail(self, message: str, *keys: str | int, token: str = "") -> NoReturn:
        """Raise an error about something under these keys."""
        message = message if len(message) <= _LONGEST else message[:_LONGEST] + "..."
        raise SpecError(f"{self.source.where((*self.keys, *keys), token)}: {message}")

    def only(self, *names: str) -> None:
        """Refuse all other keys."""
        for key in self.values:
            if key not in names:
                self.fail(f"unknown key {shown(key)}; {nearest(key, names)}", key)

    def table(self, key: str) -> "Table":
        """Return the table of that name; empty if there is none."""
        return Table(self.source, (*self.keys, key), self.of_type(key, dict, "a table", {}))

    def tables(self, key: str, most: int) -> list["Table"]:
        """Return the tables of an array, which has at most `most`."""
        entries = self.of_type(key, list, "an array of tables", [])
        if len(entries) > most:
            self.fail(f"{len(entries)} tables [[{key}]] exceed the limit of {most}", key)
        for entry in entries:
            if not isinstance(entry, dict):
                self.fail(f"{key} is an array of tables, [[{key}]]", key)
        return [Table(self.source, (*self.keys, key, number), entry) for number, entry in enumerate(entries)]

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string."""
        given: str = self.of_type(key, str, "a text in quotes", default)
        joined = " ".join(given.split())
        if not joined.isprintable():  # a terminal might obey it
            self.fail(f"{key} has an unprintable character: {shown(joined)}", key)
        return joined

    def choice(self, key: str, choices: Iterable[str], default: str | None = None) -> str:
        """Return one of a few words."""
        given, names = self.text(key, default), tuple(choices)
        if given not in names:
            self.fail(f"{key} cannot be {shown(given)}; {nearest(given, names)}", key)
        return given

    def number(self, key: str, default: float | None = None, least: float = -float("inf")) -> float:
        """Return a number, at least `least`."""
        given: float = self.of_type(key, (int, float), "a number", default)
        if isinstance(given, bool) or not given >= least:
            self.fail(f"{key} is a number from {least:g}, not {shown(given)}", key)
        return given

    def whole(self, key: str, default: int | None = None, least: int = 0, most: int = 2**62) -> int:
        """Return a whole number from `least` to `most`."""
        given: int = self.of_type(key, int, "a whole number", default)
        if isinstance(given, bool) or given < least:
            self.fail(f"{key} is a whole number from {least}, not {shown(given)}", key)
        if given > most:
            self.fail(f"{key} is at most {most:,}, not {shown(given)}", key)
        return given

    def numbers(self, key: str, default: list[float] | None = None) -> tuple[float, ...]:
        """Return a list of numbers."""
        given = self.of_type(key, list, "a list of numbers", default)
        if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in given):
            self.fail(f"{key} is a list of numbers, such as [1, 9, inf]", key)
        return tuple(given)

    def texts(self, key: str, default: list[str] | None = None) -> tuple[str, ...]:
        """Return a list of strings; a single string will do."""
        given = self.of_type(key, (str, list), "a text or a list of them", default)
        values = [given] if isinstance(given, str) else given
        if not all(isinstance(value, str) for value in values):
            self.fail(f"{key} is a list of texts in quotes", key)
        return tuple(values)

    def of_type(self, key: str, types: Any, what: str, default: Any = None) -> Any:
        """Return the value, if it has the right type."""
        if key not in self.values:
            if default is None:
                self.fail(f"{key} is missing; give {what}")
            return default
        given = self.values[key]
        if not isinstance(given, types):
            self.fail(f"{key} is {what}, not {shown(given)}", key)
        return given


def nearest(word: str, names: Iterable[str]) -> str:
    """Return a hint about what was meant.

    >>> nearest("expansion", ["expansions", "moves"]), nearest("x", ["cost", "moves"])
    ("did you mean 'expansions'?", 'choose from: cost, moves')
    """
    known = list(names)
    near = get_close_matches(word, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"choose from: {', '.join(known[:_SHOWN])}"
