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
