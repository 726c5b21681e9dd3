"""The commands of docs/your-own-agent.md run, and what it says about checks and packages is true."""

import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

import timebound as tb
from timebound.agents import registry
from timebound.agents.check import INTERFACE
from timebound.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "your-own-agent.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", TEXT[TEXT.index("## Where it lives") :], re.MULTILINE | re.DOTALL)
MODULE = next(text for language, text in BLOCKS if language == "python")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the module of the page is, and commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.delitem(sys.modules, "my_agents", raising=False)
    (tmp_path / "my_agents.py").write_text(MODULE)
    return tmp_path


def test_command_line(folder: Path) -> None:
    commands = "".join(text for language, text in BLOCKS if language == "console").splitlines()
    assert len(commands) == 3
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0


def test_the_entry_points_are_of_the_group_that_is_looked_up() -> None:
    (text,) = [text for language, text in BLOCKS if language == "toml"]
    assert registry.GROUP in tomllib.loads(text)["project"]["entry-points"]


def test_what_an_object_needs_is_told() -> None:
    assert f"{', '.join(f'`{name}`' for name in INTERFACE[:-1])} and `{INTERFACE[-1]}`" in TEXT


def test_the_sentence_that_is_shown_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Overspends:
        def __init__(self, *problem: object, **rules: object):
            self.agent = tb.make("repeated-astar", *problem, **rules)

        def __getattr__(self, name: str) -> object:
            return getattr(self.agent, name)

        def step(self, expansions: float = 1, **limits: float) -> object:
            return self.agent.step(expansions=2 * expansions, **limits)

    *_, text = [text for language, text in BLOCKS if language == "text"]
    assert tb.check_agent(Overspends, problems=1) == [text.strip()]
