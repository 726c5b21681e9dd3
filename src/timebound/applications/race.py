"""Races of agents on one or many problems, with the same terrain and budget for all."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ..agents import Agent, make
from ..agents.catalogue import EVERYWHERE
from ..agents.episode import Episode
from ..agents.parameters import COMMON
from ..agents.registry import catalogue, fill_in, find_kind
from ..core.errors import ProblemError
from ..core.values import flag, one_of
from ..core.wording import nearest, shown
from ..maps.model import Map
from ..maps.trails import Scene, Trail, film_bytes, trails_picture
from ..search.budget import Budget, interval_limit
from ..search.solver import shortest_path
from ..worlds import Grid, World
from ..worlds.world import a_world
from .pursuit import target_of

if TYPE_CHECKING:
    from PIL.Image import Image

_MOST_GLANCES = 256


# ------------------------------------------------------------------ the agents of a race


def takers(terrain: str, on_grid: bool = True) -> list[str]:
    """Return the names of all agents that support the terrain, on a grid or on another world."""
    one_of(terrain, EVERYWHERE, "terrain is known, unknown or partial")
    return [kind.name for kind in catalogue() if terrain in kind.terrain and (on_grid or not kind.needs_grid)]


def entries(names: Sequence[str] | None, terrain: str, parameters: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the agents of a race, each with the parameters that it has.

    A parameter that none of them has raises an error. So does an agent that is listed twice, or does not support the
    terrain.
    """
    if names is not None and (isinstance(names, str) or not isinstance(names, Sequence)):
        raise ProblemError(f"the agents of a race are a list of names, not {shown(names)}")
    chosen = takers(terrain) if names is None else list(names)
    if not chosen:
        raise ProblemError(f"a race needs an agent; for {terrain} terrain choose from: {', '.join(takers(terrain))}")
    kinds = [find_kind(name, terrain) for name in chosen]
    twice = next((kind for kind in kinds if kinds.count(kind) > 1), None)
    if twice is not None:
        raise ProblemError(f"agent {twice.name!r} is listed twice")
    known = {name for kind in kinds for name in (*COMMON, *kind.parameters)}
    for name in parameters:
        if name not in known:
            raise ProblemError(f"no agent of this race has a parameter {name!r}; {nearest(name, sorted(known))}")
    own: dict[str, dict[str, Any]] = {}
    for kind in kinds:
        own[kind.name] = {name: parameters[name] for name in parameters if name in {*COMMON, *kind.parameters}}
        fill_in(kind, own[kind.name])
    return own


# ------------------------------------------------------------------ one problem


@dataclass(frozen=True)
class Film:
    """The course of an episode over time, for animations."""

    moves: Sequence[int]
    """Moves made after 0, 1, 2 ... intervals; `episode.path[moves[i]]` is the position after i intervals."""
    seen_at: np.ndarray = field(repr=False)
    """When each cell was first seen, `[y, x]`, in intervals; -1 for never. It may lag by 1/128 of the race."""


@dataclass(frozen=True)
class Race:
    """The result of a race on one problem."""

    start: Any
    goal: Any
    terrain: str
    optimal_cost: float
    """The cost of a cheapest path in the true world; infinite if there is no path, NaN if the goal moves."""
    episodes: Sequence[Episode]
    """Fewest intervals first, then least cost; agents that failed come last."""
    films: Mapping[str, Film] = field(repr=False)
    """The film of each agent, by its name; empty if the race was not recorded."""
    truth: World = field(repr=False)
    """The world as it really was, hidden obstacles included."""

    def suboptimality(self, episode: Episode) -> float | None:
        """Return the cost of the path walked over that of a cheapest path; None if it does not reach the goal."""
        if not episode.solved or math.isnan(self.optimal_cost):
            return None
        return episode.cost / self.optimal_cost if self.optimal_cost else 1.0


