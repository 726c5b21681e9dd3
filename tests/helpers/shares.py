"""How much a test run tries: `TIMEBOUND_EXAMPLES` is a share of everything; and where the benchmark data is."""

import os
from pathlib import Path

SHARE = float(os.environ.get("TIMEBOUND_EXAMPLES", "1"))


def share_of(count: int, least: int = 1) -> int:
    """Scale a number of examples by the share."""
    return min(count, max(least, int(count * SHARE)))


def data_directory() -> Path:
    """The folder of benchmark maps and scenarios: $TIMEBOUND_DATA, or `shared/data` beside the checkout."""
    return Path(os.environ.get("TIMEBOUND_DATA", Path(__file__).parents[3] / "shared" / "data"))
