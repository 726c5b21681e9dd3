"""The examples of the C library run."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_program_of_the_page(compiler: str, folder: Path, tmp_path: Path):
    (code,) = re.findall(r"```c\n(.*?)```", (ROOT / "docs/c-library.md").read_text(), re.S)
    (command,) = re.findall(r"^cc .*", (ROOT / "docs/c-library.md").read_text(), re.M)
    (tmp_path / "walk.c").write_text(code)
    (tmp_path / "build").symlink_to(folder)
    subprocess.run(command.split(), cwd=tmp_path, check=True)
    said = subprocess.run(["./walk"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said.startswith("(1, 1) ")
    assert said.endswith("(14, 1) arrived\n")


def test_the_game_loop(compiler: str, folder: Path, tmp_path: Path):
    program = tmp_path / "game"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", f"-I{folder}", f"-L{folder}", "-ltimebound"]
    source = ROOT / "export/examples/game.c"
    subprocess.run([compiler, str(source), *flags, f"-Wl,-rpath,{folder}", "-o", str(program)], check=True)
    said = subprocess.run([program, "40"], capture_output=True, text=True, check=True).stdout
    assert int(re.findall(r"40 frames, (\d+) moves", said)[0]) > 5000


SAID = ["(14, 1) status 1", "(8, 1) is blocked; choose a free cell, for example (7, 1)"]
# How each is compiled, if it is, and run; the library is in `build`.
EXAMPLES = {
    "walk.cpp": ("g++", "g++ -std=c++17 -Wall -Wextra -Werror walk.cpp -Ibuild -Lbuild -ltimebound -o walk", "./walk"),
    "walk.lua": ("luajit", "", "luajit walk.lua"),
    "walk.rs": ("rustc", "rustc walk.rs -L build -l timebound", "./walk"),
    "Walk.cs": ("mcs", "mcs Walk.cs", "mono Walk.exe"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_in_other_languages(name: str, folder: Path, tmp_path: Path):
    needed, make, run = EXAMPLES[name]
    if shutil.which(needed) is None:
        pytest.skip(f"there is no {needed}")
    if needed == "rustc" and subprocess.run([needed, "--version"], capture_output=True).returncode:
        pytest.skip("rustup has no toolchain")
    shutil.copy(ROOT / "export/examples" / name, tmp_path)
    (tmp_path / "build").symlink_to(folder)
    if make:
        subprocess.run(make.split(), cwd=tmp_path, check=True)
    here = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
    said = subprocess.run(run.split(), cwd=tmp_path, env=here, capture_output=True, text=True, check=True).stdout
    if name == "walk.cpp":
        assert said.splitlines() == [SAID[0].replace(" status 1", " after 20 moves"), *3 * ["arrived"], SAID[1]]
    else:
        assert said.splitlines() == SAID
