"""The public class: fleets. What a tick does is in `tick`, what a fleet consists of in `fleet_state`."""

import math
from collections.abc import Callable
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ..agents.catalogue import EVERYWHERE, Kind
from ..compiled import purpose, undivided
from ..compiled.clock import NEVER, now
from ..core.errors import ProblemError
from ..core.values import is_whole, number, one_of, whole
from ..core.wording import shown
from ..worlds import Grid, World
from ..worlds.bodies import BodyGrid
from ..worlds.changes import Noted
from ..worlds.places import is_one_place, places_of, states_of
from ..worlds.world import a_world
from .bodies import check_bodies, checked_speed
from .distances import Distances
from .fleet_state import FleetState
from .kinds import UnitKind, unit_kind
from .lacam import CALM, OUTCOME, OUTCOMES, shorten_way
from .lns import STEPS
from .options import REPAIRS, check_group, checked_options, for_plans, limits_of
from .tasks import more_tasks, next_tasks
from .tick import Planned, all_at_once, move, plan_jointly, search_jointly, sense, think
from .turns import LEAST_SHARE
from .units import ARRIVED, FARTHEST, MOST_PRIORITY, REASONS, UNREACHABLE, WAITING, going, last_rank
from .window import Window, by_way_of_plan
from .world_changes import hear_of_changes, in_walls, leave_walls, tell_kinds

