"""The graph of a grid's corners, for many searches over long distances on one map.

If a move costs the same everywhere, some shortest path between two cells turns only at *corners*, cells at the end of a
wall, and follows the *way* from one turn to the next: diagonal moves first, then straight ones (Harabor and Grastien
2011: the forced neighbours and canonical paths of jump point search). So a corner is linked to the corners on the ways
that a path may turn into there. A path of the graph is a path of the grid, at the same cost; A* on it is jump point
search with all jumps made in advance (a jump point graph: Harabor, Uras, Stuckey and Koenig 2019).

With 4 neighbours a diagonal move stands for two straight ones. If corners must not be cut, both cells beside it are
free, so either order works. The graph is then that of 8 neighbours, strict corners and diagonal moves that cost 2.

Start and goal of a search may be any cells. Each is linked to the corners around it by ways that begin there; this
works for the goal because a shortest path is shortest in both directions. These links belong to a query: many
queries can share one graph.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow, compiled, inlined, resized
from ...compiled.interrupts import breathe
from ...core.integers import Int
from ...search.lines import (
    ALL,
    SETS,
    STRAIGHT,
    Lines,
    corners_are,
    lines_of,
    moves_to_stop,
    onward,
    place_of,
    steps_of,
    way,
    ways_of,
)
from ...worlds.compiled_graph import EDGE
from ...worlds.grid import CompiledGrid, Grid
from ...worlds.interface import aimed, heuristic, is_goal, successors

NO_WAY = -1


class CornerGraph(NamedTuple):
    """The compiled form, the same for all searches; corners are numbered in the order of the map."""

    lines: Lines  # here a path stops at every corner
    turns: np.ndarray  # see `turns_by`
    cells: np.ndarray  # where the corners are
    parts: np.ndarray  # and in which connected part of the map
    first: np.ndarray  # the links of a corner are edges[first[corner] : first[corner + 1]]
    edges: np.ndarray


class CornerQuery(NamedTuple):
    """The graph as the world of a search: after the corners come two more states, the goal and then the start."""

    graph: CornerGraph
    ends: np.ndarray  # the links of the goal, and behind them those of the start
    bounds: np.ndarray  # the first are ends[bounds[0] : bounds[1]], the others end at bounds[2]
    arrival: np.ndarray  # the cost of the way between a corner and the goal, or NO_WAY


def why_not(world: Grid) -> str:
    """Return why the graph lacks shortest paths, or nothing. With costs or knight moves they turn elsewhere."""
    if world.neighbors == 16:
        return "this one has 16 neighbours"
    return "this one has travel costs" if world.travel is not None else ""


def corners_of(world: Grid) -> np.ndarray:
    """Return the cells that are corners."""
    return np.flatnonzero(turns_by(corners_are(world))[ways_of(world).moves]).astype(np.int32)


def corner_graph(world: Grid) -> CornerGraph:
    """Return the graph of a suitable grid."""
    from ...maps.components import components

    grid, turns = ways_of(world), turns_by(corners_are(world))
    corners = np.flatnonzero(turns[grid.moves]).astype(np.int32)
    lines = lines_of(grid, world.height, np.tile(turns, 8), world.neighbors == 4)
    parts = components(world.passable, world.neighbors, world.corners)[0].ravel()[corners]
    first, edges = _all_links(lines, turns, corners)
    numbers = np.empty(world.states, np.int32)
    numbers[corners] = np.arange(len(corners))
    edges["target"] = numbers[edges["target"]]
    return CornerGraph(lines, turns, corners, parts, first, edges)


def turns_by(corners: str) -> np.ndarray:
    """Return, for each set of legal moves of a cell, the moves that a shortest path may turn to there; mostly none."""
    found = np.zeros(SETS, np.uint8)
    for k, after in enumerate(onward(corners).reshape(8, SETS)):
        beside = (k,) if k < STRAIGHT else (k, k - STRAIGHT, (k - 3) % STRAIGHT)  # no turns
        found |= after & ~np.uint8(sum(1 << move for move in beside))
    return found


# ------------------------------------------------------------------ links


@compiled
def _all_links(lines: Lines, turns: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the links of all corners, with cells as targets."""
    first, edges = np.zeros(len(corners) + 1, np.int64), np.empty(4 * len(corners), EDGE)
    for i in range(len(corners)):
        breathe(i)
        if first[i] + len(corners) > len(edges):  # two ways from a cell never lead to the same corner
            edges = resized(edges, 2 * len(edges))
        cell = np.int64(corners[i])
        ahead = np.int64(turns[lines.grid.moves[cell]])
        first[i + 1] = link_around(borrow(lines), borrow(turns), borrow(edges), first[i], cell, ahead)
    return first, resized(edges, first[len(corners)])


@compiled
def link_around(lines: Lines, turns: np.ndarray, edges: np.ndarray, count: int, origin: Int, moves: Int) -> int:
    """Link a cell with the corners on all ways that begin with one of these moves; all arrays are borrowed.

    The links go behind the first `count` edges; their targets are cells. Return the new number of edges.
    """
    grid, y = lines.grid, origin // lines.grid.width
    x = origin - y * grid.width
    for k in range(STRAIGHT):
        if moves >> k & 1:
            count = link_ahead(lines, turns, edges, count, origin, 0, k, place_of(lines, k, x, y))
    for k in range(STRAIGHT, 2 * STRAIGHT):
        cell, diagonal, going_on = origin, 0, moves >> k & 1
        columns, rows = steps_of(k)
        while going_on and grid.moves[cell] >> k & 1:
            cell += grid.offsets[k]
            diagonal += 1
            ahead = np.int64(turns[grid.moves[cell]])
            if ahead:
                count = link(grid, edges, count, cell, diagonal, 0)
                going_on = not ahead >> k & 1  # otherwise other links continue from there
            for side in (k - STRAIGHT, (k - 3) % STRAIGHT):
                place = place_of(lines, side, x + diagonal * columns, y + diagonal * rows)
                count = link_ahead(lines, turns, edges, count, cell, diagonal, side, place)
    return count


