"""The maps that come with the package."""

from importlib.resources import as_file, files
from typing import overload

from ..core.errors import MapError
from .model import Map
from .movingai import read_map

NAMES = ("harbour",)


@overload
def builtin() -> tuple[str, ...]: ...
@overload
def builtin(name: str) -> Map: ...
def builtin(name: str | None = None) -> Map | tuple[str, ...]:
    """Return the built-in map of that name; without a name, return all names.

    >>> builtin()
    ('harbour',)
    >>> builtin("harbour")
    <Map 'harbour', 200 x 120, ... passable>
    """
    if name is None:
        return NAMES
    if name not in NAMES:
        raise MapError(f"no built-in map is called {name!r}; choose from: {', '.join(NAMES)}")
    with as_file(files(__package__) / "data" / f"{name}.map") as path:
        return read_map(path)
