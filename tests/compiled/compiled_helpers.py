"""Processes of their own, and a store that starts again."""

import os
import subprocess
import sys

from timebound.compiled import store


def forget_folder() -> None:
    """The store looks for its folder again, and may warn again."""
    store.folder.cache_clear()
    store._tidy.cache_clear()
    store._warned.clear()


def run_python(code: str, *arguments: str, status: int = 0, **environment: str) -> str:
    """What a process of its own prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout
