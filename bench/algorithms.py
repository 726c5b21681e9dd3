"""Every agent of the catalogue on one map: the figures of docs/algorithms, and of the picture of trade-offs.

`python -m bench --only algorithms` also writes them to docs/algorithms/figures.json, if all problems were run;
`python tools/algorithm_pages.py` then puts them on the pages.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import timebound as tb
from timebound import maps
from timebound.race import Standing, Standings, races, takers

from .options import Options
from .table import table

MAP, PROBLEMS, EXPANSIONS, TERRAINS = "harbour", 20, 50, ("known", "unknown")
FIGURES = Path(__file__).parents[1] / "docs" / "algorithms" / "figures.json"


@dataclass(frozen=True)
class Row:
    """Means over the problems that were solved; the longest time is over all of them."""

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
        about = {"map": MAP, "problems": problems, "expansions": EXPANSIONS, "seed": options.seed}
        FIGURES.parent.mkdir(exist_ok=True)
        lines = ",\n  ".join(json.dumps(asdict(row)) for row in rows)
        FIGURES.write_text(f'{{"about": {json.dumps(about)},\n "rows": [\n  {lines}\n]}}\n', encoding="utf-8")
    return {"algorithms": rows}


def _rows(terrain: str, problems: int, seed: int) -> Iterator[Row]:
    map_ = maps.read(MAP)
    world, pairs = tb.Grid(map_.passable), maps.random_problems(map_, problems, seed=seed)
    for name in takers(terrain):
        standings = Standings()
        for result in races(world, [name], pairs, seed, terrain=terrain, expansions=EXPANSIONS):
            standings.add(result)
        (standing,) = standings.table()
        yield _row(terrain, standing, _preparation(name, *pairs[0]))


def _preparation(name: str, start: tuple[int, int], goal: tuple[int, int]) -> float:
    """Milliseconds to make an agent in a world where nothing is prepared, beyond those in one where everything is."""
    if not any(kind.name == name and kind.needs_grid for kind in tb.catalogue()):
        return 0.0
    world, times = tb.Grid.load(MAP), []
    for _ in range(2):
        began = time.perf_counter()
        tb.make(name, world, start, goal).plan(expansions=1)
        times.append(time.perf_counter() - began)
    return (times[0] - times[1]) * 1e3


def _row(terrain: str, standing: Standing, prepared_ms: float) -> Row:
    means = {name: mean.mean for name, mean in standing.means.items()}
    return Row(
        standing.agent,
        terrain,
        standing.solved,
        round(means["suboptimality"], 3),
        round(means["moves"], 1),
        round(means["intervals"], 1),
        round(means["expansions"], 1),
        round(means["us_per_move"], 2),
        round(standing.max_us_per_move, 1),
        round(means["memory_bytes"] / 1024, 1),
        round(prepared_ms, 1),
    )
