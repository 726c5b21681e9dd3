"""Traces in the format of Posthoc, a viewer of search traces (version 1.4.0)."""

import json
import math
from collections.abc import Iterator
from typing import Any

from ..worlds.grid import STEPS
from .frames import NO_MOVE, NOWHERE, SEARCHED, columns_of
from .recording import Recording

_TYPES = {1: "generate", 2: "expand", 3: "expand"}
_FILLS = {  # later ones cover earlier ones
    "$.type == 'source'": "#1c7a74",
    "$.type == 'destination'": "#c42c48",
    "$.type == 'generate'": "#56b4e9",
    "$.type == 'expand' && !$.again": "#ffe082",
    "$.type == 'expand' && $.again": "#f6a060",
    "$.type == 'move'": "#d55e00",
}
# `clear: false`: it stays. With true, Posthoc shows it only in the step of its event.
_CELL = """    - $: rect
      $if: "${{{{ {condition} }}}}"
      x: "${{{{ $.x }}}}"
      y: "${{{{ $.y }}}}"
      width: 1
      height: 1
      fill: "{fill}"
      clear: false
"""
_HEADER = f"""version: 1.4.0
views:
  main:
{"".join(_CELL.format(condition=condition, fill=fill) for condition, fill in _FILLS.items())}pivot:
  x: ${{{{ $.x + 0.5 }}}}
  y: ${{{{ $.y + 0.5 }}}}
  scale: 1
events:
"""


def posthoc_text(recording: Recording, agent: int = 0) -> str:
    """Return what one agent of a trace did, as YAML: its searches, and its moves between them."""
    width = recording.ground.codes.shape[1]
    lines = [_HEADER]
    for event in events(recording, agent):
        x, y = event["id"] % width, event["id"] // width
        fields = ", ".join(f"{name}: {_scalar(value)}" for name, value in {**event, "x": x, "y": y}.items())
        lines.append(f"  - {{ {fields} }}\n")
    return "".join(lines)


def events(recording: Recording, agent: int) -> Iterator[dict[str, Any]]:
    """Yield events: those of an interval in the order of the search's last visit to each state."""
    width = recording.ground.codes.shape[1]
    offsets = STEPS[:, 1] * width + STEPS[:, 0]
    h: dict[int, float] = {}
    counts: dict[int, int] = {}
    position = NOWHERE
    for head, body in recording:
        if head["agent"] != agent:
            continue
        interval = int(head["interval"])
        if position == NOWHERE:
            yield {"type": "source", "id": int(head["position"])}
            yield {"type": "destination", "id": int(head["goal"])}
        elif head["position"] != position:
            yield {"type": "move", "id": int(head["position"]), "interval": interval}
        position = int(head["position"])
        if head["flags"] & SEARCHED:
            h.clear()
        columns = [column.tolist() for column in columns_of(head, body)["cells"]]
        for cell, g, new_h, mark, direction, expanded in zip(*columns, strict=True):
            h[cell] = h.get(cell, math.nan) if math.isnan(new_h) else new_h
            counts[cell] = counts.get(cell, 0) + expanded
            if mark not in _TYPES:
                continue
            parent = None if direction == NO_MOVE else cell + int(offsets[direction])
            values = {"g": g, "h": h[cell], "f": g + h[cell], "interval": interval}
            yield {"type": _TYPES[mark], "id": cell, "pId": parent, **values, "again": counts[cell] > 1}


def _scalar(value: Any) -> str:
    """Format a value in YAML."""
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else "null"
    return value if isinstance(value, str) else json.dumps(value)
