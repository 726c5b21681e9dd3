"""The open list: states that wait for their expansion, best first.

One order for every algorithm (it reproduces the papers' worked examples): smaller f; the goal before others; larger g;
earlier insertion. `rank` holds the middle two: it is g, or `FIRST` for a goal.

Two open lists keep that order, so they expand the same states in the same sequence:

`HotMemory`
    a hot queue. Entries wait unsorted in 64 buckets of f; only the bucket that is being worked on, the hot one, is a
    binary heap. Nearly constant time per operation, however many states are open: the real-time claim of the TBA* paper
    (section 3.3) rests on that. It wants f to grow slowly, as it does for A* and weighted A*.
`HeapMemory`
    one binary heap, for f that jumps (greedy search).

An entry whose state was reached more cheaply later is stale. It stays where it is and is dropped when it surfaces.

An open list is two things: its memory, which is arrays, and its value, a tuple of numbers that goes into every function
and comes back changed. Numbers that are values stay in the processor's registers for as long as a search runs.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, generic, lowest_bit

ENTRY = np.dtype(
    [("f", np.int64), ("rank", np.int64), ("state", np.int32), ("order", np.int32), ("next", np.int32)], align=True
)
FIRST = np.iinfo(np.int64).max  # the rank of a goal
NONE = -1  # the end of a linked list
NO_BUCKET = np.iinfo(np.int64).max
BUCKETS = 64  # as many as a machine word has bits: the next filled one is found in one instruction


@generic
def begin_open(memory: Any, shift: int, f: int) -> Any:
    """The value of an empty open list whose first entry will be that of `f`; a bucket of f is 2**shift wide."""


@generic
def push(memory: Any, queue: Any, f: int, rank: int, state: int) -> Any:
    """Insert a state; return the changed queue."""


@generic
def refill(memory: Any, queue: Any, nodes: Any) -> Any:
    """Fill the heap, which is empty, with what comes next; `queue.size` is still 0 afterwards if nothing is left."""


@generic
def pop(memory: Any, queue: Any) -> Any:
    """Remove the top of the heap."""


@generic
def first(memory: Any) -> Any:
    """The entry at the top of the heap."""


@generic
def room(memory: Any, queue: Any) -> int:
    """How many more entries are sure to fit."""


@generic
def grown(memory: Any) -> Any:
    """The same memory with twice the room."""


@generic
def open_bytes(memory: Any) -> int:
    """The size of the memory."""


# ------------------------------------------------------------------ a binary heap on a flat array


@compiled
def rise(heap: Any, size: int, f: int, rank: int, state: int, order: int) -> int:
    """Put an entry into the heap; return the new size."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        up = heap[parent]
        if f > up.f or (f == up.f and (rank < up.rank or (rank == up.rank and order > up.order))):
            break
        heap[i].f = up.f
        heap[i].rank = up.rank
        heap[i].state = up.state
        heap[i].order = up.order
        i = parent
    heap[i].f = f
    heap[i].rank = rank
    heap[i].state = state
    heap[i].order = order
    return size + 1


@compiled
def sink(heap: Any, size: int) -> int:
    """Take the first entry out of the heap; return the new size."""
    n = size - 1
    f, rank, state, order = heap[n].f, heap[n].rank, heap[n].state, heap[n].order
    i = 0
    while True:
        child = 2 * i + 1
        if child >= n:
            break
        if child + 1 < n:
            a, b = heap[child], heap[child + 1]
            if b.f < a.f or (b.f == a.f and (b.rank > a.rank or (b.rank == a.rank and b.order < a.order))):
                child += 1
        down = heap[child]
        if f < down.f or (f == down.f and (rank > down.rank or (rank == down.rank and order < down.order))):
            break
        heap[i].f = down.f
        heap[i].rank = down.rank
        heap[i].state = down.state
        heap[i].order = down.order
        i = child
    heap[i].f = f
    heap[i].rank = rank
    heap[i].state = state
    heap[i].order = order
    return n


@compiled
def doubled(entries: np.ndarray) -> np.ndarray:
    """A copy of `entries` with twice the room."""
    more = np.empty(2 * len(entries), entries.dtype)
    more[: len(entries)] = entries
    return more


# ------------------------------------------------------------------ the plain heap


class HeapMemory(NamedTuple):
    """One binary heap of everything that is open."""

    heap: np.ndarray


class HeapQueue(NamedTuple):
    """The value that goes with `HeapMemory`."""

    size: int
    order: int  # insertions so far: the last tie breaker


@begin_open.of(HeapMemory)
def _heap_begin(memory: Any, shift: int, f: int) -> HeapQueue:
    return HeapQueue(0, 0)


@push.of(HeapMemory)
def _heap_push(memory: Any, queue: Any, f: int, rank: int, state: int) -> HeapQueue:
    order = queue.order + 1
    return HeapQueue(rise(memory.heap, queue.size, f, rank, state, order), order)


@refill.of(HeapMemory)
def _heap_refill(memory: Any, queue: Any, nodes: Any) -> HeapQueue:
    return queue  # type: ignore[no-any-return]


@pop.of(HeapMemory)
def _heap_pop(memory: Any, queue: Any) -> HeapQueue:
    return HeapQueue(sink(memory.heap, queue.size), queue.order)


@first.of(HeapMemory)
def _heap_first(memory: Any) -> Any:
    return memory.heap[0]


@room.of(HeapMemory)
def _heap_room(memory: Any, queue: Any) -> int:
    return len(memory.heap) - queue.size


@grown.of(HeapMemory)
def _heap_grown(memory: Any) -> HeapMemory:
    return HeapMemory(doubled(memory.heap))


