"""The examples of docs/listening.md run, and its table has every event."""

import re
from pathlib import Path

import pytest

from timebound.events import KINDS, LAYERS

PAGE = Path(__file__).parents[1] / "docs" / "listening.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_python(capsys: pytest.CaptureFixture[str]) -> None:
    code = "".join(re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))
    exec(compile(code, str(PAGE), "exec"), {})
    same, most, lists = capsys.readouterr().out.splitlines()
    assert same == "True"
    assert int(re.fullmatch(r"\[\(\(\d+, \d+\), (\d+)\)\]", most)[1]) > 1
    assert re.fullmatch(r"\(\d+, \d+\) [1-9]\d* [1-9]\d*", lists)


def test_every_event_is_explained() -> None:
    assert re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE)[1:] == list(KINDS)
    assert [layer for layer in LAYERS if f"`{layer}`" not in TEXT] == []
