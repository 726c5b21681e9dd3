"""Every agent of the catalogue on one map: the figures of docs/algorithms, and of the picture of trade-offs.

`python -m bench --only algorithms` also writes them to docs/algorithms/figures.json, if all problems were run;
`python tools/algorithm_pages.py` then puts them on the pages.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

import timebound as tb
from timebound import maps
from timebound.applications.race import takers

from .options import Options
from .rules import Position
from .table import table

MAP, PROBLEMS, ROUNDS, EXPANSIONS, TERRAINS = "harbour", 20, 15, 50, ("known", "unknown")
FIGURES = Path(__file__).parents[1] / "docs" / "algorithms" / "figures.json"


@dataclass(frozen=True)
class Row:
    """Means over the problems that were solved; `max_us` is the largest of all problems."""

    agent: str
    terrain: str
    solved: int
    suboptimality: float
    moves: float
    intervals: float
    expansions: float
    us_per_move: float
    max_us: float
    memory_kib: float
    prepared_ms: float
    """What is computed for the map before the first move, once; 0 for most agents."""

    headers = (
        *("agent", "terrain", "solved", "cost/optimal", "moves", "intervals"),
        *("expansions", "us/move", "max us", "KiB", "prepared in ms"),
    )


def run(options: Options) -> dict[str, list[Row]]:
    """Print the table, and write it for the pages."""
    problems = 2 if options.quick else PROBLEMS
    rows = [row for terrain in TERRAINS for row in _rows(terrain, problems, options.seed)]
    print(table(Row.headers, [tuple(vars(row).values()) for row in rows]), flush=True)
    if not options.quick:
        about = {"map": MAP, "problems": problems, "rounds": ROUNDS, "expansions": EXPANSIONS, "seed": options.seed}
        FIGURES.parent.mkdir(exist_ok=True)
        lines = ",\n  ".join(json.dumps(asdict(row)) for row in rows)
        FIGURES.write_text(f'{{"about": {json.dumps(about)},\n "rows": [\n  {lines}\n]}}\n', encoding="utf-8")
    return {"algorithms": rows}


def _rows(terrain: str, problems: int, seed: int) -> Iterator[Row]:
    map_ = maps.read(MAP)
    world, pairs = tb.Grid(map_.passable), maps.random_problems(map_, problems, seed=seed)
    for name in takers(terrain):
        runs = [
            [_walk(name, world, terrain, *pair, seed + number) for _ in range(ROUNDS)]
            for number, pair in enumerate(pairs)
        ]
        yield _row(terrain, runs, _preparation(name, *pairs[0]))


def _walk(name: str, world: tb.Grid, terrain: str, start: Position, goal: Position, seed: int) -> tb.Episode:
    return tb.make(name, world, start, goal, terrain=terrain, seed=seed).run(expansions=EXPANSIONS)


def _row(terrain: str, runs: Sequence[Sequence[tb.Episode]], prepared_ms: float) -> Row:
    """The walks are the same in every round. Of the times, the shortest counts: others were interrupted more often."""
    solved = [rounds for rounds in runs if rounds[0].solved]
    firsts = [rounds[0] for rounds in solved]
    return Row(
        firsts[0].agent,
        terrain,
        len(solved),
        round(mean(episode.suboptimality for episode in firsts), 3),
        round(mean(episode.moves for episode in firsts), 1),
        round(mean(episode.intervals for episode in firsts), 1),
        round(mean(episode.expansions for episode in firsts), 1),
        round(mean(min(each.time_per_move_us["mean"] for each in rounds) for rounds in solved), 2),
        round(max(min(each.time_per_move_us["max"] for each in rounds) for rounds in runs), 1),
        round(mean(episode.memory_bytes for episode in firsts) / 1024, 1),
        round(prepared_ms, 1),
    )


def _preparation(name: str, start: Position, goal: Position) -> float:
    """Milliseconds to make an agent in a world where nothing is prepared, beyond those in one where everything is."""
    if not any(kind.name == name and kind.needs_grid for kind in tb.catalogue()):
        return 0.0
    world, times = tb.Grid.load(MAP), []
    for _ in range(2):
        began = time.perf_counter()
        tb.make(name, world, start, goal).plan(expansions=1)
        times.append(time.perf_counter() - began)
    return (times[0] - times[1]) * 1e3
