"""Maps from a seed: the same seed gives the same map, on every machine."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..compiled import compiled
from ..core.errors import MapError
from ..core.values import LARGEST, number, seed_number, whole
from .components import components
from .model import Map, check_size

Cells = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Chances = NDArray[np.float64]


def random_obstacles(width: int, height: int, share: float = 0.25, seed: int = 0) -> Map:
    """Scatter obstacles at random: exactly the given share of the cells, rounded, is blocked.

    >>> int((~random_obstacles(40, 10, share=0.3).passable).sum())
    120
    """
    width, height, rng = _begun(width, height, 1, seed)
    share = _share("share", share)
    passable = np.ones((height, width), np.bool_)
    blocked, left = round(share * width * height), width * height
    for row in passable:  # row by row: random numbers for the whole map could fill the memory
        blocked = _strew(row, rng.random(width), blocked, left)
        left -= width
    return Map.from_passable(passable, f"random-{width}x{height}-{share:g}-{seed}")


@compiled
def _strew(row: Cells, random: Chances, blocked: int, left: int) -> int:
    """Block each cell with the probability that places all remaining obstacles; return how many remain."""
    for x in range(row.size):
        if random[x] * (left - x) < blocked:
            row[x] = False
            blocked -= 1
    return blocked


def maze(width: int, height: int, seed: int = 0, corridor: int = 1) -> Map:
    """Carve a perfect maze depth-first: walls are one cell thick, and one path joins any two places.

    With corridors of one cell the crossings are the cells with odd x and y, and odd sizes are filled completely;
    with other sizes, the right and lower walls are thicker. The RTAA* paper uses 151 x 151.

    >>> for row in maze(9, 5, seed=1).terrain:
    ...     print(row.tobytes().decode())
    @@@@@@@@@
    @.......@
    @.@.@@@.@
    @.@...@.@
    @@@@@@@@@
    """
    corridor = _cells("corridor", corridor, "narrow")
    width, height, rng = _begun(width, height, corridor + 2, seed)
    columns, rows = (width - 1) // (corridor + 1), (height - 1) // (corridor + 1)
    passable = np.zeros((height, width), np.bool_)
    # 12 can be shared equally among 1, 2, 3 or 4 ways to continue: none is favoured
    dice = rng.integers(12, size=columns * rows, dtype=np.uint8)
    _carve(passable, columns, rows, corridor, int(rng.integers(columns * rows)), dice)
    return Map.from_passable(passable, f"maze-{width}x{height}-{corridor}-{seed}")


@compiled
def _carve(passable: Cells, columns: int, rows: int, corridor: int, start: int, dice: NDArray[np.uint8]) -> None:
    """Search the crossings depth-first: continue to a random unseen one, or go back."""
    pitch = corridor + 1
    seen = np.zeros(columns * rows, np.bool_)
    stack = np.empty(columns * rows, np.int32)
    ways = np.empty(4, np.int64)
    stack[0] = start
    seen[start] = True
    depth, found = 1, 1
    row, column = divmod(start, columns)
    _open(passable, column, row, column, row, pitch)
    while depth > 0:
        here = stack[depth - 1]
        row, column = divmod(here, columns)
        count = 0
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            y, x = row + dy, column + dx
            if 0 <= y < rows and 0 <= x < columns and not seen[y * columns + x]:
                ways[count] = y * columns + x
                count += 1
        if count == 0:
            depth -= 1
            continue
        there = ways[dice[found] % count]
        y, x = divmod(there, columns)
        _open(passable, min(column, x), min(row, y), max(column, x), max(row, y), pitch)
        seen[there] = True
        stack[depth] = there
        depth += 1
        found += 1


@compiled
def _open(passable: Cells, left: int, top: int, right: int, bottom: int, pitch: int) -> None:
    """Make the rectangle between two crossings passable."""
    for y in range(top * pitch + 1, (bottom + 1) * pitch):
        for x in range(left * pitch + 1, (right + 1) * pitch):
            passable[y, x] = True


def rooms(width: int, height: int, room: int = 16, seed: int = 0, doors: float = 0.5) -> Map:
    """Make rooms of `room` x `room` cells in rows and columns, joined by doors of one cell; all are reachable.

    Walls are one cell thick. A random tree of doors joins all rooms; every other wall between two rooms has a
    door with probability `doors`. Rooms at the right and lower edges may be smaller, or one cell larger.

    >>> sizes = components(rooms(100, 60, room=7, seed=5).passable)[1]
    >>> len(sizes)
    1
    """
    room = _cells("room", room, "small")
    width, height, rng = _begun(width, height, 3, seed)
    doors = _share("doors", doors)
    # Where walls stand: one at each end, and always room for a cell between two walls.
    xs, ys = (np.append(np.arange(0, length - 2, room + 1), length - 1) for length in (width, height))
    passable = np.ones((height, width), np.bool_)
    passable[ys] = False
    passable[:, xs] = False
    columns, rows = xs.size - 1, ys.size - 1
    edges = rng.permutation(2 * columns * rows)  # the right and the lower wall of each room, in random order
    _make_doors(passable, xs, ys, edges, rng.random(edges.size), rng.random(edges.size), doors)
    return Map.from_passable(passable, f"rooms-{width}x{height}-{room}-{seed}")


@compiled
def _make_doors(
    passable: Cells, xs: Numbers, ys: Numbers, edges: Numbers, places: Chances, chances: Chances, doors: float
) -> None:
    """Join the rooms by Kruskal's spanning tree; walls that it does not need get a door at random."""
    columns, rows = xs.size - 1, ys.size - 1
    leader = np.arange(columns * rows)
    for index in range(edges.size):
        one, below = edges[index] // 2, edges[index] % 2
        row, column = divmod(one, columns)
        if (below and row == rows - 1) or (not below and column == columns - 1):
            continue  # the outer wall
        a, b = _find(leader, one), _find(leader, one + (columns if below else 1))
        if a == b and chances[index] >= doors:
            continue
        leader[a] = b
        if below:
            left, right = xs[column] + 1, xs[column + 1]
            passable[ys[row + 1], left + int(places[index] * (right - left))] = True
        else:
            top, bottom = ys[row] + 1, ys[row + 1]
            passable[top + int(places[index] * (bottom - top)), xs[column + 1]] = True


