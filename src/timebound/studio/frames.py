"""What happened in one interval, as a small binary record: the changes that a page needs to draw the next picture.

A record is a header, columns of 4-byte numbers and columns of bytes, padded to a multiple of 4: a browser reads it as
typed arrays, without parsing. `page/records.js` is its other half.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..agents.events import Events
from ..agents.journey import STOPS
from ..search import listener
from ..search.learning import INFINITE
from ..worlds import Grid
from ..worlds.grid import STEPS
from ..worlds.interface import NO_STATE

NEITHER, OPEN, CLOSED, AS_BEFORE = 0, 1, 2, 3
NOWHERE = 0xFFFFFFFF
WORLD = 0xFFFF  # instead of an agent's number: the record of a change of the world
SEARCHED, FORGOT = 1, 2  # flags: a search has begun; all that was learned is forgotten
NO_MOVE = 255
STOP_CODES = {reason: code for code, reason in STOPS.items()}

WORD, FRACTION, BYTE = np.dtype("<u4"), np.dtype("<f4"), np.dtype("u1")
# The columns of an agent's record, and of a change of the world, by the field of the header that has their length.
COLUMNS: dict[str, list[np.dtype[Any]]] = {
    "path": [WORD],
    "trace": [WORD],
    "cells": [WORD, FRACTION, FRACTION, BYTE, BYTE, BYTE],  # and g, h (NaN: as before), mark, parent, expansions
    "learned": [WORD, FRACTION, FRACTION],  # cells, the new h, the increase
    "seen": [WORD],
    "aside": [WORD],
}
CHANGES: dict[str, list[np.dtype[Any]]] = {"cells": [WORD, BYTE]}  # and their new characters


def fields(kind: np.dtype[Any], names: str) -> list[tuple[str, np.dtype[Any]]]:
    """Return fields of one kind, for a header."""
    return [(name, kind) for name in names.split()]


HEADER = np.dtype(
    [
        *fields(WORD, "words agent interval flags stop"),  # words: of the whole record, 4 bytes each
        *fields(WORD, "position decision subgoal goal moves expansions searches"),
        *fields(FRACTION, "memory cost spent"),  # spent: microseconds of planning in this interval
        # Of the path: how many of its first states are unchanged (those of the column follow), and how many are valid.
        *fields(WORD, "path_kept path_valid trace_kept"),
        *fields(WORD, " ".join(COLUMNS)),  # their lengths
    ]
)
_IS_SEARCH = np.isin(np.arange(16), [listener.GENERATE, listener.EXPAND, listener.CLOSE, listener.LOSE])
_MARKS = np.full(16, AS_BEFORE, np.uint8)
_MARKS[[listener.LOSE, listener.GENERATE, listener.EXPAND, listener.CLOSE]] = NEITHER, OPEN, CLOSED, CLOSED
_DIRECTIONS = np.full((5, 5), NO_MOVE, np.uint8)  # [dy + 2, dx + 2]: which of the moves leads there
_DIRECTIONS[STEPS[:, 1] + 2, STEPS[:, 0] + 2] = np.arange(len(STEPS))
_BLOCKED_BIT, _LAYER_SHIFT = np.uint32(1 << 31), 29


class PathChange(NamedTuple):
    """How a path has changed: the first `kept` states are unchanged, then come others."""

    kept: int
    states: np.ndarray


class Scribe:
    """Listens to one agent and writes a record for every interval.

    It does not hold the agent, which holds its listener: memory must be freed as soon as the agent is deleted.
    """

    def __init__(self, agent: Any, world: Grid, number: int):
        self.world, self.number = world, number
        self._heard: list[np.ndarray] = []
        self._cost, self._planning, self._valid = 0.0, 0.0, 0
        self._position, self._known = world.inside(agent.position), np.empty(0, np.int64)
        self._hears = hasattr(agent, "listen")
        self._repairs = getattr(getattr(agent, "kind", None), "parts", {}).get("lookahead") == "repair"

    def hear(self, events: Events) -> None:
        """Keep what happened for the next record."""
        self._heard.append(events.records)

    def record(self, agent: Any, interval: int) -> bytes:
        """Return what happened since the last record."""
        heard = np.concatenate([np.empty(0, listener.EVENT), *self._heard])
        self._heard = []
        own = heard[heard["layer"] == listener.MAP]
        begins = np.flatnonzero(own["kind"] == listener.SEARCH)
        head = np.zeros((), HEADER)
        head["agent"], head["interval"] = self.number, interval
        head["flags"] = SEARCHED * bool(len(begins)) + FORGOT * bool((own["kind"] == listener.FORGET).any())
        self._walk(agent, head, own)
        self._figures(agent.episode(), head)
        # An agent that repairs its search keeps no path: it is computed on request.
        path = self._worked_out(agent) if self._repairs else _line(own, listener.PATH)
        head["path_valid"] = len(self._known) if self._repairs else self._valid
        trace = _line(own, listener.TRACE)
        head["path_kept"], head["trace_kept"] = path.kept, trace.kept
        columns = {
            "path": [path.states],
            "trace": [trace.states],
            "cells": self._searched(own, begins[-1] if len(begins) else 0),
            "learned": self._learned(own),
            "seen": [_seen(own)],
            "aside": [_aside(heard)],
        }
        return _packed(head, columns)

    # ---------------------------------------------------------------- the parts of a record

    def _walk(self, agent: Any, head: np.ndarray, own: np.ndarray) -> None:
        before, self._position = self._position, self.world.inside(agent.position)
        told = own[(own["kind"] == listener.MOVE) & (own["other"] != NO_STATE)]
        steps = zip(told["other"].tolist(), told["state"].tolist(), strict=True)
        for step in steps if self._hears else [(before, self._position)] * (before != self._position):
            self._cost += agent.truth.walk_cost(np.array(step))
        decisions, subgoals = own[own["kind"] == listener.DECIDE], own[own["kind"] == listener.SUBGOAL]
        head["position"], head["goal"] = self._position, self.world.inside(agent.goal)
        head["decision"], head["subgoal"] = _or_nowhere(decisions["state"]), _or_nowhere(subgoals["state"])
        if len(decisions):
            self._valid = int(decisions["g"][-1])

    def _figures(self, episode: Any, head: np.ndarray) -> None:
        head["stop"] = STOP_CODES.get(episode.stop, 0)
        head["moves"], head["expansions"], head["searches"] = episode.moves, episode.expansions, episode.searches
        head["memory"], head["cost"] = episode.memory_bytes, self._cost
        head["spent"] = max(0.0, episode.planning_us - self._planning)
        self._planning = episode.planning_us

    def _worked_out(self, agent: Any) -> PathChange:
        states = np.array([self.world.inside(place) for place in agent.path], np.int64)
        rest = self._known[len(self._known) - len(states) :]
        # The same if the agent has only walked along it.
        same = 0 < len(states) <= len(self._known) and np.array_equal(rest, states)
        self._known = self._known if same else states
        return PathChange(NOWHERE, states[:0]) if same else PathChange(0, states)

    def _searched(self, own: np.ndarray, since: int) -> list[np.ndarray]:
        """Return every state that a search reached, in the order of its last visit.

        Columns: cell, g, h (NaN: as before), and in bytes its mark, the direction of its parent, and expansions.
        """
        places = np.flatnonzero(_IS_SEARCH[own["kind"]])
        told = own[places]
        kind, marks = told["kind"], _MARKS[told["kind"]]
        marks[places < since] = AS_BEFORE
        cells, which = np.unique(told["state"], return_inverse=True)
        last, h = np.zeros(len(cells), np.int64), np.full(len(cells), np.nan)
        parents = np.full(len(cells), NO_STATE, np.int64)
        last[which] = np.arange(len(told))  # NumPy keeps the last of several values for one index
        h[which[kind == listener.GENERATE]] = self._costs(told["h"][kind == listener.GENERATE])
        known = told["other"] != NO_STATE
        parents[which[known]] = told["other"][known]
        expanded = np.bincount(which[kind == listener.EXPAND], minlength=len(cells))
        order = np.argsort(last, kind="stable")
        directions = moves_between(self.world.width, cells, parents)
        columns = (cells, self._costs(told["g"][last]), h, marks[last], directions, np.minimum(expanded, 255))
        return [column[order].astype(kind) for column, kind in zip(columns, COLUMNS["cells"], strict=True)]

    def _learned(self, own: np.ndarray) -> list[np.ndarray]:
        """Return cells whose h has changed: the new value, and the increase."""
        forgot = np.flatnonzero(own["kind"] == listener.FORGET)
        told = own[forgot[-1] + 1 :] if len(forgot) else own
        told = told[(told["kind"] == listener.RAISE) & (told["other"] == NO_STATE)]
        cells, first = np.unique(told["state"], return_index=True)
        last = len(told) - 1 - np.unique(told["state"][::-1], return_index=True)[1]
        now, before = self._costs(told["h"][last]), self._costs(told["g"][first])
        return [cells.astype(WORD), now.astype(FRACTION), (now - before).astype(FRACTION)]

    def _costs(self, whole: np.ndarray) -> np.ndarray:
        endless = (whole >= INFINITE) | (whole == listener.BARRED)
        return np.where(endless, np.inf, whole / self.world.unit)


def moves_between(width: int, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return the number of the move from each cell to the other, on a map of that width; NO_MOVE if there is none."""
    dy, dx = after // width - before // width, after % width - before % width
    near = (before >= 0) & (after >= 0) & (np.maximum(np.abs(dx), np.abs(dy)) <= 2)
    return np.where(near, _DIRECTIONS[np.clip(dy, -2, 2) + 2, np.clip(dx, -2, 2) + 2], NO_MOVE)


