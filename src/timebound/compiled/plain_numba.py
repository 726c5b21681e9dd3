"""The same tools made of nothing but what Numba documents: ``TIMEBOUND_PLAIN=1``.

Whatever Numba does to its internals, the library still runs so, if slower: every process compiles anew, every function
is optimised again within each of its callers, and references to arrays are counted wherever they are passed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from llvmlite import ir
from numba import errors, njit, types
from numba.experimental import structref
from numba.extending import intrinsic, lower_setattr, overload, overload_attribute

from .borrowed import borrow, borrow_field
from .calls import WORD, defined
from .settings import CHECK_BOUNDS
from .undivided import undivided

_F = TypeVar("_F", bound=Callable[..., Any])


def part_of(function: Callable[..., Any]) -> Any:
    """Return a function that becomes part of its compiled callers."""
    return njit(error_model="numpy", boundscheck=CHECK_BOUNDS, nogil=True)(function)


unit_of = part_of


def entry_to(function: Callable[..., Any], unit: Any) -> Any:
    """Return what Python calls. Ctrl-C waits: Numba makes results by running Python code, where no error may occur."""

    def entry(*arguments: Any, **named: Any) -> Any:
        with undivided():
            return unit.dispatcher(*arguments, **named)

    return entry


def call_for(dispatcher: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """Return how to call an entry with arguments of these types: as always."""
    return cast(Callable[..., Any], dispatcher)


def tell_apart(kind: type) -> None:
    """Do nothing: calls could not be told apart anyway."""


namesakes: list[type] = []


def when_compiled(function: Callable[..., Any]) -> Callable[[_F], _F]:
    """Decorate what chooses, by the types of its arguments, the code that replaces a function in compiled callers."""
    return cast(Callable[[_F], _F], overload(function, strict=False))


def own_part(function: Callable[..., Any]) -> Any:
    """Compile a user's function by Python's rules: a division by zero is an error, and so is an index out of range."""
    return njit(error_model="python", boundscheck=True)(function)


def known_to_numba(function: Any) -> bool:
    """Can compiled code call this plain function?"""

    @njit
    def names_it() -> bool:
        return function is None

    try:
        names_it()
    except errors.NumbaError:
        return False
    return True


@when_compiled(borrow)
def _borrow(owner: Any) -> Any:
    return lambda owner: owner


@overload(borrow_field, strict=False, prefer_literal=True)
def _borrow_field(owner: Any, field: Any) -> Any:
    return defined(f"def get(owner, field): return owner.{field.literal_value}")


StructType = types.StructRef


class _Handle(structref.StructRefProxy):
    __slots__ = ("__weakref__",)


def handle_class(name: str, members: Mapping[str, Any], part: str | None, inner: Sequence[str]) -> type:
    """Return the class of handles of a struct, which is also its constructor in compiled code (see `handover`)."""
    handle = type(name, (_Handle,), dict(members))
    kind = handle._compiled_type_  # type: ignore[attr-defined]
    kind.handle = handle
    structref.register(kind)
    structref.define_proxy(handle, kind, handle.fields)  # type: ignore[attr-defined]
    for field in inner:
        _define_inner(kind, f"{part}.{field}", field)
    return handle


def _define_inner(kind: Any, path: str, field: str) -> None:
    overload_attribute(kind, field, strict=False)(lambda whole: defined(f"def get(whole): return whole.{path}"))
    change = defined(f"def change(whole, value): whole.{path} = value")

    @lower_setattr(kind, field)
    def set(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.compile_internal(builder, change, types.none(*signature.args), arguments)


def struct_in(kind: Any) -> Any:
    """Return the type of a struct: it is never lent."""
    return kind


@intrinsic
def struct_at(typing_context: Any, like: Any, address: Any) -> Any:
    """Return the struct at an address, of the same type as `like`."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = arguments[0].type
        pointer = builder.inttoptr(arguments[1], kind.elements[0])
        struct = builder.insert_value(ir.Constant(kind, ir.Undefined), pointer, 0)
        context.nrt.incref(builder, like, struct)
        return struct

    return (like(like, types.int64), code) if isinstance(like, types.StructRef) else None


@intrinsic
def address_of(typing_context: Any, struct: Any) -> Any:
    """Return the address of a struct."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(builder.extract_value(arguments[0], 0), WORD)

    return (types.int64(struct), code) if isinstance(struct, types.StructRef) else None
