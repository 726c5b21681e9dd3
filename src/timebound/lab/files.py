"""Experiment files: those of the package, the user's own, and those that a file builds on (`like`)."""

from importlib import resources
from pathlib import Path
from typing import Any

from ..core.disk import Wanted, read_bytes
from .reading import Like, Source, SpecError, TomlTable, nearest

SUFFIX = ".toml"
_LONGEST_NAME = 100
MOST_LIKE = 8  # files, each like the next
_FILE = Wanted("an experiment file (.toml)", 2**18, SpecError)


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
    """Read the source, and the file it is like; `above` are the files that are like it."""
    if "like" not in source.own:
        return source
    top = TomlTable(source, (), source.own)
    if len(above) == MOST_LIKE:
        top.fail(f"more than {MOST_LIKE} experiments, each like the next; shorten the chain", "like")
    other = _like(top)
    if other.name in (*above, source.name):
        top.fail(f"{other.name} is already like this one; break the circle", "like")
    return Source(source.name, source.text, _with_base(other, (*above, source.name)))


def _like(top: TomlTable) -> Source:
    """Find the file that a file is like: one of the package by its name, or one next to it."""
    given = top.read(Like).like
    if given in names():
        return _read(given)
    if not given.endswith(SUFFIX):
        top.fail(f"there is no experiment {given!r}; {nearest(given, names())}, or give a .toml file", "like")
    try:
        return _read(Path(top.source.name).parent / given)
    except SpecError as error:
        top.fail(str(error), "like")


# ------------------------------------------------------------------ stored in a run


def as_stored(source: Source) -> list[dict[str, str]]:
    """Return the files that a source is like, nearest first, as a run stores them."""
    base = source.base
    return [] if base is None else [{"file": base.name, "text": base.text}, *as_stored(base)]


def from_stored(file: str, text: str, others: list[dict[str, Any]]) -> Source:
    """Return a source as a run has stored it: no other file is read."""
    base = from_stored(**others[0], others=others[1:]) if others else None
    return Source(file, text, base)
