"""The bits of a grid: where a path along a row or a column must stop, 64 cells at a time.

If a move costs the same everywhere, some shortest path between two cells turns only where a wall ends, and follows the
*way* from one turn to the next: diagonal moves first, then straight ones (Harabor and Grastien 2011). For each straight
move there is a bit for every cell: must a path stop there, if it comes by this move? It must at a wall, and at a
*turn*, where it may leave the line (`onward`). The bits of a row or a column are in the order of the move, so the next
stop is the lowest bit of the next word that is not zero (Harabor and Grastien 2014). Behind the last cell is a wall.

With 4 neighbours a diagonal move stands for two straight ones. If corners must not be cut, both cells beside it are
free, so either order works: it is a grid of 8 neighbours, strict corners and diagonal moves that cost 2.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined, lowest_bit
from ..core.integers import Int
from ..worlds.grid import STEPS, CompiledGrid, Grid, correct_moves, legal_moves

STRAIGHT = 4  # moves; the diagonal move k is between the straight moves k - 4 and (k - 3) % 4
SETS = 256  # of moves
ALL = SETS - 1
WORD = 64


class Lines(NamedTuple):
    """The compiled form."""

    grid: CompiledGrid  # with 8 neighbours; its heuristic is the cost of a way, whatever agents use
    onward: np.ndarray  # onward[move * SETS + legal moves]: see `onward`
    stops: np.ndarray  # the bits
    places: np.ndarray  # the bit of (x, y) for move k is places[3k] + x places[3k + 1] + y places[3k + 2]
    stairs: bool  # does a diagonal move stand for two straight ones?


def ways_of(world: Grid) -> CompiledGrid:
    """Return the grid of 8 neighbours whose heuristic is the cost of a way."""
    grid = world.compiled(0)
    if world.neighbors == 4:
        offsets = STEPS[:8, 1] * world.width + STEPS[:8, 0]
        prices = np.repeat(grid.prices[0] * np.array([1, 2]), 4)
        grid = grid._replace(moves=legal_moves(world.passable, 8, "strict"), offsets=offsets, prices=prices)
    straight, diagonal = int(grid.prices[0]), int(grid.prices[4])
    octile = (straight, diagonal - straight)
    return grid._replace(flat=octile, steep=octile, straight=0.0)


def corners_are(world: Grid) -> str:
    """Return the rule of corners, with 8 neighbours."""
    return "strict" if world.neighbors == 4 else world.corners


@cache
def onward(corners: str) -> np.ndarray:
    """Return, for each move and the legal moves where it ends, the moves to go on with; none where no path may turn.

    Let a and b be straight moves at right angles. If corners must not be cut, and of the cells at a, b and a + b only
    the last is blocked, a path that comes from a may turn to b, or to b - a. If they may be cut, and the cell at a is
    blocked, one that comes from -b, or from a - b, may turn to a + b. No other turn is worthwhile: some path costs no
    more and makes it earlier, or not at all.
    """
    number = {tuple(step): k for k, step in enumerate(STEPS[:8].tolist())}
    moves, found = np.arange(SETS), np.zeros((8, SETS), np.uint8)

    def k(step: np.ndarray) -> int:
        return number[tuple(step.tolist())]

    def legal(step: np.ndarray) -> np.ndarray:
        return moves >> k(step) & 1 == 1

    def go_on(arrival: np.ndarray, turning: np.ndarray, *steps: np.ndarray) -> None:
        there = np.where(turning & legal(-arrival), moves & sum(1 << k(step) for step in (arrival, *steps)), 0)
        found[k(arrival)] |= there.astype(np.uint8)

    for i in range(STRAIGHT):
        for j in ((i + 1) % STRAIGHT, (i + 3) % STRAIGHT):
            a, b = STEPS[i], STEPS[j]
            beside, across = legal(a), legal(a + b)
            if corners == "strict":
                go_on(-a, legal(b) & ~across, b, b - a)
            else:
                go_on(b, ~beside & across, a + b)
                go_on(b - a, ~beside & across, a + b, b, -a)
    return found.ravel()


def share_of_turns(grid: CompiledGrid, corners: str) -> float:
    """Return how many bits of turns a free cell has on average, from every seventh cell."""
    counts = np.bincount(grid.moves[::7], minlength=SETS)
    turns = np.count_nonzero(onward(corners).reshape(8, SETS)[:STRAIGHT], axis=0)
    return float(counts @ turns / max(1, counts[1:].sum()))


def lines_of(grid: CompiledGrid, height: int, after: np.ndarray, stairs: bool) -> Lines:
    """Return the lines of a grid, given as `ways_of` makes it; paths turn as `after` says: see `onward`."""
    width = grid.width
    row, column = width // WORD * WORD + WORD, height // WORD * WORD + WORD  # bits of a line, with the wall behind it
    first = np.cumsum([0, height * row, width * column, height * row, width * column])
    places = np.array([(0, 1, row), (0, column, 1), (width - 1, -1, row), (height - 1, column, -1)])
    places[:, 0] += first[:STRAIGHT]
    bits = np.zeros(first[STRAIGHT] // 8, np.uint8)
    for k, (line, length) in enumerate(((row, width), (column, height)) * 2):
        bits[first[k] // 8 : first[k + 1] // 8].reshape(-1, line // 8)[:, length // 8] = 1 << length % 8
    lines = Lines(grid, after, bits, places.ravel(), stairs)
    turning = lines.onward.reshape(8, SETS)[:STRAIGHT].any(axis=0)
    mark_all(lines, ~turning & (np.arange(SETS) > 0))
    return lines._replace(stops=bits.view(np.int64))


@compiled
def mark_all(lines: Lines, nothing: np.ndarray) -> None:
    """Set the bits of all cells; with these legal moves there is nothing to set."""
    lines, quiet = borrow(lines), borrow(nothing)
    for cell in range(len(lines.grid.moves)):
        if not quiet[np.int64(lines.grid.moves[cell])]:
            mark(lines, lines.stops, cell)


@inlined
def mark(lines: Lines, bits: Any, cell: Int) -> None:
    """Set the bits of a cell right."""
    legal, y = np.int64(lines.grid.moves[cell]), cell // lines.grid.width
    for k in range(STRAIGHT):
        place = place_of(lines, k, cell - y * lines.grid.width, y)
        stop = 1 if legal == 0 or lines.onward[k * SETS + legal] else 0
        bits[place >> 3] = bits[place >> 3] & (255 - (1 << (place & 7))) | stop << (place & 7)


@compiled
def correct(lines: Lines, bits: np.ndarray, cells: np.ndarray, passable: np.ndarray, needs: np.ndarray) -> None:
    """Correct the bits (given as bytes) after changes of these cells; with 4 neighbours, also the moves."""
    lines, bits, passable, width = borrow(lines), borrow(bits), borrow(passable), lines.grid.width
    for i in range(len(cells)):
        if lines.stairs:
            correct_moves(cells[i], passable, lines.grid.moves, width, borrow(needs))
    for i in range(len(cells)):
        y = cells[i] // width
        x = cells[i] - y * width
        for near_y in range(max(0, y - 1), min(len(passable) // width, y + 2)):
            for near_x in range(max(0, x - 1), min(width, x + 2)):
                mark(lines, bits, near_y * width + near_x)


# ------------------------------------------------------------------ in compiled code


@inlined
def place_of(lines: Lines, k: int, x: Int, y: Int) -> Any:
    """Return the number of a bit."""
    return lines.places[3 * k] + x * lines.places[3 * k + 1] + y * lines.places[3 * k + 2]


@inlined
def steps_of(k: int) -> tuple[int, int]:
    """Return the step of a diagonal move: to the right, and down."""
    return 1 if k == 4 or k == 7 else -1, 1 if k < 6 else -1


@inlined
def moves_to_stop(lines: Lines, place: Any) -> Any:
    """Return the number of moves from the cell of that bit to the next stop."""
    i = (place + 1) >> 6
    word = lines.stops[i] >> (place + 1 & WORD - 1)
    if word:
        return 1 + lowest_bit(word)
    i += 1
    while lines.stops[i] == 0:
        i += 1
    return (i << 6) + lowest_bit(lines.stops[i]) - place


@inlined
def way(width: Int, origin: Int, end: Int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the way from one cell to another: its diagonal step and how many; its straight step and how many."""
    rows = end // width - origin // width
    columns = end - origin - rows * width
    down, right, steep = rows > 0, columns > 0, abs(rows) > abs(columns)
    diagonal = (4 if right else 5) if down else (7 if right else 6)
    straight = (1 if down else 3) if steep else (0 if right else 2)
    near, far = min(abs(rows), abs(columns)), max(abs(rows), abs(columns))
    return (diagonal, near), (straight, far - near)


