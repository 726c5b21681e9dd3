"""Mutable structs: made and kept by compiled code, held by Python as a handle."""

import sys
from typing import Any

from numba import types
from numba.extending import NativeValue, lower_builtin, lower_getattr, lower_setattr, type_callable, unbox

from .borrowed import Lent
from .numba_internals import (
    AttributeTemplate,
    get_field,
    infer_getattr,
    new_struct,
    set_field,
    struct_fields,
    struct_from_meminfo,
    structref,
)
from .settings import COMPILING
from .units import compiled


class Handle:
    """Python's handle of a struct. Made only by C code: see `handover`."""

    __slots__ = ("__weakref__", "_meminfo", "_numba_type_")

    def __copy__(self) -> Any:
        raise TypeError("a compiled struct cannot be copied")

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a compiled struct cannot be copied or sent to another process")


def mutable(module: str, name: str, fields: list[str], part: str | None = None, of: Any = None) -> Any:
    """Make a class whose instances compiled code makes, keeps between calls and changes: one pointer to pass.

    Call it at the top of a module, as ``Name = mutable(__name__, "Name", [...])``: a type used in the cache
    must be found in its module by its name.

    The field `part` may hold an instance `of` another such class. Its fields are then also fields of this one: what
    concerns the part alone is compiled once for it, whatever it is part of.
    """
    if not COMPILING:
        return type(name, (_Plain,), {"__module__": module, "fields": fields, "part": part, "inner": _fields_of(of)})
    # A number in the type would give two searches that differ in it two types, each compiled separately.
    members = {
        "__module__": module,
        "preprocess_fields": lambda self, given: tuple((n, types.unliteral(t)) for n, t in given),
        # By name alone, structs whose fields have classes with the same name from two modules would be one type.
        "key": property(lambda self: self._fields),
    }
    kind = structref.register(type(f"{name}Type", (types.StructRef,), members))
    setattr(sys.modules[module], kind.__name__, kind)
    own = {"__module__": module, "__slots__": (), "fields": tuple(fields), "_compiled_type_": kind}
    handle = type(name, (Handle,), own)
    kind.handle, kind.part = handle, part
    if part is not None:
        _define_part(kind, part, _fields_of(of))
    _define_unboxing(kind)
    _define_constructor(handle, kind, fields)
    return handle


def _fields_of(struct: Any) -> tuple[str, ...]:
    return () if struct is None else tuple(struct.fields)


def _define_part(kind: Any, part: str, names: tuple[str, ...]) -> None:
    """The fields of a part, as fields of the whole."""

    @infer_getattr
    class FieldsOfPart(AttributeTemplate):
        key = kind

        def generic_resolve(self, whole: Any, name: str) -> Any:
            return whole.field_dict[part].field_dict.get(name)

    def inner(context: Any, builder: Any, whole: Any, struct: Any) -> tuple[Any, Any]:
        return whole.field_dict[part], getattr(struct_fields(context, builder, whole, struct), part)

    for name in names:

        @lower_getattr(kind, name)
        def get(context: Any, builder: Any, whole: Any, struct: Any, name: str = name) -> Any:
            held, value = inner(context, builder, whole, struct)
            return get_field(context, builder, held, value, name)

        @lower_setattr(kind, name)
        def set(context: Any, builder: Any, signature: Any, arguments: Any, name: str = name) -> None:
            whole, given = signature.args
            held, value = inner(context, builder, whole, arguments[0])
            set_field(context, builder, held, value, name, given, arguments[1])


def _define_unboxing(kind: Any) -> None:
    @unbox(kind)
    def unbox_struct(of: Any, handle: Any, c: Any) -> Any:
        held = c.pyapi.object_getattr_string(handle, "_meminfo")
        meminfo = c.unbox(types.MemInfoPointer(types.voidptr), held)
        c.pyapi.decref(held)
        return NativeValue(struct_from_meminfo(c.context, c.builder, of, meminfo.value), is_error=meminfo.is_error)


def _define_constructor(handle: Any, kind: Any, fields: list[str]) -> None:
    """Lower the constructor directly; Numba's own sets the fields one by one, with reference counts, in a function."""

    @type_callable(handle)
    def typer_of(context: Any) -> Any:
        names = ", ".join(fields)
        scope: dict[str, Any] = {"kind": kind, "fields": fields, "kept": _kept}
        exec(f"def typer({names}): return kind([(n, kept(t)) for n, t in zip(fields, ({names},))])", scope)
        return scope["typer"]

    @lower_builtin(handle, *[types.Any] * len(fields))
    def make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = signature.return_type
        struct = new_struct(context, builder, made)
        data = struct_fields(context, builder, made, struct)
        for name, given, value in zip(fields, signature.args, arguments, strict=True):
            kept = made.field_dict[name]
            value = context.cast(builder, value, given, kept)
            if not isinstance(given, Lent):  # keeping one requires a reference to it
                context.nrt.incref(builder, kept, value)
            setattr(data, name, value)
        return struct


def _kept(given: types.Type) -> types.Type:
    """Return the type of a field for a value of this type."""
    return given.struct if isinstance(given, Lent) else types.unliteral(given)


def replacing(struct: Any, field: str) -> Any:
    """Return a compiled `f(instance, value)`, which makes an instance with another value, of any type, in that field.

    >>> Pair = mutable(__name__, "Pair", ["first", "second"])
    >>> type(replacing(Pair, "second")).__name__ in ("Unit", "function")
    True
    """
    values = ", ".join("value" if name == field else f"instance.{name}" for name in struct.fields)
    scope: dict[str, Any] = {"struct": struct, "__name__": struct.__module__}
    exec(f"def with_{field}(instance, value): return struct({values})", scope)
    return compiled(scope[f"with_{field}"])


class _Plain:
    """Make the same without the compiler."""

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
