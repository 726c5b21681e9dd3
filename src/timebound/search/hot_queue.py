"""A hot queue: the store of an open list, fast for f that grows slowly, as it does for A* and weighted A*.

Entries wait unsorted in 64 buckets of f, and beyond those in one list of far entries. Only the current bucket, the hot
one, is a binary heap. Each operation takes nearly constant time, however many states are open: the real-time claim of
the TBA* paper (section 3.3) depends on that. Where f jumps, as in greedy search, `ONE_BUCKET` makes all of it one heap.

A queue is two things: its memory, which is arrays, and its value, a tuple of numbers that every function takes and
returns changed. These numbers stay in the processor's registers while a search runs.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, inlined, lowest_bit, resized
from ..core.integers import Int
from .heap import NOBODY, Entry, place, rise, sink, stale
from .types import Nodes

BUCKETS = 64  # as many as a machine word has bits: the next filled one is found in one instruction
NONE = -1  # the end of a linked list
NO_BUCKET = np.iinfo(np.int64).max
ONE_BUCKET = 63  # the shift with which every f is in the first bucket


class HotMemory(NamedTuple):
    """The hot bucket as a heap; the entries of all others as linked lists in one pool."""

    hot: np.ndarray
    cold: np.ndarray
    heads: np.ndarray  # the first cold entry of bucket b is heads[b % 64]; undefined while the bucket is empty


class HotStore(NamedTuple):
    """The value of a queue. Bucket numbers are f >> shift."""

    shift: int
    size: int  # entries in the heap
    bucket: int  # the hot one; entries of lower f also go into the heap
    filled: Int  # bit b % 64 is set: bucket b holds something, for the 63 buckets behind the hot one
    far: Int  # the first entry beyond those
    far_bucket: int  # the lowest bucket among the far entries
    used: int  # entries of the pool that were ever in use
    free: Int  # the first freed entry of the pool


@inlined
def begin_store(shift: int, f: int) -> HotStore:
    """Return an empty queue in which nothing better than `f` is expected; 2**shift is a small difference of f."""
    return HotStore(shift, 0, f >> shift, np.uint64(0), NONE, NO_BUCKET, 0, NONE)


@inlined
def put(memory: HotMemory, store: HotStore, entry: Entry) -> HotStore:
    """Insert an entry."""
    shift, size, bucket, filled, far, far_bucket, used, free = store
    own = entry.f >> shift
    if own <= bucket:
        return HotStore(shift, rise(memory.hot, size, entry), bucket, filled, far, far_bucket, used, free)
    spot = free
    if spot != NONE:
        free = np.int64(memory.cold[spot].next)
    else:
        spot = used
        used += 1
    place(memory.cold, spot, entry)
    if own - bucket < BUCKETS:
        filled = link(memory, filled, spot, own)
    else:
        memory.cold[spot].next = far
        far = spot
        far_bucket = min(far_bucket, own)
    return HotStore(shift, size, bucket, filled, far, far_bucket, used, free)


@inlined
def link(memory: HotMemory, filled: Int, spot: Int, bucket: int) -> Int:
    """Put a cold entry at the front of its bucket's list; return which buckets are filled now."""
    slot = bucket & (BUCKETS - 1)
    bit = np.uint64(1) << np.uint64(slot)
    memory.cold[spot].next = memory.heads[slot] if filled & bit else NONE
    memory.heads[slot] = spot
    return filled | bit


@inlined
def ready(memory: HotMemory, store: HotStore, nodes: Nodes, f: int) -> HotStore:
    """Bring the best entry to the top of the heap, if it may be as good as `f`; if there is none, the heap is empty."""
    if store.size or min(next_filled(store.filled, store.bucket), store.far_bucket) > f >> store.shift:
        shift, size, bucket, filled, far, far_bucket, used, free = store
        return HotStore(shift, size, bucket, filled, far, far_bucket, used, free)
    return refill(memory, store, nodes)


