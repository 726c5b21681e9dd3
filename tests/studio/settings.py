"""Settings that pages ask for."""

from typing import Any

import timebound as tb

KINDS = {kind.name: kind for kind in tb.catalogue()}
ROWS = ["..........", ".@@@@@@@..", ".......@..", ".@@@@@.@..", ".......@..", "@@@@@@@@..", ".........."]


def asked(*agents: str, **changed: Any) -> dict[str, Any]:
    """A race on a small map with a trap."""
    setting = {
        "map": {"kind": "rows", "name": "trap", "rows": ROWS},
        "start": [0, 2],
        "goal": [9, 2],
        "terrain": "unknown",
        "budget": {"expansions": 7},
        "agents": [{"name": name} for name in agents or ("rtaa",)],
    }
    return {**setting, **changed}


def asked_crowd(map_: dict[str, Any] | None = None, **changed: Any) -> dict[str, Any]:
    """A small crowd."""
    crowd = {"units": 12, "agent": {"name": "rtaa", "parameters": {"lookahead": 8}}, "ms": 20, **changed}
    return {"map": map_ or {"kind": "rows", "name": "trap", "rows": ROWS}, "seed": 3, "crowd": crowd}
