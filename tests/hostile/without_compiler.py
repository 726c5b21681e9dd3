"""Tests that run in a process of their own, without the compiler: they try every agent, and would wait for minutes."""

import os
import subprocess
import sys

import pytest

from timebound.compiled import COMPILING

inside = pytest.mark.skipif(COMPILING, reason="runs in a process without the compiler: see the first test of the file")


def run_without_compiler(file: str) -> None:
    """Run the tests of a file that are marked with `inside`."""
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", file]
    done = subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:]
    assert " passed" in done.stdout
