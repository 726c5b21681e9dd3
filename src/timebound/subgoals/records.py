"""Records: optimal paths, compressed to their subgoals. Many are stored in one array, one after the other."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, borrow_field, compiled, generic, resized
from ..compiled.clock import NEVER
from ..core.errors import ProblemError
from ..core.integers import Int
from ..search.kept_searches import idle_search
from ..search.lines import moves_along
from ..search.orders import Order
from ..search.paths import solve
from ..search.state import SearchState, begin
from ..worlds import Grid
from ..worlds.grid import CompiledGrid
from ..worlds.interface import aimed
from .hill_climbing import compress
from .prepared.far_paths import Landmarks, append, cells_of, turning_points, worth_while
from .prepared.prepared_paths import Paths

SHORTEST = 3  # states: a path to a neighbour is useless (kNN LRTA* paper, Figure 5, line 5)
FEW_CORNERS = "few corners"  # the key under which a world keeps whether its paths are found over corners
DRAWS = 1000  # draws of 64 pairs for one record, before giving up


class Records(NamedTuple):
    """Record r has the states `states[first[r]]`, ..., `states[first[r + 1] - 1]`."""

    states: np.ndarray
    first: np.ndarray
    costs: np.ndarray  # of the paths, in the world's unit

    def of(self, record: int) -> np.ndarray:
        """Return the states of one record."""
        return self.states[self.first[record] : self.first[record + 1]]


def gathered(parts: Sequence[np.ndarray], costs: np.ndarray) -> Records:
    """Make records of their states."""
    first = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return Records(np.concatenate([np.empty(0, np.int32), *parts]), first, costs)


def joined(parts: Sequence[Records]) -> Records:
    """Join the records of several parts, in order."""
    first = np.cumsum(np.concatenate([np.zeros(1, np.int64), *(np.diff(part.first) for part in parts)]))
    states = [np.empty(0, np.int32), *(part.states for part in parts)]
    return Records(
        np.concatenate(states), first, np.concatenate([np.empty(0, np.int64), *(part.costs for part in parts)])
    )


class FreeGround(NamedTuple):
    """Where the ends of records are drawn: the free cells of a map, and the connected part of each cell."""

    cells: np.ndarray
    parts: np.ndarray

    @classmethod
    def of(cls, world: Grid) -> "FreeGround":
        """Make it for a map; reject one without possible records."""
        from ..maps.components import components

        parts, sizes = components(world.passable, world.neighbors, world.corners)
        cells = np.flatnonzero(world.passable).astype(np.int32)
        if not len(sizes) or sizes.max() < SHORTEST:
            free = f"{len(cells)} free cell{'s' * (len(cells) != 1)}"
            raise ProblemError(
                f"no path of {SHORTEST} cells is possible on this map ({free}), so there are no cases to record"
            )
        return cls(cells, parts.ravel())


def random_pairs(world: Grid, ground: FreeGround, seed: int, first: int, end: int) -> np.ndarray:
    """Return start and goal of the records with those numbers: random cells, at least two moves apart.

    A pair depends only on the seed and the number of its record (kNN LRTA* paper, Figure 5, lines 3 to 5).
    """
    return np.array([_pair(world, ground, seed, record) for record in range(first, end)], np.int32).reshape(-1, 2)


def _pair(world: Grid, ground: FreeGround, seed: int, record: int) -> np.ndarray:
    generator = np.random.default_rng([seed, record])
    for _ in range(DRAWS):
        starts, goals = ground.cells[generator.integers(len(ground.cells), size=(2, 64))]
        suits = (ground.parts[starts] == ground.parts[goals]) & (starts != goals) & ~beside(world, starts, goals)
        if suits.any():
            chosen = int(np.argmax(suits))
            return np.array([starts[chosen], goals[chosen]])
    raise ProblemError(
        "hardly any two cells of this map have a path of two moves between them: there are no cases to record"
    )


def beside(world: Grid, starts: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """Does one move lead from the start to the goal?"""
    moves = world.moves[starts].astype(np.int64)
    near = np.zeros(len(starts), bool)
    for k, offset in enumerate(world.compiled(0).offsets.tolist()):
        near |= (moves >> k & 1).astype(bool) & (goals.astype(np.int64) - starts == offset)
    return near


def records_between(world: Grid, pairs: np.ndarray) -> Records:
    """Return records of optimal paths between the given pairs of cells; none where there is no path."""
    order, target = Order.of(world), world.compiled(0)
    with idle_search(world, target, order) as search:
        return Records(*_records_between(search, target, pairs.ravel(), order))


def records_far_apart(world: Grid, pairs: np.ndarray) -> Records:
    """Do the same faster for many distant pairs: the corners of the map and landmarks are prepared once."""
    if FEW_CORNERS not in world.prepared:
        world.prepared[FEW_CORNERS] = worth_while(world)
    if not world.prepared[FEW_CORNERS]:
        return records_between(world, pairs)
    with Paths.of(world).traveller() as search:
        return Records(*_records_between(search, world.compiled(0), pairs.ravel(), Order.of(world)))


@generic
def optimal_path(  # type: ignore[empty-body]
    world: Any, search: SearchState, start: Int, goal: Int, order: Order
) -> tuple[np.ndarray, int]:
    """Return the cells of an optimal path in the search's world, and its cost; no cells if there is none."""


@optimal_path.of(CompiledGrid)
def _path(world: CompiledGrid, search: SearchState, start: Int, goal: Int, order: Order) -> tuple[np.ndarray, int]:
    begin(search, aimed(world, goal), start, order)
    path = solve(search)[2]
    return path, borrow_field(search, "nodes")[goal].g


@optimal_path.of(Landmarks)
def _far_path(world: Landmarks, search: Any, start: Int, goal: Int, order: Order) -> tuple[np.ndarray, int]:
    points, _ = turning_points(search, start, goal)
    if not len(points):
        return points, 0
    graph = world.world.graph
    grid = graph.lines.grid
    straight, diagonal = moves_along(grid.width, points)
    return cells_of(graph, points), straight * grid.prices[0] + diagonal * grid.prices[4]


@compiled
def _records_between(
    search: SearchState, grid: CompiledGrid, pairs: np.ndarray, order: Order
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find paths in the search's world, and compress them by climbs in the grid."""
    states, count = np.empty(1024, np.int32), 0
    first, costs = np.zeros(len(pairs) // 2 + 1, np.int64), np.zeros(len(pairs) // 2, np.int64)
    for record in range(len(costs)):
        start, goal = np.int64(pairs[2 * record]), np.int64(pairs[2 * record + 1])
        path, cost = optimal_path(search.world, search, start, goal, order)
        if len(path):
            subgoals = compress(borrow(grid), path, NEVER)
            states = append(states, count, subgoals)
            count += len(subgoals)
            costs[record] = cost
        first[record + 1] = count
    return resized(states, count), first, costs
