"""Arguments shared by several commands: the map and its rules, the terrain, the budget, agent parameters, pictures."""

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agents.catalogue import EVERYWHERE
from ..agents.registry import look_in
from ..core.errors import ProblemError
from ..core.values import LARGEST
from ..core.wording import shown

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..maps import Map
    from ..search.budget import Budget
    from ..worlds import Grid

Parser = argparse.ArgumentParser
Arguments = argparse.Namespace
Groups = Any  # of parsers or arguments: argparse has no public names for their types

MAP_NOTE = "MAP is a MovingAI .map file, a NumPy .npy file, a ROS .yaml file, an image, or a built-in map (harbour)."
MAPS = "a map file, or the name of a built-in map"


# ------------------------------------------------------------------ adding arguments to a command


def option(
    parser: Parser | Groups, name: str, text: str, kind: Callable[[str], Any] = str, default: Any = None, **more: Any
) -> None:
    """Add an option, such as `--units N`, or a switch, such as `--json`."""
    name, _, metavar = name.partition(" ")
    if metavar:
        more["metavar"] = metavar
    if not (metavar or "choices" in more):
        parser.add_argument(name, action="store_true", help=text)
    else:
        parser.add_argument(name, type=kind, default=default, help=text, **more)


def action(
    actions: Groups, name: str, text: str, epilog: str = "", run: Callable[[Arguments], int] | None = None
) -> Parser:
    """Add a command, or an action of a command."""
    layout = argparse.RawDescriptionHelpFormatter
    parser: Parser = actions.add_parser(name, help=text, description=text, epilog=epilog, formatter_class=layout)
    if run:
        parser.set_defaults(run=run)
    return parser


def add_problem(parser: Parser, *, required: bool) -> None:
    option(parser, "--start X,Y", "x to the right, y down, from 0", position, required=required)
    option(parser, "--goal X,Y", "where to go", position, required=required)


def add_budget(parser: Parser) -> None:
    """Add the budget of an interval (one of three kinds) and the limit on intervals."""
    budget = parser.add_mutually_exclusive_group()
    option(budget, "--expansions K", "states to expand per interval (or inf)", number)
    option(budget, "--ms T", "milliseconds to plan per interval (or inf)", number)
    option(budget, "--virtual-ms T", "the same, on the repeatable virtual clock", number)
    option(parser, "--intervals N", "stop after N intervals (default: no limit)", whole(1))


def add_rules(parser: Parser, terrain: Sequence[str] = EVERYWHERE) -> None:
    option(parser, "--terrain", "what the agent knows (default: known)", default="known", choices=terrain)
    add_grid(parser)


def add_grid(parser: Parser) -> None:
    add_moves(parser, "neighbours of a cell (default: 8)", "may diagonals cut corners? (default: strict)")
    option(parser, "--diagonal C", "cost of a diagonal move (default: sqrt 2)", number)
    option(parser, "--heuristic NAME", "auto, euclidean, none, ... (default: auto)", default="auto")


def add_moves(parser: Parser, neighbors: str, corners: str) -> None:
    option(parser, "--neighbors", neighbors, int, 8, choices=(4, 8, 16))
    option(parser, "--corners", corners, default="strict", choices=("strict", "cut"))


def add_parameters(parser: Parser, whose: str) -> None:
    option(parser, "--weight W", "weight of the heuristic, for weighted agents such as wastar", number)
    option(parser, "--param NAME=VALUE", f"any parameter of {whose} (repeatable)", default=[], action="append")
    add_seed(parser, "everything random")


def add_seed(parser: Parser, whose: str) -> None:
    option(parser, "--seed N", f"seed of {whose} (default: 0)", whole(0), 0)


def add_json(parser: Parser, text: str = "one object, for programs") -> None:
    """Add the choice between text for people and JSON."""
    option(parser, "--json", text)


# ------------------------------------------------------------------ reading the arguments


def budget_of(arguments: Arguments) -> "Budget":
    """Return the budget given, or none."""
    from ..search.budget import Budget

    return Budget(arguments.expansions, arguments.ms, arguments.virtual_ms)


