"""The graph of a grid's corners, for many searches over long distances on one map.

If a move costs the same everywhere, some shortest path between two cells turns only at *corners*, cells at the end of a
wall, and follows the *way* from one turn to the next: diagonal moves first, then straight ones (Harabor and Grastien
2011: the forced neighbours and canonical paths of jump point search). So a corner is linked to the corners on the ways
that a path may turn into there. A path of the graph is a path of the grid, at the same cost; A* on it is jump point
search with all jumps made in advance (a jump point graph: Harabor, Uras, Stuckey and Koenig 2019).

Start and goal of a search may be any cells. Each is linked to the corners around it by ways that begin there; this
works for the goal because a shortest path is shortest in both directions.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined, resized
from ..integers import Int
from ..search.interrupts import breathe
from .graph import EDGE
from .grid import STEPS, CompiledGrid, Corners, Grid
from .interface import aimed, heuristic, is_goal, successors

NO_WAY = -1
ALL = 255  # moves


class CornerGraph(NamedTuple):
    """The compiled form: the corners in the order of the map, then the goal and the start of a search."""

    grid: CompiledGrid
    turns: np.ndarray  # see `turns_by`
    cells: np.ndarray  # where the states are
    first: np.ndarray  # the links of a state are edges[first[state] : first[state + 1]]
    edges: np.ndarray  # with room at the end for those of any start and goal
    arrival: np.ndarray  # the cost of the way between a corner and the goal, or NO_WAY


def applies_to(world: Grid) -> bool:
    """Does the graph have the shortest paths? With knight moves or travel costs, they turn elsewhere."""
    return world.neighbors == 8 and world.travel is None


def corners_of(world: Grid) -> np.ndarray:
    """Return the cells that are corners."""
    return np.flatnonzero(turns_by(world.corners)[world.moves]).astype(np.int32)


def corner_graph(world: Grid) -> CornerGraph:
    """Return the graph of a suitable grid, without a start and a goal yet."""
    grid = world.compiled(0)
    straight, diagonal = int(grid.prices[0]), int(grid.prices[4])
    octile = (straight, diagonal - straight)  # the cost of a way, whatever heuristic agents use
    grid = grid._replace(flat=octile, steep=octile, straight=0.0)
    turns, corners = turns_by(world.corners), corners_of(world)
    first, edges = _all_links(grid, turns, corners)
    numbers = np.empty(world.states, np.int32)
    numbers[corners] = np.arange(len(corners))
    links = edges[: first[-1]]
    links["target"] = numbers[links["target"]]
    cells = np.append(corners, np.zeros(2, np.int32))
    return CornerGraph(grid, turns, cells, first, edges, np.full(len(cells), NO_WAY, np.int64))


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
def _all_links(grid: Any, turns: np.ndarray, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the links of all corners, with cells as targets, and room for the links of two more cells."""
    most = len(corners) + 1  # links per cell: two ways from it never lead to the same corner
    first, edges, nothing = np.zeros(len(corners) + 3, np.int64), np.empty(4 * most, EDGE), np.empty(0, np.int64)
    for i in range(len(corners)):
        breathe(i)
        if first[i] + 3 * most > len(edges):
            edges = resized(edges, 2 * len(edges))
        graph, cell = CornerGraph(grid, turns, corners, first, edges, nothing), np.int64(corners[i])
        first[i + 1] = link_around(borrow(graph), first[i], cell, np.int64(turns[grid.moves[cell]]))
    first[len(corners) + 1] = first[len(corners) + 2] = first[len(corners)]
    return first, edges


@compiled
def link_around(graph: Any, count: int, origin: Int, moves: Int) -> int:
    """Link a cell with the corners on all ways that begin with one of these moves; `graph` is borrowed.

    The links go behind the first `count` edges; their targets are cells. Return the new number of edges.
    """
    for k in range(4):
        if moves >> k & 1:
            count = link_ahead(graph, count, origin, 0, k)
    for k in range(4, 8):
        cell, diagonal, going_on = origin, 0, moves >> k & 1
        while going_on and graph.grid.moves[cell] >> k & 1:
            cell += graph.grid.offsets[k]
            diagonal += 1
            turns = np.int64(graph.turns[graph.grid.moves[cell]])
            if turns:
                count = link(graph, count, cell, diagonal, 0)
                going_on = not turns >> k & 1  # otherwise other links continue from there
            for side in (k - 4, (k - 3) % 4):  # the two straight moves on both sides of a diagonal one
                count = link_ahead(graph, count, cell, diagonal, side)
    return count


@inlined
def link_ahead(graph: Any, count: int, cell: Int, diagonal: int, k: int) -> int:
    """Link the beginning of a way with the corners straight ahead after its diagonal moves."""
    straight, going_on = 0, True
    while going_on and graph.grid.moves[cell] >> k & 1:
        cell += graph.grid.offsets[k]
        straight += 1
        turns = np.int64(graph.turns[graph.grid.moves[cell]])
        if turns:
            count = link(graph, count, cell, diagonal, straight)
            going_on = not turns >> k & 1
    return count


