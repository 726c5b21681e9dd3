"""Structs by address: an array holds the addresses of all units, so compiled code can go from one to the next.

Code that keeps an address also keeps the struct itself, in Python. Without the compiler, a struct is its own address.
"""

from typing import Any

import numpy as np

from ..compiled import COMPILING, backend, compiled


def no_addresses(count: int) -> np.ndarray:
    """Return room for `count` addresses."""
    return np.zeros(count, np.int64 if COMPILING else object)


struct_at: Any = backend.struct_at if COMPILING else lambda like, address: address
"""Returns the struct at an address, which has the same type as `like`."""

_address: Any = backend.address_of if COMPILING else lambda struct: struct


def same_type(one: Any, other: Any) -> bool:
    """Can compiled code use one in place of the other?"""
    return bool(getattr(one, "_numba_type_", None) == getattr(other, "_numba_type_", None))


@compiled
def address_of(struct: Any) -> Any:
    """Return the address of a struct, valid as long as something keeps the struct."""
    return _address(struct)
