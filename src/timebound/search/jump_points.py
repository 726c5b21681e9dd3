"""Shortest paths on grids where a move costs the same everywhere: A* from turn to turn (see `lines`).

This is jump point search (Harabor and Grastien 2014, JPS2): the successors of a cell are the turns on all ways that
begin with one of its moves. The moves to go on with depend on the move that a path came by. If paths of the same cost
come to a cell by different moves, all of their moves count: a node notes which, and every entry of the open list has
moves of its own to go on with.
"""

import math
from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled, inlined, lowest_bit, making, resized, struct
from ..compiled.interrupts import due, interrupted
from ..core.integers import Int
from ..core.memory import untouched
from ..worlds.grid import CompiledGrid, Grid, needs_of
from ..worlds.interface import aimed, heuristic
from ..worlds.world import World
from .heap import ENTRY, FIRST, Entry, rise, sink, stale
from .lines import (
    ALL,
    SETS,
    STRAIGHT,
    Lines,
    cells_along,
    corners_are,
    correct,
    lines_of,
    moves_along,
    moves_to_stop,
    onward,
    place_of,
    share_of_turns,
    steps_of,
    way,
    ways_of,
)
from .state import FOUND, UNREACHABLE
from .types import NODE

CROWDED, INTERRUPTED = 3, 4
ENTRIES = 1 << 14  # of a new open list
MOST_TURNS = {(8, "strict"): math.inf, (8, "cut"): 1.0, (4, "strict"): 0.2, (4, "cut"): 0.2}
"""How many bits of turns a free cell may have on average, for jump points to be faster than A*: measured."""
LAST_NUMBER = np.iinfo(np.int32).max // SETS * SETS
TURN = np.dtype([("g", np.int64), ("cell", np.int32), ("move", np.int32)])


@struct
class Jumps:
    """A search, for one query after the other."""

    lines: Lines
    nodes: np.ndarray  # `search` is the number of the search, a multiple of SETS, and the moves to go on with so far
    number: int
    heap: np.ndarray  # the open list; `order` is the moves of an entry
    turns: np.ndarray  # room for those on one way: at most three for a diagonal move


new_jumps = making(Jumps)


@compiled
def find(jumps: Jumps, start: Int, goal: Int) -> tuple[int, int, int, int, np.ndarray]:
    """Return the outcome, the expansions, the numbers of straight and diagonal moves, and the cells of the path."""
    lines, outcome = borrow_field(jumps, "lines"), CROWDED
    nodes, expansions = borrow_field(jumps, "nodes"), 0
    while outcome == CROWDED:
        if jumps.number == LAST_NUMBER:
            for i in range(len(nodes)):
                nodes[i].search = 0
            jumps.number = 0
        jumps.number += SETS
        heap, turns = borrow_field(jumps, "heap"), borrow_field(jumps, "turns")
        outcome, expansions = _search(lines, aimed(lines.grid, goal), nodes, jumps.number, heap, turns, start)
        if outcome == CROWDED:  # rare
            jumps.heap = resized(jumps.heap, 2 * len(jumps.heap))
    if outcome != FOUND:
        return outcome, expansions, 0, 0, np.empty(0, np.int32)
    points = _points(nodes, start, goal)
    straight, diagonal = moves_along(lines.grid.width, points)
    return outcome, expansions, straight, diagonal, cells_along(lines.grid, lines.stairs, points, len(points) - 1)


@compiled
def _points(nodes: np.ndarray, start: Int, goal: Int) -> np.ndarray:
    """Return start, turns and goal of the path that was found."""
    count, cell = 1, goal
    while cell != start:
        count, cell = count + 1, np.int64(nodes[cell].parent)
    points, cell = np.empty(count, np.int32), goal
    for i in range(count - 1, -1, -1):
        points[i], cell = cell, np.int64(nodes[cell].parent)
    return points


@compiled
def _search(
    lines: Lines, grid: CompiledGrid, nodes: Any, number: int, heap: Any, turns: Any, start: Int
) -> tuple[int, int]:
    """Search from `start`; return the outcome and the number of expansions."""
    nodes[start].g, nodes[start].search, nodes[start].parent = 0, number + ALL, start
    size, expansions = rise(heap, 0, Entry(heuristic(grid, start), 0, start, ALL)), 0
    while size:
        entry = heap[0]
        cell, outdated = np.int64(entry.state), stale(entry, nodes)
        moves: Any = np.int64(entry.order)
        size = sink(heap, size)
        if outdated:
            continue
        if cell == grid.goal:
            return FOUND, expansions
        expansions += 1
        g = nodes[cell].g
        moves &= np.int64(grid.moves[cell])
        while moves:
            k = lowest_bit(moves)
            moves &= moves - 1
            count = look(lines, grid, turns, g, cell, k)
            if size + count > len(heap):
                return CROWDED, expansions
            for i in range(count):
                size = reach(lines, grid, nodes, number, heap, size, cell, turns[i])
        if due(expansions) and interrupted():
            return INTERRUPTED, expansions
    return UNREACHABLE, expansions


