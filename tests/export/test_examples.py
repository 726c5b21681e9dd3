"""The examples of the C library run."""

import re
import subprocess
from pathlib import Path

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
