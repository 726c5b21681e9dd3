"""Large neighbourhood search: the planned steps of all units (see `window`) are improved while there is time.

MAPF-LNS (Li, Chen, Harabor, Stuckey and Koenig: Anytime multi-agent path finding via large neighborhood search, 2021),
in a window that moves with the units, as in WPPL (Jiang, Zhang, Veerapaneni and Li 2024):

    select a subset of agents, A_s       `some_delayed_unit`, then `choose_subset`: their agent-based neighbourhood
    P-, the paths of A_s, are removed    `destroy`, which frees their reservations
    P+, new paths that avoid the rest    `replan`: prioritised planning, one unit after the other (see `space_time`)
    P+ replaces P- if that costs less    here also if it costs as much; otherwise `restore`

Two things differ. The window is short, so what comes after it is estimated (`space_time.outlook`). No replanning may
raise the cost of the unit with the right of way: so the guarantee of PIBT holds.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..compiled.clock import NEVER, now
from ..compiled.interrupts import interrupted
from ..core.integers import Int
from ..worlds.interface import IMPOSSIBLE, NO_STATE, number_of, price_of, successors
from .guidance import finer, without_traffic
from .pibt import JointStep, joint_step, new_moves, note_retreats, retreats, shares_goal
from .reservations import AHEAD, Reservations, in_the_way, new_reservations, occupant, place, release, reserve
from .space_time import (
    EXPANSIONS,
    LIMIT,
    NONE_FOUND,
    OFF_PATH,
    aim_of,
    cost_of_step,
    find_path,
    new_nodes,
    on_path,
    outlook,
)
from .units import ARRIVED, NO_UNIT
from .window import NoWindow, Window, extend

STEPS = 10  # to plan ahead
GROWTH = 2  # the most steps that a tick plans; it makes one of them
ATTEMPTS = 30  # to improve the plan in a tick that has no other limit
FUTILE = 32  # attempts in a row that find no late unit: the plan is good enough
MOST_UNITS = 5  # to replan together; 8 and 12 did as well
LOOKS = 4  # tries to find a late unit


class Subset(NamedTuple):
    """The units to replan, and the costs of all plans."""

    units: np.ndarray
    before: np.ndarray  # the plans that they had
    costs: np.ndarray  # what they would cost now
    costing: np.ndarray  # for every unit: the cost of its plan
    best: np.ndarray  # and the cost if it were alone
    assessed: np.ndarray  # the round in which these were computed
    followed: np.ndarray  # the version of the path that its steps follow: planning again makes a higher one
    tally: np.ndarray  # see below


# Of the subset; the number of ticks; the latest random number; nanoseconds that planning one more step takes.
SIZE, ROUND, RANDOM, EXTENDING = range(4)


def new_window(units: int, now: np.ndarray, following: np.ndarray, waiting: int) -> Window:
    """Make a window for that many units; `waiting` is the cost of a tick."""
    sizes = (MOST_UNITS, MOST_UNITS * (STEPS + 1), MOST_UNITS, units, units, units, units)
    subset = Subset._make([*(np.zeros(size, np.int64) for size in sizes), np.array([0, 0, 1, 0], np.int64)])
    far = new_moves(units, now, following)
    return Window(new_reservations(units, STEPS), far, new_nodes(), subset, waiting, waiting // 2)


def bytes_of(window: Window | NoWindow) -> int:
    """Return the memory of the planned steps."""
    if isinstance(window, NoWindow):
        return 0
    arrays = [*window.reservations, *window.subset, *window.far[2:]]  # the first two are the map's
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


@compiled
def improve(data: Any, given: Any, order: np.ndarray, most: int, expansions: int, end: int) -> Int:
    """Extend the plan, then improve it in at most `most` attempts, each of which counts as an expansion at least.

    Units whose steps follow an outdated path come first. Return the expansions.
    """
    window, step = borrow(given), joint_step(data)
    subset, tally, units = window.subset, window.nodes.tally, step.units
    if len(order) == 0:
        return 0
    began = tally[EXPANSIONS]
    tally[LIMIT] = began + min(expansions, NEVER - began)
    subset.tally[ROUND] += 1
    for _ in range(GROWTH):
        if window.reservations.clock[AHEAD] < STEPS:
            extend_in_time(window, step, order, end)
    if window.reservations.clock[AHEAD] <= 0:
        return 0
    for i in range(len(order)):
        unit = order[i]
        mark = units[unit].searches + units[unit].waits_since
        busy = retreats(step.distances, unit, subset.tally[ROUND])
        if units[unit].length and not (units[unit].pressed or busy) and subset.followed[unit] != mark:
            if is_late(end):
                break
            subset.followed[unit] = mark
            subset.units[0], subset.tally[SIZE] = unit, 1
            if not keeps_to_path(window, step, unit):
                replan(window, step, NO_UNIT)
    attempts = futile = 0
    while attempts < most and futile < FUTILE and not is_over(tally, end):
        seed, before = some_delayed_unit(window, step, order), tally[EXPANSIONS]
        attempts, futile = attempts + 1, futile + 1
        if seed != NO_UNIT:
            futile = 0
            choose_subset(window, step, seed)
            replan(window, step, order[0])
        tally[EXPANSIONS] = max(tally[EXPANSIONS], before + 1)
    return tally[EXPANSIONS] - began


@compiled
def extend_in_time(window: Any, step: Any, order: np.ndarray, end: int) -> None:
    """Plan one more step, if there is time: otherwise the next tick decides its step as it makes it."""
    tally, began = window.subset.tally, now() if end != NEVER else 0
    if end != NEVER and began + tally[EXTENDING] >= end:
        tally[EXTENDING] -= tally[EXTENDING] >> 8  # to try again one day
        return
    extend(window, step, order)
    note_retreats(step.distances, window.far, order, tally[ROUND])
    if end != NEVER:
        tally[EXTENDING] = now() - began


@inlined
def is_over(tally: Any, end: int) -> bool:
    """Is the budget used up?"""
    return tally[EXPANSIONS] >= tally[LIMIT] or is_late(end)


@inlined
def is_late(end: int) -> bool:
    """Is the time over?"""
    return (end != NEVER and now() >= end) or interrupted()


@inlined
def some_delayed_unit(window: Any, step: Any, order: Any) -> Int:
    """Return a random unit that others delay; NO_UNIT if none of a few is late.

    Not one that has met others who arrived at its goal: it would wander around them instead of settling.
    """
    subset = window.subset
    for _ in range(LOOKS):
        unit = order[chance(subset, len(order))]
        assess(window, step, unit)
        busy = retreats(step.distances, unit, subset.tally[ROUND])
        if step.units[unit].pressed == 0 and not busy and subset.costing[unit] > subset.best[unit]:
            return unit
    return NO_UNIT


@inlined
def chance(subset: Any, count: Int) -> Int:
    """Return a random number below `count`, the same in every run: Lehmer's generator."""
    subset.tally[RANDOM] = subset.tally[RANDOM] * 48271 % 2147483647
    return subset.tally[RANDOM] % count