def limits_of(arguments: Arguments) -> dict[str, Any]:
    """Return the budget and the limit on intervals, as `Agent.run` takes them."""
    return {**vars(budget_of(arguments)), "intervals": arguments.intervals}


def world_of(arguments: Arguments, map_: "Map") -> "Grid":
    """Return the grid of a map, with the rules given."""
    from ..worlds import Grid

    rules = {"neighbors": arguments.neighbors, "corners": arguments.corners, "heuristic": arguments.heuristic}
    if arguments.diagonal is not None:
        rules["diagonal"] = arguments.diagonal
    if getattr(arguments, "mobility", None) is not None:
        return Grid.load(arguments.map, name=map_.name, mobilities={"agent": arguments.mobility}, **rules)
    return Grid(map_.passable, name=map_.name, **rules)


def add_body(parser: Parser) -> None:
    option(parser, "--size K", "the agent's body covers K x K cells (default: 1)", whole(1), 1)
    kinds = "the ground that it crosses, and the costs: letters of a MovingAI map, or grey values or tile numbers"
    option(parser, "--mobility KIND=COST,...", kinds, mobility)


def mobility(text: str) -> dict[int | str, float]:
    """Read `.=1,S=3`: kinds of ground and their costs."""
    pairs = [part.rpartition("=") for part in text.split(",")]
    try:
        return {int(kind) if len(kind) > 1 or kind.isdigit() else kind: float(cost) for kind, _, cost in pairs}
    except ValueError:
        raise ProblemError(f"--mobility takes kinds of ground with costs, such as .=1,S=3, not {shown(text)}") from None


def body_of(arguments: Arguments) -> dict[str, Any]:
    """Return the body of an agent, for `make`."""
    return {"size": arguments.size, "mobility": None if arguments.mobility is None else "agent"}


def parameters_of(arguments: Arguments) -> dict[str, Any]:
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


def finite(value: float) -> float | None:
    """Return null for infinity, which JSON lacks."""
    return value if math.isfinite(value) else None


# ------------------------------------------------------------------ pictures and animations


def check_pictures(arguments: Arguments) -> None:
    """Reject names of files in which a picture or an animation cannot be written, before any work."""
    from ..maps.drawing import format_of

    picture, film = arguments.picture, arguments.gif
    if film and film.suffix.lower() != ".gif":
        raise ProblemError(f"{film}: animations are written as .gif files only; use that suffix")
    if picture:
        format_of(picture)
        if picture == film:
            raise ProblemError(f"{film}: the picture and the animation need different files")


def draw(drawings: "Mapping[Path | None, Callable[[], Image | bytes]]") -> None:
    """Draw what has a file, and write all of it or nothing; a picture comes as an image, an animation as bytes."""
    from ..core.disk import write_files
    from ..maps.drawing import encoded

    drawn = {file: make() for file, make in drawings.items() if file}
    write_files({file: got if isinstance(got, bytes) else encoded(got, file) for file, got in drawn.items()})


def with_files(arguments: Arguments, lines: Sequence[str]) -> str:
    """Return a report, with the names of the picture and of the animation at its end."""
    files = [f"{what}: {file}" for what in ("picture", "gif") if (file := getattr(arguments, what))]
    return "\n".join([*lines, *([""] if files else []), *files])


# ------------------------------------------------------------------ parsing values


def agent(text: str) -> str:
    """Take the name of an agent. An import path may refer to a module in the current folder."""
    if ":" in text:
        look_in(str(Path.cwd()))
    return text


def agents(text: str) -> list[str]:
    """Take names of agents, with commas in between."""
    return [agent(name.strip()) for name in text.split(",") if name.strip()]


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


def whole(least: int, most: int = LARGEST) -> Callable[[str], int]:
    """Return a parser of whole numbers within limits."""

    def parse(text: str) -> int:
        try:
            parsed = int(text)
        except ValueError:
            parsed = least - 1
        if not least <= parsed <= most:
            up_to = "" if most == LARGEST else f" to {most:,}"
            raise argparse.ArgumentTypeError(f"a whole number from {least}{up_to} is needed, not {shown(text)}")
        return parsed

    return parse
