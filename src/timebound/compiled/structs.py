"""Structs that change: made and kept by compiled code, held by Python as a handle."""

import sys
from typing import Any

from numba.core import types
from numba.experimental import structref
from numba.extending import NativeValue, lower_builtin, type_callable, unbox

from .numba_internals import new_struct, struct_fields, struct_from_meminfo
from .settings import COMPILING


class Handle:
    """What Python holds of a struct. Made by C code alone: see `handover`."""

    __slots__ = ("__weakref__", "_meminfo", "_numba_type_")

    def __copy__(self) -> Any:
        raise TypeError("a compiled struct cannot be copied")

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a compiled struct cannot be copied or sent to another process")


def mutable(module: str, name: str, fields: list[str]) -> Any:
    """A class whose instances compiled code makes, keeps between two calls and changes: one pointer to pass.

    Call it at the top of a module, as ``Name = mutable(__name__, "Name", [...])``: a type that takes part in the cache
    must be found in its module by its name.
    """
    if not COMPILING:
        return type(name, (_Plain,), {"__module__": module, "fields": fields})
    # A number in the type would make two searches that differ in it two types, each to be compiled.
    members = {
        "__module__": module,
        "preprocess_fields": lambda self, given: tuple((n, types.unliteral(t)) for n, t in given),
        # By name alone, structs whose fields have classes of one name from two modules would be one type.
        "key": property(lambda self: self._fields),
    }
    kind = structref.register(type(f"{name}Type", (types.StructRef,), members))
    setattr(sys.modules[module], kind.__name__, kind)
    handle = type(name, (Handle,), {"__module__": module, "__slots__": (), "fields": tuple(fields)})
    kind.handle = handle
    _define_unboxing(kind)
    _define_constructor(handle, kind, fields)
    return handle


def _define_unboxing(kind: Any) -> None:
    @unbox(kind)
    def unbox_struct(of: Any, handle: Any, c: Any) -> Any:
        held = c.pyapi.object_getattr_string(handle, "_meminfo")
        meminfo = c.unbox(types.MemInfoPointer(types.voidptr), held)
        c.pyapi.decref(held)
        return NativeValue(struct_from_meminfo(c.context, c.builder, of, meminfo.value), is_error=meminfo.is_error)


def _define_constructor(handle: Any, kind: Any, fields: list[str]) -> None:
    """Lowered at once; Numba's own sets field after field, with reference counts, in a function to be compiled."""

    @type_callable(handle)
    def typer_of(context: Any) -> Any:
        names = ", ".join(fields)
        scope: dict[str, Any] = {"kind": kind, "fields": fields, "types": types}
        exec(f"def typer({names}): return kind([(n, types.unliteral(t)) for n, t in zip(fields, ({names},))])", scope)
        return scope["typer"]

    @lower_builtin(handle, *[types.Any] * len(fields))
    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = signature.return_type
        struct = new_struct(context, builder, made)
        data = struct_fields(context, builder, made, struct)
        for name, given, value in zip(fields, signature.args, arguments, strict=True):
            kept = made.field_dict[name]
            value = context.cast(builder, value, given, kept)
            context.nrt.incref(builder, kept, value)
            setattr(data, name, value)
        return struct


class _Plain:
    """The same with the compiler off."""

    fields: tuple[str, ...] = ()

    def __init__(self, *values: Any):
        self.__dict__.update(zip(self.fields, values, strict=True))
