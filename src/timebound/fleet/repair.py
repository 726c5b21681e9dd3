"""Repair: the next few steps of all units are planned together, and made better while there is time.

The plan is what pushing would do, step after step (see `moving`). A repair takes the plans of a few units away, one
that is late and those in its way, and looks for new ones, one after the other, against the plans of all others. If the
sum is no worse, they are kept: large neighbourhood search (MAPF-LNS: Li, Chen, Harabor, Stuckey, Koenig 2021) in a
window that moves on with the units (WPPL: Jiang, Zhang, Veerapaneni, Li 2024).
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, compiled, inlined
from ..integers import Int
from ..search.clock import NEVER, now
from ..search.interrupts import interrupted
from ..worlds.interface import NO_STATE, number_of, successors
from ..worlds.moves import IMPOSSIBLE, price_of
from .detours import EXPANSIONS, NONE_FOUND, Nodes, aim_of, cost_of_step, find_detour, new_nodes, outlook
from .moving import PUSH, Moves, comes_back, decide, make_wish, new_moves, put_wish, resolve_all
from .streams import finer, without_streams
from .window import AHEAD, NO_UNIT, NOTHING, NOW, Window, in_the_way, new_window, place, release, reserve

TEAM = 8
LOOKS = 4  # for a unit that is late
_GROWTH = 2  # steps that are planned in a tick, at most; one of them is made

class Team(NamedTuple):
    """The units that a repair is about, and what is known of all."""

    units: np.ndarray
    before: np.ndarray  # the plans that they had
    costs: np.ndarray  # what they would cost now
    costing: np.ndarray  # of every unit: what its plan costs
    best: np.ndarray  # and what it would, if it were alone
    assessed: np.ndarray  # the round in which that was found
    searches: np.ndarray  # how many it had made when its steps were planned
    tally: np.ndarray  # see below


SIZE, ROUND, RANDOM = range(3)  # of the team; how often there were repairs; the latest random number


def new_team(units: int, steps: int) -> Team:
    """Nobody is in it."""
    costing, best, assessed, searches = (np.zeros(units, np.int64) for _ in range(4))
    chosen, before, costs = (np.zeros(size, np.int64) for size in (TEAM, TEAM * (steps + 1), TEAM))
    return Team(chosen, before, costs, costing, best, assessed, searches, np.array([0, 0, 1], np.int64))


class Repair(NamedTuple):
    """The plan of the next steps, and what is needed to make it and to make it better."""

    window: Window
    far: Moves  # moves at the end of the window
    nodes: Nodes
    team: Team
    waiting: int  # the cost of a tick
    leaving: int  # what it costs to leave one's path


class NoRepair(NamedTuple):
    """Units move as they are pushed, one step at a time."""

    tag: int = 0


def new_repair(units: int, steps: int, here: np.ndarray, there: np.ndarray, waiting: int, leaving: int) -> Repair:
    """For so many units, and so many steps ahead."""
    far, team = new_moves(units, here, there), new_team(units, steps)
    return Repair(new_window(units, steps), far, new_nodes(), team, waiting, leaving)


# ------------------------------------------------------------------ the plan is followed, and goes on


@decide.of(Repair)
def _decide(repair: Any, world: Any, mode: int, arena: Any, rows: np.ndarray, order: np.ndarray, moves: Any) -> None:
    """Everybody does what is planned."""
    window, units = repair.window, borrow(rows)
    if window.clock[AHEAD] <= 0:
        extend(repair, world, arena, rows, order)
    for i in range(len(order)):
        unit = order[i]
        row = units[unit]
        if row.length and arena.cells[row.path + row.at] != row.position:  # beside its path
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
                if time == 0:
                    row.at = i
                return True
    return False


@compiled
def extend(repair: Any, world: Any, arena: Any, rows: np.ndarray, order: np.ndarray) -> None:
    """Plan one step more, as units push each other."""
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
    """Write down where everybody is."""
    window.clock[AHEAD] = 0
    for i in range(len(order)):
        reserve(window, order[i], 0, units[order[i]].position)


@inlined
def wish_later(world: Any, arena: Any, units: Any, far: Any, unit: Int, state: Int, time: Int) -> None:
    """Where a unit wants to go from where it will be: along its path, or back to it."""
    row = units[unit]
    at, wish = row.length, (state if row.length == 0 and state == row.position else NO_STATE)
    for i in range(row.at, min(row.length, row.at + time + 1)):
        if arena.cells[row.path + i] == state:
            at = i
    if at + 1 < row.length:
        wish = arena.cells[row.path + at + 1]
        if price_of(world, state, wish) == IMPOSSIBLE and not (row.buried and time == 0):
            at, wish = row.length, NO_STATE
    elif state == row.goal:
        wish = state
    put_wish(far, unit, state, at, wish)


@compiled
def discard(repair: Any, rows: np.ndarray) -> None:
    """Nothing is planned any more: units have come, or the world is another one."""
    window = repair.window
    for i in range(len(window.chains)):
        window.chains[i] = 0
    window.clock[AHEAD] = NOTHING


# ------------------------------------------------------------------ repairs


@compiled
def repair_all(
    given: Any, world: Any, arena: Any, rows: np.ndarray, order: np.ndarray, most: int, expansions: int, end: int
) -> tuple[int, int]:
    """Make the plan longer, then better: at most so many attempts. Return how many were of use, and the expansions."""
    repair, lent, cells, units = borrow(given), borrow(world), borrow(arena), borrow(rows)
    nodes, team = repair.nodes, repair.team
    window, began, better = repair.window, nodes.tally[EXPANSIONS], 0
    if len(order) == 0:
        return 0, 0
    for _ in range(_GROWTH):
        if window.clock[AHEAD] + 1 < window.slots:
            extend(repair, lent, cells, rows, order)
    team.tally[ROUND] += 1
    for i in range(len(order)):  # those who have another path than when their steps were planned
        unit = order[i]
        if team.searches[unit] != units[unit].searches:
            if is_over(nodes.tally[EXPANSIONS] - began, expansions, end):
                break
            team.searches[unit] = units[unit].searches
            team.units[0], team.tally[SIZE] = unit, 1
            attempt(repair, lent, cells, units, NO_UNIT)
    for _ in range(most):
        if is_over(nodes.tally[EXPANSIONS] - began, expansions, end):
            break
        seed = some_late_unit(repair, lent, cells, units, order)
        if seed != NO_UNIT:
            gather(repair, lent, cells, units, seed)
            better += attempt(repair, lent, cells, units, order[0])
    return better, nodes.tally[EXPANSIONS] - began


@inlined
def is_over(spent: int, expansions: int, end: int) -> bool:
    """Is the budget used up?"""
    return spent >= expansions or (end != NEVER and now() >= end) or interrupted()


@inlined
def some_late_unit(repair: Any, world: Any, arena: Any, units: Any, order: Any) -> Int:
    """One that others delay, by chance; NO_UNIT if a few are looked at and none is late."""
    team = repair.team
    for _ in range(LOOKS):
        unit = order[chance(team, len(order))]
        assess(repair, world, arena, units, unit)
        if team.costing[unit] > team.best[unit]:
            return unit
    return NO_UNIT


@inlined
def chance(team: Any, count: Int) -> Int:
    """A number below `count`, the same in every run: Lehmer's generator."""
    team.tally[RANDOM] = team.tally[RANDOM] * 48271 % 2147483647
    return team.tally[RANDOM] % count


