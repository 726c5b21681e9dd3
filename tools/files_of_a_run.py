"""Print the files whose functions an agent's run walks through: what somebody reads who follows it in a debugger.

    python tools/files_of_a_run.py tbaa

The compiler is off, so that Python sees every call. Files of `compiled` and `core` are counted apart.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

import timebound as tb

SOURCE = Path(tb.__file__).parent
MACHINERY = ("compiled", "core")


def files_of(call: Callable[[], Any]) -> set[str]:
    """Return the files of the package in which functions are called."""
    found = set()

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            found.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    paths = (Path(name) for name in found)
    return {str(path.relative_to(SOURCE)) for path in paths if path.is_relative_to(SOURCE)}


def main(name: str) -> None:
    """Print the files of making an agent, and of its run."""
    world = tb.Grid.load("harbour")
    problem = world, (12, 100), (180, 14)
    tb.make(name, *problem, terrain="unknown").run(expansions=100)  # imports what it needs
    agent = tb.make(name, *problem, terrain="unknown")
    for what, call in {
        "make": lambda: tb.make(name, *problem, terrain="unknown"),
        "run": lambda: agent.run(expansions=100),
    }.items():
        files = files_of(call)
        read = sorted(file for file in files if not file.startswith(MACHINERY))
        print(f"{what}: {len(read)} files, and {len(files) - len(read)} of {' and '.join(MACHINERY)}")
        print(*(f"    {file}" for file in read), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:] or ["tbaa"])
