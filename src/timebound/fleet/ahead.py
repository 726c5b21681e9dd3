"""The next few steps of all units, planned together: what pushing would do, step by step (see `moving`).

Every tick makes the first step and plans one more. `repair` improves the plan.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..core.integers import Int
from ..worlds.interface import NO_STATE
from ..worlds.moves import IMPOSSIBLE, price_of
from .moving import PUSH, Moves, comes_back, decide, make_wish, notice, put_wish, resolve_all
from .window import AHEAD, NO_UNIT, NOTHING, NOW, Window, occupant, place, release, reserve

GROWTH = 2  # the most steps that a tick plans; it makes one of them


class Repair(NamedTuple):
    """The plan of the next steps, and what is needed to make and improve it."""

    window: Window
    far: Moves  # moves at the end of the window
    nodes: Any  # for searches: see `detours`
    team: Any  # see `repair`
    waiting: int  # the cost of a tick
    leaving: int  # the cost of leaving the path


class NoRepair(NamedTuple):
    """Units move, and push each other, one step at a time."""

    tag: int = 0


@decide.of(Repair)
def _decide(repair: Any, world: Any, mode: int, arena: Any, rows: np.ndarray, order: np.ndarray, moves: Any) -> None:
    """Let every unit do what is planned."""
    window, units = repair.window, borrow(rows)
    if window.clock[AHEAD] <= 0:
        extend(repair, world, arena, rows, order)
    for i in range(len(order)):
        unit = order[i]
        row = units[unit]
        if row.length and arena.cells[row.path + row.at] != row.position:  # off its path
            put_wish(moves, unit, row.position, row.at, NO_STATE)
        else:
            make_wish(world, arena, units, moves, unit)
        moves.following[unit] = place(window, unit, 1)
        release(window, unit, 0)
    window.clock[NOW] = (window.clock[NOW] + 1) % window.slots
    window.clock[AHEAD] -= 1


@comes_back.of(Repair)
def _comes_back(repair: Any, arena: Any, row: Any, unit: Int) -> bool:
    window = repair.window
    for time in range(window.clock[AHEAD] + 1):
        state = place(window, unit, time)
        for i in range(row.at, min(row.length, row.at + window.slots)):
            if arena.cells[row.path + i] == state:
                row.at = max(row.at, i - time)  # as far as if it had stayed on its path
                return True
    return False


@notice.of(Repair)
def _notice(repair: Any, arena: Any, row: Any) -> Int:
    """Return how many states to keep: enough for planning ahead; but a unit follows only half of each path."""
    if row.length == 0 or row.buried or arena.cells[row.path + row.length - 1] == row.goal:
        return 0
    return min(repair.window.slots, row.length - 1) // 2


def by_way_of_plan(repair: Repair, unit: int, path: np.ndarray) -> np.ndarray:
    """Return the path of a unit from its position: if it is off the path, the planned steps back come first."""
    steps: list[Any] = []
    for time in range(int(repair.window.clock[AHEAD]) + 1):
        state = place(repair.window, unit, time)
        if state in path:
            return np.array([*steps, *path[list(path).index(state) :]], np.int64)
        steps.append(state)
    return np.array(steps or path, np.int64)


@inlined
def lengthen(repair: Any, world: Any, arena: Any, rows: np.ndarray, order: np.ndarray) -> None:
    """Plan more steps, a few at a time."""
    for _ in range(GROWTH):
        if repair.window.clock[AHEAD] + 1 < repair.window.slots:
            extend(repair, world, arena, rows, order)


@compiled
def extend(repair: Any, world: Any, arena: Any, rows: np.ndarray, order: np.ndarray) -> None:
    """Plan one more step, in which units push each other."""
    units, window, far = borrow(rows), repair.window, repair.far
    if window.clock[AHEAD] == NOTHING:
        begin(window, units, order)
    last = window.clock[AHEAD]
    for i in range(len(order)):
        unit = order[i]
        far.here[place(window, unit, last)] = unit + 1
        wish_later(world, arena, units, far, unit, place(window, unit, last), last)
    resolve_all(world, PUSH, arena, rows, order, far)
    for i in range(len(order)):
        unit = order[i]
        far.here[far.origin[unit]] = far.there[far.following[unit]] = 0
    for i in range(len(order)):
        reserve(window, order[i], last + 1, far.following[order[i]])
    window.clock[AHEAD] += 1


@inlined
def begin(window: Any, units: Any, order: Any) -> None:
    """Record where every unit is."""
    window.clock[AHEAD] = 0
    for i in range(len(order)):
        reserve(window, order[i], 0, units[order[i]].position)


@inlined
def wish_later(world: Any, arena: Any, units: Any, far: Any, unit: Int, state: Int, time: Int) -> None:
    """Note where a unit wants to go from its planned state: along its path, or back to it."""
    row = units[unit]
    at, wish = row.length, (state if row.length == 0 and state == row.position else NO_STATE)
    for i in range(row.at, min(row.length, row.at + time + 1)):
        if arena.cells[row.path + i] == state:
            at = i
    if at + 1 < row.length:
        wish = arena.cells[row.path + at + 1]
        if price_of(world, state, wish) == IMPOSSIBLE and not row.buried:
            at, wish = row.length, NO_STATE
    elif state == row.goal:
        wish = state
    put_wish(far, unit, state, at, wish)


@compiled
def discard(repair: Any) -> None:
    """Discard the plan: the world has changed, or has new units."""
    window = borrow(repair).window
    for i in range(len(window.chains)):
        window.chains[i] = 0
    window.clock[AHEAD] = NOTHING


@compiled
def welcome(repair: Any, rows: np.ndarray, units: np.ndarray) -> bool:
    """Add units, which stay where they are for now; return whether no plan conflicts with them."""
    window = borrow(repair).window
    for i in range(len(units)):
        state = borrow(rows)[units[i]].position
        for time in range(window.clock[AHEAD] + 1):
            if occupant(window, state, time) != NO_UNIT:
                return False
            reserve(window, units[i], time, state)
    return True


@compiled
def dismiss(repair: Any, units: np.ndarray) -> None:
    """Remove units."""
    window = borrow(repair).window
    for i in range(len(units)):
        for time in range(window.clock[AHEAD] + 1):
            release(window, units[i], time)
