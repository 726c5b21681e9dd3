"""Predicted paths of others that move, and the ticks at which they leave every cell free.

A tick is the time of one move. Whoever is at a cell at a tick at which a mover is there, or changes places with one, is
hit. The ticks at which a cell is free are a few *safe intervals* (Phillips and Likhachev 2011): most cells have just
one, all of time.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.disk import Wanted, read_bytes
from ..core.errors import ProblemError
from ..core.values import flag, is_whole, number, whole
from ..core.wording import shown

Cell = tuple[int, int]
FOREVER = 1 << 40
_FILE = Wanted("a JSON file of movers", 2**25, ProblemError)
MOST_TICKS = 1 << 16  # of a prediction
_BITS = 20  # for a tick of a prediction
_CELLS = "a path is a list of cells (x, y), one for every tick"


@dataclass(frozen=True)
class Mover:
    """A predicted path: a cell for every tick, from now on; each at most one cell away from the last, in x and in y.

    Parameters
    ----------
    cells
        Cells `(x, y)`, at most 65,536. Outside the map they hit nobody, and walls stop nothing.
    stays
        After the last cell: True if the mover stays there for ever, False if nothing is known of it, and it is gone.

    Examples
    --------
    >>> Mover.straight((3, 1), (0, 1), speed=0.5, ticks=4).cells
    ((3, 1), (3, 2), (3, 2), (3, 3), (3, 3))
    """

    cells: Sequence[Cell]
    stays: bool = True

    def __post_init__(self) -> None:
        flag(self.stays, "stays")
        given = _listed(self.cells, _CELLS)
        if not 0 < len(given) <= MOST_TICKS:
            wrong = "an empty one" if not given else "one that does not end"
            raise ProblemError(f"{_CELLS}, at most {MOST_TICKS}; this is {wrong}")
        cells = tuple(_cell(each) for each in given)
        jumps = np.abs(np.diff(np.array(cells), axis=0)).max(axis=1, initial=0) > 1
        if jumps.any():
            before, after = cells[jumps.argmax()], cells[jumps.argmax() + 1]
            raise ProblemError(
                f"a mover goes at most one cell per tick, not from {before} to {after}; use shorter ticks"
            )
        object.__setattr__(self, "cells", cells)

    @classmethod
    def straight(cls, start: Cell, direction: Cell, *, speed: float = 1.0, ticks: int) -> "Mover":
        """Predict that it goes straight on for so many ticks; what comes then is unknown.

        Parameters
        ----------
        start, direction
            Its cell, and `(dx, dy)`: of any length, but not (0, 0).
        speed
            In cells per tick, from 0 to 1, along the longer side of the direction. It is at the nearest cell.
        ticks
            The horizon, at most 65,535.
        """
        (x, y), (dx, dy) = _cell(start), _cell(direction, "a direction is (dx, dy)")
        if dx == dy == 0:
            raise ProblemError("a direction is (dx, dy), not (0, 0); a mover that stands is tb.Mover([cell])")
        number(speed, "the speed of a mover is a number of cells per tick from 0 to 1", lambda given: 0 <= given <= 1)
        most = MOST_TICKS - 1
        ticks = whole(ticks, f"the horizon of a mover is a number of ticks from 1 to {most}", most=most)
        step = speed / max(abs(dx), abs(dy))
        ahead = ((x + _nearest(i * step * dx), y + _nearest(i * step * dy)) for i in range(ticks + 1))
        return cls(tuple(ahead), stays=False)


def _nearest(value: float) -> int:
    return math.floor(value + 0.5) if value >= 0 else -math.floor(0.5 - value)


def _cell(given: Any, rule: str = "a cell is (x, y)") -> Cell:
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not (isinstance(given, (tuple, list)) and len(given) == 2 and all(map(is_whole, given))):
        raise ProblemError(f"{rule}, two whole numbers, not {shown(given)}")
    if max(abs(int(given[0])), abs(int(given[1]))) >= FOREVER:
        raise ProblemError(f"{rule}, and {shown(given)} is too far away")
    return int(given[0]), int(given[1])


def bouncing(start: Cell, direction: Cell, free: np.ndarray, ticks: int) -> Mover:
    """Return a mover that goes straight on, one cell per tick, and turns back before what is not free."""
    (x, y), (dx, dy), cells = start, direction, [start]
    height, width = free.shape
    for _ in range(ticks):
        if not (0 <= x + dx < width and 0 <= y + dy < height and free[y + dy, x + dx]):
            dx, dy = -dx, -dy
        if 0 <= x + dx < width and 0 <= y + dy < height and free[y + dy, x + dx]:
            x, y = x + dx, y + dy
        cells.append((x, y))
    return Mover(cells, stays=False)


def movers_of(given: Any) -> dict[Any, Mover]:
    """Return movers by their names: a list numbers them from 0 on; a list of cells is a `Mover` that stays."""
    if isinstance(given, Mapping):
        return {name: _mover(each) for name, each in given.items()}
    rule = "obstacles are a list of tb.Mover, or a dictionary of them by name"
    return dict(enumerate(_mover(each) for each in _listed(given, rule)))


def _listed(given: Any, rule: str) -> list[Any]:
    """Return the items of something that may never end: one more than there may be at most."""
    try:
        if not isinstance(given, (str, bytes, Mapping)):
            return [*islice(iter(given), MOST_TICKS + 1)]
    except TypeError:
        pass
    raise ProblemError(f"{rule}, not {shown(given)}")


def _mover(given: Any) -> Mover:
    return given if isinstance(given, Mover) else Mover(given)


def read_movers(file: Path) -> dict[Any, Mover]:
    """Read movers from a JSON file: lists of cells, or what `Mover.straight` takes, as a list or by name."""
    rule = f"{file}: movers are a JSON list or object of lists of [x, y], or of {{start, direction, speed, ticks}}"
    try:
        given = json.loads(read_bytes(file, _FILE))
        pairs = given.items() if isinstance(given, dict) else enumerate(given)
        return {name: _straight(each) if isinstance(each, dict) else Mover(each) for name, each in pairs}
    except ProblemError as error:
        raise ProblemError(f"{file}: {error}") from None
    except (ValueError, TypeError, RecursionError):
        raise ProblemError(rule) from None


def _straight(given: dict[str, Any]) -> Mover:
    return Mover.straight(given.pop("start", None), given.pop("direction", None), **{"ticks": None} | given)


# ------------------------------------------------------------------ safe intervals


class Timetable(NamedTuple):
    """The safe intervals of all cells, in order, and who goes where when, as arrays."""

    row: np.ndarray  # of every cell: 0 if no mover ever comes there
    first: np.ndarray  # intervals of row r: first[r] to first[r + 1], in order
    begins: np.ndarray  # the first tick of every interval
    ends: np.ndarray  # and the last
    passing: np.ndarray  # moves of movers to the cells of row r: passing[r] to passing[r + 1]
    origins: np.ndarray  # whence
    arrivals: np.ndarray  # and the tick of their arrival
    last: int  # after this tick nothing changes


def timetable(movers: Mapping[Any, tuple[int, Mover]], width: int, height: int, now: int) -> Timetable:
    """Return the timetable of movers, each with the tick at which its path begins, from `now` on."""
    tracks = [_track(*mover, width, height) for mover in movers.values()]
    visits = np.concatenate([np.empty((0, 4), np.int64), *tracks])
    visits = visits[(visits[:, 0] >= 0) & (visits[:, 1] >= now)]
    cell, tick, until, before = visits[np.lexsort((visits[:, 1], visits[:, 0]))].T
    touched, group = np.unique(cell, return_inverse=True)
    row = np.zeros(width * height, np.int32)
    row[touched] = np.arange(1, len(touched) + 1)
    last = int(np.where(until == FOREVER, tick, tick + 1).max(initial=now))
    first, begins, ends = _gaps(group, tick, until, now)
    come = (before >= 0) & (before != cell)
    return Timetable(row, first, begins, ends, _rows(group[come], len(touched)), before[come], tick[come], last)


def _track(since: int, mover: Mover, width: int, height: int) -> np.ndarray:
    """Return the visits of a mover: cell (-1 outside), tick, the last tick there, and the cell before."""
    x, y = np.array(mover.cells).T
    cell = np.where((x >= 0) & (x < width) & (y >= 0) & (y < height), y * width + x, -1)
    tick = since + np.arange(len(cell))
    until = np.append(tick[:-1], FOREVER if mover.stays else tick[-1])
    return np.stack([cell, tick, until, np.append(-1, cell[:-1])], axis=1)


def _gaps(group: np.ndarray, tick: np.ndarray, until: np.ndarray, now: int) -> tuple[np.ndarray, ...]:
    """Return the intervals between visits, which are sorted by group and tick; of row 0, all of time."""
    is_first, is_last = np.diff(group, prepend=-1) > 0, np.diff(group, append=-1) != 0
    # The last tick of all visits so far to the same cell; from `now`, so that it fits beside the number of the group.
    so_far = np.maximum.accumulate((group << _BITS) + np.minimum(until - now, 1 << _BITS - 1)) & ((1 << _BITS) - 1)
    after = so_far + now + 1
    begin, end = np.where(is_first, 0, np.roll(after, 1)), tick - 1
    between, behind = begin <= end, is_last & (so_far < 1 << _BITS - 1)
    rows = np.concatenate([[0], group[between] + 1, group[behind] + 1])
    begins = np.concatenate([[0], begin[between], after[behind]])
    ends = np.concatenate([[FOREVER], end[between], np.full(behind.sum(), FOREVER)])
    order = np.lexsort((begins, rows))
    return _rows(rows[order] - 1, int(is_first.sum())), begins[order], ends[order]


def _rows(group: np.ndarray, groups: int) -> np.ndarray:
    """Return where the entries of every row begin, if they are sorted; row 0 is that of group -1."""
    return np.searchsorted(group, np.arange(-1, groups + 1))
