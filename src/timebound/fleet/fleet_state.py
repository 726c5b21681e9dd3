"""The state of a fleet: `FleetState` for Python, and in it `FleetData` for compiled code."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ..compiled import making, mutable, undivided
from ..core.errors import ProblemError
from ..core.memory import untouched
from ..core.values import is_whole, numeric_array, whole
from ..core.wording import shown
from ..worlds import World
from . import tasks
from .allocator import new_allocator, touched_bytes
from .bodies import BodyTable, enter, first_clash, leave
from .distances import LEADING, Distances, NoDistances, for_more_units, new_distances
from .distances import bytes_of as bytes_of_rows
from .flow_fields import Groups
from .guidance import FINER, NoTraffic, Traffic, WithTraffic
from .h_tables import forget_all
from .kinds import UnitKind
from .lacam import Nodes, clear, new_nodes
from .lacam import bytes_of as bytes_of_nodes
from .lns import bytes_of, new_window
from .options import Options
from .pibt import COLLISIONS, COMPLETE, NONE, new_moves
from .tasks import no_tasks
from .turns import enqueue_all, move_queues, new_queues, tidy_queues
from .unit_paths import withdraw
from .units import (
    ABSENT,
    ARRIVED,
    MOST_PRIORITY,
    NO_BLOCK,
    OUT_OF_MEMORY,
    RANK_BITS,
    UNIT,
    UNREACHABLE,
    WAITING,
    Units,
    last_rank,
)
from .window import NoWindow, Window, discard, dismiss, welcome

# All that a tick works on: passing it one by one would take longer than the tick of a unit.
FleetData = mutable(__name__, "FleetData", ["world", "mode", "units", "moves", "queues", "flow_fields", "distances"])
new_fleet_data = making(FleetData)


def marks_of(world: World) -> tuple[int, int]:
    """Return how far the changes of a world are."""
    return world.changes.version, len(world.changes.rescalings)


class FleetState:
    """The units of a fleet, and all that belongs to them."""

    def __init__(self, world: World, options: Options):
        self.world, self.mode = world, COLLISIONS[options.collisions]
        _, self.traffic, self.threads, self.attempts, self.most_bytes = options
        self.full = False
        self.executor = ThreadPoolExecutor(self.threads, "timebound fleet")  # starts threads when they are needed
        self.allocator = new_allocator(self.most_bytes)
        self.rows, self.present = np.zeros(0, UNIT), np.empty(0, np.int64)
        self.order, self.sorted = np.empty(0, np.int64), False
        self.tasks = no_tasks(0)
        self._free: list[int] = []  # the numbers of removed units
        self.kinds: list[UnitKind] = []
        self.queues: Any = new_queues(1, 1)
        self.groups = Groups(world)
        cells = 0 if self.mode == NONE else world.states
        self.occupied_now, self._occupied_next = untouched(cells, np.int32), untouched(cells, np.int32)
        self._occupied_later = untouched(cells if self.plans_together else 0, np.int32)
        self.distances: Distances | NoDistances = NoDistances()
        if self.mode == COMPLETE:
            self.distances = new_distances(world.states, 0, self.most_bytes // 2)
            self.distances.tally[LEADING] = isinstance(self.traffic, NoTraffic)
        self.nodes: Nodes | None = None
        """The joint search, with collisions="complete"."""
        self.saved = 0  # expansions that it has not used yet, or owes
        self.led = False
        """Do units make the next step of the joint search?"""
        self._moves: Any = None
        self.ticks = self.round = 0
        self.before = self.seen = np.empty(0, np.int64)  # the positions before the last tick and after it
        self.seen_in = 0
        self.aside = 0  # nanoseconds of a tick that recording it takes
        self.watches = {id(world): marks_of(world)}
        self.bodies: BodyTable | None = None
        """Of units that are not points, or not as fast as others; None if there are none."""
        self.work = undivided()
        self._data: Any = None
        self._fields: Any = None
        self.renew_costs()

    def __len__(self) -> int:
        return len(self.present)

    @property
    def plans_together(self) -> bool:
        """Is a part of the budget for steps of all units, not only for the paths of single ones?"""
        return bool(self.attempts) or self.mode == COMPLETE

    # ---------------------------------------------------------------- for compiled code

    @property
    def data(self) -> Any:
        """All that compiled code works on."""
        if self._data is None or self._fields is not self.groups.fields:
            self._fields = self.groups.fields
            units = Units(self.rows, self.allocator, self.traffic)
            self._data = new_fleet_data(
                self.compiled_world, self.mode, units, self._moves, self.queues, self._fields, self.distances
            )
        return self._data

    def renew_costs(self) -> None:
        """Make what depends on the world's unit of costs."""
        world = self.world.compiled(0)
        self.compiled_world = WithTraffic(world, self.traffic) if isinstance(self.traffic, Traffic) else world
        self.window = self._new_window()
        self._data = None
        self.renew_kinds()

    def renew_kinds(self) -> None:
        """Let all kinds make room for the units."""
        for kind in self.kinds:
            kind.renew(kind.world, self.traffic, self.allocator, self.rows, self.threads)
        if self.bodies is not None:
            self.bodies.renew(self.kinds)

    def add_kind(self, kind: UnitKind) -> None:
        """Add a kind of units."""
        self.kinds.append(kind)
        self.watches.setdefault(id(kind.world), marks_of(kind.world))
        self._renew_queues()
        kind.renew(kind.world, self.traffic, self.allocator, self.rows, self.threads)
        if self.bodies is not None:
            self.bodies.renew(self.kinds)

    def have_bodies(self) -> BodyTable:
        """Let all units have bodies and speeds from now on."""
        if self.bodies is None:
            self.bodies = BodyTable(len(self.rows))
            self.bodies.renew(self.kinds)
            self.bodies.settle(self.present, self.rows["position"][self.present], self.ticks)
        return self.bodies

    def by_world(self, units: np.ndarray, numbers: np.ndarray | None = None) -> Iterator[tuple[World, np.ndarray]]:
        """Yield every world in which some of these units live, and these; or what has their numbers."""
        if self.bodies is None:
            yield self.world, units
            return
        kinds = self.rows["kind"][units if numbers is None else numbers]
        for world in {id(kind.world): kind.world for kind in self.kinds}.values():
            theirs = np.isin(kinds, [kind.number for kind in self.kinds if kind.world is world])
            if theirs.any():
                yield world, units[theirs]

    def speed(self, unit: int) -> float:
        """Return the speed of a unit."""
        return 1.0 if self.bodies is None else float(self.bodies.motions.speed[unit])

    def going_at(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return from where to where all units go at a time within the last tick, and how far they are."""
        positions = self.rows["position"][self.present]
        if self.bodies is not None and self.bodies.history:
            return self.bodies.at(self.present, time)
        before, known = positions.copy(), self.present < min(len(self.before), len(self.seen))
        units = self.present[known]
        before[known] = np.where(self.seen[units] == positions[known], self.before[units], positions[known])
        return before, positions, np.full(len(positions), time - self.ticks + 1)

    def _renew_queues(self) -> None:
        """Make room in the queues for all kinds and units."""
        before, self.queues = self.queues, new_queues(max(1, len(self.kinds)), max(1, len(self.rows)))
        move_queues(before, self.queues)
        self._data = None

    def _new_window(self) -> Window | NoWindow:
        """Make room to plan ahead for all units."""
        if not self.attempts:
            return NoWindow()
        waiting = max(1, self.world.cheapest) * (FINER if isinstance(self.traffic, Traffic) else 1)
        return new_window(len(self.rows), self._occupied_later, self._occupied_next, waiting)

    # ---------------------------------------------------------------- units come and go

    def numbers(self, units: Any) -> np.ndarray:
        """Return numbers of existing units."""
        if is_whole(units):
            units = [whole(units, "the number of a unit is a whole number from 0", least=0)]
        numbers = numeric_array(units, rule := "units are numbers that `add` gave")
        if numbers.ndim != 1 or (len(numbers) and numbers.dtype.kind not in "iu"):
            raise ProblemError(f"{rule}, not {shown(units)}")
        numbers = numbers.astype(np.int64)
        there = (numbers >= 0) & (numbers < len(self.rows))
        there[there] = self.rows["reason"][numbers[there]] != ABSENT
        if not there.all():
            raise ProblemError(f"there is no unit {int(numbers[~there][0])} in this fleet")
        return numbers

    def check_free(self, starts: np.ndarray, kind: int = 0) -> None:
        """Raise an error if two units would be at one place."""
        if self.mode == NONE:
            return
        if self.bodies is not None:
            self.bodies.finish(self.occupied_now, self.rows, self.present, self.ticks)
            first, other = first_clash(self.bodies.shapes, self.occupied_now, kind, starts)
            if first >= 0:
                who = f"unit {other}" if other >= 0 else f"another one, at {self.world.place(int(starts[-2 - other]))},"
                raise ProblemError(f"{who} is in the way of a unit at {self.world.place(int(starts[first]))}")
            return
        taken = np.flatnonzero(self.occupied_now[starts] != 0)
        if len(taken):
            state = int(starts[taken[0]])
            other = int(self.occupied_now[state]) - 1
            raise ProblemError(f"unit {other} is at {self.world.place(state)}: only one unit can be at a place")
        numbers, counts = np.unique(starts, return_counts=True)
        if np.any(counts > 1):
            place = self.world.place(int(numbers[counts > 1][0]))
            raise ProblemError(f"two units would be at {place}: only one unit can be at a place")

    def enlist(
        self,
        kind: int,
        starts: np.ndarray,
        goals: np.ndarray,
        priority: int,
        group: int,
        speed: float = 1.0,
        within: int = 0,
    ) -> np.ndarray:
        """Add units; return their numbers."""
        units = self._take_rows(len(starts))
        rows = np.zeros(len(units), UNIT)
        rows["position"], rows["goal"], rows["kind"], rows["priority"] = starts, goals, kind, priority
        rows["path_size"], rows["table_size"], rows["group"] = NO_BLOCK, NO_BLOCK, group
        rows["rank"], rows["waits_since"], rows["arrived"] = last_rank(self.ticks, units), self.ticks, self.ticks
        there, rows["within"] = self.near(starts, goals, within), within
        rows["reason"] = np.where(there, ARRIVED, WAITING)
        self.rows[units] = rows
        again = units < len(self.before)
        if again.any():  # the numbers of removed units; users may hold the array
            self.before = self.before.copy()
            self.before[units[again]] = starts[again]
        if self.bodies is not None:
            self.bodies.settle(units, starts, self.ticks, speed)
        if self.mode != NONE:
            self._take_places(units, starts)
        self._changed_units()
        self.enqueue(units[~there])
        return units

    def near(self, states: np.ndarray, goals: np.ndarray, within: Any) -> np.ndarray:
        """Return which of these states are so near to their goals."""
        if not np.any(within):
            return np.asarray(states == goals)
        width = self.world.width  # type: ignore[attr-defined]
        rows, columns = states // width - goals // width, states % width - goals % width
        return np.maximum(abs(rows), abs(columns)) <= within

    def discharge(self, units: np.ndarray) -> None:
        """Remove units."""
        self.let_go(units)
        withdraw(self.traffic, self.allocator, self.rows, units)
        if self.mode != NONE:
            self._leave_places(units)
        self.rows["reason"][units] = ABSENT
        tidy_queues(self.queues, self.rows)
        self._free += units.tolist()
        self.tasks = tasks.without(self.tasks, units)
        self._changed_units()

    def _take_places(self, units: np.ndarray, starts: np.ndarray) -> None:
        if self.bodies is None:
            self.occupied_now[starts] = units + 1
        else:
            enter(self.bodies.shapes, self.occupied_now, self.rows, units)

    def _leave_places(self, units: np.ndarray) -> None:
        if self.bodies is None:
            self.occupied_now[self.rows["position"][units]] = 0
        else:
            leave(self.bodies.shapes, self.occupied_now, self.rows, self.bodies.motions.came, units)

    def _take_rows(self, count: int) -> np.ndarray:
        """Return numbers for new units: those of removed ones first."""
        again, self._free = self._free[:count], self._free[count:]
        fresh = count - len(again)
        used = int(np.count_nonzero(self.rows["reason"] != ABSENT)) + len(self._free) + len(again)
        if used + fresh > len(self.rows):
            self.make_room(max(64, 2 * (used + fresh)))
        return np.array([*again, *range(used, used + fresh)], np.int64)

    def make_room(self, room: int) -> None:
        """Make room for that many units."""
        rows = np.zeros(room, UNIT)
        rows[: len(self.rows)] = self.rows
        self.rows = rows
        self._moves = new_moves(room, self.occupied_now, self._occupied_next)
        self.window, self.tasks = self._new_window(), tasks.for_more_units(self.tasks, room)
        if isinstance(self.distances, Distances):
            self.distances = for_more_units(self.distances, room)
        self._renew_queues()
        if self.bodies is not None:
            self.bodies.make_room(room)
        self.renew_kinds()

    def joint_search(self) -> Nodes:
        """Return the joint search of the units."""
        if self.nodes is None:
            together = self._occupied_later, self._occupied_next
            self.nodes = new_nodes(self.present, len(self.rows), *together, self.most_bytes // 4)
            clear(self.nodes)
        return self.nodes

    def begin_anew(self) -> None:
        """Discard the joint search: the world or the units have changed."""
        self.nodes, self.led = None, False

    def _changed_units(self) -> None:
        self.begin_anew()
        before, self.present = self.present, np.flatnonzero(self.rows["reason"] != ABSENT)
        self.sorted = False
        self.groups.assign(self.rows, self.present)
        if self.attempts:
            dismiss(self.window, np.setdiff1d(before, self.present))
            if not welcome(self.window, self.rows, np.setdiff1d(self.present, before)):
                discard(self.window)

    # ---------------------------------------------------------------- what units wait for, know, and use

    def reasons(self) -> np.ndarray:
        """Return the reasons of all units: see `units.REASONS`."""
        return np.asarray(self.rows["reason"][self.present])

    def enqueue(self, units: np.ndarray) -> None:
        """Let these units wait for their turn to plan."""
        enqueue_all(self.queues, self.rows, units, self.ticks)

    @property
    def waiting(self) -> int:
        """The number of units that wait for their turn."""
        return int(tidy_queues(self.queues, self.rows))

    def sort(self) -> None:
        """Sort units by precedence: by priority, then those that have not arrived, then by rank."""
        if self.sorted:
            return
        self.order, self.sorted = self.present, True
        if self.mode != NONE:
            rank, priority = (self.rows[name][self.present] for name in ("rank", "priority"))
            classes = 2 * (MOST_PRIORITY - priority) + (self.reasons() == ARRIVED)
            if self.bodies is None:
                self.order = self.present[np.argsort((classes << RANK_BITS) + rank)]  # no two are equal
            else:
                self.order = self.present[
                    np.lexsort((rank, -self.bodies.sizes[self.rows["kind"][self.present]], classes))
                ]

    def let_go(self, units: np.ndarray) -> None:
        """Discard what these units have learned and searched."""
        forget_all(self.allocator, self.rows, units)
        for kind in self.kinds:
            kind.let_go(units)
        self.resume()

    def start_afresh(self, units: np.ndarray) -> None:
        """Discard what these units have learned, and every proof that a goal is unreachable."""
        forget_all(self.allocator, self.rows, units)
        self.enqueue(units[self.rows["reason"][units] == UNREACHABLE])
        self.resume()

    def resume(self) -> None:
        """Let units that stopped for lack of memory try again."""
        self.enqueue(self.present[self.reasons() == OUT_OF_MEMORY])

    @property
    def memory_bytes(self) -> int:
        """The memory of units: their rows, paths, learned values, searches, distances, and the plan of next steps."""
        searches = self.groups.memory_bytes + sum(kind.memory_bytes for kind in self.kinds)
        searches += bytes_of_rows(self.distances) + bytes_of_nodes(self.nodes)
        return self.rows.nbytes + touched_bytes(self.allocator) + searches + bytes_of(self.window)
