"""Units with bodies: a frame of a battle and a cycle of a robot, beside bare waits; and any-angle paths.

The battle and the robot are those of `examples/`.
"""

import math
import runpy
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import timebound as tb
from timebound import maps

from .options import Options
from .table import table

_EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclass(frozen=True)
class Lasted:
    """How long something took, beside waits of the length of its budget, which follow it."""

    what: str
    times: int
    budget_ms: float
    p50: float
    p99: float
    bare_p99: float

    headers = ("what", "times", "budget, ms", "p50, ms", "p99, ms", "bare wait p99, ms")

    def cells(self) -> tuple[object, ...]:
        """What the table shows."""
        return self.what, self.times, self.budget_ms, self.p50, self.p99, self.bare_p99


@dataclass(frozen=True)
class Straight:
    """Any-angle paths on random maps, beside the shortest grid paths of A* between the same ends."""

    paths: int
    length: float
    """Their length, as a share of that of grid paths."""
    time: float
    """Their time, as a multiple of that of A*."""

    headers = ("any-angle paths", "length / grid path", "time / A*")

    def cells(self) -> tuple[object, ...]:
        """What the table shows."""
        return self.paths, self.length, self.time


def run(options: Options) -> list[Any]:
    """Print the tables."""
    rows = [_battle(200 if options.quick else 2000), *map(_robot, ("rtaa", "dstar-lite"))]
    print(f"\n{table(Lasted.headers, [row.cells() for row in rows])}\n")
    straight = _straight(options)
    print(table(Straight.headers, [straight.cells()]), flush=True)
    return [*rows, straight]


def _waits(ms: float, count: int) -> list[float]:
    lasted = []
    for _ in range(count):
        began = time.perf_counter()
        while (ended := time.perf_counter()) < began + ms / 1000:
            pass
        lasted.append((ended - began) * 1000)
    return lasted


def _lasted(what: str, ms: float, took: Any, waited: list[float]) -> Lasted:
    return Lasted(what, len(took), ms, *np.percentile(took, [50, 99]).tolist(), float(np.percentile(waited, 99)))


def _battle(ticks: int) -> Lasted:
    """Ticks of 1,000 units, with their places to draw; every hundredth changes the ground."""
    names = runpy.run_path(str(_EXAMPLES / "battle_pygame.py"))
    battle, ms = names["Battle"](), names["MS"]
    took, waited = [], list[float]()
    for number in range(ticks):
        began = time.perf_counter()
        battle.fleet.tick(ms=ms)
        battle.fleet.places(battle.fleet.ticks - 0.5)
        took.append((time.perf_counter() - began) * 1000)
        waited += _waits(ms, 1)
        if number % 100 == 0:
            battle.change(*battle.random.integers(0, names["HEIGHT"], 2).tolist(), number // 100 % 2)
    return _lasted(f"a tick of {len(battle.fleet)} units", ms, took, waited)


def _robot(agent: str) -> Lasted:
    """Cycles of a robot on 4,000 x 4,000 cells."""
    robot, took = runpy.run_path(str(_EXAMPLES / "lidar_robot.py"))["drive"](agent=agent)
    return _lasted(f"a cycle of a robot ({robot.name})", 10.0, took, _waits(10.0, len(took)))


def _straight(options: Options) -> Straight:
    map_ = maps.random_obstacles(256, 256, 0.15, options.seed)
    world, lengths, times = tb.Grid(map_.passable), [], []
    for start, goal in maps.random_problems(map_, options.queries, seed=options.seed):
        began = time.perf_counter()
        straight = tb.shortest_path(world, start, goal, any_angle=True)
        middle = time.perf_counter()
        search = tb.Search(world, start, goal)
        search.advance()
        plain = search.path()
        times.append((middle - began) / (time.perf_counter() - middle))
        lengths.append(straight.cost / plain.cost if plain.cost else math.nan)
    return Straight(len(lengths), float(np.nanmean(lengths)), float(np.median(times[1:])))
