"""Arguments shared by several commands: the map and its rules, the terrain, the budget, agent parameters."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agents.catalogue import EVERYWHERE
from ..agents.registry import look_in
from ..core.errors import ProblemError
from ..core.values import LARGEST
from ..core.wording import shown

if TYPE_CHECKING:
    from ..maps import Map
    from ..search.budget import Budget
    from ..worlds import Grid

MAP_NOTE = "MAP is a MovingAI .map file, a NumPy .npy file, a ROS .yaml file, an image, or a built-in map (harbour)."


# ------------------------------------------------------------------ adding arguments to a command


def add_map(parser: argparse.ArgumentParser) -> None:
    """Add the map, the first argument."""
    parser.add_argument("map", metavar="MAP", help="a map file, or the name of a built-in map")


def add_problem(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Add start and goal."""
    parser.add_argument(
        "--start", metavar="X,Y", required=required, type=position, help="x to the right, y down, from 0"
    )
    parser.add_argument("--goal", metavar="X,Y", required=required, type=position, help="where to go")


def add_budget(parser: argparse.ArgumentParser) -> None:
    """Add the budget of an interval (one of three kinds) and the limit on intervals."""
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--expansions", metavar="K", type=number, help="states to expand per interval (or inf)")
    budget.add_argument("--ms", metavar="T", type=number, help="milliseconds to plan per interval (or inf)")
    budget.add_argument("--virtual-ms", metavar="T", type=number, help="the same, on the repeatable virtual clock")
    parser.add_argument("--intervals", metavar="N", type=count, help="stop after N intervals (default: no limit)")


def add_rules(parser: argparse.ArgumentParser, terrain: Sequence[str] = EVERYWHERE) -> None:
    """Add the terrain and the rules of the grid."""
    parser.add_argument("--terrain", choices=terrain, default="known", help="what the agent knows (default: known)")
    add_grid(parser)


def add_grid(parser: argparse.ArgumentParser) -> None:
    """Add the rules of the grid."""
    parser.add_argument("--neighbors", type=int, choices=(4, 8, 16), default=8, help="neighbors of a cell (default: 8)")
    parser.add_argument(
        "--corners", choices=("strict", "cut"), default="strict", help="may diagonals cut corners? (default: strict)"
    )
    parser.add_argument("--diagonal", metavar="C", type=number, help="cost of a diagonal move (default: sqrt 2)")
    parser.add_argument(
        "--heuristic", metavar="NAME", default="auto", help="auto, euclidean, none, ... (default: auto)"
    )


def add_parameters(parser: argparse.ArgumentParser, whose: str) -> None:
    """Add agent parameters and the seed."""
    parser.add_argument(
        "--weight", metavar="W", type=number, help="weight of the heuristic, for weighted agents such as wastar"
    )
    parser.add_argument(
        "--param", metavar="NAME=VALUE", action="append", default=[], help=f"any parameter of {whose} (repeatable)"
    )
    parser.add_argument("--seed", metavar="N", type=seed, default=0, help="seed of everything random (default: 0)")


# ------------------------------------------------------------------ reading the arguments


def budget_of(arguments: argparse.Namespace) -> "Budget":
    """Return the budget given, or none."""
    from ..search.budget import Budget

    return Budget(arguments.expansions, arguments.ms, arguments.virtual_ms)


def world_of(arguments: argparse.Namespace, map_: "Map") -> "Grid":
    """Return the grid of a map, with the rules given."""
    from ..worlds import Grid

    rules = {"neighbors": arguments.neighbors, "corners": arguments.corners, "heuristic": arguments.heuristic}
    if arguments.diagonal is not None:
        rules["diagonal"] = arguments.diagonal
    return Grid(map_.passable, name=map_.name, **rules)


def parameters_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Read `--weight` and every `--param`; a value is a number, true, false, or else a string."""
    parameters = {} if arguments.weight is None else {"weight": arguments.weight}
    for text in arguments.param:
        name, equals, given = text.partition("=")
        if not equals:
            raise ProblemError(f"--param takes NAME=VALUE, not {shown(text)}")
        if name in parameters:
            raise ProblemError(f"parameter {shown(name)} is given twice")
        parameters[name] = value(given)
    return parameters


def check_pictures(picture: Path | None, film: Path | None) -> None:
    """Refuse names of files in which a picture or a film cannot be written, before any work."""
    from ..maps.picture import format_of

    if film and film.suffix.lower() != ".gif":
        raise ProblemError(f"{film}: films are written as .gif files only; use that suffix")
    if picture:
        format_of(picture)
        if picture == film:
            raise ProblemError(f"{film}: the picture and the film need different files")


# ------------------------------------------------------------------ parsing values


def agents(text: str) -> str:
    """Check names of agents. Import paths may refer to modules in the current folder."""
    if ":" in text:
        look_in(str(Path.cwd()))
    return text


def value(text: str) -> Any:
    """Parse true, false or a number; keep anything else as a string."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return number(text)
    except argparse.ArgumentTypeError:
        return text


def position(text: str) -> tuple[int, int]:
    """Parse X,Y as two whole numbers."""
    try:
        x, y = (int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"a position is two whole numbers X,Y, not {shown(text)}") from None
    return x, y


def number(text: str) -> float:
    """Parse a number, `inf` included; a whole number becomes an int."""
    try:
        parsed = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a number") from None
    return int(parsed) if parsed.is_integer() else parsed


def whole_number(text: str, least: int, most: int = LARGEST) -> int:
    """Parse a whole number within limits."""
    try:
        parsed = int(text)
    except ValueError:
        parsed = least - 1
    if not least <= parsed <= most:
        up_to = "" if most == LARGEST else f" to {most:,}"
        raise argparse.ArgumentTypeError(f"a whole number from {least}{up_to} is needed, not {shown(text)}")
    return parsed


def seed(text: str) -> int:
    """Parse a whole number, 0 or more."""
    return whole_number(text, 0)


def count(text: str) -> int:
    """Parse a whole number, 1 or more."""
    return whole_number(text, 1)


def count_up_to(most: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from 1 to `most`."""
    return lambda text: whole_number(text, 1, most)
