"""A pack of machine code: a zip file with many pieces, found by their keys; its comment says what they were made for.

Only the index is read at first, so opening a pack takes a millisecond or two, however large its pieces are.
"""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path


class Pack:
    """An open pack."""

    def __init__(self, archive: zipfile.ZipFile):
        self._archive, self.made_for = archive, archive.comment.decode()

    @classmethod
    def open(cls, path: Path) -> "Pack | None":
        """Open the pack in that file; None if there is none, or if it is damaged."""
        try:
            return cls(zipfile.ZipFile(path))
        except Exception:  # what is damaged may raise errors of many kinds
            return None

    def get(self, key: str) -> bytes | None:
        """Return the piece with that key; None if it is missing or damaged."""
        try:
            return self._archive.read(key)
        except Exception:  # as above
            return None


def packed(pieces: Mapping[str, bytes], made_for: str) -> bytes:
    """Return the contents of a pack."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.comment = made_for.encode()
        for key, content in sorted(pieces.items()):
            archive.writestr(zipfile.ZipInfo(key), content, zipfile.ZIP_DEFLATED, 9)
    return file.getvalue()
