"""Heuristics that get better from search to search.

`Learned` wraps a world: its states and moves are the same, its heuristic is the larger of the world's own and what has
been learned. The search does not know the difference. What is learned is said in `updates`, or lazily, by `touch`.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, inlined, resized
from ..worlds.interface import aimed, heuristic, hopeless, is_goal, predecessors, successors, touch
from .best_first import STRIDE

INFINITE = 1 << 60  # the h of a state from which no way leads to the goal


class Learned(NamedTuple):
    """A world with learned h-values."""

    world: Any
    h: np.ndarray  # of every state, 0 where nothing has been learned; empty if this agent does not learn
    first_h: np.ndarray  # the same at the start of the trial; empty in the first trial, and if nobody will ask
    path_costs: np.ndarray  # of every search that is over, 0 if it found no path; empty if this agent learns at once
    tally: np.ndarray  # h-values worked out anew, by how much they rose in all, and states with a learned value


@successors.of(Learned)
def _successors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    # Not a generator around a generator: that one would live in memory, and the search would take six times as long.
    return successors(world.world, state)


@predecessors.of(Learned)
def _predecessors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    return predecessors(world.world, state)


@is_goal.of(Learned)
def _is_goal(world: Any, state: int) -> bool:
    return is_goal(world.world, state)


@aimed.of(Learned)
def _aimed(world: Any, goal: int) -> Learned:
    return Learned(aimed(world.world, goal), world.h, world.first_h, world.path_costs, world.tally)


@heuristic.of(Learned)
def _heuristic(world: Any, state: int) -> int:
    h = heuristic(world.world, state)
    return max(h, world.h[state]) if len(world.h) else h


@hopeless.of(Learned)
def _hopeless(world: Any, state: int) -> bool:
    return len(world.h) > 0 and world.h[state] >= INFINITE


@inlined
def own_heuristic(world: Any, state: int) -> int:
    """What the world itself says, without what was learned."""
    return heuristic(world.world, state)


@inlined
def rise_in_trial(world: Any, state: int) -> int:
    """By how much h has risen since the start of the trial."""
    first = heuristic(world.world, state)
    if len(world.first_h):
        first = max(first, world.first_h[state])
    return heuristic(world, state) - first


@inlined
def learn(world: Any, state: int, value: int) -> None:
    """The state was found to be at least `value` away from the goal. h never decreases."""
    old = heuristic(world, state)
    world.tally[0] += 1
    if value > old:
        world.tally[2] += world.h[state] == 0
        world.h[state] = value
        if value < INFINITE:
            world.tally[1] += value - old


@compiled
def new_trial(world: Any) -> Learned:
    """The world, from whose present h further rises are counted."""
    world.tally[0] = world.tally[1] = 0
    return Learned(world.world, world.h, world.h.copy(), world.path_costs, world.tally)


@compiled
def h_values(world: Any, nodes: np.ndarray) -> np.ndarray:
    """The h of every state, that included which `touch` would only work out when it is needed."""
    values = np.empty(len(world.h), np.int64)
    for state in range(len(values)):
        values[state] = heuristic(world, state)
        search = np.int64(nodes[state].search) if len(nodes) else 0
        if search and len(world.path_costs):
            values[state] = max(values[state], world.path_costs[search // STRIDE] - nodes[state].g)
    return values


# ------------------------------------------------------------------ lazily


@touch.of(Learned)
def _touch(world: Any, state: int, search: int, g: int) -> None:
    """TBAA* paper, Algorithm 3, lines 5 to 7; also Lazy Adaptive A*.

    A state that search n reached at cost g is at least f(n) - g away from the goal, where f(n) is what the path that n
    found costs. That is worked out when a later search comes upon the state, and not for states that none comes upon.
    """
    if search and len(world.path_costs):
        value = world.path_costs[search // STRIDE] - g
        if value > heuristic(world, state):
            learn(world, state, value)


@compiled
def with_room(world: Any, search: int) -> Learned:
    """The world, with room for the path cost of a search of that number; 0 until it has found a path."""
    costs, index = world.path_costs, search // STRIDE
    if len(costs) and index >= len(costs):
        costs = resized(costs, 2 * index)
        for i in range(len(world.path_costs), len(costs)):
            costs[i] = 0
    return Learned(world.world, world.h, world.first_h, costs, world.tally)


@compiled
def keep_path_cost(world: Any, search: int, cost: int) -> None:
    """The search has found a path of that cost."""
    if len(world.path_costs):
        world.path_costs[search // STRIDE] = cost


@compiled
def forget(world: Any) -> bool:
    """A move became cheaper, so that what was learned may overestimate now; was there anything to forget?"""
    world.h[:] = 0
    world.path_costs[:] = 0
    world.tally[2] = 0
    return len(world.h) > 0
