"""The maps of the page: built in, generated, drawn or dropped, as a rectangle of character codes.

The codes are those of `maps.model`; only the studio has mud, which costs more to cross.
"""

import base64
import binascii
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import MapError, ProblemError
from ..core.values import one_of, whole
from ..core.wording import shown
from ..maps import builtin, read
from ..maps.formats import NAMES
from ..maps.generate import GENERATORS
from ..maps.model import BLOCKED, GROUND, PASSABLE, WALL, Map
from ..worlds import Grid
from .client_limits import LONGEST_SIDE, MOST_CELLS, MOST_CHANGES, MOST_UPLOAD

MUD, MUD_COST = ord("m"), 3.0
CODES = bytes([*PASSABLE, *BLOCKED, MUD])
BRUSHES = (GROUND, WALL, MUD)
SUFFIXES = (".map", ".npy", ".png", ".pgm", ".bmp", ".gif", ".webp", ".jpg", ".jpeg", ".track")
_BUILT_IN = f"built in: {', '.join(NAMES)}"
_FREE = np.isin(np.arange(256), [*PASSABLE, MUD])
_KNOWN = np.isin(np.arange(256), list(CODES))


class Ground:
    """A map on the page: codes `[y, x]`, and a name."""

    def __init__(self, codes: np.ndarray, name: str):
        self.codes, self.name = codes, name

    @property
    def passable(self) -> np.ndarray:
        """Which cells can be entered."""
        return np.asarray(_FREE[self.codes])

    def world(self, **rules: Any) -> Grid:
        """The grid on which agents race."""
        muddy = self.codes == MUD
        travel = np.where(muddy, MUD_COST, 1.0) if muddy.any() else None
        return Grid(self.passable, travel=travel, name=self.name, **rules)

    def packed(self) -> dict[str, Any]:
        """Return the map as a value for JSON."""
        height, width = self.codes.shape
        return {"name": self.name, "width": width, "height": height, "cells": pack(self.codes.tobytes())}


def pack(content: bytes) -> str:
    """Compress bytes into a text."""
    return base64.b64encode(zlib.compress(content, 6)).decode()


def unpack(text: Any, most: int) -> bytes:
    """Decompress the bytes; at most `most`."""
    try:
        unfolding = zlib.decompressobj()
        content = unfolding.decompress(base64.b64decode(text, validate=True), most + 1)
    except (TypeError, ValueError, binascii.Error, zlib.error):
        raise ProblemError("the packed bytes are damaged") from None
    if len(content) > most:
        raise ProblemError(f"there are more than {most:,} packed bytes")
    if not unfolding.eof:
        raise ProblemError("the packed bytes are damaged")
    return content


# ------------------------------------------------------------------ what a page may request


def ground_of(description: Any) -> Ground:
    """Return the map that a page describes.

    >>> ground_of({"kind": "rows", "rows": ["..@", "m.."]}).passable.tolist()
    [[True, True, False], [True, True, True]]
    """
    if not isinstance(description, Mapping):
        raise MapError(f"a map must be described by an object, not {shown(description)}")
    kind = one_of(description.get("kind"), _MAKERS, f"a map is one of {', '.join(_MAKERS)}", MapError)
    return _MAKERS[kind](description)


def _generated(description: Mapping[str, Any]) -> Ground:
    generate, own = GENERATORS[description["kind"]]
    width, height = _sides(description)
    options = {name: description[name] for name in ("seed", *own) if description.get(name) is not None}
    return _of_map(generate(width, height, **options))


def _drawn(description: Mapping[str, Any]) -> Ground:
    rows = description.get("rows")
    if not (isinstance(rows, list) and rows and all(isinstance(row, str) and row for row in rows)):
        raise MapError("rows must be a list of strings, one character per cell")
    if len({len(row) for row in rows}) > 1:
        raise MapError("the rows of a map must have the same length")
    _check_sides(len(rows[0]), len(rows))
    try:
        content = "".join(rows).encode("latin-1")
    except UnicodeEncodeError:
        raise MapError("rows have characters that are not terrain") from None
    return _of_codes(content, len(rows[0]), len(rows), description)


def _given(description: Mapping[str, Any]) -> Ground:
    width, height = _sides(description)
    return _of_codes(unpack(description.get("cells"), width * height), width, height, description)


