"""The command of docs/advice.md runs."""

import re
import shlex
from pathlib import Path

from timebound.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "advice.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_command() -> None:
    command = re.findall(r"^```console\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)[0]
    quicker = command.replace("--seconds 20", "--seconds 1 --agents tbaa,rtaa")
    assert quicker != command
    assert main(shlex.split(quicker)[1:]) == 0
