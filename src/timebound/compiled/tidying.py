"""Remove machine code that is no longer needed: sources change, Numba is upgraded, and the folder does not know.

If something removed is needed after all, it is compiled again, so removing too much does no harm.
"""

import contextlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MOST = 1 << 30  # bytes; all agents on grids, once, take 94 million
_OURS = re.compile(r"[0-9a-f]{16}/([0-9a-f]{32}|\.[0-9a-f]{16})")  # folder and key; or an unfinished file
_OLD = 3600.0  # seconds; younger files may still be being written


class _File(NamedTuple):
    used: float  # when it was last read or written, as far as the system records it
    size: int
    path: Path


def tidy(root: Path, most: int = MOST) -> int:
    """Keep the most recently used files, up to `most` bytes, of all versions; return the bytes removed.

    Unfinished files of killed processes are removed too.
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
