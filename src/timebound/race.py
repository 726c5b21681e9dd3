"""Agents that race: on one problem, or on many, all with the same terrain and the same budget."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from .agents import Agent, make
from .agents.catalogue import EVERYWHERE
from .agents.parameters import COMMON
from .agents.registry import catalogue, fill_in, find_kind
from .budget import Budget, interval_limit
from .episode import Episode
from .errors import ProblemError
from .maps.model import Map
from .maps.trails import Scene, Trail, film_bytes, trails_picture
from .pursuit import target_of
from .solver import shortest_path
from .values import one_of
from .wording import shown
from .worlds import Grid, World
from .worlds.world import a_world

if TYPE_CHECKING:
    from PIL.Image import Image

_MOST_GLANCES = 256


# ------------------------------------------------------------------ who takes part


def takers(terrain: str, on_grid: bool = True) -> list[str]:
    """The names of all agents that take the terrain, of a grid or of another world."""
    one_of(terrain, EVERYWHERE, "terrain is known, unknown or partial")
    return [kind.name for kind in catalogue() if terrain in kind.terrain and (on_grid or not kind.needs_grid)]


def entries(names: Iterable[str] | None, terrain: str, parameters: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The agents of a race, each with those of the parameters that it has.

    A parameter that none of them has is refused; so is an agent that is there twice or cannot take the terrain.
    """
    chosen = takers(terrain) if names is None else list(names)
    if not chosen:
        raise ProblemError(f"a race needs an agent; for {terrain} terrain there are: {', '.join(takers(terrain))}")
    twice = next((name for name in chosen if chosen.count(name) > 1), None)
    if twice is not None:
        raise ProblemError(f"agent {shown(twice)} is there twice")
    kinds = [find_kind(name, terrain) for name in chosen]
    known = {name for kind in kinds for name in (*COMMON, *kind.parameters)}
    for name in parameters:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(sorted(known))}"
            raise ProblemError(f"no agent of this race has a parameter {name!r}; {hint}")
    own = {
        kind.name: {name: parameters[name] for name in parameters if name in {*COMMON, *kind.parameters}}
        for kind in kinds
    }
    for kind in kinds:
        fill_in(kind, own[kind.name])
    return own


# ------------------------------------------------------------------ one problem


@dataclass(frozen=True)
class Film:
    """How an episode went in time, for pictures that move."""

    moves: Sequence[int]
    """How many moves were made after 0, 1, 2 ... intervals; `episode.path[moves[i]]` is the position then."""
    seen_at: np.ndarray = field(repr=False)
    """The interval after which a cell had been seen, `[y, x]`; -1 for never. It may be late by a 128th of the race."""


@dataclass(frozen=True)
class Race:
    """What came of a race on one problem."""

    start: Any
    goal: Any
    terrain: str
    optimal_cost: float
    """The cost of a cheapest path in the true world; infinite if there is no way, NaN if the goal moves."""
    episodes: Sequence[Episode]
    """The fewest intervals first, then the least cost; those who failed come last."""
    films: Mapping[str, Film] = field(repr=False)
    """Of each agent, by its name; empty if the race was not filmed."""
    truth: World = field(repr=False)
    """The world as it really was, hidden obstacles included."""

    def suboptimality(self, episode: Episode) -> float | None:
        """The cost of the path walked over that of the cheapest; None if it does not lead to the goal."""
        if not episode.solved or math.isnan(self.optimal_cost):
            return None
        return episode.cost / self.optimal_cost if self.optimal_cost else 1.0


