"""The events of an agent's search and decisions, as Python programs receive them: see `Agent.listen`."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..search import listener as compiled
from ..search.learning import INFINITE
from ..worlds import World
from ..worlds.interface import NO_STATE

KINDS = (
    *("search", "generate", "expand", "close", "lose", "raise", "forget"),
    *("trace", "path", "observe", "subgoal", "decide", "move"),
)
LAYERS = ("map", "shortcut", "fallback", "regions", "safety")

# The two numbers of each kind of event: costs, which users see as ordinary numbers; plain numbers; nothing.
_COST, _PLAIN, _NOTHING = 0, 1, 2
_NUMBERS = {
    compiled.SEARCH: (_PLAIN, _PLAIN),
    compiled.GENERATE: (_COST, _COST),
    compiled.EXPAND: (_COST, _NOTHING),
    compiled.CLOSE: (_COST, _NOTHING),
    compiled.RAISE: (_COST, _COST),
    compiled.TRACE: (_PLAIN, _NOTHING),
    compiled.PATH: (_PLAIN, _COST),
    compiled.OBSERVE: (_COST, _NOTHING),
    compiled.DECIDE: (_PLAIN, _NOTHING),
}


class Event(NamedTuple):
    """One event. States are positions or labels; docs/listening.md lists every kind."""

    kind: str
    """`search`, `generate`, `expand`, `close`, `lose`, `raise`, `forget`, `trace`, `path`, `observe`, `subgoal`,
    `decide` or `move`."""
    state: Any
    """The state concerned; None for `forget`, and for `decide` if the agent waits."""
    other: Any = None
    """A second state: the parent, the agent's previous state, the end of an edge, or the subgoal of an h-value."""
    g: float | None = None
    h: float | None = None
    layer: str = "map"
    """`map`: the agent's main search; `shortcut`, `fallback` and `regions`: its other searches."""


class Events(Sequence[Event]):
    """The events of one interval, in order.

    `records` holds the same as an array, for fast processing: the fields `kind` (an index into `KINDS`), `layer`
    (into `LAYERS`), `state` and `other` (numbers, -1 for none), `g` and `h` (costs in the world's unit).
    """

    def __init__(self, world: World, records: np.ndarray):
        self.world, self.records = world, records

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Events(self.world, self.records[index])
        return self._event(*self.records[index].tolist())

    def __iter__(self) -> Iterator[Event]:
        return (self._event(*record) for record in self.records.tolist())

    def __repr__(self) -> str:
        return f"Events({len(self)})"

    def _event(self, kind: int, layer: int, state: int, other: int, g: int, h: int) -> Event:
        first, second = _NUMBERS.get(kind, (_NOTHING, _NOTHING))
        numbers = self._number(g, first), self._number(h, second)
        return Event(KINDS[kind], self._place(state), self._place(other), *numbers, LAYERS[layer])

    def _place(self, state: int) -> Any:
        return None if state == NO_STATE else self.world.place(state)

    def _number(self, value: int, meaning: int) -> float | None:
        if meaning == _NOTHING:
            return None
        if meaning == _PLAIN:
            return value
        return math.inf if value == compiled.BARRED or value >= INFINITE else value / self.world.unit
