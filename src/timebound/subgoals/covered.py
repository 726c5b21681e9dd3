"""A map as a graph of regions, in which an agent finds its way from record to record.

In a base of even coverage (see `coverage`) a record leads from the centre of a region to that of a neighbouring one. An
agent that cannot climb to its goal looks for a path from a centre that it can climb to, to a centre from which it can
climb to the goal. That is A* over regions: a few hundred expansions where the map has millions of cells.

The graph is a world like any other, so the library's own search runs on it. Its states are the regions, and one more:
the agent's position, with moves to the regions that it can climb to. The search ends at any region from whose centre
the goal can be climbed to. That climb costs h, or a little more: the difference is neglected.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..core.integers import Int
from ..search.listener import Nobody, telling
from ..search.types import Listener
from ..worlds.grid import CompiledGrid
from ..worlds.interface import heuristic, is_goal, successors
from .cases import Cases


@telling
class Regions(NamedTuple):
    """The graph for one problem."""

    cases: Cases
    grid: CompiledGrid  # aimed at the agent's goal
    entries: np.ndarray  # regions that the agent can climb to
    entry_costs: np.ndarray
    exits: np.ndarray  # regions from which the goal can be climbed to
    ends: np.ndarray  # the numbers of entries and exits; and bit z % 64 for every exit z, for a quick test
    listener: Listener = Nobody()


@successors.of(Regions)
def _successors(world: Regions, state: Int) -> Iterator[tuple[int, int]]:
    here = state == len(world.cases.seeds)
    first = 0 if here else np.int64(world.cases.leaving[state])
    last = world.ends[0] if here else np.int64(world.cases.leaving[state + 1])
    # Only one `yield`: with two, the generator would live in memory, not in registers.
    for i in range(first, last):
        yield (
            world.entries[i] if here else world.cases.arriving[i],
            world.entry_costs[i] if here else world.cases.costs[i],
        )


@heuristic.of(Regions)
def _heuristic(world: Regions, state: Int) -> int:
    return 0 if state == len(world.cases.seeds) else heuristic(world.grid, np.int64(world.cases.seeds[state]))


@is_goal.of(Regions)
def _is_goal(world: Regions, state: Int) -> bool:
    if not world.ends[2] >> (state & 63) & 1 or state == len(world.cases.seeds):
        return False
    found = False
    for i in range(world.ends[1]):
        found = found or world.exits[i] == state
    return found
