"""How much a test run tries: `TIMEBOUND_EXAMPLES` is a share of everything."""

import os

SHARE = float(os.environ.get("TIMEBOUND_EXAMPLES", "1"))


def share_of(count: int, least: int = 1) -> int:
    """Scale a number of examples by the share."""
    return min(count, max(least, int(count * SHARE)))
