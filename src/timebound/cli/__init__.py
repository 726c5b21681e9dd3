"""The command line, one command per file.

A command is a module with `EXAMPLES` and `add_arguments(parser)`. What runs it returns the exit status: its function
`run(arguments)`, or, if it has actions, a function for each; bad input raises a TimeboundError. Only the module of the
command that is given is imported.
"""

import argparse
import importlib
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ..agents.registry import blamed
from ..core.disk import noting_written, reason
from ..core.errors import TimeboundError
from ..core.version import __version__
from . import console
from .arguments import action
from .progress import notices

COMMANDS = {
    "solve": "Run an agent from start to goal on a map.",
    "drive": "Drive a car, with inertia, along a racetrack.",
    "slide": "Slide the tiles of the 8-, 15- or 24-puzzle to where they belong.",
    "race": "Race agents on a map, with the same terrain and budget.",
    "crowd": "Move many units on a map, with one budget per tick for all of them.",
    "maps": "Read, convert, generate, draw and download maps.",
    "calibrate": "Measure how long the operations counted by the virtual clock take on this machine.",
    "build-cases": "Solve problems on a map in advance, for agents that use subgoals (knn-lrta).",
    "lab": "Run the papers' experiments, or your own, and compare them with the published results.",
    "agents": "List all agents, or show one: what it does, its paper, the terrain it supports, its parameters.",
    "warmup": "Compile agents in advance, so that their first run starts at once; or list or remove machine code.",
    "export": "Make a C library of agents, for programs without Python.",
    "advise": "Recommend an agent for a map and a budget, after a short tournament on that map.",
    "studio": "Open a page in the browser to watch and compare agents.",
    "replay": "Show a recorded trace, or convert it to a standalone page or to Posthoc's format.",
}
_NAMED = 4  # files that a message names
SOLVED, UNREACHABLE, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; bad input is one line on standard error and exit status 2, never a traceback."""
    with console.prepared() as output, noting_written() as files:
        try:
            return _status_after_output(output, _status(arguments), files)
        except SystemExit as end:  # from the parser: `--help`, or an unknown argument
            raise SystemExit(_status_after_output(output, int(end.code or 0), files)) from None


def _status(arguments: Sequence[str] | None) -> int:
    try:
        given = sys.argv[1:] if arguments is None else arguments
        parsed = parser_for(given).parse_args(given)
        with notices():
            status: int = parsed.run(parsed)
        return status
    except TimeboundError as error:
        return _complain(str(error))
    except console.LostOutputError:
        return SOLVED  # if nobody reads the rest; otherwise see below
    except OSError as error:
        return _complain(f"{error.filename or 'input or output'}: {reason(error)}")
    except MemoryError:
        return _complain("not enough memory; try a smaller map")
    except KeyboardInterrupt:
        with suppress(KeyboardInterrupt):  # pressed again
            if arguments is None:  # the process is about to end, and nothing should disturb that
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            console.say("stopped")
        return INTERRUPTED
    except Exception as error:
        line = blamed(error)
        if not line:
            raise
        return _complain(line)


def _status_after_output(output: console.Output, status: int, files: Sequence[Path]) -> int:
    """Return the status, unless printed output was lost: then say so, and which files were written all the same."""
    lost = output.lost()
    if not lost:
        return status
    left = [str(file) for file in dict.fromkeys(files) if file.exists()]
    more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    return _complain(f"{lost}; written all the same: {', '.join(left[:_NAMED])}{more}" if left else lost)


def _complain(what: str) -> int:
    console.say(what)
    return BAD_INPUT


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        """Report bad arguments like any other bad input: in one line."""
        self.exit(_complain(f"{message} (try: {self.prog} --help)"))


def parser_for(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return a parser that knows the names of all commands, and the arguments of the one that is given."""
    parser = _Parser(
        prog="timebound",
        description="Real-time heuristic search: agents that decide every move within a fixed budget.",
        epilog="Example: timebound solve harbour --start 12,100 --goal 180,14 --picture path.png",
    )
    parser.add_argument("--version", action="version", version=f"timebound {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        sub = action(commands, name, text)
        if name in arguments:
            command = importlib.import_module(f".{name.replace('-', '_')}", __name__)
            sub.epilog = command.EXAMPLES
            sub.set_defaults(run=getattr(command, "run", None))  # an action has its own
            command.add_arguments(sub)
    return parser