_SOON = 0.01  # milliseconds
_COPY_NS, _COPY_NS_PER_UNIT = 50_000, 20  # the most time to record what happened in a tick
_PRIORITIES = f"priority is a whole number from -{MOST_PRIORITY} to {MOST_PRIORITY}"
_GUARANTEES = {
    "none": "Units pass through each other. Each arrives, or its goal is proved unreachable.",
    "wait": "No two units share a cell, and no two swap places. Units can block each other forever.",
    "push": "No two units share a cell, and no two swap places. The unit with the right of way makes its move wherever "
    "every two neighbouring cells are on a cycle. Elsewhere it passes the right of way on to the unit that is wedged "
    "in before it; two units can still block each other forever.",
    "complete": "As push; two units that want to pass each other in a corridor go back to where one can step aside. "
    "Units whose goals do not change follow a joint search: all arrive where that is possible at all, after a finite "
    "number of ticks, as long as a quarter of memory_mb is enough for the search.",
}
_APART = "No two bodies overlap, and none passes through another."
_WITH_BODIES = {
    "none": _GUARANTEES["none"],
    "wait": f"{_APART} Units can block each other forever.",
    "push": f"{_APART} Units push those that are no larger, matter less, or rest. They can block each other forever.",
}
_REPAIRED = (
    "The next {} steps of all units are planned together. 1/{} of B, and what planning leaves, is for {}"
    "attempts to improve them. None delays the unit with the right of way."
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
    arrived: int
    """The tick in which it last came to its goal, if it is there. In one-shot play, the largest is the makespan, and
    the sum the sum of costs."""
    cost: float


def _queues(worlds: list[World], tasks: Any) -> list[list[int]]:
    """Return the goals of each unit, in its own world."""
    try:
        given = list(tasks)
    except TypeError:
        raise ProblemError(f"tasks are a list of places for each unit, not {shown(tasks)}") from None
    if len(given) != len(worlds):
        raise ProblemError(f"{len(given)} lists of tasks do not match {len(worlds)} units: give one for each")
    if any(is_one_place(world, queue) for world, queue in zip(worlds, given, strict=True)):
        raise ProblemError("tasks are a list of places for each unit, not one place")
    return [states_of(world, queue).tolist() for world, queue in zip(worlds, given, strict=True)]


class Figures(NamedTuple):
    """A unit, and what it has done: see `Record`."""

    position: Any
    goal: Any
    status: str
    kind: str
    size: Any
    mobility: str | None
    speed: float
    priority: int
    moves: int
    expansions: int
    searches: int
    longest_wait: int
    arrived: int
    cost: float


class Fleet:
    """Many agents in one world, which plan and move within one shared budget.

    Parameters
    ----------
    world
        A grid or a graph.
    collisions
        `"none"`: units pass through each other; `"wait"`: a unit waits while its next cell is taken; `"push"`: units
        push others aside, those that have been on their way longest first; `"complete"`: in corridors they also go back
        to let each other pass, and a joint search leads everybody home where that is possible at all (on grids, in
        known terrain). Except with `"none"`, no two units ever share a cell, and no two swap places.
    guidance
        Whether planning avoids crowded cells and opposing traffic (on grids); or two numbers: the extra cost of a cell
        for each unit that intends to pass it, and of a move for each unit that intends to make it in the opposite
        direction. True means (0.1, 0.5).
    repair
        Whether the next 10 steps of all units are planned together, and improved until the budget ends (with
        `collisions="push"`, in known terrain); or the most attempts per tick. A quarter of each budget is for repair,
        plus what planning leaves. Without a limit (`expansions=math.inf`) a tick makes 30 attempts.
    on_arrival
        A function that takes the numbers of all units that are at their goals, as an array, and returns their next
        goals, a list or an array with one for each; or None, if they have none. A tick calls it after the moves. It may
        add, remove and retarget any units.
    threads
        How many units may plan at the same time, on as many cores; the result is the same for any number. (Not with
        guidance: there each unit plans around those that have planned before.)
    memory_mb
        The most memory that paths, learned values and searches of all units may use.

    Raises
    ------
    ProblemError
        If an argument is none of these, or does not go with another.

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
        self.world, self.on_arrival = a_world(world), on_arrival
        if not self.world.aims_anywhere:
            raise ProblemError(f"a fleet needs a grid or a graph, not a {type(self.world).__name__}")
        if on_arrival is not None and not callable(on_arrival):
            raise ProblemError(f"on_arrival must be a function of unit numbers, not {shown(on_arrival)}")
        options = checked_options(self.world, collisions, guidance, repair, threads, memory_mb)
        self.collisions, self.threads = options.collisions, options.threads
        self._options: Any = {"collisions": collisions, "guidance": guidance, "repair": repair, "threads": threads}
        self._state = FleetState(self.world, options)
        self._by_kind: dict[Any, UnitKind] = {}
        self._removed: set[int] = set()
        """The units that were removed since units were last asked for their next goals."""
        self._on_trial = False

    def __repr__(self) -> str:
        return f"Fleet({len(self)} units, collisions {self.collisions!r}, in {self.world!r})"

    def __len__(self) -> int:
        return len(self._state)

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
        size: Any = 1,
        mobility: str | None = None,
        speed: float = 1,
        within: int = 0,
        tasks: Any = None,
        **parameters: Any,
    ) -> Any:
        """Add a unit, or one for each start and goal.

        Parameters
        ----------
        kind
            The agent that decides for these units: a name in the catalogue, or a kind of your own.
        start, goal
            A place each; or as many starts as goals, as lists of places or arrays: `[n, 2]` for a grid.
        terrain
            `"known"` or `"unknown"`. In unknown terrain, units of the same kind share what they see.
        priority
            From -1000 to 1000; units with a higher one have the right of way.
        group
            A name. Units of one group that have the same goal share one search from it (in known terrain).
        size, mobility
            Those of its body: see `Grid.for_body`.
        speed
            In cells a tick, from 0.001 to 16: a unit of speed 0.5 moves in every second tick. While it crosses to
            another place it holds the cells of both.
        within
            On a grid: a unit has arrived when it is so near to its goal, in cells; diagonal ones count as one.
        tasks
            Further goals, to which the unit goes one after the other: a list of places; for several units, a list of
            such lists. See `give_tasks`.
        **parameters
            Those of the agent, `lookahead` for example: see the catalogue.

        Returns
        -------
        int or np.ndarray
            The number of the unit, or the numbers of all of them.

        Raises
        ------
        ProblemError
            If such units cannot be in this fleet, or not at these places. Then none of them is added.

        Examples
        --------
        >>> import timebound as tb
        >>> fleet = tb.Fleet(tb.Grid.load("harbour"))
        >>> fleet.add("rtaa", start=(12, 100), goal=(60, 70), lookahead=20)
        0
        >>> fleet.add("lrta", start=[(13, 100), (14, 100)], goal=[(60, 70), (60, 70)], group="patrol")
        array([1, 2])
        """
        priority = whole(priority, _PRIORITIES, least=-MOST_PRIORITY, most=MOST_PRIORITY)
        check_group(group, terrain)
        sharing = 0 if group is None else self._state.groups.number(group)
        one = is_one_place(self.world, start)
        if one != is_one_place(self.world, goal):
            raise ProblemError("start and goal must both be one place, or both a list of places")
        speed, world = checked_speed(speed), self.world.for_body(mobility, size)
        within = whole(within, f"within is a whole number of cells from 0 to {FARTHEST}", least=0, most=FARTHEST)
        if within and not isinstance(self.world, Grid):
            raise ProblemError("within is for grids: it is a number of cells")
        starts, goals = states_of(world, start), states_of(world, goal)
        if len(starts) != len(goals):
            raise ProblemError(f"{len(starts)} starts do not match {len(goals)} goals: each unit needs one of each")
        queues = None if tasks is None else _queues([world] * len(starts), [tasks] if one else tasks)
        embodied = world is not self.world or speed != 1
        if embodied:
            check_bodies(self.world, self._options, group)
        if not (embodied or self._state.bodies):
            self._state.check_free(starts)
        if not len(starts):
            return np.empty(0, np.int64)
        of_kind = self._kind(kind, terrain, parameters, world, starts, goals)
        if embodied:
            self._state.have_bodies()
        if self._state.bodies:
            self._state.check_free(starts, of_kind.number)
        with undivided():
            units = self._state.enlist(of_kind.number, starts, goals, priority, sharing, speed, within)
            if queues is not None:
                self._state.tasks = more_tasks(self._state.tasks, units.tolist(), queues)
        return int(units[0]) if one else units

    def remove(self, units: Any) -> None:
        """Remove units from the world.

        Parameters
        ----------
        units
            One number, or many. `add` may give them to new units.

        Raises
        ------
        ProblemError
            If there is no such unit. Then none is removed.
        """
        numbers = np.unique(self._state.numbers(units))
        with undivided():
            self._state.discharge(numbers)
            self._removed.update(numbers.tolist())

    def retarget(self, units: Any, goals: Any) -> None:
        """Give units new goals.

        A unit that is on its way follows its path until its next turn to plan, so a retarget costs it no move. With
        `collisions="push"` and `"wait"`, units that are sent to one goal settle around it.

        Parameters
        ----------
        units
            One number, or many.
        goals
            A goal for each, or one for all.

        Raises
        ------
        ProblemError
            If there is no such unit, or no such place. Then none is retargeted.
        """
        numbers = self._state.numbers(units)
        states = self._goals_for(numbers, goals)
        with undivided():
            self._set_out(numbers, states)

    def give_tasks(self, units: Any, tasks: Any) -> None:
        """Give units further goals, behind those that they have.

        A unit that is at its goal when a tick has moved it sets out for the next one; `on_arrival` is asked only about
        units without tasks. A unit whose goal is unreachable keeps its tasks until it gets there or another goal.

        Parameters
        ----------
        units
            One number, or many.
        tasks
            A list of places; for many units, a list of such lists, one for each.

        Raises
        ------
        ProblemError
            If there is no such unit, or no such place. Then none gets a task.

        Examples
        --------
        >>> import timebound as tb
        >>> fleet = tb.Fleet(tb.Grid.load("harbour"))
        >>> unit = fleet.add("lrta", start=(12, 100), goal=(13, 100), tasks=[(14, 100), (12, 100)])
        >>> fleet.give_tasks(unit, [(12, 101)])
        >>> while not fleet.done:
        ...     tick = fleet.tick(expansions=10)
        >>> fleet.positions.tolist(), fleet.records(unit)[0].moves, fleet.tasks_left(unit)
        ([[12, 101]], 5, [0])
        """
        numbers = self._state.numbers(units)
        worlds = [self._state.kinds[kind].world for kind in self._state.rows["kind"][numbers].tolist()]
        queues = _queues(worlds, [tasks] if is_whole(units) else tasks)
        with undivided():
            self._state.tasks = more_tasks(self._state.tasks, numbers.tolist(), queues)

    def tasks_left(self, units: Any = None) -> list[int]:
        """Return how many tasks units have, besides their goals; all units if omitted, in the order of `units`."""
        numbers, tasks = self._state.present if units is None else self._state.numbers(units), self._state.tasks
        return [int(left) for left in (tasks.last - tasks.first)[numbers]]

    def _goals_for(self, numbers: np.ndarray, goals: Any) -> np.ndarray:
        """Return a goal for each of these units."""
        states = states_of(self.world, goals)
        if len(states) not in (1, len(numbers)):
            raise ProblemError(f"{len(numbers)} units do not match {len(states)} goals: give one each, or one for all")
        states = np.broadcast_to(states, len(numbers))
        if self._state.bodies:
            for world, units in self._state.by_world(np.arange(len(numbers)), numbers):
                for state in np.unique(states[units]).tolist():
                    world.state(self.world.place(state))
        return states

    def _set_out(self, numbers: np.ndarray, goals: np.ndarray) -> None:
        """Give units new goals. Those that have a path follow it until their turn to plan, so none loses a move."""
        state = self._state
        others = (state.rows["goal"][numbers] != goals) | (state.rows["reason"][numbers] > ARRIVED)
        others |= state.rows["reason"][numbers] == UNREACHABLE
        numbers, goals = numbers[others], goals[others]
        state.let_go(numbers)
        rows = state.rows[numbers]
        rows["goal"], rows["rank"], rows["pressed"] = goals, last_rank(state.ticks, numbers), 0
        there, walking = (
            state.near(rows["position"], goals, rows["within"]),
            going(rows["reason"]) & (rows["length"] > 0),
        )
        rows["arrived"][there] = state.ticks
        rows["reason"] = np.where(there, ARRIVED, np.where(walking, rows["reason"], WAITING))
        rows["length"] = np.where(walking & ~there, rows["length"], 0)
        state.rows[numbers] = rows
        state.sorted = state.led = False
        state.groups.assign(state.rows, state.present)
        walled = in_walls(state, numbers[rows["buried"]])
        leave_walls(state, walled)
        state.enqueue(np.setdiff1d(numbers[~there], walled))

    # ---------------------------------------------------------------- a tick

    def tick(
        self, *, ms: float | None = None, expansions: float | None = None, virtual_ms: float | None = None
    ) -> Tick:
        """Move all units that have a path, then let as many plan as the budget allows, longest waiting first.

        Parameters
        ----------
        ms, expansions, virtual_ms
            The budget, one of the three; `expansions=math.inf` lets all units plan that wait. On the virtual clock an
            expansion has a fixed price (`price_of_expansion`), and moves cost nothing.

        Returns
        -------
        Tick
            What happened.

        Raises
        ------
        ProblemError
            If there is no budget, or `on_arrival` returns no goals.
        """
        began, (most, end) = now(), limits_of(self.world, ms, expansions, virtual_ms)
        state = self._state
        with undivided() as state.work:
            hear_of_changes(state)
            state.ticks += 1
            state.round += 1
            if self._is_simple():
                return self._told(began, *all_at_once(state, most, end))
            moved = move(state)
        self._send_on()
        with undivided() as state.work:
            sense(state)
            return self._told(began, moved, think(state, most, end))

    def plan(
        self, *, ms: float | None = None, expansions: float | None = None, virtual_ms: float | None = None
    ) -> Tick:
        """Let waiting units plan without moving: for new goals between two ticks.

        Parameters
        ----------
        ms, expansions, virtual_ms
            The budget, as in `tick`.

        Returns
        -------
        Tick
            What happened; nobody has moved.
        """
        began, (most, end) = now(), limits_of(self.world, ms, expansions, virtual_ms)
        with undivided() as self._state.work:
            hear_of_changes(self._state)
            self._state.round += 1
            return self._told(began, 0, think(self._state, most, end))

    def _is_simple(self) -> bool:
        """Is there only one kind of units, and nothing that a tick must stop for?"""
        alone = len(self._state.kinds) == 1 and self.threads == 1 and self.on_arrival is None
        alone = alone and self._state.bodies is None and not len(self._state.tasks.goals)
        return alone and not len(self._state.groups) and not self._state.plans_together

    def _send_on(self) -> None:
        """Request the next goals of units that have arrived; meanwhile any unit may be added, removed or retargeted."""
        state = self._state
        if len(state.tasks.goals):
            state.tasks, units, places = next_tasks(state.tasks, state.present[state.reasons() == ARRIVED])
            with undivided():
                self._set_out(units, places)
        if self.on_arrival is None:
            return
        arrived = self._state.present[self._state.reasons() == ARRIVED]
        self._removed.clear()
        goals = self.on_arrival(arrived.copy()) if len(arrived) else None
        if goals is not None:
            states, left = self._goals_for(arrived, goals), ~np.isin(arrived, list(self._removed))
            with undivided():
                self._set_out(arrived[left], states[left])

    def _told(self, began: int, moved: int, planned: Planned) -> Tick:
        """Return what happened; recording it takes time, which the next tick sets aside."""
        ended, state = now(), self._state
        positions, reasons, waiting = state.rows["position"].copy(), state.rows["reason"].copy(), state.waiting
        if state.seen_in != state.ticks:
            state.before, state.seen, state.seen_in = state.seen, positions, state.ticks
        told = now()
        longest = _COPY_NS + _COPY_NS_PER_UNIT * len(state.rows)  # anything more is a delay of the machine
        state.aside = min(max(told - ended, state.aside * 9 // 10), longest)
        return Tick(positions, reasons, moved, planned.served, waiting, planned.spent, (told - began) / 1000)

    # ---------------------------------------------------------------- queries

    @property
    def ticks(self) -> int:
        """The number of ticks so far."""
        return self._state.ticks

    @property
    def units(self) -> np.ndarray:
        """The numbers of all units."""
        return self._state.present.copy()

    @property
    def positions(self) -> np.ndarray:
        """The positions of units, in the order of `units`: `[n, 2]` with x and y on a grid, states elsewhere."""
        return places_of(self.world, self._state.rows["position"][self._state.present])

    @property
    def done(self) -> bool:
        """Whether every unit has arrived and has no task left, or stopped for another reason."""
        reasons, tasks = self._state.reasons(), self._state.tasks
        left = (tasks.last - tasks.first)[self._state.present] * (reasons == ARRIVED)
        return not bool(np.any(going(reasons)) or np.any(left))

    @property
    def waiting(self) -> int:
        """The number of units that wait for their turn to plan."""
        return self._state.waiting

    @property
    def joint_search(self) -> str:
        """What is known of the joint search, with `collisions="complete"`.

        "searching"; "solved": all units are on a way on which everybody arrives; "impossible": it is proved that they
        cannot all be at their goals at once; "memory": a quarter of `memory_mb` was not enough to find out; "idle".
        """
        return OUTCOMES[int(self._state.nodes.tally[OUTCOME])] if self._state.nodes is not None else OUTCOMES[0]

    @property
    def memory_bytes(self) -> int:
        """The memory of units: their rows, paths, learned values, searches, and the plan of next steps."""
        return self._state.memory_bytes

    def places(self, time: float) -> np.ndarray:
        """Return where units are at a time within the last tick, between cells: `[n, 2]`, in the order of `units`.

        Parameters
        ----------
        time
            In ticks, from `ticks` - 1, when the last tick began, to `ticks`.

        Examples
        --------
        >>> import timebound as tb
        >>> fleet = tb.Fleet(tb.Grid.load("harbour"))
        >>> unit = fleet.add("astar", start=(12, 100), goal=(60, 70), speed=0.5)
        >>> for _ in range(2):
        ...     tick = fleet.tick(expansions=10_000)
        >>> fleet.places(1).tolist(), fleet.places(1.5).tolist(), fleet.places(2).tolist()
        ([[12.0, 100.0]], [[12.25, 99.75]], [[12.5, 99.5]])
        """
        if not isinstance(self.world, Grid):
            raise ProblemError("places between cells are for grids")
        rule = f"time is a number of ticks, from {max(0, self.ticks - 1)} to {self.ticks}"
        number(time, rule, lambda given: self.ticks - 1 <= given <= self.ticks)
        came, there, share = self._state.going_at(time)
        before, after = places_of(self.world, came), places_of(self.world, there)
        return np.asarray(before + (after - before) * share[:, None])

    def status(self, units: Any = None) -> list[str]:
        """Return what units are doing, in words: see `REASONS`.

        Parameters
        ----------
        units
            One number, or many; all units if omitted, in the order of `units`.

        Examples
        --------
        >>> import timebound as tb
        >>> fleet = tb.Fleet(tb.Grid.load("harbour"))
        >>> unit = fleet.add("lrta", start=(12, 100), goal=(60, 70))
        >>> fleet.status(unit)
        ['waiting']
        """
        return [REASONS[reason] for reason in self._rows_of(units)["reason"].tolist()]

    def path(self, unit: int) -> list[Any]:
        """Return the places that a unit is going to pass, as far as it knows, its position first.

        The path is empty while the unit waits for a turn to plan, or has arrived.
        """
        state = self._state
        row = state.rows[state.numbers(whole(unit, "a unit is a number that `add` returned", least=0))[0]]
        begin, length = int(row["path"]), int(row["length"]) if row["reason"] != ARRIVED else 0
        ahead = state.allocator.cells[begin + int(row["at"]) : begin + length]
        if length and isinstance(state.window, Window):
            ahead = by_way_of_plan(state.window, unit, ahead)
        return list(self.world.places(ahead)) if length else []

    def records(self, units: Any = None) -> "list[Record]":
        """Return what units have done so far.

        Parameters
        ----------
        units
            One number, or many; all units if omitted, in the order of `units`.
        """
        rows = self._rows_of(units)
        counts = [rows[name].tolist() for name in Record._fields[:-1]]
        units_of_cost = np.array([kind.world.unit for kind in self._state.kinds] or [1])
        costs = rows["cost"] / units_of_cost[rows["kind"]]
        return [Record._make(values) for values in zip(*counts, costs.tolist(), strict=True)]

    def figures(self, units: Any = None) -> dict[int, Figures]:
        """Return all about units, by their numbers.

        Parameters
        ----------
        units
            One number, or many; all units if omitted.
        """
        state = self._state
        numbers = state.present if units is None else state.numbers(units)
        rows, told = state.rows[numbers], zip(self.status(numbers), self.records(numbers), strict=True)
        places, goals = self.world.places(rows["position"]), self.world.places(rows["goal"])
        found = {}
        for i, (status, record) in enumerate(told):
            unit, kind = int(numbers[i]), state.kinds[int(rows["kind"][i])]
            body = kind.name, *kind.body, state.speed(unit), int(rows["priority"][i])
            found[unit] = Figures._make([places[i], goals[i], status, *body, *record])
        return found

    def _rows_of(self, units: Any) -> np.ndarray:
        numbers = self._state.present if units is None else self._state.numbers(units)
        return np.asarray(self._state.rows[numbers])

    def bound(self, *, expansions: float | None = None, virtual_ms: float | None = None) -> int:
        """Return the most ticks of that budget until every unit that needs a path has had its turn to plan.

        In a tick as many units plan as whole searches fit into the budget, at least one. The search of a group may
        take half of it; repair takes a quarter.

        Parameters
        ----------
        expansions, virtual_ms
            The budget of each tick, one of the two.

        Examples
        --------
        >>> import timebound as tb
        >>> fleet = tb.Fleet(tb.Grid.load("harbour"))
        >>> units = fleet.add("rtaa", start=[(12, 100)] * 40, goal=[(60, 70)] * 40, lookahead=10)
        >>> fleet.bound(expansions=100)
        4
        """
        state = self._state
        most, _ = limits_of(self.world, None, expansions, virtual_ms)
        most = for_plans(most) if state.plans_together else most
        if len(state.groups):
            most -= most // 2  # which their fields may take
        share = max((kind.share or LEAST_SHARE for kind in state.kinds), default=1)
        return math.ceil(len(self) / max(1, most // share))

    def describe(self) -> str:
        """Return what a fleet guarantees, and what it does not, in words."""
        kinds = ", ".join(f"{kind.name} ({kind.terrain} terrain)" for kind in self._state.kinds) or "none yet"
        attempts = self._state.attempts
        up_to = "" if attempts == NEVER else f"up to {attempts} "
        return "\n".join(
            [
                f"{len(self)} units ({kinds}), collisions {self.collisions!r}, {self.memory_bytes / 1e6:.1f} MB",
                "A tick ends when its budget is used up; with milliseconds, at most one search of one unit later.",
                "Units that have a path move in every tick, whichever units plan.",
                "Units that need a path plan in the order in which they began to need one. With a budget of B",
                "expansions and searches of L, each of n units has had its turn after n / (B // L) ticks: see `bound`.",
                "The searches of groups may take half of B.",
                "With a budget of expansions, a run is repeatable, move by move.",
                _GUARANTEES[self.collisions] if self._state.bodies is None else _WITH_BODIES[self.collisions],
                *([_REPAIRED.format(STEPS, REPAIRS, up_to)] if attempts else []),
            ]
        )

    # ---------------------------------------------------------------- files

    def save(self, file: str | PathLike[str]) -> None:
        """Save the fleet and its world: what `load` returns makes the same moves as this one.

        The file is written whole or not at all. Not from within `on_arrival`, which is not saved.
        """
        from .saved import save

        save(self, file)

    @classmethod
    def load(cls, file: str | PathLike[str], *, on_arrival: Callable[[np.ndarray], Any] | None = None) -> "Fleet":
        """Load a saved fleet, with its own copy of its world: `fleet.world`.

        Raises
        ------
        MapError
            If the file is damaged, holds something else, or is of another version of timebound. See `Agent.load`.

        Examples
        --------
        >>> import tempfile, timebound as tb
        >>> fleet = tb.Fleet(tb.Grid.load("harbour"), collisions="push")
        >>> units = fleet.add("rtaa", start=[(12, 100), (13, 100)], goal=[(60, 70), (61, 70)], lookahead=20)
        >>> tick = fleet.tick(expansions=100)
        >>> file = tempfile.mkdtemp() + "/fleet"
        >>> fleet.save(file)
        >>> bool((tb.Fleet.load(file).tick(expansions=100).positions == fleet.tick(expansions=100).positions).all())
        True
        """
        from .saved import load

        return load(cls, file, on_arrival)

    # ---------------------------------------------------------------- kinds of units

    def _kind(
        self,
        kind: str | Kind,
        terrain: str,
        parameters: dict[str, Any],
        world: World,
        starts: np.ndarray,
        goals: np.ndarray,
    ) -> UnitKind:
        """Return the kind of such units; of a new one, a unit does everything once in a separate fleet."""
        terrain = one_of(terrain, EVERYWHERE, "terrain is known or unknown")
        body = (world.mobility, world.size) if isinstance(world, BodyGrid) else (None, 1)
        key = (kind, terrain, body, *sorted(parameters.items(), key=lambda item: item[0]))
        try:
            known = self._by_kind.get(key)
        except TypeError:
            raise ProblemError("parameters of units must be numbers or strings") from None
        state = self._state
        if terrain != "known" and state.plans_together:
            raise ProblemError("repair and collisions='complete' need known terrain: they plan for all units together")
        if known is not None:
            return known
        if self.threads > 1 and parameters.get("ties") == "random":
            raise ProblemError("ties='random' is not repeatable in several threads: use threads=1")
        with purpose(f"a fleet of {shown(kind)} in a {type(self.world).__name__}"):
            new = unit_kind(len(state.kinds), kind, world, terrain, parameters)
            new.try_out(int(starts[0]), int(goals[0]))
            if not self._on_trial:
                given = {**new.with_what_was_read(parameters), "mobility": body[0], "size": body[1]}
                self._rehearse(kind, terrain, given, starts, goals)
        with undivided():
            self._by_kind[key] = new
            state.add_kind(new)
        return new

    def _rehearse(self, kind: str | Kind, terrain: str, parameters: Any, starts: np.ndarray, goals: np.ndarray) -> None:
        """Let a unit do everything once, so that no tick waits for its machine code."""
        one = int(np.argmax(starts != goals))
        start, goal = ([self.world.place(int(states[one]))] for states in (starts, goals))
        trial = Fleet(self.world, **self._options)
        trial._on_trial = True
        units = trial.add(kind, start=start, goal=goal, terrain=terrain, **parameters)
        state, nobody = trial._state, np.empty(0, np.int64)
        trial.tick(expansions=1)
        trial.plan(expansions=1)
        trial.tick(ms=_SOON)
        trial.on_arrival = lambda units: None  # this makes a tick run in several steps
        trial.tick(ms=_SOON)
        state.make_room(2 * len(state.rows))
        trial.tick(expansions=1)
        trial.retarget(units, goal)
        trial.tick(expansions=1)
        tell_kinds(state, state.kinds[0].world, Noted(nobody, nobody), [])  # a change of the world that affects no unit
        if isinstance(state.distances, Distances):
            state.sort()
            plan_jointly(state, state.distances, 0, NEVER)
            for place in (start, goal):  # it is not at one of them
                trial.retarget(units, place)
                for _ in range(CALM + 1):
                    search_jointly(state, 1, NEVER)
                trial.tick(expansions=1)
            shorten_way(state.data, state.joint_search(), 0, 0, NEVER)
        state.start_afresh(state.present)
        leave_walls(state, units)  # as if they were inside one
        trial.remove(units)
        trial.tick(expansions=1)
