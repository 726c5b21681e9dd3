"""`timebound drive` and `timebound slide`."""

import json
from pathlib import Path

import pytest

from timebound.cli import main


def test_drive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    track, picture = tmp_path / "little.track", tmp_path / "drive.png"
    track.write_text("dim: 4 9\ns.......g\n.........\n...xxx...\n.........\n")
    assert main(["drive", str(track), "--agent", "wastar", "--picture", str(picture)]) == 0
    assert "reached the goal" in capsys.readouterr().out
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert main(["drive", str(track), "--start", "0,3", "--goal", "8,3", "--agent", "wastar", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["solved"]
    assert record["path"][0] == [0, 3, 0, 0]
    assert record["path"][-1][:2] == [8, 3]


def test_slide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["slide", "1 4 2 3 0 5 6 7 8", "--agent", "wastar"]) == 0
    assert "reached the goal" in capsys.readouterr().out
    file = tmp_path / "puzzles.txt"
    file.write_text("# one\n1 2 0 3 4 5 6 7 8\n")
    assert main(["slide", f"{file}:1", "--agent", "wastar", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cost"] == 2


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("slide", "1 4 2 3 0 5 6 8 7|half of all arrangements are unreachable"),
        ("slide", "1 2 3|3 tiles do not form a square"),
        ("slide", "a b|a puzzle is a list of whole numbers"),
        ("slide", "missing.txt:3|cannot be read"),
        ("drive", "harbour|harbour marks no start"),
        ("drive", "missing.track|missing.track"),
    ],
)
def test_bad_input_is_one_line(command: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    argument, expected = complaint.split("|")
    assert main([command, argument]) == 2
    said = capsys.readouterr().err
    assert expected in said
    assert said.count("\n") == 1


def test_agents_that_cannot_drive_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drive", "harbour", "--start", "12,100", "--goal", "180,14", "--agent", "tba"]) == 2
    assert "steps back" in capsys.readouterr().err
