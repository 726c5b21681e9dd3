"""When machine code may be reused: if everything that it was made from is the same.

The key of a function, compiled for some types, is a digest of the function's fingerprint and of the types. The classes
in play are those that the code names, and those that the types of the arguments are made of.
"""

import functools
from pathlib import Path
from typing import Any, NamedTuple

from numba import types

from .fingerprint import Look, Reach, as_loaded, digest, from_outside, name_of, no_other, remembered_code
from .lent import Lent, StructType


class Key(NamedTuple):
    """The key of a function, and the classes from outside the library that it reaches."""

    text: str
    classes: tuple[type, ...]

    def number_of(self, kind: type) -> int | None:
        """Return the number of a class, the same for all functions with this key; None if every process can import it.

        A ValueError says that nothing names the class.
        """
        return self.classes.index(kind) if from_outside(kind) else None


def key_of(function: Any, arguments: tuple[types.Type, ...], purpose: str = "", look: Look = remembered_code) -> Key:
    """Return the key of a function that is compiled for arguments of these types.

    It describes its parts when they were first visited, since they were compiled from that; or as they are now, if they
    are looked at again.
    """
    reach = Reach(function, map(_parts, arguments), look)
    told = [purpose, machinery(), *map(described, arguments), *reach.told]
    return Key(digest("\n".join(told)), reach.classes())


@functools.cache
def machinery() -> str:
    """Return a digest of this package: it decides how everything is compiled."""
    return digest("".join(as_loaded(file) for file in sorted(Path(__file__).parent.glob("*.py"))))


# ------------------------------------------------------------------ types


@functools.cache
def described(kind: types.Type) -> str:
    """Return a unique name of a type, the same in every process."""
    if isinstance(kind, types.Dispatcher):
        reached = Reach(kind.dispatcher, (), remembered_code).told
        return f"{name_of(kind.dispatcher.py_func)} {digest(' '.join(reached))}"
    if isinstance(kind, types.ClassInstanceType | types.ClassType):
        return no_other()  # a jitclass: its methods may be anything
    told = name_of(getattr(kind, "instance_class", type(kind)))
    if not isinstance(kind, types.BaseTuple | StructType | Lent):  # these are what their members are
        told += f" {kind}"
    return f"{told}({', '.join(map(described, _members(kind)))})"


@functools.cache
def _parts(kind: types.Type) -> tuple[Any, ...]:
    """Return the classes and functions that a type is made of."""
    own = [getattr(kind, name) for name in ("instance_class", "handle", "dispatcher") if hasattr(kind, name)]
    return tuple(dict.fromkeys([*own, *(part for member in _members(kind) for part in _parts(member))]))


def _members(kind: types.Type) -> list[types.Type]:
    """Return the types that a type is made of."""
    if isinstance(kind, types.BaseTuple):
        return list(kind)
    if isinstance(kind, types.StructRef):
        return [member for _, member in kind._fields]
    if isinstance(kind, Lent):
        return [kind.struct]
    inner = getattr(kind, "dtype", getattr(kind, "type", None))  # of an array, a list, an optional value
    return [inner] if isinstance(inner, types.Type) and inner is not kind else []
