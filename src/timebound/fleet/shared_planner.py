"""One planner for all units of a kind, lent to each in its turn (see `kinds`).

A unit keeps only its path and what it has learned, in the fleet's memory.
"""

from typing import Any

import numpy as np

from ..agents.algorithms.plain import FollowPath
from ..agents.catalogue import Kind, Mix
from ..agents.interval import plan
from ..agents.journey import GOING, ILLEGAL, NOT_DUE, NOWHERE
from ..agents.journey import UNREACHABLE as NO_WAY
from ..agents.making import take_memory
from ..agents.roles import search_number
from ..compiled import borrow, borrow_field, compiled, optional
from ..compiled.clock import NEVER
from ..core.integers import Int
from ..core.memory import Used
from ..knowledge.interface import Certainty
from ..knowledge.terrain import believed_world
from ..search.budget import Allowance
from ..search.learning import Learned
from ..search.state import STRIDE
from ..worlds import World
from ..worlds.interface import aimed
from .addresses import no_addresses
from .allocator import Allocator
from .guidance import FINER, Traffic, WithTraffic, declare, learn_of_terrain
from .h_tables import HTable
from .kinds import NOBODY, Shared, UnitKind, new_planners, serve
from .unit_paths import keep_path
from .units import OUT_OF_MEMORY, STUCK, UNREACHABLE, WAITING, Units


class SharedPlanner(UnitKind):
    """A kind whose units all use the same planner, one after the other; with several threads, one each."""

    def __init__(self, number: int, kind: Kind, chosen: Mix, world: World, terrain: str):
        super().__init__(number, kind, chosen, world, terrain)
        if "lookahead" in chosen.parameters:  # a search ends with its turn, also if that has less than its lookahead
            self._setting.parameters = {**chosen.parameters, "lookahead": None}
        else:
            self.share = 1  # a look at the neighbours
        if terrain == "known":
            self.knowledge = Certainty(0)  # nothing to sense
        self._memories: list[dict[str, Used]] = []

    def renew(self, world: World, traffic: Any, allocator: Allocator, rows: np.ndarray, threads: int) -> None:
        """Make the planners."""
        for memory, planners in zip(self._memories, self.planners, strict=False):
            if "nodes" in memory:
                memory["nodes"] = Used(memory["nodes"].array, last_number(planners))
        while len(self._memories) < threads:
            taken = take_memory(self._setting.parts, world)
            self._memories.append({name: used for name, used in taken.items() if name != "h"})
        made = [self._planner(world, traffic, allocator, rows, memory) for memory in self._memories]
        nobody = no_addresses(0), NOBODY, NOBODY
        self.planners = [new_planners(Shared(), planner, *nobody, 0) for planner in made]

    def _planner(
        self, world: World, traffic: Any, allocator: Allocator, rows: np.ndarray, memory: dict[str, Used]
    ) -> Any:
        known, longest = self.terrain == "known", world.longest
        believed = world.compiled(0) if known else believed_world(world, self.terrain, self.knowledge, 0)
        if isinstance(traffic, Traffic):
            most = world.states * len(rows) * (traffic.vertex_cost + traffic.contraflow_cost)  # all are in the way
            believed, longest = WithTraffic(believed, traffic), min(2**59, FINER * longest + most)
        since = memory["nodes"].mark if "nodes" in memory else 0
        table, tally = HTable(allocator, rows, 0), np.zeros(6, np.int64)
        self._setting.memory = memory
        self._setting.believed = Learned(believed, table, 0, NOBODY, 0, NOBODY, since, tally)
        return self.planner(self._setting, longest, 1)


@compiled
def last_number(planners: Any) -> int:
    """Return a number above that of every search of a planner."""
    return search_number(planners.shared.body.search) + STRIDE


# ------------------------------------------------------------------ the turn of a unit


@serve.of(Shared)
@compiled
def _serve(ownership: Any, planners: Any, units: Units, unit: Int, expansions: int) -> Int:
    """Lend a unit the planner."""
    planner, (rows, allocator, traffic) = planners.shared, borrow(units)
    row, body = rows[unit], planner.body
    if row.buried:
        return 0
    row.length, row.reason, row.lost = 0, WAITING, False
    declare(traffic, allocator.cells, row)  # it does not avoid itself
    walk = borrow_field(body, "journey")
    walk.position, walk.root, walk.goal = row.position, row.position, row.goal
    walk.stop, walk.decision, walk.length = GOING, NOWHERE, 0
    walk.searching, walk.updating, walk.debt = False, NOT_DUE, 0
    walk.expansions = walk.searches = walk.moves = 0
    body.world = lent_to(body.world, row.goal, unit)
    plan(borrow_field(planner, "parts"), body, Allowance(expansions, traffic.end_of_planning, NEVER))
    learn_of_terrain(traffic, borrow_field(planner, "parts"), body)
    row.expansions += walk.expansions
    row.searches += walk.searches
    if walk.stop != GOING:
        row.reason = UNREACHABLE if walk.stop == NO_WAY else STUCK if walk.stop == ILLEGAL else OUT_OF_MEMORY
    elif row.lost:  # it might walk in a circle
        row.reason = OUT_OF_MEMORY
    elif walk.length > 1:
        length = min(walk.length, most_states(planner.parts.walk))
        keep_path(allocator, row, unit, borrow_field(walk, "path"), length)
    elif walk.decision != NOWHERE:
        keep_path(allocator, row, unit, (row.position, walk.decision), 2)
    declare(traffic, allocator.cells, row)
    return walk.expansions


@compiled
def lent_to(world: Any, goal: Int, unit: Int) -> Learned:
    """Return the world of a planner, for the turn of a unit."""
    inner, own = aimed(world.world, goal), HTable(world.h.allocator, world.h.rows, unit)
    return Learned(inner, own, 0, world.rises, 0, world.path_costs, world.since, world.tally, world.listener)


@optional
def most_states(walk: Any) -> Int:
    """Return the number of steps of a path before the agent looks again."""
    return NEVER


@most_states.of(FollowPath)
def _most_states(walk: Any) -> Int:
    return walk.movements + 1 if 0 < walk.movements < NEVER else NEVER
