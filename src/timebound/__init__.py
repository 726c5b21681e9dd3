"""Real-time heuristic search: agents that decide every move within a fixed budget, however large the map."""

__version__ = "0.1.0"

from .agents import Agent, catalogue, make
from .budget import Budget
from .episode import Episode
from .errors import MapError, ProblemError, TimeboundError, WorldError
from .solver import Path, Search, shortest_path
from .subgoals.cases import CaseBase
from .worlds import Graph, Grid, World

__all__ = [
    "Agent",
    "Budget",
    "CaseBase",
    "Episode",
    "Graph",
    "Grid",
    "MapError",
    "Path",
    "ProblemError",
    "Search",
    "TimeboundError",
    "World",
    "WorldError",
    "catalogue",
    "make",
    "shortest_path",
]
