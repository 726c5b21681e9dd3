"""The table of docs/listening.md has every event."""

import re
from pathlib import Path

from timebound.agents.events import KINDS, LAYERS

PAGE = Path(__file__).parents[1] / "docs" / "listening.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_every_event_is_explained() -> None:
    assert re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)[1:] == list(KINDS)
    assert [layer for layer in LAYERS if f"`{layer}`" not in TEXT] == []
