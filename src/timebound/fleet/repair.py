"""Repair: the next few steps of all units are planned together, and made better while there is time.

The plan is what pushing would do, step after step (see `moving`). A repair takes the plans of a few units away, one
that is late and those in its way, and looks for new ones, one after the other, against the plans of all others. If the
sum is no worse, they are kept: large neighbourhood search (MAPF-LNS: Li, Chen, Harabor, Stuckey, Koenig 2021) in a
window that moves on with the units (WPPL: Jiang, Zhang, Veerapaneni, Li 2024).
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, borrow_field, compiled, inlined, mutable
from ..integers import Int
from ..search.clock import NEVER, now
from ..search.interrupts import interrupted
from ..worlds.interface import NO_STATE, number_of, successors
from ..worlds.moves import IMPOSSIBLE, price_of
from .detours import NONE_FOUND, aim_of, cost_of_step, find_detour, new_nodes, outlook
from .moving import PUSH, decide, new_moves, put_wish, resolve_all
from .streams import finer, without_streams
from .units import ABSENT
from .window import NO_UNIT, NOTHING, in_the_way, new_window, place, release, reserve

TEAM = 8
_GROWTH = 2  # steps that are planned in a tick, at most; one of them is made

Team = mutable(
    __name__,
    "Team",
    [
        "units",
        "size",
        "before",  # the plans that they had
        "costs",  # what they would cost now
        "costing",  # of every unit: what its plan costs
        "best",  # and what it would, if it were alone
        "late",  # units that others delay
        "searches",  # how many each had when its plan was made
        "random",
    ],
)


class Repair(NamedTuple):
    """The plan of the next steps, and what is needed to make it and to make it better."""

    window: Any
    far: Any  # moves at the end of the window
    nodes: Any
    team: Any
    waiting: int  # the cost of a tick
    leaving: int  # what it costs to leave one's path


class NoRepair(NamedTuple):
    """Units move as they are pushed, one step at a time."""

    tag: int = 0


@compiled
def new_team(units: int, steps: int) -> Any:
    """Nobody is in it."""
    costing, best, late = np.zeros(units, np.int64), np.zeros(units, np.int64), np.empty(units, np.int64)
    before, searches = np.empty(TEAM * (steps + 1), np.int64), np.zeros(units, np.int64)
    return Team(np.empty(TEAM, np.int64), 0, before, np.empty(TEAM, np.int64), costing, best, late, searches, 1)


def new_repair(units: int, steps: int, here: np.ndarray, there: np.ndarray, waiting: int, leaving: int) -> Repair:
    """For so many units, and so many steps ahead."""
    far, team = new_moves(units, here, there), new_team(units, steps)
    return Repair(new_window(units, steps), far, new_nodes(), team, waiting, leaving)


# ------------------------------------------------------------------ the plan is followed, and goes on


@decide.of(Repair)
def _decide(repair: Any, world: Any, mode: int, arena: Any, rows: np.ndarray, order: np.ndarray, moves: Any) -> None:
    """Everybody does what is planned."""
    window = repair.window
    if window.ahead <= 0:
        extend(repair, world, arena, rows, order)
    for i in range(len(order)):
        unit = order[i]
        moves.following[unit] = place(window, unit, 1)
        release(window, unit, 0)
    window.now = (window.now + 1) % window.slots
    window.ahead -= 1


@compiled
def extend(repair: Any, world: Any, arena: Any, rows: np.ndarray, order: np.ndarray) -> None:
    """Plan one step more, as units push each other."""
    units, window, far = borrow(rows), repair.window, repair.far
    if window.ahead == NOTHING:
        begin(window, units, order)
    last = window.ahead
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
    window.ahead += 1


@inlined
def begin(window: Any, units: Any, order: Any) -> None:
    """Write down where everybody is."""
    window.ahead = 0
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
    window.ahead = NOTHING


# ------------------------------------------------------------------ repairs


@compiled
def repair_all(
    repair: Any, world: Any, arena: Any, rows: np.ndarray, order: np.ndarray, most: int, expansions: int, end: int
) -> tuple[int, int]:
    """Make the plan longer, then better: at most so many attempts. Return how many were of use, and the expansions."""
    lent, cells, units, nodes, team = borrow(world), borrow(arena), borrow(rows), repair.nodes, repair.team
    window, began, better = repair.window, nodes.expansions, 0
    if len(order) == 0:
        return 0, 0
    for _ in range(_GROWTH):
        if window.ahead + 1 < window.slots:
            extend(repair, lent, cells, rows, order)
    for i in range(len(order)):
        assess(repair, lent, cells, units, order[i])
    for i in range(len(order)):  # those who have another path than when their steps were planned
        if is_over(nodes.expansions - began, expansions, end):
            break
        unit = order[i]
        if team.searches[unit] != units[unit].searches:
            team.searches[unit] = units[unit].searches
            team.units[0], team.size = unit, 1
            attempt(repair, lent, cells, units, NO_UNIT)
    late = 0
    for i in range(len(order)):
        if team.costing[order[i]] > team.best[order[i]]:
            team.late[late] = order[i]
            late += 1
    for _ in range(most if late else 0):
        if is_over(nodes.expansions - began, expansions, end):
            break
        seed = team.late[chance(team, late)]
        if team.costing[seed] > team.best[seed]:
            gather(repair, lent, cells, units, seed)
            better += attempt(repair, lent, cells, units, order[0])
    return better, nodes.expansions - began


@inlined
def is_over(spent: int, expansions: int, end: int) -> bool:
    """Is the budget used up?"""
    return spent >= expansions or (end != NEVER and now() >= end) or interrupted()


@inlined
def chance(team: Any, count: Int) -> Int:
    """A number below `count`, the same in every run: Lehmer's generator."""
    team.random = team.random * 48271 % 2147483647
    return team.random % count


