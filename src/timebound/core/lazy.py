"""Names of a package that are loaded when first used."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def attach(package: str, homes: Mapping[str, Sequence[str]]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package whose names live in these of its modules.

    >>> __getattr__, __dir__ = attach("timebound", {".core.errors": ["TimeboundError"]})
    >>> __getattr__("TimeboundError")
    <class 'timebound.core.errors.TimeboundError'>
    """
    home = {name: module for module, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(home[name], package), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted({*vars(sys.modules[package]), *home})


_homes: dict[str, str] = {}


def find_above(**homes: str) -> None:
    """Say where the functions are that lower layers call in higher ones, as `above(name)`.

    A world's method that prepares its paths needs all of the search, which is built on worlds. So that imports go down
    only, the package, which knows all layers, names such functions. Their modules are loaded on the first call.
    """
    _homes.update(homes)


def above(name: str) -> Any:
    """Return a function of a higher layer, by the name that the package gave it."""
    module, _, function = _homes[name].partition(":")
    return getattr(importlib.import_module(module), function)
