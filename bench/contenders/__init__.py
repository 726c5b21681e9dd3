"""The contenders: timebound, and what a user could choose instead."""

from .base import Contender
from .graphs import NetworkX, RustworkX, SciPy
from .grids import (
    PathfindingPure,
    PathPlanningAStar,
    PathPlanningJPS,
    PyAStar2D,
    ScikitImage,
    Tcod,
    W9AStar,
    W9BiAStar,
    W9BiBFS,
    W9BiDijkstra,
)
from .ours import Astar, Prepared, Timebound, astar

OTHERS: tuple[type[Contender], ...] = (
    W9AStar,
    W9BiAStar,
    W9BiDijkstra,
    PathPlanningJPS,
    SciPy,
    RustworkX,
    NetworkX,
    PathfindingPure,
    PathPlanningAStar,
    Tcod,
    ScikitImage,
    PyAStar2D,
    W9BiBFS,
)

__all__ = ["OTHERS", "Astar", "Contender", "Prepared", "Timebound", "astar"]