def change_record(interval: int, cells: np.ndarray, codes: np.ndarray) -> bytes:
    """Return the record of changed cells of the world, with their new character codes."""
    head = np.zeros((), HEADER)
    head["agent"], head["interval"] = WORLD, interval
    return _packed(head, {"cells": [cells.astype(WORD), codes.astype(np.uint8)]})


def _packed(head: np.ndarray, columns: dict[str, list[np.ndarray]]) -> bytes:
    """Return the record with these columns."""
    for name, group in columns.items():
        head[name] = len(group[0])
    return packed(head, [column for group in columns.values() for column in group])


def packed(head: np.ndarray, columns: Sequence[np.ndarray]) -> bytes:
    """Return a record: its header, then columns of numbers, then columns of bytes, so that everything is aligned."""
    numbers = [column.astype(WORD) if column.dtype.kind == "i" else column for column in columns if column.itemsize > 1]
    body = b"".join(column.tobytes() for column in [*numbers, *(each for each in columns if each.itemsize == 1)])
    body += bytes(-len(body) % 4)
    head["words"] = (head.nbytes + len(body)) // 4
    return head.tobytes() + body


def columns_of(head: np.ndarray, body: bytes) -> dict[str, list[np.ndarray]]:
    """Return the columns of an agent's record."""
    columns: dict[str, list[np.ndarray]] = {name: [] for name in COLUMNS}
    places, begin = [(name, kind) for name, kinds in COLUMNS.items() for kind in kinds], 0
    for name, kind in sorted(places, key=lambda place: -place[1].itemsize):
        columns[name].append(np.frombuffer(body, kind, int(head[name]), begin))
        begin += columns[name][-1].nbytes
    return columns


