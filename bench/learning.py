"""Agents with a local search: the cost of a move, however large the map, and a whole run compared with A*. (And TBAA*.)

The large map is tiled with the small one, and start and goal lie in the middle of a tile: an agent that does not leave
it walks the same path on both.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from statistics import mean
from typing import Any

import numpy as np

import timebound as tb
from timebound import maps

from .agents import GAMES
from .contenders import astar
from .maps import Kind, load
from .options import Options
from .rules import Position, WrongAnswerError
from .table import table
from .timing import Ratio, Turns, take_turns, timed

Problem = tuple[Position, Position]

_SMALL, _TILES, _MARGIN = 512, 8, 96
_CAVES = Kind("caves", "", lambda seed: maps.caves(_SMALL, _SMALL, seed))
_RANDOM = Kind("random 25 %", "", lambda seed: maps.random_obstacles(_SMALL, _SMALL, 0.25, seed))
_AGENTS, _TERRAINS = ("rtaa", "lss-lrta"), ("known", "unknown")
_LOOKAHEADS = (1, 9, 33, 89)
_MOST = 1_000_000  # intervals: no walk here takes that many
_LSS = 64  # expansions per search of the whole runs
_GAME_MAPS = (
    Kind("dungeon", "dao/orz103d.map", lambda seed: maps.caves(456, 463, seed)),
    *GAMES,
    Kind("dungeon", "dao/orz703d.map", lambda seed: maps.caves(502, 652, seed)),
    Kind("strategy", "sc1/Inferno.map", lambda seed: maps.caves(768, 768, seed + 2)),
    Kind("strategy", "sc1/WheelofWar.map", lambda seed: maps.caves(768, 768, seed + 3)),
)  # the six maps of the TBAA* paper
_BUDGETS = (0.03, 0.1, 0.3, 0.9)
_PUBLISHED = {  # Table 2 of the TBAA* paper: intervals in unknown terrain
    ("rtaa", 0.3): 3245,
    ("rtaa", 0.9): 2451,
    ("da-rtaa", 0.3): 2879,
    ("da-rtaa", 0.9): 2418,
}


@dataclass(frozen=True)
class Move:
    """The cost of a move within `run`, on two maps."""

    map: str
    agent: str
    terrain: str
    lookahead: int
    moves: float
    small_us: float
    large_us: float
    ratio: Ratio

    headers = (
        "map",
        "agent",
        "terrain",
        "lookahead",
        "moves per run",
        f"us per move, {_SMALL} x {_SMALL}",
        f"us per move, {_SMALL * _TILES} x {_SMALL * _TILES}",
        "ratio",
    )


@dataclass(frozen=True)
class Whole:
    """Whole runs compared with one A* for the same problems."""

    agent: str
    problems: int
    astar_ms: float
    run_ms: float
    run: Ratio
    made_and_run: Ratio
    suboptimality: float

    headers = ("agent", "problems", "A* ms", "run ms", "run / A*", "make and run / A*", "cost/optimal")


@dataclass(frozen=True)
class Clock:
    """Intervals until the goal, under the virtual clock."""

    virtual_ms: float
    agent: str
    problems: int
    intervals: float
    fewer: float | None
    """As a share of RTAA*'s intervals."""
    published: int | None
    published_fewer: float | None

    headers = ("virtual ms", "agent", "problems", "intervals", "of RTAA*'s", "in the paper", "of RTAA*'s there")


def run(options: Options) -> dict[str, list]:
    """Print the three tables."""
    moves = _moves(options)
    _show("\nA move within `run`, 8 neighbours; the same walks on both maps", moves)
    whole = _whole(options)
    _show(f"\nWhole runs, {_LSS} expansions per search, all the way, on 512 x 512 cells with 25 % obstacles", whole)
    clock = _clock(options)
    _show("\nUnknown terrain under the virtual clock, on the game maps of the TBAA* paper", clock)
    return {"moves": moves, "whole": whole, "clock": clock}


def _show(title: str, rows: list[Any]) -> None:
    print(f"{title}\n")
    print(table(rows[0].headers, [tuple(vars(row).values()) for row in rows]), flush=True)


# ------------------------------------------------------------------ a move


def _moves(options: Options) -> list[Move]:
    long = [
        _move(_CAVES, name, terrain, lookahead, 2 if options.quick else 3, options)
        for name in _AGENTS
        for terrain in _TERRAINS
        for lookahead in _LOOKAHEADS
    ]
    short = [_move(_RANDOM, name, terrain, 33, options.queries, options) for name in _AGENTS for terrain in _TERRAINS]
    bounded = [_move(_RANDOM, "tbaa", terrain, 100, options.queries, options) for terrain in _TERRAINS]
    return long + short + bounded


