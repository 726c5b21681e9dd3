"""How Python becomes machine code here: the tools that the compiled core is written with.

`compiled`
    compiles a function with Numba and keeps the result on disk; `inlined` is for the parts of a hot loop.
`generic`
    makes a function whose implementation depends on the type of its first argument, so that one search serves every
    world: ``@successors.of(CompiledGrid)`` registers the grid's.
`borrow`
    lends arrays to a hot loop without reference counts. Numba counts references to every array that passes through a
    function or a tuple, which costs more than the search itself; a borrowed array is only an address and a length.

With ``NUMBA_DISABLE_JIT=1`` all of it runs as ordinary Python, for debuggers and coverage.
"""

import ctypes
import functools
import hashlib
import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numpy as np
from llvmlite import ir
from numba import config, njit
from numba.core import cgutils, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.datamodel import models
from numba.core.extending import intrinsic, overload, register_model
from numba.experimental import structref
from numba.np.arrayobj import make_array

COMPILING = not config.DISABLE_JIT

F = TypeVar("F", bound=Callable[..., Any])
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result", covariant=True)


# ------------------------------------------------------------------ compiled functions


def compiled(function: F) -> F:
    """Compile `function` for whatever types it is called with; it releases the interpreter's lock while it runs."""
    dispatcher = _whatever_its_constants(njit(nogil=True, error_model="numpy")(function))
    if COMPILING:
        dispatcher._cache = _LazyCache(function)
    return cast(F, dispatcher)


def inlined(function: F) -> F:
    """Like `compiled`, for a part of a hot loop: its values stay in registers, whatever its size."""
    return cast(F, _whatever_its_constants(njit(error_model="numpy", forceinline=True)(function)))


def _whatever_its_constants(dispatcher: Any) -> Any:
    """Compile for the types of arguments only; Numba would compile anew for every constant in a call."""
    if COMPILING:
        by_values = dispatcher.get_call_template

        def by_types(given: Any, named: Any) -> Any:
            return by_values(tuple(map(types.unliteral, given)), {n: types.unliteral(t) for n, t in named.items()})

        dispatcher.get_call_template = by_types
    return dispatcher


@functools.cache
def sources() -> str:
    """A fingerprint of all sources that machine code, and so an episode, may depend on."""
    package = Path(__file__).parent
    around = {package / "cli", package / "lab"}  # nothing there is compiled
    files = sorted(file for file in package.rglob("*.py") if around.isdisjoint(file.parents))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


class _CacheFiles(CompileResultCacheImpl):
    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        # Numba takes cached code for good as long as the file of the function itself is the same.
        return f"{super().get_filename_base(fullname, abiflags)}-{sources()}"


class _Cache(FunctionCache):
    """Numba's cache on disk, renewed when any source of this package changes."""

    _impl_class = _CacheFiles


