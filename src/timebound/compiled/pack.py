"""A pack of machine code: one file with many pieces, each compressed by itself and found by its key.

It begins with its length of index, the index (a JSON object: what it is made for, and where every piece is), and a
checksum of the index; each piece has a checksum of its own. Nothing of it is read before it is asked for.
"""

import lzma
from collections.abc import Mapping
from pathlib import Path

MAGIC = b"timebound machine code 1\n"
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6}]


class Pack:
    """An open pack."""

    def __init__(self, path: Path, start: int, index: Mapping[str, list[int | str]], dictionary: Mapping[str, str]):
        self.path, self.start, self.index, self.about = path, start, index, dictionary

    @classmethod
    def open(cls, path: Path, made_for: str) -> "Pack | None":
        """The pack in that file, if it is whole and made for the same."""
        return None