@open_bytes.of(HeapMemory)
def _heap_bytes(memory: Any) -> int:
    return memory.heap.nbytes


@compiled
def stale(entry: Any, nodes: Any) -> bool:
    """Was the state reached more cheaply after this entry was made? (A goal's newest entry always surfaces first.)"""
    return entry.rank != FIRST and entry.rank != nodes[entry.state].g


# ------------------------------------------------------------------ the hot queue


class HotMemory(NamedTuple):
    """The bucket being worked on as a heap; the entries of all others as linked lists in one pool."""

    hot: np.ndarray
    cold: np.ndarray
    heads: np.ndarray  # the first cold entry of bucket b is heads[b % 64]; meaningless while its bit is not set


class HotQueue(NamedTuple):
    """The value that goes with `HotMemory`. Bucket numbers are f >> shift."""

    shift: int
    size: int  # entries in the heap
    bucket: int  # the hot bucket; entries of lower f go into the heap, too
    filled: int  # bit b % 64 is set: bucket b holds something, for the 63 buckets behind the hot one
    far: int  # the first entry that lies beyond those
    far_bucket: int  # the lowest bucket among the far entries
    used: int  # entries of the pool that were ever in use
    free: int  # the first entry of the pool that is free again
    order: int  # insertions so far: the last tie breaker


@begin_open.of(HotMemory)
def _hot_begin(memory: Any, shift: int, f: int) -> HotQueue:
    return HotQueue(shift, 0, f >> shift, np.uint64(0), NONE, NO_BUCKET, 0, NONE, 0)


@push.of(HotMemory)
def _hot_push(memory: Any, queue: Any, f: int, rank: int, state: int) -> HotQueue:
    shift, size, bucket, filled, far, far_bucket, used, free, order = queue
    order += 1
    ahead = (f >> shift) - bucket
    if ahead <= 0:
        size = rise(memory.hot, size, f, rank, state, order)
        return HotQueue(shift, size, bucket, filled, far, far_bucket, used, free, order)
    cold, place = memory.cold, free
    if place != NONE:
        free = np.int64(cold[place].next)
    else:
        place = used
        used += 1
    cold[place].f = f
    cold[place].rank = rank
    cold[place].state = state
    cold[place].order = order
    if ahead < BUCKETS:
        filled = link(memory, filled, place, f >> shift)
    else:
        cold[place].next = far
        far = place
        far_bucket = min(far_bucket, f >> shift)
    return HotQueue(shift, size, bucket, filled, far, far_bucket, used, free, order)


@compiled
def link(memory: Any, filled: int, place: int, bucket: int) -> int:
    """Put a cold entry in front of its bucket's list; return which buckets are filled now."""
    slot = bucket & (BUCKETS - 1)
    bit = np.uint64(1) << np.uint64(slot)
    memory.cold[place].next = memory.heads[slot] if filled & bit else NONE
    memory.heads[slot] = place
    return filled | bit


@refill.of(HotMemory)
def _hot_refill(memory: Any, queue: Any, nodes: Any) -> HotQueue:
    return next_bucket(memory, queue, nodes)


@compiled
def next_bucket(memory: Any, queue: Any, nodes: Any) -> HotQueue:
    """Heat the next bucket that holds anything still of use."""
    shift, size, bucket, filled, far, far_bucket, used, free, order = queue
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
    return HotQueue(shift, size, bucket, filled, far, far_bucket, used, free, order)


@compiled
def next_filled(filled: int, bucket: int) -> int:
    """The first filled bucket behind `bucket`."""
    if filled == 0:
        return NO_BUCKET
    turn = np.uint64((bucket + 1) & (BUCKETS - 1))
    turned = (filled >> turn) | (filled << ((np.uint64(BUCKETS) - turn) & np.uint64(BUCKETS - 1)))
    return bucket + 1 + lowest_bit(turned)


@compiled
def bring_near(memory: Any, filled: int, far: int, bucket: int, shift: int) -> tuple[int, int, int]:
    """Move the far entries that now lie within reach into their buckets; return filled, far, far_bucket."""
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
def heat(memory: Any, nodes: Any, bucket: int, free: int) -> tuple[int, int]:
    """Make a heap of a bucket's entries, stale ones left out; return the heap's size and the freed places."""
    cold, size = memory.cold, 0
    i = np.int64(memory.heads[bucket & (BUCKETS - 1)])
    while i != NONE:
        entry = cold[i]
        if not stale(entry, nodes):
            size = rise(memory.hot, size, entry.f, entry.rank, entry.state, entry.order)
        following = np.int64(entry.next)
        entry.next = free
        free = i
        i = following
    return size, free


@pop.of(HotMemory)
def _hot_pop(memory: Any, queue: Any) -> HotQueue:
    shift, size, bucket, filled, far, far_bucket, used, free, order = queue
    return HotQueue(shift, sink(memory.hot, size), bucket, filled, far, far_bucket, used, free, order)


@first.of(HotMemory)
def _hot_first(memory: Any) -> Any:
    return memory.hot[0]


@room.of(HotMemory)
def _hot_room(memory: Any, queue: Any) -> int:
    # As long as both arrays are of one length, a bucket always fits into the heap: it is never more than the pool holds.
    return len(memory.cold) - max(queue.used, queue.size)


@grown.of(HotMemory)
def _hot_grown(memory: Any) -> HotMemory:
    return HotMemory(doubled(memory.hot), doubled(memory.cold), memory.heads)


@open_bytes.of(HotMemory)
def _hot_bytes(memory: Any) -> int:
    return memory.hot.nbytes + memory.cold.nbytes + memory.heads.nbytes
