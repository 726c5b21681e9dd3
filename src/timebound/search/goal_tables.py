"""Learned values toward many goals, in one table that holds only what was learned.

An agent that follows subgoals keeps a table of h for each of them (kNN LRTA* paper, section 3). Few values ever rise
for any one goal, so all tables are one: values by goal and state, found by their hash in constant time.
"""

from typing import Any

import numpy as np

from ..compiled import borrow, compiled, inlined, mutable

_EMPTY = -1
_ROOM = 256  # at first; a power of two, as ever
_LOW_BITS = (1 << 31) - 1

Tables = mutable(
    __name__,
    "Tables",
    [
        "states",  # of the world: the key of a value is goal * states + state
        "keys",
        "values",
        "count",  # values in the table
        "rises",  # how often any of them has risen
    ],
)


@compiled
def new_tables(states: int) -> Any:
    """Tables in which nothing has been learned."""
    return Tables(states, np.full(_ROOM, _EMPTY, np.int64), np.zeros(_ROOM, np.int64), 0, 0)


@inlined
def place_of(keys: Any, key: int) -> int:
    """Where the key is, or where it would go. (Products stay within 62 bits: so it is with the compiler off.)"""
    mask = len(keys) - 1
    place = (((key & _LOW_BITS) * 0x5E3779B1) ^ ((key >> 31) * 0x45D9F3B5)) >> 20 & mask
    while keys[place] != key and keys[place] != _EMPTY:
        place = place + 1 & mask
    return place


@inlined
def recalled(keys: Any, values: Any, key: int) -> int:
    """The learned value, 0 if there is none."""
    place = place_of(keys, key)
    return values[place] if keys[place] == key else 0


@compiled
def remember(tables: Any, key: int, value: int) -> None:
    """A value has risen."""
    if 2 * tables.count >= len(tables.keys):
        _grow(tables)
    place = place_of(tables.keys, key)
    tables.count += tables.keys[place] == _EMPTY
    tables.keys[place], tables.values[place] = key, value
    tables.rises += 1


@compiled
def _grow(tables: Any) -> None:
    old_keys, old_values = tables.keys, tables.values
    keys, values = np.full(2 * len(old_keys), _EMPTY, np.int64), np.zeros(2 * len(old_keys), np.int64)
    lent = borrow(keys)
    for i in range(len(old_keys)):
        if old_keys[i] != _EMPTY:
            place = place_of(lent, old_keys[i])
            keys[place], values[place] = old_keys[i], old_values[i]
    tables.keys, tables.values = keys, values


@compiled
def forget_all(tables: Any) -> None:
    """A move became cheaper, so that what was learned may overestimate now."""
    tables.keys[:] = _EMPTY
    tables.count = 0
