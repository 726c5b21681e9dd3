"""Which cells can reach each other, and problems that have a solution."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import MapError
from ..core.values import one_of, seed_number, whole
from .model import Map, Position, check_shape

Labels = NDArray[np.int32]

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
    cells = np.asarray(passable, bool)
    check_shape(cells.shape)
    neighbors = one_of(neighbors, (4, 8, 16), "a cell has 4, 8 or 16 neighbors", MapError)
    corners = one_of(corners, ("strict", "cut"), "corners are 'strict' or 'cut'", MapError)
    # Other diagonal and knight moves join no parts that straight moves do not: two free cells lie beside or under them.
    diagonal = neighbors > 4 and corners == "cut"
    runs, count = _runs(cells)
    first = _united(count, _touching(cells, runs, diagonal))
    part = (np.cumsum(first == np.arange(count), dtype=np.int32) - 1)[first]  # in the order of their first runs
    labels = np.full(cells.shape, -1, np.int32)
    labels[cells] = part[runs[cells]]
    return labels, np.bincount(labels[cells])


def _runs(cells: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the number of each free cell's run (free cells side by side in a row), and how many runs there are."""
    begins = cells.copy()
    begins[:, 1:] &= ~cells[:, :-1]
    runs = begins.ravel().cumsum(dtype=np.int32).reshape(cells.shape) - 1
    return runs, int(runs[-1, -1]) + 1 if runs.size else 0


def _touching(cells: np.ndarray, runs: np.ndarray, diagonal: bool) -> np.ndarray:
    """Return pairs of runs in neighbouring rows that a move joins: an array of upper runs and one of lower runs."""
    pairs = []
    width = cells.shape[1]
    for shift in (-1, 0, 1) if diagonal else (0,):
        above, below = slice(max(0, -shift), width + min(0, -shift)), slice(max(0, shift), width + min(0, shift))
        both = cells[:-1, above] & cells[1:, below]
        both[:, 1:] &= ~both[:, :-1].copy()  # where two runs touch along several cells, one pair is enough
        pairs.append(np.stack([runs[:-1, above][both], runs[1:, below][both]]))
    return np.concatenate(pairs, axis=1)


def _united(count: int, pairs: np.ndarray) -> np.ndarray:
    """Return, for each of `count` runs, the first run of its part.

    Every round joins each part to the first of its neighbours; then all runs look up the new first run.
    """
    first = np.arange(count)
    while pairs.size:
        np.minimum.at(first, pairs.max(axis=0), pairs.min(axis=0))
        while True:
            further = first[first]
            if np.array_equal(further, first):
                break
            first = further
        pairs = first[pairs]
        pairs = pairs[:, pairs[0] != pairs[1]]
    return first


def random_problems(
    map_: Map, n: int, seed: int = 0, neighbors: int = 8, corners: Literal["strict", "cut"] = "strict"
) -> list[tuple[Position, Position]]:
    """Draw pairs of different cells, start and goal, from the map's largest connected part: each has a solution.

    >>> random_problems(Map.from_passable([[1, 1, 0, 1]]), 2, seed=3)
    [((1, 0), (0, 0)), ((0, 0), (1, 0))]
    """
    n = whole(n, f"the number of problems is a whole number up to {MOST_PROBLEMS:,}", 0, MOST_PROBLEMS, MapError)
    labels, sizes = components(map_.passable, neighbors, corners)
    if sizes.size == 0 or sizes.max() < 2:
        raise MapError(f"{map_.name}: no two passable cells are connected, so it has no problems to draw")
    cells = np.flatnonzero(labels == np.argmax(sizes))
    rng = np.random.default_rng(seed_number(seed, MapError))
    first = rng.integers(cells.size, size=n)
    last = (first + rng.integers(1, cells.size, size=n)) % cells.size  # any cell except the start
    ys, xs = np.divmod(cells[np.stack([first, last], axis=1)], map_.width)
    pairs = np.stack([xs, ys], axis=2).tolist()
    return [((x, y), (goal_x, goal_y)) for (x, y), (goal_x, goal_y) in pairs]
