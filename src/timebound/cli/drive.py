"""`timebound drive`: drive one agent around a racetrack."""

from pathlib import Path

from ..core.errors import ProblemError
from ..maps.drawing import format_of, save_picture
from ..maps.drives import drive_picture
from . import arguments as shared
from .printing import tell

EXAMPLES = """examples:
  timebound drive ring-4.track --expansions 50
  timebound drive harbour --start 12,100 --goal 180,14 --agent lss-lrtwa --weight 3 --expansions 100 --picture drive.png
  timebound drive barto-big.track --agent astar --speed 5 --json

TRACK is a .track or .racetrack file, or any map that `timebound solve` takes. Without --start and --goal the car
drives from the track's first start cell to any of its goal cells.
Exit status: 0 solved; 1 the agent did not reach its goal; 2 bad input."""


def add_arguments(parser: shared.Parser) -> None:
    parser.add_argument("track", metavar="TRACK", help="a track file, a map file, or the name of a built-in map")
    shared.add_problem(parser, required=False)
    shared.option(parser, "--speed V", "speed limit along each axis (default: 3)", shared.whole(1), 3)
    shared.option(parser, "--agent NAME", "(default: tbr-wastar)", shared.agent, "tbr-wastar")
    shared.add_budget(parser)
    shared.add_parameters(parser, "the agent")
    shared.add_json(parser)
    shared.option(parser, "--picture FILE", "draw the track, the drive and its velocities", Path)


def run(arguments: shared.Arguments) -> int:
    from ..agents import make
    from ..worlds import Racetrack

    limits, parameters = shared.limits_of(arguments), shared.parameters_of(arguments)
    if arguments.picture:
        format_of(arguments.picture)
    track = Racetrack.load(arguments.track, speed=arguments.speed)
    if arguments.start is None and not track.starts:
        raise ProblemError(f"{arguments.track} marks no start: give --start X,Y")
    start = arguments.start or track.starts[0]
    agent = make(arguments.agent, track, start, arguments.goal, seed=arguments.seed, **parameters)
    episode = agent.run(**limits)
    if arguments.picture:
        goals = track.goals if arguments.goal is None else [arguments.goal]
        save_picture(drive_picture(track.passable, episode.path, goals), arguments.picture)
    return tell(arguments, episode, {"picture": arguments.picture})