_MAKERS: Mapping[str, Callable[[Mapping[str, Any]], Ground]] = {
    "built-in": lambda given: _of_map(builtin(one_of(given.get("name"), NAMES, _BUILT_IN, MapError))),
    **dict.fromkeys(GENERATORS, _generated),
    "rows": _drawn,
    "cells": _given,
}


def _of_map(map_: Map) -> Ground:
    check_size(map_.width, map_.height)
    return Ground(map_.terrain.copy(), map_.name)


def _of_codes(content: bytes, width: int, height: int, description: Mapping[str, Any]) -> Ground:
    if len(content) != width * height:
        raise MapError(f"the map should have {width} x {height} cells, but has {len(content):,}")
    codes = np.frombuffer(content, np.uint8).reshape(height, width).copy()
    if not _KNOWN[codes].all():
        raise MapError("the map has characters that are not terrain")
    name = description.get("name", "map")
    return Ground(codes, name[:80] if isinstance(name, str) else "map")


def _sides(description: Mapping[str, Any]) -> tuple[int, int]:
    width, height = (
        whole(description.get(side), f"the {side} is a whole number above 0") for side in ("width", "height")
    )
    _check_sides(width, height)
    return width, height


def _check_sides(width: int, height: int) -> None:
    if max(width, height) > LONGEST_SIDE:
        raise MapError(f"the studio's maps are at most {LONGEST_SIDE:,} cells wide or high")
    check_size(width, height)


def check_size(width: int, height: int) -> None:
    """Reject a map that is too large for a page."""
    if width * height > MOST_CELLS:
        raise MapError(f"{width} x {height} cells are too many: the studio's limit is {MOST_CELLS:,}")


# ------------------------------------------------------------------ edits and files


def cells_of(runs: Any, states: int) -> np.ndarray:
    """Return the cells of runs, a list of first cells and lengths in turn.

    >>> cells_of([3, 2, 8, 1], 10).tolist()
    [3, 4, 8]
    """
    if not isinstance(runs, list) or len(runs) % 2 or not all(type(number) is int for number in runs):
        raise ProblemError("cells must be a list of first cells and lengths, in turn")
    firsts, lengths = runs[::2], runs[1::2]
    if any(first < 0 or length <= 0 or first + length > states for first, length in zip(firsts, lengths, strict=True)):
        raise ProblemError("some cells are outside the map")
    if sum(lengths) > max(states, MOST_CHANGES):
        raise ProblemError("these are more cells than the map has")
    return np.concatenate([np.empty(0, np.int64), *map(np.arange, firsts, np.add(firsts, lengths))])


def edited(ground: Ground, edits: Any) -> Ground:
    """Return the map after edits: runs of cells by their new character."""
    codes = ground.codes.copy()
    for code, cells in brushed(edits, codes.size):
        codes.reshape(-1)[cells] = code
    return Ground(codes, ground.name)


def brushed(edits: Any, states: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the code of each brush (ground, wall or mud), and the cells that get it."""
    if not isinstance(edits, Mapping):
        raise ProblemError(f"edits must be runs of cells by their character, not {shown(edits)}")
    for character, runs in edits.items():
        yield ord(one_of(character, map(chr, BRUSHES), "a brush is '.', '@' or 'm'")), cells_of(runs, states)


def dropped(name: Any, content: bytes) -> Ground:
    """Return the map in a file that was dropped on the page. Only the suffix of its name is used."""
    if len(content) > MOST_UPLOAD:
        raise MapError(f"the file has {len(content):,} bytes; the studio's limit is {MOST_UPLOAD:,}")
    label = name if isinstance(name, str) else "map"
    suffix = one_of(Path(label).suffix.lower(), SUFFIXES, f"map files are {', '.join(SUFFIXES)}", MapError)
    with tempfile.TemporaryDirectory(prefix="timebound-") as folder:
        file = Path(folder) / f"dropped{suffix}"
        file.write_bytes(content)
        try:
            map_ = read(file)
        except MapError as error:
            raise MapError(str(error).replace(str(file), Path(label).name[:80])) from None
    ground = _of_map(map_)
    ground.name = Path(label).stem[:80]
    return ground
