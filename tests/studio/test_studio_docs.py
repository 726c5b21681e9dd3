"""The files that docs/studio.md names exist."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "studio.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_every_file_that_is_named_exists() -> None:
    home = PAGE.parents[1] / "src" / "timebound" / "studio"
    named = re.findall(r"`((?:page/)?\w+\.(?:py|js))`", TEXT)
    assert len(named) > 12
    assert [name for name in named if not (home / name).is_file()] == []
