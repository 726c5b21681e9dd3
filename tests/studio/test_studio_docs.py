"""The examples of docs/studio.md run."""

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "studio.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = "".join(re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))
    names: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    assert names["trace"]._repr_html_().startswith("<iframe")
    assert (tmp_path / "walk.json").stat().st_size < 200_000


def test_every_file_that_is_named_exists() -> None:
    home = PAGE.parents[1] / "src" / "timebound" / "studio"
    named = re.findall(r"`((?:page/)?\w+\.(?:py|js))`", TEXT)
    assert len(named) > 12
    assert [name for name in named if not (home / name).is_file()] == []
