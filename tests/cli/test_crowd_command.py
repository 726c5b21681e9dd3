"""`timebound crowd`: the table, the objects for programs, the film, and what is refused."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from commands import check_refused, record_of, run
from PIL import Image

from timebound import maps
from timebound.maps.crowds import UNIT_COLOURS
from timebound.maps.trails import FRAMES

COMMAND = ["crowd", "rooms:40x30", "--units", "30", "--param", "lookahead=12", "--seed", "3"]
COUNTED = [*COMMAND, "--expansions", "600", "--ticks", "40"]


@pytest.mark.compiled
def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run([*COMMAND, "--ms", "1", "--ticks", "40", "--storm"], capsys)
    assert (status, err) == (0, "")
    setting, _, head, tick, processor, bare, changes, _, *outcome = out.splitlines()
    assert setting == ("rooms-40x30-16-3 (40 x 30), 30 units, rtaa, known terrain, collisions none, 1 ms per tick")
    assert head.split() == ["ms", "p50", "p99", "p99.9", "max", "late"]
    for row, name in ((tick, "tick"), (processor, "tick, processor time"), (bare, "bare wait")):
        assert row.startswith(name)
        p50, p99, p999, worst, late = row.removeprefix(name).split()
        assert float(p50) <= float(p99) <= float(p999) <= float(worst)
        assert 0 <= int(late) <= 40
    assert changes.startswith("walls, new goals")
    told = dict(line.split("  ", 1) for line in outcome)
    assert told["ticks"].strip() == "40"
    assert set(told) >= {"longest wait", "arrived", "memory", "units that planned, per tick", "storm in tick 20"}
    assert "12 cells changed" in told["storm in tick 20"]


@pytest.mark.uncompiled
def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    record = record_of([*COUNTED, "--walls", "2", "--collisions", "push", "--repair"], capsys)
    assert record["budget"] == {"expansions": 600}
    assert (record["units"], record["walls"], record["collisions"], record["ticks"]) == (30, 2, "push", 40)
    assert record["parameters"] == {"lookahead": 12}
    assert record["bare_wait_us"] is None
    assert record["storm"] is None
    assert record["longest_wait"] <= record["bound"] == 1
    assert set(record["tick_us"]) == {"p50", "p99", "p99.9", "max"}
    assert record["memory_bytes"] > 0
    assert 0 < record["moved_per_tick"] <= 30


@pytest.mark.uncompiled
def test_counted_runs_repeat_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    def counts() -> list[object]:
        record = record_of([*COUNTED, "--storm", "--walls", "3"], capsys)
        names = ("arrived", "unreachable", "longest_wait", "served_per_tick", "moved_per_tick", "expansions_per_tick")
        return [record[name] for name in names]

    assert counts() == counts()


@pytest.mark.compiled
def test_threads_make_no_difference(capsys: pytest.CaptureFixture[str]) -> None:
    one, two = (record_of([*COUNTED, "--threads", threads], capsys) for threads in ("1", "2"))
    assert all(one[name] == two[name] for name in ("arrived", "moved_per_tick", "expansions_per_tick"))
    assert two["processor_us"] is None


@pytest.mark.uncompiled
def test_status_1_if_not_all_arrive_in_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*COUNTED, "--once", "--ticks", "3"], capsys)[0] == 1
    status, out, _ = run([*COUNTED, "--once", "--ticks", "3000"], capsys)
    assert status == 0
    assert "arrived                       30\n" in out


@pytest.mark.uncompiled
def test_the_default_budget_is_a_frame(capsys: pytest.CaptureFixture[str]) -> None:
    assert record_of([*COMMAND, "--ticks", "3"], capsys)["budget"] == {"ms": 16.7}


@pytest.mark.uncompiled
def test_maps_from_files_and_built_in_ones(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "small.map"
    file.write_text("type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\n....\n")
    rules = ["--units", "3", "--expansions", "50", "--ticks", "5"]
    assert record_of(["crowd", str(file), *rules], capsys)["map"] == "small"
    assert record_of(["crowd", "harbour", *rules], capsys)["map"] == "harbour"


# ------------------------------------------------------------------ pictures


def colours_of(image: Image.Image) -> set[tuple[int, ...]]:
    return set(map(tuple, np.asarray(image.convert("RGB")).reshape(-1, 3).tolist()))


@pytest.mark.uncompiled
def test_picture_and_film(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture, film = tmp_path / "crowd.png", tmp_path / "crowd.gif"
    status, out, _ = run([*COUNTED, "--ticks", "12", "--picture", str(picture), "--gif", str(film)], capsys)
    assert status == 0
    assert out.endswith(f"picture: {picture}\ngif: {film}\n")
    with Image.open(picture) as image:
        assert UNIT_COLOURS["moving"] in colours_of(image)
        assert image.height > image.width * 30 // 40 + 150  # the map, and the strip below it
    with Image.open(film) as image:
        assert image.n_frames == 12
        first = np.asarray(image.convert("RGB"))
        image.seek(11)
        last = np.asarray(image.convert("RGB"))
    chart = slice(-110, -30)
    assert np.any(first != last)
    inked = [int(np.count_nonzero(np.ptp(frame[chart].astype(int), axis=2) > 60)) for frame in (first, last)]
    assert inked[1] > 4 * (inked[0] + 1)  # the line has grown


@pytest.mark.compiled
def test_a_long_run_is_filmed_in_few_frames(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    film = tmp_path / "crowd.gif"
    assert run([*COUNTED[:-1], str(FRAMES * 2), "--walls", "2", "--storm", "--gif", str(film)], capsys)[0] == 0
    with Image.open(film) as image:
        assert image.n_frames == FRAMES


@pytest.mark.uncompiled
def test_walls_are_drawn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from timebound.maps.trails import RUBBLE

    for walls, drawn in (("0", False), ("6", True)):
        picture = tmp_path / f"{walls}.png"
        assert run([*COUNTED, "--ticks", "12", "--walls", walls, "--picture", str(picture)], capsys)[0] == 0
        with Image.open(picture) as image:
            assert (RUBBLE in colours_of(image)) == drawn


# ------------------------------------------------------------------ what is refused


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.map"], "missing.map: cannot be read"),
        (["caves:3x3"], "3 x 3 cells are too few"),
        (["harbour", "--units", "0"], "a whole number from 1 to 1,000,000 is needed, not '0'"),
        (["harbour", "--ms", "0"], "the budget ms must be a number above 0 (or inf), not 0"),
        (["harbour", "--ms", "1", "--expansions", "5"], "not allowed with argument"),
        (["harbour", "--expansions", "1.5"], "the budget expansions must be a whole number"),
        (["harbour", "--agent", "tbaa", "--param", "fallback=nearest"], "are for single agents"),
        (["harbour", "--agent", "nobody"], "there is no agent 'nobody'"),
        (["harbour", "--param", "units=3"], "units is not a parameter of agent 'rtaa'"),
        (["harbour", "--param", "weigth=3"], "weigth"),
        (["harbour", "--collisions", "bounce"], "invalid choice: 'bounce'"),
        (["harbour", "--repair"], "use collisions='push'"),
        (["harbour", "--units", "50000", "--collisions", "wait"], "50,000 units do not fit"),
        (["harbour", "--gif", "crowd.mp4"], "crowd.mp4: animations are written as .gif files only; use that suffix"),
        (
            ["harbour", "--picture", "a.gif", "--gif", "a.gif"],
            "a.gif: the picture and the animation need different files",
        ),
        (["harbour", "--picture", "crowd.txt"], "crowd.txt: pictures are not written as .txt"),
        (["harbour", "--terrain", "partial"], "partial"),
    ],
)
def test_bad_input(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(["crowd", *arguments, "--ticks", "2"], capsys)
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.compiled
@pytest.mark.skipif(os.name == "nt", reason="signals work otherwise there")
def test_interrupted_it_prints_what_was_measured_and_draws_nothing(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "timebound", *COMMAND, "--ms", "5", "--ticks", "100000", "--gif", "crowd.gif"]
    process = subprocess.Popen(
        program, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "of 100,000 ticks" in err or err == "timebound: stopped\n"
    assert ("longest wait" in out) == ("of 100,000 ticks" in err)
    assert list(tmp_path.iterdir()) == []


def test_partial_terrain_is_not_offered(capsys: pytest.CaptureFixture[str]) -> None:
    check_refused(["crowd", "harbour", "--units", "2", "--terrain", "partial"], "invalid choice: 'partial'", capsys)
    assert "--terrain {known,unknown}" in run(["crowd", "--help"], capsys)[1]


@pytest.mark.uncompiled
def test_a_scenario_is_played_and_its_plan_is_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two units that want to pass each other in a corridor, and a third that nobody asked for."""
    maps.write(maps.from_array(np.array([[True] * 6, [False, False, True, False, False, False]])), tmp_path / "c.map")
    ends = [((0, 0), (5, 0)), ((5, 0), (0, 0)), ((2, 1), (2, 1))]
    problems = [maps.Problem(0, "c.map", 6, 2, start, goal, 5.0) for start, goal in ends]
    maps.write_scenario(problems, tmp_path / "c.scen")
    files = ["--scenario", str(tmp_path / "c.scen"), "--plan", str(tmp_path / "plan.txt")]
    rules = ["--neighbors", "4", "--collisions", "complete", "--agent", "lss-lrta", "--expansions", "100", "--once"]
    record = record_of(["crowd", str(tmp_path / "c.map"), "--units", "2", *files, *rules], capsys)
    plan = maps.read_plan(tmp_path / "plan.txt")
    assert plan.solved
    assert plan.faults(maps.read(tmp_path / "c.map").passable) == []
    assert plan.places[0].tolist() == [[0, 0], [5, 0]]
    assert (record["arrived"], record["sum_of_costs"], record["makespan"]) == (2, plan.sum_of_costs, plan.makespan)
    check_refused(["crowd", str(tmp_path / "c.map"), "--units", "4", *files], "too few", capsys)
    check_refused(["crowd", "harbour", "--units", "2", *files], "is for a map of 6 x 2", capsys)
