"""Subgoals from region to region, and how far to look ahead: the knowledge of D LRTA* (Bulitko et al. 2008).

For a pair of regions, the best path between their representatives (the states nearest to their middles) is followed to
where it leaves the first region: the state in which it enters the next one is the subgoal. One search from the
representative of a region finds the best paths from all others, so a row of the table, all pairs with one goal region,
costs one search of the whole map. Rows are computed when a goal is first in their region, or all at once.

The depth of a pair of regions is the least at which LRTA*, before learning anything, makes an optimal move from the
representative of the first region: one that begins a cheapest path to the representative of the goal's. If no depth up
to `MOST_DEPTH` does, it is the least one with the best move.
"""

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import numpy as np

from ..compiled import borrow, borrow_field, compiled
from ..compiled.clock import NEVER
from ..compiled.interrupts import ROUNDS, breathe
from ..core.errors import ProblemError
from ..core.integers import Int
from ..search.breadth_first import look_within
from ..search.budget import UNLIMITED
from ..search.kept_searches import idle_search
from ..search.open_list import NOBODY
from ..search.orders import FIXED, Order
from ..search.paths import first_move, to_the_end
from ..search.state import SearchState, begin, reached_by
from ..worlds import World
from ..worlds.interface import aimed
from .abstraction import NO_REGION, Abstraction

HERE, NO_WAY = -1, -2  # in place of a subgoal: this is the goal's region; the goal's region cannot be reached
MOST_PAIRS = 1 << 27  # a gigabyte
MOST_DEPTH = 15  # moves: expands up to 29 x 29 states, within the 1,000 per move of the TBA* paper's experiments
NOBODYS = -1  # a goal that no search can reach


class RegionSubgoals:
    """The subgoals of one grid at one level of abstraction.

    Use `RegionSubgoals.of`, which keeps them with the grid.

    >>> import numpy as np, timebound as tb
    >>> from timebound.subgoals.regions import RegionSubgoals
    >>> table = RegionSubgoals.of(tb.Grid(np.ones((2, 8), bool)), 1)
    >>> table.row(3)  # toward the region of the last four cells; subgoals are numbers of cells
    array([ 2,  4,  6, -1], dtype=int32)
    """

    def __init__(self, world: World, level: int):
        abstraction = Abstraction.of(world)
        self.world, self.level = abstraction.world, abstraction.clamped(level)
        self.count = abstraction.level(level).states
        if self.count**2 > MOST_PAIRS:
            raise ProblemError(
                f"level {level} has {self.count:,} regions, too many for a table of subgoals for all pairs; "
                f"use level {lowest_level(abstraction)} or higher"
            )
        self.regions, self.sizes = abstraction.regions(level), abstraction.level(level).sizes
        self.representatives = abstraction.representatives(level)
        self.version = abstraction.version
        """The version of the grid when this was computed."""
        self._rows: dict[int, np.ndarray] = {}
        self._depths: dict[int, np.ndarray] = {}

    @classmethod
    def of(cls, world: World, level: int) -> "RegionSubgoals":
        """Return the table of that grid and level; its computed rows stay with the grid."""
        name = f"subgoals at level {Abstraction.of(world).clamped(level)}"
        if name not in world.prepared:
            world.prepared[name] = cls(world, level)
        return world.prepared[name]

    @property
    def memory_bytes(self) -> int:
        """Bytes of the region of every cell, and of the rows so far."""
        return int(self.regions.nbytes + sum(part.nbytes for part in chain(self._rows.values(), self._depths.values())))

    def row(self, goal: int) -> np.ndarray:
        """Return for every region the state to go to if the goal is in region `goal`; or `HERE`, or `NO_WAY`."""
        if goal == NO_REGION:
            return np.full(self.count, NO_WAY, np.int32)
        if goal not in self._rows:
            self._work_out([goal])
        return self._rows[goal]

    def depths(self, goal: int) -> np.ndarray:
        """Return how many moves to look ahead in every region, if the goal is in region `goal`."""
        if goal == NO_REGION:
            return np.ones(self.count, np.int64)
        if goal not in self._depths:
            self._check_version()
            subgoals, order, target = self.row(goal), Order.by_cost(self.world), self.world.compiled(NOBODYS)
            with idle_search(self.world, target, order) as search, idle_search(self.world, target, order) as local:
                begin(search, target, int(self.representatives[goal]), order)
                self._depths[goal] = best_depths(search, local, order, self.representatives, subgoals)
        return self._depths[goal]

    def fill(self, workers: int | None = None) -> None:
        """Compute all rows now, with `threads` threads, by default one per core."""
        missing = [goal for goal in range(self.count) if goal not in self._rows]
        workers = workers or os.cpu_count() or 1
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(self._work_out, [missing[i::workers] for i in range(workers)]))

    def _check_version(self) -> None:
        if self.version != self.world.version:
            raise ProblemError(
                "the map has changed since these subgoals were computed; call RegionSubgoals.of(world) again"
            )

    def _work_out(self, goals: Iterable[int]) -> None:
        self._check_version()
        world, order, target = self.world, Order.by_cost(self.world), self.world.compiled(NOBODYS)
        with idle_search(world, target, order) as search:
            for goal in goals:
                begin(search, target, int(self.representatives[goal]), order)
                self._rows[goal] = subgoals_toward(search, self.regions, self.representatives, goal)


