"""The open list: states that wait for expansion, best first.

One order for every algorithm (it reproduces the papers' worked examples): smaller f; the goal before others; larger g;
earlier insertion. `rank` holds the middle two: it is g, or `FIRST` for a goal.

An open list is a *hand* that holds one entry and a *store* that holds the others. A new entry that is better than the
one in hand takes its place, so the many states that are expanded right after they are generated never pass through the
store. There are two stores, `heap` and `hot_queue`; both keep the order above, so they expand the same states in the
same sequence.

An entry whose state was later reached at lower cost is stale. It stays where it is and is dropped when it surfaces.

A store is two things: its memory, which is arrays, and its value, a tuple of numbers that every function takes and
returns changed. These numbers stay in the processor's registers while a search runs.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import generic, inlined
from ..core.integers import Int
from .types import Memory, Nodes, Store

ENTRY = np.dtype(
    [("f", np.int64), ("rank", np.int64), ("state", np.int32), ("order", np.int32), ("next", np.int32)], align=True
)
FIRST = np.iinfo(np.int64).max  # the rank of a goal
NOBODY = -1


class Entry(NamedTuple):
    """A state in the open list, as a value."""

    f: int
    rank: Int
    state: Int
    order: Int  # of insertion


EMPTY = Entry(FIRST, 0, NOBODY, 0)  # an empty hand: anything is better


class Open(NamedTuple):
    """The value of an open list."""

    hand: Entry
    store: Store
    order: int  # insertions so far


# ------------------------------------------------------------------ the interface of stores


@generic
def begin_store(memory: Memory, shift: int, f: int) -> Any:
    """Return an empty store in which nothing better than `f` is expected; 2**shift is a small difference of f."""


@generic
def put(memory: Memory, store: Store, entry: Entry) -> Any:
    """Insert an entry; return the changed store."""


@generic
def ready(memory: Memory, store: Store, nodes: Nodes, f: int) -> Any:
    """Bring the best entry to the top, if it may be as good as `f`; `store.size` is 0 afterwards if there is none."""


@generic
def top(memory: Memory) -> Any:
    """Return the best entry of a store that is ready."""


@generic
def drop(memory: Memory, store: Store) -> Any:
    """Remove the best entry of a store that is ready."""


@generic
def places(memory: Memory, store: Store) -> int:  # type: ignore[empty-body]
    """Return the number of places for entries; some may be empty."""


@generic
def entry_at(memory: Memory, store: Store, place: int) -> Any:
    """Return the entry at a place, in no order; the state of an empty one is NOBODY. To visit all of them."""


@generic
def room(memory: Memory, store: Store) -> int:  # type: ignore[empty-body]
    """Return how many more entries are sure to fit."""


@generic
def grown(memory: Memory) -> Any:
    """Return a copy of the memory with twice the room."""


@generic
def memory_bytes(memory: Memory, store: Store) -> int:  # type: ignore[empty-body]
    """Return how much of the memory has been used."""


# ------------------------------------------------------------------ the open list itself


@inlined
def before(a: Any, b: Any) -> bool:
    """Does entry `a` come before entry `b`?"""
    return a.f < b.f or (a.f == b.f and (a.rank > b.rank or (a.rank == b.rank and a.order < b.order)))


@inlined
def stale(entry: Entry, nodes: Nodes) -> bool:
    """Was the state reached at lower cost after this entry was made? (A goal's newest entry always surfaces first.)"""
    return entry.rank != FIRST and entry.rank != nodes[entry.state].g


@inlined
def begin_open(memory: Memory, shift: int, f: int, rank: int, state: Int) -> Open:
    """Make an open list with one entry."""
    return Open(Entry(f, rank, state, 1), begin_store(memory, shift, f), 1)


@inlined
def push(memory: Memory, queue: Open, f: int, rank: int, state: Int, turn: Int) -> Open:
    """Insert a state; `turn` decides between states with the same f and rank."""
    order = queue.order + 1
    hand, new = queue.hand, Entry(f, rank, state, turn)
    if hand.state == NOBODY or hand.state == state:  # in the second case the entry in hand is stale
        return Open(new, queue.store, order)
    if before(new, hand):
        hand, new = new, hand
    return Open(hand, put(memory, queue.store, new), order)


@inlined
def surface(memory: Memory, queue: Open, nodes: Nodes) -> Open:
    """Take the best entry into the hand; the hand is empty afterwards if nothing is open."""
    hand, store = queue.hand, queue.store
    store = ready(memory, store, nodes, hand.f)
    while store.size:
        best = top(memory)
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
