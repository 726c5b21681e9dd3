"""States that are numbered as they are met, for worlds too large for arrays.

The key of a state in such a world is a few whole numbers. A hash table finds the number of a key; numbers are given in
the order of arrival. So everything else, from nodes to learned values, is an array, as in other worlds, of which the
system provides only the pages that are touched (see `memory.untouched`).

The table doubles when it is half full. That must not make one interval longer than the others, so the entries of the
old table move a few at a time, with every new state; until all have moved, a key is looked up in both tables.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import intrinsic

from ..compiled import compiled, inlined
from ..compiled.backend import when_compiled
from ..core.integers import Int
from ..core.memory import untouched
from .interface import NO_STATE

FIRST_BITS = 10  # the first table has 2**FIRST_BITS places
MOVED = 4  # places of the old table to clear with every new state: it is empty long before the new one is full
COUNT, BITS, CLEARED = 0, 1, 2


class Numbering(NamedTuple):
    """The states met so far."""

    keys: np.ndarray  # as many words per state as `example` has
    places: np.ndarray  # a table of 2**k places is at 2**k, 2**k + 1, ...; each holds a number and 1, or 0
    estimates: np.ndarray  # h of every state, computed once
    counts: np.ndarray  # states met, bits of the table, places of the old table whose entries are in it
    example: Any  # a key, for its type


def new_numbering(capacity: int, words: int) -> Numbering:
    """Make an empty numbering with room for `states` states of `words` words."""
    bits = max(FIRST_BITS, (2 * capacity - 1).bit_length())
    keys, places = untouched(capacity * words, np.int64), untouched(2 << bits, np.int32)
    counts = np.array([0, FIRST_BITS, 1 << FIRST_BITS >> 1])
    return Numbering(keys, places, untouched(capacity, np.int64), counts, (0,) * words)


@inlined
def number_for(numbering: Numbering, key: Any) -> tuple[Int, bool]:
    """Return the number of a key, and whether it is new; NO_STATE if there is no room for it."""
    known, place = look_up(numbering, key)
    if known != NO_STATE:
        return known, False
    counts = numbering.counts
    number = counts[COUNT]
    if number == len(numbering.estimates):
        return NO_STATE, False
    counts[COUNT] = number + 1
    for i in range(len(key)):
        numbering.keys[number * len(key) + i] = key[i]
    numbering.places[place] = number + 1
    make_room(numbering)
    return number, True


@inlined
def look_up(numbering: Numbering, key: Any) -> tuple[Int, Int]:
    """Return the number of a key, NO_STATE if it has none, and its place in the table."""
    counts, code = numbering.counts, hash_of(key)
    bits = counts[BITS]
    place = find(numbering, key, code, bits)
    number = np.int64(numbering.places[place]) - 1
    if number == NO_STATE and counts[CLEARED] < 1 << (bits - 1):
        number = np.int64(numbering.places[find(numbering, key, code, bits - 1)]) - 1
    return number, place


@inlined
def find(numbering: Numbering, key: Any, code: int, bits: int) -> int:
    """Return the place of a key in the table of 2**`bits` places, or the empty place where it would be."""
    first, last = 1 << bits, (1 << bits) - 1
    offset = code >> (HASH_BITS - bits)
    while True:
        number = np.int64(numbering.places[first + offset]) - 1
        if number < 0 or is_key(numbering, number, key):
            return first + offset
        offset = (offset + 1) & last


@inlined
def is_key(numbering: Numbering, number: Int, key: Any) -> bool:
    """Is this the key of the state with that number?"""
    same = True
    for i in range(len(key)):
        same = same and numbering.keys[number * len(key) + i] == key[i]
    return same


@inlined
def key_of(numbering: Numbering, number: Int) -> Any:
    """Return the key of a state."""
    key = numbering.example
    for i in range(len(key)):
        key = with_word(key, i, numbering.keys[number * len(key) + i])
    return key


@compiled
def make_room(numbering: Numbering) -> None:
    """Start a table of twice the size if this one is half full, or move some entries from the old table."""
    counts = numbering.counts
    bits = counts[BITS]
    if 2 * counts[COUNT] > 1 << bits:
        counts[BITS], counts[CLEARED] = bits + 1, 0
        return
    old = 1 << (bits - 1)
    for _ in range(MOVED):
        if counts[CLEARED] == old:
            return
        entry = numbering.places[old + counts[CLEARED]]
        if entry:
            key = key_of(numbering, np.int64(entry) - 1)
            numbering.places[find(numbering, key, hash_of(key), bits)] = entry
        counts[CLEARED] += 1


# ------------------------------------------------------------------ where Numba and Python differ

HASH_BITS = 62  # bits used of a 64-bit product
_ODD = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio: spreads neighbours far apart


@inlined
def hash_of(key: Any) -> int:
    """Return a hash of HASH_BITS bits that depends on the whole key."""
    code = 0
    for i in range(len(key)):
        code = scrambled(code, key[i])
    return code


def scrambled(code: int, word: int) -> int:
    """Mix a word into a hash."""
    mixed = (int(code) ^ int(word)) & (1 << 64) - 1
    mixed = (mixed ^ mixed >> 32) * _ODD & (1 << 64) - 1
    return mixed >> (64 - HASH_BITS)


@when_compiled(scrambled)
def _compiled_scrambled(code: Any, word: Any) -> Any:
    def multiply(code: Any, word: Any) -> Any:
        mixed = np.uint64(code) ^ np.uint64(word)
        mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(_ODD)
        return np.int64(mixed >> np.uint64(64 - HASH_BITS))

    return multiply


def with_word(key: Any, i: int, word: int) -> Any:
    """Return the key with another 64-bit word at place i."""
    signed = (int(word) + (1 << 63)) % (1 << 64) - (1 << 63)
    return (*key[:i], signed, *key[i + 1 :])


@when_compiled(with_word)
def _compiled_with_word(key: Any, i: Any, word: Any) -> Any:
    return lambda key, i, word: _with_item(key, np.int64(i), np.int64(word))


@intrinsic
def _with_item(typing_context: Any, items: Any, i: Any, item: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given, place, word = arguments
        with builder.goto_entry_block():
            memory = builder.alloca(given.type)
        builder.store(given, memory)
        builder.store(word, builder.gep(memory, [place.type(0), place], inbounds=True))
        return builder.load(memory)

    return items(items, i, item), code
