"""Sliding tiles: the 8-, 15- and 24-puzzle.

A state is an arrangement, packed into a few words of 64 bits: several cells per word, the first one in the lowest bits.
One tile moves at a time, so the heuristic of the next arrangement follows from that of the last (Manhattan distance,
and optionally linear conflicts: Hansson, Mayer and Yung 1992).
"""

from collections.abc import Iterator
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np

from ..compiled import lowest_bit
from ..core.disk import Wanted, path_of, read_bytes
from ..core.errors import MapError, ProblemError, WorldError
from ..core.values import is_whole, items, one_of
from ..core.wording import shown
from .custom import CAPACITY, CustomWorld
from .numbering import with_word

WORD = 64  # bits
SIDES = range(2, 7)
_FILE = Wanted("a file of puzzles", 2**22)


def _tile_at(world: Any, state: Any, cell: int) -> int:
    return (state[world.word[cell]] >> world.shift[cell]) & world.mask


def _blank_of(world: Any, state: Any) -> int:
    """Return the first field that is 0: the lowest that borrows when 1 is subtracted from each, and had no top bit."""
    first = 0
    for i in range(len(state)):
        borrowed = (state[i] - world.ones) & ~state[i] & world.tops
        if borrowed:
            return first + lowest_bit(borrowed) // world.bits
        first += world.room
    return first


def _successors(world: Any, state: Any) -> Iterator[tuple[Any, int]]:
    blank = _blank_of(world, state)
    for k in range(4):
        cell = world.beside[4 * blank + k]
        if cell >= 0:  # its tile moves to the blank
            tile, there, here = _tile_at(world, state, cell), world.word[blank], world.word[cell]
            moved = with_word(state, there, state[there] ^ (tile << world.shift[blank]))
            yield with_word(moved, here, moved[here] ^ (tile << world.shift[cell])), 1


def _heuristic(world: Any, state: Any) -> int:
    h = 0
    for cell in range(world.cells):
        h += world.distances[_tile_at(world, state, cell) * world.cells + cell]
    if world.conflicts:
        for line in range(world.side):
            h += _conflicts(world, state, line * world.side, 1) + _conflicts(world, state, line, world.side)
    return h


def _step_heuristic(world: Any, state: Any, h: int, successor: Any) -> int:
    """Update h after one tile has moved, from where the blank is now to where it was."""
    blank, cell = _blank_of(world, state), _blank_of(world, successor)
    row = _tile_at(world, state, cell) * world.cells
    h += world.distances[row + blank] - world.distances[row + cell]
    if world.conflicts:
        across = abs(blank - cell) == 1  # then it has changed its column, but its order within the row is the same
        step = world.side if across else 1
        for end in range(2):
            place = cell if end else blank
            first = place % world.side if across else place - place % world.side
            h += _conflicts(world, successor, first, step) - _conflicts(world, state, first, step)
    return h


def _conflicts(world: Any, state: Any, first: int, step: int) -> int:
    """Count two moves for every tile that must leave this line, so that the others can pass to their places.

    The tiles that may stay are the longest sequence that belongs in this line and is in the right order. `longest`
    holds, for every place in the line, the length of the longest sequence that ends with the tile that belongs there.
    """
    longest, belong, stay = 0, 0, 0
    for i in range(world.side):
        tile = _tile_at(world, state, first + i * step)
        home = world.homes[tile] - first
        if tile and home >= 0 and home % step == 0 and home // step < world.side:
            place, best = home // step, 0
            for earlier in range(place):
                best = max(best, (longest >> (4 * earlier)) & 15)
            longest += (best + 1) << (4 * place)
            belong, stay = belong + 1, max(stay, best + 1)
    return 2 * (belong - stay)


