"""What is shown interval by interval, on a map that a person may change at any time."""

import math
import time
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ..core.errors import ProblemError
from .client_limits import MOST_CHANGES
from .ground import MUD, MUD_COST, brushed
from .setting import CrowdSetting, RaceSetting


class Show(ABC):
    """A race or a crowd. One thread at a time may use it."""

    def __init__(self, setting: RaceSetting | CrowdSetting):
        self.world, self.interval, self.stopped = setting.ground.world(**setting.rules), 0, False
        self.changed = False  # the world or the task, since the beginning
        self.codes = setting.ground.codes.reshape(-1).copy()
        self._waiting: list[bytes] = []

    @property
    @abstractmethod
    def over(self) -> bool:
        """Whether it is over."""

    @abstractmethod
    def result(self) -> dict[str, Any]:
        """Return the result."""

    @abstractmethod
    def _step(self) -> None:
        """Run the next interval, and queue its records."""

    @abstractmethod
    def _changed(self, cells: np.ndarray, code: int) -> None:
        """Queue a record of changed cells."""

    def advance(self, until: int, seconds: float = math.inf) -> bytes:
        """Run up to that interval or for that long; return the new records."""
        begun = time.monotonic()
        while self.interval < until and not (self.over or self.stopped) and time.monotonic() - begun < seconds:
            self._step()
        records, self._waiting = b"".join(self._waiting), []
        return records

    def change(self, edits: Any) -> None:
        """Build walls, doors and mud: runs of cells by their new character."""
        for code, cells in brushed(edits, self.codes.size):
            if len(cells) > MOST_CHANGES:
                raise ProblemError(f"at most {MOST_CHANGES:,} cells can change at once")
            cells = np.unique(cells[self.codes[cells] != code])
            if len(cells):
                self.changed = True
                self._become(cells, code)

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
