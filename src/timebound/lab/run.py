"""Running the pieces of an experiment that are not done: in this process, in several, or on a cluster."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ProblemError
from .pieces import Piece, Row, check_agents, cut, run_piece
from .reading import nearest
from .spec import Experiment
from .store import Run, StoreError, machine, open_run, parquet
from .worlds import Survey, survey

_RETRIES = 2  # of a piece whose worker vanished from the cluster
_PATIENCE = 20  # seconds to wait for a scheduler

Done = tuple[int, list[Row], dict[str, Any]]
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Outcome:
    """What a call of `run` did."""

    run: Run
    done: int
    """Pieces run by this call."""
    before: int
    """Pieces that were finished before."""
    unsolved: int
    """Episodes of this call that did not reach their goal."""
    stand_ins: bool


@dataclass(frozen=True)
class Plan:
    """An experiment that can be run: its agents exist, its maps are there."""

    experiment: Experiment
    scale: str
    found: Survey
    pieces: list[Piece]


def prepare(
    experiment: Experiment, scale: str = "quick", *, maps: Path | None = None, agents: Sequence[str] | None = None
) -> Plan:
    """Refuse what cannot be run, before anything runs.

    Parameters
    ----------
    maps
        The folder of the named maps.
    agents
        Only those, by their names in the experiment.
    """
    labels = [entry.label for entry in experiment.entries]
    for label in agents or ():
        if label not in labels:
            raise ProblemError(f"{experiment.name} has no agent {label!r}; {nearest(label, labels)}")
    chosen = set(agents or labels)
    check_agents(experiment, [entry for entry in experiment.entries if entry.label in chosen])
    parquet()
    found = survey(experiment, scale, maps)
    pieces = [piece for piece in cut(experiment, found.places) if piece.configuration.label in chosen]
    return Plan(experiment, scale, found, pieces)


def run(
    plan: Plan,
    output: Path,
    *,
    workers: int = 1,
    cluster: str | None = None,
    tell: Tell = lambda done, total: None,
) -> Outcome:
    """Run what is left of an experiment; a piece is stored as soon as it is done.

    Parameters
    ----------
    workers
        Processes on this machine.
    cluster
        The address of a Dask scheduler, whose workers run the pieces instead.
    tell
        Hears how many of the pieces left are done.
    """
    stored = open_run(output, plan.experiment, plan.scale, plan.found)
    with stored.locked():
        finished = stored.tidy()
        left = [piece for piece in plan.pieces if piece.number not in finished]
        unsolved = 0
        with closing(_results(left, workers, cluster)) as results:
            for done, (number, rows, worker) in enumerate(results, 1):
                stored.write(number, rows, worker)
                unsolved += sum(not row["solved"] for row in rows)
                tell(done, len(left))
    return Outcome(stored, len(left), len(plan.pieces) - len(left), unsolved, plan.found.stand_ins)


def _results(pieces: Sequence[Piece], workers: int, cluster: str | None) -> Generator[Done, None, None]:
    if not pieces:
        return
    if cluster is not None:
        yield from _on_cluster(pieces, cluster)
    elif workers == 1:
        yield from map(_work, pieces)
    else:
        yield from _in_processes(pieces, min(workers, len(pieces)))


def _work(piece: Piece) -> Done:
    """What a worker does: the rows of a piece, and who made them."""
    return piece.number, run_piece(piece), {**machine(), "process": os.getpid()}


# ------------------------------------------------------------------ processes of this machine


def _in_processes(pieces: Sequence[Piece], workers: int) -> Iterator[Done]:
    context = multiprocessing.get_context("spawn")  # a fork would copy a process that runs threads
    pool = ProcessPoolExecutor(workers, context, _begin_worker)
    try:
        futures = [pool.submit(_work, piece) for piece in pieces]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise StoreError(
            "a worker process was ended from outside; what is done is kept: run it again to go on"
        ) from None
    finally:
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


def _begin_worker() -> None:
    """Ctrl-C is for the parent; when that is gone, so is the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: Any) -> None:
    parent.join()
    os._exit(1)


# ------------------------------------------------------------------ a cluster


def _on_cluster(pieces: Sequence[Piece], address: str) -> Iterator[Done]:
    try:
        import distributed
    except ImportError:
        missing = "a cluster needs dask.distributed; install it with: pip install 'timebound[cluster]'"
        raise StoreError(missing) from None
    try:
        client = distributed.Client(address, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise StoreError(f"no Dask scheduler answers at {address}: {' '.join(str(error).split())}") from None
    with client:
        futures = client.map(_work, pieces, pure=False, retries=_RETRIES)
        try:
            for future in distributed.as_completed(futures):
                yield future.result()
                future.release()
        except (CancelledError, distributed.KilledWorker, distributed.comm.CommClosedError) as error:
            lost = f"the cluster lost a piece ({type(error).__name__})"
            raise StoreError(f"{lost}; what is done is kept: run it again to go on") from None
