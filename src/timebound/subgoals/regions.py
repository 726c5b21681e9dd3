"""A map as a graph of regions: what an agent finds its way in, from record to record.

In a base of even coverage (see `coverage`) a record leads from the centre of a region to that of a neighbouring one. An
agent that cannot climb to its goal looks for the way from a centre that it can climb to, to a centre from which the
goal can be climbed to. That is an A* over regions: a few hundred expansions where the map has millions of cells.

The graph is a world like any other, so the library's own search runs on it. Its states are the regions, and two more:
where the agent is, and its goal.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..worlds.interface import heuristic, is_goal, successors


class Regions(NamedTuple):
    """The graph for one problem: the agent's place has moves to the entries, exits have a move to the goal."""

    cases: Any
    grid: Any  # aimed at the agent's goal
    entries: np.ndarray  # regions
    entry_costs: np.ndarray
    exits: np.ndarray
    exit_costs: np.ndarray
    ends: np.ndarray  # how many entries and exits there are


@successors.of(Regions)
def _successors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    count = len(world.cases.seeds)
    here = state == count + 1
    first = 0 if here else np.int64(world.cases.leaving[state])
    records = 0 if here else np.int64(world.cases.leaving[state + 1]) - first
    last = world.ends[0] if here else world.ends[1]
    for i in range(records + last):
        if i < records:
            yield np.int64(world.cases.arriving[first + i]), world.cases.costs[first + i]
        elif here:
            yield np.int64(world.entries[i]), world.entry_costs[i]
        elif world.exits[i - records] == state:
            yield count, world.exit_costs[i - records]


@heuristic.of(Regions)
def _heuristic(world: Any, state: int) -> int:
    if state >= len(world.cases.seeds):
        return 0
    return heuristic(world.grid, np.int64(world.cases.seeds[state]))


@is_goal.of(Regions)
def _is_goal(world: Any, state: int) -> bool:
    return state == len(world.cases.seeds)
