"""`timebound solve`: the contract that other programs rely on."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import check_refused, record_of, run

HARBOUR = ["solve", "harbour", "--start", "12,100", "--goal", "180,14"]
KEYS = [
    "agent",
    "solved",
    "cost",
    "moves",
    "intervals",
    "expansions",
    "searches",
    "back_moves",
    "path",
    "time_per_move_us",
    "memory_bytes",
    "stop",
]


def test_json_has_every_key_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    record = record_of(HARBOUR, capsys)
    assert [key for key in KEYS if key not in record] == []
    assert record["agent"] == "astar"
    assert record["solved"] is True
    assert record["stop"] == "goal"
    assert record["cost"] == pytest.approx(238.16652)
    assert record["path"][0] == [12, 100]
    assert record["path"][-1] == [180, 14]
    assert record["moves"] == len(record["path"]) - 1
    assert set(record["time_per_move_us"]) == {"mean", "p50", "p99", "max"}


def test_intervals_are_those_of_the_search_and_those_of_the_moves(capsys: pytest.CaptureFixture[str]) -> None:
    record = record_of([*HARBOUR, "--expansions", "100"], capsys)
    assert record["intervals"] == record["moves"] + -(-record["expansions"] // 100)
    assert record_of([*HARBOUR, "--expansions", "inf"], capsys)["intervals"] == record["moves"] + 1
    assert record_of([*HARBOUR, "--virtual-ms", "0.1"], capsys)["intervals"] > record["moves"] + 3
    assert record_of([*HARBOUR, "--ms", "1000"], capsys)["intervals"] == record["moves"] + 1


def test_weights(capsys: pytest.CaptureFixture[str]) -> None:
    best = record_of(HARBOUR, capsys)
    weighted = record_of([*HARBOUR, "--agent", "wastar", "--weight", "3"], capsys)
    assert weighted == {
        **record_of([*HARBOUR, "--agent", "wastar", "--param", "weight=3"], capsys),
        "time_per_move_us": weighted["time_per_move_us"],
        "planning_us": weighted["planning_us"],
    }
    assert best["cost"] < weighted["cost"] <= 3 * best["cost"]
    assert weighted["expansions"] < best["expansions"]
    assert record_of([*HARBOUR, "--agent", "gbfs"], capsys)["expansions"] < best["expansions"]


def test_rules_of_the_grid(capsys: pytest.CaptureFixture[str]) -> None:
    costs = [
        record_of([*HARBOUR, *rules], capsys)["cost"]
        for rules in (
            ["--neighbors", "16", "--corners", "cut"],
            ["--neighbors", "16"],
            ["--neighbors", "8"],
            ["--neighbors", "4"],
        )
    ]
    assert costs == sorted(costs)
    assert len(set(costs)) == 4
    assert record_of([*HARBOUR, "--diagonal", "1.4"], capsys)["cost"] < costs[2]
    assert record_of([*HARBOUR, "--heuristic", "euclidean"], capsys)["cost"] == costs[2]


def test_the_same_command_gives_the_same_bytes_apart_from_times(tmp_path: Path) -> None:
    def output(name: str) -> tuple[dict, bytes]:
        command = [sys.executable, "-m", "timebound", *HARBOUR, "--json", "--picture", str(tmp_path / name)]
        record = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        del record["time_per_move_us"], record["planning_us"]
        return record, (tmp_path / name).read_bytes()

    assert output("a.png") == output("b.png")


def test_the_table_for_people(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, err = run([*HARBOUR, "--picture", str(tmp_path / "p.png")], capsys)
    assert (status, err) == (0, "")
    assert "cost               238.1665\n" in out
    assert "reached the goal" in out
    assert (tmp_path / "p.png").stat().st_size > 1000


@pytest.fixture
def divided(tmp_path: Path) -> str:
    path = tmp_path / "divided.map"
    path.write_text("type octile\nheight 3\nwidth 4\nmap\n....\n@@@@\n....\n")
    return str(path)


def test_an_unreachable_goal_is_status_1(divided: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["solve", divided, "--start", "0,0", "--goal", "0,2"]
    status, out, err = run(command, capsys)
    assert (status, err) == (1, "")
    assert "proved that the goal cannot be reached" in out
    status, out, _ = run([*command, "--json"], capsys)
    record = json.loads(out)
    assert status == 1
    assert (record["solved"], record["cost"], record["moves"], record["stop"]) == (False, 0.0, 0, "unreachable")
    assert record["path"] == [[0, 0]]


def test_a_limit_on_intervals_is_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    command = [*HARBOUR, "--expansions", "100", "--intervals", "50"]
    status, out, err = run(command, capsys)
    assert (status, err) == (1, "")
    assert "outcome            out of intervals\n" in out
    record = json.loads(run([*command, "--json"], capsys)[1])
    assert (record["solved"], record["stop"], record["intervals"]) == (False, "intervals", 50)


def test_start_equal_to_goal_is_solved_with_no_move(divided: str, capsys: pytest.CaptureFixture[str]) -> None:
    record = record_of(["solve", divided, "--start", "1,2", "--goal", "1,2"], capsys)
    assert (record["cost"], record["moves"], record["path"], record["expansions"]) == (0.0, 0, [[1, 2]], 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "nowhere.map", "--start", "0,0", "--goal", "1,1"], "nowhere.map"),
        ([*HARBOUR[:-1], "0,0"], "(0, 0) is blocked; choose a free cell"),
        ([*HARBOUR[:-1], "900,1"], "(900, 1) is outside the map, which is 200 wide and 120 high"),
        ([*HARBOUR[:-1], "5"], "a position is two whole numbers X,Y, not '5'"),
        ([*HARBOUR, "--agent", "astra"], "there is no agent 'astra'; did you mean 'astar'?"),
        ([*HARBOUR, "--expansions", "0"], "the budget expansions must be a number above 0"),
        ([*HARBOUR, "--expansions", "nan"], "the budget expansions must be a number above 0"),
        ([*HARBOUR, "--expansions", "many"], "'many' is not a number"),
        ([*HARBOUR, "--ms", "-1"], "the budget ms must be a number above 0"),
        ([*HARBOUR, "--ms", "1", "--expansions", "5"], "not allowed with"),
        ([*HARBOUR, "--intervals", "-4"], "argument --intervals: a whole number from 1 is needed, not '-4'"),
        (
            [*HARBOUR, "--agent", "lrta", "--weight", "2"],
            "has no parameter 'weight' with these parts; it belongs to",
        ),
        ([*HARBOUR, "--agent", "wastar", "--weight", "0.5"], "the weight must be a number from 1 to a million"),
        ([*HARBOUR, "--agent", "wastar", "--weight", "0"], "the weight must be a number from 1 to a million"),
        ([*HARBOUR, "--param", "depth=3"], "agent 'astar' has no parameter 'depth'"),
        ([*HARBOUR, "--param", "weight"], "--param takes NAME=VALUE, not 'weight'"),
        (
            [*HARBOUR, "--agent", "wastar", "--param", "weight=x"],
            "the weight must be a number from 1 to a million, not 'x'",
        ),
        ([*HARBOUR, "--terrain", "unknown"], "agent 'astar' supports only known terrain"),
        ([*HARBOUR, "--neighbors", "5"], "invalid choice"),
        ([*HARBOUR, "--heuristic", "manhattan"], "heuristic 'manhattan' does not fit 8 neighbours"),
        ([*HARBOUR, "--diagonal", "9"], "a diagonal move costs from 1 to 2"),
        ([*HARBOUR, "--picture", "/nowhere/p.png"], "p.png"),
        ([*HARBOUR, "--picture", "p.xyz"], "p.xyz"),
        (["solve"], "the following arguments are required"),
        (["dance"], "invalid choice"),
        ([], "required"),
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


@pytest.mark.parametrize("arguments", [["--help"], ["solve", "--help"], ["maps", "--help"], ["maps", "info", "--help"]])
def test_help_shows_an_example(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(arguments, capsys)
    assert status == 0
    assert "xample" in out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    import timebound

    assert run(["--version"], capsys)[1] == f"timebound {timebound.__version__}\n"


def test_a_reader_that_stops_reading_is_no_error() -> None:
    command = f"{sys.executable} -m timebound maps info harbour | head -c 1"
    finished = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert finished.stderr == ""


FERRIES = '{"ferry": [[50, 80], [51, 80]], "tug": {"start": [20, 90], "direction": [1, 0], "speed": 0.5, "ticks": 30}}'


@pytest.mark.uncompiled
def test_others_that_move(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, image = tmp_path / "boats.json", tmp_path / "path.png"
    file.write_text(FERRIES)
    near = ["solve", "harbour", "--start", "12,100", "--goal", "60,70", "--movers", str(file)]
    record = record_of([*near, "--agent", "safe-rts", "--expansions", "20", "--picture", str(image)], capsys)
    assert record["path"][0] == [12, 100, 0]
    assert record["path"][-1][:2] == [60, 70]
    assert record["cost"] == record["moves"]
    assert image.exists()
    check_refused([*near, "--trials", "3", "--agent", "rtaa"], "--movers is for one episode", capsys)
    check_refused([*near, "--terrain", "unknown", "--agent", "rtaa"], "must be known terrain", capsys)


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "movers are a JSON list or object"),
        ("3", "movers are a JSON list or object"),
        ("[[[1, 1], [5, 5]]]", "at most one cell per tick"),
        ('[{"start": [1, 1], "direction": [0, 1], "speeed": 1}]', "movers are a JSON list or object"),
        ('[{"start": [1, 1], "direction": [0, 1]}]', "the horizon of a mover"),
        ('[{"direction": [0, 1], "ticks": 2}]', "a cell is (x, y)"),
        ("[" * 100_000, "movers are a JSON list or object"),
    ],
)
def test_bad_movers(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "boats.json"
    file.write_text(text)
    check_refused([*HARBOUR, "--movers", str(file)], message, capsys)
    check_refused([*HARBOUR, "--movers", str(tmp_path / "none")], "cannot be read", capsys)


def test_bodies_and_ground(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake = tmp_path / "lake.map"
    lake.write_text("type octile\nheight 3\nwidth 6\nmap\n..SSWW\n..SSWW\n......\n")
    ends = ["solve", str(lake), "--start", "0,0", "--goal", "4,2", "--json"]
    swamp = record_of([*ends, "--mobility", ".=1,S=3"], capsys)
    assert swamp["path"][-1] == [4, 2]
    wide = record_of(["solve", "harbour", "--start", "12,100", "--goal", "180,14", "--size", "2", "--json"], capsys)
    assert round(wide["cost"], 1) == 242.5
    check_refused([*ends, "--size", "9"], "larger than the map", capsys)
    check_refused([*ends, "--mobility", ".=0.5"], "is a number from 1 to a million", capsys)