def _move(kind: Kind, name: str, terrain: str, lookahead: int, count: int, options: Options) -> Move:
    worlds = _worlds(kind, options.seed)
    problems, moves = [], []
    for problem in _problems_in_the_middle(worlds[0], options.seed):
        placed = problem, _moved(problem, _TILES // 2)
        walks = [_walk(name, world, where, terrain, lookahead) for world, where in zip(worlds, placed, strict=True)]
        if walks[0].cost == walks[1].cost:  # it has not left the tile
            problems.append(placed)
            moves.append(walks[0].moves)
        if len(problems) == count:
            break
    rounds = [
        [_run_seconds(name, world, placed[size], terrain, lookahead) for placed in problems]
        for _ in range(options.rounds)
        for size, world in enumerate(worlds)
    ]
    small, large = (Turns(np.array(rounds[size::2])) for size in (0, 1))
    per_move = 1e3 / mean(moves)
    return Move(
        map=kind.name,
        agent=name,
        terrain=terrain,
        lookahead=lookahead,
        moves=mean(moves),
        small_us=small.ms_per_query * per_move,
        large_us=large.ms_per_query * per_move,
        ratio=large.ratio_to(small),
    )


@cache
def _worlds(kind: Kind, seed: int) -> tuple[tb.Grid, tb.Grid]:
    """Return a map, and the same tiled."""
    tile = kind.generate(seed).passable
    return tb.Grid(tile), tb.Grid(np.tile(tile, (_TILES, _TILES)))


def _problems_in_the_middle(world: tb.Grid, seed: int) -> Iterator[Problem]:
    rng = np.random.default_rng(seed)
    cells = np.argwhere(world.passable[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN])[:, ::-1] + _MARGIN
    while True:
        start, goal = (tuple(cell) for cell in rng.choice(cells, 2).tolist())
        if tb.shortest_path(world, start, goal).solved:
            yield start, goal


def _moved(problem: Problem, tiles: int) -> Problem:
    (start_x, start_y), (goal_x, goal_y) = problem
    away = tiles * _SMALL
    return (start_x + away, start_y + away), (goal_x + away, goal_y + away)


def _walk(name: str, world: tb.Grid, problem: Problem, terrain: str, lookahead: int) -> tb.Episode:
    episode = tb.make(name, world, *problem, terrain=terrain).run(expansions=lookahead, intervals=_MOST)
    if not episode.solved:
        raise WrongAnswerError(f"{name} did not get from {problem[0]} to {problem[1]}: {episode}")
    return episode


def _run_seconds(name: str, world: tb.Grid, problem: Problem, terrain: str, lookahead: int) -> float:
    agent = tb.make(name, world, *problem, terrain=terrain)
    return timed(partial(agent.run, expansions=lookahead, intervals=_MOST))[0]


# ------------------------------------------------------------------ whole runs


def _whole(options: Options) -> list[Whole]:
    map_ = _RANDOM.generate(options.seed)
    world, problems = tb.Grid(map_.passable), maps.random_problems(map_, options.queries, seed=options.seed)
    return [_compared(name, world, problems, options.rounds) for name in reversed(_AGENTS)]


def _compared(name: str, world: tb.Grid, problems: list[Problem], rounds: int) -> Whole:
    paths = [astar(world, *problem) for problem in problems]
    walks = [_walk(name, world, problem, "known", _LSS) for problem in problems]
    runs: list[float] = []

    def solve(problem: Problem) -> None:
        agent = tb.make(name, world, *problem)
        runs.append(timed(partial(agent.run, expansions=_LSS, intervals=_MOST))[0])

    actions: list[list[Callable[[], Any]]] = [
        [partial(astar, world, *problem) for problem in problems],
        [partial(solve, problem) for problem in problems],
    ]
    astar, made_and_run = take_turns(actions, rounds, np.inf)
    run_only = Turns(np.array(runs).reshape(rounds, -1))
    return Whole(
        agent=name,
        problems=len(problems),
        astar_ms=astar.ms_per_query,
        run_ms=run_only.ms_per_query,
        run=run_only.ratio_to(astar),
        made_and_run=made_and_run.ratio_to(astar),
        suboptimality=mean(walk.cost / path.cost for walk, path in zip(walks, paths, strict=True)),
    )


# ------------------------------------------------------------------ the virtual clock


def _clock(options: Options) -> list[Clock]:
    count = 1 if options.quick else 5
    problems = [problem for kind in _GAME_MAPS for problem in _game_problems(kind, count, options)]
    rows: list[Clock] = []
    for budget in _BUDGETS:
        means = {name: mean(_intervals(name, *problem, budget) for problem in problems) for name in ("rtaa", "da-rtaa")}
        for name, intervals in means.items():
            published, base = _PUBLISHED.get((name, budget)), _PUBLISHED.get(("rtaa", budget))
            there = published / base if published and base else None
            rows.append(
                Clock(budget, name, len(problems), float(intervals), intervals / means["rtaa"], published, there)
            )
    return rows


def _game_problems(kind: Kind, count: int, options: Options) -> Iterator[tuple[tb.Grid, Problem]]:
    map_ = load(kind, options.data, options.seed)
    rules: dict[str, Any] = {"neighbors": 8, "corners": "cut"}
    world = tb.Grid(map_.passable, **rules)
    for problem in islice(maps.random_problems(map_, count, seed=options.seed, **rules), count):
        yield world, problem


def _intervals(name: str, world: tb.Grid, problem: Problem, virtual_ms: float) -> int:
    agent = tb.make(name, world, *problem, terrain="unknown")
    episode = agent.run(virtual_ms=virtual_ms, intervals=_MOST)
    if not episode.solved:
        raise WrongAnswerError(f"{name} did not get from {problem[0]} to {problem[1]}: {episode}")
    return episode.intervals