def race(
    world: World,
    agents: Sequence[str] | None,
    start: Any,
    goal: Any,
    *,
    terrain: str = "known",
    expansions: float | None = None,
    ms: float | None = None,
    virtual_ms: float | None = None,
    intervals: int | None = None,
    seed: int = 0,
    film: bool = False,
    target: Any = None,
    **parameters: Any,
) -> Race:
    """Race agents on one problem, each alone in the same world and with the same budget per interval.

    Parameters
    ----------
    agents
        Names of agents; None for all that support the terrain.
    world, start, goal, terrain
        As for `make`.
    expansions, ms, virtual_ms
        The budget of an interval: see `Budget`.
    intervals
        The limit per agent; an agent that has not reached its goal by then stops.
    seed
        Seed of the hidden obstacles of partial terrain, which are the same for all.
    film
        Record the race over time, for `race_picture` and `race_film`.
    target
        A moving goal: `"walk"` (from one random place to the next), `"flee"` (from the agent), or a list of places,
        one per interval. It moves in the same way for all agents, unless it flees. See `pursuit`.
    parameters
        Parameters of agents; each agent gets those that it has.

    Raises
    ------
    ProblemError
        If an agent does not support the problem, or none of them has a parameter.

    Examples
    --------
    >>> import timebound as tb
    >>> result = race(tb.Grid.load("harbour"), ["astar", "wastar"], (12, 100), (180, 14), expansions=100)
    >>> [episode.agent for episode in result.episodes]
    ['wastar', 'astar']
    """
    world, budget, film = a_world(world), Budget(expansions, ms, virtual_ms), flag(film, "film")
    names = takers(terrain, isinstance(world, Grid)) if agents is None else agents
    runners = [
        make(name, world, start, goal, terrain=terrain, seed=seed, **own)
        for name, own in entries(names, terrain, parameters).items()
    ]
    _check_runners(runners)
    if target is not None and film:
        raise ProblemError("a race after a moving target cannot be drawn; leave out the pictures")
    limits, first_goal = {**vars(budget), "intervals": intervals}, runners[0].goal
    films = {runner.name: _filmed(runner, budget, interval_limit(intervals)) for runner in runners} if film else {}
    if target is not None:
        episodes = [runner.run(**limits, target=target_of(target, runner, seed)) for runner in runners]
    else:
        episodes = [runner.episode() if film else runner.run(**limits) for runner in runners]
    truth = runners[0].truth
    optimal_cost = math.nan if target is not None else shortest_path(truth, start, goal).cost
    return Race(episodes[0].path[0], first_goal, terrain, optimal_cost, sorted(episodes, key=rank), films, truth)


def rank(episode: Episode) -> tuple[bool, int, float]:
    """Return the sort key of a result: fewest intervals first, then least cost; failures come last."""
    return not episode.solved, episode.intervals, episode.cost


def _check_runners(runners: Sequence[Agent]) -> None:
    """Check the user's own agents, which may be anything: reject incomplete ones, and ones with equal names."""
    for runner in runners:
        lacking = [name for name in ("name", "goal", "truth", "episode") if not hasattr(runner, name)]
        if lacking:
            raise ProblemError(f"{shown(runner)} cannot race: it has no `{'`, `'.join(lacking)}`")
    names = [runner.name for runner in runners]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ProblemError(f"two agents of this race have the same name, {twice!r}; rename one")


def _filmed(agent: Agent, budget: Budget, most: int) -> Film:
    """Run an agent interval by interval, within the limit, and record when it moved and what it saw."""
    if not isinstance(agent.world, Grid):
        raise ProblemError(f"races are filmed on grids, not on a {type(agent.world).__name__}")
    limits, moves, position = vars(budget), [0], agent.position
    seen_at = np.full(agent.world.shape, -1, np.int32)
    pause = 1  # intervals between two looks at what the agent has seen; the cost of a look grows with the map
    while not agent.done:
        if len(moves) == most:
            agent.run(**limits, intervals=1)  # the last one, in which it gives up
        else:
            agent.step(**limits)
        now = agent.position
        moves.append(moves[-1] + (now != position))
        position = now
        if len(moves) % pause == 0 or agent.done:
            seen_at[(seen_at < 0) & (agent.knows() != 0)] = len(moves) - 1
        if len(moves) == _MOST_GLANCES * pause:
            pause *= 2
    return Film(moves, seen_at)


# ------------------------------------------------------------------ pictures


def race_picture(map_: Map, result: Race, title: str = "") -> "Image":
    """Draw the map with the trails of a filmed race, and fog over cells that no agent has seen."""
    return trails_picture(_scene(map_, result, title), _trails(result), _seen_at(result) >= 0)


def race_film(map_: Map, result: Race, title: str = "") -> bytes:
    """Return an animation of a race as the contents of a GIF file."""
    return film_bytes(_scene(map_, result, title), _trails(result), _seen_at(result))


def _scene(map_: Map, result: Race, title: str) -> Scene:
    if not result.films:
        raise ProblemError("only recorded races can be drawn: use race(..., film=True)")
    truth = cast(Grid, result.truth)  # as every filmed race has
    hidden = map_.passable & ~truth.passable if result.terrain == "partial" else None
    return Scene(map_, result.start, result.goal, title or map_.name, result.terrain == "unknown", hidden)


def _trails(result: Race) -> list[Trail]:
    styles = {name: style for style, name in enumerate(result.films)}
    return [
        Trail(
            episode.agent,
            episode.path,
            f"{episode.intervals:,} intervals" if episode.solved else episode.stop,
            styles[episode.agent],
            result.films[episode.agent].moves,
        )
        for episode in result.episodes
    ]


