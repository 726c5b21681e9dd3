"""Traces in files: written, read, refused, shown elsewhere."""

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from studio.settings import ROWS

import timebound as tb
from timebound.cli import main
from timebound.core.errors import ProblemError, TimeboundError
from timebound.studio.posthoc import posthoc_text
from timebound.studio.recording import Recorder, parsed, read
from timebound.studio.standalone import in_notebook, replay_html


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = tb.Grid(np.array([[c == "." for c in row] for row in ROWS]), name="trap")
    agent = tb.make("rtaa", world, (0, 2), (9, 2), terrain="unknown")
    file = tmp_path_factory.mktemp("traces") / "walk.json"
    agent.run(expansions=7, trace=file)
    return file


def test_what_is_in_it(trace: Path) -> None:
    recording = read(trace)
    heads = [head for head, _ in recording]
    result = recording.about["result"]["agents"][0]
    assert len(heads) == result["episode"]["intervals"] + 1
    assert int(heads[-1]["moves"]) == result["episode"]["moves"]
    assert recording.ground.passable.sum() == sum(row.count(".") for row in ROWS)


def test_a_listener_goes_on_listening(tmp_path: Path) -> None:
    world = tb.Grid(np.array([[c == "." for c in row] for row in ROWS]))
    agent, heard = tb.make("rtaa", world, (0, 2), (9, 2)), list[int]()
    agent.listen(lambda events: heard.append(len(events)))
    episode = agent.run(expansions=7, trace=str(tmp_path / "walk.json"))
    assert len(heard) == episode.intervals + 1
    assert episode.path == tb.make("rtaa", world, (0, 2), (9, 2)).run(expansions=7).path
    with pytest.raises(ProblemError, match="trace is True or False"):
        agent.run(trace=tmp_path / "walk.json", target=[(3, 2)])


def test_a_limit_of_intervals(tmp_path: Path) -> None:
    world = tb.Grid(np.array([[c == "." for c in row] for row in ROWS]))
    recorder = Recorder(tb.make("lrta", world, (0, 2), (9, 2)))
    episode = recorder.run(expansions=5, intervals=4)
    assert (episode.intervals, episode.stop) == (4, "intervals")
    recorder.save(tmp_path / "a.json")
    assert len(list(read(tmp_path / "a.json"))) == 5


def test_only_grids(tmp_path: Path) -> None:
    agent = tb.make("astar", tb.Tiles(3), start=(1, 0, 2, 3, 4, 5, 6, 7, 8), goal=tuple(range(9)))
    with pytest.raises(ProblemError, match="on grids"):
        Recorder(agent)


def damage(about: dict[str, Any], **changed: Any) -> bytes:
    return json.dumps({**about, **changed}).encode()


def test_what_is_damaged_is_refused(trace: Path) -> None:
    about = json.loads(trace.read_text())
    records = zlib.decompress(b64decode(about["records"]))
    from timebound.studio.ground import pack

    cases = {
        "not JSON": b"{",
        "not a timebound trace": b"[]",
        "this version of timebound reads": damage(about, version=2),
        "1 to 4 agents": damage(about, agents=[]),
        "must have names": damage(about, agents=[{}]),
        "truncated": damage(about, records=pack(records + b"\0")),
        "records of this trace are damaged": damage(about, records=pack(b"\1" + records[1:])),
        "packed bytes are damaged": damage(about, records="!"),
        "must be described by an object": damage(about, map=None),
    }
    for why, content in cases.items():
        with pytest.raises(TimeboundError, match=why):
            parsed(content)


@given(st.binary(max_size=400), st.integers(0, 3000))
def test_any_bytes_in_the_records(noise: bytes, place: int) -> None:
    from timebound.studio.ground import Ground
    from timebound.studio.json_text import text_of
    from timebound.studio.recording import trace_text

    ground = Ground(np.full((3, 3), ord("."), np.uint8), "x").packed()
    text = trace_text({"map": ground, "agents": [{"name": "a"}]}, noise)
    try:
        list(parsed(text.encode()))
    except TimeboundError as error:
        assert "trace" in text_of(str(error))  # noqa: PT017


