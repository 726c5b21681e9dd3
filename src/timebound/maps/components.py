"""Which cells can reach each other, and problems that have a solution."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..compiled import compiled
from ..errors import MapError
from ..values import one_of, seed_number, whole
from .model import Map, check_shape

Position = tuple[int, int]
Labels = NDArray[np.int32]

_UNSEEN = -2
MOST_PROBLEMS = 1_000_000


def components(passable: ArrayLike, neighbors: int = 8, corners: str = "strict") -> tuple[Labels, NDArray[np.int64]]:
    """Number the connected parts of a map.

    Returns:
        The number of each cell's part (-1 where the cell is blocked), and the size of each part. Parts are numbered in
        the order of their first cells, row by row.

    >>> labels, sizes = components([[1, 0, 1], [1, 0, 1], [0, 1, 1]])
    >>> labels
    array([[ 0, -1,  1],
           [ 0, -1,  1],
           [-1,  1,  1]], dtype=int32)
    >>> sizes, components([[1, 0], [0, 1]], corners="cut")[1]
    (array([2, 4]), array([2]))
    """
    cells = np.asarray(passable)
    check_shape(cells.shape)
    labels = np.where(cells, _UNSEEN, -1).astype(np.int32)
    return labels, _flood(labels, _diagonal_matters(neighbors, corners))


def _diagonal_matters(neighbors: int, corners: str) -> bool:
    """Only a diagonal that cuts a corner joins what straight moves do not.

    A strict diagonal has two free cells beside it, and a knight move two free cells below it: straight moves through
    these lead to the same place.
    """
    neighbors = one_of(neighbors, (4, 8, 16), "a cell has 4, 8 or 16 neighbors", MapError)
    corners = one_of(corners, ("strict", "cut"), "corners are 'strict' or 'cut'", MapError)
    return neighbors > 4 and corners == "cut"


@compiled
def _flood(labels: Labels, diagonal: bool) -> NDArray[np.int64]:
    """Replace every unseen label by the number of its part; return the sizes."""
    height, width = labels.shape
    queue = np.empty(labels.size, np.int32)  # each cell enters it once, whatever its part
    sizes = [np.int64(0) for _ in range(0)]
    tail = 0
    for y0 in range(height):
        for x0 in range(width):
            if labels[y0, x0] != _UNSEEN:
                continue
            part = len(sizes)
            head = first = tail
            labels[y0, x0] = part
            queue[tail] = y0 * width + x0
            tail += 1
            while head < tail:
                y, x = divmod(queue[head], width)
                head += 1
                for ny in range(max(y - 1, 0), min(y + 2, height)):
                    for nx in range(max(x - 1, 0), min(x + 2, width)):
                        if labels[ny, nx] == _UNSEEN and (diagonal or ny == y or nx == x):
                            labels[ny, nx] = part
                            queue[tail] = ny * width + nx
                            tail += 1
            sizes.append(np.int64(tail - first))
    return np.array(sizes, dtype=np.int64)


def random_problems(
    map_: Map, n: int, seed: int = 0, neighbors: int = 8, corners: Literal["strict", "cut"] = "strict"
) -> list[tuple[Position, Position]]:
    """Draw pairs of different cells, start and goal, of the map's largest connected part: each has a solution.

    >>> random_problems(Map.from_passable([[1, 1, 0, 1]]), 2, seed=3)
    [((1, 0), (0, 0)), ((0, 0), (1, 0))]
    """
    n = whole(n, f"the number of problems is a whole number up to {MOST_PROBLEMS:,}", 0, MOST_PROBLEMS, MapError)
    labels, sizes = components(map_.passable, neighbors, corners)
    if sizes.size == 0 or sizes.max() < 2:
        raise MapError(f"{map_.name}: no two passable cells are connected, so there is no problem to draw")
    cells = np.flatnonzero(labels == np.argmax(sizes))
    rng = np.random.default_rng(seed_number(seed, MapError))
    starts = rng.integers(cells.size, size=n)
    goals = (starts + rng.integers(1, cells.size, size=n)) % cells.size  # any cell but the start
    return [
        (_position(start, map_.width), _position(goal, map_.width))
        for start, goal in zip(cells[starts].tolist(), cells[goals].tolist(), strict=True)
    ]


def _position(cell: int, width: int) -> Position:
    return cell % width, cell // width
