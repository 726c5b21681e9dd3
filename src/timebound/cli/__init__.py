"""The command line, one command per file.

A command is a module with `NAME`, `HELP`, `EXAMPLES`, `add_arguments(parser)`, and `run(arguments)`, which returns
the exit status.
"""

import argparse
import importlib
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ..agents.registry import blamed
from ..core.disk import noting_written, reason
from ..core.errors import TimeboundError
from ..core.version import __version__
from . import streams
from .progress import notices

COMMANDS = (
    *("solve", "drive", "slide", "race", "crowd", "maps", "calibrate", "build-cases", "lab", "agents", "warmup"),
    *("advise", "studio", "replay"),
)
_NAMED = 4  # files that a message names
SOLVED, UNREACHABLE, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; bad input is one line on standard error and exit status 2, never a traceback."""
    with streams.prepared() as output, noting_written() as files:
        try:
            return _if_all_is_out(output, _status(arguments), files)
        except SystemExit as end:  # from the parser: `--help`, or an unknown argument
            raise SystemExit(_if_all_is_out(output, int(end.code or 0), files)) from None


def _status(arguments: Sequence[str] | None) -> int:
    try:
        parsed = _parser().parse_args(arguments)
        with notices():
            status: int = parsed.run(parsed)
        return status
    except TimeboundError as error:
        return _complain(str(error))
    except streams.LostOutputError:
        return SOLVED  # if nobody reads the rest; otherwise see below
    except OSError as error:
        return _complain(f"{error.filename or 'input or output'}: {reason(error)}")
    except MemoryError:
        return _complain("not enough memory; try a smaller map")
    except KeyboardInterrupt:
        with suppress(KeyboardInterrupt):  # pressed again
            if arguments is None:  # the process is about to end, and nothing should disturb that
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            streams.say("stopped")
        return INTERRUPTED
    except Exception as error:
        line = blamed(error)
        if not line:
            raise
        return _complain(line)


def _if_all_is_out(output: streams.Output, status: int, files: Sequence[Path]) -> int:
    """Return the status, unless printed output was lost: then say so, and which files were written all the same."""
    lost = output.lost()
    if not lost:
        return status
    left = [str(file) for file in dict.fromkeys(files) if file.exists()]
    more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    return _complain(f"{lost}; written all the same: {', '.join(left[:_NAMED])}{more}" if left else lost)


def _complain(what: str) -> int:
    streams.say(what)
    return BAD_INPUT


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        """Report bad arguments like any other bad input: in one line."""
        self.exit(_complain(f"{message} (try: {self.prog} --help)"))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="timebound",
        description="Real-time heuristic search: agents that decide every move within a fixed budget.",
        epilog="Example: timebound solve harbour --start 12,100 --goal 180,14 --picture path.png",
    )
    parser.add_argument("--version", action="version", version=f"timebound {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in COMMANDS:
        command = importlib.import_module(f".{name.replace('-', '_')}", __name__)
        sub = commands.add_parser(
            command.NAME,
            help=command.HELP,
            description=command.HELP,
            epilog=command.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    return parser
