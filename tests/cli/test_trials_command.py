"""`timebound solve --trials N`: the table, the record for programs, the pictures, and what is refused."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import run
from PIL import Image

from timebound.agents.episode import Episode
from timebound.applications import trials as trial_module

PROBLEM = ["solve", "harbour", "--start", "12,100", "--goal", "60,70"]
LEARN = [*PROBLEM, "--agent", "rtaa", "--expansions", "20"]


def test_json_is_the_last_trial_and_a_record_of_each(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run([*LEARN, "--trials", "300", "--json"], capsys)
    record = json.loads(out)
    trials = record["trials"]
    assert (status, err) == (0, "")
    assert [trial["trial"] for trial in trials] == list(range(1, len(trials) + 1))
    assert trials[0]["suboptimality"] > trials[-1]["suboptimality"] == pytest.approx(1)
    for name in ("cost", "moves", "intervals", "expansions", "searches", "updates", "solved", "stop"):
        assert record[name] == trials[-1][name]
    assert record["path"][0] == [12, 100]


def test_without_the_option_there_are_no_trials(capsys: pytest.CaptureFixture[str]) -> None:
    assert "trials" not in json.loads(run([*LEARN, "--json"], capsys)[1])
    assert len(json.loads(run([*PROBLEM, "--trials", "1", "--json"], capsys)[1])["trials"]) == 1


def test_a_long_table_loses_its_middle(capsys: pytest.CaptureFixture[str]) -> None:
    command = [*PROBLEM, "--agent", "lrta", "--trials"]
    status, out, err = run([*command, "300"], capsys)
    assert (status, err) == (0, "")
    table, figures = out.split("\n\n")
    head, *rows = table.splitlines()
    assert head.split() == ["trial", "cost", "cost/optimal", "moves", "expansions", "updates"]
    assert len(rows) == 21
    assert rows[10].split() == ["..."] * 6
    assert len({len(row) for row in (head, *rows)}) == 1
    count = rows[-1].split()[0]
    assert f"trials             {count}; the last walked an optimal path\n" in figures
    out = run([*command, "3"], capsys)[1]
    assert "trials             3; none walked an optimal path\n" in out
    assert "..." not in out


def test_a_trial_that_fails_ends_it_with_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run([*LEARN, "--trials", "9", "--intervals", "5"], capsys)
    assert (status, err) == (1, "")
    assert "1; the last did not reach the goal" in out
    assert "outcome            out of intervals" in out
    record = json.loads(run([*LEARN, "--trials", "9", "--intervals", "5", "--json"], capsys)[1])
    assert [trial["suboptimality"] for trial in record["trials"]] == [None]


def test_the_picture_has_the_curve_below_the_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, curve = tmp_path / "plain.png", tmp_path / "curve.png"
    run([*LEARN, "--picture", str(plain)], capsys)
    status, out, _ = run([*LEARN, "--trials", "40", "--picture", str(curve)], capsys)
    assert status == 0
    assert f"picture            {curve}\n" in out
    with Image.open(plain) as map_, Image.open(curve) as both:
        assert both.width == map_.width
        assert both.height == map_.height + 300


def test_a_picture_of_what_was_learned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "learned.png"
    status, out, err = run([*LEARN, "--terrain", "unknown", "--picture-learning", str(file)], capsys)
    assert (status, err) == (0, "")
    assert out.endswith(f"learning           {file}\n")
    with Image.open(file) as image:
        assert image.width == 1260


def test_an_interrupt_keeps_what_is_done(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    proper = trial_module.trials

    def interrupted(*arguments: object, **budget: object) -> Iterator[Episode]:
        for number, episode in enumerate(proper(*arguments, **budget)):
            if number == 2:
                raise KeyboardInterrupt
            yield episode

    monkeypatch.setattr(trial_module, "trials", interrupted)
    status, out, err = run([*LEARN, "--trials", "300", "--json"], capsys)
    assert (status, err) == (130, "timebound: stopped after 2 of 300 trials\n")
    assert len(json.loads(out)["trials"]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [*PROBLEM, "--trials", "2"],
            "agent 'astar' does not learn from trial to trial; these do: adaptive-astar",
        ),
        ([*PROBLEM, "--picture-learning", "p.png"], "agent 'astar' learns nothing to draw; these do:"),
        ([*LEARN, "--picture-learning", "p.xyz"], "p.xyz"),
        ([*LEARN, "--picture-learning", "p.png", "--picture", "p.png"], "p.png: the two pictures need different files"),
        ([*LEARN, "--trials", "0"], "a whole number from 1 is needed, not '0'"),
        ([*LEARN, "--trials", "many"], "a whole number from 1 is needed, not 'many'"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(arguments, capsys)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_picture_of_prioritised_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*PROBLEM, "--agent", "plrta", "--picture", str(tmp_path / "p.png")], capsys)[0] == 0