def race(
    world: World,
    agents: Iterable[str] | None,
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
    """Let agents race on one problem, each alone in the same world and with the same budget per interval.

    Parameters
    ----------
    agents
        Their names; None for all that take the terrain.
    intervals
        At most so many per agent; who is not at its goal by then stops for that reason.
    seed
        For the hidden obstacles of partial terrain, which are the same for all.
    film
        Record how it went in time, for `maps.trails`.
    target
        If the goal moves: `"walk"` (from one random place to the next), `"flee"` (from the agent), or a list of places,
        one for every interval. It is the same for all, but for one that flees. See `pursuit`.
    parameters
        Of the agents; each gets those that it has.

    Examples
    --------
    >>> import timebound as tb
    >>> result = race(tb.Grid.load("harbour"), ["astar", "wastar"], (12, 100), (180, 14), expansions=100)
    >>> [episode.agent for episode in result.episodes]
    ['wastar', 'astar']
    """
    world, budget = a_world(world), Budget(expansions, ms, virtual_ms)
    names = takers(terrain, isinstance(world, Grid)) if agents is None else agents
    runners = [
        make(name, world, start, goal, terrain=terrain, seed=seed, **own)
        for name, own in entries(names, terrain, parameters).items()
    ]
    _check_runners(runners)
    if target is not None:
        return _pursuits(runners, terrain, target, seed, {**vars(budget), "intervals": intervals}, film)
    films = {runner.name: _filmed(runner, budget, interval_limit(intervals)) for runner in runners} if film else {}
    episodes = [runner.episode() if film else runner.run(**vars(budget), intervals=intervals) for runner in runners]
    truth = runners[0].truth
    best = shortest_path(truth, start, goal)
    optimal_cost = best.cost if best.solved else math.inf
    ranked = sorted(episodes, key=rank)
    return Race(runners[0].episode().path[0], runners[0].goal, terrain, optimal_cost, ranked, films, truth)


def rank(episode: Episode) -> tuple[bool, int, float]:
    """How results are sorted: the fewest intervals first, then the least cost; those who failed come last."""
    return not episode.solved, episode.intervals, episode.cost


def _pursuits(
    runners: list[Agent], terrain: str, target: Any, seed: int, limits: Mapping[str, Any], film: bool
) -> Race:
    """Every agent after a target of its own."""
    if film:
        raise ProblemError("a race after a target that moves cannot be drawn; leave the pictures out")
    start, goal = runners[0].position, runners[0].goal
    episodes = [runner.run(**limits, target=target_of(target, runner, seed)) for runner in runners]
    return Race(start, goal, terrain, math.nan, sorted(episodes, key=rank), {}, runners[0].truth)


def _check_runners(runners: Sequence[Agent]) -> None:
    """Agents of a user's own may be anything: refuse those that lack something, or that nobody could tell apart."""
    for runner in runners:
        lacking = [name for name in ("name", "goal", "truth", "episode") if not hasattr(runner, name)]
        if lacking:
            raise ProblemError(f"{shown(runner)} cannot race: it has no `{'`, `'.join(lacking)}`")
    names = [runner.name for runner in runners]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ProblemError(f"two agents of this race call themselves {twice!r}: their results could not be told apart")


def _filmed(agent: Agent, budget: Budget, most: int) -> Film:
    """Drive an agent to its end, interval by interval and at most so many, and note when it moved and what it saw."""
    if not isinstance(agent.world, Grid):
        raise ProblemError(f"races are filmed on grids, not on a {type(agent.world).__name__}")
    limits, moves, position = vars(budget), [0], agent.position
    seen_at = np.full(agent.world.shape, -1, np.int32)
    pause = 1  # intervals between two looks at what the agent has seen; looks cost as much as the map is large
    while not agent.done:
        if len(moves) == most:
            agent.run(**limits, intervals=1)  # its last one: it gives up then
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
    """The map with the trails of a race that was filmed, and the fog of what nobody has seen."""
    return trails_picture(_scene(map_, result, title), _trails(result), _seen_at(result) >= 0)


def race_film(map_: Map, result: Race, title: str = "") -> bytes:
    """A race that was filmed, as the contents of a GIF file."""
    return film_bytes(_scene(map_, result, title), _trails(result), _seen_at(result))


def _scene(map_: Map, result: Race, title: str) -> Scene:
    if not result.films:
        raise ProblemError("there are pictures of races that were filmed only: race(..., film=True)")
    truth = cast(Grid, result.truth)  # as every race that was filmed has
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
    """When somebody first saw each cell; -1 for never."""
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
class Standing:
    """How one agent did over many problems. Means are over those that it solved."""

    agent: str
    solved: int
    failures: int
    means: Mapping[str, Mean]
    """Of intervals, moves, cost, suboptimality, expansions, searches, us_per_move and memory_bytes; empty if it solved
    none."""
    max_us_per_move: float


class Problem(NamedTuple):
    """What was raced on."""

    start: Any
    goal: Any
    optimal_cost: float


@dataclass
class Standings:
    """The figures of many races. The races themselves, with their worlds, need not be kept.

    >>> import timebound as tb
    >>> world, standings = tb.Grid.load("harbour"), Standings()
    >>> for result in races(world, ["gbfs", "astar"], [((12, 100), (60, 70)), ((20, 90), (12, 100))], expansions=10):
    ...     standings.add(result)
    >>> [(row.agent, row.solved, row.means["suboptimality"].mean) for row in standings.table()]
    [('astar', 2, 1.0), ('gbfs', 2, ...)]
    """

    problems: list[Problem] = field(default_factory=list)
    _records: dict[str, list[dict[str, float] | None]] = field(default_factory=dict)
    _longest: dict[str, float] = field(default_factory=dict)

    def add(self, result: Race) -> None:
        """Another race is over."""
        self.problems.append(Problem(result.start, result.goal, result.optimal_cost))
        for episode in result.episodes:
            name, longest = episode.agent, episode.time_per_move_us["max"]
            self._records.setdefault(name, []).append(_figures(result, episode))
            self._longest[name] = max(longest, self._longest.get(name, 0.0))

    def table(self) -> list[Standing]:
        """Means with confidence intervals, the fewest intervals first."""
        rows = [self._standing(agent) for agent in self._records]
        return sorted(rows, key=lambda row: row.means["intervals"].mean if row.means else math.inf)

    def _standing(self, agent: str) -> Standing:
        records = self._records[agent]
        solved = [figures for figures in records if figures is not None]
        means = {name: mean_of([figures[name] for figures in solved]) for name in (solved[0] if solved else ())}
        return Standing(agent, len(solved), len(records) - len(solved), means, self._longest[agent])


def _figures(result: Race, episode: Episode) -> dict[str, float] | None:
    """What means are made of; None if the agent failed."""
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
    world: World, agents: Iterable[str] | None, problems: Iterable[tuple[Any, Any]], seed: int = 0, **rules: Any
) -> Iterator[Race]:
    """Races on many problems, one by one, with the rules of `race`; the hidden obstacles of the n-th have seed + n."""
    names = None if agents is None else list(agents)
    for number, (start, goal) in enumerate(problems):
        yield race(world, names, start, goal, seed=seed + number, **rules)


def mean_of(values: Sequence[float]) -> Mean:
    """The mean of a sample, with the 95 % confidence interval of Student's t distribution.

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


def student_t(freedom: int, share: float = 0.95) -> float:
    """The t that a share of Student's distribution lies within, on both sides, for so many degrees of freedom.

    >>> [round(student_t(freedom), 3) for freedom in (1, 2, 9, 99)]
    [12.706, 4.303, 2.262, 1.984]
    >>> round(student_t(9, 0.99), 3)
    3.25
    """
    low, high = 0.0, 13.0
    while _share_within(high, freedom) < share:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _share_within(middle, freedom) < share else (low, middle)
    return low


def _share_within(t: float, freedom: int) -> float:
    """The share of Student's distribution between -t and t: the finite sums 26.7.3 and 26.7.4 of Abramowitz, Stegun."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, odd = math.cos(angle), freedom % 2
    term, total = (cosine if odd else 1.0), 0.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= cosine * cosine * k / (k + 1)
    sine = math.sin(angle) * total
    return (angle + sine) * 2 / math.pi if odd else sine
