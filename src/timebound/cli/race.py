"""`timebound race`: agents race on one or many problems, with the same terrain and budget."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agents.catalogue import KINDS
from ..core.errors import ProblemError
from ..maps import Map, random_problems, read
from ..maps.components import MOST_PROBLEMS
from . import INTERRUPTED, console
from . import arguments as shared
from .arguments import Arguments, finite
from .printing import aligned
from .progress import follow

if TYPE_CHECKING:
    from ..agents.episode import Episode
    from ..applications.race import AgentMeans, Race, RaceProblem
    from ..worlds import Grid

EXAMPLES = f"""examples:
  timebound race harbour --start 12,100 --goal 180,14 --terrain unknown --ms 0.3 --picture race.png --gif race.gif
  timebound race harbour --agents astar,wastar,gbfs --expansions 50 --param weight=3
  timebound race harbour --agents rtaa,tbaa,dstar-lite --expansions 50 --target flee --intervals 2000
  timebound race arena.map --problems 100 --terrain partial --virtual-ms 0.1 --seed 7 --json

{shared.MAP_NOTE}
Without --start and --goal, the problem is random (from the seed); with --problems N, there are N of them.
Exit status: 0 all solved; 1 some agent did not reach its goal (it was proved unreachable, or a limit was reached);
2 bad input; 130 interrupted (prints what was done so far)."""

_OUTCOMES = {"goal": "goal", "unreachable": "no path"}
COLUMNS = (
    *("agent", "outcome", "intervals", "moves", "cost", "cost/optimal", "expansions", "searches"),
    *("us/move", "max us", "memory"),
)
# What means show: the name of the figure, and its decimals.
_MEANS = {"intervals": 0, "moves": 0, "cost": 1, "suboptimality": 3, "expansions": 0, "searches": 1, "us_per_move": 2}
_DRAWS = 64  # random problems, of which we take the one whose start and goal are farthest apart


def add_arguments(parser: shared.Parser) -> None:
    parser.add_argument("map", metavar="MAP", help=shared.MAPS)
    shared.add_problem(parser, required=False)
    count = shared.whole(1, MOST_PROBLEMS)
    shared.option(parser, "--problems N", "race on N random problems; print means", count)
    names = f"any of {', '.join(KINDS)}; or your own, module:name (default: all that support the terrain)"
    shared.option(parser, "--agents A,B,...", names, shared.agents)
    shared.add_budget(parser)
    shared.add_rules(parser)
    shared.add_parameters(parser, "the agents that have it")
    moves = "the goal moves: it wanders, flees from the agent, or follows the path in a file (lines x,y, or JSON)"
    shared.option(parser, "--target walk|flee|PATH", moves)
    shared.option(parser, "--picture FILE", "draw the trails, and the fog of unknown terrain", Path)
    shared.option(parser, "--gif FILE", "animate the race", Path)
    shared.add_json(parser)


def run(arguments: Arguments) -> int:
    from ..applications.pursuit import read_path
    from ..applications.race import entries

    _check(arguments)
    parameters = shared.parameters_of(arguments)
    agents = list(entries(arguments.agents, arguments.terrain, parameters))
    rules = {"terrain": arguments.terrain, **shared.limits_of(arguments), **parameters}
    if (target := arguments.target) is not None:
        rules["target"] = target if target in ("walk", "flee") else read_path(Path(target))
    map_ = read(arguments.map)
    one_or_many = _one_problem if arguments.problems is None else _many_problems
    return one_or_many(arguments, map_, shared.world_of(arguments, map_), agents, rules)


def _check(arguments: Arguments) -> None:
    """Reject arguments that conflict, before any work."""
    drawn, many = arguments.picture or arguments.gif, arguments.problems is not None
    if (arguments.start is None) != (arguments.goal is None):
        raise ProblemError("give both --start and --goal, or neither for a random problem")
    if many and arguments.start is not None:
        raise ProblemError("--problems draws starts and goals at random; leave out --start and --goal")
    if many and drawn:
        raise ProblemError("a picture shows one problem; leave out --problems, or --picture and --gif")
    if arguments.target is not None and (many or drawn):
        raise ProblemError("--target is for one problem, without pictures; leave out --problems, --picture and --gif")
    shared.check_pictures(arguments)


def _one_problem(arguments: Arguments, map_: Map, world: "Grid", agents: list[str], rules: dict[str, Any]) -> int:
    from ..applications.race import race, race_film, race_picture

    start, goal = arguments.start, arguments.goal
    if start is None:
        problems = random_problems(map_, _DRAWS, arguments.seed, arguments.neighbors, arguments.corners)
        start, goal = max(problems, key=lambda problem: math.dist(*problem))
    film = bool(arguments.picture or arguments.gif)
    result = race(world, agents, start, goal, seed=arguments.seed, film=film, **rules)
    title = f"{map_.name}, {arguments.terrain} terrain, {_limits(arguments)}"
    picture, gif = (lambda: race_picture(map_, result, title)), (lambda: race_film(map_, result, title))
    shared.draw({arguments.picture: picture, arguments.gif: gif})
    if arguments.json:
        episodes = [
            {"agent": episode.agent, "suboptimality": result.suboptimality(episode), "episode": episode.as_json()}
            for episode in result.episodes
        ]
        print(json.dumps({**_setting(arguments, map_, [result]), "agents": episodes}))
    else:
        print(_report(arguments, map_, result))
    return 0 if all(episode.solved for episode in result.episodes) else 1


def _report(arguments: Arguments, map_: Map, result: "Race") -> str:
    """Return the setting, the table and the files written, as text."""
    optimal = "there is no path" if math.isinf(result.optimal_cost) else f"optimal cost {result.optimal_cost:.4f}"
    if arguments.target is not None:
        optimal = f"the goal moves ({arguments.target})"
    setting = (
        f"{map_.name}, {result.start} to {result.goal}, {arguments.terrain} terrain, {_limits(arguments)}; {optimal}"
    )
    table = aligned([COLUMNS, *(_row(result, episode) for episode in result.episodes)], words=2)
    return shared.with_files(arguments, [setting, "", table])


def _row(result: "Race", episode: "Episode") -> tuple[str, ...]:
    ratio, times = result.suboptimality(episode), episode.time_per_move_us
    return (
        episode.agent,
        _OUTCOMES.get(episode.stop, f"out of {episode.stop}"),
        f"{episode.intervals:,}",
        f"{episode.moves:,}",
        f"{episode.cost:,.2f}",
        "-" if ratio is None else f"{ratio:.3f}",
        f"{episode.expansions:,}",
        f"{episode.searches:,}",
        f"{times['mean']:,.2f}",
        f"{times['max']:,.0f}",
        f"{episode.memory_bytes / 1024:,.0f} KiB",
    )


def _many_problems(arguments: Arguments, map_: Map, world: "Grid", agents: list[str], rules: dict[str, Any]) -> int:
    from ..applications.race import Standings, races

    problems = random_problems(map_, arguments.problems, arguments.seed, arguments.neighbors, arguments.corners)
    standings = Standings()
    results = races(world, agents, problems, arguments.seed, **rules)
    stopped = follow(results, standings.add, len(problems), "problems")
    table, done = standings.table(), len(standings.problems)
    if arguments.json:
        setting = {**_setting(arguments, map_, standings.problems), "stopped": stopped}
        print(json.dumps({**setting, "agents": [_standing(row) for row in table]}))
    else:
        print(
            f"{map_.name}, {done} random problems of seed {arguments.seed}, {arguments.terrain} terrain, "
            f"{_limits(arguments)}; means ± 95 % confidence\n"
        )
        print(aligned([("agent", "solved", "failed", *COLUMNS[2:]), *map(_means, table)], words=1))
    if stopped:
        console.say(f"stopped after {done} of {len(problems)} problems")
        return INTERRUPTED
    return 1 if any(row.failures for row in table) else 0


def _standing(row: "AgentMeans") -> dict[str, Any]:
    means = {name: {side: finite(value) for side, value in mean._asdict().items()} for name, mean in row.means.items()}
    return {**vars(row), "means": means}


def _means(row: "AgentMeans") -> tuple[str, ...]:
    """Return a row of the table of means; one problem gives no interval."""
    counts = (row.agent, str(row.solved), str(row.failures))
    if not row.means:
        return (*counts, *["-"] * (len(COLUMNS) - 2))
    figures = [
        f"{mean:,.{digits}f}" + ("" if math.isinf(high) else f" ± {high - mean:,.{digits}f}")
        for (mean, _, high), digits in ((row.means[name], digits) for name, digits in _MEANS.items())
    ]
    memory = f"{row.means['memory_bytes'].mean / 1024:,.0f} KiB"
    return (*counts, *figures, f"{row.max_us_per_move:,.0f}", memory)


def _setting(arguments: Arguments, map_: Map, problems: "Sequence[Race | RaceProblem]") -> dict[str, Any]:
    """Return the setting of the race, for programs."""
    budget = {name: finite(value) for name, value in vars(shared.budget_of(arguments)).items() if value is not None}
    names = ("intervals", "neighbors", "corners", "seed", "target")
    return {
        "map": map_.name,
        "terrain": arguments.terrain,
        "budget": budget,
        **{name: getattr(arguments, name) for name in names},
        "parameters": shared.parameters_of(arguments),
        "problems": [
            {"start": list(each.start), "goal": list(each.goal), "optimal_cost": finite(each.optimal_cost)}
            for each in problems
        ],
    }


def _limits(arguments: Arguments) -> str:
    """Describe the budget of an interval, and the limit on intervals."""
    units = {"expansions": "expansions", "ms": "ms", "virtual_ms": "virtual ms"}
    given = [
        f"{value:g} {units[name]} per interval"
        for name, value in vars(shared.budget_of(arguments)).items()
        if value is not None
    ]
    most = [] if arguments.intervals is None else [f"at most {arguments.intervals:,} intervals"]
    return ", ".join([*(given or ["no limit per interval"]), *most])
