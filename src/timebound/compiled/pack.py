"""A pack of machine code: one file with many pieces, each compressed separately and found by its key.

The file is a first line, the length and checksum of its index, the index, and the pieces. The index is JSON: what the
machine code was made for, and for every key the place, length and checksum of its piece. Only the index is read at
first, so opening a pack takes a millisecond, however many pieces it has.
"""

import hashlib
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_FIRST_LINE = b"timebound machine code, format 1\n"
_LENGTH, _CHECK = 8, 16  # bytes
_LARGEST = 1 << 27  # bytes of a piece


class Pack:
    """An open pack."""

    def __init__(self, path: Path, start: int, index: Mapping[str, Any]):
        self.path, self._start, self.made_for, self._pieces = path, start, index["made for"], index["pieces"]

    def __len__(self) -> int:
        return len(self._pieces)

    @classmethod
    def open(cls, path: Path) -> "Pack | None":
        """Open the pack in that file; None if there is none, or if it is damaged."""
        try:
            with path.open("rb") as file:
                first = file.read(len(_FIRST_LINE))
                size, check = int.from_bytes(file.read(_LENGTH), "little"), file.read(_CHECK)
                text = file.read(min(size, _LARGEST))
            if first != _FIRST_LINE or _checksum(text) != check:
                return None
            return cls(path, len(first) + _LENGTH + _CHECK + size, json.loads(text))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def get(self, key: str) -> bytes | None:
        """Return the piece with that key; None if it is missing or damaged."""
        if key not in self._pieces:
            return None
        try:
            place, size, check = self._pieces[key]
            with self.path.open("rb") as file:
                file.seek(self._start + place)
                packed = file.read(size)
            return zlib.decompress(packed) if _checksum(packed).hex() == check else None
        except (OSError, ValueError, TypeError, zlib.error):
            return None


def packed(pieces: Mapping[str, bytes], made_for: str) -> bytes:
    """Return the contents of a pack."""
    index, body, place = {}, [], 0
    for key, content in sorted(pieces.items()):
        piece = zlib.compress(content, 9)
        index[key] = place, len(piece), _checksum(piece).hex()
        body.append(piece)
        place += len(piece)
    text = json.dumps({"made for": made_for, "pieces": index}, separators=(",", ":")).encode()
    return b"".join((_FIRST_LINE, len(text).to_bytes(_LENGTH, "little"), _checksum(text), text, *body))


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()[:_CHECK]
