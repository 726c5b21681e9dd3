"""The examples of docs/worlds.md run."""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "worlds.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_examples() -> None:
    """With the compiler off, which takes seconds; compiled, such worlds run in the tests beside this one."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    program = [sys.executable, "-c", "".join(BLOCKS)]
    output = subprocess.run(program, check=True, capture_output=True, text=True, env=environment).stdout
    assert output.split() == ["True", "True", "16"]
