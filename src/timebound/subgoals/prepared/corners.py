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
from ...worlds.compiled_graph import EDGE
from ...worlds.grid import STEPS, CompiledGrid, Grid, legal_moves
from ...worlds.grid_input import Corners
from ...worlds.interface import aimed, heuristic, is_goal, successors

NO_WAY = -1
ALL = 255  # moves


class CornerGraph(NamedTuple):
    """The compiled form, the same for all searches; corners are numbered in the order of the map."""

    grid: CompiledGrid
    turns: np.ndarray  # see `turns_by`
    cells: np.ndarray  # where the corners are
    parts: np.ndarray  # and in which connected part of the map
    first: np.ndarray  # the links of a corner are edges[first[corner] : first[corner + 1]]
    edges: np.ndarray
    stairs: bool  # does a diagonal move stand for two straight ones?


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
    return _rules_of(world)[2]


def corner_graph(world: Grid) -> CornerGraph:
    """Return the graph of a suitable grid."""
    from ...maps.components import components

    grid, turns, corners = _rules_of(world)
    parts = components(world.passable, world.neighbors, world.corners)[0].ravel()[corners]
    first, edges = _all_links(grid, turns, corners)
    numbers = np.empty(world.states, np.int32)
    numbers[corners] = np.arange(len(corners))
    edges["target"] = numbers[edges["target"]]
    return CornerGraph(grid, turns, corners, parts, first, edges, world.neighbors == 4)


def _rules_of(world: Grid) -> tuple[CompiledGrid, np.ndarray, np.ndarray]:
    """Return the grid of 8 neighbours (its heuristic is the cost of a way, whatever agents use), turns and corners."""
    grid = world.compiled(0)
    if world.neighbors == 4:
        offsets = STEPS[:8, 1] * world.width + STEPS[:8, 0]
        prices = np.repeat(grid.prices[0] * np.array([1, 2]), 4)
        grid = grid._replace(moves=legal_moves(world.passable, 8, "strict"), offsets=offsets, prices=prices)
    straight, diagonal = int(grid.prices[0]), int(grid.prices[4])
    octile = (straight, diagonal - straight)
    turns = turns_by("strict" if world.neighbors == 4 else world.corners)
    corners = np.flatnonzero(turns[grid.moves]).astype(np.int32)
    return grid._replace(flat=octile, steep=octile, straight=0.0), turns, corners


def turns_by(corners: Corners) -> np.ndarray:
    """Return, for each set of legal moves of a cell, the moves that a shortest path may turn to there; mostly none.

    Let a and b be straight moves at right angles. If corners must not be cut, and of the cells at a, b and a + b only
    the last is blocked, a path that comes from a may turn to b, or to b - a. If they may be cut, and the cell at a is
    blocked, one that comes from -b, or from a - b, may turn to a + b. No other turn is worthwhile: some path costs no
    more and makes it earlier, or not at all (jump point search prunes neighbours in this way).
    """
    number = {tuple(step): k for k, step in enumerate(STEPS[:8].tolist())}

    def bit(step: np.ndarray) -> int:
        return 1 << number[tuple(step.tolist())]

    turns = np.zeros(256, np.uint8)
    for i, j in ((0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)):
        a, b = STEPS[i], STEPS[j]
        for moves in range(256):
            if corners == "strict" and moves & bit(a) and moves & bit(b) and not moves & bit(a + b):
                turns[moves] |= moves & (bit(b) | bit(b - a))
            if corners == "cut" and not moves & bit(a) and moves & bit(a + b) and moves & (bit(-b) | bit(a - b)):
                turns[moves] |= bit(a + b)
    return turns


# ------------------------------------------------------------------ links


