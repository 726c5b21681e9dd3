"""Compiled functions: units, which have their own machine code, and parts of others.

A unit is optimised once for the types of its arguments. Compiled code calls it by a symbol, which takes 2 nanoseconds,
instead of including a copy, which every caller would have to optimise again. Python calls it through an entry, which is
made on first use.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import typeof, types

from .borrowed import Lent
from .complaints import in_one_line
from .handover import hand_over
from .notice import purpose
from .numba_internals import NumbaError, call_by_symbol, call_for, new_dispatcher, takes_for_another
from .settings import COMPILING, ENTRY, INLINED, UNIT
from .store import SYMBOL, Kept

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile `function` for the types it is called with; it releases the interpreter's lock while it runs."""
    return cast(F, Unit(function)) if COMPILING else function


def inlined(function: F) -> F:
    """Like `compiled`, for a part of a hot loop: its values stay in registers, whatever its size."""
    return cast(F, Inlined(function)) if COMPILING else function


def for_types_of(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return a quicker call of a unit, for arguments of exactly these types; return any other function as it is."""
    return function.for_types_of(*arguments) if isinstance(function, Unit) else function


def kind_of(value: Any) -> Any:
    """Return what decides the compiled type of a value: equal kinds have the same type.

    >>> kind_of((1, True)) == kind_of((2, False)), kind_of((1, True)) == kind_of((1.0, True))
    (True, False)
    """
    kind = type(value)
    if kind in _SCALARS:
        return kind
    if isinstance(value, tuple):
        return kind, *map(kind_of, value)
    if kind is np.ndarray:
        return value.dtype, value.ndim, value.flags.num
    try:
        return typeof(value)
    except ValueError:  # without the compiler structs are ordinary objects; with it, the call itself complains
        return kind


_SCALARS = {int, bool, float, type(None)}


def tell_apart(kind: type) -> None:
    """Make calls from Python tell this class from others of the same name, at some cost if there are any."""
    if takes_for_another(kind):
        _namesakes.append(kind)


_namesakes: list[type] = []


class Interrupted(Exception):  # noqa: N818 (nothing is wrong)
    """A signal interrupted compiled work. It is done again, unless the handler of the signal raises something."""


class Inlined:
    """A function that becomes part of its compiled callers. Python runs it as it is."""

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function)
        self.py_func = function

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run it as Python."""
        return self.py_func(*arguments, **named)

    @functools.cached_property
    def dispatcher(self) -> Any:
        """Numba's compiled function. Made on demand: most are not needed."""
        return new_dispatcher(self.py_func, INLINED)

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_


class Unit(Inlined):
    """A function with its own machine code."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run its machine code."""
        call = self._call_exactly if _namesakes and not named and any(map(_is_tuple, arguments)) else self.entry
        while True:
            try:
                return call(*arguments, **named)
            except Interrupted:  # the handler of the signal has run by now, without raising
                continue
            except NumbaError as error:
                raise in_one_line(error, purpose.current(), arguments) from None

    def _call_exactly(self, *arguments: Any) -> Any:
        """Run the machine code for these types, where Numba would take some of them for others."""
        return call_for(self.entry, arguments)(*arguments)

    def for_types_of(self, *arguments: Any) -> Callable[..., Any]:
        """Return a quicker call, for arguments of exactly the same types as these; other types crash the process.

        At every call, Numba looks up the types of all arguments. With many arrays that takes longer than most work:
        12 of the 16 microseconds of making an agent.
        """
        try:
            return call_for(self.entry, arguments)
        except NumbaError as error:
            raise in_one_line(error, purpose.current(), arguments) from None

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The function itself."""
        kept = Kept(self.py_func)
        dispatcher = new_dispatcher(self.py_func, UNIT, kept, _lent)
        call_by_symbol(dispatcher, lambda arguments: SYMBOL + kept.key(arguments).text)
        return dispatcher

    @functools.cached_property
    def entry(self) -> Any:
        """Return the function that Python calls: it only calls the unit."""
        return new_dispatcher(_entry_to(self), ENTRY, Kept(self.py_func, "entry"))


def _is_tuple(value: Any) -> bool:
    return isinstance(value, tuple)


def _lent(kind: Any) -> Any:
    """Lend structs to units: the caller holds them."""
    return Lent(kind) if isinstance(kind, types.StructRef) else types.unliteral(kind)


def _entry_to(unit: Unit) -> Callable[..., Any]:
    function = unit.py_func
    names = ", ".join(inspect.signature(function).parameters)
    scope: dict[str, Any] = {"_unit": unit, "_hand_over": hand_over, "__name__": function.__module__}
    exec(f"def entry({names}): return _hand_over(_unit({names}))", scope)
    entry = cast(Callable[..., Any], scope["entry"])
    entry.__name__, entry.__qualname__ = function.__name__, f"{function.__qualname__}.entry"
    entry.__doc__, entry.__module__ = function.__doc__, function.__module__
    entry.__defaults__ = function.__defaults__
    return entry