@inlined
def link_ahead(
    lines: Lines, turns: np.ndarray, edges: np.ndarray, count: int, cell: Int, diagonal: int, k: int, place: Any
) -> int:
    """Link the beginning of a way with the corners straight ahead after its diagonal moves."""
    grid, straight = lines.grid, 0
    while True:
        moves = moves_to_stop(lines, place + straight)
        straight += moves
        cell += (moves - 1) * grid.offsets[k]
        if not grid.moves[cell] >> k & 1:  # a wall
            break
        cell += grid.offsets[k]
        count = link(grid, edges, count, cell, diagonal, straight)
        if turns[grid.moves[cell]] >> k & 1:  # other links continue from there
            break
    return count


@inlined
def link(grid: CompiledGrid, edges: np.ndarray, count: int, cell: Int, diagonal: int, straight: int) -> int:
    """Append a link; return the new number of edges."""
    edges[count].target = cell
    edges[count].price = diagonal * grid.prices[STRAIGHT] + straight * grid.prices[0]
    return count + 1


# ------------------------------------------------------------------ start and goal


@inlined
def goal_of(query: CornerQuery) -> int:
    """Return the state of the goal; the start comes after it."""
    return len(query.graph.cells)


@compiled
def arrive(query: CornerQuery, goal: Int) -> CornerQuery:
    """Return the query with its end at that cell; one at a time."""
    ends, arrival, graph = borrow(query.ends), borrow(query.arrival), query.graph
    for i in range(query.bounds[1]):
        arrival[ends[i].target] = NO_WAY
    _settle(query, 0, goal)
    for i in range(query.bounds[1]):
        arrival[ends[i].target] = ends[i].price
    lines = Lines(aimed(graph.lines.grid, goal), *graph.lines[1:])
    return CornerQuery(CornerGraph(lines, *graph[1:]), query.ends, query.bounds, query.arrival)


@compiled
def depart(query: CornerQuery, start: Int) -> int:
    """Let the query begin at that cell, once its goal is set, if it has one; return its state."""
    _settle(query, 1, start)
    return goal_of(query) + 1


@compiled
def _settle(query: CornerQuery, end: int, cell: Int) -> None:
    """Link the goal (0) or the start (1) with the corners around it."""
    graph, edges, begin = query.graph, borrow(query.ends), query.bounds[end]
    lines, turns, count = borrow(graph.lines), borrow(graph.turns), begin
    if turns[lines.grid.moves[cell]]:
        count = link(lines.grid, edges, count, cell, 0, 0)
    count = link_around(lines, turns, edges, count, cell, ALL)
    for i in range(begin, count):
        edges[i].target = _corner_at(graph.cells, edges[i].target)
    for after in range(end + 1, 3):
        query.bounds[after] = count


@inlined
def _corner_at(cells: np.ndarray, cell: Int) -> int:
    """Return the number of the corner at a cell. (NumPy's search would make Numba import SciPy.)"""
    low, high = 0, len(cells) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if cells[middle] < cell else (low, middle)
    return low


@inlined
def is_apart(query: CornerQuery) -> bool:
    """Is it clear that no path leads from start to goal? Each is in the same part of the map as its corners."""
    bounds, ends, parts = query.bounds, borrow(query.ends), query.graph.parts
    if bounds[0] == bounds[1] or bounds[1] == bounds[2]:
        return True
    return parts[ends[bounds[0]].target] != parts[ends[bounds[1]].target]


@compiled
def is_open(grid: CompiledGrid, origin: Int, end: Int) -> bool:
    """Does the way from one cell lead to the other?

    If that from the goal leads to the start, a shortest path needs no corner; if not, one is linked to the goal.
    """
    cell = origin
    for k, moves in way(grid.width, origin, end):
        for _ in range(moves):
            if not grid.moves[cell] >> k & 1:
                return False
            cell += grid.offsets[k]
    return True


# ------------------------------------------------------------------ a query as a world


@successors.of(CornerQuery)
def _successors(world: CornerQuery, state: Int) -> Iterator[tuple[Any, Any]]:
    edges, first, place = world.graph.edges, world.graph.first, state
    if state >= goal_of(world):
        edges, first, place = world.ends, world.bounds, state - goal_of(world)
    for i in range(first[place], first[place + 1]):
        yield np.int64(edges[i].target), edges[i].price
    if world.arrival[state] != NO_WAY:
        yield goal_of(world), world.arrival[state]


@heuristic.of(CornerQuery)
def _heuristic(world: CornerQuery, state: Int) -> int:
    if state >= goal_of(world):
        return 0  # the goal; and the start, where any small enough number works
    return heuristic(world.graph.lines.grid, np.int64(world.graph.cells[state]))


@is_goal.of(CornerQuery)
def _is_goal(world: CornerQuery, state: Int) -> bool:
    return state == goal_of(world)
