"""Optimal paths between distant cells, for a base that needs thousands of them on one map.

A* on the grid visits a good part of the map for each. Here it searches the graph of the map's corners, of which there
are few, with some of them as landmarks. Both are computed once.
"""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled
from ..integers import Int
from ..search.hot_queue import BUCKETS
from ..search.landmarks import UNREACHED, Landmarks, locate
from ..search.nodes import new_nodes
from ..search.orders import Order, open_memory
from ..search.paths import solve, to_the_end
from ..search.state import begin, costs_reached, new_search
from ..worlds import Grid
from ..worlds.corners import applies_to, arrive, cells_of, corner_graph, corners_of, depart, straight_back
from ..worlds.interface import aimed, heuristic

LANDMARKS = 16
FEW = 0.1  # share of the free cells: with more corners, the graph is hardly faster than the grid


def worth_while(world: Grid) -> bool:
    """Are paths found faster over corners? Not among scattered obstacles, where every other cell is a corner."""
    return applies_to(world) and len(corners_of(world)) < FEW * int(np.count_nonzero(world.passable))


def search_of_corners(world: Grid) -> tuple[Any, Landmarks, Order]:
    """Return a search that has not begun, its world, and its order."""
    graph = corner_graph(world)
    states, links = len(graph.cells), graph.edges[: graph.first[-1]]
    bare = Landmarks(graph, np.empty(0, np.int64), 0, states - 2)
    # A step raises f by at most two links. The few unusually long ones may wait beyond the buckets.
    shift = int(2 * links["price"].mean() // (BUCKETS - 2)).bit_length() if len(links) else 0
    order = Order(1, 1, False, shift)
    search = new_search(bare, new_nodes(states), open_memory("hot"), order, states, 0, False)
    return search, Landmarks(graph, _distances(world, search, bare, shift), LANDMARKS, states - 2), order


def _distances(world: Grid, search: Any, bare: Landmarks, shift: int) -> np.ndarray:
    """Return the distances of all states from landmarks: each is the corner farthest from the previous ones."""
    from ..maps.components import components

    corners = bare.world.cells[:-2]
    distances = np.full((len(corners) + 2, LANDMARKS), UNREACHED, np.int64)
    if len(corners):
        parts = components(world.passable, world.neighbors, world.corners)[0].ravel()[corners]
        landmark = int(corners[np.argmax(parts == np.bincount(parts).argmax())])
        nearest = _costs_from(search, bare, landmark, shift)[:-2]  # the first one is at the end of something
        for i in range(LANDMARKS):
            distances[:, i] = _costs_from(search, bare, int(corners[np.argmax(nearest)]), shift)
            nearest = np.minimum(nearest, distances[:-2, i]) if i else distances[:-2, 0]
    return distances.ravel()


# ------------------------------------------------------------------ compiled


@compiled
def _costs_from(search: Any, bare: Any, cell: Int, shift: int) -> np.ndarray:
    """Return the costs of shortest paths from a cell to all states, without a goal."""
    begin(search, bare, depart(bare.world, cell), Order(1, 0, False, shift))
    to_the_end(search)
    return costs_reached(search)


@compiled
def far_path(search: Any, landmarks: Any, start: Int, goal: Int, order: Any) -> tuple[np.ndarray, int]:
    """Return the cells of an optimal path, and its cost; no cells if there is none."""
    path = straight_back(landmarks.world.grid, start, goal)
    if len(path):
        return path, heuristic(aimed(landmarks.world.grid, goal), start)
    graph = arrive(landmarks.world, goal)
    first = depart(graph, start)
    aim = Landmarks(graph, landmarks.distances, landmarks.count, landmarks.goal)
    locate(aim, aim.goal)
    locate(aim, first)
    begin(search, aim, first, order)
    path = solve(search)[2]
    if not len(path):
        return path, 0
    return cells_of(graph, path), borrow_field(search, "nodes")[aim.goal].g
