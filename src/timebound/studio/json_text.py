"""JSON that every browser reads: no infinities, no NaN."""

import json
import math
from typing import Any


def plain(value: Any) -> Any:
    """Return the value for JSON: infinity becomes a word, NaN becomes null.

    >>> plain({"limit": math.inf, "ratio": math.nan, "at": (1, 2)})
    {'limit': 'inf', 'ratio': None, 'at': [1, 2]}
    """
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "inf" if value == math.inf else None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def text_of(value: Any) -> str:
    """As a text."""
    return json.dumps(plain(value), allow_nan=False, separators=(",", ":"))
