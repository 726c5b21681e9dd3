"""Jump points and prepared paths: how much sooner they are found than by A*; what it costs to prepare and hold them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

import timebound as tb
from timebound import maps

from .contenders import astar as by_astar
from .maps import KINDS, RANDOM_1024, load
from .options import Options
from .rules import WrongAnswerError
from .table import table
from .timing import Ratio, take_turns, timed

_RULES: tuple[dict, ...] = ({}, {"corners": "cut"}, {"neighbors": 4})


@dataclass(frozen=True)
class Row:
    """One map under one rule of movement."""

    name: str
    free: int
    rule: str
    corners: str
    seconds: float
    mb: float
    astar_ms: float
    jumps_ms: float
    prepared_ms: float
    to_jumps: Ratio
    times: Ratio
    two_threads: Ratio

    headers = (
        *("map", "free cells", "neighbours", "corners", "prepare s", "MB", "A* ms", "jumps ms", "prepared ms"),
        *("A*/jump points", "A*/prepared", "batch, 1/2 threads"),
    )


def run(options: Options) -> list[Row]:
    """Print a table."""
    warm_up()
    rows = [_row(map_, rule, options) for map_ in _maps(options) for rule in _RULES]
    print(table(Row.headers, [tuple(vars(row).values()) for row in rows]), flush=True)
    return rows


def warm_up() -> None:
    """Compile what prepares and what finds paths; a map without a wall has no corners, and needs less."""
    passable = np.ones((9, 9), bool)
    passable[4, 4] = False
    assert tb.Grid(passable).prepare().shortest_path((0, 0), (8, 8)).expansions
    for find in (tb.shortest_path, by_astar):
        find(tb.Grid(passable), (0, 0), (8, 8))


def _maps(options: Options) -> Iterator[maps.Map]:
    for kind in (RANDOM_1024, *KINDS)[: 2 if options.quick else None]:
        yield load(kind, options.data, options.seed)
    if not options.quick:
        yield maps.caves(3200, 3200, seed=options.seed)
        yield maps.random_obstacles(1024, 1024, 0.05, options.seed)


def _row(map_: maps.Map, rule: dict, options: Options) -> Row:
    plain, world = tb.Grid(map_.passable, **rule), tb.Grid(map_.passable, **rule)
    problems = maps.random_problems(map_, options.queries, seed=options.seed)
    seconds, paths = timed(world.prepare)
    for start, goal in problems[:10]:
        best = by_astar(plain, start, goal)
        for ours in (paths.shortest_path(start, goal), tb.shortest_path(plain, start, goal)):
            if abs(ours.cost - best.cost) > 1e-6:
                raise WrongAnswerError(f"{map_.name}, {start} to {goal}: {ours.cost} instead of {best.cost}")
    ways = (partial(by_astar, plain), partial(tb.shortest_path, plain), partial(tb.shortest_path, world))
    actions = [[partial(way, *problem) for problem in problems] for way in ways]
    astar, jumps, prepared = take_turns(actions, options.rounds, 3 * options.box)
    starts, goals = (np.array(ends) for ends in zip(*problems * 5, strict=True))
    batches = [[partial(paths.shortest_paths, starts, goals, threads=threads)] for threads in (1, 2)]
    one, two = take_turns(batches, options.rounds, 3 * options.box)
    return Row(
        name=f"{map_.name}, {map_.width} x {map_.height}",
        free=int(map_.passable.sum()),
        rule="4" if world.neighbors == 4 else f"8, {world.corners}",
        corners=f"{len(paths.corners) / int(map_.passable.sum()):.1%}",
        seconds=seconds,
        mb=paths.nbytes / 1e6,
        astar_ms=astar.ms_per_query,
        jumps_ms=jumps.ms_per_query,
        prepared_ms=prepared.ms_per_query,
        to_jumps=astar.ratio_to(jumps),
        times=astar.ratio_to(prepared),
        two_threads=one.ratio_to(two),
    )
