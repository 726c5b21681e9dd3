"""`timebound race`: the table, the pictures, the objects for programs, and what is refused."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import check_refused, record_of, run
from PIL import Image

from timebound.applications import race as racing
from timebound.cli import console, main
from timebound.cli.progress import Progress
from timebound.cli.race import COLUMNS

HARBOUR = ["race", "harbour", "--start", "12,100", "--goal", "60,70"]
UNKNOWN = [*HARBOUR, "--terrain", "unknown", "--virtual-ms", "0.02"]
TIMES = ("time_per_move_us", "planning_us", "us_per_move", "max_us_per_move")


def without_times(record: Any) -> Any:
    if isinstance(record, dict):
        return {name: without_times(value) for name, value in record.items() if name not in TIMES}
    return [without_times(value) for value in record] if isinstance(record, list) else record


@pytest.fixture
def divided(tmp_path: Path) -> str:
    path = tmp_path / "divided.map"
    path.write_text("type octile\nheight 3\nwidth 4\nmap\n....\n@@@@\n....\n")
    return str(path)


# ------------------------------------------------------------------ one problem


def test_the_table_is_sorted_by_intervals_then_cost(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run([*HARBOUR, "--expansions", "20"], capsys)
    assert (status, err) == (0, "")
    setting, blank, head, *rows = out.splitlines()
    assert setting.startswith(
        "harbour, (12, 100) to (60, 70), known terrain, 20 expansions per interval; optimal cost "
    )
    assert blank == ""
    assert re.split(r"\s{2,}", head) == list(COLUMNS)
    cells = [row.split() for row in rows]
    assert {row[0] for row in cells} == set(racing.takers("known"))
    ranks = [(int(row[2]), float(row[4])) for row in cells]
    assert ranks == sorted(ranks)
    assert all(row[1] == "goal" for row in cells)
    assert {row[0]: row[5] for row in cells}["astar"] == "1.000"
    assert len({len(row) for row in (head, *rows)}) == 1


def test_agents_that_cannot_take_the_terrain_stay_at_home(capsys: pytest.CaptureFixture[str]) -> None:
    record = record_of(UNKNOWN, capsys)
    assert {agent["agent"] for agent in record["agents"]} == set(racing.takers("unknown"))
    assert "astar" not in racing.takers("unknown")
    status, out, err = run([*UNKNOWN, "--agents", "dstar-lite,astar"], capsys)
    assert (status, out) == (2, "")
    assert "agent 'astar' supports only known terrain; for unknown: repeated-astar" in err


def test_json_of_one_problem(capsys: pytest.CaptureFixture[str]) -> None:
    record = record_of([*HARBOUR, "--agents", "gbfs, astar", "--expansions", "100", "--seed", "3"], capsys)
    assert (record["map"], record["terrain"], record["budget"], record["seed"]) == (
        "harbour",
        "known",
        {"expansions": 100},
        3,
    )
    optimal = record["problems"][0]["optimal_cost"]
    assert record["problems"] == [{"start": [12, 100], "goal": [60, 70], "optimal_cost": optimal}]
    assert sorted(agent["agent"] for agent in record["agents"]) == ["astar", "gbfs"]
    for agent in record["agents"]:
        assert set(agent) == {"agent", "suboptimality", "episode"}
        assert agent["suboptimality"] == agent["episode"]["cost"] / optimal
        assert agent["episode"]["path"][-1] == [60, 70]


def test_partial_terrain_hides_the_same_obstacles_from_all(capsys: pytest.CaptureFixture[str]) -> None:
    record = record_of([*HARBOUR, "--terrain", "partial", "--seed", "5"], capsys)
    walked = {agent["agent"]: agent["episode"]["path"] for agent in record["agents"]}
    assert len(walked) == len(racing.takers("partial"))
    assert record != record_of([*HARBOUR, "--terrain", "partial", "--seed", "6"], capsys)
    assert record["problems"][0]["optimal_cost"] <= min(agent["episode"]["cost"] for agent in record["agents"])


def test_parameters_go_to_the_agents_that_have_them(capsys: pytest.CaptureFixture[str]) -> None:
    command = [*HARBOUR, "--agents", "lrta,wastar", "--expansions", "50"]
    costs = [
        {agent["agent"]: agent["episode"]["expansions"] for agent in record_of([*command, *given], capsys)["agents"]}
        for given in ([], ["--param", "weight=4"], ["--weight", "4"])
    ]
    assert costs[0]["lrta"] == costs[1]["lrta"]
    assert costs[0]["wastar"] > costs[1]["wastar"]
    assert costs[1] == costs[2]


def test_a_random_problem_has_its_ends_far_apart(capsys: pytest.CaptureFixture[str]) -> None:
    problems = [
        record_of(["race", "harbour", "--agents", "gbfs", "--seed", seed], capsys)["problems"][0] for seed in "112"
    ]
    assert problems[0] == problems[1] != problems[2]
    assert all(np.hypot(*np.subtract(each["start"], each["goal"])) > 120 for each in problems)


def test_an_unreachable_goal_is_status_1(divided: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = ["race", divided, "--start", "0,0", "--goal", "0,2", "--terrain", "unknown"]
    status, out, err = run([*command, "--picture", str(tmp_path / "p.png"), "--gif", str(tmp_path / "p.gif")], capsys)
    assert (status, err) == (1, "")
    assert "there is no path" in out.splitlines()[0]
    assert all(" no path " in row for row in out.splitlines()[3:6])
    status, out, _ = run([*command, "--json"], capsys)
    record = json.loads(out)
    assert status == 1
    assert record["problems"][0]["optimal_cost"] is None
    assert {agent["suboptimality"] for agent in record["agents"]} == {None}


def test_start_equal_to_goal(divided: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = ["--picture", str(tmp_path / "p.png"), "--gif", str(tmp_path / "p.gif")]
    record = record_of(["race", divided, "--start", "1,2", "--goal", "1,2", *files], capsys)
    assert {agent["suboptimality"] for agent in record["agents"]} == {1.0}
    assert {agent["episode"]["intervals"] for agent in record["agents"]} == {0}


# ------------------------------------------------------------------ pictures


def test_picture_and_film(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture, film = tmp_path / "race.png", tmp_path / "race.gif"
    status, out, err = run([*UNKNOWN, "--picture", str(picture), "--gif", str(film)], capsys)
    assert (status, err) == (0, "")
    assert out.splitlines()[-2:] == [f"picture: {picture}", f"gif: {film}"]
    assert {file.name for file in tmp_path.iterdir()} == {"race.png", "race.gif"}
    with Image.open(picture) as image:
        image.load()
        assert image.width == 1000
        assert image.height > 600  # the legend is below the map
    rows = out.splitlines()[3:-3]  # between the head and the names of the files
    intervals = max(int(row.split()[2].replace(",", "")) for row in rows)
    with Image.open(film) as image:
        assert (image.width, image.n_frames) == (800, min(150, intervals + 1))
        for frame in (0, image.n_frames - 1):
            image.seek(frame)
            image.load()
    assert film.stat().st_size < 3_000_000


def test_the_same_command_gives_the_same_bytes_apart_from_times(tmp_path: Path) -> None:
    def output(*rules: str) -> dict:
        command = [*HARBOUR, "--terrain", "unknown", "--json", *rules]
        finished = subprocess.run([sys.executable, "-m", "timebound", *command], capture_output=True, check=True)
        return without_times(json.loads(finished.stdout))

    def drawn(name: str) -> tuple[dict, bytes, bytes]:
        picture, film = tmp_path / f"{name}.png", tmp_path / f"{name}.gif"
        record = output(*agents, "--virtual-ms", "0.01", "--picture", str(picture), "--gif", str(film))
        return record, picture.read_bytes(), film.read_bytes()

    agents = ["--agents", "tbaa,rtaa,dstar-lite,lss-lrta,lrta,tbr-wastar"]
    assert drawn("a") == drawn("b")
    assert output(*agents, "--expansions", "50") == output(*agents, "--expansions", "50")


# ------------------------------------------------------------------ many problems


def test_means_of_many_problems(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["race", "harbour", "--problems", "6", "--terrain", "partial", "--expansions", "50", "--seed", "4"]
    record = record_of(command, capsys)
    assert (len(record["problems"]), record["stopped"]) == (6, False)
    assert len({(*each["start"], *each["goal"]) for each in record["problems"]}) == 6
    means = [agent["means"]["intervals"]["mean"] for agent in record["agents"]]
    assert means == sorted(means)
    for agent in record["agents"]:
        assert (agent["solved"], agent["failures"]) == (6, 0)
        assert all(figure["low"] <= figure["mean"] <= figure["high"] for figure in agent["means"].values())
    assert without_times(record) == without_times(record_of(command, capsys))


def test_the_table_of_means(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(["race", "harbour", "--problems", "3", "--agents", "astar,gbfs"], capsys)
    assert (status, err) == (0, "")
    setting, _, head, *rows = out.splitlines()
    assert setting == (
        "harbour, 3 random problems of seed 0, known terrain, no limit per interval; means ± 95 % confidence"
    )
    assert head.split()[:4] == ["agent", "solved", "failed", "intervals"]
    assert all(row.split()[1:3] == ["3", "0"] and row.count("±") == 7 for row in rows)
    _, out, _ = run(["race", "harbour", "--problems", "1", "--agents", "astar"], capsys)
    assert "±" not in out.splitlines()[-1]


def test_failures_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["race", "harbour", "--problems", "3", "--agents", "astar,dstar-lite", "--param", "memory_mb=0.00001"]
    status, out, err = run(command, capsys)
    assert (status, err) == (1, "")
    assert all(row.split()[1:4] == ["0", "3", "-"] for row in out.splitlines()[3:])
    status, out, _ = run([*command, "--json"], capsys)
    assert [agent["means"] for agent in json.loads(out)["agents"]] == [{}, {}]


def test_a_limit_on_intervals(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = [*HARBOUR, "--agents", "astar,gbfs", "--expansions", "100", "--intervals", "20"]
    status, out, err = run(command, capsys)
    assert (status, err) == (1, "")
    assert ", 100 expansions per interval, at most 20 intervals; optimal cost " in out.splitlines()[0]
    assert all(re.split(r"\s{2,}", row)[1:3] == ["out of intervals", "20"] for row in out.splitlines()[3:])
    status, plain, _ = run([*command, "--json"], capsys)
    record = json.loads(plain)
    assert (status, record["intervals"]) == (1, 20)
    assert [agent["episode"]["stop"] for agent in record["agents"]] == ["intervals"] * 2
    _, filmed, _ = run([*command, "--json", "--gif", str(tmp_path / "race.gif")], capsys)
    assert without_times(json.loads(filmed)) == without_times(record)
    status, out, _ = run(["race", "harbour", "--problems", "2", "--agents", "astar", "--intervals", "3"], capsys)
    assert status == 1
    assert out.splitlines()[-1].split()[1:3] == ["0", "2"]
    enough = record_of([*command[:-1], "100000"], capsys)
    assert {agent["episode"]["stop"] for agent in enough["agents"]} == {"goal"}


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_an_interrupt_prints_what_is_done(
    form: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    original, calls = racing.race, []

    def interrupted(*arguments: Any, **options: Any) -> racing.Race:
        calls.append(1)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return original(*arguments, **options)

    monkeypatch.setattr(racing, "race", interrupted)
    status, out, err = run(["race", "harbour", "--problems", "50", "--agents", "astar", *form], capsys)
    assert status == 130
    assert err == "timebound: stopped after 2 of 50 problems\n"
    if form:
        assert (json.loads(out)["stopped"], len(json.loads(out)["problems"])) == (True, 2)
    else:
        assert "harbour, 2 random problems" in out


def test_a_second_ctrl_c_ends_the_command_like_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(racing, "race", interrupted)
    monkeypatch.setattr(console, "say", interrupted)
    assert main(["race", "harbour", "--problems", "5", "--agents", "astar"]) == 130


def test_progress_is_for_terminals(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Progress(5, "problems").report(1)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    progress = Progress(5, "problems")
    progress.report(1)
    progress.report(2)
    err = capsys.readouterr().err
    assert "1 of 5 problems " in err
    assert "2 of 5 problems, 0 s left" in err


def test_progress_in_a_log_is_a_line_a_minute(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    progress, seconds = Progress(9, "problems"), iter([100, 130, 160, 200, 220, 270])
    monkeypatch.setattr(time, "monotonic", lambda: next(seconds))
    for done in range(1, 7):
        progress.report(done)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["timebound: 3 of 9 problems, 3 min 0 s left", "timebound: 5 of 9 problems, 2 min 0 s left"]


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["race", "nowhere.map"], "nowhere.map"),
        (["race", "harbour", "--start", "12,100"], "give both --start and --goal, or neither"),
        ([*HARBOUR, "--problems", "5"], "--problems draws starts and goals at random; leave out --start and --goal"),
        (["race", "harbour", "--problems", "0"], "a whole number from 1 to 1,000,000 is needed, not '0'"),
        (["race", "harbour", "--problems", "ten"], "a whole number from 1 to 1,000,000 is needed, not 'ten'"),
        (["race", "harbour", "--problems", "5", "--gif", "a.gif"], "a picture shows one problem"),
        (["race", "harbour", "--seed", "-1"], "a whole number from 0 is needed, not '-1'"),
        ([*HARBOUR[:-1], "0,0"], "(0, 0) is blocked; choose a free cell"),
        ([*HARBOUR, "--agents", "astra"], "there is no agent 'astra'; did you mean 'astar'?"),
        ([*HARBOUR, "--agents", ","], "a race needs an agent; for known terrain choose from: astar, "),
        ([*HARBOUR, "--agents", "astar,gbfs,astar"], "agent 'astar' is listed twice"),
        ([*HARBOUR, "--agents", "lrta", "--weight", "2"], "no agent of this race has a parameter 'weight'"),
        ([*HARBOUR, "--param", "wieght=2"], "parameter 'wieght'; did you mean 'weight'?"),
        ([*HARBOUR, "--param", "weight"], "--param takes NAME=VALUE, not 'weight'"),
        ([*HARBOUR, "--weight", "0.5"], "the weight must be a number from 1 to a million"),
        ([*HARBOUR, "--ms", "0"], "the budget ms must be a number above 0"),
        ([*HARBOUR, "--ms", "1", "--expansions", "5"], "not allowed with"),
        ([*HARBOUR, "--intervals", "0"], "argument --intervals: a whole number from 1 is needed, not '0'"),
        ([*HARBOUR, "--intervals", "2.5"], "a whole number from 1 is needed, not '2.5'"),
        ([*HARBOUR, "--picture", "p.xyz"], "p.xyz: pictures are not written as .xyz; use .png"),
        ([*HARBOUR, "--gif", "race.png"], "race.png: animations are written as .gif files only; use that suffix"),
        ([*HARBOUR, "--gif", "a.gif", "--picture", "a.gif"], "the picture and the animation need different files"),
        ([*HARBOUR, "--agents", "gbfs", "--picture", "a.png", "--gif", "gone/a.gif"], "cannot be written"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    check_refused(arguments, message, capsys)
    assert list(tmp_path.iterdir()) == []


def test_help_shows_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(["race", "--help"], capsys)
    assert status == 0
    assert "timebound race harbour" in out
