"""Events of an agent for a listener: a state was expanded, an h was raised, a cell was seen.

Compiled code calls `tell(world, EXPAND, state, parent, g, 0)` where something happens. Whether there is a listener is
part of the types: the world of an agent holds `Nobody`, and nothing of that call is left in its machine code; or it
holds `Listening`, another type, and so another agent to the compiler.

A listener's events are written on a tape, which Python takes after every interval: see `agents.listening`.
"""

from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..compiled import borrow, borrow_field, compiled, optional, resized, struct
from ..core.integers import Int
from ..worlds.interface import NO_STATE, heuristic, tell, tell_generated
from .types import CompiledWorld, Listener

# One record per event. `other` is a second state, or NO_STATE; what `g` and `h` are depends on the kind.
_SHORT, _LONG = ("kind", "layer", "state", "other"), ("g", "h")
EVENT = np.dtype([*((name, np.int32) for name in _SHORT), *((name, np.int64) for name in _LONG)])

SEARCH = 0  # a search begins at the state; g and h are their weights in f
GENERATE = 1  # the state is put on the open list, from `other`, with its g and h
EXPAND = 2  # it is expanded; `other` is its parent
CLOSE = 3  # it is closed without being expanded: beyond the lookahead, or a dead end
LOSE = 4  # it is neither open nor closed any more (D* Lite: its path to the goal is gone)
RAISE = 5  # its h rises from g to h, or falls where a move became cheaper; toward `other`, if that is a subgoal
FORGET = 6  # all that was learned is void
TRACE = 7  # it is number g, from the end, of the path that is being traced
PATH = 8  # it is number g of the agent's path, the last for now
OBSERVE = 9  # a cell was seen, or the edge to `other`; g is the cost of the edge, 0 of a free cell, BARRED if blocked
SUBGOAL = 10  # the agent heads for the state
DECIDE = 11  # it will go to the state, or wait (NO_STATE); the first g states of its path are valid
MOVE = 12  # it is at the state now; before it was at `other`

BARRED = -1
MAP, SHORTCUT, FALLBACK, REGIONS, SAFETY = 0, 1, 2, 3, 4  # layers: the agent's main search, and its other searches


@struct
class Tape:
    """What listeners have heard."""

    events: np.ndarray
    count: int


class Nobody(NamedTuple):
    """No listener."""

    tag: int = 0  # Numba has no empty tuples


class Listening(NamedTuple):
    """A listener to this layer."""

    tape: Tape
    layer: int
    cells: np.ndarray  # the state of the agent's world for each state of this layer; empty: the same


@compiled
def new_tape() -> Tape:
    """Make an empty tape."""
    return Tape(np.empty(256, EVENT), 0)


@compiled
def taken(tape: Tape) -> np.ndarray:
    """Return the events on the tape, and empty it."""
    events = resized(tape.events, tape.count)
    tape.count = 0
    return events


@compiled
def write_down(tape: Tape, events: np.ndarray) -> None:
    """Append existing events to the tape."""
    lent = borrow(events)
    for i in range(len(lent)):
        event = lent[i]
        states = (np.int64(event.state), np.int64(event.other))
        note(tape, int(event.kind), int(event.layer), *states, event.g, event.h)


@optional
def hear(listener: Listener, kind: int, state: Int, other: Int, g: Int, h: int) -> None:
    """Report an event of one of the kinds above."""


@hear.of(Listening)
def _hear(listener: Listening, kind: int, state: Int, other: Int, g: Int, h: int) -> None:
    cells = listener.cells
    if len(cells):
        state, other = cell_of(cells, state), cell_of(cells, other)
    note(listener.tape, kind, listener.layer, state, other, g, h)


@compiled
def cell_of(cells: Any, state: Int) -> Int:
    """Return the cell that stands for a state, if there is one."""
    return np.int64(cells[state]) if 0 <= state < len(cells) else NO_STATE


@compiled
def note(tape: Tape, kind: int, layer: int, state: Int, other: Int, g: Int, h: int) -> None:
    """Append an event to the tape."""
    count = tape.count
    if count == len(borrow_field(tape, "events")):
        tape.events = resized(tape.events, 2 * count)
    event = borrow_field(tape, "events")[count]
    event.kind = kind
    event.layer = layer
    event.state = state
    event.other = other
    event.g = g
    event.h = h
    tape.count = count + 1


@optional
def hear_generated(listener: Listener, world: CompiledWorld, state: Int, other: Int, g: Int) -> None:
    """Report a state on the open list; its h is computed only for a listener."""


hear_generated.of(Listening)(
    lambda listener, world, state, other, g: hear(listener, GENERATE, state, other, g, heuristic(world, state))
)


Kind = TypeVar("Kind", bound=type)


def telling(kind: Kind) -> Kind:
    """Let worlds of this type tell their `listener` what happens in them."""
    tell.of(kind)(lambda world, kind, state, other, g, h: hear(world.listener, kind, state, other, g, h))
    tell_generated.of(kind)(lambda world, state, other, g: hear_generated(world.listener, world, state, other, g))
    return kind


@optional
def listens(listener: Listener) -> bool:
    """Is there a listener?"""
    return False


listens.of(Listening)(lambda listener: True)


@optional
def on_layer(listener: Listener, layer: int) -> Any:
    """Return the listener of another layer of the same world."""
    return listener


on_layer.of(Listening)(lambda listener, layer: Listening(listener.tape, layer, listener.cells))
