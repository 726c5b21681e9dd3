"""Subgoals prepared offline: the cost of building a base, and its benefit (kNN LRTA* paper, Tables 1 to 6).

The paper's maps are not public. The large map here is a cave of about ten million free cells; the two coverages are
compared on a smaller one.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import timebound as tb
from timebound import maps

from .options import Options
from .rules import Position, WrongAnswerError
from .table import table
from .timing import undisturbed

Problem = tuple[Position, Position]

_RULES: dict[str, Any] = {"corners": "cut", "diagonal": 1.4}  # the paper's
_LARGE, _SMALL = (4608, 4096), (1024, 1024)
_MOST = 200_000  # intervals: an agent that needs more is lost
_RANDOM = 5_000  # records of the paper's kind on the large map: enough to make the one-time preparation negligible


@dataclass(frozen=True)
class Walks:
    """What an agent did on all problems of a map."""

    map: str
    agent: str
    records: int
    built_s: float
    base_kb: float
    excess: float
    lost: int
    us_per_move: float
    slowest_us: float
    memory_kb: float


def run(options: Options) -> dict[str, Any]:
    """Measure, print tables, return the figures."""
    small = _compare(_world(_SMALL, options.seed), "1024 x 1024", options)
    _print(small)
    large_world = _world(_LARGE, options.seed)
    rates = _rates(large_world, options)
    print(f"\nlarge map: {np.count_nonzero(large_world.passable) / 1e6:.1f} million free cells")
    print(table(["coverage", "records", "s", "records/s"], [(*row,) for row in rates]))
    large = _large(large_world, options)
    _print(large)
    python = _from_python(large_world, options)
    print(f"\na move from Python (step): {python:.1f} us")
    return {"small": small, "rates": rates, "large": large, "step_us": python}


def _world(size: tuple[int, int], seed: int) -> tb.Grid:
    return tb.Grid(maps.caves(*size, seed=seed).passable, **_RULES)


def _problems(world: tb.Grid, count: int, seed: int) -> list[Problem]:
    map_ = maps.Map.from_passable(world.passable)
    return maps.random_problems(map_, count, seed, corners="cut")


# ------------------------------------------------------------------ building


def _build(world: tb.Grid, records: int, coverage: str) -> tuple[tb.CaseBase, float]:
    began = time.process_time()  # one core builds it, and other programs may disturb it for minutes
    base = tb.CaseBase.build(world, records, coverage=coverage)
    return base, time.process_time() - began


def _rates(world: tb.Grid, options: Options) -> list[tuple[str, int, float, float]]:
    rows = []
    tb.CaseBase.build(_world((200, 200), 1), 50, coverage="random")  # compiles
    tb.CaseBase.build(_world((200, 200), 1), 50)
    sizes = [("random", _RANDOM), ("even", 10_000), *([] if options.quick else [("even", 100_000)])]
    for coverage, records in sizes:
        base, seconds = _build(world, records, coverage)
        rows.append((coverage, len(base), seconds, len(base) / seconds))
    return rows


# ------------------------------------------------------------------ walking


def _compare(world: tb.Grid, name: str, options: Options) -> list[Walks]:
    problems = _problems(world, options.queries, options.seed)
    optima = [tb.shortest_path(world, *problem).cost for problem in problems]
    rows = []
    for records in (300, 1000) if options.quick else (300, 1000, 3000, 10_000):
        for coverage in ("random", "even"):
            base, seconds = _build(world, records, coverage)
            given = {"cases": base} | ({"shortcuts": False} if coverage == "random" else {})
            rows.append(_walk(world, name, f"kNN LRTA*, {coverage}", problems, optima, {}, given, base, seconds))
    for agent, budget in (("tba", {"expansions": 50}), ("tba", {"expansions": 100}), ("astar", {})):
        label = agent + "".join(f"({value})" for value in budget.values())
        rows.append(_walk(world, name, label, problems, optima, budget, {}, None, 0.0))
    return rows


def _large(world: tb.Grid, options: Options) -> list[Walks]:
    problems = _problems(world, options.queries // 2, options.seed)
    optima = [tb.shortest_path(world, *problem).cost for problem in problems]
    rows = []
    for records in (100_000,) if options.quick else (40_000, 100_000):
        base, seconds = _build(world, records, "even")
        rows.append(_walk(world, "large", "kNN LRTA*, even", problems, optima, {}, {"cases": base}, base, seconds))
    budget = {"expansions": 50}
    rows.append(_walk(world, "large", "tba(50)", problems[:10], optima[:10], budget, {}, None, 0.0))
    return rows


def _walk(
    world: tb.Grid,
    name: str,
    label: str,
    problems: Sequence[Problem],
    optima: Sequence[float],
    budget: dict[str, Any],
    parameters: dict[str, Any],
    base: tb.CaseBase | None,
    seconds: float,
) -> Walks:
    agent = label.split("(")[0] if base is None else "knn-lrta"
    tb.make(agent, world, *problems[0], **parameters).run(**budget, intervals=100)  # compiles
    episodes = []
    with undisturbed():
        for problem, best in zip(problems, optima, strict=True):
            episode = tb.make(agent, world, *problem, **parameters).run(**budget, intervals=_MOST)
            if episode.solved and episode.cost < best * (1 - 1e-9):
                raise WrongAnswerError(f"{label} found a path of {episode.cost}, but the best one has {best}")
            episodes.append((episode, best))
    arrived = [(episode, best) for episode, best in episodes if episode.solved]
    return Walks(
        name,
        label,
        0 if base is None else len(base),
        seconds,
        0.0 if base is None else base.nbytes / 1e3,
        100 * float(np.mean([episode.cost / best - 1 for episode, best in arrived])),
        len(episodes) - len(arrived),
        sum(episode.planning_us for episode, _ in arrived) / sum(episode.moves for episode, _ in arrived),
        float(np.median([episode.time_per_move_us["max"] for episode, _ in arrived])),
        float(np.mean([episode.memory_bytes for episode, _ in arrived])) / 1e3,
    )


def _from_python(world: tb.Grid, options: Options) -> float:
    """Measure a move of an agent that is driven step by step."""
    base, agents = tb.CaseBase.build(world, 10_000), 10
    moves, seconds = 0, 0.0
    for problem in _problems(world, agents, options.seed):
        agent = tb.make("knn-lrta", world, *problem, cases=base)
        agent.step()  # the choice of subgoals
        steps = [agent.step for _ in range(1000)]
        began = time.perf_counter()
        for step in steps:
            step()
        seconds += time.perf_counter() - began
        moves += len(steps)
    return 1e6 * seconds / moves


def _print(rows: Sequence[Walks]) -> None:
    tba = next((row.memory_kb for row in rows if row.agent == "tba(50)"), 0.0)
    print(f"\n{rows[0].map}")
    headers = [
        "agent",
        "records",
        "built s",
        "base kB",
        "excess %",
        "lost",
        "us/move",
        "slowest us",
        "kB/agent",
        "even at",
    ]
    print(
        table(
            headers,
            [
                (
                    row.agent,
                    row.records or None,
                    row.built_s or None,
                    row.base_kb or None,
                    row.excess,
                    row.lost,
                    row.us_per_move,
                    row.slowest_us,
                    row.memory_kb,
                    _break_even(row, tba),
                )
                for row in rows
            ],
        )
    )


def _break_even(row: Walks, other_kb: float) -> int | None:
    """Return the number of agents that, with their base, need less memory than as many TBA* agents (Table 6)."""
    saved = other_kb - row.memory_kb
    return int(row.base_kb // saved) + 1 if row.base_kb and saved > 0 else None
