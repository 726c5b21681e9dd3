"""A trace of every interval, for pictures and replays: made from events, so its cost depends on their number."""

from typing import Any

import numpy as np

from ..search.listener import CLOSE, DECIDE, EXPAND, FORGET, GENERATE, LOSE, MAP, MOVE, OBSERVE, RAISE, SEARCH
from ..worlds import Grid, World
from ..worlds.interface import NO_STATE
from ..worlds.world import Places
from .episode import Interval
from .events import Events

NEITHER, OPEN, CLOSED, AS_BEFORE = 0, 1, 2, 3
_MARKS = np.full(16, AS_BEFORE, np.uint8)  # the mark that an event of each kind gives its state
_MARKS[[LOSE, GENERATE, EXPAND, CLOSE]] = NEITHER, OPEN, CLOSED, CLOSED


class History:
    """The open and closed states at the end of every interval, stored as changes."""

    def __init__(self, world: World):
        self.world = world
        self._changes: list[tuple[np.ndarray, np.ndarray]] = []
        self._begins: list[int] = []  # for every interval, the one in which its search began

    def add(self, own: np.ndarray) -> None:
        """Add an interval; `own` are the events of the agent's main search."""
        number, begins = len(self._changes), np.flatnonzero(own["kind"] == SEARCH)
        self._begins.append(number if len(begins) or not number else self._begins[-1])
        marks = _MARKS[own["kind"]]
        marks[: begins[-1] if len(begins) else 0] = AS_BEFORE
        changes = marks != AS_BEFORE
        self._changes.append(_last(own["state"][changes], marks[changes]))

    def states(self, number: int, mark: int) -> np.ndarray:
        """Return the states that were OPEN, or CLOSED, at the end of that interval."""
        changes = self._changes[self._begins[number] : number + 1]
        states, marks = _last(*(np.concatenate(parts) for parts in zip(*changes, strict=True)))
        return states[marks == mark]


def _last(states: np.ndarray, marks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return every state once, in order, with its last mark."""
    found, where = np.unique(states[::-1], return_index=True)
    return found, marks[::-1][where]


class Listing(Places):
    """The states with one mark, as a list that is computed on first access.

    The complete lists of a long search on a large map, for every interval, would fill any memory.
    """

    def __init__(self, history: History, number: int, mark: int):
        self._world, self._of = history.world, (history, number, mark)

    @property
    def _states(self) -> np.ndarray:  # type: ignore[override]
        history, number, mark = self._of
        return history.states(number, mark)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class Tracer:
    """Listens to an agent, and writes an `Interval` for each."""

    def __init__(self, world: World, searches: bool, intervals: list[Interval]):
        self.world, self.searches, self.intervals = world, searches, intervals
        self._history, self._learned = History(world), dict[int, int]()
        self._position = self._decision = NO_STATE
        self._begun = False

    def __call__(self, events: Events) -> None:
        """Record the events of an interval; the first time, those of everything before."""
        records = events.records
        own = records[records["layer"] == MAP]
        self._history.add(own if self.searches else own[:0])
        learned = self._learn(own)
        self._walk(own)
        if self._begun:
            self.intervals.append(self._interval(self._observed(own), learned))
        self._begun = True

    def _interval(self, observed: list[tuple[Any, str]], learned: dict[Any, float]) -> Interval:
        place, number = self.world.place, len(self._history._begins) - 1
        return Interval(
            position=place(self._position),
            decision=None if self._decision == NO_STATE else place(self._decision),
            observed=observed,
            open=Listing(self._history, number, OPEN),
            closed=Listing(self._history, number, CLOSED),
            learned=learned,
        )

    def _walk(self, own: np.ndarray) -> None:
        for kind, state in own[["kind", "state"]][np.isin(own["kind"], (MOVE, DECIDE))].tolist():
            self._position, self._decision = (state, NO_STATE) if kind == MOVE else (self._position, state)

    def _observed(self, own: np.ndarray) -> list[tuple[Any, str]]:
        """Return the observed cells of a grid; edges of a graph are not listed."""
        if not isinstance(self.world, Grid):
            return []
        seen = own[own["kind"] == OBSERVE]
        cells, barred = _last(seen["state"], seen["g"] < 0)
        facts = ["blocked" if blocked else "free" for blocked in barred.tolist()]
        return list(zip(self.world.places(cells), facts, strict=True))

    def _learn(self, own: np.ndarray) -> dict[Any, float]:
        """Return the learned values that changed in the interval, with their new values."""
        raised = own[(own["kind"] == FORGET) | ((own["kind"] == RAISE) & (own["other"] == NO_STATE))]
        before: dict[int, int] = {}
        for kind, state, h in raised[["kind", "state", "h"]].tolist():
            if kind == FORGET:
                before = {**self._learned, **before}
                self._learned.clear()
            else:
                before.setdefault(state, self._learned.get(state, 0))
                self._learned[state] = h
        now = {state: self._learned.get(state, 0) for state in sorted(before)}
        return {self.world.place(s): h / self.world.unit for s, h in now.items() if h != before[s]}
