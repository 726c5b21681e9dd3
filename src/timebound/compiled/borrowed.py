"""Lend arrays to a hot loop: addresses, without reference counts. `lent` compiles it, `plain_numba` does without."""

import functools
import operator
from typing import Any, TypeVar, cast

import numpy as np

T = TypeVar("T")


def borrow(owner: T) -> T:
    """Lend the arrays of `owner` (an array, or a NamedTuple of arrays, numbers and further such tuples) to a hot loop.

    Generators over a world need a borrowed one, for speed and because Numba's generators leak references.

    The result supports `x[i]`, `x[i] = y` and `len(x)` but keeps nothing alive: use it only while the
    owner is held. Arrays with more dimensions pass through unchanged.
    """
    if isinstance(owner, np.ndarray):
        return cast(T, owner.view(_with_rows(owner.dtype))) if owner.dtype.type is np.void else owner
    if not hasattr(owner, "_fields"):
        return owner
    known = _lent.get(id(owner))
    if known is None:
        if len(_lent) >= _MOST_LENT:
            _lent.clear()
        members: Any = owner
        known = _lent[id(owner)] = owner, type(owner)(*map(borrow, members))
    return cast(T, known[1])


def borrow_field(owner: Any, field: str) -> Any:
    """Return what `borrow(owner.field)` gives for a `mutable` struct, without a reference count for every array in it.

    A field that is itself a struct is also lent: its fields can be read and written, and it can be passed on. Use it
    only while that field keeps its value.
    """
    return borrow(getattr(owner, field))


# Without the compiler, the same worlds are borrowed again and again. Each is held, so that no other gets its id.
_lent: dict[int, tuple[Any, Any]] = {}
_MOST_LENT = 64


@functools.cache
def _with_rows(dtype: np.dtype) -> np.dtype:
    """Return the same type with fields as attributes of rows, as in compiled code; NumPy's own are four times slower.

    >>> dtype = np.dtype([("g", np.int64)])
    >>> nodes = np.zeros(2, dtype)
    >>> nodes.view(_with_rows(dtype))[1].g = 7
    >>> nodes["g"].tolist()
    [0, 7]
    """

    def field(name: str) -> property:
        def write(row: Any, value: Any) -> None:
            row[name] = value

        return property(operator.itemgetter(name), write)

    row = type("Row", (np.void,), {"__slots__": (), **{name: field(name) for name in dtype.names or ()}})
    return np.dtype((row, dtype))
