"""Random problems for agents, and what every walk must satisfy."""

import dataclasses
import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from naive import grid_moves
from naive_agents import reachable

import timebound as tb
from timebound.agents.parameters import SURPRISES

Cell = tuple[int, int]

# Every agent in every terrain that it takes; Repeated A* in both directions, D* Lite with both preferences.
AGENTS = [
    *((kind.name, terrain, {}) for kind in tb.catalogue() for terrain in kind.terrain),
    *(("repeated-astar", terrain, {"direction": "backward"}) for terrain in ("known", "unknown", "partial")),
    *(("dstar-lite", terrain, {"larger_g": True}) for terrain in ("known", "unknown", "partial")),
]
EXPLORERS = [(name, parameters) for name, terrain, parameters in AGENTS if terrain == "unknown"]
# Complete agents have no plan but one that leads to the goal.
COMPLETE = {kind.name for kind in tb.catalogue() if kind.part("lookahead") in ("to-the-end", "repair")}
COMPLETE_EXPLORERS = [(name, parameters) for name, parameters in EXPLORERS if name in COMPLETE]
OPTIMAL = [("astar", {}), *COMPLETE_EXPLORERS]
BUDGETS = [{"expansions": 1}, {"expansions": 7}, {"expansions": math.inf}, {"virtual_ms": 0.0005}, {"virtual_ms": 1}]


def nothing_hidden(terrain: str) -> dict[str, float]:
    """Parameters for terrain in which the agent's beliefs are true."""
    return {"hidden": 0} if terrain == "partial" else {}


@dataclass
class Problem:
    """A world, a start and a goal."""

    world: tb.Grid
    start: Cell
    goal: Cell

    def make(self, name: str, terrain: str = "known", **parameters: Any) -> tb.Agent:
        if terrain != "partial":  # where nothing is hidden, nothing can be said of it
            parameters = {given: parameters[given] for given in parameters if given not in SURPRISES}
        return tb.make(name, self.world, self.start, self.goal, terrain=terrain, **parameters)


def free_cells(passable: np.ndarray) -> list[Cell]:
    return [(x, y) for y, x in np.argwhere(passable).tolist()]


@st.composite
def problems(
    draw: st.DrawFn,
    side: int = 9,
    neighbors: tuple[int, ...] = (4, 8),
    heuristics: tuple[str, ...] = ("auto",),
    travel: tuple[float, ...] = (1.0,),
) -> Problem:
    # Drawn cell by cell, most worlds would be tiny and most starts would be goals.
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    height, width = generator.integers((side // 3, side // 2), side + 1).tolist()
    passable = generator.random((height, width)) >= generator.choice([0.1, 0.25, 0.35, 0.45])
    cells = [(x, y) for y in range(height) for x in range(width)]
    start, goal = (cells[i] for i in generator.integers(len(cells), size=2))
    for x, y in (start, goal):
        passable[y, x] = True
    world = tb.Grid(
        passable,
        neighbors=draw(st.sampled_from(neighbors)),
        corners=draw(st.sampled_from(["strict", "cut"])),
        diagonal=draw(st.sampled_from([1.4, math.sqrt(2)])),
        heuristic=draw(st.sampled_from(heuristics)),
        travel=generator.choice(travel, passable.shape) if travel[1:] else None,
    )
    return Problem(world, start, goal)


def legal(world: tb.Grid, cell: Cell, following: Cell) -> bool:
    step = following[0] - cell[0], following[1] - cell[1]
    return bool(world.passable[cell[1], cell[0]]) and step in grid_moves(
        world.passable, world.neighbors, world.corners, *cell
    )


def cost_of(world: tb.Grid, path: list[Cell]) -> float:
    lengths = {1: 1.0, 2: world.diagonal, 5: math.sqrt(5)}
    return math.fsum(lengths[(x - u) ** 2 + (y - v) ** 2] for (u, v), (x, y) in pairwise(path))


def check_walk(agent: tb.Agent, episode: tb.Episode) -> None:
    """Every move is legal in the true world, and the record describes the path."""
    path = list(episode.path)
    for cell, following in pairwise(path):
        assert legal(agent.truth, cell, following), (cell, following)
    assert episode.moves == len(path) - 1
    assert episode.cost == pytest.approx(cost_of(agent.truth, path), rel=1e-12)
    assert path[-1] == agent.position
    assert 0 <= episode.back_moves <= (episode.moves if agent.kind.part("walk") == "time-bounded" else 0)
    assert episode.reversals == sum(path[i] == path[i + 2] for i in range(len(path) - 2))


def figures(episode: tb.Episode) -> dict[str, Any]:
    """The record without the times."""
    names = (field.name for field in dataclasses.fields(episode))
    return {name: getattr(episode, name) for name in names if name not in ("time_per_move_us", "planning_us", "truth")}


def grid(*rows: str, **rules: Any) -> tb.Grid:
    """A grid drawn with `.` and `#`."""
    return tb.Grid([[cell != "#" for cell in row] for row in rows], **rules)


def check_episode(agent: tb.Agent, episode: tb.Episode, problem: Problem) -> None:
    check_walk(agent, episode)
    arrives = problem.goal in reachable(agent.truth, problem.start)
    assert episode.solved == arrives
    assert episode.stop == agent.stop == ("goal" if arrives else "unreachable")
    assert agent.done
    assert (agent.position == problem.goal) == arrives
    assert episode.searches >= (problem.start != problem.goal)
