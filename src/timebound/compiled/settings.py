"""How functions are compiled."""

from typing import Any

from numba import config

COMPILING = not config.DISABLE_JIT

BARE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""For functions that only compiled code calls: what would let Python and C call them takes half the time to compile."""

UNIT: dict[str, Any] = {"nopython": True, "error_model": "numpy", **BARE}
INLINED: dict[str, Any] = {**UNIT, "forceinline": True}
ENTRY: dict[str, Any] = {"nopython": True, "error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}
PART: dict[str, Any] = {"forceinline": True, **BARE}
"""For overloads, which become part of whatever calls them."""
