"""Structs declared as classes, so that editors and mypy know the types of their fields."""

from typing import TypeVar, dataclass_transform

from .structs import mutable

Declared = TypeVar("Declared")


@dataclass_transform()
def struct(declared: type[Declared]) -> type[Declared]:
    """Return a struct (see `mutable`) whose fields are those that the class annotates.

    >>> @struct
    ... class Pair:
    ...     first: int
    ...     second: float
    >>> tuple(Pair.fields)
    ('first', 'second')
    """
    made: type[Declared] = mutable(declared.__module__, declared.__name__, list(declared.__annotations__))
    return made