@inlined
def next_filled(filled: Int, bucket: int) -> int:
    """Return the first filled bucket after `bucket`."""
    if filled == 0:
        return NO_BUCKET
    turn = np.uint64((bucket + 1) & (BUCKETS - 1))
    turned: Any = (filled >> turn) | (filled << ((np.uint64(BUCKETS) - turn) & np.uint64(BUCKETS - 1)))
    return bucket + 1 + lowest_bit(turned)


@compiled
def refill(memory: HotMemory, store: HotStore, nodes: Nodes) -> HotStore:
    """Heat the next bucket with entries that are not stale."""
    shift, size, bucket, filled, far, far_bucket, used, free = store
    while size == 0:
        following = next_filled(filled, bucket)
        if far != NONE and far_bucket <= following:
            bucket = far_bucket - 1
            filled, far, far_bucket = bring_near(memory, filled, far, bucket, shift)
        elif following == NO_BUCKET:
            break
        else:
            bucket = following
            filled &= ~(np.uint64(1) << np.uint64(bucket & (BUCKETS - 1)))
            size, free = heat(memory, nodes, bucket, free)
    return HotStore(shift, size, bucket, filled, far, far_bucket, used, free)


@compiled
def bring_near(memory: HotMemory, filled: Int, far: Int, bucket: int, shift: int) -> tuple[Int, Int, int]:
    """Move far entries that are now within reach into their buckets; return filled, far, far_bucket."""
    cold = memory.cold
    i, far, far_bucket = far, NONE, NO_BUCKET
    while i != NONE:
        following = np.int64(cold[i].next)
        own = cold[i].f >> shift
        if own - bucket < BUCKETS:
            filled = link(memory, filled, i, own)
        else:
            cold[i].next = far
            far = i
            far_bucket = min(far_bucket, own)
        i = following
    return filled, far, far_bucket


@compiled
def heat(memory: HotMemory, nodes: Nodes, bucket: int, free: Int) -> tuple[int, Int]:
    """Make a heap of a bucket's entries, stale ones left out; return the heap's size and the freed places."""
    cold, size = memory.cold, 0
    i = np.int64(memory.heads[bucket & (BUCKETS - 1)])
    while i != NONE:
        entry = cold[i]
        if not stale(entry, nodes):
            size = rise(memory.hot, size, entry)
        following = np.int64(entry.next)
        entry.state = NOBODY
        entry.next = free
        free = i
        i = following
    return size, free


@inlined
def drop(memory: HotMemory, store: HotStore) -> HotStore:
    """Remove the best entry of a queue that is ready."""
    shift, size, bucket, filled, far, far_bucket, used, free = store
    return HotStore(shift, sink(memory.hot, size), bucket, filled, far, far_bucket, used, free)


@inlined
def places(memory: HotMemory, store: HotStore) -> int:
    """Return the number of places for entries; some may be empty."""
    return store.size + store.used


@inlined
def entry_at(memory: HotMemory, store: HotStore, place: int) -> Any:
    """Return the entry at a place, in no order; the state of an empty one is NOBODY. To visit all of them."""
    return memory.hot[place] if place < store.size else memory.cold[place - store.size]


@inlined
def room(memory: HotMemory, store: HotStore) -> int:
    """Return how many more entries are sure to fit."""
    # As both arrays have the same length, a bucket always fits into the heap: it has at most all entries of the pool.
    return len(memory.cold) - max(store.used, store.size)


@inlined
def grown(memory: HotMemory) -> HotMemory:
    """Return a copy of the memory with twice the room."""
    size = 2 * len(memory.cold)
    return HotMemory(resized(memory.hot, size), resized(memory.cold, size), resized(memory.heads, BUCKETS))


@inlined
def memory_bytes(memory: HotMemory, store: HotStore) -> int:
    """Return how much of the memory has been used."""
    return (store.used + store.size) * memory.cold.itemsize + memory.heads.nbytes
