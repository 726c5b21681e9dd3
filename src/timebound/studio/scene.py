"""What goes on interval by interval for whoever watches, on a map that a person changes meanwhile."""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ProblemError
from ..wording import shown
from ..worlds import Grid
from .ground import MUD, MUD_COST, Ground, brush, cells_of
from .limits import MOST_CHANGES


class Scene(ABC):
    """A race, or a crowd. One thread at a time may use it."""

    def __init__(self, ground: Ground, world: Grid):
        self.world, self.interval, self.stopped = world, 0, False
        self.changed = False
        """Is the world, or what is asked for, not what it was in the beginning?"""
        self.codes = ground.codes.reshape(-1).copy()
        self._waiting: list[bytes] = []

    @property
    @abstractmethod
    def over(self) -> bool:
        """Will nothing happen any more?"""

    @abstractmethod
    def result(self) -> dict[str, Any]:
        """What came of it."""

    @abstractmethod
    def _step(self) -> None:
        """The next interval; what happens in it is added to what waits to be told."""

    @abstractmethod
    def _changed(self, cells: np.ndarray, code: int) -> None:
        """These cells have become something else: to be told as well."""

    def advance(self, until: int, seconds: float = math.inf) -> bytes:
        """Go on to that interval, or for so long; return the records of what has happened."""
        begun = time.monotonic()
        while self.interval < until and not (self.over or self.stopped) and time.monotonic() - begun < seconds:
            self._step()
        records, self._waiting = b"".join(self._waiting), []
        return records

    def change(self, edits: Any) -> None:
        """Walls, doors and mud where the page says: runs of cells by the character that they become."""
        if not isinstance(edits, Mapping):
            raise ProblemError(f"changes are runs of cells by their character, not {shown(edits)}")
        for character, runs in edits.items():
            code, cells = brush(character), cells_of(runs, self.codes.size)
            if len(cells) > MOST_CHANGES:
                raise ProblemError(f"at most {MOST_CHANGES:,} cells can be changed at once")
            cells = np.unique(cells[self.codes[cells] != code])
            if len(cells):
                self._become(cells, code)
                self.changed = True

    def _become(self, cells: np.ndarray, code: int) -> None:
        places = self.world.places(cells)
        muddy = self.world.places(cells[self.codes[cells] == MUD])
        if chr(code) == "@":
            self.world.block(places)
        else:
            self.world.unblock(places)
            if code == MUD:
                self.world.set_cost(places, MUD_COST)
            elif muddy:
                self.world.set_cost(muddy, 1)
        self.codes[cells] = code
        self._changed(cells, code)
