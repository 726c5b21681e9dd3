"""Repair: the next few steps of all units are planned together, and improved while there is time.

A repair removes the plans of a few units, a late one and those in its way, and searches for new ones, one after the
other, around the plans of all others. If the sum is not worse, they are kept: large neighbourhood search (MAPF-LNS: Li,
Chen, Harabor, Stuckey, Koenig 2021) in a window that moves with the units (WPPL: Jiang, Zhang, Veerapaneni, Li 2024).
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..compiled.clock import NEVER, now
from ..compiled.interrupts import interrupted
from ..core.integers import Int
from ..worlds.interface import NO_STATE, number_of, successors
from ..worlds.moves import price_of
from .ahead import NoRepair, Repair, lengthen
from .detours import (
    EXPANSIONS,
    LIMIT,
    NONE_FOUND,
    OFF_PATH,
    aim_of,
    cost_of_step,
    find_detour,
    new_nodes,
    on_path,
    outlook,
)
from .moving import new_moves
from .streams import finer, without_streams
from .window import AHEAD, NO_UNIT, in_the_way, new_window, occupant, place, release, reserve

STEPS = 10  # to plan ahead
ATTEMPTS = 30  # to improve the plan in a tick, by default
TEAM = 5  # units per repair; 8 and 12 did as well
LOOKS = 4  # tries to find a late unit


class Team(NamedTuple):
    """The units of a repair, and the costs of all plans."""

    units: np.ndarray
    before: np.ndarray  # the plans that they had
    costs: np.ndarray  # what they would cost now
    costing: np.ndarray  # for every unit: the cost of its plan
    best: np.ndarray  # and the cost if it were alone
    assessed: np.ndarray  # the round in which these were computed
    followed: np.ndarray  # the version of the path that its steps follow: planning again makes a higher one
    tally: np.ndarray  # see below


SIZE, ROUND, RANDOM = range(3)  # the size of the team; the number of repairs; the latest random number


def new_team(units: int, steps: int) -> Team:
    """Make an empty team."""
    costing, best, assessed, followed = (np.zeros(units, np.int64) for _ in range(4))
    chosen, before, costs = (np.zeros(size, np.int64) for size in (TEAM, TEAM * (steps + 1), TEAM))
    return Team(chosen, before, costs, costing, best, assessed, followed, np.array([0, 0, 1], np.int64))


def new_repair(units: int, here: np.ndarray, there: np.ndarray, waiting: int) -> Repair:
    """Make a repair for that many units; `waiting` is the cost of a tick."""
    far, team = new_moves(units, here, there), new_team(units, STEPS)
    return Repair(new_window(units, STEPS), far, new_nodes(), team, waiting, waiting // 2)


def bytes_of(repair: Repair | NoRepair) -> int:
    """Return the memory of the plan and of repairs."""
    if isinstance(repair, NoRepair):
        return 0
    arrays = [*repair.window, *repair.team, *repair.far[2:]]  # the first two are the map's
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


@compiled
def repair_all(
    given: Any, world: Any, arena: Any, rows: np.ndarray, order: np.ndarray, most: int, expansions: int, end: int
) -> Int:
    """Extend the plan, then improve it in at most `most` attempts; return the expansions.

    Units whose steps follow an outdated path come first.
    """
    repair, lent, cells, units = borrow(given), borrow(world), borrow(arena), borrow(rows)
    team, tally = repair.team, repair.nodes.tally
    if len(order) == 0:
        return 0
    began = tally[EXPANSIONS]
    tally[LIMIT] = began + min(expansions, NEVER - began)
    team.tally[ROUND] += 1
    lengthen(repair, lent, cells, rows, order)
    for i in range(len(order)):
        unit = order[i]
        mark = units[unit].searches + units[unit].waits_since
        if units[unit].length and team.followed[unit] != mark:
            if is_over(tally, end):
                break
            team.followed[unit] = mark
            team.units[0], team.tally[SIZE] = unit, 1
            attempt(repair, lent, cells, units, NO_UNIT)
    for _ in range(most):
        if is_over(tally, end):
            break
        seed = some_late_unit(repair, lent, cells, units, order)
        if seed != NO_UNIT:
            gather(repair, lent, cells, units, seed)
            attempt(repair, lent, cells, units, order[0])
    return tally[EXPANSIONS] - began


@inlined
def is_over(tally: Any, end: int) -> bool:
    """Is the budget used up?"""
    return tally[EXPANSIONS] >= tally[LIMIT] or (end != NEVER and now() >= end) or interrupted()


@inlined
def some_late_unit(repair: Any, world: Any, arena: Any, units: Any, order: Any) -> Int:
    """Return a random unit that others delay; NO_UNIT if none of a few is late."""
    team = repair.team
    for _ in range(LOOKS):
        unit = order[chance(team, len(order))]
        assess(repair, world, arena, units, unit)
        if team.costing[unit] > team.best[unit]:
            return unit
    return NO_UNIT


@inlined
def chance(team: Any, count: Int) -> Int:
    """Return a random number below `count`, the same in every run: Lehmer's generator."""
    team.tally[RANDOM] = team.tally[RANDOM] * 48271 % 2147483647
    return team.tally[RANDOM] % count


