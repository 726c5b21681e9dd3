"""Survival: who is hit in small worlds with much traffic, whose predictions are right.

Whether a start was lost, so that nothing could have saved the agent, is found by exhaustive search. An agent that stops
because it has proved that it cannot get to its goal counts as hit if it is lost there.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

import timebound as tb

from .options import Options
from .table import table

AGENTS = ("safe-rts", "lss-lrta", "rtaa", "fhat", "astar")
EPISODES, SIDE, EXPANSIONS, TICKS = 10_000, 7, 40, 40


@dataclass(frozen=True)
class Row:
    """What became of an agent's episodes, of those whose start was not lost."""

    agent: str
    episodes: int
    arrived: int
    hit: int
    expansions: float
    """In a move, on average."""

    headers = ("agent", "episodes", "arrived", "hit", "expansions/move")


def lost(world: tb.Moving, start: Any) -> bool:
    """Is one hit whatever one does? All cells where one can be, tick by tick, until nothing moves."""
    paths, (x, y, tick) = list(world.movers.values()), start
    here, width, height = {(x, y)}, world.grid.width, world.grid.height
    for now in range(tick, max(map(len, paths), default=0)):
        before = [path[now] if now < len(path) else None for path in paths]
        after = [path[now + 1] if now + 1 < len(path) else None for path in paths]
        taken, passing = set(after), {*zip(after, before, strict=True)}
        steps = {(a, (a[0] + dx, a[1] + dy)) for a in here for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))}
        here = {
            b
            for a, b in steps
            if 0 <= b[0] < width and 0 <= b[1] < height and b not in taken and (a == b or (a, b) not in passing)
        }
    return not here


def problem(seed: int) -> tuple[tb.Moving, Any, Any]:
    """Make a world; the start is anywhere, so most are in danger."""
    generator = np.random.default_rng([seed, 18])
    world = tb.Moving.traffic(SIDE, SIDE, movers=0.45, bunkers=0.08, ticks=TICKS, seed=seed)
    x, y = generator.integers(SIDE, size=2).tolist()
    return world, (x, y, 0), (SIDE - 1, SIDE - 1)


def run(options: Options) -> dict[str, list[Row]]:
    """Count."""
    ends: dict[str, Counter[str]] = {name: Counter() for name in AGENTS}
    for seed in range(100 if options.quick else EPISODES):
        world, start, goal = problem(seed)
        if lost(world, start):
            continue
        for name in AGENTS:
            episode = tb.make(name, world, start, goal).run(expansions=EXPANSIONS, intervals=1000)
            doomed = episode.stop == "hit" or (episode.stop == "unreachable" and lost(world, episode.path[-1]))
            ends[name].update(episodes=1, arrived=episode.solved, hit=doomed)
            ends[name].update(expansions=episode.expansions, moves=max(1, episode.moves))
    rows = [
        Row(name, c["episodes"], c["arrived"], c["hit"], round(c["expansions"] / c["moves"], 1))
        for name, c in ends.items()
    ]
    print(table(Row.headers, [tuple(vars(row).values()) for row in rows]), flush=True)
    return {"safety": rows}
