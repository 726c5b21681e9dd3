"""`timebound solve`: run one agent from start to goal on a map."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..agents.catalogue import KINDS, Kind
from ..agents.registry import fill_in, find_kind
from ..core.errors import ProblemError
from ..maps import Map, curve_picture, learning_picture, picture, read
from ..maps.drawing import below, format_of
from . import INTERRUPTED, console
from . import arguments as shared
from .arguments import Arguments
from .printing import aligned, as_text
from .progress import follow

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..agents import Agent
    from ..agents.episode import Episode
    from ..worlds import Grid, World

EXAMPLES = f"""examples:
  timebound solve harbour --start 12,100 --goal 180,14
  timebound solve arena.map --start 1,11 --goal 40,30 --agent wastar --weight 2 --json
  timebound solve harbour --start 12,100 --goal 180,14 --agent dstar-lite --terrain unknown --ms 0.3 --picture path.png
  timebound solve harbour --start 12,100 --goal 180,14 --agent rtaa --expansions 20 --trials 500 --picture curve.png
  timebound solve harbour --start 12,100 --goal 180,14 --size 2
  timebound solve lake.map --start 3,5 --goal 40,30 --mobility .=1,S=3
  timebound solve harbour --start 12,100 --goal 180,14 --agent lrta --terrain unknown --picture-learning scrubbing.png
  timebound solve harbour --start 12,100 --goal 60,70 --agent safe-rts --movers boats.json --expansions 100

