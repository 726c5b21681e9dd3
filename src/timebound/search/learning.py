"""Heuristics that get better from search to search.

`Learned` wraps a world: its states and moves are the same, its heuristic is the larger of the world's own and what has
been learned. The search does not know the difference.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, inlined, resized
from ..worlds.interface import aimed, heuristic, is_goal, predecessors, successors, touch

HIGHEST = 1 << 62  # as a base: no h is so large that the two would not fit into 64 bits together


class Learned(NamedTuple):
    """A world with learned h-values (Adaptive A*; the lazy form of the TBAA* paper, Algorithm 3).

    A state that search n reached at cost g is at least f(n) - g away from the goal, where f(n) is what the path that n
    found costs. That is worked out when a later search comes upon the state, and not for states that none comes upon.

    The arrays may have served other agents. Their values are void because they are not above `base`, their searches
    because their numbers are not above `since`: nothing is cleared, neither for the next agent nor to forget.
    """

    world: Any
    h: np.ndarray  # h[state] - base is the learned value, if it is above 0; empty if this agent does not learn
    base: int
    path_costs: np.ndarray  # path_costs[n - since] of every search n that is over; 0 if it found none
    since: int
    tally: np.ndarray  # updates so far, by how much they raised h in all, and the highest number ever written into h


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
    return Learned(aimed(world.world, goal), world.h, world.base, world.path_costs, world.since, world.tally)


@heuristic.of(Learned)
def _heuristic(world: Any, state: int) -> int:
    h = heuristic(world.world, state)
    return max(h, world.h[state] - world.base) if len(world.h) else h


@inlined
def own_heuristic(world: Any, state: int) -> int:
    """What the world itself says, without what was learned."""
    return heuristic(world.world, state)


@touch.of(Learned)
def _touch(world: Any, state: int, search: int, g: int) -> None:
    """TBAA* paper, Algorithm 3, lines 5 to 7."""
    if search > world.since and len(world.h):
        old, new = heuristic(world, state), world.path_costs[search - world.since] - g
        if old < new:
            raise_h(world, state, old, new)


@inlined
def raise_h(world: Any, state: int, old: int, new: int) -> None:
    """Learn that the goal is at least `new` away from a state, and not only `old`."""
    number = world.base + new
    world.h[state] = number
    world.tally[0] += 1
    world.tally[1] += new - old
    world.tally[2] = max(world.tally[2], number)


@compiled
def learned_values(world: Any) -> np.ndarray:
    """What has been learned of every state, 0 where nothing has; empty if this agent does not learn."""
    values = np.empty(len(world.h), np.int64)
    for state in range(len(values)):
        values[state] = max(0, world.h[state] - world.base)
    return values


@compiled
def with_room(world: Any, search: int) -> Learned:
    """The world, with room for the path cost of a search of that number, 0 until it has found a path; if it learns."""
    costs, number = world.path_costs, search - world.since
    if number >= len(costs) and len(world.h):
        costs = resized(costs, 2 * number)
        for i in range(len(world.path_costs), len(costs)):
            costs[i] = 0
    return Learned(world.world, world.h, world.base, costs, world.since, world.tally)


@compiled
def keep_path_cost(world: Any, search: int, cost: int) -> None:
    """The search has found a path of that cost."""
    if len(world.h):
        world.path_costs[search - world.since] = cost


@compiled
def without_learned(world: Any) -> Learned:
    """The world, all forgotten: a move became cheaper, so that what was learned may overestimate now."""
    if world.tally[2] > HIGHEST:
        world.h[:] = 0
        world.tally[2] = 0
    world.path_costs[:] = 0
    return Learned(world.world, world.h, world.tally[2], world.path_costs, world.since, world.tally)
