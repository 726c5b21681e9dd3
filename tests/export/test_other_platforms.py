"""The library for other processors plays the recorded episodes, run by qemu; libraries for other systems are linked."""

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from recorded_episodes import RECORD
from test_library import play  # type: ignore[import-not-found]

from timebound.cli import main

HERE, SYSROOT = Path(__file__).parent, Path("/usr/aarch64-linux-gnu")
FILES = {"linux-arm64": "libtimebound.so", "windows-x64": "timebound.dll"}


@pytest.fixture(scope="module", autouse=True)
def zig() -> list[str]:
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("there is no ziglang")
    return [sys.executable, "-m", "ziglang", "cc"]


@pytest.mark.parametrize("target", FILES)
def test_a_library_is_linked(target: str, tmp_path: Path):
    assert main(["export", "--target", target, "--agents", "rtaa", "--output", str(tmp_path)]) == 0
    assert (tmp_path / FILES[target]).stat().st_size < 1_000_000


def test_arm64_plays_the_recorded_episodes(zig: list[str], tmp_path: Path):
    qemu = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if qemu is None or not SYSROOT.is_dir():
        pytest.skip("there is no qemu-aarch64 with a C library (libc6-arm64-cross)")
    assert main(["export", "--target", "linux-arm64", "--agents", "rtaa", "--output", str(tmp_path)]) == 0
    program, where = tmp_path / "play", [f"-I{tmp_path}", f"-L{tmp_path}", "-ltimebound"]
    target = ["-target", "aarch64-linux-gnu.2.28", "-O1"]
    subprocess.run([*zig, *target, str(HERE / "play.c"), *where, "-o", str(program)], check=True)
    runner = tmp_path / "run"
    runner.write_text(f'#!/bin/sh\nexec {qemu} -L {SYSROOT} -E LD_LIBRARY_PATH={tmp_path} {program} "$@"\n')
    runner.chmod(0o755)
    told = hashlib.sha256(json.dumps(play(runner, "rtaa", "unknown")).encode()).hexdigest()[:16]
    assert told == json.loads(RECORD.read_text())["rtaa unknown"]


def test_windows_plays_the_recorded_episodes(zig: list[str], tmp_path: Path):
    found = [shutil.which("wine64"), shutil.which("wine"), "/usr/lib/wine/wine64"]
    wine = next((each for each in found if each and Path(each).exists()), None)
    if wine is None:
        pytest.skip("there is no wine")
    assert main(["export", "--target", "windows-x64", "--agents", "rtaa", "--output", str(tmp_path)]) == 0
    where = [f"-I{tmp_path}", str(tmp_path / "timebound.dll"), "-o", str(tmp_path / "play.exe")]
    subprocess.run([*zig, "-target", "x86_64-windows-gnu", "-O1", str(HERE / "play.c"), *where], check=True)
    runner = tmp_path / "run"
    prefix = f"WINEDEBUG=-all WINEPREFIX={tmp_path}/wine"
    runner.write_text(f"#!/bin/sh\ncd {tmp_path} && {prefix} exec {wine} play.exe\n")
    runner.chmod(0o755)
    told = hashlib.sha256(json.dumps(play(runner, "rtaa", "known")).encode()).hexdigest()[:16]
    assert told == json.loads(RECORD.read_text())["rtaa known"]
