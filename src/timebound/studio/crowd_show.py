"""A crowd for a page: a fleet and, optionally, the same units each planning with A*."""

import time
from typing import Any

import numpy as np

from ..applications.crowd import here, largest_part, starts_in
from ..core.errors import ProblemError
from ..core.values import flag
from ..fleet.fleet import Fleet, Tick
from ..fleet.units import ARRIVED, WAITING
from ..worlds import Grid
from .astar_crowd import AStarCrowd
from .client_limits import FLEET_MB, FRAME_MS, MOST_INTERVALS
from .crowd_frames import HEADER, Tracker, cells_record, tick_record
from .setting import CrowdSetting, tick_ms
from .show import Show


class CrowdShow(Show):
    """Units that walk to one goal after the other. Both crowds have the same units with the same goals."""

    def __init__(self, setting: CrowdSetting):
        super().__init__(setting)
        self.setting, self.ms = setting, setting.ms
        self._destinations = _Destinations(self.world, setting.seed)
        starts = self._destinations.starts(setting.units, apart=setting.collisions != "none")
        self._turns = np.zeros(setting.units, np.int64)  # how many goals each unit has had
        goals = self._destinations.of(np.arange(setting.units), self._turns, starts)
        self.fleet = Fleet(self.world, collisions=setting.collisions, guidance=setting.guidance, memory_mb=FLEET_MB)
        kind, parameters = setting.entrant.kind, setting.entrant.parameters
        self.units = self.fleet.add(
            kind, start=self.world.places_in_rows(starts), goal=self.world.places_in_rows(goals), **parameters
        )
        self.arrived, self._fleet_seen = 0, Tracker(self.world.width)
        self.astar: AStarCrowd | None = None
        self._astar_turns, self._astar_seen = self._turns, self._fleet_seen
        self.compare(setting.astar)
        self.fleet.retarget(self.units, self.world.places_in_rows(goals))  # compile it now, not within a tick
        self._waiting.append(self._beginning())

    @property
    def over(self) -> bool:
        """Whether the limit on ticks is reached: nobody watches that long."""
        return self.interval >= MOST_INTERVALS

    def result(self) -> dict[str, Any]:
        """Return figures of the fleet and of the other crowd."""
        return {"ticks": self.interval, "arrived": self.arrived, "astar_arrived": self.astar and self.astar.arrived}

    def _step(self) -> None:
        self.interval += 1
        used, began = time.thread_time(), time.perf_counter()
        tick = self.fleet.tick(ms=self.ms)
        self._send_on(tick)
        took_us = (time.perf_counter() - began) * 1e6, (time.thread_time() - used) * 1e6
        if self.astar and not self._destinations.nowhere:
            there = self.astar.tick(FRAME_MS / 1000)
            self._astar_turns[there] += 1
            goals = self._destinations.of(there, self._astar_turns[there], self.astar.positions[there])
            self.astar.retarget(there, goals)
        self._waiting.append(self._record(tick, *took_us))

    def _send_on(self, tick: Tick) -> None:
        """Give units that have arrived their next goals."""
        there = np.flatnonzero(tick.reasons[self.units] == ARRIVED)
        if len(there) and not self._destinations.nowhere:
            self.arrived += len(there)
            self._turns[there] += 1
            goals = self._destinations.of(there, self._turns[there], tick.positions[there])
            self.fleet.retarget(there, self.world.places_in_rows(goals))

    def _record(self, tick: Tick, us: float, processor_us: float) -> bytes:
        head = np.zeros((), HEADER)
        head["tick"], head["us"], head["processor_us"] = self.interval, us, processor_us
        head["served"], head["waiting"], head["arrived"] = tick.served, tick.waiting, self.arrived
        head["memory"] = self.fleet.memory_bytes
        fleet, astar = self._fleet_seen.moved(tick.positions[self.units], tick.reasons[self.units]), self.astar
        if not astar:
            return tick_record(head, fleet, None)
        head["astar_us"], head["astar_planned"], head["astar_waiting"] = astar.frame_us, astar.planned, astar.waiting
        head["astar_arrived"], head["astar_ended"] = astar.arrived, astar.ended
        return tick_record(head, fleet, self._astar_seen.moved(astar.positions, astar.reasons))

    def _beginning(self) -> bytes:
        """Return where all units are, before the first tick."""
        head, waiting = np.zeros((), HEADER), np.full(self.setting.units, WAITING)
        cells = here(self.world, self.fleet)
        astar = self._astar_seen.moved(cells, waiting) if self.astar else None
        return tick_record(head, self._fleet_seen.moved(cells, waiting), astar)

    # ---------------------------------------------------------------- interaction

    def _changed(self, cells: np.ndarray, code: int) -> None:
        self._destinations.look_around(self.world.passable)
        if self.astar:
            self.astar.hear(freer=chr(code) != "@")
        self._waiting.append(cells_record(self.interval, cells, code))

    def storm(self) -> None:
        """Give all units new goals at once."""
        goals = self._destinations.of(self.units, self._turns + 1, here(self.world, self.fleet))
        self._turns += 1
        self.fleet.retarget(self.units, self.world.places_in_rows(goals))
        if self.astar:
            self._astar_turns = self._turns.copy()
            self.astar.retarget(self.units, self._destinations.of(self.units, self._turns, self.astar.positions))

    def tune(self, ms: Any, astar: Any) -> None:
        """Change the budget; start or stop the other crowd. None leaves a setting as it is."""
        if ms is not None:
            self.ms = tick_ms(ms)
        if astar is not None:
            self.compare(flag(astar, "astar"))

    def compare(self, astar: bool) -> None:
        """Let the same units start from here, each planning with A*; or remove them."""
        if not astar:
            self.astar = None
        elif not self.astar:
            self._astar_turns, self._astar_seen = self._turns.copy(), Tracker(self.world.width)
            cells = here(self.world, self.fleet)
            self.astar = AStarCrowd(self.world, cells, self._destinations.of(self.units, self._turns, cells))


class _Destinations:
    """Starts and goals of units, drawn from the largest part of the map by the seed."""

    def __init__(self, world: Grid, seed: int):
        self._part, self._seed = largest_part(world), seed
        self._open = np.flatnonzero(self._part)

    def look_around(self, passable: np.ndarray) -> None:
        """Update the free cells after a change of walls."""
        self._open = np.flatnonzero(self._part & passable.ravel())

    @property
    def nowhere(self) -> bool:
        """Is every cell a wall by now?"""
        return not len(self._open)

    def starts(self, count: int, apart: bool) -> np.ndarray:
        """Return start cells; all different, if units must not share a cell."""
        return starts_in(self._open, count, apart, np.random.default_rng(self._seed))

    def of(self, units: np.ndarray, turns: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """Return the next goals of units: fixed by how many they have had, and not where they are."""
        if self.nowhere:
            raise ProblemError("no free cell is left to go to; open a door")
        drawn = _mixed(_mixed(units.astype(np.uint64) + np.uint64(self._seed << 20)) + turns.astype(np.uint64))
        places = (drawn % np.uint64(len(self._open))).astype(np.int64)
        goals = self._open[places]
        return np.where(goals == positions, self._open[(places + 1) % len(self._open)], goals)


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """Return pseudo-random numbers: the finalizer of SplitMix64 (Steele, Lea and Flood 2014)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(numbers ^ (numbers >> np.uint64(31)))
