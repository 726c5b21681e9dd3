"""The open list: states that wait for expansion, best first, in the order of `heap`.

It is a *hand* that holds one entry and a *store* that holds the others, a hot queue. A new entry that is better than
the one in hand takes its place, so the many states that are expanded right after they are generated never pass through
the store.

An entry whose state was later reached at lower cost is stale. It stays where it is and is dropped when it surfaces.
"""

from typing import NamedTuple

import numpy as np

from ..compiled import inlined
from ..core.integers import Int
from .heap import EMPTY, ENTRY, FIRST, NOBODY, Entry, before, stale
from .hot_queue import HotMemory, HotStore, begin_store, drop, entry_at, grown, places, put, ready, room
from .types import Nodes

__all__ = ["EMPTY", "ENTRY", "FIRST", "NOBODY", "Entry", "before", "entry_at", "grown", "places", "room"]


class Open(NamedTuple):
    """The value of an open list."""

    hand: Entry
    store: HotStore
    order: int  # insertions so far


@inlined
def begin_open(shift: int, f: int, rank: int, state: Int) -> Open:
    """Make an open list with one entry."""
    return Open(Entry(f, rank, state, 1), begin_store(shift, f), 1)


@inlined
def push(memory: HotMemory, queue: Open, f: int, rank: int, state: Int, turn: Int) -> Open:
    """Insert a state; `turn` decides between states with the same f and rank."""
    order = queue.order + 1
    hand, new = queue.hand, Entry(f, rank, state, turn)
    if hand.state == NOBODY or hand.state == state:  # in the second case the entry in hand is stale
        return Open(new, queue.store, order)
    if before(new, hand):
        hand, new = new, hand
    return Open(hand, put(memory, queue.store, new), order)


@inlined
def surface(memory: HotMemory, queue: Open, nodes: Nodes) -> Open:
    """Take the best entry into the hand; the hand is empty afterwards if nothing is open."""
    hand, store = queue.hand, queue.store
    store = ready(memory, store, nodes, hand.f)
    while store.size:
        best = memory.hot[0]
        if hand.state != NOBODY and before(hand, best):
            break
        if stale(best, nodes):
            store = ready(memory, drop(memory, store), nodes, hand.f)
            continue
        entry = Entry(best.f, best.rank, np.int64(best.state), np.int64(best.order))
        store = drop(memory, store)
        if hand.state != NOBODY:
            store = put(memory, store, hand)
        hand = entry
        break
    return Open(hand, store, queue.order)


@inlined
def remove(queue: Open) -> Open:
    """Remove the entry in the hand."""
    return Open(EMPTY, queue.store, queue.order)
