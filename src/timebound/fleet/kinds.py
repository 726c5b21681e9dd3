"""Kinds of units: the same agent, with the same parameters, in known or unknown terrain."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..agents.catalogue import Kind, Mix, check_terrain, mix
from ..agents.interval import new_mind
from ..agents.journey import Beginning, Task
from ..agents.making import limit
from ..agents.parts import ROLES, WITHOUT, Setting, object_to, own_arrays
from ..agents.registry import FunctionKind, find_kind
from ..agents.roles import Parts
from ..compiled.clock import NEVER
from ..core.errors import ProblemError
from ..knowledge.grid import OUTDATED, GridKnowledge
from ..knowledge.terrain import Knowledge, lay_out
from ..worlds import World
from ..worlds.changes import Noted
from .allocator import Allocator

NOBODY = np.empty(0, np.int64)


class UnitKind:
    """How units of one kind plan."""

    keeps_searches = False

    def __init__(self, number: int, kind: Kind, chosen: Mix, world: World, terrain: str):
        self.number, self.kind, self.name, self.terrain = number, kind, kind.name, terrain
        self.chosen, self.parameters = chosen, chosen.parameters
        self._setting = Setting(kind.name, chosen.parts, world, chosen.parameters, 0, 0, 0)
        object_to(self._setting)
        lookahead = chosen.parameters.get("lookahead")
        self.share = limit(lookahead) if lookahead else 0
        """Expansions of one search; 0 if that depends on the budget."""
        self.knowledge: Knowledge = lay_out(world, terrain, 0, 0, 0, chosen.parameters)[1]
        self.planners: list[Any] = []
        """One for each thread."""

    def try_out(self, start: int, goal: int) -> None:
        """Reject an impossible unit before it is made."""

    def with_what_was_read(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """These parameters, with files replaced by their contents."""
        return parameters

    def renew(self, world: World, traffic: Any, allocator: Allocator, rows: np.ndarray, threads: int) -> None:
        """Make the planners for these units: for the first unit, to make room for more, or after a change of costs."""
        raise NotImplementedError

    def planner(self, setting: Setting, start: int, goal: int, longest: int, steepness: int) -> Any:
        """Return a new planner, in the world and the memory of its setting."""
        parts = Parts._make([*(setting.parts[role].make(setting) for role in ROLES), WITHOUT])
        search = setting.parts["lookahead"].search(setting, parts.order)
        overestimated = setting.parts["learning"].most_overestimated(setting)
        problem = Task(start, goal, False, NEVER, longest, steepness, overestimated)
        journey = Beginning(problem, setting.memory["order"].array)
        return new_mind(parts, search, setting.believed, self.knowledge, journey)

    def let_go(self, units: np.ndarray) -> None:
        """Discard what was computed for these units: they are gone, or have other goals."""

    def hear(self, world: World, noted: Noted, rescalings: list[tuple[float, int]]) -> np.ndarray:
        """React to a change of the world. Return the numbers of the units that need a turn because of it."""
        if isinstance(self.knowledge, GridKnowledge):
            self.knowledge.tally[OUTDATED] = 1  # what was seen may be out of date
        return NOBODY

    @property
    def memory_bytes(self) -> int:
        """The memory of its units' searches."""
        return 0

    def set_full(self, full: bool) -> None:
        """Set whether memory is left for its searches."""

    def tidy(self, most: int) -> bool:
        """Free the memory of up to `most` removed units; return whether there is more."""
        return False

    def make_planner(self, unit: int, rows: np.ndarray) -> bool:
        """Make a planner for a unit before its turn; return whether it can have one."""
        return True


def unit_kind(number: int, name: str | Kind, world: World, terrain: str, parameters: Mapping[str, Any]) -> UnitKind:
    """Return the kind of such units, or raise an error if they cannot be in a fleet."""
    from .own_planners import OwnPlanners  # here, because they import this module
    from .shared_planner import SharedPlanner

    if terrain == "partial":
        raise ProblemError("units of a fleet need known or unknown terrain, not partial")
    kind = find_kind(name, terrain)
    if isinstance(kind, FunctionKind):
        raise ProblemError(f"agent {kind.name!r} is made by a function; a fleet needs agents made of parts")
    chosen = mix(kind, parameters)
    check_terrain(terrain, chosen.parameters)
    if chosen.parameters["fallback"] != "none" or chosen.parameters["memory_mb"] is not None:
        raise ProblemError("fallback and memory_mb are for single agents; give memory_mb to the fleet")
    planning = SharedPlanner if leaves_nothing(chosen) else OwnPlanners
    return planning(number, kind, chosen, world, terrain)


def leaves_nothing(chosen: Mix) -> bool:
    """Does a search end when it has a path, so that only learned h-values are kept for the next?"""
    lookahead, learning, target = (chosen.parts[role] for role in ("lookahead", "learning", "target"))
    shallow = chosen.parameters.get("depth", 1) == 1 and chosen.parameters.get("cost_limit") is None
    keeps = learning.remembers or target.keeps_values or own_arrays(chosen.parts.values())
    return lookahead.starts_afresh and shallow and not keeps
