"""`timebound build-cases`: solve problems on a map in advance, for agents that use subgoals."""

import os
import time
from pathlib import Path

from .. import maps
from ..core.errors import CaseError
from ..core.limits import MOST_RECORDS, MOST_WORKERS
from ..subgoals.journal import journal_of
from . import INTERRUPTED, console
from .arguments import MAP_NOTE, MAPS, Arguments, Parser, add_grid, add_seed, option, whole, world_of
from .progress import Progress, duration

EXAMPLES = f"""examples:
  timebound build-cases arena.map --records 10000
  timebound build-cases arena.map --records 80000 --coverage random --workers 8 --output arena.cases
  timebound build-cases arena.map --records 80000 --coverage random --resume

{MAP_NOTE}

An interrupted build loses nothing: --resume continues it. To use the cases in Python:
tb.make("knn-lrta", world, start, goal, cases=tb.CaseBase.load("arena.cases"))"""


def add_arguments(parser: Parser) -> None:
    parser.add_argument("map", metavar="MAP", help=MAPS)
    most = "number of records (an upper limit with --coverage even)"
    option(parser, "--records N", most, whole(1, MOST_RECORDS), required=True)
    option(parser, "--output FILE", "(default: the map's name with .cases, in the current folder)", Path)
    add_seed(parser, "everything random")
    option(parser, "--workers W", "processes (default: one per core)", whole(1, MOST_WORKERS))
    option(parser, "--cluster ADDRESS", "address of a Dask scheduler, whose workers do the work instead")
    where = "records between neighbouring regions, or between random cells, as in the paper (default: even)"
    option(parser, "--coverage", where, default="even", choices=("even", "random"))
    option(parser, "--resume", "continue an interrupted build")
    option(parser, "--force", "replace the file if it exists")
    add_grid(parser)


def run(arguments: Arguments) -> int:
    from ..subgoals.cases import CaseBase

    map_ = maps.read(arguments.map)
    output = arguments.output or Path(f"{map_.name}.cases")
    if output.exists() and not (arguments.force or arguments.resume):
        raise CaseError(f"{output}: already exists; use --force to replace it")
    world, began = world_of(arguments, map_), time.monotonic()
    try:
        with Progress() as progress:
            base = CaseBase.build(
                world,
                **{name: getattr(arguments, name) for name in ("records", "seed", "coverage", "cluster", "resume")},
                workers=arguments.workers or os.cpu_count() or 1,
                output=output,
                tell=progress.tell,
            )
    except KeyboardInterrupt:
        kept = journal_of(output)
        more = f"; finished records are kept ({kept}): use --resume to continue" if kept.exists() else ""
        console.say(f"stopped{more}")
        return INTERRUPTED
    print(f"{output}: {base!r}, built in {duration(time.monotonic() - began)}")
    return 0
