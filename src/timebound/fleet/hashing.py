"""One hash function for all hash tables of a fleet."""

from ..compiled import inlined
from ..core.integers import Int

_MIX = 2654435761  # Knuth's multiplicative hash


@inlined
def hashed(key: Int, bits: Int) -> Int:
    """Return a place in a table of 2**bits places.

    >>> [int(hashed(key, 4)) for key in range(4)]
    [0, 9, 3, 13]
    """
    return ((key * _MIX) & 0xFFFFFFFF) >> (32 - bits)
