"""Kinds of units (the same agent, with the same parameters, in known or unknown terrain), and their planners.

A planner is what the units of one kind plan with, in compiled code. The agents call it a mind: the parts of an agent,
and its body with search and path. A search that ends when it has a path leaves nothing behind: then one planner is lent
to all units in turn. A search that continues from tick to tick belongs to one unit.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..agents.catalogue import Kind, Mix, check_terrain, mix
from ..agents.interval import new_mind
from ..agents.making import ingredients, limit
from ..agents.parts import Setting, object_to, own_arrays
from ..agents.registry import FunctionKind, find_kind
from ..compiled import compiled, generic, inlined, mutable, optional
from ..compiled.clock import NEVER, now
from ..core.errors import ProblemError
from ..core.integers import Int
from ..knowledge import News
from ..knowledge.grid import OUTDATED, GridKnowledge
from ..knowledge.terrain import Knowledge, lay_out
from ..worlds import World
from ..worlds.bodies import BodyGrid
from ..worlds.changes import Noted
from .allocator import Allocator

NOBODY = np.empty(0, np.int64)
PACE = 2000  # nanoseconds for an expansion, before any was measured
SHORT = 1024  # expansions: shorter searches are not cut by the clock


class UnitKind:
    """How units of one kind plan."""

    keeps_searches = False

    def __init__(self, number: int, kind: Kind, chosen: Mix, world: World, terrain: str):
        self.number, self.kind, self.name, self.terrain = number, kind, kind.name, terrain
        self.chosen, self.parameters, self.world = chosen, chosen.parameters, world
        self._setting = Setting(kind.name, chosen.parts, world, chosen.parameters, 0, 0, 0)
        object_to(self._setting)
        lookahead = chosen.parameters.get("lookahead")
        self.share = limit(lookahead) if lookahead else 0
        """Expansions of one search; 0 if that depends on the budget."""
        self.knowledge: Knowledge = lay_out(world, terrain, 0, 0, 0, chosen.parameters)[1]
        self.planners: list[Any] = []
        """One for each thread."""

    @property
    def body(self) -> tuple[Any, str | None]:
        """The size and the mobility of its units."""
        return (self.world.size, self.world.mobility) if isinstance(self.world, BodyGrid) else (1, None)

    def try_out(self, start: int, goal: int) -> None:
        """Reject an impossible unit before it is made."""

    def with_what_was_read(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """These parameters, with files replaced by their contents."""
        return parameters

    def renew(self, world: World, traffic: Any, allocator: Allocator, rows: np.ndarray, threads: int) -> None:
        """Make the planners for these units: for the first unit, to make room for more, or after a change of costs."""
        raise NotImplementedError

    def planner(self, setting: Setting, longest: int, steepness: int) -> Any:
        """Return a new planner, in the world and the memory of its setting."""
        return new_mind(*ingredients(setting, self.knowledge, longest, steepness))

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


# ------------------------------------------------------------------ planners

Planners = mutable(
    __name__,
    "Planners",
    [
        "ownership",  # Shared or Own
        "shared",  # lent to all units; or one that senses for units that have their own
        "own",  # the addresses of the units' own planners, by unit: see `addresses`
        "heard",  # for every unit: how much of the news it has read
        "bytes",  # that a unit's own search uses
        "news",  # changes since the first unit was added, for units with their own planners
        "relieved",  # the last news in which a move became possible or cheaper
        "longest",  # no path on the map costs more
        "full",  # is there no memory left for searches?
        "pace",  # nanoseconds that an expansion of a long search took lately, with its learning
    ],
)


class Shared(NamedTuple):
    """One planner is lent to each unit in turn."""

    keeps_search: bool = False


class Own(NamedTuple):
    """Every unit has its own planner."""

    keeps_search: bool = True


@compiled
def new_planners(ownership: Any, shared: Any, own: Any, heard: np.ndarray, used: np.ndarray, longest: int) -> Any:
    """Make planners that know no news; the arrays have a number for every unit."""
    news = News(np.empty(64, np.int32), 0, False)
    return Planners(ownership, shared, own, heard, used, news, 0, longest, False, PACE)


@generic
def serve(  # type: ignore[empty-body]
    ownership: Any, planners: Any, units: Any, unit: Int, expansions: int
) -> Int:
    """Let one unit plan from its position; return the number of expansions."""


@inlined
def serve_in_time(planners: Any, units: Any, unit: Int, expansions: int, end: int) -> Int:
    """Let one unit plan; with a deadline, a long search gets the expansions that fit."""
    if end == NEVER or expansions <= SHORT:
        return serve(planners.ownership, planners, units, unit, expansions)
    began = now()
    fitting = max(SHORT, (end - began) // planners.pace)
    used = serve(planners.ownership, planners, units, unit, min(expansions, fitting))
    if used >= SHORT:
        planners.pace = max((now() - began) // used + 1, planners.pace - planners.pace // 8)
    return used


@inlined
def has_planner(planners: Any, unit: Int) -> bool:
    """Does the unit have a planner?"""
    return not planners.ownership.keeps_search or bool(planners.own[unit] != 0)


@optional
def share_news(ownership: Any, planners: Any) -> None:
    """Share what one unit has just seen; a lent planner starts from scratch anyway."""
