"""A binary heap on a flat array: the simple store of an open list, for f that jumps (greedy search)."""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import inlined, resized
from ..core.integers import Int
from . import open_list
from .open_list import Entry, before
from .types import Nodes


@inlined
def place(heap: Any, i: Int, entry: Entry) -> None:
    """Write an entry, field by field, because copying whole records is slow."""
    heap[i].f = entry.f
    heap[i].rank = entry.rank
    heap[i].state = entry.state
    heap[i].order = entry.order


@inlined
def rise(heap: Any, size: int, entry: Entry) -> int:
    """Push an entry onto the heap; return the new size."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if not before(entry, heap[parent]):
            break
        place(heap, i, heap[parent])
        i = parent
    place(heap, i, entry)
    return size + 1


@inlined
def sink(heap: Any, size: int) -> int:
    """Pop the first entry of the heap; return the new size."""
    last, i = size - 1, 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and before(heap[child + 1], heap[child]):
            child += 1
        if not before(heap[child], heap[last]):
            break
        place(heap, i, heap[child])
        i = child
    place(heap, i, heap[last])
    return last


class HeapMemory(NamedTuple):
    """The memory of the store."""

    heap: np.ndarray


class HeapStore(NamedTuple):
    """The value of the store."""

    size: int


@open_list.begin_store.of(HeapMemory)
def _begin(memory: HeapMemory, shift: int, f: int) -> HeapStore:
    return HeapStore(0)


@open_list.put.of(HeapMemory)
def _put(memory: HeapMemory, store: HeapStore, entry: Entry) -> HeapStore:
    return HeapStore(rise(memory.heap, store.size, entry))


@open_list.ready.of(HeapMemory)
def _ready(memory: HeapMemory, store: HeapStore, nodes: Nodes, f: int) -> HeapStore:
    return HeapStore(store.size)


@open_list.top.of(HeapMemory)
def _top(memory: HeapMemory) -> Any:
    return memory.heap[0]


@open_list.drop.of(HeapMemory)
def _drop(memory: HeapMemory, store: HeapStore) -> HeapStore:
    return HeapStore(sink(memory.heap, store.size))


@open_list.places.of(HeapMemory)
def _places(memory: HeapMemory, store: HeapStore) -> int:
    return store.size


@open_list.entry_at.of(HeapMemory)
def _entry_at(memory: HeapMemory, store: HeapStore, place: int) -> Any:
    return memory.heap[place]


@open_list.room.of(HeapMemory)
def _room(memory: HeapMemory, store: HeapStore) -> int:
    return len(memory.heap) - store.size


@open_list.grown.of(HeapMemory)
def _grown(memory: HeapMemory) -> HeapMemory:
    return HeapMemory(resized(memory.heap, 2 * len(memory.heap)))


@open_list.memory_bytes.of(HeapMemory)
def _bytes(memory: HeapMemory, store: HeapStore) -> int:
    return store.size * memory.heap.itemsize
