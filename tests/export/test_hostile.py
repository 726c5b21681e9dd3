"""Hostile use of the C library: bad arguments, memory that ends, and what valgrind says."""

import shutil
import subprocess
from pathlib import Path

import pytest
from clib import Library  # type: ignore[import-not-found]


def test_bad_arguments_give_a_status_and_one_line(program, folder: Path):
    ended = subprocess.run(
        [program("hostile.c"), *Library(folder).kinds()], capture_output=True, text=True, check=False
    )
    assert (ended.stdout, ended.returncode) == ("0 wrong\n", 0)


def test_nothing_crashes_wherever_memory_ends(program, folder: Path):
    kinds = [kind for kind in Library(folder).kinds() if kind in ("rtaa", "tbaa", "dstar-lite")]
    ended = subprocess.run(
        [program("hostile.c", "-DCOUNT_MEMORY"), *kinds], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.endswith("0 wrong\n")


def test_valgrind_finds_nothing(program, folder: Path):
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.skip("there is no valgrind")
    flags = ["-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]
    command = [valgrind, *flags, program("hostile.c"), *Library(folder).kinds()]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
