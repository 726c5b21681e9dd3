"""The examples of docs/changing-worlds.md run, and print what they say."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "changing-worlds.md"


def test_python(capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    code = "".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    exec(compile(code, str(PAGE), "exec"), {})
    said = re.findall(r"print\(.*\) +# (.*)", code)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said] == lines
