"""Arrays and structs lent to functions: addresses, without reference counts.

Indexing, `len` and `borrow` are lowered directly; as overloads each would be a function to compile, dozens of times.
"""

import operator
from typing import Any

from numba import extending, types
from numba.extending import lower_builtin, models, register_model, type_callable

from . import numba_internals as internals
from .borrowed import borrow, borrow_field
from .settings import CHECK_BOUNDS


class Borrowed(types.Type):
    """Numba's type of a one-dimensional array that the caller keeps alive: an address and a length.

    A `checked` one is for code that is not ours: an index beyond its end raises an IndexError.
    """

    def __init__(self, dtype: types.Type, checked: bool = False):
        self.dtype, self.checked = dtype, checked
        super().__init__(name=f"Borrowed({dtype}, {checked})")

    @property
    def key(self) -> Any:
        """What distinguishes types."""
        return self.dtype, self.checked


@register_model(Borrowed)
class _BorrowedModel(models.StructModel):
    def __init__(self, manager: Any, kind: Borrowed):
        super().__init__(manager, kind, [("data", types.CPointer(types.uint8)), ("size", types.intp)])


def _lendable(kind: types.Type) -> bool:
    return isinstance(kind, types.Array) and kind.ndim == 1 and kind.layout == "C"


# Numba has one type for named tuples, and another for those whose members all have the same type.
NAMED_TUPLES = (types.NamedTuple, types.NamedUniTuple)


def _lent_type(kind: types.Type, checked: bool = False) -> types.Type:
    """The type that `borrow` turns `kind` into."""
    if _lendable(kind):
        return Borrowed(kind.dtype, checked)
    if isinstance(kind, StructType):
        return Lent(kind)
    if isinstance(kind, NAMED_TUPLES):
        checked = getattr(kind.instance_class, "checked", False)
        return types.BaseTuple.from_types([_lent_type(member, checked) for member in kind.types], kind.instance_class)
    return kind


def _lend(context: Any, builder: Any, kind: types.Type, value: Any) -> Any:
    """Generate code that turns a value of type `kind` into its borrowed form."""
    if _lendable(kind):  # checked or not matters only to the type
        array = context.make_array(kind)(context, builder, value=value)
        lent = context.make_helper(builder, Borrowed(kind.dtype))
        lent.data = builder.bitcast(array.data, lent.data.type)
        lent.size = builder.extract_value(array.shape, 0)
        return lent._getvalue()
    if isinstance(kind, StructType):
        return context.cast(builder, value, kind, Lent(kind))
    if isinstance(kind, NAMED_TUPLES):
        members = [
            _lend(context, builder, member, builder.extract_value(value, i)) for i, member in enumerate(kind.types)
        ]
        return context.make_tuple(builder, _lent_type(kind), members)
    if context.enable_nrt:
        context.nrt.incref(builder, kind, value)
    return value


# ------------------------------------------------------------------ reading, writing, measuring


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of the element that the arguments name."""
    lent, index = signature.args[:2]
    held = context.make_helper(builder, lent, value=arguments[0])
    place = context.cast(builder, arguments[1], index, types.intp)
    if lent.checked or CHECK_BOUNDS:
        with builder.if_then(builder.icmp_unsigned(">=", place, held.size), likely=False):  # also below zero
            where = f" in {builder.function.name:.60}" if CHECK_BOUNDS else ""
            context.call_conv.return_user_exc(builder, IndexError, (f"index out of range{where}",))
    return builder.gep(builder.bitcast(held.data, context.get_data_type(lent.dtype).as_pointer()), [place])


@internals.infer_global(operator.getitem)
class _TypeOfItem(internals.AbstractTemplate):
    def generic(self, given: Any, named: Any) -> Any:
        lent, index = given
        if isinstance(lent, Borrowed) and isinstance(index, types.Integer):
            return internals.signature(lent.dtype, lent, types.unliteral(index))
        return None


@lower_builtin(operator.getitem, Borrowed, types.Integer)
def _load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lent = signature.args[0]
    address = _address(context, builder, signature, arguments)
    if isinstance(lent.dtype, types.Record):
        return address  # a record is handled by its address: only the fields that are used get loaded
    return context.unpack_value(builder, lent.dtype, address)


@internals.infer_global(operator.setitem)
class _TypeOfSetting(internals.AbstractTemplate):
    def generic(self, given: Any, named: Any) -> Any:
        lent, index, value = given
        if isinstance(lent, Borrowed) and not lent.checked and isinstance(index, types.Integer):
            return internals.signature(types.none, lent, types.unliteral(index), types.unliteral(value))
        return None


@lower_builtin(operator.setitem, Borrowed, types.Integer, types.Any)
def _store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lent, _, value = signature.args
    kept = context.cast(builder, arguments[2], value, lent.dtype)
    context.pack_value(builder, lent.dtype, kept, _address(context, builder, signature, arguments))
    return context.get_dummy_value()


@internals.infer_global(len)
class _TypeOfLength(internals.AbstractTemplate):
    def generic(self, given: Any, named: Any) -> Any:
        return internals.signature(types.intp, *given) if len(given) == 1 and isinstance(given[0], Borrowed) else None


@lower_builtin(len, Borrowed)
def _size(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return context.make_helper(builder, signature.args[0], value=arguments[0]).size


# ------------------------------------------------------------------ structs


class StructType(types.StructRef):
    """Numba's type of a struct. The fields of its part, if it has one, are also its own (see `mutable`)."""

    part: str | None = None


