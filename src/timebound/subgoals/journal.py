"""The journal of a build: finished work, so that an interrupted build can resume.

It is one file next to the base. Its first entry says what is being built, and every other holds the result of one
piece, with a checksum. A killed process leaves at most one incomplete entry, at the end: that is cut off.
"""

import hashlib
import json
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from ..core.disk import Wanted, check_target, lock, size_of
from ..core.errors import CaseError

_ENTRY = struct.Struct("<qq16s")  # number of the piece, length, the first bytes of the SHA-256
_WHAT = -1  # the number of the first entry
_FILE = Wanted("the journal of a build", 2**34, CaseError)
_LARGEST = 2**28  # bytes of one entry, unpacked

Arrays = tuple[np.ndarray, ...]


def journal_of(base: Path) -> Path:
    """Return the path of the journal of that base."""
    return base.with_name(base.name + ".journal")


class Journal:
    """An open journal; no other process can open it."""

    def __init__(self, base: Path, what: Mapping[str, Any], resume: bool):
        check_target(base, CaseError)  # before the work, not after
        self.path = journal_of(base)
        begun = self.path.exists()
        if begun and not resume:
            raise CaseError(f"{self.path}: an unfinished build is here; continue it (resume), or remove the file")
        self._size = size_of(self.path, _FILE) if begun else 0
        try:
            self._file = self.path.open("r+b" if begun else "x+b")
        except OSError as error:
            raise CaseError(f"{self.path}: cannot be written: {error.strerror}") from None
        if not lock(self._file.fileno()):
            self._file.close()
            raise CaseError(f"{self.path}: another process is building this base; wait for it")
        self.done: dict[int, Arrays] = {}
        self._noted = 0
        try:
            self._go_on(json.dumps(what, sort_keys=True).encode())
        except BaseException:
            self._close(keep=begun)
            raise

    def _go_on(self, what: bytes) -> None:
        entries = self._entries()
        first = next(entries, None)
        if first is None:
            self._file.seek(0)
            self._file.truncate()
            self._append(_WHAT, what)
            return
        if first != (_WHAT, what):
            raise CaseError(f"{self.path}: belongs to a build with another map, seed, version or size; remove the file")
        end = self._file.tell()
        for number, content in entries:
            arrays = _arrays(content)
            if arrays is None:
                break
            self.done[number] = arrays
            end = self._file.tell()
        self._file.seek(end)
        self._file.truncate()

    def _entries(self) -> Iterator[tuple[int, bytes]]:
        while len(start := self._file.read(_ENTRY.size)) == _ENTRY.size:
            number, length, checksum = _ENTRY.unpack(start)
            content = self._file.read(length) if 0 <= length <= self._size else b""
            if len(content) != length or hashlib.sha256(content).digest()[:16] != checksum:
                return
            yield number, content

    def note(self, number: int, arrays: Sequence[np.ndarray]) -> None:
        """Record a finished piece."""
        buffer = BytesIO()
        np.savez_compressed(buffer, *arrays)
        self._append(number, buffer.getvalue())
        self._noted += 1

    def _append(self, number: int, content: bytes) -> None:
        try:
            self._file.write(_ENTRY.pack(number, len(content), hashlib.sha256(content).digest()[:16]) + content)
            self._file.flush()
        except OSError as error:
            raise CaseError(f"{self.path}: cannot be written: {error.strerror}") from None

    def close(self) -> None:
        """Close the journal for later; remove it if it is empty."""
        self._close(keep=bool(self.done or self._noted))

    def _close(self, keep: bool) -> None:
        if not keep:
            self.path.unlink(missing_ok=True)
        with suppress(OSError):  # a failed write was reported before
            self._file.close()

    def remove(self) -> None:
        """Remove the journal: the base is saved."""
        self.path.unlink(missing_ok=True)


def _arrays(content: bytes) -> Arrays | None:
    """Return the arrays of an entry; None if it holds anything else."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            if sum(member.file_size for member in archive.infolist()) > _LARGEST:
                return None
        with np.load(BytesIO(content)) as stored:
            arrays = tuple(stored[name] for name in stored.files)
    except Exception:  # archives and headers of arrays may raise anything on junk
        return None
    return arrays if all(isinstance(array, np.ndarray) for array in arrays) else None
