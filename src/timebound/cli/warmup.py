"""`timebound warmup`: compile ahead, so that the first run starts immediately."""

import argparse
import os

from ..agents.catalogue import KINDS
from .arguments import agents, count
from .progress import Progress
from .table import aligned

NAME = "warmup"
HELP = "Compile agents ahead, so that their first run starts immediately; or list or remove what is compiled."
EXAMPLES = """examples:
  timebound warmup                        every agent on grids
  timebound warmup rtaa tbaa --worlds grid,graph
  timebound warmup --studio               also what the studio needs
  timebound warmup --list
  timebound warmup --clean

Worlds: grid, grid-16 (16 neighbours), graph, grid3d, tiles, racetrack, or all. Machine code is kept in your cache
folder, or in the one that TIMEBOUND_CACHE names; beyond 1 GB the least recently used is removed. A wheel with machine
code needs no warmup."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the agents and worlds."""
    examples = f"such as {', '.join(list(KINDS)[:3])}, or your own, module:name (default: all)"
    parser.add_argument("agents", metavar="AGENT", nargs="*", type=agents, help=examples)
    parser.add_argument("--worlds", metavar="NAMES", default="grid", help="such as grid,graph, or all (default: grid)")
    parser.add_argument("--workers", metavar="W", type=count, help="processes (default: one per core)")
    parser.add_argument("--studio", action="store_true", help="also agents with listeners, and fleets")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--list", action="store_true", help="list what is compiled, and compile nothing")
    instead.add_argument("--clean", action="store_true", help="remove all machine code, of all versions")


def run(arguments: argparse.Namespace) -> int:
    """Compile, or list."""
    from ..applications.warmup import WORLDS, compile_all, is_compiled, places, studio_places
    from ..compiled import store

    if arguments.clean:
        print(f"{store.clean() / 1e6:.1f} MB of machine code removed")
        return 0
    worlds = list(WORLDS) if arguments.worlds == "all" else arguments.worlds.split(",")
    wanted = places(arguments.agents, worlds)
    if arguments.studio:
        wanted += studio_places(arguments.agents, worlds)
    if arguments.list:
        rows = [(*place, "compiled" if is_compiled(place) else "not compiled") for place in wanted]
        print(aligned([("agent", "world", "terrain", "use", ""), *rows], words=5))
        return 0
    progress, compiled = Progress(len(wanted), "compiled"), 0
    try:
        for done, (_, functions, _) in enumerate(compile_all(wanted, arguments.workers or os.cpu_count() or 1), 1):
            compiled += functions
            progress.report(done)
    finally:
        progress.clear()
    print(
        f"{len(wanted)} of {len(wanted)} ready, {compiled} functions compiled; kept in {store.folder() or 'no folder'}"
    )
    return 0
