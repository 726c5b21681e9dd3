"""A kind whose units have their own planners (see `planners`), from the first turn to the next goal.

A planner has memory for the whole map, of which only the pages exist that its search has touched.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..agents.algorithms.knn_lrta import base_for
from ..agents.catalogue import Kind, Mix
from ..agents.changing import ROOM
from ..agents.interval import body_of, journey_of
from ..agents.making import learned_world, take_memory
from ..agents.parts import Setting
from ..agents.queries import note_change
from ..core.errors import TimeboundError
from ..core.memory import Pool
from ..knowledge.graph import edges_changed
from ..knowledge.grid import costs_changed, map_changed
from ..knowledge.terrain import believed_world, rescaled
from ..subgoals.cases import CaseBase
from ..worlds import Graph, Grid, World
from ..worlds.changes import Noted
from ..worlds.grid import OF_CELL, OF_COST
from .addresses import address_of, no_addresses, same_type
from .allocator import Allocator
from .kinds import NOBODY, UnitKind
from .own_turn import make_room, news_of, publish, set_limits
from .planners import Own, new_planners
from .units import STUCK, WAITING

MOST_NEWS = 4  # times the number of states; after that all units start from scratch


class OwnPlanners(UnitKind):
    """A kind whose units have their own planners."""

    keeps_searches = True

    def __init__(self, number: int, kind: Kind, chosen: Mix, world: World, terrain: str):
        super().__init__(number, kind, chosen, world, terrain)
        self._own: dict[int, Any] = {}
        self._gone: list[Any] = []
        self._shared: Any = None
        self._ends, self._threads = (0, 0), 1
        self._addresses, self._heard, self._bytes = no_addresses(0), NOBODY, NOBODY
        self._longest = world.longest
        self._base: tuple[int, CaseBase] | None = None

    def try_out(self, start: int, goal: int) -> None:
        """Make a planner that senses for all, and prepare what all need: a case base, an abstraction."""
        if self._shared is None:
            self._ends = start, goal
            self._shared = self._make(start, goal)

    def with_what_was_read(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """A case base need not be read a second time."""
        return parameters if self._base is None else {**parameters, "cases": self._base[1]}

    def renew(self, world: World, traffic: Any, allocator: Allocator, rows: np.ndarray, threads: int) -> None:
        """Make room for these units; existing ones keep their planners."""
        arrays, self._threads = (self._addresses, self._heard, self._bytes), threads
        more = no_addresses(len(rows) - len(self._heard)), *np.zeros((2, len(rows) - len(self._heard)), np.int64)
        larger = [np.concatenate(pair) for pair in zip(arrays, more, strict=True)]
        self._addresses, self._heard, self._bytes = larger
        if self.planners:
            self._longest = world.longest
            make_room(self.planners[0], *larger)
            set_limits(self.planners[0], world.longest, False)
        else:
            self._make_planners()

    def _make_planners(self) -> None:
        self._longest = self._setting.world.longest
        arrays = self._addresses, self._heard, self._bytes
        self.planners = [new_planners(Own(), self._shared, *arrays, self._longest)] * self._threads

    def make_planner(self, unit: int, rows: np.ndarray) -> bool:
        """Make a planner before a unit's first turn, or its first with a new goal; return whether it can have one.

        A path that it still has leads to the old goal.
        """
        if not rows["buried"][unit]:
            rows["length"][unit], rows["reason"][unit] = 0, WAITING
        try:
            planner = self._make(int(rows["position"][unit]), int(rows["goal"][unit]))
        except TimeboundError:  # what was prepared for its kind does not suit that goal
            rows["reason"][unit] = STUCK
            return False
        if not same_type(planner, self._shared):  # the world has new arrays
            self._restart()
        self._own[unit] = planner
        self._addresses[unit], self._bytes[unit] = address_of(planner), 0
        self._heard[unit] = news_of(self.planners[0])  # it knows all
        self.tidy(1)
        return True

    def _make(self, start: int, goal: int) -> Any:
        world, chosen = self._setting.world, self.chosen
        setting = Setting(self.name, chosen.parts, world, self._prepared(world), start, goal, 0)
        setting.memory = take_memory(chosen.parts, world, Pool())  # no page of it has been touched
        believed = believed_world(world, self.terrain, self.knowledge, goal)
        setting.believed = learned_world(chosen.learning, believed, setting.memory)
        steepness = chosen.parts["learning"].steepness(setting) if chosen.learning else 0
        return self.planner(setting, start, goal, world.longest, steepness)

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
        """Discard their planners. Freeing the memory would take too long for this call: see `tidy`."""
        known = units[units < len(self._heard)]
        self._addresses[known] = self._bytes[known] = 0
        self._gone += [self._own.pop(unit) for unit in units.tolist() if unit in self._own]

    def tidy(self, most: int) -> bool:
        """Free the memory of up to `most` planners; return whether there is more."""
        del self._gone[-most:]
        return bool(self._gone)

    # ---------------------------------------------------------------- the world changes

    def hear(self, world: World, noted: Noted, rescalings: list[tuple[float, int]]) -> np.ndarray:
        """Let all units read the changes in their next turn; if there are too many, they start from scratch."""
        super().hear(world, noted, rescalings)
        for factor, bits in rescalings:
            self.knowledge = rescaled(world, self.knowledge, factor, bits)
        if not self.planners:
            return NOBODY
        before = news_of(self.planners[0])
        if not rescalings:
            self._take_note(world, noted)
            set_limits(self.planners[0], world.longest, False)
        if rescalings or before > MOST_NEWS * world.states or world.longest > ROOM * self._longest:
            self._restart()
            return NOBODY
        return np.array(sorted(self._own), np.int64) if news_of(self.planners[0]) != before else NOBODY

    def _restart(self) -> None:
        """Remove all planners. (First the references to them: Ctrl-C may come in between.)"""
        self._shared = self._make(*self._ends)
        self._addresses, self._heard = no_addresses(len(self._heard)), np.zeros_like(self._heard)
        self._bytes = np.zeros_like(self._heard)
        self._make_planners()
        self._gone, self._own = [*self._gone, *self._own.values()], {}

    def _take_note(self, world: World, noted: Noted) -> None:
        """Do what `agents.changing` does; but changed costs are known immediately, even in unknown terrain."""
        walk, known = journey_of(body_of(self._shared)), self.terrain == "known"
        if isinstance(world, Graph):
            differ = world.prices(noted.subjects) != noted.before
            note_change(edges_changed, walk, self.knowledge, noted.subjects[differ], noted.before[differ], True)
        elif isinstance(world, Grid):
            cells, kinds = noted.subjects // 2, noted.subjects % 2
            walls = (kinds == OF_CELL) & (world.passable.ravel()[cells] != (noted.before != 0))
            if known:
                note_change(map_changed, walk, self.knowledge, cells[walls], noted.before[walls], True)
            costs = kinds == OF_COST
            note_change(costs_changed, walk, self.knowledge, cells[costs], noted.before[costs], True)
        publish(self.planners[0])

    # ---------------------------------------------------------------- memory

    @property
    def memory_bytes(self) -> int:
        """The memory of its units' searches."""
        return int(self._bytes.sum())

    def set_full(self, full: bool) -> None:
        """Set whether memory is left for its searches."""
        set_limits(self.planners[0], self._setting.world.longest, full)
