"""A reservation table (Silver 2005): where each unit will be in the next few ticks, and which unit reserves a state.

Its memory grows with the number of units and steps, not with the map: it is a hash table whose chains run through the
plans themselves.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import inlined
from ..core.integers import Int
from .h_tables import hashed
from .units import NO_UNIT

NOTHING = -1  # steps: nothing is planned, and not even the positions of units are recorded


class Reservations(NamedTuple):
    """The plans, and how to look them up."""

    states: np.ndarray  # for every unit and slot: where it is then
    links: np.ndarray  # the next entry in its chain, plus 1
    chains: np.ndarray  # the first entry in each chain, plus 1
    bits: int  # in the number of a chain
    slots: int  # times that fit: now, and the steps
    clock: np.ndarray  # at NOW the slot of the present, others follow in a ring; at AHEAD how many steps are planned


NOW, AHEAD = 0, 1


def new_reservations(units: int, steps: int) -> Reservations:
    """Make an empty table."""
    entries, bits = units * (steps + 1), max(4, (units * (steps + 1)).bit_length())
    states, links, chains = np.zeros(entries, np.int64), np.zeros(entries, np.int64), np.zeros(1 << bits, np.int64)
    return Reservations(states, links, chains, bits, steps + 1, np.array([0, NOTHING], np.int64))


@inlined
def entry_of(reservations: Reservations, unit: Int, time: Int) -> Int:
    """Return where the plan of a unit is, that many steps from now."""
    slot = reservations.clock[NOW] + time
    return unit * reservations.slots + (slot if slot < reservations.slots else slot - reservations.slots)


@inlined
def chain_of(reservations: Reservations, state: Int, entry: Int) -> Int:
    """Return the chain of the unit in a state at the time of an entry."""
    key = state * reservations.slots + entry % reservations.slots
    return hashed(key, reservations.bits)


@inlined
def place(reservations: Reservations, unit: Int, time: Int) -> Int:
    """Return where a unit will be."""
    return reservations.states[entry_of(reservations, unit, time)]


@inlined
def occupant(reservations: Reservations, state: Int, time: Int) -> Int:
    """Return the unit that will be in a state, or NO_UNIT."""
    slot = entry_of(reservations, 0, time)
    entry = reservations.chains[chain_of(reservations, state, slot)] - 1
    while entry >= 0:
        if reservations.states[entry] == state and entry % reservations.slots == slot:
            return entry // reservations.slots
        entry = reservations.links[entry] - 1
    return NO_UNIT


@inlined
def in_the_way(reservations: Reservations, successor: Int, time: Int, follower: Int) -> Int:
    """Return the unit that prevents a move that ends in `successor` at that time, or NO_UNIT.

    It is there at that time; or it makes the opposite move: `follower`, the unit that will be where this one was.
    """
    other = occupant(reservations, successor, time)
    if other == NO_UNIT and follower != NO_UNIT and place(reservations, follower, time - 1) == successor:
        return follower
    return other


@inlined
def reserve(reservations: Reservations, unit: Int, time: Int, state: Int) -> None:
    """Reserve that state for a unit."""
    entry = entry_of(reservations, unit, time)
    chain = chain_of(reservations, state, entry)
    reservations.states[entry] = state
    reservations.links[entry] = reservations.chains[chain]
    reservations.chains[chain] = entry + 1


@inlined
def release(reservations: Reservations, unit: Int, time: Int) -> None:
    """Remove the reservation."""
    entry = entry_of(reservations, unit, time)
    chain = chain_of(reservations, reservations.states[entry], entry)
    if reservations.chains[chain] == entry + 1:
        reservations.chains[chain] = reservations.links[entry]
        return
    before = reservations.chains[chain] - 1
    while reservations.links[before] != entry + 1:
        before = reservations.links[before] - 1
    reservations.links[before] = reservations.links[entry]