@inlined
def reach(
    lines: Lines, grid: CompiledGrid, nodes: Any, number: int, heap: Any, size: int, origin: Int, turn: Any
) -> int:
    """Put a turn on the open list, if it brings anything new; return the size of the list."""
    cell, g, node = np.int64(turn.cell), turn.g, nodes[turn.cell]
    moves: Any = np.int64(lines.onward[turn.move * SETS + np.int64(grid.moves[cell])])
    known: Any = np.int64(node.search)
    if cell == grid.goal:
        moves = ALL
    if known < number or g < node.g:
        node.g, node.parent, known = g, origin, number
    elif g > node.g or not moves & ~known:
        return size
    node.search = known | moves
    rank = FIRST if cell == grid.goal else g
    return rise(heap, size, Entry(g + heuristic(grid, cell), rank, cell, moves & ~known))


@inlined
def look(lines: Lines, grid: CompiledGrid, turns: Any, g: Any, origin: Int, k: int) -> int:
    """Note the turns on all ways from a cell that begin with this move, and the goal; return how many."""
    y = origin * grid.inverse >> grid.inverse_bits
    x, count, diagonal = origin - y * grid.width, 0, 0
    columns, rows = steps_of(k)
    if k < STRAIGHT:
        count = look_ahead(lines, grid, turns, 0, g, origin, k, place_of(lines, k, x, y))
    else:
        i, j, cell, through, going_on = k - STRAIGHT, (k - 3) % STRAIGHT, origin, g, True
        one, other = place_of(lines, i, x, y), place_of(lines, j, x, y)
        one_step = place_of(lines, i, x + columns, y + rows) - one
        other_step = place_of(lines, j, x + columns, y + rows) - other
        while going_on and np.int64(grid.moves[cell]) >> k & 1:
            cell += grid.offsets[k]
            through += grid.prices[STRAIGHT]
            if lines.onward[k * SETS + np.int64(grid.moves[cell])]:  # there are entries of its own for what is beyond
                count, going_on = note(turns, count, through, cell, k), False
                continue
            diagonal, one, other = diagonal + 1, one + one_step, other + other_step
            count = look_ahead(lines, grid, turns, count, through, cell, i, one)
            count = look_ahead(lines, grid, turns, count, through, cell, j, other)
    (slant, near), (line, rest) = way(grid.width, origin, np.int64(grid.goal))
    if k != (slant if near else line) or near > diagonal:
        return count
    if moves_to_stop(lines, place_of(lines, line, x + near * columns, y + near * rows)) >= rest:
        count = note(turns, count, g + near * grid.prices[STRAIGHT] + rest * grid.prices[0], grid.goal, line)
    return count


@inlined
def look_ahead(lines: Lines, grid: CompiledGrid, turns: Any, count: int, g: Any, cell: Int, k: int, place: Any) -> int:
    """Note the next turn straight ahead, unless a wall comes before it."""
    straight = moves_to_stop(lines, place)
    last = cell + (straight - 1) * grid.offsets[k]
    if np.int64(grid.moves[last]) >> k & 1:
        count = note(turns, count, g + straight * grid.prices[0], last + grid.offsets[k], k)
    return count


@inlined
def note(turns: Any, count: int, g: Any, cell: Int, k: int) -> int:
    """Append a turn."""
    turns[count].g, turns[count].cell, turns[count].move = g, cell, k
    return count + 1


# ------------------------------------------------------------------ for Python


class JumpPoints:
    """The lines of a grid, corrected when it changes, and idle searches."""

    def __init__(self, world: Grid):
        self._world, grid, self._rule = world, ways_of(world), corners_are(world)
        self._room = world.states // 8
        """After this many changes of cells, it is decided again whether they win."""
        limit = MOST_TURNS[world.neighbors, world.corners]
        self.win = limit == math.inf or share_of_turns(grid, self._rule) < limit
        """Do they find paths sooner than A*?"""
        self._lines = lines_of(grid, world.height, onward(self._rule), world.neighbors == 4) if self.win else None
        self._idle: list[Any] = []
        self._slant = 2.0 if world.neighbors == 4 else world.diagonal

    def corrected(self, cells: np.ndarray) -> "JumpPoints | None":
        """Return what is left of it after changes of these cells: itself, until there are too many."""
        self._room -= len(cells)
        if self._lines is not None:
            bits, passable = self._lines.stops.view(np.uint8), self._world.passable.ravel()
            correct(self._lines, bits, cells, passable, needs_of(8, self._rule))
        return self if self._room > 0 else None

    def path(self, start: int, goal: int) -> tuple[bool, float, np.ndarray, int]:
        """Return what a `Path` holds: whether there is one, its cost, its cells, and the number of expansions."""
        try:
            jumps = self._idle.pop()
        except IndexError:
            jumps = self._new()
        outcome = INTERRUPTED
        while outcome == INTERRUPTED:  # twice only if the handler of a signal has run, without raising
            outcome, expansions, straight, diagonal, path = find(jumps, start, goal)
        self._idle.append(jumps)
        if outcome != FOUND:
            return False, math.inf, path, expansions
        return True, float(straight + diagonal * self._slant), path, expansions

    def _new(self) -> Any:
        height, width = self._world.shape
        turns = untouched(2 * min(height, width) + 2, TURN)
        return new_jumps(self._lines, untouched(height * width, NODE), 0, untouched(ENTRIES, ENTRY), turns)


def jump_points(world: World) -> JumpPoints | None:
    """Return the jump points of a grid where they find paths sooner than A*. They are made on first use."""
    if not isinstance(world, Grid) or world.neighbors == 16 or world.travel is not None:
        return None
    known: JumpPoints | None = world.jump_points
    if known is None:
        world.jump_points = known = JumpPoints(world)
    return known if known.win else None
