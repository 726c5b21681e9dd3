"""Every agent, on a hundred problems: the episodes must be those that were recorded, to the last byte.

Algorithms are deterministic, so a change of the machinery that they run on must not show here. A change of an algorithm
that is meant to show does: record it with `python tests/agents/test_recorded_episodes.py`, and say why in the commit.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import timebound as tb

RECORD = Path(__file__).with_name("recorded_episodes.json")
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


def checked(agent: str) -> Any:
    """Bounds are checked for every agent once: in unknown terrain if it takes that."""
    once = not agent.endswith(" known") or "-lrta" in agent
    return pytest.param(agent, marks=pytest.mark.bounds) if once else agent


@pytest.mark.parametrize("agent", [*map(checked, AGENTS)])
def test_episodes_are_those_that_were_recorded(agent: str) -> None:
    assert digest(agent) == json.loads(RECORD.read_text())[agent]


if __name__ == "__main__":
    chosen = sys.argv[1:] or AGENTS
    old = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    RECORD.write_text(json.dumps({**old, **{agent: digest(agent) for agent in chosen}}, indent=1) + "\n")
