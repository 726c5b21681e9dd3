"""The Python interface of fleets."""

import math
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from ..agents.catalogue import EVERYWHERE, Kind
from ..compiled import purpose, undivided
from ..compiled.clock import NEVER, now
from ..core.errors import ProblemError
from ..core.memory import untouched
from ..core.values import one_of, whole
from ..core.wording import shown
from ..worlds import Grid, World
from ..worlds.grid import OF_COST
from ..worlds.places import is_one_place, places_of, states_of
from .ahead import NoRepair, Repair, by_way_of_plan, discard, dismiss, welcome
from .arena import new_arena, touched_bytes
from .arguments import (
    checked_callback,
    checked_collisions,
    checked_guidance,
    checked_memory,
    checked_repair,
    checked_threads,
    checked_world,
)
from .budget import REPAIRS, for_plans, limits_of
from .fields import Groups, grow
from .moving import COLLISIONS, NONE, dig_out, move_all, new_moves
from .own import line_up_all
from .planning import (
    LEAST_SHARE,
    NO_UNIT,
    NOT_SERVED,
    end_turns,
    enqueue_all,
    longest_waits,
    mindless_of,
    move_queues,
    new_queues,
    next_turns,
    serve_squad,
    serve_stripes,
    share_of,
    tidy_queues,
    withdraw,
)
from .rehearsal import rehearse
from .repair import STEPS, bytes_of, new_repair, repair_all
from .sensing import sense_all
from .squad import Squad, squad_of
from .streams import FINER, Guided, Streams, rescaled
from .tables import forget_all
from .ticking import new_stage, tick_of_one_kind
from .units import (
    ABSENT,
    ARRIVED,
    MOST_PRIORITY,
    NO_BLOCK,
    OUT_OF_MEMORY,
    RANK_BITS,
    REASONS,
    UNIT,
    UNREACHABLE,
    WAITING,
    going,
    last_rank,
)

_COPY_NS, _COPY_NS_PER_UNIT = 50_000, 20  # the most time to record what happened in a tick
_PRIORITIES = f"priority is a whole number from -{MOST_PRIORITY} to {MOST_PRIORITY}"
_GUARANTEES = {
    "none": "Units pass through each other. Each arrives, or its goal is proved unreachable.",
    "wait": "No two units share a cell, and no two swap places. Units can block each other forever.",
    "push": "No two units share a cell, and no two swap places. The unit with the right of way makes its move wherever "
    "every two neighbouring cells are on a cycle. Elsewhere it passes the right of way on to the unit that is wedged "
    "in before it; two units can still block each other forever.",
}


_REPAIRED = (
    "The next {} steps of all units are planned together. 1/{} of B, and what planning leaves, is for up to "
    "{} attempts to improve them. None delays the unit with the right of way."
)


class Tick(NamedTuple):
    """What happened in a tick, as arrays: one number for every unit that ever existed."""

    positions: np.ndarray
    """The numbers of the states that units are in: on a grid, y times the width plus x."""
    reasons: np.ndarray
    """See `REASONS`."""
    moved: int
    served: int
    """Number of units that planned."""
    waiting: int
    """Number of units that wait for their turn to plan."""
    expansions: int
    us: float
    """The time of the tick, in microseconds."""


class Record(NamedTuple):
    """What one unit has done."""

    moves: int
    expansions: int
    searches: int
    longest_wait: int
    """The number of ticks that it has waited for its turn to plan."""
    cost: float


