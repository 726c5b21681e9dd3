"""Packages that take a graph: the grid becomes one, with a node per cell, numbered y * width + x."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from ..rules import Position, edges
from .base import Contender


class GraphContender(Contender):
    """Cells become numbers on the way in, and positions again on the way out."""

    def __init__(self, passable: np.ndarray) -> None:
        self.width = passable.shape[1]
        self.build(passable.size, list(edges(passable, self.rule)))

    @abstractmethod
    def build(self, nodes: int, moves: list[tuple[np.ndarray, np.ndarray, float]]) -> None:
        """Make the graph."""

    @abstractmethod
    def route(self, start: int, goal: int, heuristic: Callable[[int], float]) -> Any:
        """Return the nodes of a shortest path, or something that holds them."""

    def find(self, start: Position, goal: Position) -> Any:
        return self.route(self.node(start), self.node(goal), self.heuristic(goal))

    def states(self, answer: Any) -> Any:
        nodes = np.asarray(answer)
        return np.column_stack((nodes % self.width, nodes // self.width))

    def node(self, position: Position) -> int:
        """Return the number of a cell."""
        return position[1] * self.width + position[0]

    def heuristic(self, goal: Position) -> Callable[[int], float]:
        """Return the distance to a goal without obstacles."""
        width, (goal_x, goal_y), distance = self.width, goal, self.rule.distance
        return lambda node: distance(abs(node % width - goal_x), abs(node // width - goal_y))


class SciPy(GraphContender):
    """Dijkstra in Cython; it takes no goal, and finds paths to all cells."""

    package = "scipy"
    method = "Dijkstra"
    remark = "to all cells: it takes no goal"

    def build(self, nodes: int, moves: list[tuple[np.ndarray, np.ndarray, float]]) -> None:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        self.search = dijkstra
        sources, targets = (np.concatenate([move[i] for move in moves]) for i in (0, 1))
        costs = np.concatenate([np.full(move[0].size, move[2]) for move in moves])
        self.graph = csr_array((costs, (sources, targets)), (nodes, nodes))

    def route(self, start: int, goal: int, heuristic: Callable[[int], float]) -> Any:
        _, parents = self.search(self.graph, indices=start, return_predecessors=True)
        path = [goal]
        while path[-1] != start:
            path.append(int(parents[path[-1]]))
        return path[::-1]


class RustworkX(GraphContender):
    """A* in Rust that calls Python for costs and heuristic (its Dijkstra was slower on most queries tried)."""

    package = "rustworkx"
    remark = "calls back into Python"
    most_cells = 300_000

    def build(self, nodes: int, moves: list[tuple[np.ndarray, np.ndarray, float]]) -> None:
        import rustworkx

        self.search = rustworkx.digraph_astar_shortest_path
        self.graph = rustworkx.PyDiGraph()
        self.graph.add_nodes_from(range(nodes))
        for sources, targets, cost in moves:
            self.graph.add_edges_from([(s, t, cost) for s, t in zip(sources.tolist(), targets.tolist(), strict=True)])

    def route(self, start: int, goal: int, heuristic: Callable[[int], float]) -> Any:
        return self.search(self.graph, start, goal.__eq__, float, heuristic)


class NetworkX(GraphContender):
    """The graph library that everybody knows."""

    package = "networkx"
    remark = "pure Python"
    most_cells = 300_000

    def build(self, nodes: int, moves: list[tuple[np.ndarray, np.ndarray, float]]) -> None:
        import networkx

        self.search = networkx.astar_path
        self.graph = networkx.Graph()
        for sources, targets, cost in moves:
            if sources.size and sources[0] < targets[0]:  # the way back is the same edge
                self.graph.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True), weight=cost)

    def route(self, start: int, goal: int, heuristic: Callable[[int], float]) -> Any:
        return self.search(self.graph, start, goal, lambda node, _: heuristic(node))
