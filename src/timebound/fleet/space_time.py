"""Space-time A*: a path for one unit through the next few steps of all others.

Cooperative A* in a window (WHCA*: Silver 2005): nodes are states at times, waiting is a move, and what others have
reserved is closed. Behind the window comes an estimate of the rest of the way (`outlook`).
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, inlined
from ..core.integers import Int
from ..search.heap import rise, sink
from ..search.learning import INFINITE, kept_number
from ..search.open_list import ENTRY, Entry
from ..worlds.interface import NO_STATE, aimed, heuristic, number_of, price_of, successors
from .guidance import finer, without_traffic
from .h_tables import HTable, hashed
from .reservations import AHEAD, Reservations, in_the_way, occupant, place
from .units import NO_UNIT

NONE_FOUND = -1
OFF_PATH = -1
SEEN = -1
MOST_STEPS = 63  # in a window
MOST_NODES = 512
_TIME_BITS = 6
_SEEN_BITS = 11  # `seen` has 2**_SEEN_BITS places, and is never more than a quarter full


class Nodes(NamedTuple):
    """Memory for one search after the other."""

    state: np.ndarray
    time: np.ndarray
    g: np.ndarray
    parent: np.ndarray
    heap: np.ndarray  # the open list: `Entry.state` is the number of a node
    seen: np.ndarray  # a hash table of states and times; entries of other searches are void
    seen_by: np.ndarray
    ahead: np.ndarray  # the costs of an aim: see there
    tally: np.ndarray  # see below


# The number of nodes, and of those on the heap; the number of the search; all expansions, and their limit.
COUNT, OPEN, SEARCH, EXPANSIONS, LIMIT = range(5)


def new_nodes() -> Nodes:
    """Make nodes before any search."""
    state, time, g, parent = (np.empty(MOST_NODES, np.int64) for _ in range(4))
    heap = np.empty(MOST_NODES, ENTRY)
    seen, seen_by = np.zeros(1 << _SEEN_BITS, np.int64), np.zeros(1 << _SEEN_BITS, np.int64)
    ahead, tally = np.zeros(MOST_STEPS + 1, np.int64), np.zeros(5, np.int64)
    return Nodes(state, time, g, parent, heap, seen, seen_by, ahead, tally)


# ------------------------------------------------------------------ what a unit wants


class Aim(NamedTuple):
    """What a unit wants: to end near its goal, and on its path if that makes no difference."""

    world: Any  # with its goal
    table: Any  # what it has learned
    cells: Any  # of the allocator: its path, from its position
    first: Int
    last: Int
    ahead: Any  # the cost to the goal along the path, from each of its states
    goal: Int
    astray: Int  # added off the path
    nearest: Int  # but not nearer to the goal than this: the path ends there
    waiting: Int  # the cost of a tick


@inlined
def estimate(world: Any, table: Any, state: Int) -> Int:
    """Return the cost from a state to the goal, as far as the unit knows."""
    return max(heuristic(world, state), kept_number(table, state))


@inlined
def aim_of(window: Any, step: Any, unit: Int) -> Aim:
    """Return what a unit wants from its position; valid until the next aim is made.

    Guidance may lead it along a path that is longer than the shortest. Off the path it adds the same detour, and
    a little more: otherwise it would leave every such path immediately.
    """
    allocator, row, ahead, waiting = step.allocator, step.units[unit], window.nodes.ahead, window.waiting
    toward, table = aimed(step.world, row.goal), HTable(allocator, step.units, unit)
    if row.length == 0:
        return Aim(toward, table, allocator.cells, 0, -1, ahead, row.goal, 0, 0, waiting)
    first, end = row.path + row.at, row.path + row.length - 1
    last = min(end, first + window.reservations.clock[AHEAD])
    beyond = estimate(toward, table, allocator.cells[end]) + (end - last) * waiting
    ahead[last - first] = beyond
    own, scale = without_traffic(step.world), finer(step.world)
    for i in range(last, first, -1):
        price = max(0, price_of(own, allocator.cells[i - 1], allocator.cells[i]))
        ahead[i - 1 - first] = ahead[i - first] + scale * price
    detour = ahead[0] - estimate(toward, table, row.position)
    astray, nearest = max(0, detour) + window.leaving, beyond if last == end else 0
    return Aim(toward, table, allocator.cells, first, last, ahead, row.goal, astray, nearest, waiting)


@inlined
def outlook(aim: Any, state: Int) -> Int:
    """Return the cost from a state to the goal: along the path, if the state is on it."""
    return outlook_at(aim, state, on_path(aim, state))


@inlined
def outlook_at(aim: Any, state: Int, at: Int) -> Int:
    """Return the same for a state at that place of the path."""
    if at != OFF_PATH:
        return aim.ahead[at - aim.first]
    h = estimate(aim.world, aim.table, state)
    return h + aim.astray if h >= aim.nearest else h


@inlined
def on_path(aim: Any, state: Int) -> Int:
    """Return the place of a state on the path, or OFF_PATH."""
    for i in range(aim.last, aim.first - 1, -1):
        if aim.cells[i] == state:
            return i
    return OFF_PATH


@inlined
def cost_of_step(aim: Any, state: Int, successor: Int, price: Int) -> Int:
    """Return the cost of a tick; at the goal it is 0."""
    if state != successor:
        return price
    return 0 if state == aim.goal else aim.waiting


# ------------------------------------------------------------------ the search


@compiled
def find_path(world: Any, reservations: Reservations, nodes: Any, aim: Any, unit: Int, limit: Int) -> Int:
    """Find the cheapest path for a unit that respects the plans of all others and costs at most `limit`.

    Return its last node, after all steps of the window; NONE_FOUND if there is none.
    """
    nodes.tally[SEARCH] += 1
    nodes.tally[COUNT] = nodes.tally[OPEN] = 0
    start, own, scale = place(reservations, unit, 0), without_traffic(world), finer(world)
    meet(nodes, aim, start, 0, 0, NONE_FOUND, limit)
    while nodes.tally[OPEN]:
        node = np.int64(nodes.heap[0].state)
        nodes.tally[OPEN] = sink(nodes.heap, nodes.tally[OPEN])
        state, time = nodes.state[node], nodes.time[node] + 1
        if time > reservations.clock[AHEAD]:
            return node
        if nodes.tally[EXPANSIONS] == nodes.tally[LIMIT]:
            break
        nodes.tally[EXPANSIONS] += 1
        follower = occupant(reservations, state, time)
        if follower == NO_UNIT:
            g = nodes.g[node] + cost_of_step(aim, state, state, 0)
            meet(nodes, aim, state, time, g, node, limit)
        for given, price in successors(own, state):
            successor = number_of(own, given, state, price)
            if successor == NO_STATE:
                break
            if in_the_way(reservations, successor, time, follower) == NO_UNIT:
                meet(nodes, aim, successor, time, nodes.g[node] + scale * price, node, limit)
    return NONE_FOUND


@inlined
def meet(nodes: Any, aim: Any, state: Int, time: Int, g: Int, parent: Int, limit: Int) -> None:
    """Put a state and time on the open list, if it is new and may lead to a path within the limit."""
    key, node = (state << _TIME_BITS) | time, nodes.tally[COUNT]
    slot = slot_of(nodes, key)
    if slot == SEEN or node == MOST_NODES:
        return
    at = on_path(aim, state)
    h = outlook_at(aim, state, at)
    if h >= INFINITE or g + h > limit:
        return
    nodes.seen[slot], nodes.seen_by[slot] = key, nodes.tally[SEARCH]
    nodes.tally[COUNT] += 1
    nodes.state[node], nodes.time[node], nodes.g[node], nodes.parent[node] = state, time, g, parent
    rank = 2 * time + (at != OFF_PATH)  # ties: later times first, then states on the path, then new nodes
    nodes.tally[OPEN] = rise(nodes.heap, nodes.tally[OPEN], Entry(g + h, rank, node, -node))


@inlined
def slot_of(nodes: Any, key: Int) -> Int:
    """Return where to note that this search has reached a state and time; SEEN if it already has."""
    i = hashed(key, _SEEN_BITS)
    while nodes.seen_by[i] == nodes.tally[SEARCH]:
        if nodes.seen[i] == key:
            return SEEN
        i = (i + 1) & ((1 << _SEEN_BITS) - 1)
    return i
