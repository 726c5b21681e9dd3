"""Worlds that change and goals that move: the cost of a change on maps of two sizes, its memory, and a pursuit."""

import time
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import psutil

import timebound as tb

from . import replanning
from .options import Options
from .table import table

_SIDES = (512, 4096)
_CHANGES, _SOAK = 2000, 100_000


@dataclass(frozen=True)
class Change:
    """The cost of changes on a map of one size, in microseconds: medians."""

    side: int
    block: float
    set_cost: float
    catch_up: float

    headers = ("cells", "block or unblock us", "set_cost us", "agent catches up and steps us")

    def cells(self) -> tuple[object, ...]:
        """Return a row of the table."""
        return f"{self.side} x {self.side}", self.block, self.set_cost, self.catch_up


def run(options: Options) -> dict[str, Any]:
    """Measure the cost of changes, in time and memory; then agents that replan, and pursuits."""
    sizes = [_change(side, options.seed) for side in _SIDES]
    print(table(Change.headers, [size.cells() for size in sizes]))
    changes = _SOAK // (10 if options.quick else 1)
    grown = _soak(changes, options.seed)
    print(f"\nmemory after {changes:,} changes of 64 cells, an agent walking: {grown / 2**20:+.1f} MB")
    replanned = replanning.run(options)
    return {"sizes": sizes, "grown_bytes": grown, "replanning": replanned, "pursuits": replanning.pursuits(options)}


def _change(side: int, seed: int) -> Change:
    generator = np.random.default_rng(seed)
    world = tb.Grid(np.ones((side, side), bool))
    agent = tb.make("dstar-lite", world, (200, 200), (260, 260))
    world.set_cost([(0, 0)], 2)  # it has travel costs from now on, and everything is compiled
    agent.step()
    cells = [(int(x), int(y)) for x, y in generator.integers(0, side, (_CHANGES, 2))]
    cells = [cell for cell in cells if cell not in (agent.position, agent.goal)]
    blocks, costs, steps = [], [], []
    for i, cell in enumerate(cells):
        change = world.block if i % 2 == 0 else world.unblock
        blocks.append(_timed(lambda change=change, cell=cells[i - i % 2]: change([cell])))
        costs.append(_timed(lambda cell=cell, cost=1 + i % 3: world.set_cost([cell], cost)))
        steps.append(_timed(lambda: agent.plan(expansions=50)))
    return Change(side, median(blocks), median(costs), median(steps))


def _timed(work: Any) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e6


def _soak(changes: int, seed: int) -> int:
    """Return how much memory grows over that many changes of the same cells, once all of them have changed."""
    generator, process = np.random.default_rng(seed), psutil.Process()
    world = tb.Grid(np.ones((256, 256), bool))
    agent = tb.make("tbaa", world, (0, 0), (255, 255))
    cells = [(int(x), int(y)) for x, y in generator.integers(1, 255, (64, 2))]
    before = 0
    for i in range(changes):
        (world.block if i % 2 else world.unblock)([cells[i % 64]])
        if i % 50 == 0 and not agent.done:
            agent.step(expansions=5)
        if i == changes // 10:
            before = process.memory_info().rss
    return int(process.memory_info().rss - before)