class Lent(types.Type):
    """Numba's type of a struct that the caller keeps alive: its fields can be read and written.

    Units get structs in this form, and structs in fields of a lent one are also lent: counting references would take
    longer than most work on them.
    """

    def __init__(self, struct: types.StructRef):
        self.struct = struct
        super().__init__(name=f"Lent({struct})")

    @property
    def key(self) -> Any:
        """What distinguishes types: by name alone, a class that is defined again would be the old one."""
        return self.struct

    def can_convert_from(self, context: Any, other: types.Type) -> Any:
        """Convert a struct to a lent one, or back to one that holds a reference."""
        return internals.Conversion.safe if other == self.struct else None

    can_convert_to = can_convert_from


register_model(Lent)(models.OpaqueModel)  # the address of the memory block in which Numba's runtime keeps the struct


@extending.lower_cast(StructType, Lent)
def _lend_struct(context: Any, builder: Any, owned: Any, kind: Any, struct: Any) -> Any:
    return internals.meminfo_of(context, builder, owned, struct)


@extending.lower_cast(Lent, StructType)
def _keep_struct(context: Any, builder: Any, kind: Any, owned: Any, lent: Any) -> Any:
    struct = internals.struct_from_meminfo(context, builder, owned, lent)
    context.nrt.incref(builder, owned, struct)
    return struct


@internals.infer_getattr
class _FieldsOfStruct(internals.AttributeTemplate):
    key = StructType

    def generic_resolve(self, struct: Any, name: str) -> Any:
        return _holder(struct, name).field_dict.get(name)


@internals.infer_getattr
class _FieldsOfLent(internals.AttributeTemplate):
    key = Lent

    def generic_resolve(self, lent: Any, name: str) -> Any:
        kind = _holder(lent.struct, name).field_dict.get(name)
        return Lent(kind) if isinstance(kind, StructType) else kind


@extending.lower_getattr_generic(StructType)
@extending.lower_getattr_generic(Lent)
def _get(context: Any, builder: Any, kind: Any, struct: Any, name: str) -> Any:
    holder, held = _held(context, builder, kind, struct, name)
    if isinstance(kind, Lent) and isinstance(holder.field_dict[name], StructType):
        return _lend_field(context, builder, holder, held, name)
    value = getattr(internals.struct_fields(context, builder, holder, held), name)
    context.nrt.incref(builder, holder.field_dict[name], value)
    return value


@extending.lower_setattr_generic(StructType)
@extending.lower_setattr_generic(Lent)
def _set(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    """Set a field; the old value is released last, in case it is also the new one."""
    kind, given = signature.args
    holder, held = _held(context, builder, kind, arguments[0], name)
    fields, kept = internals.struct_fields(context, builder, holder, held), holder.field_dict[name]
    value, old = context.cast(builder, arguments[1], given, kept), getattr(fields, name)
    if isinstance(given, types.StructRef) or not isinstance(kept, types.StructRef):
        context.nrt.incref(builder, kept, value)  # a lent struct has its reference by then
    context.nrt.decref(builder, kept, old)
    setattr(fields, name, value)


def _holder(struct: Any, name: str) -> Any:
    """Return the struct that may have a field of that name: this one, or its part."""
    return struct if struct.part is None or name in struct.field_dict else struct.field_dict[struct.part]


def _held(context: Any, builder: Any, kind: Any, struct: Any, name: str) -> tuple[Any, Any]:
    """Return the type of the struct that has a field of that name, and the struct, without a reference to it."""
    if isinstance(kind, Lent):
        kind, struct = kind.struct, internals.struct_from_meminfo(context, builder, kind.struct, struct)
    holder = _holder(kind, name)
    if holder is not kind:
        struct = getattr(internals.struct_fields(context, builder, kind, struct), kind.part)
    return holder, struct


def _lend_field(context: Any, builder: Any, holder: Any, held: Any, name: str) -> Any:
    value = getattr(internals.struct_fields(context, builder, holder, held), name)
    return _lend(context, builder, holder.field_dict[name], value)


# ------------------------------------------------------------------ borrowing


@type_callable(borrow)
def _type_of_borrowed(context: Any) -> Any:
    return lambda owner: _lent_type(owner)


@lower_builtin(borrow, types.Any)
def _borrow(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _lend(context, builder, signature.args[0], arguments[0])


@type_callable(borrow_field)
def _type_of_borrowed_field(context: Any) -> Any:
    def typer(owner: Any, field: Any) -> Any:
        struct, name = getattr(owner, "struct", owner), getattr(field, "literal_value", None)
        return _lent_type(_holder(struct, name).field_dict[name]) if isinstance(struct, StructType) and name else None

    return typer


@lower_builtin(borrow_field, StructType, types.StringLiteral)
@lower_builtin(borrow_field, Lent, types.StringLiteral)
def _borrow_field(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    owner, field = signature.args
    holder, held = _held(context, builder, owner, arguments[0], field.literal_value)
    return _lend_field(context, builder, holder, held, field.literal_value)
