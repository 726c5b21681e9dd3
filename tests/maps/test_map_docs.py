"""The commands of docs/maps.md run."""

import re
import shlex
from pathlib import Path

import pytest

from timebound.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "maps.md"


@pytest.fixture
def blocks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_command_line(blocks):
    commands = [line for language, text in blocks if language == "sh" for line in text.splitlines()]
    assert len(commands) == 7
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0
    assert {file.name for file in Path().iterdir()} == {
        "cave.map",
        "field.png",
        "cave.yaml",
        "cave.pgm",
        "cave-picture.png",
        "cave-regions.png",
    }
