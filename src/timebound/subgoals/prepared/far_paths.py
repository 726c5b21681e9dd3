"""Optimal paths between distant cells, for callers that need many of them on one map.

A* on the grid visits a good part of the map for each. Here it searches the graph of the map's corners, of which there
are few, with some of them as landmarks. Both are computed once, and shared by all searches.

Landmarks are a heuristic that knows the walls (Goldberg and Harrelson 2005; differential heuristics, Sturtevant 2009).
Given the distances of every state from a few landmarks, the triangle inequality says that no path from s to t costs
less than the difference of their distances from any landmark. This h is consistent. It is for worlds in which a path
costs the same in both directions.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow, compiled, resized
from ...core.integers import Int
from ...core.memory import untouched
from ...search.hot_queue import BUCKETS
from ...search.lines import cells_along, moves_along
from ...search.orders import Order, open_memory
from ...search.paths import solve, to_the_end
from ...search.state import begin, costs_reached, new_search
from ...search.types import NODE
from ...worlds import Grid
from ...worlds.compiled_graph import EDGE
from ...worlds.interface import heuristic, successors, wrapping
from .corners import (
    NO_WAY,
    CornerGraph,
    CornerQuery,
    arrive,
    corner_graph,
    corners_of,
    depart,
    goal_of,
    is_apart,
    is_open,
    why_not,
)

UNREACHED = -1  # the distance of an unreachable landmark; it is unreachable from the goal too: no difference
LANDMARKS = 16
FEW = 0.1  # share of the free cells: with more corners, the graph is hardly faster than the grid
Told = Callable[[int, int], None]  # how many landmarks are done, of how many


@wrapping
class Landmarks(NamedTuple):
    """A world whose heuristic uses landmarks. The distances of its last states need not be known."""

    world: Any
    distances: np.ndarray  # distances[s * len(aim) + i] is the distance of state s from landmark i
    aim: np.ndarray  # the distances of the goal


@compiled
def locate(landmarks: Landmarks, goal: Int) -> None:
    """Compute the distances of the goal from the landmarks, from those of its successors."""
    world, distances, aim = borrow(landmarks.world), borrow(landmarks.distances), borrow(landmarks.aim)
    for i in range(len(aim)):
        aim[i] = UNREACHED
    for successor, cost in successors(world, goal):
        for i in range(len(aim)):
            there = distances[successor * len(aim) + i]
            if there != UNREACHED and (aim[i] == UNREACHED or cost + there < aim[i]):
                aim[i] = cost + there


@heuristic.of(Landmarks)
def _heuristic(world: Landmarks, state: Int) -> int:
    h, here = heuristic(world.world, state), state * len(world.aim)
    if here < len(world.distances):
        for i in range(len(world.aim)):
            h = max(h, abs(world.distances[here + i] - world.aim[i]))
    return h


def worth_while(world: Grid) -> bool:
    """Is it worthwhile for a case base? Not among scattered obstacles, where every other cell is a corner."""
    if world.neighbors != 8 or why_not(world):
        return False
    return len(corners_of(world)) < FEW * int(np.count_nonzero(world.passable))


class Roads(NamedTuple):
    """What is computed once: the graph, and the distances of its corners from the landmarks."""

    graph: CornerGraph
    distances: np.ndarray
    landmarks: int

    @property
    def order(self) -> Order:
        """The order of A*; f rises by at most two links. The few unusually long ones may wait beyond the buckets."""
        prices = self.graph.edges["price"]
        return Order(1, 1, False, int(2 * prices.mean() // (BUCKETS - 2)).bit_length() if len(prices) else 0)


def new_traveller(roads: Roads) -> Any:
    """Make a search that has not begun. Several can use the same roads at once, each in its own thread."""
    states = len(roads.graph.cells) + 2
    links = untouched(2 * states - 2, EDGE)  # two ways from a cell never lead to the same corner
    query = CornerQuery(roads.graph, links, np.zeros(3, np.int64), np.full(states, NO_WAY, np.int64))
    world = Landmarks(query, roads.distances, np.empty(roads.landmarks, np.int64))
    return new_search(world, untouched(states, NODE), open_memory(), roads.order, states, 0, False)


def prepared_roads(world: Grid, landmarks: int = LANDMARKS, told: Told = lambda done, total: None) -> Roads:
    """Return the graph of a suitable grid; each landmark is the corner farthest from the previous ones."""
    graph = corner_graph(world)
    corners = graph.cells
    distances = np.full((len(corners), landmarks), UNREACHED, np.int64)
    if len(corners) and landmarks:
        scout = new_traveller(Roads(graph, np.empty(0, np.int64), 0))
        landmark = int(corners[np.argmax(graph.parts == np.bincount(graph.parts).argmax())])
        nearest = _costs_from(scout, landmark)  # the corner farthest from any corner is a good first landmark
        for i in range(landmarks):
            distances[:, i] = _costs_from(scout, int(corners[np.argmax(nearest)]))
            nearest = np.minimum(nearest, distances[:, i]) if i else distances[:, 0]
            told(i + 1, landmarks)
    return Roads(graph, distances.ravel(), landmarks)


@compiled
def _costs_from(search: Any, cell: Int) -> np.ndarray:
    """Return the costs of shortest paths from a cell to all corners, without a goal."""
    world = search.world
    begin(search, world, depart(world.world, cell), Order(1, 0, False, search.order.shift))
    to_the_end(search)
    return resized(costs_reached(search), goal_of(world.world))


@compiled
def turning_points(search: Any, start: Int, goal: Int) -> tuple[np.ndarray, int]:
    """Return start, corners and goal of an optimal path, or nothing; and how many corners were expanded."""
    landmarks = search.world
    if is_open(borrow(landmarks.world.graph.lines.grid), goal, start):
        points = np.empty(2, np.int32)
        points[0], points[1] = start, goal
        return points, 0
    query = arrive(landmarks.world, goal)
    first = depart(query, start)
    if is_apart(query):
        return np.empty(0, np.int32), 0
    aim = Landmarks(query, landmarks.distances, landmarks.aim)
    locate(aim, goal_of(query))
    begin(search, aim, first, search.order)
    _, expansions, points = solve(search)
    for i in range(1, len(points) - 1):
        points[i] = query.graph.cells[points[i]]
    if len(points):
        points[0], points[-1] = start, goal
    return points, expansions


@compiled
def cells_of(graph: CornerGraph, points: np.ndarray) -> np.ndarray:
    """Return all cells of a path with these turning points; the goal is linked by a way that begins there."""
    return cells_along(graph.lines.grid, graph.lines.stairs, points, len(points) - 2)


@compiled
def path_between(search: Any, start: Int, goal: Int) -> tuple[int, int, int, np.ndarray]:
    """Return the numbers of straight and diagonal moves of an optimal path, -1 without one; expansions; the cells."""
    graph, (points, expansions) = search.world.world.graph, turning_points(search, start, goal)
    if not len(points):
        return -1, -1, expansions, points
    straight, diagonal = moves_along(graph.lines.grid.width, points)
    return straight, diagonal, expansions, cells_of(graph, points)


@compiled
def append(states: np.ndarray, count: int, more: np.ndarray) -> np.ndarray:
    """Append states to the array, with more room if necessary."""
    if count + len(more) > len(states):
        states = resized(states, 2 * (count + len(more)))
    for i in range(len(more)):
        states[count + i] = more[i]
    return states


@compiled
def moves_between(search: Any, pairs: np.ndarray) -> np.ndarray:
    """Return the numbers of straight and diagonal moves of optimal paths between pairs of cells, -1 without one."""
    moves = np.full(len(pairs), -1, np.int64)
    for i in range(0, len(pairs), 2):
        points, _ = turning_points(search, np.int64(pairs[i]), np.int64(pairs[i + 1]))
        if len(points):
            moves[i], moves[i + 1] = moves_along(search.world.world.graph.lines.grid.width, points)
    return moves
