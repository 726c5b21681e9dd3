"""Experiment files: those that come with the package, a user's own, and the ones that a file is like."""

from importlib import resources
from pathlib import Path
from typing import Any

from ..disk import Wanted, read_bytes
from .likeness import LIKE
from .reading import Source, SpecError, Table, nearest

SUFFIX = ".toml"
_LONGEST_NAME = 100
MOST_LIKE = 8  # files, each like the next
_FILE = Wanted("an experiment file (.toml)", 2**18, SpecError)


def names() -> list[str]:
    """The experiments that come with the package."""
    folder = resources.files(__package__) / "experiments"
    return sorted(file.name.removesuffix(SUFFIX) for file in folder.iterdir() if file.name.endswith(SUFFIX))


def source_of(name: str | Path) -> tuple[str, Source]:
    """The name of an experiment, of the package or in a file, and what it says."""
    path = Path(name)
    if path.suffix == SUFFIX and not can_name_files(path.stem):
        raise SpecError(f"{path}: an experiment is called after its file, so give that a short name that is text")
    if path.suffix != SUFFIX and str(name) not in names():
        raise SpecError(f"there is no experiment {str(name)!r}; {nearest(str(name), names())}, or give a .toml file")
    return path.stem if path.suffix == SUFFIX else str(name), _with_base(_read(name), ())


def can_name_files(name: str) -> bool:
    """Is it a name for files that are to be in one folder, and not elsewhere?"""
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
    """The source, and what it is like; `above` are those that are like it."""
    if LIKE not in source.own:
        return source
    top = Table(source, (), source.own)
    if len(above) == MOST_LIKE:
        top.fail(f"{MOST_LIKE} experiments, each like the next, are enough", LIKE)
    other = _like(top, source)
    if other.name in (*above, source.name):
        top.fail(f"{other.name} is like this one already", LIKE)
    return Source(source.name, source.text, _with_base(other, (*above, source.name)))


def _like(top: Table, source: Source) -> Source:
    """The file that a file is like: of the package by its name, or beside it."""
    given = top.text(LIKE)
    if given in names():
        return _read(given)
    if not given.endswith(SUFFIX):
        top.fail(f"there is no experiment {given!r}; {nearest(given, names())}, or give a .toml file", LIKE)
    try:
        return _read(Path(source.name).parent / given)
    except SpecError as error:
        top.fail(str(error), LIKE)


# ------------------------------------------------------------------ with a run


def as_stored(source: Source) -> list[dict[str, str]]:
    """The files that a source is like, the nearest first, as a run keeps them."""
    base = source.base
    return [] if base is None else [{"file": base.name, "text": base.text}, *as_stored(base)]


def from_stored(file: str, text: str, others: list[dict[str, Any]]) -> Source:
    """A source as a run has kept it: nothing is read but this."""
    base = from_stored(**others[0], others=others[1:]) if others else None
    return Source(file, text, base)
