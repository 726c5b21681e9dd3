"""Machine code of agents from outside the library: an edited module runs its new code, others the old."""

from pathlib import Path

from compiled_helpers import run_python

PLUGIN = """
from timebound.compiled import compiled

@compiled
def sight(k): return k + STEP

class Mine:
    def __init__(self, world, start, goal, terrain, seed):
        self.sight = sight(3)

    def run(self): return self.sight
"""
USE = """
import numpy as np, timebound as tb
from timebound.compiled import store
world = tb.Grid(np.ones((2, 2), bool))
print(tb.make("own_plugin:Mine", world, (0, 0), (1, 1)).run(), store.counts["compiled"] > 0, store.counts["loaded"] > 0)
"""


def test_an_edited_module_runs_its_new_code(tmp_path: Path) -> None:
    file, cache = tmp_path / "own_plugin.py", str(tmp_path / "cache")

    def used() -> str:
        code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{USE}"
        return run_python(code, TIMEBOUND_CACHE=cache, PYTHONDONTWRITEBYTECODE="1").strip()

    file.write_text(PLUGIN.replace("STEP", "1"))
    assert used() == "4 True False"
    assert used() == "4 False True"
    file.write_text(PLUGIN.replace("STEP", "2"))
    assert used() == "5 True False"
    file.write_text(f"# a comment\n{PLUGIN.replace('STEP', '1')}")
    assert used() == "4 False True"