@compiled
def _all_links(grid: CompiledGrid, turns: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the links of all corners, with cells as targets."""
    first, edges = np.zeros(len(corners) + 1, np.int64), np.empty(4 * len(corners), EDGE)
    for i in range(len(corners)):
        breathe(i)
        if first[i] + len(corners) > len(edges):  # two ways from a cell never lead to the same corner
            edges = resized(edges, 2 * len(edges))
        cell = np.int64(corners[i])
        ahead = np.int64(turns[grid.moves[cell]])
        first[i + 1] = link_around(borrow(grid), borrow(turns), borrow(edges), first[i], cell, ahead)
    return first, resized(edges, first[len(corners)])


@compiled
def link_around(grid: CompiledGrid, turns: np.ndarray, edges: np.ndarray, count: int, origin: Int, moves: Int) -> int:
    """Link a cell with the corners on all ways that begin with one of these moves; all arrays are borrowed.

    The links go behind the first `count` edges; their targets are cells. Return the new number of edges.
    """
    for k in range(4):
        if moves >> k & 1:
            count = link_ahead(grid, turns, edges, count, origin, 0, k)
    for k in range(4, 8):
        cell, diagonal, going_on = origin, 0, moves >> k & 1
        while going_on and grid.moves[cell] >> k & 1:
            cell += grid.offsets[k]
            diagonal += 1
            ahead = np.int64(turns[grid.moves[cell]])
            if ahead:
                count = link(grid, edges, count, cell, diagonal, 0)
                going_on = not ahead >> k & 1  # otherwise other links continue from there
            for side in (k - 4, (k - 3) % 4):  # the two straight moves on both sides of a diagonal one
                count = link_ahead(grid, turns, edges, count, cell, diagonal, side)
    return count


@inlined
def link_ahead(
    grid: CompiledGrid, turns: np.ndarray, edges: np.ndarray, count: int, cell: Int, diagonal: int, k: int
) -> int:
    """Link the beginning of a way with the corners straight ahead after its diagonal moves."""
    straight, going_on = 0, True
    while going_on and grid.moves[cell] >> k & 1:
        cell += grid.offsets[k]
        straight += 1
        ahead = np.int64(turns[grid.moves[cell]])
        if ahead:
            count = link(grid, edges, count, cell, diagonal, straight)
            going_on = not ahead >> k & 1
    return count


@inlined
def link(grid: CompiledGrid, edges: np.ndarray, count: int, cell: Int, diagonal: int, straight: int) -> int:
    """Append a link; return the new number of edges."""
    edges[count].target = cell
    edges[count].price = diagonal * grid.prices[4] + straight * grid.prices[0]
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
    grid = aimed(graph.grid, goal)
    aim = CornerGraph(grid, graph.turns, graph.cells, graph.parts, graph.first, graph.edges, graph.stairs)
    return CornerQuery(aim, query.ends, query.bounds, query.arrival)


@compiled
def depart(query: CornerQuery, start: Int) -> int:
    """Let the query begin at that cell, once its goal is set, if it has one; return its state."""
    _settle(query, 1, start)
    return goal_of(query) + 1


@compiled
def _settle(query: CornerQuery, end: int, cell: Int) -> None:
    """Link the goal (0) or the start (1) with the corners around it."""
    graph, edges, begin = query.graph, borrow(query.ends), query.bounds[end]
    grid, turns, count = borrow(graph.grid), borrow(graph.turns), begin
    if turns[grid.moves[cell]]:
        count = link(grid, edges, count, cell, 0, 0)
    count = link_around(grid, turns, edges, count, cell, ALL)
    for i in range(begin, count):
        edges[i].target = np.searchsorted(graph.cells, edges[i].target)
    for after in range(end + 1, 3):
        query.bounds[after] = count


@inlined
def is_apart(query: CornerQuery) -> bool:
    """Is it clear that no path leads from start to goal? Each is in the same part of the map as its corners."""
    bounds, ends, parts = query.bounds, borrow(query.ends), query.graph.parts
    if bounds[0] == bounds[1] or bounds[1] == bounds[2]:
        return True
    return parts[ends[bounds[0]].target] != parts[ends[bounds[1]].target]


# ------------------------------------------------------------------ ways


@inlined
def way(grid: CompiledGrid, origin: Int, end: Int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the way from one cell to another: its diagonal step and how many; its straight step and how many."""
    rows = end // grid.width - origin // grid.width
    columns = end - origin - rows * grid.width
    down, right, steep = rows > 0, columns > 0, abs(rows) > abs(columns)
    diagonal = (4 if right else 5) if down else (7 if right else 6)
    straight = (1 if down else 3) if steep else (0 if right else 2)
    near, far = min(abs(rows), abs(columns)), max(abs(rows), abs(columns))
    return (diagonal, near), (straight, far - near)


@compiled
def is_open(grid: CompiledGrid, origin: Int, end: Int) -> bool:
    """Does the way from one cell lead to the other?

    If that from the goal leads to the start, a shortest path needs no corner; if not, one is linked to the goal.
    """
    cell = origin
    for k, moves in way(grid, origin, end):
        for _ in range(moves):
            if not grid.moves[cell] >> k & 1:
                return False
            cell += grid.offsets[k]
    return True


@compiled
def moves_along(grid: CompiledGrid, points: np.ndarray) -> tuple[int, int]:
    """Return the number of straight and diagonal moves on the ways from each of these cells to the next."""
    straight = diagonal = 0
    for i in range(len(points) - 1):
        (_, more_diagonal), (_, more_straight) = way(grid, np.int64(points[i]), np.int64(points[i + 1]))
        straight += more_straight
        diagonal += more_diagonal
    return straight, diagonal


@compiled
def cells_along(graph: CornerGraph, points: np.ndarray) -> np.ndarray:
    """Return all cells on the ways from each of these cells to the next; the last way begins at its end."""
    straight, diagonal = moves_along(graph.grid, points)
    cells, place, last = np.empty(straight + diagonal * (1 + graph.stairs) + 1, np.int32), 0, len(points) - 1
    cells[0], cells[-1] = points[0], points[last]
    for i in range(1, last):
        place = _lay(graph, cells, place, 1, np.int64(points[i]))
    _lay(graph, cells, len(cells) - 1, -1, np.int64(points[last - 1]))
    return cells


@compiled
def _lay(graph: CornerGraph, cells: np.ndarray, place: int, toward: int, end: Int) -> int:
    """Add the way from the cell at that index; return the index of its end."""
    offsets, cell = graph.grid.offsets, np.int64(cells[place])
    for k, moves in way(graph.grid, cell, end):
        for _ in range(moves):
            if graph.stairs and k >= 4:  # by one of the two straight moves beside the diagonal one
                place += toward
                cells[place] = cell + offsets[k - 4]
            cell += offsets[k]
            place += toward
            cells[place] = cell
    return place


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
    return heuristic(world.graph.grid, np.int64(world.graph.cells[state]))


@is_goal.of(CornerQuery)
def _is_goal(world: CornerQuery, state: Int) -> bool:
    return state == goal_of(world)