@compiled
def assess(repair: Any, world: Any, arena: Any, units: Any, unit: Int) -> None:
    """What the plan of a unit costs, and what it would if it were alone."""
    window, team = repair.window, repair.team
    aim = aim_of(world, arena, units, unit, window.ahead, repair.waiting, repair.leaving)
    own, scale, cost, state = without_streams(world), finer(world), 0, place(window, unit, 0)
    team.best[unit] = outlook(aim, state)
    for time in range(1, window.ahead + 1):
        successor = place(window, unit, time)
        price = 0 if successor == state else scale * max(0, price_of(own, state, successor))
        cost += cost_of_step(aim, state, successor, price)
        state = successor
    team.costing[unit] = cost + outlook(aim, state)


@compiled
def gather(repair: Any, world: Any, arena: Any, units: Any, seed: Int) -> None:
    """A team: a unit, and those whom it would meet if it went straight on from some time of its plan."""
    window, team = repair.window, repair.team
    aim = aim_of(world, arena, units, seed, window.ahead, repair.waiting, repair.leaving)
    own = without_streams(world)
    team.units[0], team.size = seed, 1
    time = chance(team, window.ahead)
    state = place(window, seed, time)
    while time < window.ahead and team.size < TEAM and state != aim.goal:
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
    for i in range(team.size):
        if team.units[i] == unit:
            return
    i = chance(team, team.size + 1)
    team.units[team.size] = team.units[i]
    team.units[i] = unit
    team.size += 1


@compiled
def attempt(repair: Any, world: Any, arena: Any, units: Any, first: Int) -> bool:
    """Plan anew for a team; keep that if the sum of costs is no higher, and `first` has no disadvantage. Is it lower?"""
    window, team = repair.window, repair.team
    old, floor, total = 0, 0, 0
    for i in range(team.size):
        old += team.costing[team.units[i]]
        floor += team.best[team.units[i]]
        take_back(window, team, i)
    for i in range(team.size):
        unit = team.units[i]
        floor -= team.best[unit]
        limit = old - total - floor
        if unit == first:
            limit = min(limit, team.costing[unit])
        aim = aim_of(world, arena, units, unit, window.ahead, repair.waiting, repair.leaving)
        node = find_detour(world, window, repair.nodes, aim, unit, limit)
        if node == NONE_FOUND:
            put_back(window, team, i)
            return False
        team.costs[i] = repair.nodes.g[node] + outlook(aim, repair.nodes.state[node])
        total += team.costs[i]
        lay(window, repair.nodes, unit, node)
    for i in range(team.size):
        team.costing[team.units[i]] = team.costs[i]
    return total < old


@inlined
def take_back(window: Any, team: Any, i: Int) -> None:
    """Remember the plan of the i-th of a team, and free what it has reserved."""
    unit = team.units[i]
    for time in range(1, window.ahead + 1):
        team.before[i * window.slots + time] = place(window, unit, time)
        release(window, unit, time)


@inlined
def put_back(window: Any, team: Any, planned: Int) -> None:
    """Everybody has its plan again; so many had another one."""
    for i in range(planned):
        for time in range(1, window.ahead + 1):
            release(window, team.units[i], time)
    for i in range(team.size):
        for time in range(1, window.ahead + 1):
            reserve(window, team.units[i], time, team.before[i * window.slots + time])


@inlined
def lay(window: Any, nodes: Any, unit: Int, node: Int) -> None:
    """Reserve the way that ends in a node."""
    for time in range(window.ahead, 0, -1):
        reserve(window, unit, time, nodes.state[node])
        node = nodes.parent[node]
