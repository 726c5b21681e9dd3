"""Python's handles of the structs that compiled code makes, made by C code only (see `handover`), and their making."""

from collections.abc import Mapping, Sequence
from typing import Any

from numba import types
from numba.extending import NativeValue, lower_builtin, models, register_model, type_callable, unbox

from .lent import Lent, StructType
from .numba_internals import new_struct, struct_fields, struct_from_meminfo


class _Handle:
    __slots__ = ("__weakref__", "_meminfo", "_numba_type_")


def handle_class(name: str, members: Mapping[str, Any], part: str | None, inner: Sequence[str]) -> type:
    """Return the class of handles of a struct, which is also its constructor in compiled code.

    Its `members` name the struct's type and its fields; the `inner` fields are those of its field `part`.
    """
    handle = type(name, (_Handle,), dict(members))
    kind = handle._compiled_type_  # type: ignore[attr-defined]
    kind.handle, kind.part = handle, part
    register_model(kind)(models.StructRefModel)
    _define_constructor(handle, kind, handle.fields)  # type: ignore[attr-defined]
    return handle


@unbox(StructType)
def _unbox(kind: Any, handle: Any, c: Any) -> Any:
    held = c.pyapi.object_getattr_string(handle, "_meminfo")
    meminfo = c.unbox(types.MemInfoPointer(types.voidptr), held)
    c.pyapi.decref(held)
    return NativeValue(struct_from_meminfo(c.context, c.builder, kind, meminfo.value), is_error=meminfo.is_error)


def _define_constructor(handle: Any, kind: Any, fields: Sequence[str]) -> None:
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