@compiled
def assess(window: Any, step: Any, unit: Int) -> None:
    """Compute the cost of a unit's plan, and the cost if it were alone."""
    reservations, subset = window.reservations, window.subset
    if subset.assessed[unit] == subset.tally[ROUND]:
        return
    subset.assessed[unit] = subset.tally[ROUND]
    aim = aim_of(window, step, unit)
    own, scale, cost, state = without_traffic(step.world), finer(step.world), 0, place(reservations, unit, 0)
    subset.best[unit] = outlook(aim, state)
    for time in range(1, reservations.clock[AHEAD] + 1):
        successor = place(reservations, unit, time)
        price = 0 if successor == state else scale * max(0, price_of(own, state, successor))
        cost += cost_of_step(aim, state, successor, price)
        state = successor
    subset.costing[unit] = cost + outlook(aim, state)


@compiled
def choose_subset(window: Any, step: Any, seed: Int) -> None:
    """Choose a unit, and those that it would meet if it left its plan at some time and went straight ahead."""
    reservations, subset = window.reservations, window.subset
    aim = aim_of(window, step, seed)
    own = without_traffic(step.world)
    subset.units[0], subset.tally[SIZE] = seed, 1
    time = chance(subset, reservations.clock[AHEAD])
    state = place(reservations, seed, time)
    while time < reservations.clock[AHEAD] and subset.tally[SIZE] < MOST_UNITS and state != aim.goal:
        time += 1
        at = on_path(aim, state)
        best = aim.cells[at + 1] if OFF_PATH < at < aim.last else nearest(subset, own, aim, state)
        other = in_the_way(reservations, best, time, occupant(reservations, state, time))
        busy = other == NO_UNIT or retreats(step.distances, other, subset.tally[ROUND])
        if not busy and not keeps(step, other, best, seed):
            join(subset, other)
        state = best


