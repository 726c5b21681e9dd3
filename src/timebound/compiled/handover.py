"""How structs and results pass between Python and compiled code: made by C code only.

Numba makes named tuples and handles of structs by running Python code. A signal that arrives then raises its exception
there, where none is expected, and the process crashes. So here they are made only by C code.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from numba import types
from numba.extending import NativeValue, box, intrinsic, lower_builtin, models, register_model, type_callable, unbox

from .calls import defined
from .lent import NAMED_TUPLES, Lent, StructType
from .numba_internals import new_struct, struct_fields, struct_from_meminfo, without_pickles


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
        text = f"def typer({names}): return kind([(n, kept(t)) for n, t in zip(fields, ({names},))])"
        return defined(text, kind=kind, fields=fields, kept=_kept)

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


# ------------------------------------------------------------------ results


class HandedOver(types.Type):
    """A result on its way to Python."""

    def __init__(self, result: types.Type):
        self.result = result
        super().__init__(name=f"HandedOver({result})")

    @property
    def key(self) -> Any:
        """What distinguishes types: by name alone, classes with the same name in two modules would be one."""
        return self.result


@register_model(HandedOver)
class _HandedOverModel(models.StructModel):
    def __init__(self, manager: Any, kind: HandedOver):
        super().__init__(manager, kind, [("result", kind.result)])


@intrinsic
def hand_over(typing_context: Any, result: types.Type) -> Any:
    """Turn a result into one that becomes a Python object without running Python code."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        handed = context.make_helper(builder, signature.return_type)
        handed.result = arguments[0]
        context.nrt.incref(builder, result, arguments[0])
        return handed._getvalue()

    return HandedOver(result)(result), code


@box(HandedOver)
def _box(kind: Any, value: Any, c: Any) -> Any:
    return _object(kind.result, c.builder.extract_value(value, 0), c)


def _object(kind: types.Type, value: Any, c: Any) -> Any:
    if isinstance(kind, Lent):
        kind, value = kind.struct, c.context.cast(c.builder, value, kind, kind.struct)
    if isinstance(kind, types.StructRef):
        return _handle(kind, value, c)
    if isinstance(kind, types.BaseTuple):
        items = c.pyapi.tuple_new(kind.count)
        for i, member in enumerate(kind):
            c.pyapi.tuple_setitem(items, i, _object(member, c.builder.extract_value(value, i), c))
        return _named(kind, items, c) if isinstance(kind, NAMED_TUPLES) else items
    with without_pickles(c.pyapi, lambda value: _constant(value, c)):  # the class of an array, for example
        return c.box(kind, value)


def _named(kind: Any, items: Any, c: Any) -> Any:
    """Call `tuple.__new__(class, items)`: the class itself would run the Python constructor of `NamedTuple`."""
    named = c.pyapi.call_function_objargs(_constant(tuple.__new__, c), [_constant(kind.instance_class, c), items])
    c.pyapi.decref(items)
    return named


def _handle(kind: Any, value: Any, c: Any) -> Any:
    handle = c.pyapi.call_function_objargs(_constant(kind.handle, c), [])
    meminfo = c.context.make_helper(c.builder, kind, value=value).meminfo
    held = c.box(types.MemInfoPointer(types.voidptr), meminfo)
    c.pyapi.object_setattr_string(handle, "_meminfo", held)
    c.pyapi.decref(held)
    c.pyapi.object_setattr_string(handle, "_numba_type_", _constant(kind, c))
    return handle


def _constant(value: Any, c: Any) -> Any:
    """Return a borrowed reference to a Python object that the machine code keeps."""
    return c.env_manager.read_const(c.env_manager.add_const(value))
