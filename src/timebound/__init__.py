"""Real-time heuristic search: agents that decide every move within a fixed budget, however large the map."""

from typing import TYPE_CHECKING

from .core.lazy import attach, find_above
from .core.version import __version__

if TYPE_CHECKING:
    from .agents.agent import Agent, make
    from .agents.catalogue import variant
    from .agents.check import check_agent
    from .agents.episode import Episode
    from .agents.events import Event, Events
    from .agents.registry import catalogue, register
    from .applications.advice import Advice, advise
    from .applications.crowd import Crowd
    from .applications.race import race
    from .applications.trials import trials
    from .core.errors import CompilationError, MapError, ProblemError, TimeboundError, WorldError
    from .fleet.fleet import Fleet, Tick
    from .search.batch import PathBatch, shortest_paths
    from .search.budget import Budget
    from .search.solver import Path, Search, shortest_path
    from .subgoals.cases import CaseBase
    from .subgoals.prepared.prepared_paths import Paths
    from .worlds import CustomWorld, Disc, Graph, Grid, Grid3D, Mover, Moving, Pose, Racetrack, Tiles, World
    from .worlds.check import check_world

# Loaded on first use: `import timebound` is quick, and a program that only draws maps never loads Numba.
__getattr__, __dir__ = attach(
    __name__,
    {
        ".applications.advice": ("Advice", "advise"),
        ".applications.crowd": ("Crowd",),
        ".applications.race": ("race",),
        ".applications.trials": ("trials",),
        ".agents": ("Agent", "catalogue", "check_agent", "make", "register", "variant"),
        ".search.batch": ("PathBatch", "shortest_paths"),
        ".search.budget": ("Budget",),
        ".agents.episode": ("Episode",),
        ".agents.events": ("Event", "Events"),
        ".fleet.fleet": ("Fleet", "Tick"),
        ".core.errors": ("CompilationError", "MapError", "ProblemError", "TimeboundError", "WorldError"),
        ".search.solver": ("Path", "Search", "shortest_path"),
        ".subgoals.cases": ("CaseBase",),
        ".subgoals.prepared.prepared_paths": ("Paths",),
        ".worlds": (
            "World",
            "Graph",
            "Grid",
            "Grid3D",
            "Racetrack",
            "Tiles",
            "CustomWorld",
            "Disc",
            "Pose",
            "Mover",
            "Moving",
        ),
        ".worlds.check": ("check_world",),
    },
)


find_above(prepare="timebound.subgoals.prepared.prepared_paths:prepare", recorder="timebound.studio.recording:Recorder")

__all__ = [
    "Advice",
    "Agent",
    "Budget",
    "CaseBase",
    "CompilationError",
    "Crowd",
    "CustomWorld",
    "Disc",
    "Episode",
    "Event",
    "Events",
    "Fleet",
    "Graph",
    "Grid",
    "Grid3D",
    "MapError",
    "Mover",
    "Moving",
    "Path",
    "PathBatch",
    "Paths",
    "Pose",
    "ProblemError",
    "Racetrack",
    "Search",
    "Tick",
    "Tiles",
    "TimeboundError",
    "World",
    "WorldError",
    "__version__",
    "advise",
    "catalogue",
    "check_agent",
    "check_world",
    "make",
    "race",
    "register",
    "shortest_path",
    "shortest_paths",
    "trials",
    "variant",
]