@inlined
def keeps(step: JointStep, unit: Int, state: Int, other: Int) -> bool:
    """Has a unit arrived there, at the goal of another one or beside it?"""
    row = step.units[unit]
    return bool((state == row.goal or row.reason == ARRIVED) and shares_goal(step, unit, other))


@inlined
def nearest(subset: Any, world: Any, aim: Any, state: Int) -> Int:
    """Return the neighbour nearest to the goal; any among equals."""
    best, least = state, outlook(aim, state)
    for given, price in successors(world, state):
        successor = number_of(world, given, state, price)
        if successor == NO_STATE:
            break
        value = outlook(aim, successor)
        if value < least or (value == least and chance(subset, 2)):
            best, least = successor, value
    return best


@inlined
def join(subset: Any, unit: Int) -> None:
    """Add a unit at a random place: the first to plan has the best choice."""
    for i in range(subset.tally[SIZE]):
        if subset.units[i] == unit:
            return
    place_of_it = chance(subset, subset.tally[SIZE] + 1)
    subset.units[subset.tally[SIZE]] = subset.units[place_of_it]
    subset.units[place_of_it] = unit
    subset.tally[SIZE] += 1


@compiled
def replan(window: Any, step: Any, first: Int) -> None:
    """Replan a subset; keep the result if neither the sum of costs nor the cost of `first` is higher."""
    reservations, subset = window.reservations, window.subset
    old, floor, total = 0, 0, 0
    for i in range(subset.tally[SIZE]):
        assess(window, step, subset.units[i])
        old += subset.costing[subset.units[i]]
        floor += subset.best[subset.units[i]]
        destroy(reservations, subset, i)
    for i in range(subset.tally[SIZE]):
        unit = subset.units[i]
        floor -= subset.best[unit]
        limit = old - total - floor
        if unit == first:
            limit = min(limit, subset.costing[unit])
        aim = aim_of(window, step, unit)
        node = find_path(step.world, reservations, window.nodes, aim, unit, limit)
        if node == NONE_FOUND:
            restore(reservations, subset, i)
            return
        subset.costs[i] = window.nodes.g[node] + outlook(aim, window.nodes.state[node])
        total += subset.costs[i]
        reserve_path(reservations, window.nodes, unit, node)
    for i in range(subset.tally[SIZE]):
        subset.costing[subset.units[i]] = subset.costs[i]


@compiled
def keeps_to_path(window: Any, step: Any, unit: Int) -> bool:
    """Let the unit of the subset follow its path, without a search; return False if somebody is in the way."""
    reservations, subset, row = window.reservations, window.subset, step.units[unit]
    first, last = row.path + row.at, row.path + row.length - 1
    cells, state = step.allocator.cells, place(reservations, unit, 0)
    destroy(reservations, subset, 0)
    for time in range(1, reservations.clock[AHEAD] + 1):
        successor = cells[min(first + time, last)]
        other, legal = occupant(reservations, state, time), True
        if state != successor:
            other = in_the_way(reservations, successor, time, other)
            legal = price_of(step.world, state, successor) != IMPOSSIBLE
        if other != NO_UNIT or not legal or state != cells[min(first + time - 1, last)]:
            restore(reservations, subset, 0)
            return False
        state = successor
    for time in range(1, reservations.clock[AHEAD] + 1):
        reserve(reservations, unit, time, cells[min(first + time, last)])
    return True


@inlined
def destroy(reservations: Reservations, subset: Any, i: Int) -> None:
    """Save the plan of the i-th unit of a subset, and free its reservations."""
    unit = subset.units[i]
    for time in range(1, reservations.clock[AHEAD] + 1):
        subset.before[i * reservations.slots + time] = place(reservations, unit, time)
        release(reservations, unit, time)


@inlined
def restore(reservations: Reservations, subset: Any, planned: Int) -> None:
    """Restore the old plans; the first `planned` units had a new one."""
    for i in range(planned):
        for time in range(1, reservations.clock[AHEAD] + 1):
            release(reservations, subset.units[i], time)
    for i in range(subset.tally[SIZE]):
        for time in range(1, reservations.clock[AHEAD] + 1):
            reserve(reservations, subset.units[i], time, subset.before[i * reservations.slots + time])


@inlined
def reserve_path(reservations: Reservations, nodes: Any, unit: Int, node: Int) -> None:
    """Reserve the path that ends in a node."""
    for time in range(reservations.clock[AHEAD], 0, -1):
        reserve(reservations, unit, time, nodes.state[node])
        node = nodes.parent[node]
