"""A grid on which others move along known or predicted paths: a state is a cell at a tick, and waiting is a move.

A move, or waiting, takes one tick, and costs 1. After the last tick at which a prediction changes anything, all ticks
count as that one. Cheapest paths are searched by safe intervals (SIPP: Phillips and Likhachev 2011), where a state is a
cell and an interval: to arrive early is never worse, for one may wait until the interval ends.

    Figure 3    getSuccessors(s)    _arrivals
    Figure 2    the search          `search.best_first`: its g is the time

What the search must know of a state beyond its number, the earliest arrival so far, is noted by `_arrivals`: it changes
when g does. With consistent h a state is expanded once, after its last arrival was found.
"""

import math
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from ..compiled import inlined
from ..core.errors import ProblemError, WorldError
from ..core.integers import Int
from ..core.memory import untouched
from ..core.values import is_whole, number, seed_number, whole
from ..core.wording import shown
from .custom import CustomWorld
from .grid import STEPS, Grid
from .interface import NO_STATE, heuristic, is_goal, successors
from .movers import FOREVER, MOST_TICKS, Cell, Mover, Timetable, bouncing, movers_of, timetable
from .own_types import data_tuple
from .world import World

Place = tuple[int, int, int]


def _next_interval(world: Any, cell: Int, tick: int) -> int:
    """Return the first safe interval of a cell that has this tick or a later one."""
    low, high = world.first[world.row[cell]], world.first[world.row[cell] + 1]
    while low < high:
        middle = (low + high) // 2
        if world.ends[middle] < tick:
            low = middle + 1
        else:
            high = middle
    return int(low)


def _interval(world: Any, cell: Int, tick: int) -> int:
    """Return the safe interval of a cell that has this tick, or -1."""
    found = _next_interval(world, cell, tick)
    return found if found < world.first[world.row[cell] + 1] and world.begins[found] <= tick else -1


def _swaps(world: Any, cell: Int, after: Int, tick: int) -> bool:
    """Does a mover arrive at `cell` from `after` at that tick?"""
    found = False
    for i in range(world.passing[world.row[cell]], world.passing[world.row[cell] + 1]):
        found = found or (world.origins[i] == after and world.arrivals[i] == tick)
    return found


def _successors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    cell, tick = state % world.cells, state // world.cells
    arrival = tick + 1
    later = world.cells * min(arrival, world.last)
    for k in range(len(world.offsets)):
        if (world.moves[cell] >> k) & 1:
            after = cell + world.offsets[k]
            if _interval(world, after, arrival) >= 0 and not _swaps(world, cell, after, arrival):
                yield after + later, 1
    if tick < world.last and _interval(world, cell, arrival) >= 0:
        yield cell + later, 1


def _predecessors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    """Yield the cells around, a tick earlier; at the last tick, which stands for all later ones, also at that tick."""
    cell, tick = state % world.cells, state // world.cells
    if _interval(world, cell, tick) >= 0:
        for earlier in range(max(0, tick - 1), tick + (tick == world.last)):
            for k in range(len(world.offsets)):
                before = cell + world.offsets[k]
                if (world.moves[cell] >> k) & 1 and not _swaps(world, before, cell, earlier + 1):
                    yield before + world.cells * earlier, 1
            if earlier < tick:
                yield cell + world.cells * earlier, 1


def _waiting(world: Any, state: int) -> Iterator[tuple[int, int]]:
    """Yield what comes of an agent that does not move; nothing if it is hit."""
    cell, tick = state % world.cells, state // world.cells
    if _interval(world, cell, tick + 1) >= 0:
        yield cell + world.cells * min(tick + 1, world.last), 1


