"""Worlds of the papers' experiments that are not maps."""

import os

import numpy as np

from ..core.errors import MapError
from ..worlds import Tiles

PUZZLES_VARIABLE = "TIMEBOUND_PUZZLES"
Arrangement = tuple[int, ...]
GOAL: Arrangement = tuple(range(16))


def fifteen_puzzle(seed: int) -> Tiles:
    """The 15-puzzle."""
    return Tiles(4)


def arrangements(world: Tiles, count: int, seed: int) -> list[tuple[Arrangement, Arrangement]]:
    """Return the first puzzles of the file in the environment variable TIMEBOUND_PUZZLES; without it, random ones.

    (The papers use Korf's hundred instances, which are random arrangements themselves.)
    """
    file = os.environ.get(PUZZLES_VARIABLE)
    if file:
        found = [tiles for tiles in Tiles.read(file) if len(tiles) == 16]
        if len(found) < count:
            raise MapError(f"{file}: it has only {len(found)} arrangements of the 15-puzzle, not {count}")
        return [(tiles, GOAL) for tiles in found[:count]]
    generator = np.random.default_rng(seed)
    return [(random_arrangement(generator), GOAL) for _ in range(count)]


arrangements.stand_ins = lambda: not os.environ.get(PUZZLES_VARIABLE)  # type: ignore[attr-defined]  # pages say so


def random_arrangement(generator: np.random.Generator) -> Arrangement:
    """Return a random solvable arrangement: if it is not solvable, two tiles are swapped."""
    tiles = generator.permutation(16).tolist()
    inversions = sum(tiles[i] > tiles[j] > 0 for i in range(16) for j in range(i + 1, 16))
    if (inversions + tiles.index(0) // 4) % 2:  # the blank belongs in the first row
        first, second = [cell for cell in range(3) if tiles[cell]][:2]
        tiles[first], tiles[second] = tiles[second], tiles[first]
    return tuple(tiles)
