"""Making values of any type from words in memory: what a mould gives C, compiled code takes from there."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from ..compiled import compiled
from ..compiled import numba_internals as internals
from ..compiled.calls import WORD, instructions
from ..core.integers import Int


class Shape(types.Type):
    """Stands for a type, so that a function can be compiled for what it makes; see `Mould.same`."""

    def __init__(self, dtype: types.Type, same: tuple[int, ...] = ()):
        self.dtype, self.same = dtype, same
        super().__init__(name=f"Shape({dtype}, {same})")

    @property
    def key(self) -> Any:
        """What distinguishes types."""
        return self.dtype, self.same


register_model(Shape)(models.OpaqueModel)


@intrinsic
def cast(typing_context: Any, shape: Any, address: Any) -> Any:
    """Return the value of that shape whose numbers and arrays are at an address, in words.

    A number is a word. An array is three: its block of memory (0: the caller keeps it), where it begins, its length.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place, start = iter(range(1 << 20)), builder.inttoptr(arguments[1], WORD.as_pointer())
        return _made(context, builder, shape.dtype, _Source(builder, start, place, shape.same, []))

    return shape.dtype(shape, types.int64), code


class _Source(NamedTuple):
    builder: Any
    start: Any
    places: Iterator[int]
    same: tuple[int, ...]
    structs: list[Any]

    def word(self) -> Any:
        """Return the next word."""
        return self.builder.load(self.builder.gep(self.start, [WORD(next(self.places))]))


def _made(context: Any, builder: Any, kind: Any, source: _Source) -> Any:
    if isinstance(kind, types.BaseTuple):
        return context.make_tuple(builder, kind, [_made(context, builder, member, source) for member in kind])
    if isinstance(kind, types.StructRef):
        return _struct(context, builder, kind, source)
    if isinstance(kind, types.Array):
        return _array(context, builder, kind, source.word(), source.word(), source.word())
    value = source.word()
    if isinstance(kind, types.Float):
        return builder.bitcast(value, ir.DoubleType())
    if isinstance(kind, types.Boolean):
        return builder.trunc(value, ir.IntType(1))
    narrow = context.get_value_type(kind)
    return value if narrow == WORD else builder.trunc(value, narrow)


def _struct(context: Any, builder: Any, kind: Any, source: _Source) -> Any:
    number = len(source.structs)
    if source.same[number] < number:
        struct = source.structs[source.same[number]]
        source.structs.append(struct)
        context.nrt.incref(builder, kind, struct)
        return struct
    struct = internals.new_struct(context, builder, kind)
    source.structs.append(struct)
    fields = internals.struct_fields(context, builder, kind, struct)
    for name, member in kind._fields:
        setattr(fields, name, _made(context, builder, member, source))
    return struct


def _array(context: Any, builder: Any, kind: Any, block: Any, address: Any, count: Any) -> Any:
    array = context.make_array(kind)(context, builder)
    size = WORD(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    array.data = builder.inttoptr(address, array.data.type)
    array.nitems, array.itemsize = count, size
    array.shape = builder.insert_value(array.shape, count, 0)
    array.strides = builder.insert_value(array.strides, size, 0)
    array.meminfo = builder.inttoptr(block, array.meminfo.type)
    made = array._getvalue()
    context.nrt.incref(builder, kind, made)
    return made


def word(address: int, place: int) -> int:
    """Return a word of memory."""
    raise NotImplementedError  # only compiled code has addresses


@instructions(word)
def _word(builder: Any, address: Any, place: Any) -> Any:
    return builder.load(builder.gep(builder.inttoptr(address, WORD.as_pointer()), [place]))


def set_word(address: int, place: int, value: Int) -> None:
    """Write a word of memory."""
    raise NotImplementedError


@instructions(set_word, types.none)
def _set_word(builder: Any, address: Any, place: Any, value: Any) -> None:
    builder.store(value, builder.gep(builder.inttoptr(address, WORD.as_pointer()), [place]))


@compiled
def words(address: int, count: int) -> np.ndarray:
    """Return a copy of words of memory."""
    copy = np.empty(count, np.int64)
    for i in range(count):
        copy[i] = word(address, i)
    return copy


@compiled
def write(numbers: Any, address: int, room: int) -> int:
    """Write numbers to memory, as many as there is room for; return how many there are."""
    for i in range(min(room, len(numbers))):
        set_word(address, i, np.int64(numbers[i]))
    return len(numbers)
