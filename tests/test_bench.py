"""The benchmarks run: all parts are imported, and the cheapest is measured."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("psutil", reason="pip install psutil")

ROOT = Path(__file__).parents[1]


def bench(*arguments: str) -> str:
    command = [sys.executable, "-m", "bench", *arguments]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_part_is_offered() -> None:
    said = bench("--help")
    parts = {path.stem for path in (ROOT / "bench").glob("*.py") if "\ndef run" in path.read_text(encoding="utf-8")}
    assert len(parts) > 15
    assert {part for part in parts if part not in said} <= {"replanning", "studio"}  # in `changes`; on its own


def test_a_part_is_measured(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    assert "import timebound" in bench("--quick", "--only", "import_time", "--json", str(file))
    results = json.loads(file.read_text(encoding="utf-8"))
    assert results["quick"] is True
    measured = results["import_time"]
    assert 0 < measured["import_timebound_ms"] < measured["import_numba_ms"]
