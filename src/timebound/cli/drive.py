"""`timebound drive`: drive one agent around a racetrack."""

import argparse
import json
from pathlib import Path

from ..core.errors import ProblemError
from . import arguments as shared
from .solve import figures

NAME = "drive"
HELP = "Drive a car, with inertia, along a racetrack."
EXAMPLES = """examples:
  timebound drive ring-4.track --expansions 50
  timebound drive harbour --start 12,100 --goal 180,14 --agent lss-lrtwa --weight 3 --expansions 100 --picture drive.png
  timebound drive barto-big.track --agent astar --speed 5 --json

TRACK is a .track or .racetrack file, or any map that `timebound solve` takes. Without --start and --goal the car
drives from the track's first start cell to any of its goal cells.
Exit status: 0 solved; 1 the agent did not reach its goal; 2 bad input."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the track, the problem and the agent."""
    parser.add_argument("track", metavar="TRACK", help="a track file, a map file, or the name of a built-in map")
    shared.add_problem(parser, required=False)
    parser.add_argument(
        "--speed", metavar="V", type=shared.count, default=3, help="speed limit along each axis (default: 3)"
    )
    parser.add_argument(
        "--agent", metavar="NAME", default="tbr-wastar", type=shared.agents, help="(default: tbr-wastar)"
    )
    shared.add_budget(parser)
    shared.add_parameters(parser, "the agent")
    parser.add_argument("--json", action="store_true", help="one object, for programs")
    parser.add_argument("--picture", metavar="FILE", type=Path, help="draw the track, the drive and its velocities")


def run(arguments: argparse.Namespace) -> int:
    """Drive; draw and print the result."""
    from ..agents import make
    from ..maps.drives import drive_picture
    from ..maps.picture import format_of, save_picture
    from ..worlds import Racetrack

    budget, parameters = shared.budget_of(arguments), shared.parameters_of(arguments)
    if arguments.picture:
        format_of(arguments.picture)
    track = Racetrack.load(arguments.track, speed=arguments.speed)
    if arguments.start is None and not track.starts:
        raise ProblemError(f"{arguments.track} marks no start: give --start X,Y")
    start = arguments.start or track.starts[0]
    agent = make(arguments.agent, track, start, arguments.goal, seed=arguments.seed, **parameters)
    episode = agent.run(**vars(budget), intervals=arguments.intervals)
    if arguments.picture:
        goals = track.goals if arguments.goal is None else [arguments.goal]
        save_picture(drive_picture(track.passable, episode.path, goals), arguments.picture)
    print(json.dumps(episode.as_json()) if arguments.json else figures(episode, {"picture": arguments.picture}))
    return 0 if episode.solved else 1
