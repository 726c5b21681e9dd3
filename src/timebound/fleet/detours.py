"""A path for one unit through the next few steps of all others: A* over states and times."""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, inlined
from ..core.integers import Int
from ..search.learning import INFINITE, kept_number
from ..worlds.interface import NO_STATE, aimed, heuristic, number_of, successors
from ..worlds.moves import price_of
from .streams import finer, without_streams
from .tables import Table
from .window import AHEAD, NO_UNIT, in_the_way, occupant, place

NONE_FOUND = -1
OFF_PATH = -1
SEEN = -1
MOST_STEPS = 63  # in a window
MOST_NODES = 512
_NODE_BITS, _TIME_BITS = 9, 6
_SEEN_BITS = 11  # `seen` has 2**_SEEN_BITS places, and is never more than a quarter full
_MIX = 2654435761  # Knuth's multiplicative hash


class Nodes(NamedTuple):
    """Memory for one search after the other."""

    state: np.ndarray
    time: np.ndarray
    g: np.ndarray
    parent: np.ndarray
    heap: np.ndarray  # one number per entry: f, then later times first, then states on the path first, then the node
    seen: np.ndarray  # a hash table of states and times; entries of other searches are void
    seen_by: np.ndarray
    ahead: np.ndarray  # the costs of an aim: see there
    tally: np.ndarray  # see below


# The number of nodes, and of those on the heap; the number of the search; all expansions, and their limit.
COUNT, OPEN, SEARCH, EXPANSIONS, LIMIT = range(5)


def new_nodes() -> Nodes:
    """Make nodes before any search."""
    state, time, g, parent, heap = (np.empty(MOST_NODES, np.int64) for _ in range(5))
    seen, seen_by = np.zeros(1 << _SEEN_BITS, np.int64), np.zeros(1 << _SEEN_BITS, np.int64)
    ahead, tally = np.zeros(MOST_STEPS + 1, np.int64), np.zeros(5, np.int64)
    return Nodes(state, time, g, parent, heap, seen, seen_by, ahead, tally)


# ------------------------------------------------------------------ what a unit wants


class Aim(NamedTuple):
    """What a unit wants: to end near its goal, and on its path if that makes no difference."""

    world: Any  # with its goal
    table: Any  # what it has learned
    cells: Any  # of the arena: its path, from its position
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
def aim_of(repair: Any, world: Any, arena: Any, units: Any, unit: Int) -> Aim:
    """Return what a unit wants from its position; valid until the next aim is made.

    Guidance may lead it along a path that is longer than the shortest. Off the path it adds the same detour, and
    a little more: otherwise it would leave every such path immediately.
    """
    row, ahead, waiting = units[unit], repair.nodes.ahead, repair.waiting
    toward, table = aimed(world, row.goal), Table(arena, units, unit)
    if row.length == 0:
        return Aim(toward, table, arena.cells, 0, -1, ahead, row.goal, 0, 0, waiting)
    first, end = row.path + row.at, row.path + row.length - 1
    last = min(end, first + repair.window.clock[AHEAD])
    beyond = estimate(toward, table, arena.cells[end]) + (end - last) * waiting
    ahead[last - first] = beyond
    own, scale = without_streams(world), finer(world)
    for i in range(last, first, -1):
        price = max(0, price_of(own, arena.cells[i - 1], arena.cells[i]))
        ahead[i - 1 - first] = ahead[i - first] + scale * price
    detour = ahead[0] - estimate(toward, table, row.position)
    astray, nearest = max(0, detour) + repair.leaving, beyond if last == end else 0
    return Aim(toward, table, arena.cells, first, last, ahead, row.goal, astray, nearest, waiting)


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
def find_detour(world: Any, window: Any, nodes: Any, aim: Any, unit: Int, limit: Int) -> Int:
    """Find the cheapest path for a unit that respects the plans of all others and costs at most `limit`.

    Return its last node, after all steps of the window; NONE_FOUND if there is none.
    """
    nodes.tally[SEARCH] += 1
    nodes.tally[COUNT] = nodes.tally[OPEN] = 0
    start, own, scale = place(window, unit, 0), without_streams(world), finer(world)
    least = outlook(aim, start)
    meet(nodes, aim, start, 0, 0, NONE_FOUND, limit, least)
    while nodes.tally[OPEN]:
        node = pop(nodes)
        state, time = nodes.state[node], nodes.time[node] + 1
        if time > window.clock[AHEAD]:
            return node
        if nodes.tally[EXPANSIONS] == nodes.tally[LIMIT]:
            break
        nodes.tally[EXPANSIONS] += 1
        follower = occupant(window, state, time)
        if follower == NO_UNIT:
            g = nodes.g[node] + cost_of_step(aim, state, state, 0)
            meet(nodes, aim, state, time, g, node, limit, least)
        for given, price in successors(own, state):
            successor = number_of(own, given, state, price)
            if successor == NO_STATE:
                break
            if in_the_way(window, state, successor, time, follower) == NO_UNIT:
                meet(nodes, aim, successor, time, nodes.g[node] + scale * price, node, limit, least)
    return NONE_FOUND


@inlined
def meet(nodes: Any, aim: Any, state: Int, time: Int, g: Int, parent: Int, limit: Int, least: Int) -> None:
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
    late, young = MOST_STEPS - time, MOST_NODES - 1 - node
    tie = (late << 1) | (at == OFF_PATH)
    push(nodes, ((((g + h - least) << (_TIME_BITS + 1)) | tie) << _NODE_BITS) | young)


@inlined
def slot_of(nodes: Any, key: Int) -> Int:
    """Return where to note that this search has reached a state and time; SEEN if it already has."""
    i = ((key * _MIX) & 0xFFFFFFFF) >> (32 - _SEEN_BITS)
    while nodes.seen_by[i] == nodes.tally[SEARCH]:
        if nodes.seen[i] == key:
            return SEEN
        i = (i + 1) & ((1 << _SEEN_BITS) - 1)
    return i


@inlined
def push(nodes: Any, key: Int) -> None:
    """Push onto the heap."""
    heap, i = nodes.heap, nodes.tally[OPEN]
    nodes.tally[OPEN] += 1
    while i > 0 and key < heap[(i - 1) >> 1]:
        heap[i] = heap[(i - 1) >> 1]
        i = (i - 1) >> 1
    heap[i] = key


@inlined
def pop(nodes: Any) -> Int:
    """Pop the node with the least f; the latest among equals."""
    heap, first = nodes.heap, nodes.heap[0]
    nodes.tally[OPEN] -= 1
    size, i = nodes.tally[OPEN], 0
    key = heap[size]
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if key <= heap[child]:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = key
    return MOST_NODES - 1 - (first & (MOST_NODES - 1))
