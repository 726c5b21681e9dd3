"""Racetrack files.

`.track` has a line `dim: ROWS COLUMNS`, then x for walls, . free, s start, g goal; `.racetrack` has lines of settings
up to `---`, then @ for walls, blank free, s start, f finish.
"""

import re
from pathlib import Path

import numpy as np

from ..core.disk import Wanted
from ..core.errors import MapError
from .model import Position, check_size
from .movingai import lines_of

_MOST_CELLS = 2**24  # a state has a velocity, too
_SIZE = re.compile(rb"dim:\s*([0-9]{1,6})\s+([0-9]{1,6})\s*")
_FILE = Wanted("a track file", 2**25)
LEGENDS = {".track": b"x.sg", ".racetrack": b"@ sf"}  # wall, free, start, goal


def read_track(path: Path) -> tuple[np.ndarray, list[Position], list[Position]]:
    """Read a `.track` or a `.racetrack` file: which cells are free, and those of the start and of the goal."""
    legend = LEGENDS[path.suffix.lower()]
    lines = lines_of(path, _FILE) or [b""]
    rows, first, width = (_sized_rows if path.suffix.lower() == ".track" else _rows_after_settings)(path, lines)
    cells = _cells(path, rows, first, width, legend)
    starts, goals = ([(int(x), int(y)) for y, x in np.argwhere(cells == mark)] for mark in legend[2:])
    return cells != legend[0], starts, goals


def _sized_rows(path: Path, lines: list[bytes]) -> tuple[list[bytes], int, int]:
    """Return the rows, the number of the line before them, and their width."""
    size = _SIZE.fullmatch(lines[0])
    if size is None:
        raise MapError(f"{path}, line 1: expected 'dim: ROWS COLUMNS', found {lines[0].decode(errors='replace')!r:.40}")
    rows, height = lines[1:], int(size[1])
    if len(rows) != height:
        raise MapError(f"{path}: {len(rows)} rows, but line 1 says {height}; the file may be cut off")
    return rows, 1, int(size[2])


def _rows_after_settings(path: Path, lines: list[bytes]) -> tuple[list[bytes], int, int]:
    if b"---" not in lines:
        raise MapError(f"{path}: no line '---' between the settings and the track")
    first = lines.index(b"---") + 1
    rows = lines[first:]
    width = max(map(len, rows), default=0)
    if rows and width:
        _check_size(path, width, len(rows))
    return [row.ljust(width) for row in rows], first, width  # editors strip trailing blanks


def _cells(path: Path, rows: list[bytes], first: int, width: int, legend: bytes) -> np.ndarray:
    if not rows or not width:
        raise MapError(f"{path}: the file contains no track")
    _check_size(path, width, len(rows))
    for number, row in enumerate(rows, first + 1):
        if len(row) != width:
            raise MapError(f"{path}, line {number}: {len(row)} cells in a row of width {width}; correct the row")
        strange = next((i for i, cell in enumerate(row) if cell not in legend), None)
        if strange is not None:
            known = ", ".join(repr(chr(cell)) for cell in legend)
            raise MapError(
                f"{path}, line {number}, column {strange + 1}: {chr(row[strange])!r} is none of {known} "
                "(wall, free, start, goal)"
            )
    return np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), width)


def _check_size(path: Path, width: int, height: int) -> None:
    try:
        check_size(width, height, _MOST_CELLS)
    except MapError as error:
        raise MapError(f"{path}: {error}") from None
