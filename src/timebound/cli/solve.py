"""`timebound solve`: take one agent from start to goal on a map."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agents.catalogue import KINDS, fill_in, find_kind
from ..errors import ProblemError
from .progress import patience

if TYPE_CHECKING:
    from ..episode import Episode

NAME = "solve"
HELP = "Take an agent from start to goal on a map."
EXAMPLES = """examples:
  timebound solve harbour --start 12,100 --goal 180,14
  timebound solve arena.map --start 1,11 --goal 40,30 --agent wastar --weight 2 --json
  timebound solve harbour --start 12,100 --goal 180,14 --agent dstar-lite --terrain unknown --ms 0.3 --picture path.png

MAP is a MovingAI .map file, a NumPy .npy file, a ROS .yaml file, an image, or the name of a built-in map (harbour).
Exit status: 0 solved; 1 proved that the goal cannot be reached; 2 bad input."""


OUTCOMES = {"goal": "reached the goal", "unreachable": "proved that the goal cannot be reached"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the contract."""
    parser.add_argument("map", metavar="MAP", help="a map file, or the name of a built-in map")
    parser.add_argument("--start", metavar="X,Y", required=True, type=_position, help="x to the right, y down, from 0")
    parser.add_argument("--goal", metavar="X,Y", required=True, type=_position, help="where to go")
    parser.add_argument("--agent", metavar="NAME", default="astar", help=f"{', '.join(KINDS)} (default: astar)")
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
    from ..agents import make
    from ..budget import Budget
    from ..maps import picture, read, save_picture
    from ..worlds import Grid

    budget, parameters = Budget(arguments.expansions, arguments.ms, arguments.virtual_ms), _parameters(arguments)
    fill_in(find_kind(arguments.agent, arguments.terrain), parameters)
    loaded = read(arguments.map)
    rules = {"neighbors": arguments.neighbors, "corners": arguments.corners, "heuristic": arguments.heuristic}
    if arguments.diagonal is not None:
        rules["diagonal"] = arguments.diagonal
    world = Grid(loaded.passable, name=loaded.name, **rules)
    terrain = {"terrain": arguments.terrain, "seed": arguments.seed}
    with patience():
        agent = make(arguments.agent, world, arguments.start, arguments.goal, **terrain, **parameters)
        episode = agent.run(**vars(budget))
    if arguments.picture:
        reached = agent.reached().reshape(world.shape)
        image = picture(loaded, expanded=reached, path=episode.path, start=arguments.start, goal=arguments.goal)
        save_picture(image, arguments.picture)
    print(json.dumps(episode.as_json()) if arguments.json else _table(episode, arguments.picture))
    return 0 if episode.solved else 1


def _parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """`--weight` and all `--param`; a value is a number, true, false, or else a word."""
    parameters = {} if arguments.weight is None else {"weight": arguments.weight}
    for text in arguments.param:
        name, equals, value = text.partition("=")
        if not equals:
            raise ProblemError(f"--param takes NAME=VALUE, not {text!r}")
        if name in parameters:
            raise ProblemError(f"parameter {name!r} is given twice")
        parameters[name] = _value(value)
    return parameters


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return _number(text)
    except argparse.ArgumentTypeError:
        return text


def _table(episode: "Episode", drawn: Path | None) -> str:
    """The figures that a person wants to see first."""
    times = episode.time_per_move_us
    rows = [
        ("agent", episode.agent),
        ("outcome", OUTCOMES.get(episode.stop, episode.stop)),
        ("cost", f"{episode.cost:.4f}"),
        ("moves", f"{episode.moves:,}"),
        ("intervals", f"{episode.intervals:,}"),
        ("expansions", f"{episode.expansions:,} in {_searches(episode.searches)}"),
        ("planning per move", f"{times['mean']:.2f} us in the mean, {times['max']:,.0f} us at most"),
        ("memory", f"{episode.memory_bytes / 1024:,.0f} KiB"),
    ]
    if drawn:
        rows.append(("picture", str(drawn)))
    return "\n".join(f"{name:<18} {value}" for name, value in rows)


def _searches(count: int) -> str:
    return "1 search" if count == 1 else f"{count:,} searches"


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