def lowest_level(abstraction: Abstraction) -> int:
    """Return the lowest level with few enough regions for a table of all pairs."""
    small = (level for level in range(1, abstraction.top) if abstraction.level(level).states ** 2 <= MOST_PAIRS)
    return next(small, abstraction.top)


@compiled
def subgoals_toward(search: SearchState, regions: np.ndarray, representatives: np.ndarray, goal: Int) -> np.ndarray:
    """Compute a row; the search began at the representative of region `goal`, so a state's parent is nearer to it."""
    to_the_end(search)
    owned_nodes = search.nodes
    nodes, row = borrow(owned_nodes), np.empty(len(representatives), np.int32)
    for region in range(len(row)):
        state = np.int64(representatives[region])
        if region == goal:
            row[region] = HERE
        elif not reached_by(nodes[state], search.number):
            row[region] = NO_WAY
        else:
            while regions[state] == region:
                state = np.int64(nodes[state].parent)
            row[region] = state
    return row


@compiled
def best_depths(
    search: SearchState, local: SearchState, order: Order, representatives: np.ndarray, subgoals: np.ndarray
) -> np.ndarray:
    """Compute the depths; the search has begun at the representative of the goal's region, `local` looks ahead."""
    to_the_end(search)
    depths = np.ones(len(representatives), np.int64)
    for region in range(len(depths)):
        if subgoals[region] >= 0:
            middle = np.int64(representatives[region])
            depths[region] = best_depth(search, local, order, middle, np.int64(subgoals[region]))
        breathe(ROUNDS // 16 * (region + 1))
    breathe(0)  # an interrupted search did not look far enough
    return depths


@compiled
def best_depth(search: SearchState, local: SearchState, order: Order, state: Int, subgoal: Int) -> int:
    """Return the least depth at which the first move toward the subgoal is the best that any depth finds."""
    world, costs = aimed(search.world, subgoal), borrow_field(search, "nodes")
    best, least = 1, NEVER
    for depth in range(1, MOST_DEPTH + 1):
        begin(local, world, state, order)
        seen = look_within(local, state, depth, NEVER, UNLIMITED, FIXED)
        if seen.state == NOBODY:
            break
        move = first_move(local, seen.state)
        regret = borrow_field(local, "nodes")[move].g + costs[move].g - costs[state].g
        if regret < least:
            best, least = depth, regret
        if least == 0:
            break
    return best
