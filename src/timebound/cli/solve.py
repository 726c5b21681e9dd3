"""`timebound solve`: take one agent from start to goal on a map."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ..agents.catalogue import KINDS, fill_in, find_kind
from . import arguments as shared
from .progress import patience

if TYPE_CHECKING:
    from ..episode import Episode

NAME = "solve"
HELP = "Take an agent from start to goal on a map."
EXAMPLES = f"""examples:
  timebound solve harbour --start 12,100 --goal 180,14
  timebound solve arena.map --start 1,11 --goal 40,30 --agent wastar --weight 2 --json
  timebound solve harbour --start 12,100 --goal 180,14 --agent dstar-lite --terrain unknown --ms 0.3 --picture path.png

{shared.MAP_NOTE}
Exit status: 0 solved; 1 the agent did not get to its goal (it was proved unreachable, or a limit was met);
2 bad input."""


OUTCOMES = {
    "goal": "reached the goal",
    "unreachable": "proved that the goal cannot be reached",
    "intervals": "out of intervals",
    "memory": "out of memory",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the contract."""
    shared.add_map(parser)
    shared.add_problem(parser, required=True)
    parser.add_argument("--agent", metavar="NAME", default="astar", help=f"{', '.join(KINDS)} (default: astar)")
    shared.add_budget(parser)
    shared.add_rules(parser)
    shared.add_parameters(parser, "the agent")
    parser.add_argument("--json", action="store_true", help="one object, for programs")
    parser.add_argument("--picture", metavar="FILE", type=Path, help="draw the path and the states reached")


def run(arguments: argparse.Namespace) -> int:
    """Solve, draw, print."""
    from ..agents import make
    from ..maps import picture, read, save_picture

    budget, parameters = shared.budget_of(arguments), shared.parameters_of(arguments)
    fill_in(find_kind(arguments.agent, arguments.terrain), parameters)
    loaded = read(arguments.map)
    world = shared.world_of(arguments, loaded)
    terrain = {"terrain": arguments.terrain, "seed": arguments.seed}
    with patience():
        agent = make(arguments.agent, world, arguments.start, arguments.goal, **terrain, **parameters)
        episode = agent.run(**vars(budget), intervals=arguments.intervals)
    if arguments.picture:
        reached = agent.reached().reshape(world.shape)
        image = picture(loaded, expanded=reached, path=episode.path, start=arguments.start, goal=arguments.goal)
        save_picture(image, arguments.picture)
    print(json.dumps(episode.as_json()) if arguments.json else _table(episode, arguments.picture))
    return 0 if episode.solved else 1


def _table(episode: "Episode", drawn: Path | None) -> str:
    """The figures that a person wants to see first."""
    times = episode.time_per_move_us
    rows = [
        ("agent", episode.agent),
        ("outcome", OUTCOMES[episode.stop]),
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
