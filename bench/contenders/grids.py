"""Packages that take a grid as it is. What they need is imported only when they take part."""

import math
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from ..rules import CUT, FOUR, STRICT, Position
from .base import Contender


class W9AStar(Contender):
    """The strongest: C++ behind Cython."""

    package = "w9-pathfinding"
    finder: ClassVar[str] = "AStar"
    diagonals: ClassVar[str] = "only_when_no_obstacle"

    def __init__(self, passable: np.ndarray) -> None:
        from w9_pathfinding.envs import DiagonalMovement, Grid

        grid = Grid(
            np.where(passable, 1, -1).tolist(),
            diagonal_movement=DiagonalMovement[self.diagonals],
            diagonal_movement_cost_multiplier=math.sqrt(2),
        )
        self.search = getattr(import_module("w9_pathfinding.pf"), self.finder)(grid)

    def find(self, start: Position, goal: Position) -> Any:
        return self.search.find_path(start, goal)


class W9BiAStar(W9AStar):
    """From both ends."""

    finder = "BiAStar"
    method = "A*, both ways"


class W9BiDijkstra(W9AStar):
    """From both ends, without a heuristic."""

    finder = "BiDijkstra"
    method = "Dijkstra, both ways"


class W9BiBFS(W9AStar):
    """From both ends, where every move costs 1: its fastest in narrow mazes."""

    finder = "BiBFS"
    method = "breadth-first, both ways"
    rule = FOUR
    diagonals = "never"


class PathPlanningAStar(Contender):
    """Its A* runs in C++ on a graph that it makes of the grid."""

    package = "pathplanning"
    planner: ClassVar[str] = "astar"
    rule = CUT

    def __init__(self, passable: np.ndarray) -> None:
        from pathplanning import plan_discrete
        from pathplanning.core.contracts import DiscreteProblem
        from pathplanning.spaces.grid2d import Grid2DSearchSpace

        height, width = passable.shape
        self.plan, self.problem = plan_discrete, DiscreteProblem
        self.graph = self.prepared(Grid2DSearchSpace(width, height, occupancy=~passable))

    def prepared(self, space: Any) -> Any:
        """What the planner searches."""
        return space.to_native_graph()

    def find(self, start: Position, goal: Position) -> Any:
        return self.plan(self.problem(self.graph, start, goal), planner=self.planner)

    def states(self, answer: Any) -> Any:
        return answer.path

    def expansions(self, answer: Any) -> int:
        return answer.iters


class PathPlanningJPS(PathPlanningAStar):
    """Its jump point search follows the strict rule."""

    planner = "jps"
    method = "jump points"
    rule = STRICT

    def prepared(self, space: Any) -> Any:
        return space


class Tcod(Contender):
    """libtcod, the roguelike library, in C."""

    package = "tcod"
    rule = CUT

    def __init__(self, passable: np.ndarray) -> None:
        from tcod.path import AStar

        self.search = AStar(passable.astype(np.int8), diagonal=math.sqrt(2))

    def find(self, start: Position, goal: Position) -> Any:
        return [start[::-1], *self.search.get_path(*start[::-1], *goal[::-1])]

    def states(self, answer: Any) -> Any:
        return np.array(answer)[:, ::-1]


class ScikitImage(Contender):
    """Minimum-cost paths through an image: Dijkstra in Cython."""

    package = "scikit-image"
    method = "Dijkstra"
    rule = CUT

    def __init__(self, passable: np.ndarray) -> None:
        from skimage.graph import MCP_Geometric

        self.search = MCP_Geometric(np.where(passable, 1.0, -1.0))

    def find(self, start: Position, goal: Position) -> Any:
        self.search.find_costs([start[::-1]], [goal[::-1]])
        return self.search.traceback(goal[::-1])

    def states(self, answer: Any) -> Any:
        return np.array(answer)[:, ::-1]


class PyAStar2D(Contender):
    """C++; with diagonals it would price them like straight moves, so it plays with 4 neighbours."""

    package = "pyastar2d"
    remark = "diagonals would cost 1 and cut corners: compared on 4 neighbours"
    rule = FOUR

    def __init__(self, passable: np.ndarray) -> None:
        from pyastar2d import astar_path

        self.search = astar_path
        self.weights = np.where(passable, 1, np.inf).astype(np.float32)

    def find(self, start: Position, goal: Position) -> Any:
        return self.search(self.weights, start[::-1], goal[::-1], allow_diagonal=False)

    def states(self, answer: Any) -> Any:
        return answer[:, ::-1]


class PathfindingPure(Contender):
    """The best-known one, in pure Python."""

    package = "pathfinding"
    remark = "pure Python"
    most_cells = 300_000

    def __init__(self, passable: np.ndarray) -> None:
        from pathfinding.core.diagonal_movement import DiagonalMovement
        from pathfinding.core.grid import Grid
        from pathfinding.finder.a_star import AStarFinder

        self.grid = Grid(matrix=passable.astype(int).tolist())
        self.search = AStarFinder(diagonal_movement=DiagonalMovement.only_when_no_obstacle)

    def find(self, start: Position, goal: Position) -> Any:
        self.grid.cleanup()
        path, _ = self.search.find_path(self.grid.node(*start), self.grid.node(*goal), self.grid)
        return path

    def states(self, answer: Any) -> Any:
        return [(node.x, node.y) for node in answer]
