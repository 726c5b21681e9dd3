"""Memory that follows what is touched, not what the map holds."""

import mmap
import weakref
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from .errors import ProblemError

SMALL = 1 << 16  # bytes
# Private: a forked process must not write into our searches, and pages come faster. (Windows has no flags.)
PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}


def untouched(count: int, dtype: npt.DTypeLike) -> np.ndarray:
    """An array of zeros that takes up memory page by page, when an element is first touched.

    `np.zeros` asks the system for huge pages: the first touch of any element would then clear two megabytes.

    >>> untouched(10**9, np.int64)[123_456_789]
    np.int64(0)
    """
    kind = np.dtype(dtype)
    if count * kind.itemsize < SMALL:
        return np.zeros(count, kind)
    return np.frombuffer(mmap.mmap(-1, count * kind.itemsize, **PRIVATE), kind)


def frozen(array: np.ndarray) -> np.ndarray:
    """A copy that nobody can change, whoever else holds the array.

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
    """The same array, which nobody can change through what is returned here."""
    view = array.view()
    view.flags.writeable = False
    return view


class Unique:
    """What cannot be copied: it lives in memory of compiled code, which a copy would share, and so corrupt."""

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        kind = type(self).__name__
        raise ProblemError(
            f"{kind} objects cannot be copied or pickled; make another one, or copy what this one has found"
        )


class Used(NamedTuple):
    """An array that others have written into before; what it holds counts only if it is above the mark."""

    array: np.ndarray
    mark: int


class Lease(weakref.ref[Any]):
    """What an object uses of the memory here."""

    __slots__ = ("settle",)
    settle: "Callable[[Pool], None]"


class Pool:
    """Arrays and searches of those who are no more, for the next: the first touch of a page costs a microsecond or two.

    >>> pool = Pool()
    >>> pool.leave("h", Used(np.array([5, 0, 3]), 5))
    >>> pool.take("h", 3, np.int64), pool.take("h", 3, np.int64)
    (Used(array=array([5, 0, 3]), mark=5), Used(array=array([0, 0, 0]), mark=0))
    """

    def __init__(self) -> None:
        self._arrays: dict[str, list[Used]] = defaultdict(list)
        self._objects: dict[str, list[Any]] = defaultdict(list)
        self.ready: set[Any] = set()
        """Kinds of users for whom everything is compiled."""
        self._leases: set[Lease] = set()
        self._ended: deque[Lease] = deque()

    def lease(self, owner: Any, settle: "Callable[[Pool], None]") -> Lease:
        """Call `settle`, to leave what the owner used, once the owner is gone and somebody else needs memory.

        The end of the owner itself runs no Python code: an exception that Ctrl-C raises in a finalizer is lost.
        """
        lease = Lease(owner, self._ended.append)
        lease.settle = settle
        self._leases.add(lease)
        return lease

    def users(self) -> list[Any]:
        """Those who use memory from here, as far as they still exist."""
        owners = (lease() for lease in list(self._leases))
        return [owner for owner in owners if owner is not None]

    def take(self, name: str, count: int, dtype: npt.DTypeLike) -> Used:
        """An array that was left under that name, or a new one."""
        self._settle()
        left = self._arrays[name]
        return left.pop() if left else Used(untouched(count, dtype), 0)

    def leave(self, name: str, used: Used) -> None:
        """Leave an array to whoever asks for one of that name."""
        self._arrays[name].append(used)

    def take_object(self, kind: str, make: Callable[[], Any]) -> Any:
        """Something of that kind that was left, a search say, or a new one."""
        self._settle()
        left = self._objects[kind]
        return left.pop() if left else make()

    def leave_object(self, kind: str, left: Any) -> None:
        """Leave something to whoever asks for one of that kind."""
        self._objects[kind].append(left)

    def _settle(self) -> None:
        while self._ended:
            lease = self._ended.popleft()
            self._leases.discard(lease)
            lease.settle(self)
