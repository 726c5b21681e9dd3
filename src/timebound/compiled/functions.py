"""Compiled functions: units, which have their own machine code, and parts of others.

A unit is optimised once for the types of its arguments. Compiled code calls it by a symbol, which takes 2 nanoseconds,
instead of including a copy, which every caller would have to optimise again. Python calls it through an entry, which is
made on first use.
"""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import errors, typeof
from numba.extending import typeof_impl

from .backend import call_for, entry_to, namesakes, part_of, unit_of
from .complaints import in_one_line
from .notice import purpose
from .settings import COMPILING

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile `function` for the types it is called with; it releases the interpreter's lock while it runs."""
    return cast(F, Unit(function)) if COMPILING else function


def inlined(function: F) -> F:
    """Like `compiled`, for a part of a hot loop: its values stay in registers, whatever its size."""
    return cast(F, Inlined(function)) if COMPILING else function


def for_types_of(function: F, *arguments: Any) -> F:
    """Return a quicker call of a unit, for arguments of exactly the same types as these; other types crash the process.

    At every call, Numba looks up the types of all arguments. With many arrays that takes longer than most work: 12 of
    the 16 microseconds of making an agent. Any other function is returned as it is.
    """
    if not isinstance(function, Unit):
        return function
    try:
        return cast(F, call_for(function.entry, arguments))
    except errors.NumbaError as error:
        raise in_one_line(error, purpose.current(), arguments) from None


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
        return part_of(self.py_func)


class Unit(Inlined):
    """A function with its own machine code."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run its machine code."""
        while True:
            try:
                exactly = namesakes and not named and any(isinstance(given, tuple) for given in arguments)
                call = call_for(self.entry, arguments) if exactly else self.entry
                return call(*arguments, **named)
            except Interrupted:  # the handler of the signal has run by now, without raising
                continue
            except errors.NumbaError as error:
                raise in_one_line(error, purpose.current(), arguments) from None

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The function itself."""
        return unit_of(self.py_func)

    @functools.cached_property
    def entry(self) -> Any:
        """Return the function that Python calls: it only calls the unit."""
        return entry_to(self.py_func, self)


@typeof_impl.register(Inlined)
def _type_of(function: Inlined, context: Any) -> Any:
    return typeof(function.dispatcher)