@compiled
def assess(repair: Any, world: Any, arena: Any, units: Any, unit: Int) -> None:
    """Compute the cost of a unit's plan, and the cost if it were alone."""
    window, team = repair.window, repair.team
    if team.assessed[unit] == team.tally[ROUND]:
        return
    team.assessed[unit] = team.tally[ROUND]
    aim = aim_of(repair, world, arena, units, unit)
    own, scale, cost, state = without_streams(world), finer(world), 0, place(window, unit, 0)
    team.best[unit] = outlook(aim, state)
    for time in range(1, window.clock[AHEAD] + 1):
        successor = place(window, unit, time)
        price = 0 if successor == state else scale * max(0, price_of(own, state, successor))
        cost += cost_of_step(aim, state, successor, price)
        state = successor
    team.costing[unit] = cost + outlook(aim, state)


@compiled
def gather(repair: Any, world: Any, arena: Any, units: Any, seed: Int) -> None:
    """Form a team: a unit, and those that it would meet if it left its plan at some time and went straight ahead."""
    window, team = repair.window, repair.team
    aim = aim_of(repair, world, arena, units, seed)
    own = without_streams(world)
    team.units[0], team.tally[SIZE] = seed, 1
    time = chance(team, window.clock[AHEAD])
    state = place(window, seed, time)
    while time < window.clock[AHEAD] and team.tally[SIZE] < TEAM and state != aim.goal:
        time += 1
        at = on_path(aim, state)
        best = aim.cells[at + 1] if OFF_PATH < at < aim.last else nearest(team, own, aim, state)
        other = in_the_way(window, state, best, time, occupant(window, state, time))
        if other != NO_UNIT:
            join(team, other)
        state = best


@inlined
def nearest(team: Any, world: Any, aim: Any, state: Int) -> Int:
    """Return the neighbour nearest to the goal; any among equals."""
    best, least = state, outlook(aim, state)
    for given, price in successors(world, state):
        successor = number_of(world, given, state, price)
        if successor == NO_STATE:
            break
        value = outlook(aim, successor)
        if value < least or (value == least and chance(team, 2)):
            best, least = successor, value
    return best


@inlined
def join(team: Any, unit: Int) -> None:
    """Add a unit at a random place: the first to plan has the best choice."""
    for i in range(team.tally[SIZE]):
        if team.units[i] == unit:
            return
    place_of_it = chance(team, team.tally[SIZE] + 1)
    team.units[team.tally[SIZE]] = team.units[place_of_it]
    team.units[place_of_it] = unit
    team.tally[SIZE] += 1


@compiled
def attempt(repair: Any, world: Any, arena: Any, units: Any, first: Int) -> None:
    """Replan a team; keep the result if neither the sum of costs nor the cost of `first` is higher."""
    window, team = repair.window, repair.team
    old, floor, total = 0, 0, 0
    for i in range(team.tally[SIZE]):
        assess(repair, world, arena, units, team.units[i])
        old += team.costing[team.units[i]]
        floor += team.best[team.units[i]]
        take_back(window, team, i)
    for i in range(team.tally[SIZE]):
        unit = team.units[i]
        floor -= team.best[unit]
        limit = old - total - floor
        if unit == first:
            limit = min(limit, team.costing[unit])
        aim = aim_of(repair, world, arena, units, unit)
        node = find_detour(world, window, repair.nodes, aim, unit, limit)
        if node == NONE_FOUND:
            put_back(window, team, i)
            return
        team.costs[i] = repair.nodes.g[node] + outlook(aim, repair.nodes.state[node])
        total += team.costs[i]
        lay(window, repair.nodes, unit, node)
    for i in range(team.tally[SIZE]):
        team.costing[team.units[i]] = team.costs[i]


@inlined
def take_back(window: Any, team: Any, i: Int) -> None:
    """Save the plan of the i-th unit of a team, and free its reservations."""
    unit = team.units[i]
    for time in range(1, window.clock[AHEAD] + 1):
        team.before[i * window.slots + time] = place(window, unit, time)
        release(window, unit, time)


@inlined
def put_back(window: Any, team: Any, planned: Int) -> None:
    """Restore the old plans; the first `planned` units had a new one."""
    for i in range(planned):
        for time in range(1, window.clock[AHEAD] + 1):
            release(window, team.units[i], time)
    for i in range(team.tally[SIZE]):
        for time in range(1, window.clock[AHEAD] + 1):
            reserve(window, team.units[i], time, team.before[i * window.slots + time])


@inlined
def lay(window: Any, nodes: Any, unit: Int, node: Int) -> None:
    """Reserve the path that ends in a node."""
    for time in range(window.clock[AHEAD], 0, -1):
        reserve(window, unit, time, nodes.state[node])
        node = nodes.parent[node]