class _LazyCache:
    """The same, made when it is first needed: it looks for a folder that can be written to, for every function anew."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function

    @functools.cached_property
    def cache(self) -> _Cache:
        return _Cache(self.function)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.cache, name)


# ------------------------------------------------------------------ generic functions


class Generic(Protocol[Parameters, Result]):
    """A function that does what the type of its first argument says (see `generic`)."""

    def __call__(self, *arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
        """Call the implementation for the type of the first argument."""

    def of(self, kind: type) -> Callable[[F], F]:
        """Register the decorated function as the implementation for first arguments of type `kind`."""


def generic(declaration: Callable[Parameters, Result]) -> Generic[Parameters, Result]:
    """Declare a generic function; ``@function.of(Type)`` then gives the implementation for one type of first argument.

    The types are `NamedTuple` classes. Inside compiled code a call costs nothing: Numba picks the implementation while
    it compiles, and LLVM inlines it.
    """
    return _generic(declaration, None)


def optional(declaration: Callable[Parameters, Result]) -> Generic[Parameters, Result]:
    """Like `generic`, for what few types implement: the declaration itself is what happens for all the others."""
    return _generic(declaration, declaration)


def _generic(
    declaration: Callable[Parameters, Result], default: Callable[..., Any] | None
) -> Generic[Parameters, Result]:
    implementations: dict[Any, Callable[..., Any]] = {}

    @functools.wraps(declaration)
    def dispatch(subject: Any, *arguments: Any) -> Any:
        return implementations.get(type(subject), default)(subject, *arguments)  # type: ignore[misc]

    @overload(dispatch, strict=False, jit_options={"forceinline": True})
    def resolve(subject: Any, *arguments: Any) -> Callable[..., Any] | None:
        return implementations.get(getattr(subject, "instance_class", None), default)

    def of(kind: type) -> Callable[[F], F]:
        def register(implementation: F) -> F:
            implementations[kind] = implementation
            return implementation

        return register

    dispatch.of = of  # type: ignore[attr-defined]
    return cast(Generic[Parameters, Result], dispatch)


# ------------------------------------------------------------------ borrowed arrays


class Borrowed(types.Type):
    """Numba's view of a one-dimensional array that somebody else keeps alive: an address and a length.

    A `checked` one is for code that is not ours: an index beyond its end raises an IndexError.
    """

    def __init__(self, dtype: types.Type, checked: bool = False):
        self.dtype, self.checked = dtype, checked
        super().__init__(name=f"Borrowed({dtype}, {checked})")


@register_model(Borrowed)
class _BorrowedModel(models.StructModel):
    def __init__(self, manager: Any, kind: Borrowed):
        super().__init__(manager, kind, [("data", types.CPointer(types.uint8)), ("size", types.intp)])


def _lendable(kind: types.Type) -> bool:
    return isinstance(kind, types.Array) and kind.ndim == 1 and kind.layout == "C"


# Numba has one type for named tuples, and another for those whose members are all of one type.
_NAMED_TUPLES = (types.NamedTuple, types.NamedUniTuple)


def _lent_type(kind: types.Type, checked: bool = False) -> types.Type:
    """The type that `borrow` turns `kind` into."""
    if _lendable(kind):
        return Borrowed(kind.dtype, checked)
    if isinstance(kind, _NAMED_TUPLES):
        checked = getattr(kind.instance_class, "checked", False)
        return types.BaseTuple.from_types([_lent_type(member, checked) for member in kind.types], kind.instance_class)
    return kind


def _lend(context: Any, builder: Any, kind: types.Type, value: Any) -> Any:
    """Code that turns a value of type `kind` into its borrowed form."""
    if _lendable(kind):  # checked or not is only a matter of its type
        array = make_array(kind)(context, builder, value=value)
        lent = cgutils.create_struct_proxy(Borrowed(kind.dtype))(context, builder)
        lent.data = builder.bitcast(array.data, lent.data.type)
        lent.size = builder.extract_value(array.shape, 0)
        return lent._getvalue()
    if isinstance(kind, _NAMED_TUPLES):
        members = [
            _lend(context, builder, member, builder.extract_value(value, i)) for i, member in enumerate(kind.types)
        ]
        return context.make_tuple(builder, _lent_type(kind), members)
    if context.enable_nrt:
        context.nrt.incref(builder, kind, value)
    return value


@intrinsic
def _borrow(typing_context: Any, owner: types.Type) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _lend(context, builder, owner, arguments[0])

    return _lent_type(owner)(owner), code


def _address(context: Any, builder: Any, kind: Borrowed, lent: Any, index: Any) -> Any:
    data = cgutils.create_struct_proxy(kind)(context, builder, value=lent).data
    return builder.gep(builder.bitcast(data, context.get_data_type(kind.dtype).as_pointer()), [index])


@intrinsic
def _load(typing_context: Any, lent: types.Type, index: types.Type) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = context.cast(builder, arguments[1], index, types.intp)
        address = _address(context, builder, lent, arguments[0], place)
        if isinstance(lent.dtype, types.Record):
            return address  # a record is handled by its address: only the fields that are used get loaded
        return context.unpack_value(builder, lent.dtype, address)

    return lent.dtype(lent, index), code


@intrinsic
def _store(typing_context: Any, lent: types.Type, index: types.Type, value: types.Type) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = context.cast(builder, arguments[1], index, types.intp)
        address = _address(context, builder, lent, arguments[0], place)
        context.pack_value(builder, lent.dtype, context.cast(builder, arguments[2], value, lent.dtype), address)
        return context.get_dummy_value()

    return types.none(lent, index, value), code


@intrinsic
def _size(typing_context: Any, lent: types.Type) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return cgutils.create_struct_proxy(lent)(context, builder, value=arguments[0]).size

    return types.intp(lent), code


@overload(operator.getitem, strict=False)
def _borrowed_getitem(lent: Any, index: Any) -> Any:
    if not (isinstance(lent, Borrowed) and isinstance(index, types.Integer)):
        return None
    return _checked_load if lent.checked else lambda lent, index: _load(lent, index)


def _checked_load(lent: Any, index: int) -> Any:
    if index < 0 or index >= _size(lent):
        raise IndexError("an index is beyond the end of an array")
    return _load(lent, index)


@overload(operator.setitem, strict=False)
def _borrowed_setitem(lent: Any, index: Any, value: Any) -> Any:
    if isinstance(lent, Borrowed) and not lent.checked and isinstance(index, types.Integer):
        return lambda lent, index, value: _store(lent, index, value)
    return None


@overload(len, strict=False)
def _borrowed_len(lent: Any) -> Any:
    if isinstance(lent, Borrowed):
        return lambda lent: _size(lent)
    return None


def borrow(owner: Any) -> Any:
    """Lend the arrays of `owner` (an array, or a NamedTuple of arrays, numbers and further such tuples) to a hot loop.

    Generators over a world must get a borrowed one, for speed and because Numba's generators leak what they count.

    The result reads, writes and measures (`x[i]`, `x[i] = y`, `len(x)`) but keeps nothing alive: use it only while the
    owner is held. Arrays of more dimensions pass through as they are.
    """
    if isinstance(owner, np.ndarray):
        return owner.view(np.recarray) if owner.dtype.names else owner
    if hasattr(owner, "_fields"):
        return type(owner)(*(borrow(member) for member in owner))
    return owner


@overload(borrow, strict=False)
def _compiled_borrow(owner: Any) -> Any:
    return lambda owner: _borrow(owner)


@intrinsic(prefer_literal=True)
def _borrow_field(typing_context: Any, owner: types.Type, field: types.Type) -> Any:
    name = field.literal_value

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        held = structref._Utils(context, builder, signature.args[0]).get_data_struct(arguments[0])
        return _lend(context, builder, signature.args[0].field_dict[name], getattr(held, name))

    return _lent_type(owner.field_dict[name])(owner, field), code


def borrow_field(owner: Any, field: str) -> Any:
    """What `borrow(owner.field)` gives, of a `mutable` struct, without a reference count for every array in it.

    Use it only while nobody gives that field another value.
    """
    return borrow(getattr(owner, field))


@overload(borrow_field, strict=False, prefer_literal=True)
def _compiled_borrow_field(owner: Any, field: Any) -> Any:
    if isinstance(owner, types.StructRef) and isinstance(field, types.StringLiteral):
        return lambda owner, field: _borrow_field(owner, field)
    return None


# ------------------------------------------------------------------ structs that change


def mutable(module: str, name: str, fields: list[str]) -> Any:
    """A class whose instances compiled code makes, keeps between two calls and changes: one pointer to pass.

    Call it at the top of a module, as ``Name = mutable(__name__, "Name", [...])``: a type that takes part in the cache
    must be found in its module by its name.
    """
    if not COMPILING:
        return type(name, (_Plain,), {"__module__": module, "fields": fields})
    proxy = type(name, (structref.StructRefProxy,), {"__module__": module})
    # A number in the type would make two searches that differ in it two types, each to be compiled.
    members = {
        "__module__": module,
        "preprocess_fields": lambda self, given: tuple((n, types.unliteral(t)) for n, t in given),
    }
    kind = structref.register(type(f"{name}Type", (types.StructRef,), members))
    setattr(sys.modules[module], kind.__name__, kind)
    structref.define_proxy(proxy, kind, fields)
    return proxy


class _Plain:
    """The same with the compiler off."""

    fields: tuple[str, ...] = ()

    def __init__(self, *values: Any):
        self.__dict__.update(zip(self.fields, values, strict=True))


# ------------------------------------------------------------------ bits


@intrinsic
def _trailing_zeros(typing_context: Any, word: types.Type) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), code


def lowest_bit(word: int) -> int:
    """The place of the lowest bit that is set; 64 where none is.

    >>> lowest_bit(0b1000)
    3
    """
    word = int(word) & (1 << 64) - 1
    return (word & -word).bit_length() - 1 if word else 64


@overload(lowest_bit, strict=False)
def _compiled_lowest_bit(word: Any) -> Any:
    return lambda word: _trailing_zeros(np.int64(word))


# ------------------------------------------------------------------ calls back into Python


@intrinsic
def _call_back(typing_context: Any, address: types.Type, argument: types.Type) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = builder.inttoptr(arguments[0], ir.FunctionType(ir.VoidType(), [word]).as_pointer())
        builder.call(function, [arguments[1]])
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), code


CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int64)


def call_back(address: int, argument: int) -> None:
    """Call the function at that address: a Python function that `CALLBACK` has wrapped."""
    CALLBACK(address)(argument)


@overload(call_back, strict=False)
def _compiled_call_back(address: Any, argument: Any) -> Any:
    return lambda address, argument: _call_back(np.int64(address), np.int64(argument))


# ------------------------------------------------------------------ arrays that grow


@compiled
def resized(array: np.ndarray, size: int) -> np.ndarray:
    """A copy of an array with `size` elements, more or fewer; a loop, because Numba compiles slices slowly."""
    copy = np.empty(size, array.dtype)
    for i in range(min(size, len(array))):
        copy[i] = array[i]
    return copy
