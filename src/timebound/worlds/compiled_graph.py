"""The compiled form of a graph: edges in compressed rows, and what a search asks about them."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..core.integers import Int
from .interface import aimed, heuristic, is_goal, predecessors, successors

EDGE = np.dtype([("price", np.int64), ("target", np.int32)], align=True)  # read together, so kept together
ENTRY = np.dtype([("source", np.int32), ("edge", np.int32)], align=True)
GONE = -(1 << 62)  # in place of a price, or of an extra price: the edge is blocked
# Any number from 0 to 1 would do; at this one, noise in a decimal never crosses a step.
ROUNDING = (math.sqrt(5) - 1) / 2


class CompiledGraph(NamedTuple):
    """The compiled form of a graph."""

    first: np.ndarray  # the edges of a state are edges[first[state] : first[state + 1]]
    edges: np.ndarray
    coordinates: np.ndarray  # of all states in a row, scaled so that distances are costs in the graph's unit
    dimensions: int  # coordinates per state: 0 if the heuristic is not a distance
    estimates: np.ndarray  # h of every state, or empty
    estimated: int  # the goal that they are for: there are no estimates for another
    farthest: float  # no path costs more; distances are capped here
    last: np.ndarray  # the edges that enter a state are those of entries[last[state] : last[state + 1]]
    entries: np.ndarray
    extra: np.ndarray  # an agent's differing beliefs: how much more an edge costs, or GONE; or empty
    goal: Int


@inlined
def believed_price(world: CompiledGraph, edge: Int) -> Any:
    """Return what an edge costs as far as the agent knows; negative if it is gone."""
    price = world.edges[edge].price
    return price + world.extra[edge] if len(world.extra) else price


@successors.of(CompiledGraph)
def _graph_successors(world: CompiledGraph, state: Int) -> Iterator[tuple[Any, Any]]:
    for i in range(world.first[state], world.first[state + 1]):
        price = believed_price(world, i)
        if price >= 0:
            yield np.int64(world.edges[i].target), price


@predecessors.of(CompiledGraph)
def _graph_predecessors(world: CompiledGraph, state: Int) -> Iterator[tuple[Any, Any]]:
    for j in range(world.last[state], world.last[state + 1]):
        i = np.int64(world.entries[j].edge)
        price = believed_price(world, i)
        if price >= 0:
            yield np.int64(world.entries[j].source), price


@aimed.of(CompiledGraph)
def _graph_aimed(world: CompiledGraph, goal: Int) -> CompiledGraph:
    return CompiledGraph(*world[:-1], goal)


@heuristic.of(CompiledGraph)
def _graph_heuristic(world: CompiledGraph, state: Int) -> int:
    if world.dimensions == 2:  # the usual case, without a loop
        x = world.coordinates[2 * state] - world.coordinates[2 * world.goal]
        y = world.coordinates[2 * state + 1] - world.coordinates[2 * world.goal + 1]
        return int(min(math.sqrt(x * x + y * y) + ROUNDING, world.farthest))
    if world.dimensions > 0:
        here, there, squares = world.dimensions * state, world.dimensions * world.goal, 0.0
        for i in range(world.dimensions):
            squares += (world.coordinates[here + i] - world.coordinates[there + i]) ** 2
        return int(min(math.sqrt(squares) + ROUNDING, world.farthest))
    return int(world.estimates[state]) if len(world.estimates) and world.goal == world.estimated else 0


@is_goal.of(CompiledGraph)
def _graph_is_goal(world: CompiledGraph, state: Int) -> bool:
    return bool(state == world.goal)


@compiled
def reachable(first: np.ndarray, edges: np.ndarray, usable: np.ndarray, start: Int, goal: Int) -> bool:
    """Is there a path from start to goal over the usable edges?"""
    lent, seen = borrow(edges), np.zeros(len(first) - 1, np.bool_)
    waiting, count = np.empty(len(first) - 1, np.int64), 1
    waiting[0], seen[start] = start, True
    while count:
        count -= 1
        state = waiting[count]
        for i in range(first[state], first[state + 1]):
            target = lent[i].target
            if usable[i] and not seen[target]:
                seen[target] = True
                waiting[count] = target
                count += 1
    return seen[goal]


@compiled
def cheapest_edges(first: np.ndarray, edges: np.ndarray, path: np.ndarray) -> np.ndarray:
    """Return the edge of every step of a path, the cheapest of parallel ones; -1 if there is none."""
    chosen, lent = np.full(max(0, len(path) - 1), -1, np.int64), borrow(edges)
    for step in range(len(chosen)):
        for i in range(first[path[step]], first[path[step] + 1]):
            cheaper = chosen[step] < 0 or lent[chosen[step]].price < 0 or 0 <= lent[i].price < lent[chosen[step]].price
            if lent[i].target == path[step + 1] and cheaper:
                chosen[step] = i
    return chosen


def sources_of(first: np.ndarray) -> np.ndarray:
    """Return the state that every edge leaves."""
    return np.repeat(np.arange(len(first) - 1, dtype=np.int32), np.diff(first))


def source_of(first: np.ndarray, edge: int) -> int:
    """Return the state that one edge leaves."""
    return int(np.searchsorted(first, edge, side="right")) - 1
