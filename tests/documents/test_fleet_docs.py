"""What docs/fleet.md names exists, and its commands parse."""

import re
from pathlib import Path

import pytest

import timebound as tb
from timebound.cli import main
from timebound.fleet.kinds import unit_kind
from timebound.fleet.units import REASONS

PAGE = Path(__file__).parents[2] / "docs" / "fleet.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_every_reason_is_explained() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)) >= set(REASONS)


def test_every_call_exists() -> None:
    names = set(re.findall(r"`fleet\.(\w+)", TEXT))
    assert names >= {"add", "tick", "plan", "bound"}
    assert [name for name in names if not hasattr(tb.Fleet, name) and name != "ticks"] == []


def test_every_kind_can_be_in_a_fleet() -> None:
    """The page also lists the kinds whose units share a planner."""
    sentence = re.search(r"lent to all of them in turn: (.*?)\.", TEXT, re.DOTALL)
    assert sentence
    world, lent = tb.Grid.load("harbour"), set()
    for kind in tb.catalogue():
        keeps = unit_kind(0, kind.name, world, "known", {}).keeps_searches
        lent |= set() if keeps else {kind.name}
    assert set(re.findall(r"`([\w-]+)`", sentence[1])) == lent


def test_the_command_lines_parse(capsys: pytest.CaptureFixture[str]) -> None:
    lines = re.findall(r"timebound (crowd [^`\n]*)", TEXT)
    lines = [line for line in lines if "--" in line]
    assert len(lines) == 4
    for line in lines:
        words = [word for word in line.split() if not word.endswith((".gif", ".png"))]
        words = [word for word in words if word not in ("--gif", "--picture")]
        with pytest.raises(SystemExit) as end:
            main([*words, "--units", "0"])  # all that is wrong with it
        assert end.value.code == 2
        assert "--units" in capsys.readouterr().err
