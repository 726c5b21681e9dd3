"""Shortest paths between many pairs of places at once, optionally in several threads."""

from _thread import LockType as Lock
from _thread import allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar, overload

import numpy as np

from ..core.errors import ProblemError
from ..core.limits import MOST_WORKERS
from ..core.values import whole
from ..worlds import Grid, World
from ..worlds.places import is_one_place, states_of
from ..worlds.world import a_world
from .solver import PREPARED, Path, shortest_path

Piece = TypeVar("Piece")
Done = TypeVar("Done")


class PathBatch(Sequence[Path]):
    """Many paths: a sequence of `Path`, and the same as arrays."""

    def __init__(self, paths: Sequence[Path]):
        self._paths = list(paths)

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, place: int) -> Path: ...
    @overload
    def __getitem__(self, place: slice) -> "PathBatch": ...
    def __getitem__(self, place: int | slice) -> "Path | PathBatch":
        """Return one of the paths, or some of them."""
        return PathBatch(self._paths[place]) if isinstance(place, slice) else self._paths[place]

    def __repr__(self) -> str:
        return f"PathBatch({len(self)} paths, {int(np.count_nonzero(self.solved))} solved)"

    @cached_property
    def costs(self) -> np.ndarray:
        """The costs; infinite where there is no path."""
        return np.array([path.cost for path in self._paths], float)

    @cached_property
    def solved(self) -> np.ndarray:
        """Whether there is a path, for each pair."""
        return np.array([path.solved for path in self._paths], bool)

    @cached_property
    def numbers(self) -> np.ndarray:
        """The states of all paths, one path after the other: path i is numbers[first[i] : first[i + 1]]."""
        if any(path.world is not self._paths[0].world for path in self._paths):
            raise ProblemError("this world numbers its states differently in every search; use `states` of each path")
        return np.concatenate([np.empty(0, np.int32), *(path.numbers for path in self._paths)])

    @cached_property
    def first(self) -> np.ndarray:
        """Where each path begins in `numbers`, and where the last one ends."""
        return np.cumsum([0, *(len(path.numbers) for path in self._paths)])


def shortest_paths(world: World, starts: Any, goals: Any, *, threads: int = 1) -> PathBatch:
    """Find a cheapest path from each start to its goal, by A*, or much faster after `world.prepare()`.

    The result is the same for any number of threads.

    Parameters
    ----------
    starts, goals
        Lists of places; on a grid also arrays of shape [n, 2] with x and y. One of them may be a single place.
    threads
        The number of pairs to search at the same time.

    Examples
    --------
    >>> import numpy as np, timebound as tb
    >>> world = tb.Grid(np.ones((4, 5), bool), neighbors=4)
    >>> batch = tb.shortest_paths(world, (0, 0), np.array([[4, 3], [0, 2]]))
    >>> batch, batch.costs, batch.first
    (PathBatch(2 paths, 2 solved), array([7., 2.]), array([ 0,  8, 11]))
    >>> batch[1].states
    [(0, 0), (0, 1), (0, 2)]
    """
    world = a_world(world)
    if isinstance(world, Grid):
        ends = ends_of(world, starts, goals)
        with world.changes.gate.work():
            prepared: Any = world.prepared.get(PREPARED)
            if prepared is not None:
                return prepared.paths_between(ends, threads)
        pairs = list(zip(*(world.places(column) for column in ends.T), strict=True))
    else:
        pairs = _paired(world, starts, goals, lambda given: [given] if is_one_place(world, given) else list(given))
    return PathBatch(in_threads(lambda pair: shortest_path(world, *pair), pairs, threads))


def ends_of(world: Grid, starts: Any, goals: Any) -> np.ndarray:
    """Return start and goal of every pair, as the numbers of their cells: an array of shape [n, 2]."""
    pairs = _paired(world, starts, goals, lambda given: states_of(world, given).tolist())
    return np.array(pairs, np.int64).reshape(-1, 2)


def _paired(world: World, starts: Any, goals: Any, taken_apart: Callable[[Any], list[Any]]) -> list[tuple[Any, Any]]:
    """Pair every start with its goal; a single place is paired with all."""
    first, last = taken_apart(starts), taken_apart(goals)
    if is_one_place(world, starts):
        first *= len(last)
    elif is_one_place(world, goals):
        last *= len(first)
    if len(first) != len(last):
        raise ProblemError(
            f"{len(first)} starts do not match {len(last)} goals; give the same number of both, or one place"
        )
    return list(zip(first, last, strict=True))


def in_threads(work: Callable[[Piece], Done], pieces: Sequence[Piece], threads: int) -> list[Done]:
    """Return the result of each piece, in order; the calling thread is one of the threads.

    Ctrl-C waits for the pieces that have begun. (A `ThreadPoolExecutor` has locks that Ctrl-C can leave locked: a test
    hung in three of about six runs. Here threads share an iterator, and nothing is locked while pieces are handed out.)
    """
    threads = whole(threads, f"threads is a whole number from 1 to {MOST_WORKERS}", most=MOST_WORKERS)
    done: dict[int, Done] = {}
    failed: list[BaseException] = []
    left = iter(range(len(pieces)))

    def take() -> None:
        for i in left:
            done[i] = work(pieces[i])

    def help_out(busy: Lock) -> None:
        try:
            take()
        except BaseException as error:
            failed.append(error)
        deque(left, maxlen=0)  # discard the remaining pieces
        busy.release()

    helpers: list[Lock] = []
    try:
        for _ in range(min(threads, len(pieces)) - 1):
            busy = allocate_lock()
            busy.acquire()
            start_new_thread(help_out, (busy,))
            helpers.append(busy)
        take()
    finally:
        deque(left, maxlen=0)
        for busy in helpers:
            busy.acquire()
    if failed:
        raise failed.pop()
    return [done[i] for i in range(len(pieces))]
