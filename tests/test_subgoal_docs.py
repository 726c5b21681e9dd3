"""The commands of docs/subgoals.md run, up to the section on abstraction, and every parameter is explained."""

import re
import shlex
from pathlib import Path

import pytest

from timebound.agents.parts import find_part
from timebound.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "subgoals.md"
TEXT = PAGE.read_text(encoding="utf-8")
OF_CASES = TEXT.split("## Abstraction")[0]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", OF_CASES, re.MULTILINE | re.DOTALL)


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (commands,) = (text for language, text in BLOCKS if language == "console")
    for command in commands.splitlines():
        assert main(shlex.split(command)[1:]) == 0


def test_every_parameter_is_explained() -> None:
    rows = [line for line in OF_CASES.splitlines() if line.startswith("| `")]
    explained = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert explained == set(find_part("target", "cases").parameters)
