"""Run the unfinished pieces of an experiment, in this process, in several, or on a cluster; or estimate the time."""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from ..agents.registry import knowing_agents
from ..core.errors import ProblemError
from ..core.parallel import results
from ..core.wording import nearest
from .experiment import Configuration, Experiment
from .pieces import Piece, Row, check_agents, cut, refuse_code, run_piece, try_piece
from .preparation import Knowledge, Need, work_out
from .store import Run, machine, opened
from .worlds import Survey, survey

Done = tuple[int, list[Row], dict[str, Any]]
Tell = Callable[[int, int], None]

# Of estimates.
_FEWEST, _MOST = 3, 12  # problems tried per configuration
_GOLDEN = (math.sqrt(5) - 1) / 2  # the fractions of its multiples are spread evenly
_ENOUGH = 60.0  # seconds after which the fewest are enough
_SHARE = 20  # one in this many records of a random case base is made


@dataclass(frozen=True)
class Shelf:
    """All that was prepared, by its key, as one object: Dask would take a mapping apart."""

    prepared: Mapping[str, Knowledge]


@dataclass(frozen=True)
class Outcome:
    """What a call of `run` did."""

    run: Run
    done: int  # number of pieces run by this call
    before: int  # number of pieces that were finished before
    unsolved: int  # number of episodes of this call that did not reach their goal
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


# ------------------------------------------------------------------ how long would it take?


class Estimate(NamedTuple):
    """The estimated time of an experiment, in seconds of one processor."""

    pieces: int
    episodes: int
    preparing: float
    running: dict[str, float]  # by agent

    @property
    def seconds(self) -> float:
        """The total."""
        return self.preparing + sum(self.running.values())


def estimate(plan: Plan) -> Estimate:
    """Try an experiment. The times of a few problems give the order of magnitude, not more: some take far longer."""
    of_each: dict[object, list[Piece]] = {}
    for piece in plan.pieces:
        of_each.setdefault(piece.configuration, []).append(piece)
    some = {configuration: _some(pieces) for configuration, pieces in of_each.items()}
    prepared, preparing = _prepare_some([piece for tried in some.values() for piece in tried[:_FEWEST]], plan.pieces)
    running: dict[str, float] = {}
    for configuration, seconds in _times(some, prepared).items():
        label = some[configuration][0].configuration.label
        episodes = sum(len(piece.problems) for piece in of_each[configuration])
        running[label] = running.get(label, 0.0) + sum(seconds) / len(seconds) * episodes
    return Estimate(len(plan.pieces), sum(len(piece.problems) for piece in plan.pieces), preparing, running)


def _some(pieces: Sequence[Piece]) -> list[Piece]:
    """Return a few pieces of one problem each: the first, the last, the middle one, then others in between."""
    single = [(piece, number) for piece in pieces for number in range(len(piece.problems))]
    shares = (0, 1, 0.5, *(n * _GOLDEN % 1 for n in range(1, _MOST)))
    places = [*dict.fromkeys(round(share * (len(single) - 1)) for share in shares)][:_MOST]
    return [
        replace(piece, first=piece.first + number, problems=(piece.problems[number],))
        for piece, number in (single[place] for place in places)
    ]


def _times(some: Mapping[object, Sequence[Piece]], prepared: dict[str, Knowledge]) -> dict[object, list[float]]:
    """Return the times of some pieces: the fewest, and more as long as that does not take long."""
    times: dict[object, list[float]] = {configuration: [] for configuration in some}
    for turn in range(_MOST):
        if turn >= _FEWEST and sum(map(sum, times.values())) >= _ENOUGH:
            break
        for configuration, pieces in some.items():
            if turn < len(pieces) and all(need.key in prepared for need in pieces[turn].needs()):
                began = process_time()
                run_piece(pieces[turn], prepared)
                times[configuration].append(process_time() - began)
    return times


def _prepare_some(tried: Sequence[Piece], pieces: Sequence[Piece]) -> tuple[dict[str, Knowledge], float]:
    """Prepare what the tried pieces need; return it, and the time for everything.

    Of random case bases only a small share is made, and their time is multiplied.
    """
    prepared: dict[str, Knowledge] = {}
    times: dict[object, list[float]] = {}
    for need in (need for piece in tried for need in piece.needs()):
        if need.key not in prepared:
            what, share = dict(need.what), 1
            if what.get("coverage") == "random":
                what["records"], share = max(1, what["records"] // _SHARE), _SHARE
            began = process_time()
            prepared[need.key] = work_out(replace(need, what=tuple(what.items())))
            times.setdefault(need.what, []).append((process_time() - began) * share)
    all_needs = {need.key: need.what for piece in pieces for need in piece.needs()}
    return prepared, sum(sum(times[what]) / len(times[what]) for what in all_needs.values())