def _safe(world: Any, state: int) -> bool:
    """Can one stay for ever?"""
    interval = _interval(world, state % world.cells, state // world.cells)
    return bool(interval >= 0 and world.ends[interval] == FOREVER)


def _cells_to_goal(world: Any, cell: Int) -> Any:
    dx, dy = abs(cell % world.width - world.goal_x), abs(cell // world.width - world.goal_y)
    return max(dx, dy) if len(world.offsets) == 8 else dx + dy


def _heuristic(world: Any, state: int) -> int:
    return _cells_to_goal(world, state % world.cells)


def _is_goal(world: Any, state: int) -> bool:
    cell, tick = state % world.cells, state // world.cells
    arrived = cell == world.goal
    if arrived and world.stay > 0:
        interval = _interval(world, cell, tick + 1)
        arrived = interval >= 0 and world.ends[interval] - tick >= world.stay
    return bool(arrived)


class Moving(CustomWorld):
    """A grid with others that move, with what is known of their paths.

    A place is `(x, y, tick)`; a start may be `(x, y)`, which is now. A goal is a cell, at any tick. An agent is hit if
    a mover is at its cell at a tick, or changes places with it; then it stops with the reason `hit`. Diagonal moves
    that cross hit nobody.

    Parameters
    ----------
    grid
        With 4 or 8 neighbours and no travel costs. It is copied.
    obstacles
        A list of `Mover`, or a dictionary of them by name. A list of cells, one for every tick, is one that stays.
    stay
        For how many ticks an agent must be able to stay at its goal, or infinity.

    Raises
    ------
    WorldError
        If the grid has other neighbours, or travel costs.
    ProblemError
        If a prediction is empty, endless or jumps.

    Examples
    --------
    >>> import numpy as np, timebound as tb
    >>> world = tb.Moving(tb.Grid(np.ones((1, 5), bool)), obstacles={"truck": [(2, 0)]})
    >>> tb.shortest_path(world, (0, 0), (4, 0)).solved
    False
    >>> world.predict({"truck": tb.Mover([(2, 0), (2, 0), (2, 0)], stays=False)})
    >>> tb.shortest_path(world, (0, 0), (4, 0)).states
    [(0, 0, 0), (1, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 4), (4, 0, 5)]
    """

    def __init__(self, grid: Grid, obstacles: Any = (), *, stay: float = 0, name: str = ""):
        if not isinstance(grid, Grid):
            raise WorldError(f"movers need a grid, not {shown(grid)}; make one: tb.Grid(array)")
        if grid.neighbors not in (4, 8) or grid.travel is not None:
            raise WorldError("movers need a grid with 4 or 8 neighbours and no travel costs: every move takes one tick")
        number(
            stay,
            "stay is a number of ticks from 0, or inf",
            lambda given: given == math.inf or (given >= 0 and given % 1 == 0),
        )
        self.grid = Grid(grid.passable, neighbors=grid.neighbors, corners=grid.corners)
        steps = STEPS[: grid.neighbors]
        data = {"moves": self.grid.moves, "offsets": steps[:, 1] * grid.width + steps[:, 0]}
        data |= {"width": grid.width, "cells": grid.width * grid.height}
        super().__init__(
            _successors,
            _heuristic,
            is_goal=_is_goal,
            predecessors=_predecessors,
            waiting=_waiting,
            safe=_safe,
            data={**data, "stay": int(min(stay, FOREVER // 4))},
            branching=2 * (grid.neighbors + 1),  # predecessors; successors are half of them
            name=name,
        )
        self.cheapest, self._told = 1, _Told(self.grid)
        self._aimed_at, self._seen = None, self._told.table
        self.predict(obstacles)

    @classmethod
    def traffic(
        cls, width: int, height: int, *, movers: float = 0.3, bunkers: float = 0.1, ticks: int = 200, seed: int = 0
    ) -> "Moving":
        """Make a world like the Traffic domain of the SafeRTS paper: cross from the upper left to the lower right.

        Movers go up and down or left and right, one cell per tick, through each other. They turn back at the edge and
        at *bunkers*, which only agents enter; the corners of start and goal are bunkers.

        Parameters
        ----------
        width, height
            Of the world, in cells.
        movers, bunkers
            How many there are of each, as shares of the cells.
        ticks
            The horizon of the predictions: then all movers are gone.
        seed
            Where they are, and how they go.

        Examples
        --------
        >>> import timebound as tb
        >>> agent = tb.make("safe-rts", tb.Moving.traffic(20, 15), (0, 0), (19, 14))
        >>> agent.run(expansions=50).stop
        'goal'
        """
        width, height = (whole(side, "a side is a number of cells from 2 to 1000", 2, 1000) for side in (width, height))
        for name, share in (("movers", movers), ("bunkers", bunkers)):
            number(share, f"{name} is a share of the cells, from 0 to 1", lambda given: 0 <= given <= 1)
        ticks = whole(ticks, "ticks is a number from 1 to 65535", most=MOST_TICKS - 1)
        generator = np.random.default_rng(seed_number(seed))
        free = generator.random((height, width)) >= bunkers
        free[0, 0] = free[-1, -1] = False
        cells = [(int(x), int(y)) for y, x in generator.permutation(np.argwhere(free))]
        ways = [((1, 0), (-1, 0), (0, 1), (0, -1))[i] for i in generator.integers(4, size=len(cells))]
        many = min(len(cells), round(movers * width * height))
        paths = [bouncing(cells[i], ways[i], free, ticks) for i in range(many)]
        return cls(Grid(np.ones((height, width), bool), neighbors=4), paths)

    def __repr__(self) -> str:
        count, (height, width) = len(self._told.movers), self.grid.shape
        return f"Moving({width} x {height}, {count} mover{'s' * (count != 1)}, now at tick {self.now})"

    @property
    def now(self) -> int:
        """The tick of the last prediction."""
        return self._told.now

    @property
    def movers(self) -> dict[Any, list[Cell]]:
        """The predicted cells of every mover, from now on."""
        return {name: [*mover.cells][max(0, self.now - since) :] for name, (since, mover) in self._told.movers.items()}

    def predict(self, obstacles: Any, *, now: int | None = None) -> None:
        """Say where movers are now, and where they will be: it replaces what was known of the same movers.

        Agents that are in this world replan, and forget what they have learned. They are at the tick `now`, if they
        are not beyond it.

        Parameters
        ----------
        obstacles
            As for the world. A list replaces all; of a dictionary, None removes one, and the others stay.
        now
            The tick of the first cell of every path; by default, that of the last prediction.

        Raises
        ------
        ProblemError
            If a prediction is invalid, or for a tick in the past. Then nothing changes.
        """
        told, since = self._told, self.now if now is None else now
        if not (is_whole(since) and self.now <= since < FOREVER // 2):
            raise ProblemError(f"now is a tick from {self.now} on, that of the last prediction, not {shown(now)}")
        removed, kept = [], {}
        if isinstance(obstacles, dict):
            removed, kept = [name for name, mover in obstacles.items() if mover is None], told.movers
            if unknown := [name for name in removed if name not in kept]:
                raise ProblemError(f"there is no mover {shown(unknown[0])} to remove")
            obstacles = {name: mover for name, mover in obstacles.items() if mover is not None}
        new = {name: (int(since), mover) for name, mover in movers_of(obstacles).items()}
        movers = {name: mover for name, mover in (kept | new).items() if name not in removed}
        table = timetable(movers, self.grid.width, self.grid.height, int(since))
        with self._changing(0):
            told.movers, told.now, told.table = movers, int(since), table
            self.longest = told.longest
            self.changes.rescale(1.0)

    # ---------------------------------------------------------------- its states

    def cell_at(self, place: Any) -> tuple[int, int]:
        """Return the number of a free cell, and a tick."""
        if not (isinstance(place, (tuple, list)) and len(place) in (2, 3) and all(map(is_whole, place))):
            raise ProblemError(f"a place among movers is (x, y, tick), or (x, y) now, not {shown(place)}")
        tick = int(place[2]) if len(place) == 3 else self.now
        if not 0 <= tick < FOREVER // 2:
            raise ProblemError(f"a tick is a number from 0, not {shown(place[2])}")
        return self.grid.state(tuple(place[:2])), tick

    def key(self, place: Any) -> int:
        """Return the cell at a tick, as one number."""
        cell, tick = self.cell_at(place)
        return cell + self.data["cells"] * min(tick, self._told.table.last)

    def label(self, key: int) -> Place:
        """Return the (x, y, tick) of a number."""
        tick, cell = divmod(key, self.data["cells"])
        return cell % self.grid.width, cell // self.grid.width, tick

    def goal_facts(self, goal: Any) -> dict[str, Any]:
        """Return the data with a goal, which is a cell at any tick."""
        cell = self.grid.state(goal)
        return {**self.data, "goal": cell, "goal_x": cell % self.grid.width, "goal_y": cell // self.grid.width}

    def facts(self, goal: Any) -> dict[str, Any]:
        """Add the timetable."""
        return {**self.goal_facts(goal), **self._told.table._asdict()}

    def aim(self, goal: Any) -> tuple[World, int]:
        """Return the world with its goal; what is known of the movers is that of this one."""
        aimed, number = super().aim(goal)
        told = self._told
        aimed.__dict__.update(changes=self.changes, _told=told, _aimed_at=goal, _seen=told.table)
        return aimed, number

    def compiled(self, goal: int) -> Any:
        """Return the compiled form of this world, with the latest predictions."""
        sight: Any = self._sight()
        if self._seen is not self._told.table:
            self._seen, sight.data = self._told.table, data_tuple(self.facts(self._aimed_at))
            sight.form, self.longest = sight.compiled(-1, sight.form.numbering), self._told.longest
        return sight.form

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._told = copy(self._told)

    def moved_on(self, state: int) -> int:
        """Return the state of an agent after a prediction: the same cell, now."""
        x, y, tick = self.label(self._sight().key(state))
        return self.state((x, y, max(tick, self.now)))

    def walk_cost(self, states: np.ndarray) -> float:
        """Return the ticks of a walk: predictions of the past may be gone."""
        return float(max(0, len(states) - 1))

    @property
    def for_cheapest_path(self) -> "World":
        """The world of safe intervals."""
        return self._told.intervals(self)


class _Told:
    """What is known of the movers: the same for all copies of a world that have another goal."""

    def __init__(self, grid: Grid):
        self.movers: dict[Any, tuple[int, Mover]] = {}
        self.now, self.table = 0, timetable({}, grid.width, grid.height, 0)
        self._intervals: SafeIntervals | None = None

    @property
    def longest(self) -> int:
        """Return a bound on the ticks of a cheapest path."""
        return self.table.last + len(self.table.row)

    def intervals(self, world: Moving) -> "SafeIntervals":
        """Return the safe intervals, made once for every prediction."""
        if self._intervals is None or self._intervals.table is not self.table:
            self._intervals = SafeIntervals(world, self.table)
        return self._intervals


# ------------------------------------------------------------------ safe intervals


class CompiledIntervals(NamedTuple):
    """A grid with movers as a search for one cheapest path sees it: a state is a cell and one of its safe intervals.

    A cell where no mover ever comes has its own number; the intervals of the others follow; then that of the start,
    which may be unsafe: an agent may leave a cell in which it is, whatever is predicted.
    """

    moves: np.ndarray  # as of the world, and of the timetable
    offsets: np.ndarray
    width: int
    cells: int
    stay: int
    goal: int
    goal_x: int
    goal_y: int
    row: np.ndarray
    first: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    passing: np.ndarray
    origins: np.ndarray
    arrivals: np.ndarray
    last: int
    cell: np.ndarray  # of every interval
    start: int
    start_cell: int
    start_end: int
    early: np.ndarray  # FOREVER - the tick at which a state can be reached, as far as known; 0 if it cannot


_swaps_then, _cells_away, _from_tick = inlined(_swaps), inlined(_cells_to_goal), inlined(_next_interval)


@successors.of(CompiledIntervals)
def _arrivals(world: Any, state: Int) -> Iterator[tuple[int, int]]:
    """Yield every safe interval of a neighbour that can be reached from this one, as soon as possible."""
    cell, end, now = cell_of(world, state), end_of(world, state), FOREVER - world.early[state]
    for k in range(len(world.offsets)):
        if (world.moves[cell] >> k) & 1:
            after = cell + world.offsets[k]
            row = np.int64(world.row[after])
            for i in range(_from_tick(world, after, now + 1), world.first[row + 1]):
                if world.begins[i] > end + 1:
                    break
                arrival = max(now + 1, world.begins[i])
                if arrival == world.begins[i] and _swaps_then(world, cell, after, arrival):
                    arrival += 1
                if arrival <= min(end + 1, world.ends[i]):
                    successor = after if row == 0 else world.cells + i
                    world.early[successor] = max(world.early[successor], FOREVER - arrival)
                    yield successor, arrival - now


@inlined
def cell_of(world: Any, state: Int) -> Int:
    """Return the cell of a state."""
    cell: Int = state
    if state == world.start:
        cell = world.start_cell
    elif state >= world.cells:
        cell = world.cell[state - world.cells]
    return cell


@inlined
def end_of(world: Any, state: Int) -> Int:
    """Return the last tick at which it is safe."""
    end: Int = FOREVER
    if state == world.start:
        end = world.start_end
    elif state >= world.cells:
        end = world.ends[state - world.cells]
    return end


heuristic.of(CompiledIntervals)(lambda world, state: _cells_away(world, cell_of(world, state)))


@is_goal.of(CompiledIntervals)
def _is_goal_interval(world: CompiledIntervals, state: Int) -> bool:
    arrived = cell_of(world, state) == world.goal
    return bool(arrived and end_of(world, state) - (FOREVER - world.early[state]) >= world.stay)


class SafeIntervals(World):
    """See `CompiledIntervals`."""

    unit, cheapest, most_predecessors, reversible, aims_anywhere = 1, 1, 0, False, False

    def __init__(self, world: Moving, table: Timetable):
        self.whole, self.table = world, table
        of_row = np.zeros(len(table.first) - 1, np.int64)
        touched = np.flatnonzero(table.row)
        of_row[table.row[touched]] = touched
        self._cells = np.repeat(of_row, np.diff(table.first))
        self.states, self.branching = len(table.row) + len(self._cells) + 1, 8 * (1 + int(np.diff(table.first).max()))
        self.highest_cost, self.longest = table.last + 2, world.longest

    def __repr__(self) -> str:
        return repr(self.whole)

    def aim(self, goal: Any) -> tuple[World, int]:
        """Return the world for one search, which notes how early every interval can be reached."""
        aimed = copy(self)
        facts = {**self.whole.goal_facts(goal), **self.table._asdict(), "cell": self._cells}
        start: dict[str, Any] = {"start": self.states - 1, "start_cell": 0, "start_end": 0}
        form = CompiledIntervals(**facts, **start, early=untouched(self.states, np.int64))
        aimed.__dict__.update(pool=self.pool, form=form)
        return aimed, NO_STATE

    form: Any
    """The compiled form of one for a search."""

    def compiled(self, goal: int) -> Any:
        """Return the compiled form of this world."""
        return self.form

    def state(self, place: Any) -> int:
        """Return the interval of the start: it was there unharmed."""
        (cell, tick), known = self.whole.cell_at(place), self.form
        interval = _interval(known, cell, tick + 1)
        end = tick if interval < 0 else int(known.ends[interval])
        self.form = known._replace(start_cell=cell, start_end=end)
        known.early[-1] = FOREVER - tick
        return int(known.start)

    def place(self, state: int) -> Place:
        """Return where and when an agent can first be in that state."""
        cell = int(cell_of(self.form, state))
        return cell % self.form.width, cell // self.form.width, int(FOREVER - self.form.early[state])

    def places(self, states: np.ndarray) -> Sequence[Place]:
        """Return where one is at every tick: a path waits before a cell that is not free yet."""
        found = [self.place(int(state)) for state in states]
        away = [*(tick for _, _, tick in found[1:]), *(tick + 1 for _, _, tick in found[-1:])]
        return [(x, y, tick) for (x, y, here), end in zip(found, away, strict=True) for tick in range(here, end)]

    def path_cost(self, states: np.ndarray) -> float:
        """Return the ticks of a path."""
        return float(self.form.early[states[0]] - self.form.early[states[-1]])
