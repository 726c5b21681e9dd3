"""A squad: the units of one kind of agent with the same parameters, and the mind lent to each in turn."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..agents.catalogue import Kind, Mix, check_terrain, mix
from ..agents.interval import Parts, new_mind
from ..agents.journey import Problem, new_journey
from ..agents.making import limit, take_memory
from ..agents.parts import ROLES, Setting, object_to, own_arrays
from ..agents.registry import Made, find_kind
from ..agents.retreat import NoRetreat
from ..agents.roles import search_number
from ..compiled import compiled
from ..compiled.clock import NEVER
from ..core.errors import ProblemError
from ..core.memory import Used
from ..knowledge.certainty import Certainty
from ..knowledge.grid import OUTDATED, GridKnowledge
from ..knowledge.terrain import Knowledge, believed_world, lay_out
from ..search.learning import Learned
from ..search.state import STRIDE
from ..worlds import World
from ..worlds.changes import Noted
from .addresses import no_addresses
from .arena import Arena
from .crew import OneForAll, new_crew
from .streams import FINER, Guided, Streams
from .tables import Table

_NOTHING = np.empty(0, np.int64)


class Squad:
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
        self.knowledge: Knowledge = lay_out(world, terrain, 0, 0, 0, chosen.parameters).knowledge
        self.crews: list[Any] = []
        """One for each thread."""

    def try_out(self, start: int, goal: int) -> None:
        """Refuse an impossible unit before it is made."""

    def with_what_was_read(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """These parameters, with files replaced by their contents."""
        return parameters

    def renew(self, world: World, streams: Any, arena: Arena, rows: np.ndarray, threads: int) -> None:
        """Make the crews for these units: for the first unit, to make room for more, or after a change of costs."""
        raise NotImplementedError

    def let_go(self, units: np.ndarray) -> None:
        """Discard what was computed for these units: they are gone, or have other goals."""

    def hear(self, world: World, noted: Noted, rescalings: list[tuple[float, int]]) -> np.ndarray:
        """React to a change of the world. Return the numbers of the units that need a turn because of it."""
        if isinstance(self.knowledge, GridKnowledge):
            self.knowledge.tally[OUTDATED] = 1  # what was seen may be out of date
        return _NOTHING

    @property
    def memory_bytes(self) -> int:
        """The memory of its units' searches."""
        return 0

    def set_full(self, full: bool) -> None:
        """Set whether memory is left for its searches."""

    def tidy(self, most: int) -> bool:
        """Free the memory of up to `most` removed units; return whether there is more."""
        return False

    def give_mind(self, unit: int, rows: np.ndarray) -> bool:
        """Make a mind for a unit before its turn; return whether it can have one."""
        return True


class LendingSquad(Squad):
    """A squad whose units all use the same mind, one after the other; with several threads, one mind per thread."""

    def __init__(self, number: int, kind: Kind, chosen: Mix, world: World, terrain: str):
        super().__init__(number, kind, chosen, world, terrain)
        if not chosen.parts["lookahead"].adjustable:
            self.share = 1  # a look at the neighbours
        else:  # a search ends with its turn, also if the budget of a tick is less than its lookahead
            self._setting.parameters = {**chosen.parameters, "lookahead": None}
        if terrain == "known":
            self.knowledge = Certainty(0)  # nothing to sense
        self._memories: list[dict[str, Used]] = []

    def renew(self, world: World, streams: Any, arena: Arena, rows: np.ndarray, threads: int) -> None:
        """Make the minds."""
        for number, crew in enumerate(self.crews):
            if "nodes" in self._memories[number]:
                self._memories[number]["nodes"] = Used(self._memories[number]["nodes"].array, last_number(crew))
        while len(self._memories) < threads:
            taken = take_memory(self._setting.parts, world)
            self._memories.append({name: used for name, used in taken.items() if name != "h"})
        minds = [self._mind(world, streams, arena, rows, memory) for memory in self._memories]
        self.crews = [new_crew(OneForAll(), mind, no_addresses(0), 0, 0) for mind in minds]

    def _mind(self, world: World, streams: Any, arena: Arena, rows: np.ndarray, memory: dict[str, Used]) -> Any:
        setting = self._setting
        setting.memory = memory
        since = memory["nodes"].mark if "nodes" in memory else 0
        tally, table = np.zeros(6, np.int64), Table(arena, rows, 0)
        believed = (
            world.compiled(0) if self.terrain == "known" else believed_world(world, self.terrain, self.knowledge, 0)
        )
        longest = world.longest
        if isinstance(streams, Streams):  # at most all units can be in the way
            believed, longest = Guided(believed, streams), longest_with(world, streams, len(rows))
        setting.believed = Learned(believed, table, 0, _NOTHING, 0, _NOTHING, since, tally)
        parts = Parts._make([*(setting.parts[role].make(setting) for role in ROLES), NoRetreat()])
        search = setting.parts["lookahead"].search(setting, parts.order)
        overestimated = setting.parts["learning"].most_overestimated(setting)
        walk = new_journey(Problem(0, 0, False, NEVER, longest, 1, overestimated), memory["order"].array)
        return new_mind(parts, search, setting.believed, self.knowledge, walk)


def squad_of(number: int, name: str | Kind, world: World, terrain: str, parameters: Mapping[str, Any]) -> Squad:
    """Make a squad for units of that kind, or raise if they cannot be in a fleet."""
    from .own_squad import OwnSquad  # here, because it imports this module

    if terrain == "partial":
        raise ProblemError("units of a fleet need known or unknown terrain, not partial")
    kind = find_kind(name, terrain)
    if isinstance(kind, Made):
        raise ProblemError(f"agent {kind.name!r} is made by a function; a fleet needs agents made of parts")
    chosen = mix(kind, parameters)
    check_terrain(terrain, chosen.parameters)
    if chosen.parameters["fallback"] != "none" or chosen.parameters["memory_mb"] is not None:
        raise ProblemError("fallback and memory_mb are for single agents; give memory_mb to the fleet")
    squad = LendingSquad if leaves_nothing(chosen) else OwnSquad
    return squad(number, kind, chosen, world, terrain)


def leaves_nothing(chosen: Mix) -> bool:
    """Does a search end when it has a path, so that only learned h-values are kept for the next?"""
    lookahead, learning, target = (chosen.parts[role] for role in ("lookahead", "learning", "target"))
    shallow = chosen.parameters.get("depth", 1) == 1 and chosen.parameters.get("cost_limit") is None
    keeps = learning.remembers or target.keeps_values or own_arrays(chosen.parts.values())
    return lookahead.starts_afresh and shallow and not keeps


def longest_with(world: World, streams: Streams, units: int) -> int:
    """Return a bound on path costs, whatever that many units have declared."""
    return min(2**59, FINER * world.longest + world.states * units * (streams.crowded + streams.against))


@compiled
def last_number(crew: Any) -> int:
    """Return a number above that of every search of a mind."""
    return search_number(crew.mind.body.search) + STRIDE
