"""Structs by address: an array holds the addresses of all units, so compiled code can go from one to the next.

Code that keeps an address also keeps the struct itself, in Python. Without the compiler, a struct is its own address.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from ..compiled import COMPILING, compiled
from ..compiled.borrowed import Lent
from ..compiled.numba_internals import cgutils

NOBODY = 0


def no_addresses(count: int) -> np.ndarray:
    """Return room for `count` addresses."""
    return np.zeros(count, np.int64 if COMPILING else object)


def struct_at(like: Any, address: Any) -> Any:
    """Return the struct at an address, which has the same type as `like`."""
    return address


@overload(struct_at, strict=False)
def _struct_at(like: Any, address: Any) -> Any:
    return lambda like, address: _lent_at(like, address)


@intrinsic
def _lent_at(typing_context: Any, like: Any, address: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lent = cgutils.create_struct_proxy(like)(context, builder)
        lent.address = builder.inttoptr(arguments[1], lent.address.type)
        return lent._getvalue()

    return (like(like, types.int64), code) if isinstance(like, Lent) else None


def _address(struct: Any) -> Any:
    return struct


@overload(_address, strict=False)
def _compiled_address(struct: Any) -> Any:
    return lambda struct: _address_of_lent(struct)


@intrinsic
def _address_of_lent(typing_context: Any, lent: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = cgutils.create_struct_proxy(lent)(context, builder, value=arguments[0]).address
        return builder.ptrtoint(address, cgutils.intp_t)

    return (types.int64(lent), code) if isinstance(lent, Lent) else None


def same_type(one: Any, other: Any) -> bool:
    """Can compiled code use one in place of the other?"""
    return bool(getattr(one, "_numba_type_", None) == getattr(other, "_numba_type_", None))


@compiled
def address_of(struct: Any) -> Any:
    """Return the address of a struct, valid as long as something keeps the struct."""
    return _address(struct)
