"""`timebound slide`: solve a sliding-tile puzzle."""

import argparse
import math
from pathlib import Path

from ..core.errors import ProblemError
from ..core.wording import shown
from . import arguments as shared
from .printing import tell

EXAMPLES = """examples:
  timebound slide "1 4 2 3 0 5 6 7 8" --agent astar
  timebound slide "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3" --weight 3 --expansions 64
  timebound slide korf100.txt:17 --agent lss-lrtwa --expansions 128 --json

PUZZLE lists the tiles row by row, 0 for the blank; or it is FILE:N, line N of a file with one puzzle per line.
Exit status: 0 solved; 1 the agent did not reach its goal; 2 bad input."""


def add_arguments(parser: shared.Parser) -> None:
    parser.add_argument("puzzle", metavar="PUZZLE", help="the tiles row by row, 0 for the blank; or FILE:N")
    shared.option(parser, "--goal TILES", "(default: 0 1 2 3 ...)")
    names = ("manhattan", "linear-conflict")
    shared.option(parser, "--heuristic", "(default: manhattan)", default="manhattan", choices=names)
    shared.option(parser, "--agent NAME", "(default: tb-wastar)", shared.agent, "tb-wastar")
    shared.add_budget(parser)
    shared.add_parameters(parser, "the agent")
    shared.add_json(parser)


def run(arguments: shared.Arguments) -> int:
    from ..agents import make
    from ..worlds import Tiles

    limits, parameters = shared.limits_of(arguments), shared.parameters_of(arguments)
    start = _from_file(arguments.puzzle) if ":" in arguments.puzzle else _tiles(arguments.puzzle)
    goal = _tiles(arguments.goal) if arguments.goal else tuple(range(len(start)))
    side = math.isqrt(len(start))
    if side * side != len(start):
        raise ProblemError(f"{len(start)} tiles do not form a square; give 9, 16 or 25, including the blank")
    agent = make(arguments.agent, Tiles(side, heuristic=arguments.heuristic), start, goal, **parameters)
    return tell(arguments, agent.run(**limits), {})


def _tiles(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in text.replace(",", " ").split())
    except ValueError:
        raise ProblemError(f"a puzzle is a list of whole numbers, or FILE:N, not {shown(text)}") from None


def _from_file(text: str) -> tuple[int, ...]:
    from ..worlds import Tiles

    file, _, number = text.rpartition(":")
    found = Tiles.read(Path(file))
    try:
        return found[shared.whole(1, len(found))(number) - 1]
    except argparse.ArgumentTypeError:
        raise ProblemError(f"{file} has puzzles 1 to {len(found)}, not {shown(number)}") from None
