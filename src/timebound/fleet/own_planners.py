"""A kind whose units have their own planners (see `kinds`), from the first turn to the next goal.

So it is for agents whose search continues from tick to tick. A planner has memory for the whole map, of which only the
pages exist that its search has touched. Between two turns its unit follows its last path, and may be delayed or pushed
aside by others: to its planner, a move failed, or the agent was put elsewhere.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..agents.algorithms.dstar_lite import Repair, downhill, set_course
from ..agents.algorithms.knn_lrta import base_for
from ..agents.algorithms.pr_lrta import Refined
from ..agents.body import arrive, place_on_path
from ..agents.catalogue import Kind, Mix
from ..agents.changing import ROOM
from ..agents.interval import body_of, journey_of, memory_used, needs_relief, plan, process_news
from ..agents.journey import GOING, NOWHERE, forget_news
from ..agents.journey import UNREACHABLE as NO_WAY
from ..agents.making import learned_world, take_memory
from ..agents.parts import Setting
from ..agents.queries import note_change
from ..agents.roles import path_ahead
from ..compiled import borrow, borrow_field, compiled, inlined, optional
from ..compiled.clock import NEVER
from ..core.errors import TimeboundError
from ..core.integers import Int
from ..core.memory import Pool
from ..knowledge.graph import edges_changed
from ..knowledge.grid import costs_changed, map_changed
from ..knowledge.interface import reported, without_repeats
from ..knowledge.terrain import believed_world, rescaled
from ..search.budget import Allowance
from ..subgoals.cases import CaseBase
from ..worlds import Graph, Grid, World
from ..worlds.changes import Noted
from ..worlds.grid import OF_CELL, OF_COST
from .addresses import address_of, no_addresses, same_type, struct_at
from .allocator import Allocator
from .guidance import declare
from .kinds import NOBODY, Own, UnitKind, new_planners, serve, share_news
from .shared_planner import most_states
from .unit_paths import keep_path
from .units import BLOCKED, OUT_OF_MEMORY, STUCK, UNREACHABLE, WAITING

PAGES = 8  # memory of touched pages over memory used; measured on maps of 512 x 512 cells: 5.7 to 12.6
A_STATE = 24  # the most bytes that a planner has per state
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
        return self.planner(setting, world.longest, steepness)

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
        share_news(Own(), self.planners[0])

    # ---------------------------------------------------------------- memory

    @property
    def memory_bytes(self) -> int:
        """The memory of its units' searches."""
        return int(self._bytes.sum())

    def set_full(self, full: bool) -> None:
        """Set whether memory is left for its searches."""
        set_limits(self.planners[0], self._setting.world.longest, full)


# ------------------------------------------------------------------ the turn of a unit


@serve.of(Own)
@compiled
def _serve(ownership: Any, planners: Any, units: Any, unit: Int, expansions: int) -> Int:
    """Let a unit continue its search."""
    planner, (rows, allocator, traffic) = struct_at(planners.shared, planners.own[unit]), borrow(units)
    row, body = rows[unit], planner.body
    if row.buried:
        return 0
    if planners.full:  # units that have a path follow it
        row.wants = False
        row.reason = row.reason if row.length else OUT_OF_MEMORY
        return 0
    walk = borrow_field(body, "journey")
    searches, before = walk.searches, walk.expansions
    take_place(body, row.position)
    keep_course(planner.parts.lookahead, body, allocator, row)
    hear_of_news(planners, planner, unit)
    walk.surprises += walk.stop != GOING  # whatever resumed it, what it has concluded may no longer hold
    walk.stop, walk.decision, walk.stepping_back, walk.longest = GOING, NOWHERE, False, planners.longest
    plan(borrow_field(planner, "parts"), body, Allowance(expansions, NEVER, NEVER))
    used = memory_used(borrow_field(planner, "parts"), body)
    planners.bytes[unit] = in_pages(planner.parts.lookahead, used, len(borrow_field(walk, "order")))
    row.expansions += walk.expansions - before
    row.searches += walk.searches - searches
    follow(planner, traffic, allocator, row, unit)
    return walk.expansions - before


@optional
def in_pages(lookahead: Any, used: int, states: int) -> int:
    """Return roughly the memory of a search. Memory comes in pages, most of which are hardly used."""
    return min(PAGES * used, max(used, A_STATE * states))


@in_pages.of(Repair)
def _in_pages(lookahead: Any, used: int, states: int) -> int:
    return used  # which counts a state every time it is looked at


