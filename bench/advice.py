"""Advice: is the agent that a short tournament recommends on the front of a long one?"""

from dataclasses import dataclass

import timebound as tb
from timebound.applications.advice import Advice

from .maps import KINDS, load
from .options import Options
from .table import table

_SECONDS = 20.0
# Map, terrain, and the budget of an interval.
_CASES = (("dungeon", "unknown", {"ms": 0.2}), ("rooms", "known", {"ms": 0.05}), ("role play", "partial", {"ms": 1.0}))


@dataclass(frozen=True)
class Row:
    """One map and one budget: the recommendation, and its results on many other problems."""

    map: str
    terrain: str
    ms: float
    problems: int
    """Of the short tournament."""
    advised: str
    walk: float
    us_per_move: float
    long_problems: int
    shortest_walk: float
    """Of all candidates in the long one."""
    on_the_front: bool

    headers = (
        *("map", "terrain", "ms", "problems", "advice", "walk/cheapest", "us/move"),
        *("problems afterwards", "shortest walk of all", "on the front"),
    )


def run(options: Options) -> dict[str, list[Row]]:
    """Run a short tournament and a long one, on other problems, for each case."""
    rows = [_case(options, *case) for case in _CASES[: 1 if options.quick else None]]
    print(table(Row.headers, [tuple(vars(row).values()) for row in rows]), flush=True)
    return {"advice": rows}


def _case(options: Options, name: str, terrain: str, budget: dict[str, float]) -> Row:
    kind = next(kind for kind in KINDS if kind.name == name)
    world = tb.Grid(load(kind, options.data, options.seed).passable)
    problems = 3 if options.quick else 40
    _tournament(world, terrain, budget, 1e9, 1, options.seed)  # compiles, and prepares what can be prepared
    short = _tournament(world, terrain, budget, _SECONDS / 4 if options.quick else _SECONDS, 1000, options.seed)
    long = _tournament(world, terrain, budget, 1e9, problems, options.seed + 1)
    advised = short.best.candidate
    after = next(one for one in long.standings if one.candidate == advised)
    return Row(
        name,
        terrain,
        budget["ms"],
        short.problems,
        str(advised),
        after.suboptimality,
        after.us_per_move,
        long.problems,
        min(one.suboptimality for one in long.standings),
        after in long.front,
    )


def _tournament(
    world: tb.Grid, terrain: str, budget: dict[str, float], seconds: float, problems: int, seed: int
) -> Advice:
    return tb.advise(world, **budget, terrain=terrain, seconds=seconds, problems=problems, seed=seed)
