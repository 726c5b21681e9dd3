"""`timebound calibrate`, and the prices that the virtual clock uses."""

import json

import numpy as np
import pytest

from timebound.applications.calibration import SHIPPED, OperationCounts, Prices, Sample, Times, calibrate, fitted
from timebound.cli import main
from timebound.compiled.clock import virtual_ns

OPERATIONS = {"expansion", "successor", "push", "trace_step", "update"}


def test_json_has_shipped_and_measured_prices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "--size", "64", "--json"]) == 0
    captured = capsys.readouterr()
    assert all(line.startswith("timebound: compiling") for line in captured.err.splitlines())
    record = json.loads(captured.out)
    assert set(record["shipped"]) == set(record["measured"]) == OPERATIONS
    assert all(price >= 0 for price in record["measured"].values())
    assert 0 <= record["error"]["mean"] <= record["error"]["max"]
    assert record["times_shipped"] > 0
    assert all(count > 0 for sample in record["samples"] for count in sample["counts"].values())


def test_the_table_shows_both(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "--size", "32", "--seed", "3"]) == 0
    out = capsys.readouterr().out
    assert [line.split("  ")[0] for line in out.splitlines()[:6]] == ["operation", *SHIPPED_NAMES]
    assert "measured here" in out
    assert "times as long as the virtual clock says" in out


SHIPPED_NAMES = [name.replace("_", " ") for name in Prices._fields]


@pytest.mark.parametrize("size", ["0", "31", "-5", "1000000"])
def test_bad_sizes_are_bad_input(size: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "--size", size]) == 2
    assert capsys.readouterr().err.startswith("timebound: --size must be from 32 to 4096")


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["calibrate", "--help"])
    assert end.value.code == 0
    assert "timebound calibrate --json" in capsys.readouterr().out


def test_progress_goes_from_the_first_search_to_the_last() -> None:
    seen: list[tuple[int, int]] = []
    calibrate(32, rounds=2, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(i, len(seen)) for i in range(1, len(seen) + 1)]


def samples(prices: tuple[int, int, int]) -> list[Sample]:
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 10, (12, 3)) * 10_000
    return [
        Sample("", OperationCounts(*row.tolist(), 100, 200), Times(int(row @ prices), 700, 600))
        for row in counts.astype(np.int64)
    ]


@pytest.mark.parametrize("factor", [1, 3])
def test_prices_are_found_in_times_that_follow_them(factor: int) -> None:
    calibration = fitted(samples(tuple(factor * price for price in SHIPPED[:3])))
    assert calibration.measured == pytest.approx([*(factor * price for price in SHIPPED[:3]), 7, 3])
    assert calibration.times_shipped() == pytest.approx(factor)
    assert abs(calibration.errors()).max() < 1e-6
    assert abs(calibration.shipped_errors()).max() < 1e-6


def test_other_prices_are_found_nearly() -> None:
    calibration = fitted(samples((60, 3, 12)))
    assert calibration.measured[:3] == pytest.approx([60, 3, 12], abs=3)
    assert abs(calibration.errors()).mean() < abs(calibration.shipped_errors()).mean()


def test_the_virtual_clock_uses_the_shipped_prices() -> None:
    assert virtual_ns(3, 5, 7) == 3 * SHIPPED.expansion + 5 * SHIPPED.successor + 7 * SHIPPED.push
