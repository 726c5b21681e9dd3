"""`timebound warmup`: compile ahead, so that the first run starts immediately."""

import os

from ..agents.catalogue import KINDS
from .arguments import Arguments, Parser, agent, option, whole
from .printing import aligned
from .progress import Progress

EXAMPLES = """examples:
  timebound warmup                        every agent on grids
  timebound warmup rtaa tbaa --worlds grid,graph
  timebound warmup --studio               also what the studio needs
  timebound warmup --list
  timebound warmup --clean

Worlds: grid, grid-16 (16 neighbours), graph, grid3d, tiles, racetrack, or all. Machine code is kept in your cache
folder, or in the one that TIMEBOUND_CACHE names; beyond 1 GB the least recently used is removed. A wheel with machine
code needs no warmup."""


def add_arguments(parser: Parser) -> None:
    examples = f"such as {', '.join(list(KINDS)[:3])}, or your own, module:name (default: all)"
    parser.add_argument("agents", metavar="AGENT", nargs="*", type=agent, help=examples)
    option(parser, "--worlds NAMES", "such as grid,graph, or all (default: grid)", default="grid")
    option(parser, "--workers W", "processes (default: one per core)", whole(1))
    option(parser, "--studio", "also agents with listeners, and fleets")
    instead = parser.add_mutually_exclusive_group()
    option(instead, "--list", "list what is compiled, and compile nothing")
    option(instead, "--clean", "remove all machine code, of all versions")


def run(arguments: Arguments) -> int:
    from ..applications.warmup import WORLDS, combinations, compile_all, is_compiled, studio_combinations
    from ..compiled import store

    if arguments.clean:
        print(f"{store.clean() / 1e6:.1f} MB of machine code removed")
        return 0
    worlds = list(WORLDS) if arguments.worlds == "all" else arguments.worlds.split(",")
    wanted = combinations(arguments.agents, worlds)
    if arguments.studio:
        wanted += studio_combinations(arguments.agents, worlds)
    if arguments.list:
        rows = [(*place, "compiled" if is_compiled(place) else "not compiled") for place in wanted]
        print(aligned([("agent", "world", "terrain", "use", ""), *rows], words=5))
        return 0
    compiled = 0
    with Progress(len(wanted), "compiled") as progress:
        for done, (_, functions, _) in enumerate(compile_all(wanted, arguments.workers or os.cpu_count() or 1), 1):
            compiled += functions
            progress.report(done)
    print(
        f"{len(wanted)} of {len(wanted)} ready, {compiled} functions compiled; kept in {store.folder() or 'no folder'}"
    )
    return 0
