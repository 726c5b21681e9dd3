"""Heuristics that improve from search to search.

`Learned` wraps a world: its states and moves are the same, its heuristic is the larger of the world's own and what has
been learned. The search does not notice the difference. `updates` does the learning, or lazily, `touch`.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, generic, inlined, optional, resized
from ..compiled.interrupts import breathe
from ..core.integers import Int
from ..worlds.interface import NO_STATE, aimed, heuristic, hopeless, states_met, touch, wrapping
from .listener import FORGET, RAISE, SHORTCUT, Nobody, hear, on_layer, telling
from .state import STRIDE

INFINITE = 1 << 60  # the h of a state from which no path leads to the goal
HIGHEST = 1 << 62  # the highest base: it and any h together fit into 64 bits


@telling
@wrapping
class Learned(NamedTuple):
    """A world with learned h-values.

    Other agents may have used the arrays. Their values are void because they are not above `base`, their searches
    because their numbers are not above `since`: nothing is cleared, neither for the next agent nor to forget.
    """

    world: Any
    h: Any  # h[state] - base is the learned value, if it is above 0; empty if this agent does not learn
    base: int
    rises: np.ndarray  # rises[state] - rise_base: the rise of h in this trial, if above 0; empty in the first
    rise_base: int
    path_costs: np.ndarray  # base + the path cost of every finished search, or 0; empty if this agent learns at once
    since: int
    tally: np.ndarray  # see the places of its numbers below
    listener: Any = Nobody()


# Values computed, sum of their rises, highest number in h, states with one, highest number in rises; is memory full?
UPDATES, RISES, TOP, LEARNED, HIGHEST_RISE, FULL = 0, 1, 2, 3, 4, 5


@optional
def kept_number(numbers: Any, state: Int) -> int:
    """Return the number stored for a state, in an array or a replacement of one."""
    return numbers[state]


@optional
def put_number(numbers: Any, state: Int, number: int) -> None:
    """Store a number for a state."""
    numbers[state] = number


@optional
def same_numbers(numbers: Any, others: Any) -> bool:
    """Are they the same? For one agent, they are."""
    return True


@aimed.of(Learned)
def _aimed(world: Learned, goal: Int) -> Learned:
    inner = aimed(world.world, goal)
    h, rises = (world.h, world.base), (world.rises, world.rise_base)
    return Learned(inner, *h, *rises, world.path_costs, world.since, world.tally, world.listener)


@heuristic.of(Learned)
def _heuristic(world: Learned, state: Int) -> int:
    h = heuristic(world.world, state)
    return max(h, kept_number(world.h, state) - world.base) if len(world.h) else h


hopeless.of(Learned)(lambda world, state: len(world.h) > 0 and kept_number(world.h, state) - world.base >= INFINITE)


@inlined
def rise_in_trial(world: Any, state: Int) -> int:
    """Return how much h has risen since the start of the trial."""
    if len(world.rises):
        return max(0, world.rises[state] - world.rise_base)
    return heuristic(world, state) - heuristic(world.world, state)


@generic
def learn(world: Any, state: Int, value: int) -> None:
    """Learn that the state is at least `value` away from the goal. h never decreases."""


@learn.of(Learned)
def _learn(world: Learned, state: Int, value: int) -> None:
    old = heuristic(world, state)
    world.tally[UPDATES] += 1
    if value > old:
        number = world.base + value
        world.tally[LEARNED] += kept_number(world.h, state) <= world.base
        world.tally[TOP] = max(world.tally[TOP], number)
        put_number(world.h, state, number)
        hear(world.listener, RAISE, state, NO_STATE, old, value)
        if value < INFINITE:
            world.tally[RISES] += value - old
            if len(world.rises):
                risen = max(world.rise_base, world.rises[state]) + value - old
                world.rises[state] = risen
                world.tally[HIGHEST_RISE] = max(world.tally[HIGHEST_RISE], risen)


@compiled
def learned_values(world: Any) -> np.ndarray:
    """Return what has been learned about every state, 0 for nothing; empty if this agent does not learn."""
    values = np.empty(min(len(world.h), states_met(world, len(world.h))), np.int64)
    for state in range(len(values)):
        breathe(state)
        values[state] = max(0, world.h[state] - world.base)
    return values


@compiled
def without_learned(world: Any) -> Learned:
    """Return the world with everything forgotten: after a move became cheaper, learned values may overestimate."""
    if world.tally[TOP] > HIGHEST:
        world.h[:] = 0
        world.tally[TOP] = 0
    world.path_costs[:] = 0
    world.tally[LEARNED] = 0
    rises, searches = (world.rises, above_all_rises(world.rises, world.tally)), (world.path_costs, world.since)
    hear(world.listener, FORGET, NO_STATE, NO_STATE, 0, 0)
    return Learned(world.world, world.h, world.tally[TOP], *rises, *searches, world.tally, world.listener)


@compiled
def above_all_rises(rises: np.ndarray, tally: np.ndarray) -> int:
    """Return a base from which no state has risen."""
    if tally[HIGHEST_RISE] > HIGHEST:
        rises[:] = 0
        tally[HIGHEST_RISE] = 0
    return tally[HIGHEST_RISE]


@compiled
def new_trial(world: Any, rises: np.ndarray) -> Learned:
    """Return the world with rises counted from its current h; in `rises`, if they are needed."""
    world.tally[UPDATES] = world.tally[RISES] = 0
    return rises_from_now(world, rises)


@inlined
def rises_from_now(world: Any, rises: np.ndarray) -> Learned:
    """Return the world with rises counted from its current h."""
    h, new_rises = (world.h, world.base), (rises, above_all_rises(rises, world.tally))
    return Learned(world.world, *h, *new_rises, world.path_costs, world.since, world.tally, world.listener)


@inlined
def same_values(one: Any, other: Any) -> bool:
    """Are two worlds of one agent the same: nothing forgotten, no new trial, no reallocation in between?"""
    same_rises = one.rise_base == other.rise_base and len(one.rises) == len(other.rises)
    same_h = one.base == other.base and same_numbers(one.h, other.h)
    return same_h and same_rises and len(one.path_costs) == len(other.path_costs)


@compiled
def unlearned(world: Any) -> Learned:
    """Return the world alone, for a search with another goal."""
    nothing = np.empty(0, np.int64)
    listener = on_layer(world.listener, SHORTCUT)
    return Learned(world.world, nothing, 0, nothing, 0, nothing, 0, world.tally, listener)


@compiled
def h_values(world: Any, nodes: np.ndarray) -> np.ndarray:
    """Return the h of every state, including what `touch` computes only when needed."""
    values, lent = np.empty(states_met(world, len(world.h)), np.int64), borrow(nodes)
    for state in range(len(values)):
        breathe(state)
        values[state] = heuristic(world, state)
        search = np.int64(lent[state].search) if len(lent) else 0
        if search > world.since and len(world.path_costs):
            path_cost = world.path_costs[(search - world.since) // STRIDE] - world.base
            values[state] = max(values[state], path_cost - lent[state].g)
    return values


# ------------------------------------------------------------------ lazily


@touch.of(Learned)
def _touch(world: Learned, state: Int, search: Int, g: int) -> None:
    """Update h lazily: TBAA* paper, Algorithm 3, lines 5 to 7; also Lazy Adaptive A*.

    A state that search n reached at cost g is at least f(n) - g away from the goal, where f(n) is the cost of the path
    that n found. That is computed only when a later search reaches the state.
    """
    if search > world.since and len(world.path_costs):
        value = world.path_costs[(search - world.since) // STRIDE] - world.base - g
        if value > heuristic(world, state):
            learn(world, state, value)


@inlined
def has_room(world: Any, search: int) -> bool:
    """Is there room for the path cost of that search, if path costs are kept?"""
    return len(world.path_costs) == 0 or (search - world.since) // STRIDE < len(world.path_costs)


@compiled
def with_room(world: Any, search: int) -> Learned:
    """Return the world with room for the path cost of that search, 0 until it has found a path."""
    costs, index = world.path_costs, (search - world.since) // STRIDE
    costs = resized(costs, 2 * index)
    costs[len(world.path_costs) :] = 0
    h, rises = (world.h, world.base), (world.rises, world.rise_base)
    return Learned(world.world, *h, *rises, costs, world.since, world.tally, world.listener)


@compiled
def keep_path_cost(world: Any, search: int, cost: int) -> None:
    """Store the path cost of that search."""
    if len(world.path_costs):
        world.path_costs[(search - world.since) // STRIDE] = world.base + cost
