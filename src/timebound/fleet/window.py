"""The next few steps of all units, planned ahead by PIBT (see `pibt`), and reserved (see `reservations`).

Every tick makes the first step and plans one more; `lns` improves the plan. So it is with `repair=True`.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..core.integers import Int
from ..worlds.interface import IMPOSSIBLE, NO_STATE, price_of
from .moving import comes_back, decide, notice
from .pibt import JointStep, Moves, make_wish, put_wish, resolve_all
from .reservations import AHEAD, NOTHING, NOW, Reservations, occupant, place, release, reserve
from .units import NO_UNIT


class Window(NamedTuple):
    """The plan of the next steps, and what is needed to make and improve it."""

    reservations: Reservations
    far: Moves  # moves at the end of the window
    nodes: Any  # for searches: see `space_time`
    subset: Any  # see `lns`
    waiting: int  # the cost of a tick
    leaving: int  # the cost of leaving the path


class NoWindow(NamedTuple):
    """Units move, and push each other, one step at a time."""

    tag: int = 0


@decide.of(Window)
def _decide(window: Any, step: Any, order: np.ndarray) -> None:
    """Let every unit do what is planned."""
    reservations = window.reservations
    if reservations.clock[AHEAD] <= 0:
        extend(window, step, order)
    for i in range(len(order)):
        unit = order[i]
        row = step.units[unit]
        if row.length and step.allocator.cells[row.path + row.at] != row.position:  # off its path
            put_wish(step.moves, unit, row.position, row.at, NO_STATE)
        else:
            make_wish(step, unit)
        step.moves.following[unit] = place(reservations, unit, 1)
        release(reservations, unit, 0)
    reservations.clock[NOW] = (reservations.clock[NOW] + 1) % reservations.slots
    reservations.clock[AHEAD] -= 1


@comes_back.of(Window)
def _comes_back(window: Any, step: Any, unit: Int) -> bool:
    reservations, row = window.reservations, step.units[unit]
    for time in range(reservations.clock[AHEAD] + 1):
        state = place(reservations, unit, time)
        for i in range(row.at, min(row.length, row.at + reservations.slots)):
            if step.allocator.cells[row.path + i] == state:
                row.at = max(row.at, i - time)  # as far as if it had stayed on its path
                return True
    return False


@notice.of(Window)
def _notice(window: Any, step: Any, unit: Int) -> Int:
    """Return how many states to keep: enough for planning ahead; but a unit follows only half of each path."""
    row = step.units[unit]
    if row.length == 0 or row.buried or step.allocator.cells[row.path + row.length - 1] == row.goal:
        return 0
    return min(window.reservations.slots, row.length - 1) // 2


def by_way_of_plan(window: Window, unit: int, path: np.ndarray) -> np.ndarray:
    """Return the path of a unit from its position: if it is off the path, the planned steps back come first."""
    steps: list[Any] = []
    for time in range(int(window.reservations.clock[AHEAD]) + 1):
        state = place(window.reservations, unit, time)
        if state in path:
            return np.array([*steps, *path[list(path).index(state) :]], np.int64)
        steps.append(state)
    return np.array(steps or path, np.int64)


@compiled
def extend(window: Any, step: Any, order: np.ndarray) -> None:
    """Plan one more step, in which units push each other."""
    reservations, far = window.reservations, window.far
    if reservations.clock[AHEAD] == NOTHING:
        reservations.clock[AHEAD] = 0
        for i in range(len(order)):
            reserve(reservations, order[i], 0, step.units[order[i]].position)
    last = reservations.clock[AHEAD]
    later = JointStep(step.world, step.mode, step.distances, step.allocator, step.units, far)
    for i in range(len(order)):
        unit = order[i]
        far.occupied_now[place(reservations, unit, last)] = unit + 1
        wish_later(later, unit, place(reservations, unit, last), last)
    resolve_all(later, order)
    for i in range(len(order)):
        unit = order[i]
        far.occupied_now[far.origin[unit]] = far.occupied_next[far.following[unit]] = 0
    for i in range(len(order)):
        reserve(reservations, order[i], last + 1, far.following[order[i]])
    reservations.clock[AHEAD] += 1


@inlined
def wish_later(step: Any, unit: Int, state: Int, time: Int) -> None:
    """Note where a unit wants to go from its planned state: along its path, or back to it."""
    row, cells = step.units[unit], step.allocator.cells
    at, wish = row.length, (state if row.length == 0 and state == row.position else NO_STATE)
    for i in range(row.at, min(row.length, row.at + time + 1)):
        if cells[row.path + i] == state:
            at = i
    if at + 1 < row.length:
        wish = cells[row.path + at + 1]
        if price_of(step.world, state, wish) == IMPOSSIBLE and not row.buried:
            at, wish = row.length, NO_STATE
    elif state == row.goal:
        wish = state
    put_wish(step.moves, unit, state, at, wish)


@compiled
def discard(window: Any) -> None:
    """Discard the plan: the world has changed, or has new units."""
    reservations = borrow(window).reservations
    if reservations.clock[AHEAD] != NOTHING:
        for i in range(len(reservations.chains)):
            reservations.chains[i] = 0
        reservations.clock[AHEAD] = NOTHING


@compiled
def welcome(window: Any, rows: np.ndarray, units: np.ndarray) -> bool:
    """Add units, which stay where they are for now; return whether no plan conflicts with them."""
    reservations = borrow(window).reservations
    for i in range(len(units)):
        state = borrow(rows)[units[i]].position
        for time in range(reservations.clock[AHEAD] + 1):
            if occupant(reservations, state, time) != NO_UNIT:
                return False
            reserve(reservations, units[i], time, state)
    return True


@compiled
def dismiss(window: Any, units: np.ndarray) -> None:
    """Remove units."""
    reservations = borrow(window).reservations
    for i in range(len(units)):
        for time in range(reservations.clock[AHEAD] + 1):
            release(reservations, units[i], time)
