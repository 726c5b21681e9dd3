"""The commands of the README run, and its table of speeds is that of the benchmarks."""

import re
import shlex
from pathlib import Path

import pytest

import timebound as tb
from timebound.cli import main

PAGE = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    console = "".join(text for language, text in BLOCKS if language == "console")
    commands = re.findall(r"^timebound (?!--help)(.*)", console, re.MULTILINE)
    quicker = [command.replace("--problems 100", "--problems 2") for command in commands]
    assert len(commands) == 2
    assert [main(shlex.split(command)) for command in quicker] == [0, 0]
    assert [file.name for file in tmp_path.iterdir()] == ["path.png"]


def test_the_speed_table_is_that_of_the_benchmarks() -> None:
    """The README's times are the means, in the last column of the first table of docs/benchmarks.md."""
    readme = PAGE.read_text(encoding="utf-8").partition("## Speed")[2].partition("## ")[0]
    times = re.findall(r"^\| (\w[\w-]*), .*\| ([\d.]+) \|$", readme, re.MULTILINE)
    table = (PAGE.parent / "docs" / "benchmarks.md").read_text(encoding="utf-8").partition("## How cost grows")[0]
    assert len(times) == 8
    for package, time in times:
        rows = re.findall(rf"^\| {package}[ ,].*\| ([\d.]+) \|$", table, re.MULTILINE | re.IGNORECASE)
        assert rows[0] == time


def test_the_advice_is_that_of_which_agent() -> None:
    """The README's table, the list in docs/which-agent.md and its picture name the same agents."""
    readme = PAGE.read_text(encoding="utf-8").partition("## Which agent when")[2].partition("\n\n`timebound")[0]
    pages = PAGE.parent / "docs"
    listed = (pages / "which-agent.md").read_text(encoding="utf-8").partition("These are rules of thumb")[0]
    drawn = " ".join(
        re.findall(r'class="b">([^<]*)<', (pages / "images" / "which-agent.svg").read_text(encoding="utf-8"))
    )
    names = [kind.name for kind in tb.catalogue()]
    advised = [{name for name in names if f"`{name}`" in text} for text in (readme, listed)]
    assert advised[0] == advised[1] == {name for name in names if name in re.findall(r"[a-z-]+", drawn)}
