"""`timebound solve`: take one agent from start to goal on a map."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ProblemError
from .progress import patience

if TYPE_CHECKING:
    from ..episode import Episode

NAME = "solve"
HELP = "Take an agent from start to goal on a map."
EXAMPLES = """examples:
  timebound solve harbour --start 12,100 --goal 180,14
  timebound solve arena.map --start 1,11 --goal 40,30 --agent wastar --weight 2 --json
  timebound solve harbour --start 12,100 --goal 180,14 --agent astar --expansions 100 --picture path.png

MAP is a MovingAI .map file, a NumPy .npy file, a ROS .yaml file, an image, or the name of a built-in map (harbour).
Exit status: 0 solved; 1 proved that the goal cannot be reached; 2 bad input."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the contract."""
    parser.add_argument("map", metavar="MAP", help="a map file, or the name of a built-in map")
    parser.add_argument("--start", metavar="X,Y", required=True, type=_position, help="x to the right, y down, from 0")
    parser.add_argument("--goal", metavar="X,Y", required=True, type=_position, help="where to go")
    parser.add_argument("--agent", metavar="NAME", default="astar", help="astar, wastar or gbfs (default: astar)")
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--expansions", metavar="K", type=_number, help="states to expand per interval (or inf)")
    budget.add_argument("--ms", metavar="T", type=_number, help="milliseconds to plan per interval (or inf)")
    budget.add_argument("--virtual-ms", metavar="T", type=_number, help="the same on the repeatable virtual clock")
    parser.add_argument("--terrain", choices=("known", "unknown", "partial"), default="known", help="(default: known)")
    parser.add_argument("--neighbors", type=int, choices=(4, 8, 16), default=8, help="of a cell (default: 8)")
    parser.add_argument(
        "--corners", choices=("strict", "cut"), default="strict", help="may diagonals cut corners? (default: strict)"
    )
    parser.add_argument("--diagonal", metavar="C", type=_number, help="cost of a diagonal move (default: sqrt 2)")
    parser.add_argument(
        "--heuristic", metavar="NAME", default="auto", help="auto, euclidean, none, ... (default: auto)"
    )
    parser.add_argument("--weight", metavar="W", type=_number, help="of the heuristic, for wastar")
    parser.add_argument(
        "--param", metavar="NAME=VALUE", action="append", default=[], help="any parameter of the agent (repeatable)"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="for whatever is random (default: 0)")
    parser.add_argument("--json", action="store_true", help="one object, for programs")
    parser.add_argument("--picture", metavar="FILE", type=Path, help="draw the path and the states reached")


def run(arguments: argparse.Namespace) -> int:
    """Solve, draw, print."""
    from ..agents import run as run_agent
    from ..budget import Budget
    from ..maps import picture, read, save_picture
    from ..worlds import Grid

    if arguments.terrain != "known":
        raise ProblemError(f"agent {arguments.agent!r} takes known terrain only, not {arguments.terrain}")
    budget = Budget(arguments.expansions, arguments.ms, arguments.virtual_ms)
    weight = _parameters(arguments).get("weight")
    loaded = read(arguments.map)
    rules = {"neighbors": arguments.neighbors, "corners": arguments.corners, "heuristic": arguments.heuristic}
    if arguments.diagonal is not None:
        rules["diagonal"] = arguments.diagonal
    world = Grid(loaded.passable, name=loaded.name, **rules)
    with patience():
        episode, search = run_agent(arguments.agent, world, arguments.start, arguments.goal, budget, weight)
    if arguments.picture:
        reached = search.reached().reshape(world.shape)
        image = picture(loaded, expanded=reached, path=episode.path, start=arguments.start, goal=arguments.goal)
        save_picture(image, arguments.picture)
    print(json.dumps(episode.as_json()) if arguments.json else _table(episode, arguments.picture))
    return 0 if episode.solved else 1


def _parameters(arguments: argparse.Namespace) -> dict[str, float]:
    """`--weight` and all `--param`, as numbers."""
    parameters = {} if arguments.weight is None else {"weight": arguments.weight}
    for text in arguments.param:
        name, equals, value = text.partition("=")
        if not equals:
            raise ProblemError(f"--param takes NAME=VALUE, not {text!r}")
        if name != "weight":
            raise ProblemError(f"agent {arguments.agent!r} has no parameter {name!r}; parameters: weight (of wastar)")
        if name in parameters:
            raise ProblemError(f"parameter {name!r} is given twice")
        try:
            parameters[name] = float(value)
        except ValueError:
            raise ProblemError(f"parameter {name!r} is a number, not {value!r}") from None
    return parameters


def _table(episode: "Episode", drawn: Path | None) -> str:
    """The figures that a person wants to see first."""
    times = episode.time_per_move_us
    rows = [
        ("agent", episode.agent),
        ("outcome", "reached the goal" if episode.solved else "proved that the goal cannot be reached"),
        ("cost", f"{episode.cost:.4f}" if episode.solved else "-"),
        ("moves", f"{episode.moves:,}"),
        ("intervals", f"{episode.intervals:,}"),
        ("expansions", f"{episode.expansions:,}"),
        ("planning per move", f"{times['mean']:.2f} us in the mean, {times['max']:,.0f} us at most"),
        ("memory", f"{episode.memory_bytes / 1024:,.0f} KiB"),
    ]
    if drawn:
        rows.append(("picture", str(drawn)))
    return "\n".join(f"{name:<18} {value}" for name, value in rows)


def _position(text: str) -> tuple[int, int]:
    try:
        x, y = (int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"a position is two whole numbers X,Y, not {text!r}") from None
    return x, y


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    return int(value) if value.is_integer() else value
