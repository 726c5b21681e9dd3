"""Functions made from texts; and functions in machine code, among them calls of C and back into Python."""

import ctypes
import functools
from collections.abc import Callable
from typing import Any, TypeVar

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

F = TypeVar("F", bound=Callable[..., Any])
WORD, INT = ir.IntType(64), ir.IntType(32)


def defined(text: str, **scope: Any) -> Any:
    """Return the function that a text defines, whose other names are in the scope."""
    exec(text, scope)
    return list(scope.values())[-1]


def instructions(function: Callable[..., Any], result: types.Type = types.int64) -> Callable[[F], F]:
    """Decorate what generates the code of a function of whole numbers, given a builder and the arguments as words.

    It is lowered directly: an overload would be one more function to compile.
    """
    words = [types.int64] * function.__code__.co_argcount

    def register(generate: F) -> F:
        type_callable(function)(lambda context: functools.wraps(function)(lambda *given: result(*words)))

        @lower_builtin(function, *words)
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            value = generate(builder, *arguments)
            return context.get_dummy_value() if result is types.none else value

        return generate

    return register


CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int64)


def call_back(address: int, argument: int) -> None:
    """Call the function at that address: a Python function that `CALLBACK` has wrapped."""
    CALLBACK(address)(argument)


@instructions(call_back, types.none)
def _call_back(builder: Any, address: Any, argument: Any) -> None:
    function = builder.inttoptr(address, ir.FunctionType(ir.VoidType(), [WORD]).as_pointer())
    builder.call(function, [argument])


def call_c(builder: Any, name: str, result: ir.Type, arguments: list[Any]) -> Any:
    """Generate the call of a function."""
    known = builder.module.globals.get(name)
    if known is None:
        known = ir.Function(builder.module, ir.FunctionType(result, [given.type for given in arguments]), name)
    return builder.call(known, arguments)
