"""The examples of docs/advice.md run, and print what they say."""

import re
import shlex
from pathlib import Path

import pytest

from timebound.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "advice.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_python(capsys: pytest.CaptureFixture[str]) -> None:
    code = "".join(re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))
    exec(compile(code, str(PAGE), "exec"), {})
    said = re.findall(r"print\(.*\) +# (.*)", code)
    assert capsys.readouterr().out.splitlines()[: len(said)] == said


def test_the_command() -> None:
    command = re.findall(r"^```console\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)[0]
    quicker = command.replace("--seconds 20", "--seconds 1 --agents tbaa,rtaa")
    assert quicker != command
    assert main(shlex.split(quicker)[1:]) == 0
