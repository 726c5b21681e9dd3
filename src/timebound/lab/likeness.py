"""Experiments that are `like` another: their own values replace those of the other.

Values are merged, and each remembers its file, so that error messages can name the line.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Keys = tuple[str | int, ...]
Content = dict[str, Any]

LIKE, WITHOUT = "like", "without"
_BY_KEY = ("agents", "scale", "measures", "published")
"""The tables that are merged key by key: the file's own keys replace the other's."""
_KNOWN_BY = {"claims": "id", "figures": "id", "tables": "title"}
"""The arrays of tables, and the key that identifies an entry."""


class Origin(NamedTuple):
    """Where a value comes from: the file itself, or the one that it is like; and its keys there."""

    own: bool
    keys: Keys


class Joined(NamedTuple):
    """The merged content of a file and the one it is like."""

    values: Content
    origins: Mapping[Keys, Origin]
    """The origin of everything that is not in the file itself under the same keys."""

    def origin(self, keys: Keys) -> Origin:
        """Return where something comes from: by the longest known prefix of these keys.

        >>> Joined({}, {("claims", 3): Origin(True, ("claims", 0))}).origin(("claims", 3, "at"))
        Origin(own=True, keys=('claims', 0, 'at'))
        """
        for size in range(len(keys), 0, -1):
            if keys[:size] in self.origins:
                own, there = self.origins[keys[:size]]
                return Origin(own, there + keys[size:])
        return Origin(True, keys)


def join(other: Content, own: Content) -> Joined:
    """Merge the other's content with that of the file, which takes precedence."""
    values: Content = {}
    origins: dict[Keys, Origin] = {}
    for key in dict.fromkeys((*other, *own)):
        theirs, ours = other.get(key), own.get(key)
        if key in _KNOWN_BY and isinstance(theirs, list) and isinstance(ours, list):
            values[key] = _join_entries(key, theirs, ours, origins)
        elif key in _BY_KEY and isinstance(theirs, dict) and isinstance(ours, dict):
            values[key] = theirs | ours
            origins |= {(key, name): Origin(False, (key, name)) for name in theirs if name not in ours}
        elif key in own:
            values[key] = ours
        else:
            values[key] = theirs
            origins[key,] = Origin(False, (key,))
    return Joined(values, origins)


def _join_entries(key: str, others: list[Any], owns: list[Any], origins: dict[Keys, Origin]) -> list[Any]:
    """Merge the tables of an array: a known one is changed key by key; new ones follow."""
    entries = list(others)
    origins |= {(key, number): Origin(False, (key, number)) for number in range(len(others))}
    known = {_name(key, entry): number for number, entry in enumerate(others)}
    for number, entry in enumerate(owns):
        name = _name(key, entry)
        place = known.get(name, len(entries)) if name is not None else len(entries)
        if place < len(others):
            entries[place] = entries[place] | entry
            origins |= {(key, place, part): Origin(True, (key, number, part)) for part in entry}
        else:
            entries.append(entry)
            origins[key, place] = Origin(True, (key, number))
    return entries


def _name(key: str, entry: Any) -> str | None:
    name = entry.get(_KNOWN_BY[key]) if isinstance(entry, dict) else None
    return name if isinstance(name, str) else None


def names_in(content: Content) -> Iterator[str]:
    """Return what can be left out: tables, and entries such as `agents.rtaa` or `claims.cost-falls`."""
    for key, value in content.items():
        yield key
        if key in _BY_KEY and isinstance(value, dict):
            yield from (f"{key}.{name}" for name in value)
        if key in _KNOWN_BY and isinstance(value, list):
            yield from (f"{key}.{name}" for entry in value if (name := _name(key, entry)) is not None)


def leave_out(content: Content, names: set[str]) -> Joined:
    """Return the content without some of its tables and entries."""
    values: Content = {}
    origins: dict[Keys, Origin] = {}
    for key, value in content.items():
        if key in names:
            continue
        values[key] = value
        if key in _BY_KEY and isinstance(value, dict):
            values[key] = {name: part for name, part in value.items() if f"{key}.{name}" not in names}
        elif key in _KNOWN_BY and isinstance(value, list):
            kept = [number for number, entry in enumerate(value) if f"{key}.{_name(key, entry)}" not in names]
            values[key] = [value[number] for number in kept]
            origins |= {(key, new): Origin(False, (key, old)) for new, old in enumerate(kept)}
    if "published" in values:
        values["published"] = _without_rows(values["published"], names)
    return Joined(values, origins)


def _without_rows(published: Any, names: set[str]) -> Any:
    """Return the published table without the rows of agents that are left out."""
    match published:
        case {"columns": list(columns), "rows": list(rows)} if "agent" in columns:
            place = columns.index("agent")
            out = [
                row for row in rows if isinstance(row, list) and len(row) > place and f"agents.{row[place]}" in names
            ]
            return {**published, "rows": [row for row in rows if row not in out]}
    return published
