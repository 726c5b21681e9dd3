"""Every command, with words, files and output streams that do not suit it.

Bad input is one line on standard error and exit status 2, without a traceback, and nothing is written. If only the
printed output is lost, the line names the files that were written.
"""

import io
import os
import random
import resource
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import nullcontext
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import numpy as np
import pytest
from shares import share_of

from timebound import CaseBase, Grid, make, maps
from timebound.cli import main
from timebound.maps.movingai import map_bytes

# ------------------------------------------------------------------ command lines that are right

BUDGET = "--expansions 5 --intervals 40"
RULES = "--terrain unknown --neighbors 8 --corners cut --diagonal 1.4 --heuristic auto"
CROWD = "--walls 1 --collisions push --storm"
AGENT = "--weight 1 --param lookahead=3 --seed 1"
RIGHT = {
    "solve": f"solve a.map --start 0,0 --goal 5,4 --agent rtaa {BUDGET} {RULES} {AGENT} --trials 2 --picture p.png",
    "solve, learning": f"solve a.map --start 0,0 --goal 5,4 --agent lrta {BUDGET} --picture-learning p.png --json",
    "solve, trials": f"solve a.map --start 0,0 --goal 5,4 --agent lrta {BUDGET} --trials 3 --json",
    "drive": f"drive a.map --start 0,0 --goal 5,4 --speed 2 --agent tbr-wastar {BUDGET} --weight 2 --picture p.png",
    "slide": f"slide puzzles.txt:1 --heuristic manhattan --agent tb-wastar {BUDGET} --weight 2 --json",
    "race": f"race a.map --start 0,0 --goal 5,4 --agents rtaa,lrta {BUDGET} {RULES} {AGENT} --gif p.gif",
    "crowd": f"crowd a.map --units 3 --agent rtaa --expansions 5 --ticks 4 {CROWD} {RULES} {AGENT} --gif p.gif",
    "advise": f"advise a.map --expansions 5 --agents rtaa,lrta --problems 2 --seconds 9 --units 2 {RULES} --json",
    "race, many": f"race a.map --problems 2 --agents rtaa {BUDGET} --seed 1 --json",
    "maps info": "maps info a.map --threshold 100 --unknown free --json",
    "maps convert": "maps convert a.map c.npy --threshold 100",
    "maps random": "maps generate random c.map --width 9 --height 8 --seed 1 --share 0.2",
    "maps maze": "maps generate maze c.map --width 9 --height 8 --seed 1 --corridor 1",
    "maps rooms": "maps generate rooms c.map --width 9 --height 8 --seed 1 --room 3 --doors 0.5",
    "maps caves": "maps generate caves c.map --width 9 --height 8 --seed 1",
    "maps picture": "maps picture a.map p.png --scale 4 --level 1 --neighbors 8 --corners cut",
    "build-cases": "build-cases b.map --records 4 --output b.cases --seed 1 --workers 1 --coverage random",
    "lab list": "lab list",
    "agents": "agents tbaa --json",
    "lab show": "lab show rtaa-table-1 --toml",
    "replay": "replay t.json --html p.html --posthoc p.yaml --agent 1",
}
# What would take long if it were right.
WRONG = {
    "calibrate": "calibrate --size 7 --seed 1",
    "warmup": "warmup rtaa --worlds nowhere --workers 1",
    "export": "export --target nowhere --agents rtaa --output got",
    "maps download": "maps download sc1 --output got --site ftp://127.0.0.1",
    "lab run": "lab run missing.toml --scale quick --agents rtaa --workers 1 --output lab",
    "lab report": "lab report --runs missing --output pages",
    "lab compare": "lab compare missing missing-too",
    "studio": "studio --port 70000 --no-browser --agent nowhere:nothing",
}
HOSTILE = [
    *("", " ", "x", "-", "--", "--x", "=", "é", "\udc80", "a\nb", "\x1b[2J", "%s", "{}", "*", "nan", "inf", "-inf"),
    *("-1", "0", "1", "0.5", "1e400", "1e-400", "1e308", "9" * 30, "9" * 5000, "-" + "9" * 400, "0x10", "1_0", "٣"),
    *("1,2", "-1,-1", "1,2,3", "1e3,2", ",", "9" * 30 + ",0", "nan,0", "true", "0 1 2 3", "tbaa,", "rtaa,rtaa", "cut"),
    *("weight=", "=3", "lookahead=0", "depth=x", "radius=true", "memory_mb=-1", "fallback=[]", "cases=junk.png"),
    *("lookahead=99999999999999999999", "missing", "missing/b.map", "missing/p.png", "folder", "folder/", "empty.map"),
    *("junk.png", "junk.npy", "junk.yaml", "junk.map", "/dev/full", "/dev/null", "puzzles.txt:0", "junk.map:1", ":"),
    *("puzzles.txt:" + "9" * 5000, "harbour", "a.map", "puzzles.txt", ".", "..", "~", "p.gif", "p.jpg", "p.xyz"),
    "x" * 300 + ".png",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    fill(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(folder: Path) -> None:
    """The files that the command lines name."""
    (folder / "folder").mkdir()
    (folder / "a.map").write_bytes(map_bytes(maps.Map.from_passable(np.ones((5, 6), bool))))
    (folder / "b.map").write_bytes(map_bytes(maps.Map.from_passable(np.ones((8, 8), bool))))
    (folder / "puzzles.txt").write_text("1 4 2 3 0 5 6 7 8\n")
    (folder / "t.json").write_bytes(trace())
    (folder / "empty.map").touch()
    for suffix in ("png", "npy", "yaml", "map"):
        (folder / f"junk.{suffix}").write_bytes(random.Random(suffix).randbytes(300))


@cache
def trace() -> bytes:
    with TemporaryDirectory() as folder:
        make("rtaa", Grid(np.ones((5, 6), bool)), (0, 0), (5, 4)).run(expansions=3, trace=f"{folder}/t.json")
        return Path(folder, "t.json").read_bytes()


def contents(folder: Path) -> dict[str, bytes | None]:
    return {str(one.relative_to(folder)): one.read_bytes() if one.is_file() else None for one in folder.rglob("*")}


def empty(folder: Path) -> None:
    for one in folder.iterdir():
        shutil.rmtree(one) if one.is_dir() else one.unlink()


def status_of(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as end:  # from the parser
        return int(end.code or 0)


# ------------------------------------------------------------------ words and files


def spoiled(line: str, generator: random.Random) -> list[str]:
    """A command line that is most probably wrong."""
    words = line.split()
    if len(words) > 2 and generator.random() < 0.1:
        del words[generator.randrange(2, len(words))]
    elif generator.random() < 0.15:
        words.insert(generator.randrange(1, len(words) + 1), generator.choice(HOSTILE))
    else:
        values = [i for i, word in enumerate(words) if i and not word.startswith("--")]
        words[generator.choice(values)] = generator.choice(HOSTILE)
    return words


@pytest.mark.uncompiled
@pytest.mark.parametrize("name", [*RIGHT, *WRONG])
def test_command_lines(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generator, before, line = random.Random(name), contents(folder), {**RIGHT, **WRONG}[name]
    statuses = []
    tries = share_of(100)
    for _ in range(tries):
        words = spoiled(line, generator)
        status = status_of(words)
        out, err = capsys.readouterr()
        statuses.append(status)
        assert status in (0, 1, 2), words
        assert "Traceback" not in out + err, words
        if status == 2:
            assert err.startswith("timebound: "), words
            assert err.count("\n") == 1, (words, err)
            assert err.strip().isprintable(), words
            assert len(err) < 1000, words
            assert contents(folder) == before, words
        else:
            assert err == "", words
            empty(folder)
            fill(folder)
    assert statuses.count(2) > 0.3 * tries


@pytest.mark.uncompiled
@pytest.mark.parametrize("name", RIGHT)
def test_that_the_right_command_lines_are_right(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(RIGHT[name].split()) == 0, capsys.readouterr().err
    assert capsys.readouterr().err == ""


# ------------------------------------------------------------------ streams, in this process

FULL = "timebound: standard output: No space left on device\n"
BAD = ["solve missing.map --start 0,0 --goal 1,1", "maps nonsense", "slide 1,2,3", *WRONG.values()]


@pytest.mark.uncompiled
@pytest.mark.parametrize("line", [*RIGHT.values(), "--help", "--version", "race --help", *BAD])
@pytest.mark.parametrize("which", ["closed", "full", "ascii"])
def test_streams(line: str, which: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with stream(which) as out, stream(which) as err:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        status = status_of(line.split())
    assert status == (2 if line in BAD or which == "full" else 0)


@pytest.mark.uncompiled
@pytest.mark.parametrize("line", RIGHT.values())
def test_lost_output_is_told_in_one_line(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(folder).keys()
    with stream("full") as out, io.StringIO() as err:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        assert status_of(line.split()) == 2
        said = err.getvalue()
    written = contents(folder).keys() - before
    assert said.startswith(FULL[:-1])
    assert said.count("\n") == 1
    assert {*said.strip().partition("; written all the same: ")[2].split(", ")} - {""} == written


@pytest.mark.uncompiled
def test_a_file_that_was_written_although_output_was_lost_is_named(folder: Path) -> None:
    command = f"'{sys.executable}' -m timebound maps generate caves c.yaml --width 9 --height 9 >/dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, f"{FULL[:-1]}; written all the same: c.pgm, c.yaml\n")
    assert Path("c.yaml").exists()


def stream(which: str) -> Any:
    if which == "closed":
        return nullcontext()
    return Path("/dev/full" if which == "full" else os.devnull).open("w", encoding="ascii")


# ------------------------------------------------------------------ streams, as a shell gives them


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("maps info a.map >&-", 0, ""),
        ("maps info a.map >&- 2>&-", 0, ""),
        ("maps info a.map >/dev/full", 2, FULL),
        ("maps info a.map >/dev/full 2>/dev/full", 2, ""),
        ("maps info missing 2>&-", 2, ""),
        ("maps info missing 2>/dev/full", 2, ""),
        ("--help >/dev/full", 2, FULL),
        ("maps generate caves é.map", 0, "\\xe9.map: 151 x 151 cells, 53.6% passable\n"),
        ("lab list | true", 0, ""),
        ("-u maps info a.map >/dev/full", 2, FULL),  # Python's own option: it tries to write each line at once
        ("-u --help >/dev/full", 2, FULL),
    ],
)
def test_streams_of_a_shell(line: str, status: int, said: str, folder: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUNBUFFERED": "1" if "-u" in line else ""}
    command = f"set -o pipefail; '{sys.executable}' -m timebound {line.replace('-u ', '')}"
    done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (status, said)


# ------------------------------------------------------------------ nothing is written


@pytest.mark.uncompiled
@pytest.mark.parametrize("words", [("--cluster", "nonsense"), ("--output", "folder"), ("--output", "/dev/full")])
def test_a_build_that_cannot_be_leaves_nothing(words: tuple[str, ...], folder: Path) -> None:
    before = contents(folder)
    assert status_of(["build-cases", "b.map", "--records", "4", "--force", *words]) == 2
    assert contents(folder) == before
    assert not Path("/dev/full.journal").exists()
    assert status_of(["build-cases", "b.map", "--records", "4", "--workers", "1"]) == 0


@pytest.mark.uncompiled
def test_an_interrupted_build_keeps_what_is_done(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    build = CaseBase.build.__func__  # type: ignore[attr-defined]

    def interrupted(cls: type, world: Grid, records: int, **options: Any) -> CaseBase:
        def interrupt(what: str, done: int, total: int) -> None:
            if done == 2:
                raise KeyboardInterrupt

        base: CaseBase = build(cls, world, records, **{**options, "tell": interrupt})
        return base

    command = ["build-cases", "b.map", "--records", "60", "--coverage", "random", "--workers", "1"]
    monkeypatch.setattr(CaseBase, "build", classmethod(interrupted))
    assert status_of(command) == 130
    assert capsys.readouterr().err.count("(b.cases.journal): use --resume to continue") == 1
    monkeypatch.undo()
    os.chdir(folder)
    assert status_of(command) == 2
    assert status_of([*command, "--resume"]) == 0
    assert not Path("b.cases.journal").exists()


@pytest.mark.uncompiled
@pytest.mark.parametrize("room", [0, 100])
def test_a_full_disk_is_told_with_the_file(room: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, limits = contents(folder), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))  # bytes of a file
    try:
        status = status_of(["build-cases", "b.map", "--records", "4", "--workers", "1"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert status == 2
    assert capsys.readouterr().err == "timebound: b.cases.journal: cannot be written: File too large\n"
    assert contents(folder) == before


@pytest.mark.uncompiled
def test_two_outputs_in_one_file_are_refused(folder: Path) -> None:
    before = contents(folder)
    solve = ["solve", "a.map", "--start", "0,0", "--goal", "5,4", "--agent", "lrta"]
    assert status_of([*solve, "--picture", "p.png", "--picture-learning", "folder/../p.png"]) == 2
    assert contents(folder) == before


# ------------------------------------------------------------------ downloads


@pytest.fixture
def site() -> Iterator[Any]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = self.server.files[self.path]  # type: ignore[attr-defined]
            self.send_response(200)
            self.send_header("Content-Length", self.server.length or str(len(content)))  # type: ignore[attr-defined]
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    level, scenario = map_bytes(maps.caves(20, 20)), b"version 1\n"
    server.files = {
        "/sc1/sc1-map.zip": archive(("sc1-map/Enigma.map", level)),
        "/sc1/sc1-scen.zip": archive(("sc1-scen/Enigma.map.scen", scenario)),
    }
    server.length = ""
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def archive(*files: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as content:
        for name, data in files:
            content.writestr(name, data)
    return buffer.getvalue()


def download(server: Any, output: str = "got/it") -> int:
    return status_of(
        ["maps", "download", "sc1", "--output", output, "--site", f"http://127.0.0.1:{server.server_port}"]
    )


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    "address", ["http://[::1", "http://127.0.0.1:1/é", "http://127.0.0.1:1/a b", "http://", "http://:x", "", "file:///"]
)
def test_addresses_that_are_none(address: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(folder)
    assert status_of(["maps", "download", "sc1", "--output", "got/it", "--site", address]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert contents(folder) == before


@pytest.mark.uncompiled
@pytest.mark.parametrize("length", ["many", "-1", "1e3", "²"])
def test_a_length_that_is_no_number(length: str, site: Any, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, site.length = contents(folder), length
    assert download(site) == 2
    assert "cannot be fetched" in capsys.readouterr().err
    assert contents(folder) == before


@pytest.mark.uncompiled
def test_two_members_of_one_name(site: Any, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(folder)
    level = map_bytes(maps.caves(20, 20))
    site.files["/sc1/sc1-map.zip"] = archive(("a/Enigma.map", level), ("b/Enigma.map", level))
    assert download(site) == 2
    assert "it has two files named Enigma.map" in capsys.readouterr().err
    assert contents(folder) == before


@pytest.mark.uncompiled
@pytest.mark.parametrize("in_the_way", ["got", "got/maps/sc1", "got/scens/sc1/Enigma.map.scen/x"])
def test_something_in_the_way(in_the_way: str, site: Any, folder: Path) -> None:
    Path(in_the_way).parent.mkdir(parents=True, exist_ok=True)
    Path(in_the_way).write_text("mine")
    before = contents(folder)
    assert download(site, "got") == 2
    assert contents(folder) == before
