"""Episodes that the lab runs interval by interval, to watch them or because it hides the obstacles."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..agents import Agent
from ..agents.episode import Episode
from ..core.errors import ProblemError
from ..search.solver import shortest_path
from ..worlds import Grid
from .measures import Tempo

Position = Any
Budget = Mapping[str, Any]
_THROUGH_A_WALL = 1000  # moves: the longest detour around one cell of a wall


def watched(agent: Agent, budget: Budget, most: int, expansions: bool) -> tuple[Episode, Tempo]:
    """Run an agent's episode within the limit on intervals, and its pace; count expansions only if requested."""
    start, first, largest, before = agent.position, math.nan, 0.0, 0
    for interval in range(1, most):
        if agent.done or not (expansions or math.isnan(first)):
            break
        if agent.step(**budget) != start and math.isnan(first):
            first = interval
        if expansions:
            so_far = agent.episode().expansions
            largest, before = max(largest, so_far - before), so_far
    taken = agent.episode().intervals
    episode = agent.episode() if agent.done else agent.run(**budget, intervals=max(1, most - taken))
    return episode, Tempo(first, max(largest, episode.expansions - before) if expansions else math.nan)


def among_walls(agent: Agent, truth: Grid, budget: Budget, most: int) -> tuple[Episode, Tempo]:
    """Run an agent in a world with obstacles that it does not know, except those next to it."""
    decision, first = agent.position, math.nan
    seen: set[Position] = set()
    for interval in range(1, most + 1):
        if decision != agent.position:
            agent.moved(decision)
            first = interval if math.isnan(first) else first
        if agent.done:
            break
        x, y = agent.position
        left, top = max(0, x - 1), max(0, y - 1)
        rows, columns = np.nonzero(~truth.passable[top : y + 2, left : x + 2])
        if new := {*zip((columns + left).tolist(), (rows + top).tolist(), strict=True)} - seen:
            agent.observe(blocked=new)
            seen |= new
        decision = agent.plan(**budget)
    return agent.episode(), Tempo(first)


@lru_cache(32)  # the next agents get the same problems
def hidden_walls(world: Grid, start: Position, goal: Position, share: float, length: int, seed: int) -> Grid:
    """Return the world with a share of its free cells blocked by straight walls of that length, which leave a path.

    A wall lies along a row or a column, and ends before start, goal, or an obstacle. In narrow corridors, walls nearly
    always cut the start off from the goal, however often they are drawn. Then they are drawn again, and end before one
    path: that with the fewest cells in the walls of the first draw.
    """
    truth = _walled(world, [start, goal], share, length, seed)
    if not shortest_path(truth, start, goal).solved:
        spared = _way_through(world, world.passable & ~truth.passable, start, goal)
        truth = _walled(world, spared, share, length, seed)
        if not shortest_path(truth, start, goal).solved:  # a corner that may not be cut
            raise ProblemError(
                f"walls of {length} cells on {share:.0%} of the cells leave no path from {start} to {goal}"
            )
    return truth


def _way_through(world: Grid, walls: np.ndarray, start: Position, goal: Position) -> Sequence[Position]:
    """Return a path through as few cells of walls as possible."""
    open_world = world.with_map(world.passable)
    rows, columns = np.nonzero(walls)
    open_world.set_cost(list(zip(columns.tolist(), rows.tolist(), strict=True)), _THROUGH_A_WALL)
    return shortest_path(open_world, start, goal).states


def _walled(world: Grid, spared: Sequence[Position], share: float, length: int, seed: int) -> Grid:
    """Return the world with walls that spare these cells."""
    passable = world.passable.copy()
    cells = [y for _, y in spared], [x for x, _ in spared]
    passable[cells] = False
    _block(passable, math.floor(share * world.passable.sum() + 0.5), length, np.random.default_rng([seed, length]))
    passable[cells] = True
    return world.with_map(passable)


def _block(passable: np.ndarray, cells: int, length: int, generator: np.random.Generator) -> None:
    """Build walls from random free cells, until that many cells are blocked."""
    left = cells
    for cell in generator.permutation(np.flatnonzero(passable)).tolist():
        if left <= 0:
            break
        y, x = divmod(cell, passable.shape[1])
        line = passable[y, x : x + length] if generator.random() < 0.5 else passable[y : y + length, x]
        obstacles = np.flatnonzero(~line)
        reach = min(left, int(obstacles[0]) if len(obstacles) else len(line))
        line[:reach] = False
        left -= reach
