"""The next few steps of all units, planned together: where each will be, and which unit reserves a state at a time.

Memory grows with the number of units and steps, not with the map: reservations are a hash table whose chains run
through the plans themselves.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import inlined
from ..core.integers import Int

NO_UNIT = -1
NOTHING = -1  # steps: nothing is planned, and not even the positions of units are recorded
_MIX = 2654435761  # Knuth's multiplicative hash


class Window(NamedTuple):
    """The plans, and how to look them up."""

    states: np.ndarray  # for every unit and slot: where it is then
    links: np.ndarray  # the next entry in its chain, plus 1
    chains: np.ndarray  # the first entry in each chain, plus 1
    bits: int  # in the number of a chain
    slots: int  # times that fit: now, and the steps
    clock: np.ndarray  # at NOW the slot of the present, others follow in a ring; at AHEAD how many steps are planned


NOW, AHEAD = 0, 1


def new_window(units: int, steps: int) -> Window:
    """Make an empty window."""
    entries, bits = units * (steps + 1), max(4, (units * (steps + 1)).bit_length())
    states, links, chains = np.zeros(entries, np.int64), np.zeros(entries, np.int64), np.zeros(1 << bits, np.int64)
    return Window(states, links, chains, bits, steps + 1, np.array([0, NOTHING], np.int64))


@inlined
def entry_of(window: Any, unit: Int, time: Int) -> Int:
    """Return where the plan of a unit is, that many steps from now."""
    slot = window.clock[NOW] + time
    return unit * window.slots + (slot if slot < window.slots else slot - window.slots)


@inlined
def chain_of(window: Any, state: Int, entry: Int) -> Int:
    """Return the chain of the unit in a state at the time of an entry."""
    key = state * window.slots + entry % window.slots
    return ((key * _MIX) & 0xFFFFFFFF) >> (32 - window.bits)


@inlined
def place(window: Any, unit: Int, time: Int) -> Int:
    """Return where a unit will be."""
    return window.states[entry_of(window, unit, time)]


@inlined
def occupant(window: Any, state: Int, time: Int) -> Int:
    """Return the unit that will be in a state, or NO_UNIT."""
    slot = entry_of(window, 0, time)
    entry = window.chains[chain_of(window, state, slot)] - 1
    while entry >= 0:
        if window.states[entry] == state and entry % window.slots == slot:
            return entry // window.slots
        entry = window.links[entry] - 1
    return NO_UNIT


@inlined
def in_the_way(window: Any, state: Int, successor: Int, time: Int, follower: Int) -> Int:
    """Return the unit that prevents a move ending at that time, or NO_UNIT.

    It is there at that time; or it makes the opposite move: `follower`, the unit that will be where this one was.
    """
    other = occupant(window, successor, time)
    if other == NO_UNIT and follower != NO_UNIT and place(window, follower, time - 1) == successor:
        return follower
    return other


@inlined
def reserve(window: Any, unit: Int, time: Int, state: Int) -> None:
    """Reserve that state for a unit."""
    entry = entry_of(window, unit, time)
    chain = chain_of(window, state, entry)
    window.states[entry] = state
    window.links[entry] = window.chains[chain]
    window.chains[chain] = entry + 1


@inlined
def release(window: Any, unit: Int, time: Int) -> None:
    """Remove the reservation."""
    entry = entry_of(window, unit, time)
    chain = chain_of(window, window.states[entry], entry)
    if window.chains[chain] == entry + 1:
        window.chains[chain] = window.links[entry]
        return
    before = window.chains[chain] - 1
    while window.links[before] != entry + 1:
        before = window.links[before] - 1
    window.links[before] = window.links[entry]
