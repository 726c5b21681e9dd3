"""`timebound solve`: run one agent from start to goal on a map."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..agents.catalogue import KINDS
from ..agents.registry import fill_in, find_kind
from ..core.errors import ProblemError
from . import INTERRUPTED, streams, trial_table
from . import arguments as shared

if TYPE_CHECKING:
    import numpy as np
    from PIL.Image import Image

    from ..agents import Agent
    from ..agents.catalogue import Kind
    from ..agents.episode import Episode
    from ..maps import Map
    from ..worlds import Grid

NAME = "solve"
HELP = "Run an agent from start to goal on a map."
EXAMPLES = f"""examples:
  timebound solve harbour --start 12,100 --goal 180,14
  timebound solve arena.map --start 1,11 --goal 40,30 --agent wastar --weight 2 --json
  timebound solve harbour --start 12,100 --goal 180,14 --agent dstar-lite --terrain unknown --ms 0.3 --picture path.png
  timebound solve harbour --start 12,100 --goal 180,14 --agent rtaa --expansions 20 --trials 500 --picture curve.png
  timebound solve harbour --start 12,100 --goal 180,14 --agent lrta --terrain unknown --picture-learning scrubbing.png

{shared.MAP_NOTE}
Exit status: 0 solved; 1 the agent did not reach its goal (it was proved unreachable, or a limit was reached);
2 bad input; 130 interrupted (prints the trials finished so far)."""

OUTCOMES = {
    "goal": "reached the goal",
    "unreachable": "proved that the goal cannot be reached",
    "intervals": "out of intervals",
    "memory": "out of memory",
    "stuck": "had to step back where no move leads back",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    shared.add_map(parser)
    shared.add_problem(parser, required=True)
    names = f"{', '.join(KINDS)}; or your own, module:name (default: astar)"
    parser.add_argument("--agent", metavar="NAME", default="astar", type=shared.agents, help=names)
    shared.add_budget(parser)
    shared.add_rules(parser)
    shared.add_parameters(parser, "the agent")
    parser.add_argument(
        "--trials",
        metavar="N",
        type=shared.count,
        help="repeat from the start, keeping what the agent has learned, until its path is optimal or N trials end",
    )
    parser.add_argument("--json", action="store_true", help="one object, for programs")
    parser.add_argument(
        "--picture",
        metavar="FILE",
        type=Path,
        help="draw the path and the states reached; with --trials, also the learning curve",
    )
    parser.add_argument(
        "--picture-learning",
        metavar="FILE",
        type=Path,
        help="draw h before and after, and the number of visits to every cell",
    )


def run(arguments: argparse.Namespace) -> int:
    """Solve; draw and print the result."""
    from ..agents import make
    from ..applications.trials import check_learns, surface, trials
    from ..maps import read

    budget, parameters = shared.budget_of(arguments), shared.parameters_of(arguments)
    kind = find_kind(arguments.agent, arguments.terrain)
    fill_in(kind, parameters)
    check_learns(kind, arguments.trials or 1)
    _check_pictures(arguments, kind)
    map_ = read(arguments.map)
    world = shared.world_of(arguments, map_)
    terrain = {"terrain": arguments.terrain, "seed": arguments.seed}
    agent = make(arguments.agent, world, arguments.start, arguments.goal, **terrain, **parameters)
    before = surface(agent) if arguments.picture_learning else None
    limits = {**vars(budget), "intervals": arguments.intervals}
    total = arguments.trials or 1
    runs = trials(agent, total, **limits) if arguments.trials else (agent.run(**limits) for _ in range(1))
    episodes, stopped = trial_table.follow(runs, total)
    _draw(arguments, map_, agent, episodes, before)
    print(json.dumps(_record(arguments, episodes)) if arguments.json else _report(arguments, agent, episodes))
    if stopped:
        streams.say(f"stopped after {len(episodes)} of {total} trials")
        return INTERRUPTED
    return 0 if episodes[-1].solved else 1


def _check_pictures(arguments: argparse.Namespace, kind: "Kind") -> None:
    """Refuse impossible pictures before any work."""
    from ..maps.picture import format_of

    files = [file for file in (arguments.picture, arguments.picture_learning) if file]
    for file in files:
        format_of(file)
    if len(files) == 2 and files[0] == files[1]:
        raise ProblemError(f"{files[0]}: the two pictures need different files")
    if arguments.picture_learning and not kind.learning:
        learners = ", ".join(other.name for other in KINDS.values() if other.learning)
        raise ProblemError(f"agent {kind.name!r} learns nothing to draw; these do: {learners}")


def _draw(
    arguments: argparse.Namespace,
    map_: "Map",
    agent: "Agent",
    episodes: "Sequence[Episode]",
    before: "np.ndarray | None",
) -> None:
    """Write the requested pictures: all or none."""
    from ..core.disk import write_files
    from ..maps.picture import encoded

    files = {}
    if arguments.picture:
        files[arguments.picture] = encoded(_path_picture(arguments, map_, agent, episodes), arguments.picture)
    if before is not None:
        image = _learning_picture(arguments, map_, agent, episodes, before)
        files[arguments.picture_learning] = encoded(image, arguments.picture_learning)
    write_files(files)


def _path_picture(arguments: argparse.Namespace, map_: "Map", agent: "Agent", episodes: "Sequence[Episode]") -> "Image":
    """Draw the path of the last trial and the states that its last search reached; below, the learning curve."""
    from ..maps import curve_picture, picture
    from ..maps.curve import below

    reached, last = agent.reached().reshape(map_.terrain.shape), episodes[-1]
    image = picture(map_, expanded=reached, path=last.path, start=arguments.start, goal=arguments.goal)
    if not arguments.trials:
        return image
    costs = [episode.cost for episode in episodes]
    return below(image, curve_picture(costs, last.optimal_cost, image.width, _title(map_, agent, episodes)))


def _learning_picture(
    arguments: argparse.Namespace, map_: "Map", agent: "Agent", episodes: "Sequence[Episode]", before: "np.ndarray"
) -> "Image":
    from ..applications.trials import surface, visits
    from ..maps import learning_picture

    truth = cast("Grid", agent.truth)
    title = f"{_title(map_, agent, episodes)}, {arguments.terrain} terrain"
    ends = arguments.start, arguments.goal
    return learning_picture(truth.passable, before, surface(agent), visits(truth, episodes), *ends, title)


def _title(map_: "Map", agent: "Agent", episodes: "Sequence[Episode]") -> str:
    return f"{map_.name}, {agent.name}: {len(episodes):,} trial{'s' if len(episodes) > 1 else ''}"


def _record(arguments: argparse.Namespace, episodes: "Sequence[Episode]") -> dict[str, Any]:
    """Return the record of the last episode and of all trials."""
    record = episodes[-1].as_json()
    return {**record, "trials": trial_table.records(episodes)} if arguments.trials else record


def _report(arguments: argparse.Namespace, agent: "Agent", episodes: "Sequence[Episode]") -> str:
    """Return the most important figures, as text."""
    rows = _rows(episodes[-1])
    if arguments.trials:
        rows.insert(1, ("trials", trial_table.verdict(agent.kind, episodes)))
    files = {"picture": arguments.picture, "learning": arguments.picture_learning}
    text = _lines(rows, files)
    return f"{trial_table.table(episodes)}\n\n{text}" if arguments.trials else text


def figures(episode: "Episode", files: Mapping[str, Path | None]) -> str:
    """Return the figures of one episode and the files written, as text."""
    return _lines(_rows(episode), files)


def _lines(rows: list[tuple[str, str]], files: Mapping[str, Path | None]) -> str:
    rows = rows + [(name, str(file)) for name, file in files.items() if file]
    return "\n".join(f"{name:<18} {value}" for name, value in rows)


def _rows(episode: "Episode") -> list[tuple[str, str]]:
    times = episode.time_per_move_us
    return [
        ("agent", episode.agent),
        ("outcome", OUTCOMES[episode.stop]),
        ("cost", f"{episode.cost:.4f}"),
        ("moves", f"{episode.moves:,}"),
        ("intervals", f"{episode.intervals:,}"),
        ("expansions", f"{episode.expansions:,} in {_searches(episode.searches)}"),
        ("planning per move", f"{times['mean']:.2f} us on average, {times['max']:,.0f} us at most"),
        ("memory", f"{episode.memory_bytes / 1024:,.0f} KiB"),
    ]


def _searches(count: int) -> str:
    return "1 search" if count == 1 else f"{count:,} searches"
