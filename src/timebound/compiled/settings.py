"""What the environment asks of the compiler."""

import os

from numba import config


def _asked_for(name: str) -> bool:
    return os.environ.get(name, "") not in ("", "0")


COMPILING = not config.DISABLE_JIT
"""Is anything compiled at all?"""

PLAIN = COMPILING and _asked_for("TIMEBOUND_PLAIN")
"""Compile by nothing but what Numba documents, and keep no machine code: see `plain_numba`."""

KEEP_LLVM = COMPILING and _asked_for("TIMEBOUND_LLVM")
"""Keep the LLVM code of units with their machine code: `timebound export` makes a library of it."""

CHECK_BOUNDS = _asked_for("TIMEBOUND_CHECK_BOUNDS")
"""Check every index of every array in compiled code, for tests."""

CHECK_TYPES = _asked_for("TIMEBOUND_CHECK_TYPES")
"""Check the types of calls that rely on them, for tests."""