@compiled
def moves_along(width: Int, points: np.ndarray) -> tuple[int, int]:
    """Return the number of straight and diagonal moves on the ways from each of these cells to the next."""
    straight = diagonal = 0
    for i in range(len(points) - 1):
        (_, more_diagonal), (_, more_straight) = way(width, np.int64(points[i]), np.int64(points[i + 1]))
        straight += more_straight
        diagonal += more_diagonal
    return straight, diagonal


@compiled
def cells_along(grid: CompiledGrid, stairs: bool, points: np.ndarray, forward: int) -> np.ndarray:
    """Return all cells on the ways from each of these cells to the next; those after `forward` begin at their end."""
    straight, diagonal = moves_along(grid.width, points)
    cells, place = np.empty(straight + diagonal * (1 + stairs) + 1, np.int32), 0
    cells[0], cells[-1] = points[0], points[len(points) - 1]
    for i in range(1, forward + 1):
        place = _lay(grid, stairs, cells, place, 1, np.int64(points[i]))
    place = len(cells) - 1
    for i in range(len(points) - 2, forward - 1, -1):
        place = _lay(grid, stairs, cells, place, -1, np.int64(points[i]))
    return cells


@compiled
def _lay(grid: CompiledGrid, stairs: bool, cells: np.ndarray, place: int, toward: int, end: Int) -> int:
    """Add the way from the cell at that index; return the index of its end."""
    offsets, cell = grid.offsets, np.int64(cells[place])
    for k, moves in way(grid.width, cell, end):
        for _ in range(moves):
            if stairs and k >= STRAIGHT:  # by one of the two straight moves beside the diagonal one
                place += toward
                cells[place] = cell + offsets[k - STRAIGHT]
            cell += offsets[k]
            place += toward
            cells[place] = cell
    return place
