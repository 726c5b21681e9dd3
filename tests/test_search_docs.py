"""The examples of docs/search.md run, and print what they say."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "search.md"


def test_python(capsys: pytest.CaptureFixture[str]) -> None:
    code = "".join(re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
    exec(compile(code, str(PAGE), "exec"), {})
    said = re.findall(r"^print\(.*\) +# (.*)", code, re.MULTILINE)
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in printed if line in said] == said