def _or_nowhere(states: np.ndarray) -> int:
    return int(states[-1]) if len(states) and states[-1] >= 0 else NOWHERE


def _line(own: np.ndarray, kind: int) -> PathChange:
    """Return a path that was rewritten from some state on, perhaps several times; `g` is the index of a state on it."""
    told = own[own["kind"] == kind]
    if not len(told):
        return PathChange(NOWHERE, np.empty(0, np.int64))
    numbers, length = told["g"], int(told["g"][-1]) + 1
    kept = min(int(numbers.min()), length)
    states = np.zeros(length - kept, np.int64)
    within = numbers < length
    states[numbers[within] - kept] = told["state"][within]
    return PathChange(kept, states)


def _seen(own: np.ndarray) -> np.ndarray:
    """Return cells that were seen; the highest bit marks blocked ones."""
    told = own[own["kind"] == listener.OBSERVE]
    states: np.ndarray = told["state"].astype(WORD)
    states[told["g"] < 0] |= _BLOCKED_BIT
    return states


def _aside(heard: np.ndarray) -> np.ndarray:
    """Return states expanded by the agent's other searches, with the number of the layer in the highest bits."""
    told = heard[(heard["layer"] != listener.MAP) & (heard["kind"] == listener.EXPAND) & (heard["state"] != NO_STATE)]
    numbers: np.ndarray = told["state"].astype(np.int64) | told["layer"].astype(np.int64) << _LAYER_SHIFT
    return np.unique(numbers).astype(WORD)
