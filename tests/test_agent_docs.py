"""The examples of docs/agents.md run, and its table is the catalogue."""

import re
import shlex
from pathlib import Path

import pytest

import timebound as tb
from timebound.agents.catalogue import COMMON, EVERYWHERE, Kind
from timebound.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "agents.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_python(capsys: pytest.CaptureFixture[str]) -> None:
    code = "".join(text for language, text in BLOCKS if language == "python")
    exec(compile(code, str(PAGE), "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("True goal ")
    assert lines[1] == "goal (60, 70)"
    assert lines[2].startswith("goal ")
    assert len(lines) == 5


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = [line for language, text in BLOCKS if language == "console" for line in text.splitlines()]
    assert len(commands) == 3
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0
    assert {file.name for file in tmp_path.iterdir()} == {"race.png", "race.gif"}


def test_the_table_is_the_catalogue() -> None:
    def row(kind: Kind) -> str:
        terrain = "all" if kind.terrain == EVERYWHERE else ", ".join(kind.terrain)
        parameters = ", ".join(f"`{name}` {value}" for name, value in kind.parameters.items())
        cells = (f"`{kind.name}`", kind.about, terrain, parameters, kind.paper)
        return re.sub(" +", " ", f"| {' | '.join(cells)} |")

    assert [row(kind) for kind in tb.catalogue() if row(kind) not in TEXT] == []
    assert [name for name in COMMON if f"\n| `{name}` |" not in TEXT] == []
