"""States that get their numbers as they are met, for worlds too large for arrays.

A state of such a world is known by its key, a few whole numbers. A hash table finds the number of a key, and numbers
are given in the order of arrival. So everything else, from nodes to learned values, stays what it is in other worlds:
an array, of which the system provides the pages that are touched (see `memory.untouched`).

The table doubles when it is half full. That must not make one interval longer than the others, so the entries of the
old table move over a few at a time, with every new state; until all are there, a key is looked up in both.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.core.extending import overload
from numba.cpython.unsafe.tuple import tuple_setitem

from ..compiled import compiled, inlined
from ..integers import Int
from ..memory import untouched
from .interface import NO_STATE

FIRST_BITS = 10  # of the number of places in the first table
MOVED = 4  # places of the old table that are cleared with every new state: it is empty long before the next one is full
COUNT, BITS, CLEARED = 0, 1, 2


class Numbering(NamedTuple):
    """The states met so far."""

    keys: np.ndarray  # as many words a state as `example` has
    places: np.ndarray  # a table of 2**k places is at 2**k, 2**k + 1, ...; each holds a number and 1, or 0
    estimates: np.ndarray  # h of every state, worked out once
    counts: np.ndarray  # states met, bits of the table, places of the old table whose entries are in it
    example: Any  # a key, for its type


def new_numbering(capacity: int, words: int) -> Numbering:
    """No state yet, and room for so many of so many words."""
    bits = max(FIRST_BITS, (2 * capacity - 1).bit_length())
    keys, places = untouched(capacity * words, np.int64), untouched(2 << bits, np.int32)
    counts = np.array([0, FIRST_BITS, 1 << FIRST_BITS >> 1])
    return Numbering(keys, places, untouched(capacity, np.int64), counts, (0,) * words)


@inlined
def number_for(numbering: Any, key: Any) -> tuple[Int, bool]:
    """The number of a key, and whether it is a new one; NO_STATE if there is no room for that."""
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
def look_up(numbering: Any, key: Any) -> tuple[Int, Int]:
    """The number of a key, NO_STATE if it has none, and its place in the table."""
    counts, code = numbering.counts, hash_of(key)
    bits = counts[BITS]
    place = find(numbering, key, code, bits)
    number = np.int64(numbering.places[place]) - 1
    if number == NO_STATE and counts[CLEARED] < 1 << (bits - 1):
        number = np.int64(numbering.places[find(numbering, key, code, bits - 1)]) - 1
    return number, place


@inlined
def find(numbering: Any, key: Any, code: int, bits: int) -> int:
    """The place of a key in the table of so many bits, or the empty place where it would be."""
    first, last = 1 << bits, (1 << bits) - 1
    offset = code >> (HASH_BITS - bits)
    while True:
        number = np.int64(numbering.places[first + offset]) - 1
        if number < 0 or is_key(numbering, number, key):
            return first + offset
        offset = (offset + 1) & last


@inlined
def is_key(numbering: Any, number: Int, key: Any) -> bool:
    """Is that the key of the state of that number?"""
    same = True
    for i in range(len(key)):
        same = same and numbering.keys[number * len(key) + i] == key[i]
    return same


@inlined
def key_of(numbering: Any, number: Int) -> Any:
    """The key of a state."""
    key = numbering.example
    for i in range(len(key)):
        key = with_word(key, i, numbering.keys[number * len(key) + i])
    return key


@compiled
def make_room(numbering: Any) -> None:
    """Begin with a table of twice the size, if this one is half full; or move some entries from the old one to it."""
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


# ------------------------------------------------------------------ what Numba and Python must be told apart

HASH_BITS = 62  # what is left of a product of 64 bits without its sign
_ODD = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio: neighbours come to lie far apart


@inlined
def hash_of(key: Any) -> int:
    """A number of HASH_BITS bits that depends on all of the key."""
    code = 0
    for i in range(len(key)):
        code = scrambled(code, key[i])
    return code


def scrambled(code: int, word: int) -> int:
    """Another hash, made of one and a word."""
    mixed = (int(code) ^ int(word)) & (1 << 64) - 1
    mixed = (mixed ^ mixed >> 32) * _ODD & (1 << 64) - 1
    return mixed >> (64 - HASH_BITS)


@overload(scrambled, strict=False)
def _compiled_scrambled(code: Any, word: Any) -> Any:
    def multiply(code: Any, word: Any) -> Any:
        mixed = np.uint64(code) ^ np.uint64(word)
        mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(_ODD)
        return np.int64(mixed >> np.uint64(64 - HASH_BITS))

    return multiply


def with_word(key: Any, i: int, word: int) -> Any:
    """The key with another word at place i, of 64 bits."""
    signed = (int(word) + (1 << 63)) % (1 << 64) - (1 << 63)
    return (*key[:i], signed, *key[i + 1 :])


@overload(with_word, strict=False)
def _compiled_with_word(key: Any, i: Any, word: Any) -> Any:
    return lambda key, i, word: tuple_setitem(key, i, word)
