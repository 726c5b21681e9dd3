"""Memory that grows with the states touched, not with the size of the map."""

import mmap
import weakref
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from .errors import ProblemError

SMALL = 1 << 16  # bytes
MOST_LEFT = 1 << 26  # bytes of each kind that a world keeps for later agents and searches, touched or not
# Private: a forked process must not write into our searches, and page faults are faster. (Windows has no flags.)
PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}


def untouched(count: int, dtype: npt.DTypeLike) -> np.ndarray:
    """Return an array of zeros that uses memory page by page, when an element is first touched.

    `np.zeros` asks the system for huge pages: the first touch of any element would then clear two megabytes.

    >>> untouched(10**9, np.int64)[123_456_789]
    np.int64(0)
    """
    kind = np.dtype(dtype)
    if count * kind.itemsize < SMALL:
        return np.zeros(count, kind)
    return np.frombuffer(mmap.mmap(-1, count * kind.itemsize, **PRIVATE), kind)


def frozen(array: np.ndarray) -> np.ndarray:
    """Return a read-only copy, whoever else holds the array.

    >>> mine = np.zeros(3)
    >>> kept = frozen(mine)
    >>> mine[0] = 7
    >>> kept, kept.flags.writeable
    (array([0., 0., 0.]), False)
    """
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a read-only view of the same array."""
    view = array.view()
    view.flags.writeable = False
    return view


class Unique:
    """A base of objects that cannot be copied: a copy would share, and corrupt, the memory of compiled code."""

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        kind = type(self).__name__
        raise ProblemError(f"{kind} objects cannot be copied or pickled; make another one, or copy its results")


class Used(NamedTuple):
    """An array that was used before; its values count only if they are above the mark."""

    array: np.ndarray
    mark: int


class Lease(weakref.ref[Any]):
    """The memory of the pool that an object uses."""

    __slots__ = ("settle",)
    settle: "Callable[[Pool], None]"


class Pool:
    """Arrays and searches of deleted objects, for reuse: the first touch of a page costs a microsecond or two.

    It keeps up to `MOST_LEFT` bytes of each kind, and always one; beyond that, the oldest go.

    >>> pool = Pool()
    >>> pool.leave("h", Used(np.array([5, 0, 3]), 5))
    >>> pool.take("h", 3, np.int64), pool.take("h", 3, np.int64)
    (Used(array=array([5, 0, 3]), mark=5), Used(array=array([0, 0, 0]), mark=0))
    """

    def __init__(self) -> None:
        self._left: dict[str, deque[Any]] = defaultdict(deque)
        self.ready: dict[Any, Callable[..., Any]] = {}
        """Kinds of users whose functions are all compiled, and what makes the compiled form of each."""
        self._leases: set[Lease] = set()
        self._ended: deque[Lease] = deque()

    def lease(self, owner: Any, settle: "Callable[[Pool], None]") -> Lease:
        """Call `settle`, to give back the owner's memory, once the owner is gone and someone else needs memory.

        Deleting the owner itself runs no Python code: an exception that Ctrl-C raises in a finalizer would be lost.
        """
        lease = Lease(owner, self._ended.append)
        lease.settle = settle
        self._leases.add(lease)
        return lease

    def users(self) -> list[Any]:
        """The owners that still exist and use this memory."""
        owners = (lease() for lease in list(self._leases))
        return [owner for owner in owners if owner is not None]

    def take(self, name: str, count: int, dtype: npt.DTypeLike) -> Used:
        """Return an array left under that name, or a new one."""
        self._settle()
        left = self._left[name]
        return left.pop() if left else Used(untouched(count, dtype), 0)

    def leave(self, name: str, used: Used) -> None:
        """Leave an array for the next request under that name."""
        self.leave_object(name, used, used.array.nbytes)

    def take_object(self, kind: str, make: Callable[[], Any]) -> Any:
        """Return an object of that kind that was left, such as a search, or a new one."""
        self._settle()
        left = self._left[kind]
        return left.pop() if left else make()

    def leave_object(self, kind: str, left: Any, size: int) -> None:
        """Leave an object of that many bytes for the next request of that kind."""
        others = self._left[kind]
        others.append(left)
        while len(others) > 1 and len(others) * size > MOST_LEFT:
            others.popleft()

    def _settle(self) -> None:
        while self._ended:
            lease = self._ended.popleft()
            self._leases.discard(lease)
            lease.settle(self)
