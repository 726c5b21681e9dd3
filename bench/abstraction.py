"""Agents that prepare the map: the cost of preparation and of a move, compared with agents that prepare nothing."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from statistics import mean, median
from typing import Any

import timebound as tb
from timebound import maps
from timebound.subgoals.abstraction import Abstraction
from timebound.subgoals.regions import RegionSubgoals

from .maps import Kind, load
from .options import Options
from .rules import WrongAnswerError
from .table import table
from .timing import timed

_GAME_MAPS = (
    Kind("AR0011SR", "bg512/AR0011SR.map", lambda seed: maps.caves(512, 512, seed)),
    Kind("orz103d", "dao/orz103d.map", lambda seed: maps.caves(456, 463, seed + 1)),
    Kind("Enigma", "sc1/Enigma.map", lambda seed: maps.caves(768, 768, seed + 2)),
)
_LARGE, _LARGE_QUICK = 4096, 2048
_MOST = 1_000_000  # intervals; some walks of LRTA* take more
_MOST_ROWS = 2000  # in a table that is filled here
_RUNS: tuple[tuple[str, dict[str, Any], float | None], ...] = (
    *(("d-lrta", {"level": level}, None) for level in (3, 4, 5, 6)),
    *(("pr-lrta", {"level": level, "depth": 10}, None) for level in (3, 4, 5, 6, 7)),
    *(("pr-lrta", {"level": 6, "depth": depth}, None) for depth in (1, 3, 5)),
    *(("pr-lrta", {"level": 6, "depth": 10, "gamma": gamma}, None) for gamma in (0.6, 0.2)),
    *(("tba", {}, expansions) for expansions in (10, 50, 100, 500)),
    ("lrta", {}, None),
    ("astar", {}, None),
)


@dataclass(frozen=True)
class Preparation:
    """What is computed once per map."""

    map: str
    free_cells: int
    levels: int
    abstraction_ms: float
    level: int
    regions: int
    row_ms: float
    """The subgoals of all regions toward one."""
    table_s: float | None
    """Time for all pairs, on all cores; none where that takes long."""
    table_mb: float
    """Memory of all pairs, and of the region of every cell."""

    headers = (
        "map",
        "free cells",
        "levels",
        "abstraction ms",
        "level",
        "regions",
        "one goal region ms",
        "all pairs s",
        "all pairs MB",
    )


@dataclass(frozen=True)
class Walks:
    """What agents do on random problems."""

    map: str
    agent: str
    parameters: str
    solved: str
    us_a_move: float
    expansions_a_move: float
    mean_suboptimality: float
    median_suboptimality: float
    worst_suboptimality: float
    kilobytes: float

    headers = (
        "map",
        "agent",
        "parameters",
        "solved",
        "us a move",
        "expansions per move",
        "cost/optimal",
        "median",
        "worst",
        "KB per agent",
    )


def run(options: Options) -> dict[str, list]:
    """Print the two tables."""
    preparations = [row for name, world in _worlds(options) for row in _prepare(name, world)]
    _show("\nPreparation, 8 neighbours, corners cut", preparations)
    kinds = _GAME_MAPS[:1] if options.quick else _GAME_MAPS
    walks = [_walk(kind, *setting, options) for kind in kinds for setting in _RUNS]
    _show(f"\nRandom problems, {_problems(options)} per map, at most {_MOST:,} intervals", walks)
    return {"preparation": preparations, "walks": walks}


def _show(title: str, rows: list[Any]) -> None:
    print(f"{title}\n")
    print(table(rows[0].headers, [tuple(vars(row).values()) for row in rows]), flush=True)


# ------------------------------------------------------------------ preparation


def _worlds(options: Options) -> Iterable[tuple[str, tb.Grid]]:
    for kind in _GAME_MAPS:
        yield kind.name, _world(kind, options)[1]
    side = _LARGE_QUICK if options.quick else _LARGE
    yield f"caves, {side} x {side}", tb.Grid(maps.caves(side, side, options.seed).passable, corners="cut")


def _prepare(name: str, world: tb.Grid) -> Iterable[Preparation]:
    Abstraction(tb.Grid(world.passable[:8, :8], corners="cut"))  # compiled before it is timed
    seconds, abstraction = timed(lambda: Abstraction.of(world))
    for level in (3, 4, 5, 6, 8, 9, 10):
        if level > 6 and world.states < 1 << 21:
            continue
        try:
            subgoals = RegionSubgoals.of(world, level)
        except tb.ProblemError:  # too many regions
            continue
        subgoals.row(0)
        count = min(10, subgoals.count - 1)
        row_seconds, _ = timed(partial(_work_out, subgoals, count))
        fill_seconds = None
        if subgoals.count * row_seconds / count < 60 and subgoals.count <= _MOST_ROWS:
            fill_seconds, _ = timed(subgoals.fill)
        yield Preparation(
            map=name,
            free_cells=int(world.passable.sum()),
            levels=abstraction.top,
            abstraction_ms=1e3 * seconds,
            level=level,
            regions=subgoals.count,
            row_ms=1e3 * row_seconds / count,
            table_s=fill_seconds,
            table_mb=(world.states * 4 + subgoals.count**2 * 8) / 1e6,
        )


def _work_out(subgoals: RegionSubgoals, count: int) -> None:
    for goal in range(1, 1 + count):
        subgoals.row(goal)


# ------------------------------------------------------------------ walks


def _problems(options: Options) -> int:
    return 10 if options.quick else 50


@cache
def _world(kind: Kind, options: Options) -> tuple[maps.Map, tb.Grid]:
    map_ = load(kind, options.data, options.seed)
    return map_, tb.Grid(map_.passable, corners="cut")


@cache
def _cases(kind: Kind, options: Options) -> list[tuple[Any, Any, float]]:
    """Problems with the cost of a cheapest path."""
    map_, world = _world(kind, options)
    problems = maps.random_problems(map_, _problems(options), seed=options.seed, corners="cut")
    return [(start, goal, tb.shortest_path(world, start, goal).cost) for start, goal in problems]


def _walk(kind: Kind, name: str, parameters: dict[str, Any], expansions: float | None, options: Options) -> Walks:
    world, cases = _world(kind, options)[1], _cases(kind, options)
    tb.make(name, world, *cases[0][:2], **parameters).run(intervals=1, expansions=expansions)  # compiled and touched
    episodes = []
    for start, goal, _ in cases:
        episode = tb.make(name, world, start, goal, **parameters).run(intervals=_MOST, expansions=expansions)
        if not episode.solved and episode.stop != "intervals":
            raise WrongAnswerError(f"{name} did not get from {start} to {goal}: {episode}")
        episodes.append(episode)
    solved = [(episode, cost) for episode, (_, _, cost) in zip(episodes, cases, strict=True) if episode.solved]
    ratios = [episode.cost / cost for episode, cost in solved]
    moves = sum(episode.moves for episode in episodes)
    given = {**parameters, **({} if expansions is None else {"expansions": expansions})}
    return Walks(
        map=kind.name,
        agent=name,
        parameters=", ".join(f"{key} {value}" for key, value in given.items()),
        solved=f"{len(solved)} of {len(cases)}",
        us_a_move=sum(episode.planning_us for episode in episodes) / moves,
        expansions_a_move=sum(episode.expansions for episode in episodes) / moves,
        mean_suboptimality=mean(ratios),
        median_suboptimality=median(ratios),
        worst_suboptimality=max(ratios),
        kilobytes=mean(episode.memory_bytes for episode in episodes) / 1024,
    )
