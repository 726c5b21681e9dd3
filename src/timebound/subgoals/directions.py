"""All moves of a grid at once."""

from collections.abc import Iterator

import numpy as np

from ..worlds import Grid


def moves_by_direction(world: Grid) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Return for every direction the cells with a move in that direction, and the cells that it leads to.

    >>> moves = moves_by_direction(Grid(np.array([[True, True, False]]), neighbors=4))
    >>> [(cells.tolist(), reached.tolist()) for cells, reached in moves]
    [([0], [1]), ([], []), ([1], [0]), ([], [])]
    """
    for k, offset in enumerate(world.compiled(0).offsets.tolist()):
        cells = np.flatnonzero(world.moves >> k & 1)
        yield cells, cells + offset
