"""Run commands in this process, and see what they print."""

import json
from typing import Any

import pytest

from timebound.cli import main


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Return the exit status, standard output and standard error, without what a slow or a new machine adds."""
    try:
        status = main(arguments)
    except SystemExit as end:  # argparse
        status = int(end.code or 0)
    captured = capsys.readouterr()
    lines = captured.err.splitlines(keepends=True)
    said = [line for line in lines if not line.endswith(" left\n") and "which this computer has not run" not in line]
    return status, captured.out, "".join(said)


def record_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return the JSON record that a command prints."""
    status, out, err = run([*arguments, "--json"], capsys)
    assert (status, err) == (0, "")
    record: dict[str, Any] = json.loads(out)
    return record


def check_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that a command refuses its arguments with one line and status 2."""
    status, out, err = run(arguments, capsys)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert err.startswith("timebound: ")
