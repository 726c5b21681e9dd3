"""Machine code that nobody needs any more: sources change, Numba is upgraded, and nothing says so to the folder.

Whatever is removed is compiled again if it is needed after all, so it does no harm to remove too much.
"""

import contextlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MOST = 1 << 30  # bytes; all agents on grids, once, take 94 million
_OURS = re.compile(r"[0-9a-f]{16}/([0-9a-f]{32}|\.[0-9a-f]{16})")  # folder and key; or a file that is being written
_OLD = 3600.0  # seconds; until then a file may still be being written


class _File(NamedTuple):
    used: float  # when it was read or written last, as far as the system takes note of it
    size: int
    path: Path


def tidy(root: Path, most: int = MOST) -> int:
    """Leave the last used files, of this many bytes at most, of all processors and versions; return what was removed.

    Half-written files of processes that were killed go, too.
    """
    now, seen, removed = time.time(), 0, 0
    for file in sorted(_files(root), reverse=True):
        seen += file.size
        if now - file.used > _OLD if file.path.name.startswith(".") else seen > most:
            with contextlib.suppress(OSError):
                file.path.unlink()
                removed += file.size
    return removed


def _files(root: Path) -> Iterator[_File]:
    with contextlib.suppress(OSError):
        for path in root.glob("*/*"):
            status = path.stat()
            if _OURS.fullmatch(f"{path.parent.name}/{path.name}") and is_ours(status):
                yield _File(max(status.st_atime, status.st_mtime), status.st_size, path)


def is_ours(status: os.stat_result) -> bool:
    """Does a file belong to this user?"""
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()