@compiled
def _find(leader: Numbers, one: int) -> int:
    """Return the root of a group, and compress the path to it."""
    while leader[one] != one:
        leader[one] = leader[leader[one]]
        one = leader[one]
    return one


_ROCK = 0.47  # the share of rock before smoothing: less gives wide plains, more gives separate chambers
_OCTAVES = ((40, 5), (16, 6), (7, 5), (2, 3))  # (cells between lattice points, weight): halls, chambers, bays, rubble


def caves(width: int, height: int, seed: int = 0) -> Map:
    """Make caves that look like a game level: halls, chambers and passages with ragged walls, all connected.

    Noise of several sizes is thresholded and smoothed by a cellular automaton; then small pockets are filled, and the
    larger ones are joined to their neighbours by tunnels.

    >>> level = caves(120, 80, seed=7)
    >>> components(level.passable, neighbors=4)[1].size
    1
    """
    width, height, rng = _begun(width, height, 8, seed)
    noise = np.zeros((height, width), np.int32)
    for period, weight in _OCTAVES:
        lattice = rng.integers(256, size=(height // period + 2, width // period + 2), dtype=np.int32)
        _add_noise(noise, lattice, period, weight)
    _raise_edge(noise)
    rock = int(_ROCK * noise.size)
    passable = noise > np.partition(noise.ravel(), rock)[rock]
    for _ in range(4):
        passable = _smooth(passable)
    _join(passable, *_large_parts(passable))
    return Map.from_passable(passable, f"caves-{width}x{height}-{seed}")


def _add_noise(noise: NDArray[np.int32], lattice: NDArray[np.int32], period: int, weight: int) -> None:
    """Add a bilinear interpolation of random lattice values, in whole numbers, so that every machine agrees."""
    unit = 1024 * weight // (period * period)
    columns, fx = np.divmod(np.arange(noise.shape[1], dtype=np.int32), np.int32(period))
    for y, line in enumerate(noise):
        row, fy = divmod(y, period)
        values = lattice[row] * (period - fy) + lattice[row + 1] * fy
        line += (values[columns] * (period - fx) + values[columns + 1] * fx) * unit


def _raise_edge(noise: NDArray[np.int32]) -> None:
    """Add rock toward the edge, so that caves end in ragged walls, not in a straight cut."""
    for depth in range(min(8, *(side // 4 for side in noise.shape))):
        weight = np.int32(150_000 * (8 - depth))
        for edge in (noise[depth], noise[-1 - depth], noise[:, depth], noise[:, -1 - depth]):
            edge -= weight


def _smooth(passable: Cells) -> Cells:
    """Run one step of the automaton: a cell becomes what most of its 3 x 3 block is. The edge is rock."""
    height, width = passable.shape
    blocks = (passable[y : height - 2 + y, x : width - 2 + x].view(np.uint8) for y in range(3) for x in range(3))
    result = np.zeros_like(passable)
    result[1:-1, 1:-1] = np.add.reduce(list(blocks), dtype=np.uint8) >= 5
    return result


def _large_parts(passable: Cells) -> tuple[NDArray[np.int32], int]:
    """Fill the pockets; return the owner of each remaining cell (-1: rock), and the number of owners."""
    if not passable.any():
        passable[passable.shape[0] // 2, passable.shape[1] // 2] = True
    labels, sizes = components(passable, neighbors=4)
    large = sizes >= min(int(sizes.max()), 60)
    owners = np.where(large, np.cumsum(large) - 1, -1).astype(np.int32)
    owner = np.where(labels >= 0, owners[labels], np.int32(-1))
    passable[:] = owner >= 0
    return owner, int(large.sum())


@compiled
def _join(passable: Cells, owner: NDArray[np.int32], parts: int) -> None:
    """Grow all parts into the rock at the same speed; where two meet that are not joined, dig a tunnel to both."""
    height, width = passable.shape
    leader = np.arange(parts)
    source = np.full(passable.size, -1, np.int32)  # the cell from which a cell of rock was reached
    queue = np.empty(passable.size, np.int32)
    head = tail = 0
    for cell in range(passable.size):
        if passable[cell // width, cell % width]:
            queue[tail] = cell
            tail += 1
    while head < tail:
        cell = queue[head]
        head += 1
        y, x = divmod(cell, width)
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            ny, nx = y + dy, x + dx
            if not (0 < ny < height - 1 and 0 < nx < width - 1):
                continue
            if owner[ny, nx] < 0:
                owner[ny, nx] = owner[y, x]
                source[ny * width + nx] = cell
                queue[tail] = ny * width + nx
                tail += 1
                continue
            a, b = _find(leader, owner[y, x]), _find(leader, owner[ny, nx])
            if a != b:
                leader[a] = b
                _dig(passable, source, cell)
                _dig(passable, source, ny * width + nx)


@compiled
def _dig(passable: Cells, source: NDArray[np.int32], cell: int) -> None:
    """Dig the way along which a cell was reached, three cells wide where there is room."""
    height, width = passable.shape
    while cell >= 0:
        y, x = divmod(cell, width)
        for ny in range(max(y - 1, 1), min(y + 2, height - 1)):
            for nx in range(max(x - 1, 1), min(x + 2, width - 1)):
                passable[ny, nx] = True
        cell = source[cell]


# By their short names, with the options that each takes besides size and seed.
GENERATORS: dict[str, tuple[Callable[..., Map], tuple[str, ...]]] = {
    "caves": (caves, ()),
    "rooms": (rooms, ("room", "doors")),
    "maze": (maze, ("corridor",)),
    "random": (random_obstacles, ("share",)),
}


def _begun(width: int, height: int, least: int, seed: int) -> tuple[int, int, np.random.Generator]:
    """Return the size and the random numbers of a map, if it has room for `least` x `least` cells."""
    width, height = _whole("width", width), _whole("height", height)
    if width < least or height < least:
        raise MapError(f"{width} x {height} cells are too few: this kind of map needs at least {least} x {least}")
    check_size(width, height)
    return width, height, np.random.default_rng(seed_number(seed, MapError))


def _cells(what: str, value: int, too: str) -> int:
    cells = _whole(what, value)
    if cells < 1:
        raise MapError(f"a {what} of {cells} cells is too {too}: give 1 or more")
    return cells


def _whole(what: str, value: int) -> int:
    return whole(value, f"the {what} must be a whole number", -LARGEST, error=MapError)


def _share(what: str, value: float) -> float:
    return number(value, f"{what} must lie between 0 and 1", lambda share: 0 <= share <= 1, MapError)
