"""Every reader of files, with things that are not files, files that are too long, and forged files.

TIMEBOUND_FORGERIES=1000 throws more forgeries of every kind than the few of an ordinary test run, and TIMEBOUND_SEED
others.
"""

import ast
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import timebound as tb
from timebound import maps
from timebound.cli import main
from timebound.core.errors import TimeboundError
from timebound.lab.spec import load
from timebound.lab.store import Run
from timebound.subgoals.journal import Journal

SOURCES = Path(tb.__file__).parent
READERS: dict[str, Callable[[Path], object]] = {
    "a.map": maps.read,
    "a.npy": maps.read,
    "a.png": maps.read,
    "a.yaml": maps.read,
    "a.tmx": maps.read,
    "a.scen": maps.read_scenario,
    "a.plan": maps.read_plan,
    "a.track": tb.Racetrack.load,
    "a.racetrack": tb.Racetrack.load,
    "a.txt": tb.Tiles.read,
    "a.toml": load,
    "a.cases": tb.CaseBase.load,
    "a.journal": lambda file: Journal(file.with_suffix(""), {}, resume=True),
    "run.json": lambda file: Run(file.parent),
}


def test_forgeries() -> None:
    rounds, seed = os.environ.get("TIMEBOUND_FORGERIES", "8"), os.environ.get("TIMEBOUND_SEED", "0")
    program = Path(__file__).with_name("forgeries.py")
    finished = subprocess.run(
        [sys.executable, str(program), seed, rounds],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "journals" in finished.stdout  # the last kind


@pytest.mark.parametrize("name", READERS)
def test_what_is_no_file(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    makers: list[Callable[[], object]] = [lambda: os.mkfifo(file), file.mkdir, lambda: file.symlink_to("/dev/zero")]
    for make in makers:
        make()
        assert "cannot be read: it is " in refusal(name, file)
        file.rmdir() if file.is_dir() else file.unlink()


@pytest.mark.parametrize("name", READERS)
def test_what_is_too_long(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    with file.open("wb") as empty:
        empty.truncate(2**40)  # takes no disk
    assert "bytes exceed the limit of " in refusal(name, file)


def refusal(name: str, file: Path) -> str:
    began = time.perf_counter()
    with pytest.raises(TimeboundError) as error:
        READERS[name](file)
    assert time.perf_counter() - began < 2
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(str(file))
    return str(error.value)


def test_files_that_grow_while_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from timebound.core import disk

    file = tmp_path / "a.map"
    file.write_bytes(b"type octile\n")
    monkeypatch.setattr(disk, "size_of", lambda path, wanted: 5)
    with pytest.raises(TimeboundError, match=r"a\.map: the file grew while it was read"):
        maps.read(file)


# These read what the package brings along or has just made itself, or they look at `size_of` before they map a file.
TRUSTED = {
    "cli/console.py",
    "compiled/fingerprint.py",
    "compiled/store.py",
    "lab/files.py",
    "lab/sources.py",
    "lab/store.py",
    "maps/download.py",
    "maps/npy.py",
    "maps/images.py",
}
TRUSTED |= {"subgoals/case_files.py", "subgoals/journal.py"}
TRUSTED |= {"studio/server.py", "studio/standalone.py"}  # the files of their own page
TRUSTED |= {"export/building.py"}  # the sources of the library, and what the compiler has just written
OPENING = {"open", "read_text", "read_bytes", "memmap", "open_memmap", "fromfile", "loadtxt", "genfromtxt"}


def test_there_is_one_reader() -> None:
    found = {source.relative_to(SOURCES).as_posix() for source in SOURCES.rglob("*.py") if _opens_files(source)}
    assert found == TRUSTED | {"core/disk.py"}


def _opens_files(source: Path) -> bool:
    calls = [node.func for node in ast.walk(ast.parse(source.read_text("utf-8"))) if isinstance(node, ast.Call)]
    methods = [call for call in calls if isinstance(call, ast.Attribute) and call.attr in OPENING]
    others = [call for call in methods if ast.unparse(call) not in ("os.open", "webbrowser.open")]
    return bool(others) or any(isinstance(call, ast.Name) and call.id == "open" for call in calls)


def test_wide_rows_are_not_filled_up(tmp_path: Path) -> None:
    track = tmp_path / "a.racetrack"
    track.write_bytes(b"---\n" + b"@" * 1_000_000 + b"\n" * 1_000_000 + b"@")
    with pytest.raises(TimeboundError, match=r"1000000 x 1000001 cells are too many"):
        tb.Racetrack.load(track)


@pytest.mark.parametrize(
    "command", [["maps", "info", "a.yaml"], ["solve", "a.yaml", "--start", "0,0", "--goal", "1,1"]]
)
def test_a_bomb_of_aliases(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 20)]
    Path("a.yaml").write_text("\n".join([*lines, "mode: *a19", ""]))
    began = time.perf_counter()
    assert main(command) == 2
    assert time.perf_counter() - began < 2
    assert capsys.readouterr().err == (
        "timebound: a.yaml: not YAML: aliases and deep nesting are not allowed in a map file\n"
    )
