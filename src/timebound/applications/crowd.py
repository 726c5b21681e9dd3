"""Crowds: many units that move on a map while walls come and go, and a record of how long every tick took."""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..agents.catalogue import Kind
from ..compiled import compiled
from ..compiled.clock import now
from ..core.errors import ProblemError
from ..core.values import seed_number, whole
from ..fleet.fleet import Fleet, Tick
from ..fleet.kinds import unit_kind
from ..fleet.options import checked_collisions
from ..fleet.units import ARRIVED, STUCK, UNREACHABLE, WAITING, going
from ..maps import Problem
from ..maps.components import components
from ..worlds import Grid

LATE = 1.1  # times the budget
STORM_SHARE = 0.01  # share of the cells that a storm changes
LONGEST_WAIT_MS = 1000  # no frame lasts longer
WALL_TICKS = 10  # ticks between two changes of the walls
_DRAWS = 4  # random walls, of which we build the longest


class Crowd:
    """A fleet of units with random starts and goals, in a grid that changes.

    Parameters
    ----------
    world
        The grid. Walls and storms change it.
    units
        The number of units.
    agent, parameters
        The agent of all units, and its parameters.
    terrain, collisions, guidance, repair, threads
        As for `Fleet`.
    seed
        Seed of starts, goals, walls and storms.
    walls
        The number of walls; every ten ticks one falls and another is built.
    problems
        Where units begin and go, instead of at random: problems of a scenario (`maps.read_scenario`), one for each.
    lifelong
        Whether a unit gets a new goal when it arrives, or when its goal is proved unreachable. Otherwise it stays.

    Examples
    --------
    >>> import timebound as tb
    >>> crowd = Crowd(tb.Grid.load("harbour"), 50, lookahead=20, seed=1)
    >>> for _ in range(100):
    ...     tick = crowd.tick(expansions=2000)
    >>> len(crowd.fleet), crowd.arrived > 0
    (50, True)
    """

    def __init__(
        self,
        world: Grid,
        units: int,
        agent: str | Kind = "rtaa",
        *,
        terrain: str = "known",
        collisions: str = "none",
        guidance: bool = False,
        repair: bool | int = False,
        threads: int = 1,
        seed: int = 0,
        walls: int = 0,
        lifelong: bool = True,
        problems: Sequence[Problem] = (),
        **parameters: Any,
    ):
        if not isinstance(world, Grid):
            raise ProblemError(f"a crowd needs a grid, not a {type(world).__name__}")
        units = whole(units, "the number of units is a whole number above 0")
        self.world, self.lifelong = world, lifelong
        self._random = np.random.default_rng(seed_number(seed))
        self._ground = largest_part(world)
        self._open = np.flatnonzero(self._ground)
        collisions = checked_collisions(collisions)
        starts = np.empty(0, np.int64)
        if not problems:
            starts = starts_in(self._open, units, collisions != "none", self._random)
        self.fleet = Fleet(world, collisions=collisions, guidance=guidance, repair=repair, threads=threads)
        places, goals = world.places_in_rows(starts), self._goals(starts)
        if problems:
            places, goals = _ends(world, problems, units)
        self.units = self.fleet.add(agent, start=places, goal=goals, terrain=terrain, **parameters)
        self.walls = _Walls(world, whole(walls, "the number of walls is a whole number from 0", least=0), self._random)
        self.arrived = self.unreachable = 0
        """How many times units arrived, and how many times a goal was proved unreachable."""
        self.longest_wait = 0
        """The most ticks in a row that a unit waited for its turn to plan."""
        self.changes_us = 0.0
        """The time that walls and new goals took in the last tick."""
        self.processor_us: float | None = None
        """The processor time of the last tick; None with several threads."""
        self._waits = np.zeros(units, np.int64)
        for _ in range(self.walls.most):
            self.walls.build(self._ground, here(self.world, self.fleet))
        self._look_around()

    def tick(self, *, ms: float | None = None, expansions: float | None = None) -> Tick:
        """Run a tick: walls change, all units move and plan within the budget, and those that arrived get new goals."""
        began = time.perf_counter()
        if self.walls.most and self.fleet.ticks and self.fleet.ticks % WALL_TICKS == 0:
            self.walls.turn(self._ground, here(self.world, self.fleet))
            self._look_around()
        spent = time.perf_counter() - began
        used = time.thread_time()
        tick = self.fleet.tick(ms=ms, expansions=expansions)
        self.processor_us = (time.thread_time() - used) * 1e6 if self.fleet.threads == 1 else None
        self._note(tick)
        began = time.perf_counter()
        if self.lifelong:
            self._send_on(tick)
        self.changes_us = (spent + time.perf_counter() - began) * 1e6
        return tick

    @property
    def goals(self) -> np.ndarray:
        """The goals of all units: `[n, 2]`."""
        return self.world.places_in_rows(self.fleet._state.rows["goal"][self.units])

    def costs(self) -> dict[str, int | None]:
        """Return the sum of the ticks until units arrived, and the most; None if they get new goals on arrival.

        For a unit on its way, all ticks so far count.
        """
        if self.lifelong:
            return {"sum_of_costs": None, "makespan": None}
        arrived = np.array([record.arrived for record in self.fleet.records(self.units)])
        ticks = np.where(self.fleet._state.rows["reason"][self.units] == ARRIVED, arrived, self.fleet.ticks)
        return {"sum_of_costs": int(ticks.sum()), "makespan": int(ticks.max())}

    def storm(self) -> int:
        """Give all units new goals and change one percent of the cells; return how many cells changed."""
        count = int(STORM_SHARE * self.world.states)
        walls = ~self.world.passable.ravel()
        taken = walls.copy()
        taken[here(self.world, self.fleet)] = True
        for cells, change in ((np.flatnonzero(~taken), self.world.block), (np.flatnonzero(walls), self.world.unblock)):
            chosen = self._random.choice(cells, min(count // 2, len(cells)), replace=False)
            change(self.world.places(chosen))
        self._look_around()
        self.fleet.retarget(self.units, self._goals(here(self.world, self.fleet)))
        return count // 2 * 2

    def _note(self, tick: Tick) -> None:
        reasons = tick.reasons[self.units]
        self._waits = np.where(reasons == WAITING, self._waits + 1, 0)
        self.longest_wait = max(self.longest_wait, int(self._waits.max()))
        self.arrived = self.lifelong * self.arrived + int(np.count_nonzero(reasons == ARRIVED))
        self.unreachable = self.lifelong * self.unreachable + int(np.count_nonzero(reasons == UNREACHABLE))

    def _send_on(self, tick: Tick) -> None:
        reasons = tick.reasons[self.units]
        idle = self.units[np.isin(reasons, (ARRIVED, UNREACHABLE, STUCK))]
        if len(idle):
            self.fleet.retarget(idle, self._goals(tick.positions[idle]))

    def _look_around(self) -> None:
        """Find the cells for goals: those that are free now, in the part that was connected at the start."""
        self._open = np.flatnonzero(self._ground & self.world.passable.ravel())

    def _goals(self, starts: np.ndarray) -> np.ndarray:
        """Return a goal for each unit, not where it is; all different if there is room."""
        apart = 4 * len(starts) < len(self._open)
        goals = self._open[self._random.choice(len(self._open), len(starts), replace=not apart)]
        same = goals == starts
        goals[same] = np.where(self._open[0] == goals[same], self._open[1], self._open[0])
        return self.world.places_in_rows(goals)


def _ends(world: Grid, problems: Sequence[Problem], units: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the starts and goals of the first problems."""
    if len(problems) < units:
        raise ProblemError(f"the scenario has {len(problems):,} problems; that is too few for {units:,} units")
    for problem in problems[:units]:
        if (problem.width, problem.height) != (world.width, world.height):
            size = f"{problem.width} x {problem.height}"
            raise ProblemError(f"the scenario is for a map of {size} cells, not {world.width} x {world.height}")
    starts, goals = ([getattr(problem, end) for problem in problems[:units]] for end in ("start", "goal"))
    return np.array(starts), np.array(goals)


def here(world: Grid, fleet: Fleet) -> np.ndarray:
    """Return the cells where the units of a fleet are."""
    x, y = fleet.positions.T
    return np.asarray(y * world.width + x, np.int64)


def starts_in(free: np.ndarray, units: int, apart: bool, random: np.random.Generator) -> np.ndarray:
    """Return one of these cells for each unit; all different, if units must be apart."""
    if len(free) < 2 or (apart and units >= len(free)):
        raise ProblemError(f"{units:,} units do not fit: only {len(free):,} connected cells are free")
    return random.choice(free, units, replace=not apart)


def largest_part(world: Grid) -> np.ndarray:
    """Return the cells of the largest connected part."""
    parts, sizes = components(world.passable, world.neighbors, world.corners)
    if not len(sizes):
        raise ProblemError("this map has no free cell")
    return np.asarray(parts == int(np.argmax(sizes))).ravel()


def fleet_kinds(kinds: Iterable[Kind]) -> list[Kind]:
    """Return the agents that a fleet can have thousands of: they share one planner.

    >>> import timebound as tb
    >>> "rtaa" in [kind.name for kind in fleet_kinds(tb.catalogue())]
    True
    """
    return [kind for kind in kinds if _shares_a_planner(kind)]


def _shares_a_planner(kind: Kind) -> bool:
    try:
        return not unit_kind(0, kind, Grid(np.ones((2, 2), bool)), "known", {}).keeps_searches
    except ProblemError:
        return False


class _Walls:
    """Straight walls, each with a gap at its end."""

    def __init__(self, world: Grid, most: int, random: np.random.Generator):
        self.world, self.most, self._random = world, most, random
        self._length = max(3, min(world.width, world.height) // 10)
        self._standing: deque[np.ndarray] = deque()

    def turn(self, ground: np.ndarray, taken: np.ndarray) -> None:
        """Remove the oldest wall and build another."""
        if len(self._standing) >= self.most:
            self.world.unblock(self.world.places(self._standing.popleft()))
        self.build(ground, taken)

    def build(self, ground: np.ndarray, taken: np.ndarray) -> None:
        """Build a wall on free cells without units."""
        free = ground & self.world.passable.ravel()
        free[taken] = False
        places = np.flatnonzero(free)
        if not len(places):
            return
        steps = [1, -1, self.world.width, -self.world.width]
        starts, ways = self._random.choice(places, _DRAWS), self._random.choice(steps, _DRAWS)
        lines = [self._line(free, int(start), int(way)) for start, way in zip(starts, ways, strict=True)]
        wall = max(lines, key=len)
        self.world.block(self.world.places(wall))
        self._standing.append(wall)

    def _line(self, free: np.ndarray, start: int, step: int) -> np.ndarray:
        """Return the free cells from a cell on, up to an obstacle; the last one before it stays open."""
        width, cells = self.world.width, [start]
        while len(cells) < self._length:
            cell = cells[-1] + step
            beyond = not 0 <= cell < len(free) or abs(cell % width - cells[-1] % width) > 1
            if beyond or not free[cell]:
                return np.array(cells[:-1], np.int64)
            cells.append(cell)
        return np.array(cells, np.int64)


# ------------------------------------------------------------------ measurements


class Storm(NamedTuple):
    """The effect of a storm."""

    tick: int
    """The tick after the storm, counted from 1."""
    cells: int
    us: float
    """How long that tick took."""
    moved_again: int | None
    """Ticks until every unit had moved again, arrived, or stopped; None if the run ended before."""


@dataclass
class CrowdRecord:
    """The measurements of every tick."""

    ms: float | None
    tick_us: list[float] = field(default_factory=list)
    processor_us: list[float] = field(default_factory=list)
    """The processor time of every tick: it excludes the time in which the machine was busy with something else."""
    wait_us: list[float] = field(default_factory=list)
    """The time of a bare wait after every tick; empty without a budget in milliseconds, or with a long one."""
    changes_us: list[float] = field(default_factory=list)
    served: list[int] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)
    expansions: list[int] = field(default_factory=list)
    storm: Storm | None = None

    def add(self, tick: Tick, processor_us: float | None, changes_us: float) -> None:
        """Record a tick."""
        self.tick_us.append(tick.us)
        if processor_us is not None:
            self.processor_us.append(processor_us)
        self.changes_us.append(changes_us)
        self.served.append(tick.served)
        self.moved.append(tick.moved)
        self.expansions.append(tick.expansions)

    def late(self, lasted: list[float]) -> int:
        """Return how many of these times exceed the budget by more than a tenth; 0 without a budget."""
        return 0 if self.ms is None else sum(us > LATE * self.ms * 1000 for us in lasted)


def percentiles(lasted: list[float]) -> dict[str, float]:
    """Return the usual percentiles.

    >>> percentiles([1.0, 2.0, 3.0])["p50"]
    2.0
    """
    names = {"p50": 50, "p99": 99, "p99.9": 99.9, "max": 100}
    return {name: float(np.percentile(lasted, share)) if lasted else 0.0 for name, share in names.items()}


def ticks_of(
    crowd: Crowd,
    record: CrowdRecord,
    most: int,
    *,
    ms: float | None = None,
    expansions: float | None = None,
    storm: int | None = None,
) -> Iterator[Tick]:
    """Run a crowd for `most` ticks, or until all units have stopped; record every tick.

    A bare wait of the same length follows each tick: it tells delays of the machine from those of the fleet.
    """
    wait(1)  # compile it
    for number in range(1, most + 1):
        if number == storm:
            changed, before, still = crowd.storm(), here(crowd.world, crowd.fleet), np.ones(len(crowd.units), bool)
        tick = crowd.tick(ms=ms, expansions=expansions)
        record.add(tick, crowd.processor_us, crowd.changes_us)
        if number == storm:
            record.storm = Storm(number, changed, tick.us, None)
        if record.storm is not None and record.storm.moved_again is None:
            still &= (tick.positions[crowd.units] == before) & going(tick.reasons[crowd.units])
            if not still.any():
                record.storm = record.storm._replace(moved_again=number - record.storm.tick)
        if ms is not None and ms <= LONGEST_WAIT_MS:
            record.wait_us.append(wait(round(ms * 1e6)) / 1000)
        yield tick
        if crowd.fleet.done and not crowd.lifelong and (storm is None or number >= storm):
            return


@compiled
def wait(nanoseconds: int) -> int:
    """Read the clock until the time is up; return how long that took."""
    began = now()
    ended = began
    while ended < began + nanoseconds:
        ended = now()
    return ended - began