@compiled
def assess(repair: Any, world: Any, arena: Any, units: Any, unit: Int) -> None:
    """What the plan of a unit costs, and what it would if it were alone."""
    window, team = repair.window, repair.team
    if team.assessed[unit] == team.tally[ROUND]:
        return
    team.assessed[unit] = team.tally[ROUND]
    aim = aim_of(world, arena, units, unit, window.clock[AHEAD], repair.waiting, repair.leaving)
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
    """A team: a unit, and those whom it would meet if it went straight on from some time of its plan."""
    window, team = repair.window, repair.team
    aim = aim_of(world, arena, units, seed, window.clock[AHEAD], repair.waiting, repair.leaving)
    own = without_streams(world)
    team.units[0], team.tally[SIZE] = seed, 1
    time = chance(team, window.clock[AHEAD])
    state = place(window, seed, time)
    while time < window.clock[AHEAD] and team.tally[SIZE] < TEAM and state != aim.goal:
        time += 1
        best, least = state, outlook(aim, state)
        for given, price in successors(own, state):
            successor = number_of(own, given, state, price)
            if successor == NO_STATE:
                break
            value = outlook(aim, successor)
            if value < least or (value == least and chance(team, 2)):
                best, least = successor, value
        other = in_the_way(window, state, best, time)
        if other != NO_UNIT:
            join(team, other)
        state = best


@inlined
def join(team: Any, unit: Int) -> None:
    """One more, at a place by chance: who plans first has the best choice."""
    for i in range(team.tally[SIZE]):
        if team.units[i] == unit:
            return
    i = chance(team, team.tally[SIZE] + 1)
    team.units[team.tally[SIZE]] = team.units[i]
    team.units[i] = unit
    team.tally[SIZE] += 1


@compiled
def attempt(repair: Any, world: Any, arena: Any, units: Any, first: Int) -> bool:
    """Plan anew for a team; keep that if the sum of costs is no higher, and `first` has no disadvantage. Is it lower?"""
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
        aim = aim_of(world, arena, units, unit, window.clock[AHEAD], repair.waiting, repair.leaving)
        node = find_detour(world, window, repair.nodes, aim, unit, limit)
        if node == NONE_FOUND:
            put_back(window, team, i)
            return False
        team.costs[i] = repair.nodes.g[node] + outlook(aim, repair.nodes.state[node])
        total += team.costs[i]
        lay(window, repair.nodes, unit, node)
    for i in range(team.tally[SIZE]):
        team.costing[team.units[i]] = team.costs[i]
    return total < old


@inlined
def take_back(window: Any, team: Any, i: Int) -> None:
    """Remember the plan of the i-th of a team, and free what it has reserved."""
    unit = team.units[i]
    for time in range(1, window.clock[AHEAD] + 1):
        team.before[i * window.slots + time] = place(window, unit, time)
        release(window, unit, time)


@inlined
def put_back(window: Any, team: Any, planned: Int) -> None:
    """Everybody has its plan again; so many had another one."""
    for i in range(planned):
        for time in range(1, window.clock[AHEAD] + 1):
            release(window, team.units[i], time)
    for i in range(team.tally[SIZE]):
        for time in range(1, window.clock[AHEAD] + 1):
            reserve(window, team.units[i], time, team.before[i * window.slots + time])


@inlined
def lay(window: Any, nodes: Any, unit: Int, node: Int) -> None:
    """Reserve the way that ends in a node."""
    for time in range(window.clock[AHEAD], 0, -1):
        reserve(window, unit, time, nodes.state[node])
        node = nodes.parent[node]
