"""Changes of a world while agents walk in it, and how they are kept apart from work in other threads.

A change is made in place, in constant time per cell or edge. The world notes what was there before; every agent reads
these notes before it next does anything (`Changes.since`). The notes use bounded memory: when there are too many, all
agents of the world read them, and they are discarded.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident
from typing import NamedTuple

import numpy as np

from ..core.errors import ProblemError

MOST_NOTES = 1 << 16
PAUSE = 2e-5  # seconds between two checks whether other threads have finished


class Noted(NamedTuple):
    """The differences from an earlier version of a world: cells or edges, each once, and what was there before."""

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
        self.version = 0  # how many cells or edges have changed so far
        # Changes of the unit of costs: how many times finer it is, and by how many bits for travel costs.
        self.rescalings: list[tuple[float, int]] = []
        self.gate = Gate()
        self._first = 0  # the version before the first note
        self._subjects, self._before = np.empty(64, np.int64), np.empty(64, np.int64)

    @property
    def noted(self) -> int:
        """Return the number of notes."""
        return self.version - self._first

    def note(self, subjects: np.ndarray, before: np.ndarray) -> None:
        """Note that these cells or edges have changed, and what was there before."""
        old, new = self.noted, self.noted + len(subjects)
        if new > len(self._subjects):
            self._subjects, self._before = np.resize(self._subjects, 2 * new), np.resize(self._before, 2 * new)
        self._subjects[old:new], self._before[old:new] = subjects, before
        self.version += len(subjects)

    def rescale(self, factor: float, bits: int = 0) -> None:
        """Note that the unit or the arrays of costs have changed: agents must replan from scratch."""
        self.rescalings.append((factor, bits))
        self.version += 1
        self.throw_away()

    def since(self, version: int) -> Noted:
        """Return what was noted after that version: the first note of each subject."""
        first = max(0, version - self._first)
        subjects, places = np.unique(self._subjects[first : self.noted], return_index=True)
        return Noted(subjects, self._before[first + places])

    def throw_away(self) -> None:
        """Discard the notes: every agent has read them."""
        self._first = self.version
        self._subjects, self._before = np.empty(64, np.int64), np.empty(64, np.int64)


class Gate:
    """Keeps changes of a world apart from compiled work in it, in any thread.

    A change waits for calls that last one interval (`step`, `plan`, `shortest_path`), and no call begins while it
    waits. It does not wait for a whole `run`: it raises an error then.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._closed_by: int | None = None  # the thread that makes a change
        self._at_work: list[int] = []
        self._running: list[int] = []

    def enter(self, running: bool = False) -> None:
        """Begin work, or a whole run, in this thread. This takes no lock, unless there is a change to wait for."""
        thread = get_ident()
        self._at_work.append(thread)
        while self._closed_by not in (None, thread) and self._at_work.count(thread) == 1:
            self._at_work.remove(thread)
            with self._lock:
                self._at_work.append(thread)
        if running:
            self._running.append(thread)

    def leave(self, running: bool = False) -> None:
        """End the work; Ctrl-C may have come before it began."""
        thread = get_ident()
        if thread in self._at_work:
            self._at_work.remove(thread)
        if running and thread in self._running:
            self._running.remove(thread)

    @contextmanager
    def work(self) -> Iterator[None]:
        """Begin and end work as a context manager, where its overhead does not matter."""
        try:
            self.enter()
            yield
        finally:
            self.leave()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Keep all work out while this lasts. A change that is part of another one needs no more."""
        if self._closed_by == get_ident():
            yield
            return
        if get_ident() in self._at_work:
            raise ProblemError("a world cannot change during a search in it: wait until the search returns")
        with self._lock:
            self._closed_by = get_ident()
            try:
                while self._at_work:
                    if self._running:  # do not wait for a whole run
                        raise ProblemError(
                            "a world cannot change while an agent runs in it in another thread: use `step` there, "
                            "or wait until `run` returns"
                        )
                    time.sleep(PAUSE)
                yield
            finally:
                self._closed_by = None
