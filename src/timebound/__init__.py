"""Real-time heuristic search: agents that decide every move within a fixed budget, however large the map."""

__version__ = "0.1.0"

from .agents import Agent, catalogue, make
from .budget import Budget
from .episode import Episode
from .errors import MapError, ProblemError, TimeboundError, WorldError
from .solver import Path, Search, shortest_path
from .subgoals.cases import CaseBase
from .worlds import AnyWorld, Graph, Grid, Grid3D, Racetrack, Tiles, World
from .worlds.check import check_world

__all__ = [
    "Agent",
    "AnyWorld",
    "Budget",
    "CaseBase",
    "Episode",
    "Graph",
    "Grid",
    "Grid3D",
    "MapError",
    "Path",
    "ProblemError",
    "Racetrack",
    "Search",
    "Tiles",
    "TimeboundError",
    "World",
    "WorldError",
    "catalogue",
    "check_world",
    "make",
    "shortest_path",
]
