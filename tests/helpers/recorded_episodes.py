"""A hundred problems for every agent, and the digest of the episodes that were recorded.

    python tests/helpers/recorded_episodes.py ["tbaa unknown" ...]

records them anew.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import timebound as tb

RECORD = Path(__file__).with_suffix(".json")
PROBLEMS = 100
AGENTS = [f"{kind.name} {terrain}" for kind in tb.catalogue() for terrain in kind.terrain]
COUNTS = ("moves", "intervals", "expansions", "searches", "reversals", "trace_steps", "updates")


def problem(number: int) -> tuple[tb.Grid, Any, Any, dict[str, float]]:
    """A random grid, a start, a goal and a budget; one problem in ten or so has no solution."""
    generator = np.random.default_rng([20, number])
    passable = generator.random(tuple(generator.integers(8, 25, size=2))) >= generator.choice([0.1, 0.25, 0.35])
    cells = [(x, y) for y, x in np.argwhere(passable).tolist()]
    start, goal = (cells[i] for i in generator.integers(len(cells), size=2))
    neighbors, diagonal = (8, 4, 8)[number % 3], (2**0.5, 1.4)[number % 2]
    budget = [{"expansions": 1 + number}, {"virtual_ms": 0.001 * (1 + number)}, {"expansions": float("inf")}][
        number % 3
    ]
    return tb.Grid(passable, neighbors=neighbors, diagonal=diagonal), start, goal, budget


def digest(agent: str) -> str:
    name, terrain = agent.split()
    told = []
    for number in range(PROBLEMS):
        world, start, goal, budget = problem(number)
        parameters: dict[str, Any] = {"solvable": False} if terrain == "partial" else {}
        parameters |= {"records": 20} if name == "knn-lrta" else {"level": 2} if name == "pr-lrta" else {}
        walker = tb.make(name, world, start, goal, terrain=terrain, seed=number, **parameters)
        episode = walker.run(intervals=400, **budget)
        told.append((episode.stop, episode.path, [int(getattr(episode, count)) for count in COUNTS]))
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


if __name__ == "__main__":
    chosen = sys.argv[1:] or AGENTS
    old = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    RECORD.write_text(json.dumps({**old, **{agent: digest(agent) for agent in chosen}}, indent=1) + "\n")
