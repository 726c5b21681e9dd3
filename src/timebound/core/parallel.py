"""Work in pieces: in this process, in several, or on a cluster. Results arrive piece by piece, in any order."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from .errors import TimeboundError

_RETRIES = 2  # for a piece whose worker vanished from the cluster
_PATIENCE = 20  # seconds to wait for a scheduler

Piece = TypeVar("Piece")
Done = TypeVar("Done")
Work = Callable[[Any, Piece], Done]


class WorkerError(TimeboundError):
    """Work that was lost because its process or machine was lost."""


def results(
    work: Work[Piece, Done], common: Any, pieces: Sequence[Piece], workers: int, cluster: str | None
) -> Generator[Done, None, None]:
    """Yield `work(common, piece)` for every piece, as each is done.

    Parameters
    ----------
    work
        A function at the top level of a module: other processes find it by name.
    common
        What all pieces need. It is sent to each process once.
    workers
        Processes on this machine; 1 means this process.
    cluster
        The address of a Dask scheduler, whose workers do the work instead.
    """
    if not pieces:
        return
    if cluster is not None:
        yield from _on_cluster(work, common, pieces, cluster)
    elif workers == 1:
        yield from (work(common, piece) for piece in pieces)
    else:
        yield from _in_processes(work, common, pieces, min(workers, len(pieces)))


# ------------------------------------------------------------------ processes on this machine

_common: Any = None  # in a worker: what all pieces need


def _in_processes(work: Work[Piece, Done], common: Any, pieces: Sequence[Piece], workers: int) -> Iterator[Done]:
    context = multiprocessing.get_context("spawn")  # a fork would copy a process that runs threads
    pool = ProcessPoolExecutor(workers, context, _begin_worker, (common,))
    try:
        futures = [pool.submit(_work, work, piece) for piece in pieces]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise WorkerError(
            "a worker process was killed; finished work is kept: run the command again to resume"
        ) from None
    finally:
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


def _work(work: Work[Piece, Done], piece: Piece) -> Done:
    return work(_common, piece)


def _begin_worker(common: Any) -> None:
    """Leave Ctrl-C to the parent; end the worker when the parent is gone."""
    global _common
    _common = common
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: Any) -> None:
    parent.join()
    os._exit(1)


# ------------------------------------------------------------------ a cluster


def _on_cluster(work: Work[Piece, Done], common: Any, pieces: Sequence[Piece], address: str) -> Iterator[Done]:
    try:
        import distributed
    except ImportError:
        raise WorkerError("a cluster needs dask.distributed; install it with: pip install distributed") from None
    try:
        client = distributed.Client(address, timeout=_PATIENCE)
    except Exception as error:  # Dask may raise anything for a bad address
        why = str(error) or type(error).__name__
        raise WorkerError(f"no Dask scheduler answers at {address}: {why}") from None
    with client:
        shared = client.scatter(common, broadcast=True, hash=False) if common is not None else None
        futures = client.map(work, [shared] * len(pieces), pieces, pure=False, retries=_RETRIES)
        try:
            for future in distributed.as_completed(futures):
                yield future.result()
                future.release()
        except (CancelledError, distributed.KilledWorker, distributed.comm.CommClosedError) as error:
            lost = f"the cluster lost a piece ({type(error).__name__})"
            raise WorkerError(f"{lost}; finished work is kept: run the command again to resume") from None
