"""How functions are compiled."""

from typing import Any

from numba import config

from .numba_internals import CHECK_BOUNDS, PartCompiler

COMPILING = not config.DISABLE_JIT

BARE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""For functions that only compiled code calls: wrappers for Python and C would be half of the compile time."""

# Numba passes `forceinline` on to everything compiled on the way, so units switch it off.
_CHECKS: dict[str, Any] = {"boundscheck": CHECK_BOUNDS}
_OWN: dict[str, Any] = {"nopython": True, "error_model": "numpy", "forceinline": False, **_CHECKS}
UNIT: dict[str, Any] = {**_OWN, **BARE}
INLINED: dict[str, Any] = {**UNIT, "forceinline": True}
ENTRY: dict[str, Any] = {**_OWN, "nogil": True, "no_cfunc_wrapper": True}
PART: dict[str, Any] = {"forceinline": True, "pipeline_class": PartCompiler, **BARE, **_CHECKS}
"""For overloads, which become part of their callers."""
