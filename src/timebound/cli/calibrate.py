"""`timebound calibrate`: compare the virtual clock's prices with real times on this machine."""

import json
from typing import Any

import numpy as np

from ..core.errors import ProblemError
from .arguments import Arguments, Parser, add_json, add_seed, option
from .progress import Progress

EXAMPLES = """examples:
  timebound calibrate
  timebound calibrate --json > prices.json

The virtual clock (--virtual-ms) has fixed prices, so that its runs are the same everywhere. This command changes
nothing; it reports how well they fit this machine, and how fast the machine is. It takes about ten seconds, and
longer the first time.
Exit status: 0 measured; 2 bad input."""

LEAST, MOST = 32, 4096


def add_arguments(parser: Parser) -> None:
    option(parser, "--size N", "side of the generated maps (default: 512)", int, 512)
    add_seed(parser, "the generated maps")
    add_json(parser)


def run(arguments: Arguments) -> int:
    from ..applications.calibration import SHIPPED, calibrate

    if not LEAST <= arguments.size <= MOST:
        raise ProblemError(f"--size must be from {LEAST} to {MOST}, not {arguments.size}")
    calibrate(LEAST, arguments.seed, rounds=1)  # compile
    with Progress() as progress:
        calibration = calibrate(
            arguments.size,
            arguments.seed,
            progress=lambda done, of: progress.say(f"measuring: {100 * done // of} %"),
        )
    record = {
        "unit": "ns",
        "shipped": SHIPPED._asdict(),
        "measured": {name: round(price, 2) for name, price in calibration.measured._asdict().items()},
        "error": _summary(calibration.errors()),
        "shipped_error": _summary(calibration.shipped_errors()),
        "times_shipped": round(calibration.times_shipped(), 3),
        "samples": [sample.as_json() for sample in calibration.samples],
    }
    print(json.dumps(record) if arguments.json else _table(record))
    return 0


def _summary(errors: np.ndarray) -> dict[str, float]:
    return {"mean": round(float(abs(errors).mean()), 4), "max": round(float(abs(errors).max()), 4)}


def _table(record: dict[str, Any]) -> str:
    """Return the prices and how well they fit, as text."""
    rows = [
        f"{name.replace('_', ' '):<12} {shipped:>5} ns {record['measured'][name]:>11.1f} ns"
        for name, shipped in record["shipped"].items()
    ]
    error, shipped_error = (
        f"{record[name]['mean']:.0%} on average, {record[name]['max']:.0%} at most"
        for name in ("error", "shipped_error")
    )
    return "\n".join(
        [
            f"{'operation':<12} {'shipped':>8} {'measured here':>14}",
            *rows,
            "",
            f"The measured prices are off by {error} on {len(record['samples'])} samples (maps and rules).",
            f"Searches here take {record['times_shipped']:.2f} times as long as the virtual clock says;",
            f"apart from that factor, the shipped prices are off by {shipped_error}.",
        ]
    )
