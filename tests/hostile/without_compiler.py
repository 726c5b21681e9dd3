"""Tests that run without the compiler: they try every agent, and would wait for minutes."""

import pytest

from timebound.compiled import COMPILING

without_compiler = pytest.mark.skipif(
    COMPILING, reason="runs with NUMBA_DISABLE_JIT=1, as `make uncompiled` does: it would compile every agent"
)
