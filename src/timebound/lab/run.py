"""Run the unfinished pieces of an experiment: in this process, in several, or on a cluster."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..agents.registry import knowing_agents
from ..core.errors import ProblemError
from ..core.parallel import results
from .experiment import Configuration, Experiment
from .pieces import Piece, Row, check_agents, cut, refuse_code, run_piece, try_piece
from .preparation import Knowledge, Need, work_out
from .reading import nearest
from .store import Run, machine, opened
from .worlds import Survey, survey

Done = tuple[int, list[Row], dict[str, Any]]
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Shelf:
    """All that was prepared, by its key, as one object: Dask would take a mapping apart."""

    prepared: Mapping[str, Knowledge]


@dataclass(frozen=True)
class Outcome:
    """What a call of `run` did."""

    run: Run
    done: int
    """Number of pieces run by this call."""
    before: int
    """Number of pieces that were finished before."""
    unsolved: int
    """Number of episodes of this call that did not reach their goal."""
    stand_ins: bool


@dataclass(frozen=True)
class Plan:
    """An experiment that can be run: its agents and maps exist."""

    experiment: Experiment
    scale: str
    found: Survey
    pieces: list[Piece]


def prepare(
    experiment: Experiment,
    scale: str = "quick",
    *,
    maps: Path | None = None,
    agents: Sequence[str] | None = None,
    code: bool = True,
) -> Plan:
    """Reject an experiment that cannot run, before anything runs.

    `maps` is the folder with the named maps. `agents` are names in the experiment, by default all. Without `code`, it
    may not name functions to import, which would run code.
    """
    if not code:
        refuse_code(experiment)
    labels = [entry.label for entry in experiment.entries]
    for label in agents or ():
        if label not in labels:
            raise ProblemError(f"{experiment.name} has no agent {label!r}; {nearest(label, labels)}")
    chosen = set(agents or labels)
    check_agents(experiment, [entry for entry in experiment.entries if entry.label in chosen])
    found = survey(experiment, scale, maps)
    pieces = [piece for piece in cut(experiment, found.places) if piece.configuration.label in chosen]
    first = dict[Configuration, Piece]()
    for piece in pieces:
        first.setdefault(piece.configuration, piece)
    for piece in first.values():
        try_piece(piece)
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

    It runs in several `workers`, which are processes of this machine, or on those of a Dask scheduler, given the
    address of this `cluster`. `tell` is called with the number of remaining pieces that are done, and that of all.
    """
    with opened(output, plan.experiment, plan.scale, plan.found) as stored:
        finished = stored.tidy()
        left = [piece for piece in plan.pieces if piece.number not in finished]
        left.sort(key=lambda piece: piece.problems[0][1])  # an interrupted run has results on all maps
        needs = {need.key: need for piece in left for need in piece.needs()}
        prepared = {key: known for key in needs if (known := stored.prepared(key)) is not None}
        missing = [need for key, need in needs.items() if key not in prepared]
        unsolved, all_ = 0, len(missing) + len(left)
        with closing(results(knowing_agents(_prepare), None, missing, workers, cluster)) as finished_needs:
            for done, (key, known) in enumerate(finished_needs, 1):
                stored.keep(key, known)
                prepared[key] = known
                tell(done, all_)
        shelf = Shelf(prepared) if prepared else None
        with closing(results(knowing_agents(_work), shelf, left, workers, cluster)) as finished_pieces:
            for done, (number, rows, worker) in enumerate(finished_pieces, len(missing) + 1):
                stored.write(number, rows, worker)
                unsolved += sum(not row["solved"] for row in rows)
                tell(done, all_)
    return Outcome(stored, len(left), len(plan.pieces) - len(left), unsolved, plan.found.stand_ins)


def _prepare(common: None, need: Need) -> tuple[str, Knowledge]:
    """Prepare what the pieces need, once per map: the first work of a worker."""
    return need.key, work_out(need)


def _work(shelf: Shelf | None, piece: Piece) -> Done:
    """Run a piece in a worker; return its rows, and which worker made them."""
    return piece.number, run_piece(piece, shelf.prepared if shelf else {}), {**machine(), "process": os.getpid()}
