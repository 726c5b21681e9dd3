"""Calls from compiled code: of functions of C, and back into Python."""

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .backend import when_compiled

CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int64)


def call_back(address: int, argument: int) -> None:
    """Call the function at that address: a Python function that `CALLBACK` has wrapped."""
    CALLBACK(address)(argument)


@when_compiled(call_back)
def _compiled_call_back(address: Any, argument: Any) -> Any:
    return lambda address, argument: _call_back(np.int64(address), np.int64(argument))


@intrinsic
def _call_back(typing_context: Any, address: types.Type, argument: types.Type) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = builder.inttoptr(arguments[0], ir.FunctionType(ir.VoidType(), [word]).as_pointer())
        builder.call(function, [arguments[1]])
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), code


def call_c(builder: Any, name: str, result: ir.Type, arguments: list[Any]) -> Any:
    """Generate the call of a function."""
    known = builder.module.globals.get(name)
    if known is None:
        known = ir.Function(builder.module, ir.FunctionType(result, [given.type for given in arguments]), name)
    return builder.call(known, arguments)