def test_posthoc(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(trace), "--posthoc", str(tmp_path / "a.trace.yaml")]) == 0
    document = yaml.safe_load((tmp_path / "a.trace.yaml").read_text())
    assert set(document) == {"version", "views", "pivot", "events"}
    assert document["version"] == "1.4.0"
    assert set(document["views"]) == {"main"}
    for drawn in document["views"]["main"]:
        assert set(drawn) == {"$", "$if", "x", "y", "width", "height", "fill", "clear"}
        assert drawn["$"] == "rect"
        assert drawn["clear"] is False  # it stays; true is for one step only
        assert re.fullmatch(r"\$\{\{ [^{}]* \}\}", drawn["$if"])
    assert "goal" in capsys.readouterr().out


FIELDS = {
    "source": {"type": str, "id": int, "x": int, "y": int},
    "move": {"type": str, "id": int, "interval": int, "x": int, "y": int},
}
FIELDS["destination"] = FIELDS["source"]
FIELDS["generate"] = FIELDS["expand"] = {
    **FIELDS["move"],
    **{"pId": (int, NoneType), "g": (int, float, NoneType), "h": (int, float, NoneType)},
    **{"f": (int, float, NoneType), "again": bool},
}


def test_events_of_posthoc(trace: Path) -> None:
    recording = read(trace)
    events = yaml.safe_load(posthoc_text(recording))["events"]
    assert [event["type"] for event in events[:2]] == ["source", "destination"]
    for event in events:
        assert set(event) == set(FIELDS[event["type"]]), event
        assert all(isinstance(event[name], kind) for name, kind in FIELDS[event["type"]].items()), event
        assert event["id"] == event["y"] * 10 + event["x"]
        if event.get("pId") is not None:  # a neighbour
            assert max(abs(event["pId"] % 10 - event["x"]), abs(event["pId"] // 10 - event["y"])) == 1
        if event.get("h") is not None:
            assert event["f"] == pytest.approx(event["g"] + event["h"], rel=1e-4)
    intervals = [event["interval"] for event in events[2:]]
    assert intervals == sorted(intervals)
    expanded = [event for event in events if event["type"] == "expand"]
    assert any(event["again"] for event in expanded)
    assert not expanded[0]["again"]
    episode = recording.about["result"]["agents"][0]["episode"]
    moves = [[event["x"], event["y"]] for event in events if event["type"] == "move"]
    assert [[events[0]["x"], events[0]["y"]], *moves] == episode["path"]


def test_one_file_with_everything(trace: Path, tmp_path: Path) -> None:
    assert main(["replay", str(trace), "--html", str(tmp_path / "a.html")]) == 0
    page = (tmp_path / "a.html").read_text()
    assert re.findall(r'(?:src|href)="[^"]*"', page) == []
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    assert "</script" not in page.split('id="trace">')[1].split("</script>")[0]
    assert in_notebook(page).count("<iframe") == 1


def test_a_name_cannot_break_out_of_the_page(trace: Path) -> None:
    about = json.loads(trace.read_text())
    about["agents"][0]["name"] = "</script><script>alert(1)</script>"
    page = replay_html(parsed(json.dumps(about).encode()), "<b>")
    assert "<script>alert" not in page
    assert "<title>&lt;b&gt;</title>" in page


@pytest.mark.parametrize(
    "words", [["missing.json"], ["."], ["{trace}", "--agent", "2"], ["{trace}", "--html", "no/where.html"]]
)
def test_bad_input_is_one_line(trace: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", *(word.format(trace=trace) for word in words)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_port_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        assert main(["studio", "--no-browser", "--port", str(other.getsockname()[1])]) == 2
    assert "in use" in capsys.readouterr().err


def test_an_agent_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studio", "--no-browser", "--agent", "no_module:at_all"]) == 2
    assert "no_module:at_all" in capsys.readouterr().err


def test_importing_timebound_loads_no_studio() -> None:
    import subprocess
    import sys

    code = "import sys, timebound; timebound.Grid; print([m for m in sys.modules if 'studio' in m or 'starlette' in m])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert answer.strip() == "[]"