{shared.MAP_NOTE}
Exit status: 0 solved; 1 the agent did not reach its goal (it was proved unreachable, or a limit was reached);
2 bad input; 130 interrupted (prints the trials finished so far)."""

# Of trials: the columns of their table, their figures for programs, and the rows at both ends of a long table.
_COLUMNS = ("trial", "cost", "cost/optimal", "moves", "expansions", "updates")
_FIGURES = (
    *("trial", "solved", "stop", "cost", "suboptimality", "moves", "intervals", "expansions", "searches", "updates"),
    "planning_us",
)
_ENDS = 10


def add_arguments(parser: shared.Parser) -> None:
    parser.add_argument("map", metavar="MAP", help=shared.MAPS)
    shared.add_problem(parser, required=True)
    names = f"{', '.join(KINDS)}; or your own, module:name (default: astar)"
    shared.option(parser, "--agent NAME", names, shared.agent, "astar")
    shared.add_budget(parser)
    shared.add_rules(parser)
    shared.add_body(parser)
    shared.add_parameters(parser, "the agent")
    others = "others that move: a JSON file of their cells by tick, or of {start, direction, speed, ticks}"
    shared.option(parser, "--movers FILE", others, Path)
    repeated = "repeat from the start, keeping what the agent has learned, until its path is optimal or N trials end"
    shared.option(parser, "--trials N", repeated, shared.whole(1))
    shared.add_json(parser)
    drawn = "draw the path and the states reached; with --trials, also the learning curve"
    shared.option(parser, "--picture FILE", drawn, Path)
    learned = "draw h before and after, and the number of visits to every cell"
    shared.option(parser, "--picture-learning FILE", learned, Path)


def run(arguments: Arguments) -> int:
    from ..agents import make
    from ..applications.trials import check_learns, surface, trials
    from ..worlds import Moving
    from ..worlds.movers import read_movers

    limits, parameters = shared.limits_of(arguments), shared.parameters_of(arguments)
    kind, total = find_kind(arguments.agent, arguments.terrain), arguments.trials or 1
    fill_in(kind, parameters)
    check_learns(kind, total)
    _check_pictures(arguments, kind)
    map_ = read(arguments.map)
    world: World = shared.world_of(arguments, map_)
    if arguments.movers:
        world = Moving(shared.world_of(arguments, map_), read_movers(arguments.movers))
    terrain = {"terrain": arguments.terrain, "seed": arguments.seed, **shared.body_of(arguments)}
    agent = make(arguments.agent, world, arguments.start, arguments.goal, **terrain, **parameters)
    before: Any = surface(agent) if arguments.picture_learning else None
    runs = trials(agent, total, **limits) if arguments.trials else (agent.run(**limits) for _ in range(1))
    episodes: list[Episode] = []
    stopped = follow(runs, episodes.append, total, "trials")
    shared.draw(
        {
            arguments.picture: lambda: _path_picture(arguments, map_, agent, episodes),
            arguments.picture_learning: lambda: _learning_picture(arguments, map_, agent, episodes, before),
        }
    )
    if arguments.json:
        told = {"trials": [_figures(*each) for each in enumerate(episodes, 1)]} if arguments.trials else {}
        print(json.dumps({**episodes[-1].as_json(), **told}))
    else:
        files = {"picture": arguments.picture, "learning": arguments.picture_learning}
        table, ends = (_table(episodes), _ends(agent.kind, episodes)) if arguments.trials else ("", "")
        print(table + as_text(episodes[-1], files, ends))
    if stopped:
        console.say(f"stopped after {len(episodes)} of {total} trials")
        return INTERRUPTED
    return 0 if episodes[-1].solved else 1


def _check_pictures(arguments: Arguments, kind: Kind) -> None:
    """Reject impossible pictures before any work."""
    files = [file for file in (arguments.picture, arguments.picture_learning) if file]
    for file in files:
        format_of(file)
    if len(files) == 2 and files[0] == files[1]:
        raise ProblemError(f"{files[0]}: the two pictures need different files")
    if arguments.movers and (arguments.trials or arguments.picture_learning):
        raise ProblemError("--movers is for one episode; leave out --trials and --picture-learning")
    if arguments.picture_learning and not kind.learning:
        learners = ", ".join(other.name for other in KINDS.values() if other.learning)
        raise ProblemError(f"agent {kind.name!r} learns nothing to draw; these do: {learners}")


def _path_picture(arguments: Arguments, map_: Map, agent: "Agent", episodes: "Sequence[Episode]") -> "Image":
    """Draw the path of the last trial and the states that its last search reached; below, the learning curve."""
    if arguments.movers:  # where it goes; what it has searched are cells at ticks
        path = [place[:2] for place in episodes[-1].path]
        return picture(map_, path=path, start=arguments.start, goal=arguments.goal)
    reached, last = agent.reached().reshape(map_.terrain.shape), episodes[-1]
    image = picture(map_, expanded=reached, path=last.path, start=arguments.start, goal=arguments.goal)
    if not arguments.trials:
        return image
    costs = [episode.cost for episode in episodes]
    return below(image, curve_picture(costs, last.optimal_cost, image.width, _title(map_, agent, episodes)))


def _learning_picture(
    arguments: Arguments, map_: Map, agent: "Agent", episodes: "Sequence[Episode]", before: "np.ndarray"
) -> "Image":
    from ..applications.trials import surface, visits

    truth = cast("Grid", agent.truth)
    title = f"{_title(map_, agent, episodes)}, {arguments.terrain} terrain"
    ends = arguments.start, arguments.goal
    return learning_picture(truth.passable, before, surface(agent), visits(truth, episodes), *ends, title)


def _title(map_: Map, agent: "Agent", episodes: "Sequence[Episode]") -> str:
    return f"{map_.name}, {agent.name}: {len(episodes):,} trial{'s' if len(episodes) > 1 else ''}"


def _figures(number: int, episode: "Episode") -> dict[str, Any]:
    """Return the figures of a trial, for programs."""
    plain = episode.as_json()
    plain |= {"trial": number, "suboptimality": episode.suboptimality if episode.solved else None}
    return {name: plain[name] for name in _FIGURES}


def _table(episodes: "Sequence[Episode]") -> str:
    """Return a table with a row per trial; if there are many, only the first and the last."""
    rows: list[Sequence[str]] = [
        (
            f"{number:,}",
            f"{episode.cost:,.4f}",
            f"{episode.suboptimality:.3f}" if episode.solved else "-",
            f"{episode.moves:,}",
            f"{episode.expansions:,}",
            f"{episode.updates:,}",
        )
        for number, episode in enumerate(episodes, 1)
    ]
    if len(rows) > 2 * _ENDS + 1:
        rows[_ENDS:-_ENDS] = [("...",) * len(_COLUMNS)]
    return aligned([_COLUMNS, *rows], words=0) + "\n\n"


def _ends(kind: Kind, episodes: "Sequence[Episode]") -> str:
    """Return the number of trials, and how they ended."""
    from ..applications.trials import is_optimal, is_settled

    last = episodes[-1]
    if not last.solved:
        outcome = "the last did not reach the goal"
    elif is_optimal(last):
        outcome = "the last walked an optimal path"
    elif is_settled(kind, last):
        outcome = "the last needed only one search"
    else:
        outcome = "none walked an optimal path"
    return f"{len(episodes):,}; {outcome}"