def _seen_at(result: Race) -> np.ndarray:
    """Return when some agent first saw each cell; -1 for never."""
    never = np.iinfo(np.int32).max
    looks = [np.where(film.seen_at < 0, never, film.seen_at) for film in result.films.values()]
    first = np.minimum.reduce(looks)
    return np.where(first == never, -1, first)


# ------------------------------------------------------------------ many problems


class Mean(NamedTuple):
    """A mean and its 95 % confidence interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class AgentMeans:
    """The results of one agent on many problems. Means are over the problems that it solved."""

    agent: str
    solved: int
    failures: int
    means: Mapping[str, Mean]
    """Means of intervals, moves, cost, suboptimality, expansions, searches, us_per_move and memory_bytes; empty if it
    solved no problem."""
    max_us_per_move: float


class RaceProblem(NamedTuple):
    """The problems of the races."""

    start: Any
    goal: Any
    optimal_cost: float


@dataclass
class Standings:
    """The figures of many races; the races themselves, with their worlds, need not be kept.

    >>> import timebound as tb
    >>> world, standings = tb.Grid.load("harbour"), Standings()
    >>> for result in races(world, ["gbfs", "astar"], [((12, 100), (60, 70)), ((20, 90), (12, 100))], expansions=10):
    ...     standings.add(result)
    >>> [(row.agent, row.solved, row.means["suboptimality"].mean) for row in standings.table()]
    [('astar', 2, 1.0), ('gbfs', 2, ...)]
    """

    problems: list[RaceProblem] = field(default_factory=list)
    _records: dict[str, list[dict[str, float] | None]] = field(default_factory=dict)
    _longest: dict[str, float] = field(default_factory=dict)

    def add(self, result: Race) -> None:
        """Add the result of a race."""
        self.problems.append(RaceProblem(result.start, result.goal, result.optimal_cost))
        for episode in result.episodes:
            name, longest = episode.agent, episode.time_per_move_us["max"]
            self._records.setdefault(name, []).append(_figures(result, episode))
            self._longest[name] = max(longest, self._longest.get(name, 0.0))

    def table(self) -> list[AgentMeans]:
        """Return means with confidence intervals, fewest intervals first."""
        rows = []
        for agent, records in self._records.items():
            solved = [figures for figures in records if figures is not None]
            means = {name: mean_of([figures[name] for figures in solved]) for name in (solved[0] if solved else ())}
            rows.append(AgentMeans(agent, len(solved), len(records) - len(solved), means, self._longest[agent]))
        return sorted(rows, key=lambda row: row.means["intervals"].mean if row.means else math.inf)


def _figures(result: Race, episode: Episode) -> dict[str, float] | None:
    """Return the figures that means are made of; None if the agent failed."""
    suboptimality = result.suboptimality(episode)
    if suboptimality is None:
        return None
    return {
        "intervals": episode.intervals,
        "moves": episode.moves,
        "cost": episode.cost,
        "suboptimality": suboptimality,
        "expansions": episode.expansions,
        "searches": episode.searches,
        "us_per_move": episode.time_per_move_us["mean"],
        "memory_bytes": episode.memory_bytes,
    }


def races(
    world: World, agents: Sequence[str] | None, problems: Iterable[tuple[Any, Any]], seed: int = 0, **rules: Any
) -> Iterator[Race]:
    """Yield races on many problems, with the rules of `race`; hidden obstacles of the n-th have the seed `seed + n`."""
    names = None if agents is None else list(agents)
    for number, (start, goal) in enumerate(problems):
        yield race(world, names, start, goal, seed=seed + number, **rules)


def mean_of(values: Sequence[float]) -> Mean:
    """Return the mean of a sample, with the 95 % confidence interval of Student's t distribution.

    >>> mean_of([1.0, 2.0, 3.0])
    Mean(mean=2.0, low=-0.484..., high=4.484...)
    >>> mean_of([5.0])
    Mean(mean=5.0, low=-inf, high=inf)
    """
    sample = np.array(values, np.float64)
    mean = float(sample.mean())
    if len(sample) == 1:
        return Mean(mean, -math.inf, math.inf)
    error = student_t(len(sample) - 1) * float(sample.std(ddof=1)) / math.sqrt(len(sample))
    return Mean(mean, mean - error, mean + error)


@cache
def student_t(freedom: int) -> float:
    """Return the t such that 95 % of Student's distribution lies between -t and t.

    >>> [round(student_t(freedom), 3) for freedom in (1, 2, 9, 99)]
    [12.706, 4.303, 2.262, 1.984]
    """
    edges = np.linspace(0, np.pi / 2, 100_001)  # of t = tan(angle) * sqrt(freedom), whose density is a power of cosine
    within = np.cumsum(np.cos((edges[:-1] + edges[1:]) / 2) ** (freedom - 1))
    return math.sqrt(freedom) * math.tan(np.interp(0.95, within / within[-1], edges[1:]))
