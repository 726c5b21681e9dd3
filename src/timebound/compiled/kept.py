"""Functions whose machine code is kept: what they are compiled by, and with which options."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import errors, njit, types
from numba.extending import intrinsic, overload

from .calls import WORD, defined
from .handover import hand_over
from .handover import handle_class as handle_class
from .lent import Lent
from .lent import StructType as StructType
from .numba_internals import PartCompiler, call_by_symbol, cpu_target, new_dispatcher
from .numba_internals import call_for as call_for
from .numba_internals import namesakes as namesakes
from .numba_internals import tell_apart as tell_apart
from .settings import CHECK_BOUNDS
from .store import SYMBOL, Kept

_F = TypeVar("_F", bound=Callable[..., Any])

# For functions that only compiled code calls: wrappers for Python and C would be half of the compile time.
_BARE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

# Numba passes `forceinline` on to everything compiled on the way, so units switch it off.
_CHECKS: dict[str, Any] = {"boundscheck": CHECK_BOUNDS}
_OWN: dict[str, Any] = {"nopython": True, "error_model": "numpy", "forceinline": False, **_CHECKS}
UNIT: dict[str, Any] = {**_OWN, **_BARE}
INLINED: dict[str, Any] = {**UNIT, "forceinline": True}
ENTRY: dict[str, Any] = {**_OWN, "nogil": True, "no_cfunc_wrapper": True}
_PART: dict[str, Any] = {"forceinline": True, "pipeline_class": PartCompiler, **_BARE, **_CHECKS}


def part_of(function: Callable[..., Any]) -> Any:
    """Return a function that becomes part of its compiled callers."""
    return new_dispatcher(function, INLINED)


def unit_of(function: Callable[..., Any]) -> Any:
    """Return a function with its own machine code, which compiled code calls by its symbol."""
    kept = Kept(function)
    dispatcher = new_dispatcher(function, UNIT, kept, _lent)
    call_by_symbol(dispatcher, lambda arguments: SYMBOL + kept.key(arguments).text)
    return dispatcher


def _lent(kind: Any) -> Any:
    """Lend structs to units: the caller holds them."""
    return Lent(kind) if isinstance(kind, types.StructRef) else types.unliteral(kind)


def entry_to(function: Callable[..., Any], unit: Any) -> Any:
    """Return what Python calls: it only calls the unit."""
    names = ", ".join(inspect.signature(function).parameters)
    text, module = f"def entry({names}): return _hand_over(_unit({names}))", function.__module__
    entry = defined(text, _unit=unit, _hand_over=hand_over, __name__=module)
    entry.__name__, entry.__qualname__ = function.__name__, f"{function.__qualname__}.entry"
    entry.__doc__, entry.__module__ = function.__doc__, function.__module__
    entry.__defaults__ = function.__defaults__
    return new_dispatcher(entry, ENTRY, Kept(function, "entry"))


def compiled_for(unit: Any, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    """Compile a unit for arguments of these types; return its key in the store, and the type of its result."""
    dispatcher = unit.dispatcher
    dispatcher.compile(arguments)
    return dispatcher._cache.key(arguments).text, dispatcher.overloads[arguments].signature.return_type


def when_compiled(function: Callable[..., Any]) -> Callable[[_F], _F]:
    """Decorate what chooses, by the types of its arguments, the code that replaces a function in compiled callers."""
    return cast(Callable[[_F], _F], overload(function, strict=False, jit_options=_PART))


def own_part(function: Callable[..., Any]) -> Any:
    """Compile a user's function by Python's rules: a division by zero is an error, and so is an index out of range."""
    return njit(**{**_PART, "error_model": "python", "boundscheck": True})(function)


def known_to_numba(function: Any) -> bool:
    """Can compiled code call this plain function?"""
    cpu_target.typing_context.refresh()
    try:
        cpu_target.typing_context.resolve_value_type(function)
    except (errors.NumbaError, ValueError):
        return False
    return True


def struct_in(kind: Any) -> Any:
    """Return the type of a struct, given its own or that of a loan."""
    return kind.struct if isinstance(kind, Lent) else kind


@intrinsic
def struct_at(typing_context: Any, like: Any, address: Any) -> Any:
    """Return the struct at an address, of the same type as `like`."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[1], arguments[0].type)

    return (like(like, types.int64), code) if isinstance(like, Lent) else None


@intrinsic
def address_of(typing_context: Any, lent: Any) -> Any:
    """Return the address of a struct."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(arguments[0], WORD)

    return (types.int64(lent), code) if isinstance(lent, Lent) else None
