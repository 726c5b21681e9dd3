"""The lab: its overhead over bare episodes, and the gain from a second core."""

import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from timebound.agents import make
from timebound.lab.pieces import Piece, kind_of
from timebound.lab.run import Plan, prepare, run
from timebound.lab.spec import load
from timebound.lab.worlds import open_problems, open_world

from .options import Options
from .table import table

_EXPERIMENT = "tbaa-table-2"
_FASTEST = ["tbaa", "dstar-lite"]  # the lab's own work weighs most on their episodes
_MORE = [*_FASTEST, "adaptive-astar", "rtba"]  # enough to make starting processes negligible


@dataclass(frozen=True)
class Overhead:
    """Processor seconds for the same episodes, without and with the lab."""

    experiment: str
    episodes: int
    bare_s: float
    lab_s: float
    ratio: float

    headers = ("experiment", "episodes", "bare, s", "in the lab, s", "lab / bare")


@dataclass(frozen=True)
class Cores:
    """Wall-clock seconds for the same pieces, with this number of processes."""

    workers: int
    seconds: float
    speedup: float

    headers = ("processes", "seconds", "speedup over one")


def run_bench(options: Options) -> dict[str, list]:
    """Print both tables."""
    experiment = load(_EXPERIMENT)
    folder = options.data / "maps" if options.data else None
    fast, more = (prepare(experiment, "quick", maps=folder, agents=agents) for agents in (_FASTEST, _MORE))
    rounds = 1 if options.quick else 5
    overhead = [_overhead(fast, rounds)]
    print(table(Overhead.headers, [tuple(vars(row).values()) for row in overhead]), flush=True)
    cores = _cores(more, rounds)
    print()
    print(table(Cores.headers, [tuple(vars(row).values()) for row in cores]), flush=True)
    return {"overhead": overhead, "cores": cores}


def _overhead(plan: Plan, rounds: int) -> Overhead:
    episodes = sum(_bare(piece) for piece in plan.pieces)  # compiles, and opens the worlds for both
    bare, inside = [], []
    for _ in range(rounds):
        began = time.process_time()
        for piece in plan.pieces:
            _bare(piece)
        bare.append(time.process_time() - began)
        with tempfile.TemporaryDirectory() as folder:
            began = time.process_time()
            run(plan, Path(folder))
            inside.append(time.process_time() - began)
    ratio = median(one / other for one, other in zip(inside, bare, strict=True))
    return Overhead(plan.experiment.name, episodes, median(bare), median(inside), ratio)


def _bare(piece: Piece) -> int:
    """Run the episodes of a piece, and nothing else."""
    one = piece.configuration
    budget = {} if math.isinf(one.budget) else {one.unit: one.budget}
    kind = kind_of(one.agent, piece.folder)
    for n, (place, problem) in enumerate(piece.problems):
        world, pair = open_world(piece.places[place], one.grid), open_problems(piece.places[place])[problem]
        make(kind, world, *pair, terrain=piece.terrain, seed=piece.first + n, **dict(one.parameters)).run(**budget)
    return len(piece.problems)


def _cores(plan: Plan, rounds: int) -> list[Cores]:
    """Run with one process and with two, in turns; starting them counts."""
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for workers, times in seconds.items():
            with tempfile.TemporaryDirectory() as folder:
                began = time.perf_counter()
                run(plan, Path(folder), workers=workers)
                times.append(time.perf_counter() - began)
    return [Cores(workers, median(times), median(seconds[1]) / median(times)) for workers, times in seconds.items()]
