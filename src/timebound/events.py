"""What happens in an agent's mind, as Python programs hear of it: see `Agent.listen`."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from .search import listener as compiled
from .search.learning import INFINITE
from .worlds import World
from .worlds.interface import NO_STATE

KINDS = (
    *("search", "generate", "expand", "close", "lose", "raise", "forget"),
    *("trace", "path", "observe", "subgoal", "decide", "move"),
)
LAYERS = ("map", "shortcut", "fallback", "regions")

# What the two numbers of an event are, by its kind: costs, which users see in ordinary numbers; plain numbers; nothing.
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
    """One thing that happened. States are positions or labels; the table in docs/listening.md has every kind."""

    kind: str
    """`search`, `generate`, `expand`, `close`, `lose`, `raise`, `forget`, `trace`, `path`, `observe`, `subgoal`,
    `decide` or `move`."""
    state: Any
    """What it happened to; None for `forget`, and for `decide` if the agent waits."""
    other: Any = None
    """A second state: the parent, where the agent came from, the end of an edge, the subgoal that an h is for."""
    g: float | None = None
    h: float | None = None
    layer: str = "map"
    """`map`: the agent's own search; `shortcut`, `fallback` and `regions`: those beside it."""


class Events(Sequence[Event]):
    """What happened in one interval, in its order.

    `records` has the same as an array, for programs that look at many: the fields `kind` (a place in `KINDS`), `layer`
    (in `LAYERS`), `state` and `other` (numbers, -1 for none), `g` and `h` (costs in the world's unit).
    """

    def __init__(self, world: World, records: np.ndarray):
        self.world, self.records = world, records

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, index: int) -> Event: ...

    @overload
    def __getitem__(self, index: slice) -> "Events": ...

    def __getitem__(self, index: int | slice) -> "Event | Events":
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
