"""The usual kind of crowd, to compare with a fleet: each unit plans its whole path with A* as soon as it needs one.

A frame lasts until all units have planned. A frame that takes longer than the game's clock allows continues in the next
tick, and until then no unit moves: that is what a player would see.
"""

import time

import numpy as np

from ..fleet.units import MOVING, UNREACHABLE, WAITING
from ..search.solver import shortest_path
from ..worlds import Grid
from ..worlds.grid import STEPS


class AStarCrowd:
    """Units by their cells. Units do not block each other."""

    def __init__(self, world: Grid, positions: np.ndarray, goals: np.ndarray):
        count = len(positions)
        self.world, self.positions, self.goals = world, positions.copy(), goals.copy()
        self.reasons = np.full(count, WAITING, np.uint8)
        self.arrived = 0  # how many times
        self.frame_us = 0.0  # the processor time of this frame's searches so far
        self.planned = 0  # units in this frame
        self.ended = True  # all units moved in the last tick
        self._left = 0.0  # seconds left of this tick
        self._cells, self._used = np.empty(1024, np.int32), 0  # all paths, one after the other
        self._at, self._last = np.zeros(count, np.int64), np.zeros(count, np.int64)  # where a unit is on its path

    @property
    def waiting(self) -> int:
        """The number of units without a path yet."""
        return int(np.count_nonzero(self.reasons == WAITING))

    def tick(self, seconds: float) -> np.ndarray:
        """Plan for that much processor time, as long as any unit needs a path; when none does, all move.

        The next ticks pay for a search that took longer. Returns the units that have arrived: they need new
        goals.
        """
        if self.ended:
            self.frame_us, self.planned, self.ended = 0.0, 0, False
        self._left = min(seconds, self._left + seconds)
        for unit in np.flatnonzero(self.reasons == WAITING).tolist():
            if self._left <= 0:
                return np.empty(0, np.int64)
            self._left -= self._plan(unit)
        self.ended = True
        return self._move()

    def retarget(self, units: np.ndarray, goals: np.ndarray) -> None:
        """Give these units new goals, one each."""
        self.goals[units], self.reasons[units] = goals, WAITING

    def hear(self, freer: bool) -> None:
        """React to a change of the world: units with a wall on their path plan again.

        So do units without a path, if the world has become freer or a wall was built on them.
        """
        blocked = ~self.world.passable.ravel()
        walls = np.concatenate([[0], np.cumsum(blocked[self._cells[: self._used]])])
        going = np.flatnonzero(self.reasons == MOVING)
        ahead = np.minimum(self._at[going] + 1, self._last[going])  # a unit inside a wall may leave it
        self.reasons[going[walls[self._last[going] + 1] > walls[ahead]]] = WAITING
        stuck = self.reasons == UNREACHABLE
        self.reasons[stuck if freer else stuck & blocked[self.positions]] = WAITING

    def _plan(self, unit: int) -> float:
        """Plan for a unit; return the processor time in seconds."""
        start, goal, before = int(self.positions[unit]), int(self.goals[unit]), time.thread_time()
        path = self._way(start, goal)
        took = time.thread_time() - before
        self.frame_us += took * 1e6
        self.planned += 1
        self.reasons[unit] = MOVING if len(path) else UNREACHABLE
        if len(path):
            self._keep(unit, path)
        return took

    def _way(self, start: int, goal: int) -> np.ndarray:
        """Return the cheapest path; empty if there is none. A unit inside a wall first leaves it."""
        free = self.world.passable.ravel()
        if not free[start]:
            return self._way_out(start, goal)
        if not free[goal]:
            return np.empty(0, np.int32)
        return shortest_path(self.world, self.world.place(start), self.world.place(goal)).numbers

    def _way_out(self, start: int, goal: int) -> np.ndarray:
        """Return the free neighbour nearest to the goal, as units of a fleet do."""
        (x, y), (goal_x, goal_y) = self.world.place(start), self.world.place(goal)
        around = np.add(STEPS[:8], (x, y))
        around = around[np.all((around >= 0) & (around < (self.world.width, self.world.height)), axis=1)]
        around = around[self.world.passable[around[:, 1], around[:, 0]]]
        if not len(around):
            return np.empty(0, np.int32)
        nearest = around[np.hypot(around[:, 0] - goal_x, around[:, 1] - goal_y).argmin()]
        return np.array([start, nearest[1] * self.world.width + nearest[0]])

    def _keep(self, unit: int, path: np.ndarray) -> None:
        if self._used + len(path) > len(self._cells):
            self._make_room(len(path))
        begin, self._used = self._used, self._used + len(path)
        self._cells[begin : self._used] = path
        self._at[unit], self._last[unit] = begin, self._used - 1

    def _make_room(self, more: int) -> None:
        """Drop the parts of paths that are walked or unused; then make room for as much again."""
        lengths = np.where(self.reasons == MOVING, self._last - self._at + 1, 0)
        begins = np.cumsum(lengths) - lengths
        used = int(lengths.sum())
        cells = np.empty(2 * (used + more), np.int32)
        cells[:used] = self._cells[np.arange(used) + np.repeat(self._at - begins, lengths)]
        self._cells, self._used = cells, used
        self._at, self._last = begins, begins + lengths - 1

    def _move(self) -> np.ndarray:
        going = np.flatnonzero(self.reasons == MOVING)
        self._at[going] = np.minimum(self._at[going] + 1, self._last[going])
        self.positions[going] = self._cells[self._at[going]]
        self.reasons[going[self._at[going] == self._last[going]]] = WAITING  # unless it has arrived
        there = np.flatnonzero(self.positions == self.goals)
        self.arrived += len(there)
        return there
