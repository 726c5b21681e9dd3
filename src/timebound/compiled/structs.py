"""Mutable structs: made and kept by compiled code, held by Python as a handle."""

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, dataclass_transform

import numpy as np
from numba import types

from .backend import StructType, handle_class
from .calls import defined
from .functions import compiled
from .settings import COMPILING

Declared = TypeVar("Declared")


@dataclass_transform()
def struct(declared: type[Declared]) -> type[Declared]:
    """Return a struct (see `mutable`) whose fields are those that the class annotates, so that editors know them.

    >>> @struct
    ... class Pair:
    ...     first: int
    ...     second: float
    >>> tuple(Pair.fields)
    ('first', 'second')
    """
    made: type[Declared] = mutable(declared.__module__, declared.__name__, list(declared.__annotations__))
    return made


def mutable(module: str, name: str, fields: Sequence[str], part: str | None = None, of: Any = None) -> Any:
    """Make a class whose instances compiled code makes, keeps between calls and changes: one pointer to pass.

    Call it at the top of a module, as ``Name = mutable(__name__, "Name", [...])``: a type used in the cache
    must be found in its module by its name.

    The field `part` may hold an instance `of` another such class. Its fields are then also fields of this one: what
    concerns the part alone is compiled once for it, whatever it is part of.
    """
    inner = () if of is None else tuple(of.fields)
    own: dict[str, Any] = {"__module__": module, "fields": tuple(fields)}
    if not COMPILING:
        return type(name, (_Uncompiled,), {**own, "part": part, "inner": inner})
    # A number in the type would give two searches that differ in it two types, each compiled separately.
    members = {
        "__module__": module,
        "preprocess_fields": lambda self, given: tuple((n, types.unliteral(t)) for n, t in given),
        # By name alone, structs whose fields have classes with the same name from two modules would be one type.
        "key": property(lambda self: self._fields),
    }
    kind = type(f"{name}Type", (StructType,), members)
    setattr(sys.modules[module], kind.__name__, kind)
    own |= {"__slots__": (), "_compiled_type_": kind, "__copy__": _refuse, "__reduce_ex__": _refuse}
    return handle_class(name, own, part, inner)


def _refuse(*_: Any) -> Any:
    raise TypeError("a compiled struct cannot be copied or sent to another process")


def replacing(struct: Any, field: str) -> Callable[[Any, Any], Any]:
    """Return a compiled `f(instance, value)`, which makes an instance with another value, of any type, in the field."""
    values = ", ".join("value" if name == field else f"instance.{name}" for name in struct.fields)
    return _compiled_from(f"def with_{field}(instance, value): return struct({values})", struct)


def making(struct: Any) -> Callable[..., Any]:
    """Return a compiled function that makes an instance from the values of all fields: only compiled code can."""
    names = ", ".join(struct.fields)
    return _compiled_from(f"def new_{struct.__name__}({names}): return struct({names})", struct)


def reading(field: str) -> Callable[[Any], Any]:
    """Return a compiled `f(instance)`, which gives Python that field of a struct."""
    return _compiled_from(f"def {field}_of(instance): return instance.{field}")


def writing(field: str) -> Callable[[Any, Any], None]:
    """Return a compiled `f(instance, value)`, which sets that field of a struct."""
    return _compiled_from(f"def set_{field}(instance, value): instance.{field} = value")


def fields_of(struct: Any) -> tuple[Any, ...]:
    """Return the values of all fields of a struct."""
    kind: Any = type(struct)
    values: tuple[Any, ...] = _all_fields(kind)[0](struct)
    return values


def set_fields(struct: Any, values: Sequence[Any]) -> None:
    """Set all fields of a struct, to values of the types that they have."""
    if COMPILING:
        values = [_as_in(kind, value) for (_, kind), value in zip(struct._numba_type_._fields, values, strict=True)]
    kind: Any = type(struct)
    _all_fields(kind)[1](struct, *values)


def _as_in(kind: Any, value: Any) -> Any:
    """Return a value of that type: Python's whole numbers would all be signed."""
    if isinstance(kind, types.BaseTuple):
        members = map(_as_in, kind.types, value)
        return type(value)._make(members) if hasattr(value, "_make") else tuple(members)
    return np.uint64(value) if kind == types.uint64 else value


@functools.cache
def _all_fields(kind: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    values = "".join(f"instance.{name}, " for name in kind.fields)
    lines = "".join(f"\n    instance.{name} = {name}" for name in kind.fields)
    get, put = f"def fields_of(instance): return ({values})", f"def set_fields(instance, {', '.join(kind.fields)}):"
    return _compiled_from(get, kind), _compiled_from(put + lines, kind)


def is_struct(value: Any) -> bool:
    """Is it an instance of a class that `mutable` made?"""
    return hasattr(type(value), "_compiled_type_") or isinstance(value, _Uncompiled)


def _compiled_from(text: str, struct: Any = None) -> Callable[..., Any]:
    function: Callable[..., Any] = defined(text, struct=struct, __name__=getattr(struct, "__module__", __name__))
    return compiled(function)


class _Uncompiled:
    """A struct without the compiler."""

    fields: tuple[str, ...] = ()
    part: str | None = None
    inner: tuple[str, ...] = ()

    def __init__(self, *values: Any):
        self.__dict__.update(zip(self.fields, values, strict=True))

    def __getattr__(self, name: str) -> Any:
        if self.part is None or name not in self.inner:
            raise AttributeError(name)
        return getattr(self.__dict__[self.part], name)

    def __setattr__(self, name: str, value: Any) -> None:
        (getattr(self, str(self.part)) if name in self.inner else self).__dict__[name] = value
