"""The command in the section on abstraction of docs/subgoals.md runs."""

import re
import shlex
from pathlib import Path

import pytest

from timebound.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "subgoals.md"
SECTION = PAGE.read_text(encoding="utf-8").split("## Abstraction, D LRTA")[1].split("\n## ")[0]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (command,) = (text for language, text in BLOCKS if language == "console")
    assert main(shlex.split(command)[1:]) == 0
    count = re.search(r"The picture shows the (\d+) regions", SECTION)
    assert count
    assert f"{count[1]} regions" in capsys.readouterr().out
