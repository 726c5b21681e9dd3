"""`timebound build-cases`: solve problems on a map in advance, for agents that use subgoals."""

import argparse
import os
import time
from pathlib import Path

from ..core.errors import CaseError
from ..core.limits import MOST_RECORDS, MOST_WORKERS
from ..subgoals.journal import journal_of
from . import INTERRUPTED, streams
from .arguments import MAP_NOTE, add_grid, add_map, count_up_to, seed, world_of
from .progress import Progress, duration

NAME = "build-cases"
HELP = "Solve problems on a map in advance, for agents that use subgoals (knn-lrta)."
EXAMPLES = f"""examples:
  timebound build-cases arena.map --records 10000
  timebound build-cases arena.map --records 80000 --coverage random --workers 8 --output arena.cases
  timebound build-cases arena.map --records 80000 --coverage random --resume

{MAP_NOTE}

An interrupted build loses nothing: --resume continues it. To use the cases in Python:
tb.make("knn-lrta", world, start, goal, cases=tb.CaseBase.load("arena.cases"))"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what to build, from which map, and the output."""
    add_map(parser)
    parser.add_argument(
        "--records",
        metavar="N",
        type=count_up_to(MOST_RECORDS),
        required=True,
        help="number of records (an upper limit with --coverage even)",
    )
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="(default: the map's name with .cases, in the current folder)"
    )
    parser.add_argument("--seed", metavar="N", type=seed, default=0, help="seed of everything random (default: 0)")
    parser.add_argument(
        "--workers", metavar="W", type=count_up_to(MOST_WORKERS), help="processes (default: one per core)"
    )
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="address of a Dask scheduler, whose workers do the work instead"
    )
    parser.add_argument(
        "--coverage",
        choices=("even", "random"),
        default="even",
        help="records between neighbouring regions, or between random cells, as in the paper (default: even)",
    )
    parser.add_argument("--resume", action="store_true", help="continue an interrupted build")
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    add_grid(parser)


def run(arguments: argparse.Namespace) -> int:
    """Build, and print the result; bad input raises."""
    from .. import maps
    from ..subgoals.cases import CaseBase

    map_ = maps.read(arguments.map)
    output = arguments.output or Path(f"{map_.name}.cases")
    if output.exists() and not (arguments.force or arguments.resume):
        raise CaseError(f"{output}: already exists; use --force to replace it")
    world, began, bars = world_of(arguments, map_), time.monotonic(), dict[str, Progress]()

    def tell(what: str, done: int, total: int) -> None:
        bars.setdefault(what, Progress(total, what)).report(done)

    try:
        base = CaseBase.build(
            world,
            arguments.records,
            seed=arguments.seed,
            coverage=arguments.coverage,
            workers=arguments.workers or os.cpu_count() or 1,
            cluster=arguments.cluster,
            output=output,
            resume=arguments.resume,
            tell=tell,
        )
    except KeyboardInterrupt:
        kept = journal_of(output)
        streams.say(
            f"stopped; finished records are kept ({kept}): use --resume to continue" if kept.exists() else "stopped"
        )
        return INTERRUPTED
    finally:
        for bar in bars.values():
            bar.clear()
    print(f"{output}: {base!r}, built in {duration(time.monotonic() - began)}")
    return 0
