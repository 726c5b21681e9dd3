"""The example of docs/lab.md runs, and its tables are complete."""

import re
from pathlib import Path

import pytest

from timebound.cli import main
from timebound.lab.claims import TESTS
from timebound.lab.measures import NAMES
from timebound.lab.spec import load
from timebound.maps.generate import GENERATORS

PAGE = Path(__file__).parents[2] / "docs" / "lab.md"
TEXT = PAGE.read_text(encoding="utf-8")
FOUND = re.findall(r"^```(\w+)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
BLOCKS = dict(reversed(FOUND))


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mazes.toml").write_text(BLOCKS["toml"], encoding="utf-8")
    assert main(["lab", "run", "mazes.toml", "--workers", "1"]) == 0
    capsys.readouterr()
    exec(compile(BLOCKS["python"], str(PAGE), "exec"), {})
    assert capsys.readouterr().out == "mazes quick 180\n"
    assert main(["lab", "report"]) == 0
    assert "Learning saves expansions" in Path("timebound-lab/mazes-quick.html").read_text(encoding="utf-8")


def test_the_example_of_an_experiment_like_another(tmp_path: Path) -> None:
    (text,) = (text for kind, text in FOUND if kind == "toml" and text.startswith("like"))
    (tmp_path / "caves.toml").write_text(text, encoding="utf-8")
    experiment, other = load(tmp_path / "caves.toml"), load("rtaa-table-1")
    assert [entry.label for entry in experiment.entries] == [
        entry.label for entry in other.entries if entry.label != "dstar-lite"
    ]
    assert not experiment.claims
    assert [figure.id for figure in experiment.figures] == [figure.id for figure in other.figures]


def test_everything_is_named() -> None:
    names = [*TESTS, *NAMES, *GENERATORS]
    assert [name for name in names if not re.search(rf"\b{name}\b", TEXT)] == []
