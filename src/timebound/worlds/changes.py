"""What has changed in a world while agents walk in it, and how changes are kept apart from work in other threads.

A change is made in place, in constant time per cell or edge. The world notes what was there before; every agent reads
these notes when it next does something (`Changes.since`). The notes take up bounded memory: when there are too many,
all agents of the world read them, and they are thrown away.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident
from typing import NamedTuple

import numpy as np

from ..errors import ProblemError

MOST_NOTES = 1 << 16
PAUSE = 2e-5  # seconds between two looks whether other threads have finished


class Noted(NamedTuple):
    """What differs from an earlier version of a world: cells or edges, each once, and what was there then."""

    subjects: np.ndarray
    before: np.ndarray


class Changes:
    """The changes of one world.

    >>> changes = Changes()
    >>> changes.note(np.array([7, 3]), np.array([1, 1]))
    >>> changes.note(np.array([7]), np.array([0]))
    >>> changes.version, changes.since(0), changes.since(2).subjects
    (3, Noted(subjects=array([3, 7]), before=array([1, 1])), array([7]))
    """

    def __init__(self) -> None:
        self.version = 0
        """How many cells or edges have changed so far."""
        self.rescalings: list[tuple[float, int]] = []
        """How often costs were counted anew: how many times finer the unit is, by how many bits travel costs are."""
        self.gate = Gate()
        self._first = 0  # the version before the first note
        self._subjects, self._before = np.empty(64, np.int64), np.empty(64, np.int64)

    @property
    def noted(self) -> int:
        """How many notes there are."""
        return self.version - self._first

    def note(self, subjects: np.ndarray, before: np.ndarray) -> None:
        """These cells or edges have changed; there was that before."""
        old, new = self.noted, self.noted + len(subjects)
        if new > len(self._subjects):
            self._subjects, self._before = np.resize(self._subjects, 2 * new), np.resize(self._before, 2 * new)
        self._subjects[old:new], self._before[old:new] = subjects, before
        self.version += len(subjects)

    def rescale(self, factor: float, bits: int = 0) -> None:
        """Costs are counted in other units, or in other arrays, than before: agents must plan afresh."""
        self.rescalings.append((factor, bits))
        self.version += 1
        self.throw_away()

    def since(self, version: int) -> Noted:
        """What was noted after that version: of each subject the first note."""
        first = max(0, version - self._first)
        subjects, places = np.unique(self._subjects[first : self.noted], return_index=True)
        return Noted(subjects, self._before[first + places])

    def throw_away(self) -> None:
        """Everybody has read the notes."""
        self._first = self.version
        self._subjects, self._before = np.empty(64, np.int64), np.empty(64, np.int64)


class Gate:
    """Keeps changes of a world apart from compiled work in it, in whatever threads.

    A change waits for whoever is at work for one interval (`step`, `plan`, `shortest_path`), and nobody begins while it
    waits. It does not wait for a whole `run`: then it is refused.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._closed_by: int | None = None  # the thread that makes a change
        self._at_work: list[int] = []
        self._running: list[int] = []

    def enter(self, running: bool = False) -> None:
        """Work begins in this thread, or a whole run. Without a lock, unless there is a change to wait for."""
        thread = get_ident()
        self._at_work.append(thread)
        while self._closed_by not in (None, thread) and self._at_work.count(thread) == 1:
            self._at_work.remove(thread)
            with self._lock:
                self._at_work.append(thread)
        if running:
            self._running.append(thread)

    def leave(self, running: bool = False) -> None:
        """It has ended; Ctrl-C may have come before it began."""
        thread = get_ident()
        if thread in self._at_work:
            self._at_work.remove(thread)
        if running and thread in self._running:
            self._running.remove(thread)

    @contextmanager
    def work(self) -> Iterator[None]:
        """For work that takes long enough not to mind."""
        try:
            self.enter()
            yield
        finally:
            self.leave()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Nobody is at work while this lasts."""
        if get_ident() in self._at_work:
            raise ProblemError("a world cannot change in the middle of a search in it: wait until that returns")
        with self._lock:
            self._closed_by = get_ident()
            try:
                self._wait()
                yield
            finally:
                self._closed_by = None

    def _wait(self) -> None:
        """Until nobody is at work; not for a whole run."""
        while self._at_work:
            if self._running:
                raise ProblemError(
                    "a world cannot change while an agent runs in it in another thread: let that use `step`, "
                    "or wait until `run` returns"
                )
            time.sleep(PAUSE)