@inlined
def link(graph: Any, count: int, cell: Int, diagonal: int, straight: int) -> int:
    """Append a link; return the new number of edges."""
    graph.edges[count].target = cell
    graph.edges[count].price = diagonal * graph.grid.prices[4] + straight * graph.grid.prices[0]
    return count + 1


# ------------------------------------------------------------------ start and goal


@inlined
def goal_of(graph: Any) -> int:
    """Return the state of the goal; the start comes after it."""
    return len(graph.cells) - 2


@compiled
def arrive(graph: Any, goal: Int) -> CornerGraph:
    """Return the graph for searches to that cell."""
    edges, state = borrow(graph.edges), goal_of(graph)
    for i in range(graph.first[state], graph.first[state + 1]):
        graph.arrival[edges[i].target] = NO_WAY
    _settle(graph, state, goal)
    for i in range(graph.first[state], graph.first[state + 1]):
        graph.arrival[edges[i].target] = edges[i].price
    grid = aimed(graph.grid, goal)
    return CornerGraph(grid, graph.turns, graph.cells, graph.first, graph.edges, graph.arrival)


@compiled
def depart(graph: Any, start: Int) -> int:
    """Let searches begin at that cell, once their goal is set; return its state."""
    state = goal_of(graph) + 1
    _settle(graph, state, start)
    return state


@compiled
def _settle(graph: Any, state: Int, cell: Int) -> None:
    """Store the cell of the start or the goal."""
    lent, begin = borrow(graph), graph.first[state]
    end = begin
    if graph.turns[graph.grid.moves[cell]]:
        end = link(lent, end, cell, 0, 0)
    end = link_around(lent, end, cell, ALL)
    corners = graph.cells[: len(graph.cells) - 2]
    for i in range(begin, end):
        lent.edges[i].target = np.searchsorted(corners, lent.edges[i].target)
    graph.cells[state] = cell
    for after in range(state + 1, len(graph.first)):
        graph.first[after] = end


# ------------------------------------------------------------------ ways


@inlined
def way(grid: Any, origin: Int, end: Int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the way from one cell to another: its diagonal step and how many; its straight step and how many."""
    rows = end // grid.width - origin // grid.width
    columns = end - origin - rows * grid.width
    down, right, steep = rows > 0, columns > 0, abs(rows) > abs(columns)
    diagonal = (4 if right else 5) if down else (7 if right else 6)
    straight = (1 if down else 3) if steep else (0 if right else 2)
    near, far = min(abs(rows), abs(columns)), max(abs(rows), abs(columns))
    return (diagonal, near), (straight, far - near)


@compiled
def straight_back(grid: Any, start: Int, goal: Int) -> np.ndarray:
    """Return the cells from start to goal if the way from the goal leads to the start; otherwise none.

    If it does, a shortest path needs no corner; if not, some corner is linked to the goal.
    """
    (_, diagonal), (_, straight) = way(grid, goal, start)
    cells, cell = np.empty(diagonal + straight + 1, np.int32), goal
    cells[-1] = goal
    _lay(grid, cells, len(cells) - 1, -1, start)
    for k, moves in way(grid, goal, start):
        for _ in range(moves):
            if not grid.moves[cell] >> k & 1:
                return cells[:0]
            cell += grid.offsets[k]
    return cells


@compiled
def cells_of(graph: Any, path: np.ndarray) -> np.ndarray:
    """Return the cells of a path in the graph from the start to the goal."""
    count = 1
    for i in range(len(path) - 1):
        (_, diagonal), (_, straight) = way(graph.grid, graph.cells[path[i]], graph.cells[path[i + 1]])
        count += diagonal + straight
    cells, place = np.empty(count, np.int32), 0
    cells[0] = graph.cells[path[0]]
    for i in range(len(path) - 2):
        place = _lay(graph.grid, cells, place, 1, graph.cells[path[i + 1]])
    cells[count - 1] = graph.cells[path[-1]]
    _lay(graph.grid, cells, count - 1, -1, graph.cells[path[-2]])  # the last way begins at the goal
    return cells


@compiled
def _lay(grid: Any, cells: np.ndarray, place: int, toward: int, end: Int) -> int:
    """Add the way from the cell at that index; return the index of its end."""
    cell = np.int64(cells[place])
    for k, moves in way(grid, cell, end):
        for _ in range(moves):
            cell += grid.offsets[k]
            place += toward
            cells[place] = cell
    return place


# ------------------------------------------------------------------ the graph as a world


@successors.of(CornerGraph)
def _successors(world: Any, state: Int) -> Iterator[tuple[Any, Any]]:
    for i in range(world.first[state], world.first[state + 1]):
        yield np.int64(world.edges[i].target), world.edges[i].price
    if world.arrival[state] != NO_WAY:
        yield goal_of(world), world.arrival[state]


@heuristic.of(CornerGraph)
def _heuristic(world: Any, state: Int) -> int:
    return heuristic(world.grid, np.int64(world.cells[state]))


@is_goal.of(CornerGraph)
def _is_goal(world: Any, state: Int) -> bool:
    return state == goal_of(world)
