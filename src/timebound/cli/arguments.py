"""Arguments that several commands share: the map and its rules, the terrain, the budget, parameters of agents."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agents.registry import look_in
from ..errors import ProblemError
from ..values import LARGEST
from ..wording import shown

if TYPE_CHECKING:
    from ..budget import Budget
    from ..maps import Map
    from ..worlds import Grid

MAP_NOTE = "MAP is a MovingAI .map file, a NumPy .npy file, a ROS .yaml file, an image, or a built-in map (harbour)."


# ------------------------------------------------------------------ what a command takes


def add_map(parser: argparse.ArgumentParser) -> None:
    """The map, the first argument."""
    parser.add_argument("map", metavar="MAP", help="a map file, or the name of a built-in map")


def add_problem(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Start and goal."""
    parser.add_argument(
        "--start", metavar="X,Y", required=required, type=position, help="x to the right, y down, from 0"
    )
    parser.add_argument("--goal", metavar="X,Y", required=required, type=position, help="where to go")


def add_budget(parser: argparse.ArgumentParser) -> None:
    """What one interval may spend, one of three, and how many there may be."""
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--expansions", metavar="K", type=number, help="states to expand per interval (or inf)")
    budget.add_argument("--ms", metavar="T", type=number, help="milliseconds to plan per interval (or inf)")
    budget.add_argument("--virtual-ms", metavar="T", type=number, help="the same on the repeatable virtual clock")
    parser.add_argument("--intervals", metavar="N", type=count, help="stop after so many (default: no limit)")


def add_rules(parser: argparse.ArgumentParser) -> None:
    """The terrain, and the rules of the grid."""
    parser.add_argument("--terrain", choices=("known", "unknown", "partial"), default="known", help="(default: known)")
    add_grid(parser)


def add_grid(parser: argparse.ArgumentParser) -> None:
    """The rules of the grid."""
    parser.add_argument("--neighbors", type=int, choices=(4, 8, 16), default=8, help="of a cell (default: 8)")
    parser.add_argument(
        "--corners", choices=("strict", "cut"), default="strict", help="may diagonals cut corners? (default: strict)"
    )
    parser.add_argument("--diagonal", metavar="C", type=number, help="cost of a diagonal move (default: sqrt 2)")
    parser.add_argument(
        "--heuristic", metavar="NAME", default="auto", help="auto, euclidean, none, ... (default: auto)"
    )


def add_parameters(parser: argparse.ArgumentParser, whose: str) -> None:
    """The parameters of agents, and the seed."""
    parser.add_argument("--weight", metavar="W", type=number, help="of the heuristic, for wastar")
    parser.add_argument(
        "--param", metavar="NAME=VALUE", action="append", default=[], help=f"any parameter of {whose} (repeatable)"
    )
    parser.add_argument("--seed", metavar="N", type=seed, default=0, help="for whatever is random (default: 0)")


# ------------------------------------------------------------------ what a command makes of them


def budget_of(arguments: argparse.Namespace) -> "Budget":
    """The budget given, or none."""
    from ..budget import Budget

    return Budget(arguments.expansions, arguments.ms, arguments.virtual_ms)


def world_of(arguments: argparse.Namespace, map_: "Map") -> "Grid":
    """The grid of a map, with the rules given."""
    from ..worlds import Grid

    rules = {"neighbors": arguments.neighbors, "corners": arguments.corners, "heuristic": arguments.heuristic}
    if arguments.diagonal is not None:
        rules["diagonal"] = arguments.diagonal
    return Grid(map_.passable, name=map_.name, **rules)


def parameters_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """`--weight` and all `--param`; a value is a number, true, false, or else a word."""
    parameters = {} if arguments.weight is None else {"weight": arguments.weight}
    for text in arguments.param:
        name, equals, given = text.partition("=")
        if not equals:
            raise ProblemError(f"--param takes NAME=VALUE, not {shown(text)}")
        if name in parameters:
            raise ProblemError(f"parameter {shown(name)} is given twice")
        parameters[name] = value(given)
    return parameters


# ------------------------------------------------------------------ words to values


def agents(text: str) -> str:
    """Names of agents. The modules of import paths may be in the folder where the command runs."""
    if ":" in text:
        look_in(str(Path.cwd()))
    return text


def value(text: str) -> Any:
    """True, false, a number, or else the word itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return number(text)
    except argparse.ArgumentTypeError:
        return text


def position(text: str) -> tuple[int, int]:
    """X,Y as two whole numbers."""
    try:
        x, y = (int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"a position is two whole numbers X,Y, not {shown(text)}") from None
    return x, y


def number(text: str) -> float:
    """A number, `inf` included; a whole one becomes an int."""
    try:
        parsed = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{shown(text)} is not a number") from None
    return int(parsed) if parsed.is_integer() else parsed


def whole_number(text: str, least: int, most: int = LARGEST) -> int:
    """A whole number from the least to the most."""
    try:
        parsed = int(text)
    except ValueError:
        parsed = least - 1
    if not least <= parsed <= most:
        up_to = "" if most == LARGEST else f" to {most:,}"
        raise argparse.ArgumentTypeError(f"a whole number from {least}{up_to} is needed, not {shown(text)}")
    return parsed


def seed(text: str) -> int:
    """A whole number from 0."""
    return whole_number(text, 0)


def count(text: str) -> int:
    """A whole number from 1."""
    return whole_number(text, 1)


def count_up_to(most: int) -> Callable[[str], int]:
    """Whole numbers from 1 to the most."""
    return lambda text: whole_number(text, 1, most)