@compiled
def take_place(body: Any, position: Int) -> None:
    """Tell the planner where the moves since its last turn led. The record is elsewhere: the trail keeps one move."""
    walk = borrow_field(body, "journey")
    waited = position == walk.position and walk.decision != NOWHERE and walk.decision != position
    pushed = position not in (walk.position, walk.decision) and place_on_path(walk, position) == NOWHERE
    if waited or pushed:
        walk.surprises += 1  # so where it has searched before is no proof that it goes in a circle
    if position != walk.position:
        walk.trail[0] = walk.position
        walk.moves = 0
        arrive(body, position)


@optional
def keep_course(lookahead: Any, body: Any, allocator: Allocator, row: Any) -> None:
    """Tell a planner how far along its path the moves led, if it counts how often the path was cut."""


@keep_course.of(Repair)
def _keep_course(lookahead: Any, body: Any, allocator: Allocator, row: Any) -> None:
    if row.length and row.at:
        world, last = borrow_field(body, "world"), row.at + 1 == row.length
        following = downhill(body.search, world, row.position) if last else allocator.cells[row.path + row.at + 1]
        if following != NOWHERE:
            set_course(body.search, world, row.position, following)


@compiled
def follow(planner: Any, traffic: Any, allocator: Allocator, row: Any, unit: Int) -> None:
    """Record what a planner has decided, and the path behind that."""
    parts, body = borrow_field(planner, "parts"), planner.body
    barred = allocator.cells[row.path + row.at + 1] if row.length and row.reason == BLOCKED else NOWHERE
    row.length = 0
    declare(traffic, allocator.cells, row)
    row.reason, row.wants = WAITING, body.stop == GOING
    if body.stop != GOING:
        row.reason = UNREACHABLE if body.stop == NO_WAY else STUCK
    elif body.decision != NOWHERE:
        ahead = path_ahead(parts.lookahead, body)
        if len(ahead) > 1 and ahead[1] == body.decision:
            keep_path(allocator, row, unit, ahead, min(len(ahead), int(most_states(parts.walk))))
        else:
            keep_path(allocator, row, unit, (row.position, body.decision), 2)
        row.wants = row.length > 0 and (watches(parts.lookahead) or searches_on(body))
        if row.length and body.decision == barred:  # it still waits for the unit in its way
            row.reason = BLOCKED
    declare(traffic, allocator.cells, row)


@inlined
def searches_on(body: Any) -> bool:
    """Is its search running, and not just because it may have to step back to a path that leads to the goal?"""
    if not body.searching:
        return False
    at_end = body.length > 0 and borrow_field(body, "path")[body.length - 1] == body.goal
    return not at_end or place_on_path(body, body.position) == NOWHERE


@optional
def watches(lookahead: Any) -> bool:
    """Does it check at every move whether to look ahead again?"""
    return False


@watches.of(Refined)
def _watches(lookahead: Any) -> bool:
    return True


# ------------------------------------------------------------------ news


@share_news.of(Own)
@compiled
def _share_news(ownership: Any, planners: Any) -> None:
    """Record for all units what was seen; each reads it in its next turn."""
    fresh, news = planners.shared.body.news, planners.news
    for i in range(fresh.count):
        news = reported(news, fresh.states[i], False)
    planners.news = news
    if fresh.relief:
        planners.relieved = news.count
    forget_news(borrow_field(planners.shared.body, "journey"))


@compiled
def hear_of_news(planners: Any, planner: Any, unit: Int) -> None:
    """Let a unit read what has changed since its last turn; where moves became cheaper, learned values fall."""
    body, first, count = planner.body, planners.heard[unit], planners.news.count
    if first == count:
        return
    news, relief = body.news, bool(first < planners.relieved)
    for i in range(first, count):
        news = reported(news, planners.news.states[i], relief)
    body.news = without_repeats(news, len(borrow_field(body, "order")))
    planners.heard[unit] = count
    if needs_relief(body):
        process_news(planner, NEVER)


# ------------------------------------------------------------------ called from Python


@compiled
def news_of(planners: Any) -> int:
    """Return the number of news."""
    return planners.news.count


@compiled
def make_room(planners: Any, own: Any, heard: np.ndarray, used: np.ndarray) -> None:
    """Let planners use larger arrays, into which theirs have been copied."""
    planners.own, planners.heard, planners.bytes = own, heard, used


@compiled
def set_limits(planners: Any, longest: int, full: bool) -> None:
    """Set the bound on path costs, and whether memory has run out."""
    planners.longest, planners.full = longest, full
