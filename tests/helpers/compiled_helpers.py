"""Run code in a separate process, and restart the store."""

import os
import subprocess
import sys


def forget_folder() -> None:
    """Make the store look for its folder again; it may also warn again."""
    from timebound.compiled import store

    store.folder.cache_clear()
    store._tidy_once.cache_clear()
    store._warned.clear()


def run_python(code: str, *arguments: str, status: int = 0, **environment: str) -> str:
    """Return what a separate process prints."""
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
