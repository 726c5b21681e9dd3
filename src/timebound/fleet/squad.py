"""A squad: the units of one kind of agent with the same parameters, and the mind that is lent to each in turn."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..agents.catalogue import Kind, check_terrain, mix
from ..agents.interval import Parts, new_mind
from ..agents.making import limit, take_memory
from ..agents.parts import ROLES, Setting, object_to
from ..agents.registry import Made, find_kind
from ..agents.retreat import NoRetreat
from ..agents.roles import search_number
from ..agents.walk import Problem, new_walk
from ..compiled import borrow_field, compiled
from ..errors import ProblemError
from ..knowledge.certainty import Certainty
from ..knowledge.grid import OUTDATED, GridKnowledge
from ..knowledge.terrain import Knowledge, believed_world, lay_out
from ..memory import Used
from ..search.clock import NEVER
from ..search.learning import Learned
from ..search.state import STRIDE
from ..worlds import World
from .arena import Arena
from .streams import FINER, Guided, Streams
from .tables import Table

LOOKAHEADS = ("local", "step", "within")
_NOTHING = np.empty(0, np.int64)


class Squad:
    """How units of one kind plan."""

    def __init__(self, number: int, name: str | Kind, world: World, terrain: str, parameters: Mapping[str, Any]):
        if terrain == "partial":
            raise ProblemError("units of a fleet are in known or unknown terrain, not in partial")
        kind = find_kind(name, terrain)
        self.number, self.name, self.terrain = number, kind.name, terrain
        if isinstance(kind, Made):
            raise ProblemError(
                f"agent {self.name!r} is made by a function; a fleet takes agents that are made of parts"
            )
        chosen = mix(kind, parameters)
        self.parameters = chosen.parameters
        check_terrain(terrain, chosen.parameters)
        self._refuse(chosen.parts, chosen.parameters)
        self._setting = Setting(kind.name, chosen.parts, world, chosen.parameters, 0, 0, 0)
        object_to(self._setting)
        lookahead = chosen.parameters.get("lookahead")
        self.share = 1 if chosen.parts["lookahead"].name != "local" else limit(lookahead) if lookahead else 0
        """Expansions of one search; 0 if that depends on the budget."""
        self.knowledge: Knowledge = lay_out(world, terrain, 0, 0, 0, chosen.parameters).knowledge
        if terrain == "known":
            self.knowledge = Certainty(0)  # nothing to be seen
        self._memories: list[dict[str, Used]] = []
        self.minds: list[Any] = []
        """One for each thread."""

    def _refuse(self, parts: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
        """Say why a kind of agent cannot be in a fleet."""
        lookahead, learning, target = (parts[role].name for role in ("lookahead", "learning", "target"))
        if lookahead not in LOOKAHEADS or (lookahead == "within" and parameters["depth"] != 1):
            raise ProblemError(
                f"agent {self.name!r} cannot be in a fleet: its search goes on from tick to tick, and would need "
                "memory of its own for the whole map; take one that searches anew, such as rtaa, lss-lrta or lrta"
            )
        if learning in ("lazy", "none", "prioritised") or target in ("cases", "regions"):
            part = f"learning {learning!r}" if target not in ("cases", "regions") else f"target {target!r}"
            raise ProblemError(
                f"agent {self.name!r} cannot be in a fleet: {part} keeps more than a fleet does for a unit; "
                "take learning 'adaptive', 'dijkstra' or 'one-state'"
            )
        if parameters["fallback"] != "none" or parameters["memory_mb"] is not None:
            raise ProblemError("fallback and memory_mb are for single agents; a fleet has memory_mb for all units")

    def renew(self, world: World, streams: Any, arena: Arena, rows: np.ndarray, threads: int) -> None:
        """Make the minds, for these units: when the first comes, when there is room for more, or costs are others."""
        for number, mind in enumerate(self.minds):
            if "nodes" in self._memories[number]:
                self._memories[number]["nodes"] = Used(self._memories[number]["nodes"].array, last_number(mind))
        while len(self._memories) < threads:
            taken = take_memory(self._setting.parts, world)
            self._memories.append({name: used for name, used in taken.items() if name != "h"})
        self.minds = [self._mind(world, streams, arena, rows, memory) for memory in self._memories]

    def _mind(self, world: World, streams: Any, arena: Arena, rows: np.ndarray, memory: dict[str, Used]) -> Any:
        setting = self._setting
        setting.memory = memory
        since = memory["nodes"].mark if "nodes" in memory else 0
        tally, table = np.zeros(6, np.int64), Table(arena, rows, 0)
        believed = (
            world.compiled(0) if self.terrain == "known" else believed_world(world, self.terrain, self.knowledge, 0)
        )
        longest = world.longest
        if isinstance(streams, Streams):  # no more than all units can be in the way
            believed, longest = Guided(believed, streams), longest_with(world, streams, len(rows))
        setting.believed = Learned(believed, table, 0, _NOTHING, 0, _NOTHING, since, tally)
        parts = Parts._make([*(setting.parts[role].make(setting) for role in ROLES), NoRetreat()])
        search = setting.parts["lookahead"].search(setting, parts.order)
        walk = new_walk(Problem(0, 0, False, NEVER, longest, 1), memory["order"].array)
        return new_mind(parts, search, setting.believed, self.knowledge, walk)

    def look_again(self) -> None:
        """The map has changed: what was seen may be out of date."""
        if isinstance(self.knowledge, GridKnowledge):
            self.knowledge.tally[OUTDATED] = 1


def longest_with(world: World, streams: Streams, units: int) -> int:
    """No path costs more, whatever so many units have declared."""
    return min(2**59, FINER * world.longest + world.states * units * (streams.crowded + streams.against))


@compiled
def last_number(mind: Any) -> int:
    """Above the number of every search of a mind."""
    return search_number(borrow_field(mind, "parts").lookahead, mind.body) + STRIDE
