"""How results of compiled code become Python objects: only by C code.

Numba makes named tuples and handles of structs by running Python code. A signal that arrives then raises its exception
there, where none is expected, and the process crashes. So here they are made only by C code.
"""

from typing import Any

from numba import types
from numba.extending import box, intrinsic, models, register_model

from .lent import NAMED_TUPLES, Lent
from .numba_internals import without_pickles


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