class Fleet:
    """Many agents in one world, which plan and move within one shared budget.

    Parameters
    ----------
    world
        A grid or a graph.
    collisions
        `"none"`: units pass through each other; `"wait"`: a unit waits while its next cell is taken; `"push"`: units
        push others aside, those that have been on their way longest first. With the last two, no two units ever share a
        cell, and no two swap places.
    guidance
        Whether planning avoids crowded cells and opposing traffic (on grids); or two numbers: the extra cost of a cell
        for each unit that intends to pass it, and of a move for each unit that intends to make it in the opposite
        direction. True means (0.1, 0.5).
    repair
        Whether the next 10 steps of all units are planned together, and improved while there is time (with
        `collisions="push"`, in known terrain); or the most attempts per tick. True means 30. A quarter of
        each budget is for repair, plus what planning leaves.
    on_arrival
        A function that takes the numbers of all units that are at their goals, as an array, and returns their next
        goals, a list or an array with one for each; or None, if they have none. A tick calls it after the moves. It may
        add, remove and retarget any units.
    threads
        How many units may plan at the same time, on as many cores; the result is the same for any number. (Not with
        guidance: there each unit plans around those that have planned before.)
    memory_mb
        The most memory that paths, learned values and searches of all units may use.

    Examples
    --------
    >>> import timebound as tb
    >>> fleet = tb.Fleet(tb.Grid.load("harbour"), collisions="push")
    >>> units = fleet.add("rtaa", start=[(12, 100), (13, 100)], goal=[(60, 70), (61, 70)], lookahead=20)
    >>> while not fleet.done:
    ...     tick = fleet.tick(expansions=100)
    >>> fleet.status(units)
    ['arrived', 'arrived']
    """

    def __init__(
        self,
        world: World,
        *,
        collisions: str = "none",
        guidance: bool | tuple[float, float] = False,
        repair: bool | int = False,
        on_arrival: Callable[[np.ndarray], Any] | None = None,
        threads: int = 1,
        memory_mb: float = 1024,
    ):
        self.world, self.on_arrival = checked_world(world), checked_callback(on_arrival)
        self._most_bytes = checked_memory(memory_mb)
        self.collisions = checked_collisions(collisions)
        self._mode = COLLISIONS[self.collisions]
        self._streams = checked_guidance(self.world, guidance)
        self.threads = checked_threads(threads, guidance)
        self._executor = ThreadPoolExecutor(self.threads, "timebound fleet")  # starts threads when they are needed
        self._arena = new_arena(self._most_bytes)
        self._rows, self._present, self._order = np.zeros(0, UNIT), np.empty(0, np.int64), np.empty(0, np.int64)
        self._free: list[int] = []
        self._removed: set[int] = set()
        """The units that were removed since units were last asked for their next goals."""
        self._squads: list[Squad] = []
        self._by_kind: dict[Any, Squad] = {}
        self._queues: Any = new_queues(1, 1)
        cells = 0 if self._mode == NONE else self.world.states
        self._here, self._there = untouched(cells, np.int32), untouched(cells, np.int32)
        self._moves: Any = None
        self._attempts = checked_repair(repair, self.collisions)
        self._later = untouched(cells if self._attempts else 0, np.int32)
        self._repair: Any = self._new_repair()
        self._watch = self.world.version, len(self.world.changes.rescalings)
        self.ticks = 0
        """The number of ticks so far."""
        self._round = 0
        self._sorted = False
        self._aside = 0
        self._compiled = self._streamed()
        self._groups = Groups(self.world)
        self._stage: Any = None
        self._full = False
        self._manner: dict[str, Any] = {
            "collisions": collisions,
            "guidance": guidance,
            "repair": repair,
            "threads": threads,
        }
        self._on_trial = False
        self._work = undivided()

    def __repr__(self) -> str:
        return f"Fleet({len(self)} units, collisions {self.collisions!r}, in {self.world!r})"

    def __len__(self) -> int:
        return len(self._present)

    def _streamed(self) -> Any:
        """The compiled world in which units move."""
        world = self.world.compiled(0)
        return Guided(world, self._streams) if isinstance(self._streams, Streams) else world

    # ---------------------------------------------------------------- adding, removing and redirecting units

    def add(
        self,
        kind: str | Kind,
        *,
        start: Any,
        goal: Any,
        terrain: str = "known",
        priority: int = 0,
        group: str | None = None,
        **parameters: Any,
    ) -> Any:
        """Add a unit, or one for each start and goal; return its number, or an array of theirs.

        Starts and goals are places, lists of places, or arrays: `[n, 2]` for a grid. In unknown terrain units of the
        same kind share what they see. A higher `priority` has the right of way. Units of a `group`, a name,
        that have the same goal share one search from it. Parameters are those of the agent.
        """
        priority = whole(priority, _PRIORITIES, least=-MOST_PRIORITY, most=MOST_PRIORITY)
        sharing = self._group(group, terrain)
        one = is_one_place(self.world, start)
        if one != is_one_place(self.world, goal):
            raise ProblemError("start and goal must both be one place, or both a list of places")
        starts, goals = states_of(self.world, start), states_of(self.world, goal)
        if len(starts) != len(goals):
            raise ProblemError(f"{len(starts)} starts do not match {len(goals)} goals: each unit needs one of each")
        self._check_free(starts)
        if not len(starts):
            return np.empty(0, np.int64)
        squad = self._squad(kind, terrain, parameters, starts, goals)
        with undivided():
            units = self._enlist(squad, starts, goals, priority, sharing)
        return int(units[0]) if one else units

    def _enlist(self, squad: Squad, starts: np.ndarray, goals: np.ndarray, priority: int, sharing: int) -> np.ndarray:
        units = self._take_rows(len(starts))
        rows = self._rows[units]
        rows[:] = np.zeros((), UNIT)
        rows["position"], rows["goal"], rows["squad"], rows["priority"] = starts, goals, squad.number, priority
        rows["path_size"], rows["table_size"], rows["group"] = NO_BLOCK, NO_BLOCK, sharing
        rows["rank"], rows["waits_since"] = last_rank(self.ticks, units), self.ticks
        rows["reason"] = np.where(starts == goals, ARRIVED, WAITING)
        self._rows[units] = rows
        if self._mode != NONE:
            self._here[starts] = units + 1
        self._changed_units()
        self._groups.assign(self._rows, self._present)
        enqueue_all(self._queues, self._rows, units[starts != goals], self.ticks)
        return units

    def remove(self, units: Any) -> None:
        """Remove units from the world: one number, or many."""
        numbers = np.unique(self._numbers(units))
        with undivided():
            self._let_go(numbers)
            withdraw(self._streams, self._arena, self._rows, numbers)
            if self._mode != NONE:
                self._here[self._rows["position"][numbers]] = 0
            self._rows["reason"][numbers] = ABSENT
            tidy_queues(self._queues, self._rows)
            self._free += numbers.tolist()
            self._removed.update(numbers.tolist())
            self._changed_units()
            self._groups.assign(self._rows, self._present)

    def retarget(self, units: Any, goals: Any) -> None:
        """Give units new goals, one each.

        A unit that is on its way follows its path until its next turn to plan, so a retarget costs it no move. With
        `collisions="push"` and `"wait"`, units that are sent to one goal settle around it.
        """
        numbers = self._numbers(units)
        states = self._goals_for(numbers, goals)
        with undivided():
            self._set_out(numbers, states)

    def _goals_for(self, numbers: np.ndarray, goals: Any) -> np.ndarray:
        """Return a goal for each of these units."""
        states = states_of(self.world, goals)
        if len(states) not in (1, len(numbers)):
            raise ProblemError(f"{len(numbers)} units do not match {len(states)} goals: give one each, or one for all")
        return np.broadcast_to(states, len(numbers))

    def _let_go(self, numbers: np.ndarray) -> None:
        """Discard what these units have learned and searched."""
        forget_all(self._arena, self._rows, numbers)
        for squad in self._squads:
            squad.let_go(numbers)

    def _set_out(self, numbers: np.ndarray, goals: np.ndarray) -> None:
        """Give units new goals. Those that have a path follow it until their turn to plan, so none loses a move."""
        others = (self._rows["goal"][numbers] != goals) | (self._rows["reason"][numbers] > ARRIVED)
        others |= self._rows["reason"][numbers] == UNREACHABLE
        numbers, goals = numbers[others], goals[others]
        self._let_go(numbers)
        rows = self._rows[numbers]
        rows["goal"], rows["rank"], rows["pressed"] = goals, last_rank(self.ticks, numbers), 0
        there, walking = rows["position"] == goals, going(rows["reason"]) & (rows["length"] > 0)
        rows["reason"] = np.where(there, ARRIVED, np.where(walking, rows["reason"], WAITING))
        rows["length"] = np.where(walking & ~there, rows["length"], 0)
        self._rows[numbers] = rows
        self._sorted = False
        self._groups.assign(self._rows, self._present)
        walled = self._in_walls(numbers[rows["buried"]])
        self._dig_out(walled)
        enqueue_all(self._queues, self._rows, np.setdiff1d(numbers[~there], walled), self.ticks)

    # ---------------------------------------------------------------- a tick

    def tick(
        self, *, ms: float | None = None, expansions: float | None = None, virtual_ms: float | None = None
    ) -> Tick:
        """Move all units that have a path, then let as many plan as the budget allows, longest waiting first.

        Give one of the three budgets; `expansions=math.inf` lets all units plan that wait.
        On the virtual clock an expansion has a fixed price (`price_of_expansion`), and moves cost nothing.
        """
        began, (most, end) = now(), limits_of(self.world, ms, expansions, virtual_ms)
        with undivided() as self._work:
            self._hear_of_changes()
            self.ticks += 1
            self._round += 1
            if self._is_simple():
                return self._told(began, *self._tick_of_one_kind(most, end))
            moved = self._move() if len(self) else 0
        self._send_on()
        with undivided() as self._work:
            self._sense()
            return self._told(began, moved, *self._think(most, end))

    def _is_simple(self) -> bool:
        """Is there only one kind of units, and nothing that a tick must stop for?"""
        alone = len(self._squads) == 1 and self.threads == 1 and self.on_arrival is None
        return alone and not len(self._groups) and not self._attempts

    def _tick_of_one_kind(self, most: int, end: int) -> tuple[int, int, int]:
        """Do the same in one compiled call; return how many moved, how many planned, and the expansions."""
        if not self._sorted:
            self._sort()
        self._check_memory()
        (squad,), last = self._squads, end - self._aside if end != NEVER else NEVER
        if self._stage is None:
            self._stage = self._new_stage(self._queues)
        units, limits = (self._present, self._order), (self.ticks, self._round, squad.share, most, last)
        told = tick_of_one_kind(self._stage, squad.crews[0], *units, *limits)
        self._sorted = not told.reordered
        share, served, spent = int(told.share), int(told.served), int(told.spent)
        if told.relief:
            self._start_afresh(self._present)
            share = share_of(squad.share, most, end, self.waiting)
        if told.relief or told.mindless != NO_UNIT:
            served, spent = self._serve_all(most, last, [share], served, spent)
        self._tidy(last)
        return int(told.moved), served, spent

    def _new_stage(self, queues: Any) -> Any:
        places = self._compiled, self._mode, self._streams, self._arena, self._rows, self._moves
        return new_stage(*places, queues, self._groups.fields)

    def plan(
        self, *, ms: float | None = None, expansions: float | None = None, virtual_ms: float | None = None
    ) -> Tick:
        """Let waiting units plan without moving: for new goals between two ticks."""
        began, (most, end) = now(), limits_of(self.world, ms, expansions, virtual_ms)
        with undivided() as self._work:
            self._hear_of_changes()
            self._round += 1
            return self._told(began, 0, *self._think(most, end))

    def _think(self, most: int, end: int) -> tuple[int, int]:
        """Let units plan, and repair with what is left; return how many planned, and the expansions."""
        if not self._attempts or not len(self):
            return self._plan(most, end)
        began = now()
        rest = 0 if end == NEVER else max(0, end - began) // REPAIRS
        served, spent = self._plan(for_plans(most), end if end == NEVER else end - rest)
        if not self._sorted:
            self._sort()
        left, last = (most if most == NEVER else most - spent), end if end == NEVER else end - self._aside
        places = self._compiled, self._arena, self._rows, self._order
        return served, spent + int(repair_all(self._repair, *places, self._attempts, left, last))

    def _plan(self, most: int, end: int) -> tuple[int, int]:
        """Let units of all kinds plan, longest waiting first; return how many did, and the expansions.

        A unit that began to wait in an earlier tick comes before all later ones, whatever its kind: none is forgotten.
        """
        self._check_memory()
        last = end - self._aside if end != NEVER else NEVER
        grown = self._grow_fields(most, last)
        left, waiting = (most if most == NEVER else most - grown), self.waiting
        shares = [share_of(squad.share, left, end, waiting) for squad in self._squads]
        served, spent = self._serve_all(most, last, shares, 0, grown)
        self._tidy(last)
        return served, spent

    def _serve_all(self, most: int, last: int, shares: list[int], served: int, spent: int) -> tuple[int, int]:
        """Do the same after some units have already been served."""
        while True:
            self._work.attend()
            waits = longest_waits(self._queues, self._rows, self._round)
            since = np.roll(waits, -self.ticks)  # among equals, another one first in each tick
            if since.min() == NEVER:  # all have had their turn
                break
            first = (int(since.argmin()) + self.ticks) % len(self._squads)
            until = int(np.sort(since)[1]) if len(since) > 1 else NEVER
            left = most if most == NEVER else most - spent
            limits = until, shares[first], left, last, served == 0
            plan = self._plan_in_threads if self.threads > 1 else self._plan_in_turn
            done, used = plan(self._squads[first], *limits)
            served, spent = served + done, spent + used
            if not done:
                break
        return served, spent

    def _tidy(self, end: int) -> None:
        """Free memory that is no longer needed: a little in every tick, more if there is time."""
        for squad in self._squads:
            while squad.tidy(1) and (end == NEVER or now() < end):
                pass

    def _grow_fields(self, most: int, end: int) -> int:
        """Grow the fields of groups with half of the budget, as long as some unit needs them."""
        if not len(self._groups) or self._is_full():
            return 0
        half, until = most if most == NEVER else most // 2, end if end == NEVER else now() + (end - now()) // 2
        return int(grow(self._groups.fields, self.ticks, half, until))

    def _is_full(self) -> bool:
        return self.memory_bytes > self._most_bytes

    def _check_memory(self) -> None:
        """Let searches of units use the memory that paths and learned values leave; resume them when there is room."""
        own = [squad for squad in self._squads if squad.keeps_searches]
        before, self._full = self._full, bool(own) and self._is_full()
        for squad in own:
            squad.set_full(self._full)
        if before and not self._full:
            stopped = self._present[self._rows["reason"][self._present] == OUT_OF_MEMORY]
            enqueue_all(self._queues, self._rows, stopped, self.ticks)

    def _plan_in_turn(
        self, squad: Squad, until: int, share: int, budget: int, end: int, forced: bool
    ) -> tuple[int, int]:
        places, served, spent = (self._streams, self._arena, self._rows, self.ticks, self._round), 0, 0
        while True:
            self._work.attend()
            rest = budget if budget == NEVER else max(0, budget - spent)
            limits = until, share, rest, end, forced and not served
            tools = squad.crews[0], self._groups.fields, self._queues
            given: Any = (*tools, squad.number, *places, *limits)
            done, used, mindless = serve_squad(*given)
            served, spent = served + int(done), spent + int(used)
            if mindless == NO_UNIT:
                return served, spent
            served += not squad.give_mind(int(mindless), self._rows)

    def _plan_in_threads(
        self, squad: Squad, until: int, share: int, budget: int, end: int, forced: bool
    ) -> tuple[int, int]:
        """Do the same in several threads. Each round plans as many units as the budget is certain to allow."""
        served = spent = 0
        while True:
            rest = budget if budget == NEVER else budget - spent
            enough = rest >= share and (end == NEVER or now() < end)
            if not enough and (served or not forced):
                break
            most = NEVER if rest == NEVER else max(1, rest // share)
            turns = next_turns(self._queues, squad.number, self._rows, self._round, until, most)
            if not len(turns):
                break
            served += self._give_minds(squad, turns, end)
            turns = turns[going(self._rows["reason"][turns])]
            used = np.full(len(turns), NOT_SERVED, np.int64)
            given = self._arena, self._rows, turns, used, min(share, budget), end, forced and not served
            work = [
                self._executor.submit(serve_stripes, crew, self._groups.fields, number, self.threads, *given)
                for number, crew in enumerate(squad.crews)
            ]
            for each in work:
                each.result()
            done, took = end_turns(self._queues, self._rows, turns, used, self.ticks, self._round)
            served, spent = served + int(done), spent + int(took)
            if done < len(turns):
                break
        return served, spent

    def _give_minds(self, squad: Squad, turns: np.ndarray, end: int) -> int:
        """Give units a mind to plan with, if there is time for that; return how many cannot have one."""
        hopeless = 0
        for unit in mindless_of(squad.crews[0], self._groups.fields, self._rows, turns).tolist():
            hopeless += not squad.give_mind(unit, self._rows)
            if end != NEVER and now() >= end:
                break
        return hopeless

    def _told(self, began: int, moved: int, served: int, spent: int) -> Tick:
        """Return what happened; recording it takes time, which the next tick sets aside."""
        planned = now()
        positions, reasons, waiting = self._rows["position"].copy(), self._rows["reason"].copy(), self.waiting
        told = now()
        longest = _COPY_NS + _COPY_NS_PER_UNIT * len(self._rows)  # anything more is a delay of the machine
        self._aside = min(max(told - planned, self._aside * 9 // 10), longest)
        return Tick(positions, reasons, moved, served, waiting, spent, (told - began) / 1000)

    def _move(self) -> int:
        if not self._sorted:
            self._sort()
        places = self._streams, self._arena, self._rows, self._order, self._moves, self._queues, self._repair
        moved, reordered = move_all(self._compiled, self._mode, *places, self.ticks)
        self._sorted = not reordered
        return int(moved)

    def _send_on(self) -> None:
        """Request the next goals of units that have arrived; meanwhile any unit may be added, removed or retargeted."""
        if self.on_arrival is None:
            return
        arrived = self._present[self._rows["reason"][self._present] == ARRIVED]
        self._removed.clear()
        goals = self.on_arrival(arrived.copy()) if len(arrived) else None
        if goals is not None:
            states, left = self._goals_for(arrived, goals), ~np.isin(arrived, list(self._removed))
            with undivided():
                self._set_out(arrived[left], states[left])

    def _sense(self) -> None:
        for squad in self._squads:
            if squad.terrain != "known":
                places = self._arena, self._rows, self._present
                if sense_all(squad.crews[0], self._queues, squad.number, *places, self.ticks):
                    self._start_afresh(self._present[self._rows["squad"][self._present] == squad.number])

    def _sort(self) -> None:
        """Sort units by precedence: by priority, then those that have not arrived, then by rank."""
        if self._mode == NONE:
            self._order, self._sorted = self._present, True
            return
        rank, reason, priority = (self._rows[name][self._present] for name in ("rank", "reason", "priority"))
        classes = 2 * (MOST_PRIORITY - priority) + (reason == ARRIVED)
        self._order = self._present[np.argsort((classes << RANK_BITS) + rank)]  # no two are equal
        self._sorted = True

    def _hear_of_changes(self) -> None:
        """React to changes of the world: moves are checked anyway, but learned values may be too high now."""
        changes = self.world.changes
        if self._watch == (changes.version, len(changes.rescalings)):
            return
        before, self._watch = self._watch, (changes.version, len(changes.rescalings))
        noted, rescalings = changes.since(before[0]), changes.rescalings[before[1] :]
        for squad in self._squads:
            line_up_all(self._queues, self._rows, squad.hear(self.world, noted, rescalings), self.ticks)
        if self._attempts:
            discard(self._repair)
        if before[1] != len(changes.rescalings):
            self._rescale(math.prod(factor for factor, _ in rescalings))
            self._compiled, self._stage, self._repair = self._streamed(), None, self._new_repair()
            for squad in self._squads:
                squad.renew(self.world, self._streams, self._arena, self._rows, self.threads)
        if len(self._groups):
            self._groups.restart()
        if before[1] != len(changes.rescalings) or self._is_freer(before[0]):
            self._start_afresh(self._present)
        self._bury()

    def _rescale(self, factor: float) -> None:
        """Convert costs to the world's new unit, which is that many times finer."""
        self._rows["cost"] = np.rint(self._rows["cost"] * factor)
        self._streams = rescaled(self._streams, factor)

    def _is_freer(self, version: int) -> bool:
        """Has a move become possible or cheaper since that version?"""
        changes = self.world.changes
        if changes.version - version > changes.noted:  # there were too many to keep
            return True
        noted = changes.since(version)
        if not isinstance(self.world, Grid):
            return bool(len(noted.subjects))
        cells = self.world.passable.ravel()[noted.subjects // 2]
        return bool(np.any((noted.subjects % 2 == OF_COST) | (cells & (noted.before == 0))))

    def _start_afresh(self, units: np.ndarray) -> None:
        """Discard what these units have learned, and every proof that a goal is unreachable."""
        forget_all(self._arena, self._rows, units)
        lost = units[self._rows["reason"][units] == UNREACHABLE]
        enqueue_all(self._queues, self._rows, lost, self.ticks)

    def _bury(self) -> None:
        """Give units inside a wall a path to the nearest free cell; those whose wall has opened need it no longer."""
        before, walled = self._present[self._rows["buried"][self._present]], self._in_walls(self._present)
        self._rows["buried"][before] = False
        self._dig_out(walled)
        freed = np.setdiff1d(before, walled)
        rows = self._rows[freed]
        rows["length"], rows["reason"] = 0, np.where(rows["position"] == rows["goal"], ARRIVED, rows["reason"])
        self._rows[freed] = rows
        enqueue_all(self._queues, self._rows, freed[going(rows["reason"])], self.ticks)

    def _in_walls(self, units: np.ndarray) -> np.ndarray:
        """Return those of these units that are inside a wall."""
        if not isinstance(self.world, Grid):
            return units[:0]
        return units[~self.world.passable.ravel()[self._rows["position"][units]]]

    def _dig_out(self, units: np.ndarray) -> None:
        if isinstance(self.world, Grid) and len(units):
            cells = self.world.passable.ravel(), self.world.width
            dig_out(*cells, self._streams, self._arena, self._rows, units)
            self._sorted = False

    # ---------------------------------------------------------------- queries

    @property
    def units(self) -> np.ndarray:
        """The numbers of all units."""
        return self._present.copy()

    @property
    def positions(self) -> np.ndarray:
        """The positions of units, in the order of `units`: `[n, 2]` with x and y on a grid, states elsewhere."""
        return places_of(self.world, self._rows["position"][self._present])

    @property
    def done(self) -> bool:
        """Whether every unit has arrived, or stopped for another reason."""
        return not bool(np.any(going(self._rows["reason"][self._present])))

    @property
    def waiting(self) -> int:
        """The number of units that wait for their turn to plan."""
        return int(tidy_queues(self._queues, self._rows))

    def status(self, units: Any = None) -> list[str]:
        """Return what units are doing, in words: see `REASONS`."""
        numbers = self._present if units is None else self._numbers(units)
        return [REASONS[reason] for reason in self._rows["reason"][numbers].tolist()]

    def path(self, unit: int) -> list[Any]:
        """Return the path that a unit follows, as far as it knows; empty while it waits for a turn, or has arrived."""
        row = self._rows[self._numbers(whole(unit, "a unit is a number that `add` returned", least=0))[0]]
        begin, length = int(row["path"]), int(row["length"]) if row["reason"] != ARRIVED else 0
        ahead = self._arena.cells[begin + int(row["at"]) : begin + length]
        if length and self._attempts:
            ahead = by_way_of_plan(self._repair, unit, ahead)
        return list(self.world.places(ahead)) if length else []

    def records(self, units: Any = None) -> "list[Record]":
        """Return what units have done so far."""
        rows = self._rows[self._present if units is None else self._numbers(units)]
        counts = [rows[name].tolist() for name in Record._fields[:-1]]
        return [Record._make(values) for values in zip(*counts, (rows["cost"] / self.world.unit).tolist(), strict=True)]

    def bound(self, *, expansions: float | None = None, virtual_ms: float | None = None) -> int:
        """Return the most ticks of that budget until every unit that needs a path has had its turn to plan.

        In a tick as many units plan as whole searches fit into the budget, at least one. The search of a group may
        take half of it; repair takes a quarter.
        """
        most, _ = limits_of(self.world, None, expansions, virtual_ms)
        most = for_plans(most) if self._attempts else most
        if len(self._groups):
            most -= most // 2  # which their fields may take
        share = max((squad.share or LEAST_SHARE for squad in self._squads), default=1)
        return math.ceil(len(self) / max(1, most // share))

    def describe(self) -> str:
        """Return what a fleet guarantees, and what it does not, in words."""
        kinds = ", ".join(f"{squad.name} ({squad.terrain} terrain)" for squad in self._squads) or "none yet"
        return "\n".join(
            [
                f"{len(self)} units ({kinds}), collisions {self.collisions!r}, {self.memory_bytes / 1e6:.1f} MB",
                "A tick ends when its budget is used up; with milliseconds, at most one search of one unit later.",
                "Units that have a path move in every tick, whichever units plan.",
                "Units that need a path plan in the order in which they began to need one. With a budget of B",
                "expansions and searches of L, each of n units has had its turn after n / (B // L) ticks: see `bound`.",
                "The searches of groups may take half of B.",
                "With a budget of expansions, a run is repeatable, move by move.",
                _GUARANTEES[self.collisions],
                *([_REPAIRED.format(STEPS, REPAIRS, self._attempts)] if self._attempts else []),
            ]
        )

    @property
    def memory_bytes(self) -> int:
        """The memory of units: their rows, paths, learned values, searches, and the plan of next steps."""
        return self._rows.nbytes + touched_bytes(self._arena) + self._shared_bytes() + bytes_of(self._repair)

    def _shared_bytes(self) -> int:
        """Return the memory of searches: those of units, and of groups."""
        return self._groups.memory_bytes + sum(squad.memory_bytes for squad in self._squads)

    # ---------------------------------------------------------------- internals

    def _group(self, name: Any, terrain: str) -> int:
        """Return the number of a group; 0 without a group."""
        if name is None:
            return 0
        if not isinstance(name, str) or not name:
            raise ProblemError(
                f"group must be a name, for units that share the search from their goal, not {shown(name)}"
            )
        if terrain != "known":
            raise ProblemError("group needs known terrain: elsewhere no unit knows the way from the goal")
        return self._groups.number(name)

    def _squad(
        self, kind: str | Kind, terrain: str, parameters: Mapping[str, Any], starts: np.ndarray, goals: np.ndarray
    ) -> Squad:
        terrain = one_of(terrain, EVERYWHERE, "terrain is known or unknown")
        key = (kind, terrain, *sorted(parameters.items(), key=lambda item: item[0]))
        try:
            known = self._by_kind.get(key)
        except TypeError:
            raise ProblemError("parameters of units must be numbers or strings") from None
        if terrain != "known" and self._attempts:
            raise ProblemError("repair needs known terrain: it plans the next steps of all units")
        if known is None and self.threads > 1 and parameters.get("ties") == "random":
            raise ProblemError("ties='random' is not repeatable in several threads: use threads=1")
        if known is None:
            with purpose(f"a fleet of {shown(kind)} in a {type(self.world).__name__}"):
                known = squad_of(len(self._squads), kind, self.world, terrain, parameters)
                known.try_out(int(starts[0]), int(goals[0]))
                if not self._on_trial:
                    self._rehearse(kind, terrain, known.with_what_was_read(parameters), starts, goals)
            with undivided():
                self._by_kind[key] = known
                self._squads.append(known)
                self._renew_queues(len(self._rows))
                known.renew(self.world, self._streams, self._arena, self._rows, self.threads)
        return known

    def _rehearse(
        self, kind: str | Kind, terrain: str, parameters: Mapping[str, Any], starts: np.ndarray, goals: np.ndarray
    ) -> None:
        """Let a unit of a new kind do everything once, in a separate fleet: no tick waits for its machine code."""
        one = int(np.argmax(starts != goals))
        start, goal = ([self.world.place(int(states[one]))] for states in (starts, goals))
        trial = Fleet(self.world, **self._manner)
        trial._on_trial = True
        rehearse(trial, trial.add(kind, start=start, goal=goal, terrain=terrain, **parameters), goal)

    def _take_rows(self, count: int) -> np.ndarray:
        """Return numbers for new units: those of removed ones first."""
        again, self._free = self._free[:count], self._free[count:]
        fresh = count - len(again)
        used = int(np.count_nonzero(self._rows["reason"] != ABSENT)) + len(self._free) + len(again)
        if used + fresh > len(self._rows):
            self._make_room(max(64, 2 * (used + fresh)))
        return np.array([*again, *range(used, used + fresh)], np.int64)

    def _make_room(self, room: int) -> None:
        rows = np.zeros(room, UNIT)
        rows[: len(self._rows)] = self._rows
        self._rows = rows
        self._moves = new_moves(room, self._here, self._there)
        self._repair = self._new_repair()
        self._renew_queues(room)
        for squad in self._squads:
            if squad.crews:
                squad.renew(self.world, self._streams, self._arena, self._rows, self.threads)

    def _renew_queues(self, room: int) -> None:
        before, self._queues = self._queues, new_queues(max(1, len(self._squads)), max(1, room))
        move_queues(before, self._queues)
        self._stage = None

    def _new_repair(self) -> Repair | NoRepair:
        """Make room to plan ahead for all units, in the world's current unit of costs."""
        if not self._attempts:
            return NoRepair()
        waiting = max(1, self.world.cheapest) * (FINER if isinstance(self._streams, Streams) else 1)
        return new_repair(len(self._rows), self._later, self._there, waiting)

    def _changed_units(self) -> None:
        before, self._present = self._present, np.flatnonzero(self._rows["reason"] != ABSENT)
        self._sorted = False
        if self._attempts:
            dismiss(self._repair, np.setdiff1d(before, self._present))
            if not welcome(self._repair, self._rows, np.setdiff1d(self._present, before)):
                discard(self._repair)

    def _check_free(self, starts: np.ndarray) -> None:
        if self._mode == NONE:
            return
        taken = np.flatnonzero(self._here[starts] != 0)
        if len(taken):
            state = int(starts[taken[0]])
            other = int(self._here[state]) - 1
            raise ProblemError(f"unit {other} is at {self.world.place(state)}: only one unit can be at a place")
        numbers, counts = np.unique(starts, return_counts=True)
        if np.any(counts > 1):
            place = self.world.place(int(numbers[counts > 1][0]))
            raise ProblemError(f"two units would be at {place}: only one unit can be at a place")

    def _numbers(self, units: Any) -> np.ndarray:
        """Return numbers of existing units."""
        if isinstance(units, int | np.integer) and not isinstance(units, bool):
            units = [whole(units, "the number of a unit is a whole number from 0", least=0)]
        try:
            numbers = np.asarray(units)
        except (TypeError, ValueError):
            raise ProblemError(f"units are numbers that `add` gave, not {shown(units)}") from None
        if numbers.ndim != 1 or (len(numbers) and numbers.dtype.kind not in "iu"):
            raise ProblemError(f"units are numbers that `add` gave, not {shown(units)}")
        numbers = numbers.astype(np.int64)
        there = (numbers >= 0) & (numbers < len(self._rows))
        there[there] = self._rows["reason"][numbers[there]] != ABSENT
        if not there.all():
            raise ProblemError(f"there is no unit {int(numbers[~there][0])} in this fleet")
        return numbers
