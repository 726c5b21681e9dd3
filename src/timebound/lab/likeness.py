"""Experiments that are like another: their own values replace those of the other."""

from collections.abc import Iterator
from typing import Any

Keys = tuple[str | int, ...]
Content = dict[str, Any]

_BY_KEY = ("agents", "scale", "measures", "published")
"""The tables that are merged key by key: the file's own keys replace the other's."""
_KNOWN_BY = {"claims": "id", "figures": "id", "tables": "title"}
"""The arrays of tables, and the key that identifies an entry."""


def join(other: Content, own: Content) -> Content:
    """Merge the other's content with that of the file, which takes precedence."""
    values = other | own
    for key in other.keys() & own.keys():
        if key in _KNOWN_BY and isinstance(other[key], list) and isinstance(own[key], list):
            values[key] = _join_entries(key, other[key], own[key])
        elif key in _BY_KEY and isinstance(other[key], dict) and isinstance(own[key], dict):
            values[key] = other[key] | own[key]
    return values


def _join_entries(key: str, others: list[Any], owns: list[Any]) -> list[Any]:
    """Merge the tables of an array: a known one is changed key by key; new ones follow."""
    entries, known = list(others), {_name(key, entry): number for number, entry in enumerate(others)}
    for entry in owns:
        name = _name(key, entry)
        if name in known and name is not None:
            entries[known[name]] = entries[known[name]] | entry
        else:
            entries.append(entry)
    return entries


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
