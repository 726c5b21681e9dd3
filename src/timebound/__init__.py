"""Real-time heuristic search: agents that decide every move within a fixed budget, however large the map."""

import warnings
from typing import TYPE_CHECKING, Any

from .lazy import attach

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .advice import Advice, advise
    from .agents.agent import Agent, make
    from .agents.catalogue import variant
    from .agents.check import check_agent
    from .agents.registry import catalogue, register
    from .batch import PathBatch, shortest_paths
    from .budget import Budget
    from .episode import Episode
    from .errors import CompilationError, MapError, ProblemError, TimeboundError, WorldError
    from .events import Event, Events
    from .fleet.fleet import Fleet, Tick
    from .solver import Path, Search, shortest_path
    from .subgoals.cases import CaseBase
    from .subgoals.paths import Paths
    from .worlds import CustomWorld, Graph, Grid, Grid3D, Racetrack, Tiles, World
    from .worlds.check import check_world

# Loaded on first use: `import timebound` is quick, and a program that only draws maps never loads Numba.
_load, __dir__ = attach(
    __name__,
    {
        ".advice": ("Advice", "advise"),
        ".agents": ("Agent", "catalogue", "check_agent", "make", "register", "variant"),
        ".batch": ("PathBatch", "shortest_paths"),
        ".budget": ("Budget",),
        ".episode": ("Episode",),
        ".events": ("Event", "Events"),
        ".fleet.fleet": ("Fleet", "Tick"),
        ".errors": ("CompilationError", "MapError", "ProblemError", "TimeboundError", "WorldError"),
        ".solver": ("Path", "Search", "shortest_path"),
        ".subgoals.cases": ("CaseBase",),
        ".subgoals.paths": ("Paths",),
        ".worlds": ("World", "Graph", "Grid", "Grid3D", "Racetrack", "Tiles", "CustomWorld"),
        ".worlds.check": ("check_world",),
    },
)


def __getattr__(name: str) -> Any:
    if name == "AnyWorld":
        warnings.warn("AnyWorld is now called World", DeprecationWarning, stacklevel=2)
        name = "World"
    return _load(name)


__all__ = [
    "Advice",
    "Agent",
    "Budget",
    "CaseBase",
    "CompilationError",
    "CustomWorld",
    "Episode",
    "Event",
    "Events",
    "Fleet",
    "Graph",
    "Grid",
    "Grid3D",
    "MapError",
    "Path",
    "PathBatch",
    "Paths",
    "ProblemError",
    "Racetrack",
    "Search",
    "Tick",
    "Tiles",
    "TimeboundError",
    "World",
    "WorldError",
    "advise",
    "catalogue",
    "check_agent",
    "check_world",
    "make",
    "register",
    "shortest_path",
    "shortest_paths",
    "variant",
]
