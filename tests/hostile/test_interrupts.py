"""Ctrl-C in compiled work: KeyboardInterrupt soon, every time, and everything can still be used.

With real signals at random moments, in a process of its own: see `interrupt_drills`.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from timebound.compiled import COMPILING

SOON = 0.1  # seconds
AT_LAST = 2.0  # on a machine that is busy with other things


def outcomes(*arguments):
    if not COMPILING:
        pytest.skip("the compiler is off: Python itself hears signals")
    if not hasattr(os, "fork"):
        pytest.skip("there is no way to send Ctrl-C to a process here")
    done = subprocess.run(
        [sys.executable, "-m", "interrupt_drills", *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])},
    )
    assert done.returncode == 0, done.stderr
    assert "Exception ignored" not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def test_work_is_interrupted_soon_and_every_time():
    drills = {outcome["drill"]: outcome["late"] for outcome in outcomes()}
    assert len(drills) == 17
    assert sum(map(len, drills.values())) >= 300
    for name, late in drills.items():
        assert None not in late, f"{name}: a signal was lost"
        assert statistics.median(late) < SOON, name
        assert max(late) < AT_LAST, name


def test_commands_end_with_130_and_one_line(tmp_path):
    commands = outcomes(str(tmp_path))
    assert {command["command"] for command in commands} == {"solve", "race", "build-cases"}
    for command in commands:
        assert command["status"] == 130, command
        assert command["said"].startswith("timebound: stopped"), command
        assert command["said"].count("\n") == 1, command
    assert statistics.median(command["late"] for command in commands) < 2 * SOON
