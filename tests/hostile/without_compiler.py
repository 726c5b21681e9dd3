"""Tests that run without the compiler, because compiling would take too long; and tests of compiled code."""

import pytest

from timebound.compiled import COMPILING

without_compiler = pytest.mark.skipif(
    COMPILING, reason="runs with NUMBA_DISABLE_JIT=1, as `make uncompiled` does: it would compile every agent"
)
"""For tests of what is the same in Python. `UNCOMPILED` in the Makefile names them, or their files."""

with_compiler = pytest.mark.skipif(not COMPILING, reason="the compiler is off")
"""For the others of such a file."""
