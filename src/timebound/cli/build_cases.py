"""`timebound build-cases`: solve problems of a map beforehand, for agents that steer by subgoals."""

import argparse
import os
import time
from pathlib import Path

from ..errors import CaseError
from ..limits import MOST_RECORDS, MOST_WORKERS
from ..subgoals.journal import journal_of
from . import INTERRUPTED, streams
from .arguments import MAP_NOTE, add_grid, add_map, count_up_to, seed, world_of
from .progress import Progress, duration

NAME = "build-cases"
HELP = "Solve problems of a map beforehand, for agents that steer by subgoals (knn-lrta)."
EXAMPLES = f"""examples:
  timebound build-cases arena.map --records 10000
  timebound build-cases arena.map --records 80000 --coverage random --workers 8 --output arena.cases
  timebound build-cases arena.map --records 80000 --coverage random --resume

{MAP_NOTE}

Ctrl-C, or anything else that cuts the build off, loses nothing: --resume goes on. In Python,
tb.make("knn-lrta", world, start, goal, cases=tb.CaseBase.load("arena.cases")) uses what was built."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to build, from what, and where to."""
    add_map(parser)
    parser.add_argument(
        "--records", metavar="N", type=count_up_to(MOST_RECORDS), required=True, help="how many (at most, if even)"
    )
    parser.add_argument("--output", metavar="FILE", type=Path, help="(default: the map's name with .cases, here)")
    parser.add_argument("--seed", metavar="N", type=seed, default=0, help="for whatever is random (default: 0)")
    parser.add_argument(
        "--workers", metavar="W", type=count_up_to(MOST_WORKERS), help="processes (default: one for each core)"
    )
    parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler, whose workers build instead")
    parser.add_argument(
        "--coverage",
        choices=("even", "random"),
        default="even",
        help="records between neighbouring regions, or between random cells, as in the paper (default: even)",
    )
    parser.add_argument("--resume", action="store_true", help="go on with a build that was cut off")
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    add_grid(parser)


def run(arguments: argparse.Namespace) -> int:
    """Build, and say what came of it; bad input raises."""
    from .. import maps
    from ..subgoals.cases import CaseBase

    map_ = maps.read(arguments.map)
    output = arguments.output or Path(f"{map_.name}.cases")
    if output.exists() and not (arguments.force or arguments.resume):
        raise CaseError(f"{output}: exists already; give --force to replace it")
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
        streams.say(f"stopped; what is done is kept: give --resume to go on ({kept})" if kept.exists() else "stopped")
        return INTERRUPTED
    finally:
        for bar in bars.values():
            bar.clear()
    print(f"{output}: {base!r}, built in {duration(time.monotonic() - began)}")
    return 0
