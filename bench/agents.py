"""Agents: the cost of making one, and of one step from Python; how the complete agents compare in unknown terrain."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

import timebound as tb
from timebound import maps

from .maps import KINDS, load
from .options import Options
from .rules import Position, WrongAnswerError
from .table import table

_AGENTS = ("repeated-astar", "adaptive-astar", "dstar-lite")
GAMES = [kind for kind in KINDS if kind.name in ("dungeon", "strategy")]  # two of the six maps of the TBAA* paper
_BUDGETS = (0.03, 0.1, 0.3, 0.6, 0.9, 1.2, 1.5)  # from 0.3 on those of that paper, on a machine of 2012

Problem = tuple[tb.Grid, Position, Position]


@dataclass(frozen=True)
class Making:
    """The time to make an agent where others of its kind were made before, and to delete it."""

    agent: str
    terrain: str
    least_us: float
    median_us: float

    headers = ("agent", "terrain", "us to make one, least of the rounds", "median")


@dataclass(frozen=True)
class Step:
    """The cost of a call of `step` while an agent only follows its path."""

    agent: str
    terrain: str
    median_us: float
    p99_us: float

    headers = ("agent", "terrain", "us per step, median", "99th percentile")


@dataclass(frozen=True)
class Work:
    """Means over the problems of one setting."""

    setting: str
    agent: str
    problems: int
    expansions: float
    ratio: float
    moves: float
    searches: float
    ms: float
    """Milliseconds of planning, per problem."""

    headers = ("setting", "agent", "problems", "expansions", "of Repeated A*'s", "moves", "searches", "planning ms")


@dataclass(frozen=True)
class Clock:
    """Means over the problems, under one budget of the virtual clock."""

    terrain: str
    virtual_ms: float
    agent: str
    intervals: float
    moves: float
    per_move: float

    headers = ("terrain", "virtual ms", "agent", "intervals", "moves", "intervals per move")


def run(options: Options) -> dict[str, list]:
    """Print the tables."""
    made = _made(8 if options.quick else 30)
    _show("\nMaking an agent, on 512 x 512 cells with 20 % obstacles", Making.headers, made)
    steps = [
        _step(name, terrain)
        for terrain in ("known", "unknown")
        for name in ("astar", *_AGENTS)
        if _takes(name, terrain)
    ]
    _show("\nOne step from Python, on an empty map of 512 x 512 cells", Step.headers, steps)
    work = [row for setting in _settings(options) for row in _work(*setting)]
    _show("\nExpansions compared with Repeated A*", Work.headers, work)
    clock = _clock(options)
    _show("\nUnder the virtual clock, on the game maps", Clock.headers, clock)
    return {"made": made, "steps": steps, "work": work, "clock": clock}


def _show(title: str, headers: Sequence[str], rows: Sequence[object]) -> None:
    print(f"{title}\n")
    print(table(headers, [tuple(vars(row).values()) for row in rows]), flush=True)


# ------------------------------------------------------------------ making an agent


def _made(rounds: int) -> list[Making]:
    """Time the kinds by turns, 200 agents in each."""
    map_ = maps.random_obstacles(512, 512, 0.2)
    world, ((start, goal),) = tb.Grid(map_.passable), maps.random_problems(map_, 1, seed=1)
    kinds = [(name, "known") for name in ("lrta", "rtaa", "lss-lrta", "tba")]
    kinds += [(name, "unknown") for name in ("rtaa", "tbaa", *_AGENTS)]
    times: dict[tuple[str, str], list[float]] = {kind: [] for kind in kinds}
    for _ in range(rounds + 1):  # the first one compiles
        for (name, terrain), each in times.items():
            began = time.perf_counter_ns()
            for _ in range(200):
                tb.make(name, world, start, goal, terrain=terrain)
            each.append((time.perf_counter_ns() - began) / 200e3)
    return [Making(*kind, min(each[1:]), median(each[1:])) for kind, each in times.items()]


# ------------------------------------------------------------------ one step


def _takes(name: str, terrain: str) -> bool:
    return any(kind.name == name and terrain in kind.terrain for kind in tb.catalogue())


def _step(name: str, terrain: str) -> Step:
    world = tb.Grid(maps.random_obstacles(512, 512, 0.0).passable)
    times: list[int] = []
    for _ in range(5):
        agent = tb.make(name, world, (0, 0), (511, 400), terrain=terrain)
        agent.step()  # the search
        while not agent.done:
            began = time.perf_counter_ns()
            agent.step(ms=1)
            times.append(time.perf_counter_ns() - began)
    times.sort()
    return Step(name, terrain, median(times) / 1e3, times[int(0.99 * len(times))] / 1e3)


# ------------------------------------------------------------------ expansions


def _settings(options: Options) -> list[tuple[str, str, list[Problem]]]:
    """Name, terrain and problems of each: the mazes of the RTAA* paper, the game maps of the TBAA* paper."""
    count = 4 if options.quick else 20
    mazes = [maps.maze(151, 151, options.seed + i) for i in range(count)]
    in_mazes = [problem for maze in mazes for problem in _problems(maze, 1, options.seed, neighbors=4)]
    in_games = _game_problems(options)
    return [
        ("mazes of 151 x 151, 4 neighbours, unknown", "unknown", in_mazes),
        *((f"game maps, 8 neighbours, {terrain}", terrain, in_games) for terrain in ("unknown", "partial")),
    ]


def _game_problems(options: Options) -> list[Problem]:
    games = [load(kind, options.data, options.seed) for kind in GAMES]
    count = 2 if options.quick else 10
    return [problem for game in games for problem in _problems(game, count, options.seed, neighbors=8, corners="cut")]


def _problems(map_: maps.Map, count: int, seed: int, **rules: object) -> list[Problem]:
    world = tb.Grid(map_.passable, **rules)
    return [(world, start, goal) for start, goal in maps.random_problems(map_, count, seed=seed, **rules)]


def _work(setting: str, terrain: str, problems: list[Problem]) -> list[Work]:
    rows: list[Work] = []
    for name in _AGENTS:
        episodes = [_solved(name, terrain, problem) for problem in problems]
        expansions = mean(episode.expansions for episode in episodes)
        rows.append(
            Work(
                setting=setting,
                agent=name,
                problems=len(problems),
                expansions=expansions,
                ratio=expansions / (rows[0].expansions if rows else expansions),
                moves=mean(episode.moves for episode in episodes),
                searches=mean(episode.searches for episode in episodes),
                ms=mean(episode.planning_us for episode in episodes) / 1e3,
            )
        )
    return rows


def _solved(name: str, terrain: str, problem: Problem, virtual_ms: float | None = None) -> tb.Episode:
    world, start, goal = problem
    episode = tb.make(name, world, start, goal, terrain=terrain).run(virtual_ms=virtual_ms)
    if not episode.solved:
        raise WrongAnswerError(f"{name} did not get from {start} to {goal} in {terrain} terrain: {episode}")
    return episode


# ------------------------------------------------------------------ the virtual clock


def _clock(options: Options) -> list[Clock]:
    problems = _game_problems(options)
    return [
        _clocked(terrain, problems, name, budget)
        for terrain in ("unknown", "partial")
        for budget in _BUDGETS
        for name in _AGENTS
    ]


def _clocked(terrain: str, problems: list[Problem], name: str, budget: float) -> Clock:
    episodes = [_solved(name, terrain, problem, budget) for problem in problems]
    intervals, moves = (mean(getattr(episode, what) for episode in episodes) for what in ("intervals", "moves"))
    return Clock(terrain, budget, name, float(intervals), float(moves), float(intervals / moves))