class Tiles(CustomWorld):
    """A square of `side` x `side` cells with a tile in all but one; a move slides a tile into the blank.

    An arrangement is a tuple of the tiles in all cells, row by row; 0 is the blank. Every move costs 1.

    Parameters
    ----------
    side
        3 for the 8-puzzle, 4 for the 15-puzzle, 5 for the 24-puzzle.
    heuristic
        `"manhattan"`, or `"linear-conflict"`, which is larger and slower.
    capacity
        The most arrangements that one agent or search may meet.

    Examples
    --------
    >>> import timebound as tb
    >>> start = (1, 4, 2, 3, 0, 5, 6, 7, 8)
    >>> tb.shortest_path(tb.Tiles(3), start, tuple(range(9))).cost
    2.0
    """

    def __init__(self, side: int = 4, *, heuristic: str = "manhattan", capacity: int = CAPACITY):
        side = one_of(side, SIDES, f"a puzzle has {SIDES[0]} to {SIDES[-1]} tiles per side", WorldError)
        names = ("manhattan", "linear-conflict")
        heuristic = one_of(heuristic, names, "the heuristic of tiles is manhattan or linear-conflict", WorldError)
        self.side, self.cells = side, side * side
        self.bits = (self.cells - 1).bit_length()
        self.room = WORD // self.bits
        self.words = -(-self.cells // self.room)
        fields = range(0, self.room * self.bits, self.bits)
        ones = sum(1 << shift for shift in fields)
        cells = np.arange(self.cells)
        data: dict[str, Any] = {"side": side, "cells": self.cells, "bits": self.bits, "room": self.room}
        data |= {"mask": (1 << self.bits) - 1, "ones": _signed(ones), "tops": _signed(ones << (self.bits - 1))}
        data |= {"word": cells // self.room, "shift": cells % self.room * self.bits, "beside": _beside(side)}
        super().__init__(
            _successors,
            _heuristic,
            step_heuristic=_step_heuristic,
            data={**data, "conflicts": heuristic == "linear-conflict"},
            branching=4,
            reversible=True,
            capacity=capacity,
            name=f"{self.cells - 1}-puzzle",
        )

    def __repr__(self) -> str:
        return f"Tiles({self.side})"

    def facts(self, goal: Any) -> dict[str, Any]:
        """Add the distances of all tiles from where they belong."""
        homes = np.argsort(self._arrangement(goal))
        x, y = np.divmod(np.arange(self.cells), self.side)
        distances = abs(x - x[homes][:, None]) + abs(y - y[homes][:, None])
        distances[0] = 0  # the blank is not a tile
        return {**super().facts(goal), "homes": homes, "distances": distances.ravel()}

    def key(self, place: Any) -> tuple[int, ...]:
        """Pack an arrangement into words."""
        tiles = self._arrangement(place)
        words = [0] * self.words
        for cell in range(self.words * self.room):
            tile = tiles[cell] if cell < self.cells else 1  # not the blank
            words[cell // self.room] |= tile << (cell % self.room * self.bits)
        return tuple(map(_signed, words))

    def _arrangement(self, place: Any) -> tuple[int, ...]:
        rule = f"an arrangement of the {self.name} has the numbers 0 to {self.cells - 1}, each once"
        tiles = tuple(items(place, rule))
        if not all(map(is_whole, tiles)) or sorted(tiles) != list(range(self.cells)):
            raise ProblemError(f"{rule}, not {shown(place)}")
        return tuple(map(int, tiles))

    def label(self, key: Any) -> tuple[int, ...]:
        """Unpack words into a tuple of tiles."""
        mask = (1 << self.bits) - 1
        return tuple(key[c // self.room] >> (c % self.room * self.bits) & mask for c in range(self.cells))

    def state(self, place: Any) -> int:
        """Return the number of an arrangement, if the goal can be reached from it."""
        if self.sight is not None:
            _check_parity(self._arrangement(place), self.label(self.sight.data.goal), self.side)
        return super().state(place)

    @staticmethod
    def read(path: str | PathLike[str]) -> "list[tuple[int, ...]]":
        """Read the arrangements in a file: one per line, row by row, 0 for the blank; # begins a comment.

        A line may have other numbers before the tiles (as in the files of Korf's instances), or after them.
        """
        file = path_of(path)
        try:
            lines = read_bytes(file, _FILE).decode("utf-8").splitlines()
        except UnicodeDecodeError as error:
            raise MapError(f"{path}: cannot be read: not UTF-8 text at byte {error.start}") from None
        found = [_tiles_of(f"{path}, line {i}", line) for i, line in enumerate(lines, 1) if line.split("#")[0].strip()]
        if not found:
            raise MapError(f"{path}: no arrangement found; write one per line, the tiles row by row, 0 for the blank")
        return found


def _tiles_of(where: str, line: str) -> tuple[int, ...]:
    """Return the arrangement in a line: the numbers from 0 up, each once, consecutively."""
    words = line.split("#")[0].replace(",", " ").split()
    try:
        numbers = [int(word) for word in words]
    except ValueError:
        raise MapError(f"{where}: an arrangement is a list of whole numbers, not {line.strip()!r:.60}") from None
    for side in reversed(SIDES):
        for tiles in (numbers[-side * side :], numbers[: side * side]):
            if sorted(tiles) == list(range(side * side)):
                return tuple(tiles)
    raise MapError(
        f"{where}: no arrangement of 4, 9, 16, 25 or 36 tiles, each once, 0 for the blank: {line.strip()!r:.60}"
    )


def _signed(word: int) -> int:
    """Return a 64-bit word as NumPy's signed integer."""
    return word - (1 << WORD) if word >> (WORD - 1) else word


def _beside(side: int) -> np.ndarray:
    """Return for every cell the cells above, left, right and below; -1 at the edge."""
    x, y = np.tile(np.arange(side), side), np.repeat(np.arange(side), side)
    steps = ((0, -1), (-1, 0), (1, 0), (0, 1))
    inside = [(x + dx >= 0) & (x + dx < side) & (y + dy >= 0) & (y + dy < side) for dx, dy in steps]
    return np.stack(
        [np.where(ok, (y + dy) * side + x + dx, -1) for ok, (dx, dy) in zip(inside, steps, strict=True)], 1
    ).ravel()


def _check_parity(start: tuple[int, ...], goal: tuple[int, ...], side: int) -> None:
    """Reject arrangements of the wrong parity: every move swaps the blank with a tile, and moves it by one cell."""
    swaps = sum(goal.index(one) > goal.index(other) for one, other in combinations(start, 2))  # of neighbours in a row
    blank, goal_blank = start.index(0), goal.index(0)
    way = abs(blank % side - goal_blank % side) + abs(blank // side - goal_blank // side)
    if (swaps - way) % 2:
        raise ProblemError(
            "the goal cannot be reached from that arrangement: half of all arrangements are unreachable (parity); "
            "swap two tiles"
        )
