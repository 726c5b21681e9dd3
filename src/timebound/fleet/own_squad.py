"""A squad whose units have their own minds: for agents whose search continues from tick to tick.

A mind has memory for the whole map, of which only the pages exist that its search has touched. It is made in the unit's
first turn, and discarded when the unit gets another goal.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..agents.algorithms.knn_lrta.base import base_for
from ..agents.catalogue import Kind, Mix
from ..agents.changing import ROOM
from ..agents.interval import Parts, journey_of, new_mind
from ..agents.journey import Beginning, Problem
from ..agents.making import learned_world, take_memory
from ..agents.parts import ROLES, Setting
from ..agents.queries import note_cells, note_costs, note_edges
from ..agents.retreat import NoRetreat
from ..compiled.clock import NEVER
from ..core.errors import TimeboundError
from ..core.memory import Pool
from ..knowledge.terrain import believed_world, rescaled
from ..subgoals.cases import CaseBase
from ..worlds import Graph, Grid, World
from ..worlds.changes import Noted
from ..worlds.grid import OF_CELL, OF_COST
from .addresses import address_of, no_addresses, same_type
from .arena import Arena
from .crew import OneEach, new_crew
from .own import bytes_of, copy_crew, news_of, publish, set_limits, set_mind, take_minds
from .squad import Squad
from .units import STUCK, WAITING

MOST_NEWS = 4  # times the number of states; after that all units start from scratch
_NOBODY = np.empty(0, np.int64)


class OwnSquad(Squad):
    """A squad whose units have their own minds."""

    keeps_searches = True

    def __init__(self, number: int, kind: Kind, chosen: Mix, world: World, terrain: str):
        super().__init__(number, kind, chosen, world, terrain)
        self._minds: dict[int, Any] = {}
        self._gone: list[Any] = []
        self._scout: Any = None
        self._ends, self._room, self._threads = (0, 0), 0, 1
        self._longest = world.longest
        self._base: tuple[int, CaseBase] | None = None

    def try_out(self, start: int, goal: int) -> None:
        """Make a mind that senses for all, and prepare what all need: a case base, an abstraction."""
        if self._scout is None:
            self._ends = start, goal
            self._scout = self._make(start, goal)

    def with_what_was_read(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """A case base need not be read a second time."""
        return parameters if self._base is None else {**parameters, "cases": self._base[1]}

    def renew(self, world: World, streams: Any, arena: Arena, rows: np.ndarray, threads: int) -> None:
        """Make room for these units; existing ones keep their minds."""
        before, self._room, self._threads = self.crews, len(rows), threads
        self._make_crew()
        if before:
            copy_crew(before[0], self.crews[0])

    def _make_crew(self) -> None:
        longest = self._longest = self._setting.world.longest
        self.crews = [new_crew(OneEach(), self._scout, no_addresses(self._room), self._room, longest)] * self._threads

    def give_mind(self, unit: int, rows: np.ndarray) -> bool:
        """Make a mind for a unit before its first turn, or its first with a new goal; return whether it can have one.

        A path that it still has leads to the old goal.
        """
        if not rows["buried"][unit]:
            rows["length"][unit], rows["reason"][unit] = 0, WAITING
        try:
            mind = self._make(int(rows["position"][unit]), int(rows["goal"][unit]))
        except TimeboundError:  # what was prepared for its kind does not suit that goal
            rows["reason"][unit] = STUCK
            return False
        if not same_type(mind, self._scout):  # the world has new arrays
            self._restart()
        self._minds[unit] = mind
        set_mind(self.crews[0], unit, address_of(mind))
        self.tidy(1)
        return True

    def _make(self, start: int, goal: int) -> Any:
        world, chosen = self._setting.world, self.chosen
        setting = Setting(self.name, chosen.parts, world, self._prepared(world), start, goal, 0)
        setting.memory = take_memory(chosen.parts, world, Pool())  # no page of it has been touched
        believed = believed_world(world, self.terrain, self.knowledge, goal)
        setting.believed = learned_world(chosen.learning, believed, setting.memory)
        steepness = chosen.parts["learning"].steepness(setting) if chosen.learning else 0
        parts = Parts._make([*(chosen.parts[role].make(setting) for role in ROLES), NoRetreat()])
        search = chosen.parts["lookahead"].search(setting, parts.order)
        overestimated = chosen.parts["learning"].most_overestimated(setting)
        problem = Problem(start, goal, False, NEVER, world.longest, steepness, overestimated)
        walk = Beginning(problem, setting.memory["order"].array)
        return new_mind(parts, search, setting.believed, self.knowledge, walk)

    def _prepared(self, world: World) -> Mapping[str, Any]:
        """The parameters; a case base among them is read once, and repaired when the map has changed."""
        if self.parameters.get("cases") is None or not isinstance(world, Grid):
            return self.parameters
        if self._base is None:
            self._base = world.version, base_for(world, self.parameters)
        elif self._base[0] != world.version:
            self._base = world.version, self._base[1].repaired(world)
        return {**self.parameters, "cases": self._base[1]}

    def let_go(self, units: np.ndarray) -> None:
        """Discard their minds. Freeing the memory would take too long for this call: see `tidy`."""
        for crew in self.crews[:1]:
            take_minds(crew, units)
        self._gone += [self._minds.pop(unit) for unit in units.tolist() if unit in self._minds]

    def tidy(self, most: int) -> bool:
        """Free the memory of up to `most` minds; return whether there is more."""
        del self._gone[-most:]
        return bool(self._gone)

    # ---------------------------------------------------------------- the world changes

    def hear(self, world: World, noted: Noted, rescalings: list[tuple[float, int]]) -> np.ndarray:
        """Let all units read the changes in their next turn; if there are too many, they start from scratch."""
        super().hear(world, noted, rescalings)
        for factor, bits in rescalings:
            self.knowledge = rescaled(world, self.knowledge, factor, bits)
        if not self.crews:
            return _NOBODY
        before = news_of(self.crews[0])
        if not rescalings:
            self._take_note(world, noted)
            set_limits(self.crews[0], world.longest, False)
        if rescalings or before > MOST_NEWS * world.states or world.longest > ROOM * self._longest:
            self._restart()
            return _NOBODY
        return np.array(sorted(self._minds), np.int64) if news_of(self.crews[0]) != before else _NOBODY

    def _restart(self) -> None:
        """Remove all minds. (First the references to them: Ctrl-C may come in between.)"""
        self._scout = self._make(*self._ends)
        self._make_crew()
        self._gone, self._minds = [*self._gone, *self._minds.values()], {}

    def _take_note(self, world: World, noted: Noted) -> None:
        """Do what `agents.changing` does; but changed costs are known immediately, even in unknown terrain."""
        walk, known = journey_of(self._scout), self.terrain == "known"
        if isinstance(world, Graph):
            differ = world.prices(noted.subjects) != noted.before
            note_edges(walk, self.knowledge, noted.subjects[differ], noted.before[differ], True)
        elif isinstance(world, Grid):
            cells, kinds = noted.subjects // 2, noted.subjects % 2
            walls = (kinds == OF_CELL) & (world.passable.ravel()[cells] != (noted.before != 0))
            if known:
                note_cells(walk, self.knowledge, cells[walls], noted.before[walls], True)
            costs = kinds == OF_COST
            note_costs(walk, self.knowledge, cells[costs], noted.before[costs], True)
        publish(self.crews[0])

    # ---------------------------------------------------------------- memory

    @property
    def memory_bytes(self) -> int:
        """The memory of its units' searches."""
        return int(bytes_of(self.crews[0])) if self.crews else 0

    def set_full(self, full: bool) -> None:
        """Set whether memory is left for its searches."""
        set_limits(self.crews[0], self._setting.world.longest, full)
