"""Somebody who follows a run in a debugger walks through few files."""

import re
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "files_of_a_run.py"


def test_a_run_is_spread_over_few_files() -> None:
    said = subprocess.run([sys.executable, str(TOOL), "tbaa"], capture_output=True, text=True, check=True).stdout
    make, run = (int(count) for count in re.findall(r"^(?:make|run): (\d+) files", said, re.MULTILINE))
    assert "agents/algorithms/time_bounded.py" in said
    assert make <= 20
    assert run <= 25
