"""D* Lite (Koenig and Likhachev 2002): one backward search, repaired when the agent learns something.

This is the optimised version of that paper (its Figure 4), with the key modifier k_m: when the agent moves, the keys in
the queue are not lowered, later ones are raised. rhs is a look one step ahead of g; a state whose two values differ is
inconsistent, and exactly the inconsistent states are in the queue.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, borrow_field, compiled, inlined, mutable, resized
from ..integers import Int
from ..knowledge import News
from ..search.clock import NEVER, virtual_ns
from ..search.heap import rise, sink
from ..search.interrupts import cut_short
from ..search.listener import CLOSE, EXPAND, GENERATE, LOSE, SEARCH
from ..search.open_list import Entry
from ..worlds.interface import NO_STATE, aimed, heuristic, number_of, predecessors, successors, tell
from .body import NOWHERE, UNREACHABLE, bytes_used, decide, path_ahead, states_kept

INFINITE = 1 << 60
ABSENT = -1  # the first key of a state that is not in the queue
GLANCE = 4  # expansions between two looks at the clock

# A state that was never visited has g = rhs = infinity and is not in the queue. `seen` tells: it is the search's number
# if the state was visited. So the memory may be new, all zeros, or may have served searches of lower numbers.
VERTEX = np.dtype([("g", np.int64), ("rhs", np.int64), ("key", np.int64), ("second", np.int64), ("seen", np.int64)])

VERTEX_BYTES = VERTEX.itemsize
RUNNING, DONE, CROWDED = 0, 1, 2

Repair = mutable(
    __name__,
    "Repair",
    [
        "vertices",
        "number",  # of the search, above 0: a vertex that was seen by another one is as if it was never visited
        "heap",
        "queue",
        "modifier",  # k_m
        "last",  # where the agent was when k_m last changed
        "confluence",  # no state of the world has more predecessors
        "expansions",
        "generated",
    ],
)


class Queue(NamedTuple):
    """The value of the priority queue, a heap in which outdated entries stay until they surface."""

    size: int
    pushes: int


class DStarLite(NamedTuple):
    """How D* Lite decides."""

    weight: int  # of the heuristic in the keys


@compiled
def new_repair(vertices: np.ndarray, number: int, heap: np.ndarray, start: Int, confluence: int) -> Any:
    """A search that has not begun. The vertices may have served others, whose numbers were below `number`."""
    return Repair(vertices, number, heap, Queue(0, 0), 0, start, confluence, 0, 0)


@bytes_used.of(DStarLite)
def _bytes_used(control: Any, body: Any) -> int:
    return states_kept(control, body) * VERTEX_BYTES + body.search.queue.size * body.search.heap.itemsize


@states_kept.of(DStarLite)
def _states_kept(control: Any, body: Any) -> int:
    return min(body.search.generated + 1, len(body.search.vertices))  # at most


@path_ahead.of(DStarLite)
def _path_ahead(control: Any, body: Any) -> np.ndarray:
    return way_down(body)


@decide.of(DStarLite)
def move_on(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """Procedure Main: repair the search, then step to the neighbour from which the goal is cheapest."""
    search, toward = body.search, aimed(borrow_field(body, "world"), body.position)
    before, pushes, modifier, last = search.expansions, search.queue.pushes, search.modifier, search.last
    search.modifier, search.last = modifier + heuristic(toward, last), body.position
    if pushes == 0:
        body.searches = 1
        tell(toward, SEARCH, body.goal, NO_STATE, 1, 1)
        owned = search.vertices
        vertex(borrow(owned), search.number, body.goal).rhs = 0
        correct(search, toward, body.goal)
    elif borrow_field(body, "news").count:
        body.searches += 1
    changed = borrow_field(body, "news").count > 0
    if changed:
        take_news(body, toward)
    outcome = compute_shortest_path(search, toward, body.position, expansions, deadline, virtual)
    if not changed and search.queue.pushes == pushes and search.expansions == before:
        # Nothing was to be done, so k_m need not rise: with every step its keys would tell less.
        search.modifier, search.last = modifier, last
    body.expansions += search.expansions - before
    body.searching = outcome != DONE
    if outcome == DONE:
        body.decision = downhill(search, borrow_field(body, "world"), body.position)
        if body.decision == NOWHERE:
            body.stop = UNREACHABLE


# ------------------------------------------------------------------ the search


@inlined
def vertex(vertices: Any, number: int, state: Int) -> Any:
    """What is remembered of a state, from its first visit by the search of that number on."""
    entry = vertices[state]
    if entry.seen != number:
        entry.g = INFINITE
        entry.rhs = INFINITE
        entry.key = ABSENT
        entry.seen = number
    return entry


@inlined
def update(vertices: Any, heap: Any, queue: Any, toward: Any, modifier: int, state: Int) -> Queue:
    """Procedure UpdateVertex: exactly the inconsistent states are in the queue. `toward` is aimed at the agent."""
    u = vertices[state]
    if u.g == u.rhs:
        u.key = ABSENT
        tell(toward, CLOSE if u.g < INFINITE else LOSE, state, NO_STATE, u.g, 0)
        return Queue(queue.size, queue.pushes)
    second, h = min(u.g, u.rhs), heuristic(toward, state)
    key = second + h + modifier
    if u.key == key and u.second == second:
        return Queue(queue.size, queue.pushes)
    u.key = key
    u.second = second
    pushes = queue.pushes + 1
    tell(toward, GENERATE, state, NO_STATE, second, h)
    return Queue(rise(heap, queue.size, Entry(key, -second, state, pushes)), pushes)


@inlined
def look_ahead(vertices: Any, number: int, world: Any, state: Int) -> int:
    """rhs from scratch: the least cost over all successors."""
    best = INFINITE
    for given, cost in successors(world, state):
        best = min(best, cost + vertex(vertices, number, number_of(world, given, state, cost)).g)
    return best


@compiled
def compute_shortest_path(search: Any, toward: Any, position: int, expansions: int, deadline: int, virtual: int) -> int:
    """Procedure ComputeShortestPath, within limits. `toward` is the world, aimed at the agent's position."""
    spent = virtual_ns(search.expansions, search.generated, search.queue.pushes)
    last_expansion = expansions + min(search.expansions, NEVER - expansions)
    virtual_end = virtual + min(spent, NEVER - virtual)
    while True:
        outcome = repair(search, toward, position, last_expansion, deadline, virtual_end)
        if outcome != CROWDED:
            return outcome
        search.heap = resized(search.heap, 2 * len(search.heap))


@compiled
def repair(search: Any, toward: Any, position: int, last_expansion: int, deadline: int, virtual_end: int) -> int:
    """Make states consistent, the first of the queue first, until the agent's own is."""
    vertices, heap, world = borrow_field(search, "vertices"), borrow_field(search, "heap"), borrow(toward)
    queue, modifier, room = search.queue, search.modifier, len(borrow_field(search, "heap")) - search.confluence - 2
    number, expansions, generated = search.number, search.expansions, search.generated
    here, outcome = vertex(vertices, number, position), RUNNING
    while outcome == RUNNING:
        while queue.size and outdated(vertices, heap[0]):
            queue = Queue(sink(heap, queue.size), queue.pushes)
        if queue.size == 0 or not (here.rhs > here.g or comes_before(heap[0], here, modifier)):
            outcome = DONE
            break
        if expansions >= last_expansion or virtual_ns(expansions, generated, queue.pushes) >= virtual_end:
            break
        if queue.size > room:
            outcome = CROWDED
            break
        state, key, second = np.int64(heap[0].state), heap[0].f, -heap[0].rank
        queue = Queue(sink(heap, queue.size), queue.pushes)
        u = vertices[state]
        u.key = ABSENT
        fresh = min(u.g, u.rhs)
        if second < fresh or key < fresh + heuristic(world, state) + modifier:  # the agent has moved since
            queue = update(vertices, heap, queue, world, modifier, state)
            continue
        expansions += 1
        old = u.g
        lower = old > u.rhs
        u.g = u.rhs if lower else INFINITE
        tell(world, EXPAND, state, NO_STATE, u.g, 0)
        if not lower:
            queue = update(vertices, heap, queue, world, modifier, state)
        for given, price in predecessors(world, state):
            generated += 1
            other = number_of(world, given, state, price)
            v = vertex(vertices, number, other)
            if lower:
                if price + u.g < v.rhs:  # cheaper than thought: so are those whose way now leads through it
                    v.rhs = price + u.g
                    queue = update(vertices, heap, queue, world, modifier, other)
            elif v.rhs == price + old and v.rhs > 0:  # dearer: so are those whose way led through it (not the goal)
                v.rhs = look_ahead(vertices, number, world, other)
                queue = update(vertices, heap, queue, world, modifier, other)
        if cut_short(expansions, GLANCE, deadline):
            break
    search.queue, search.expansions, search.generated = queue, expansions, generated
    return outcome


@inlined
def outdated(vertices: Any, entry: Any) -> bool:
    """Was the entry's state taken out of the queue, or given another key?"""
    u = vertices[entry.state]
    return u.key != entry.f or u.second != -entry.rank


@inlined
def comes_before(entry: Any, here: Any, modifier: int) -> bool:
    """Is the entry's key less than that of the agent's state, whose h is 0?"""
    second = min(here.g, here.rhs)
    return entry.f < second + modifier or (entry.f == second + modifier and -entry.rank < second)


@compiled
def correct(search: Any, toward: Any, state: Int) -> None:
    """UpdateVertex for a state whose rhs was changed from outside of the search."""
    if search.queue.size == len(search.heap):
        search.heap = resized(search.heap, 2 * len(search.heap))
    search.queue = update(
        borrow_field(search, "vertices"), borrow_field(search, "heap"), search.queue, toward, search.modifier, state
    )


@compiled
def take_news(body: Any, toward: Any) -> None:
    """Lines 39 to 45 of Main: correct rhs of the states whose moves changed."""
    search, news = body.search, body.news
    vertices, world = borrow_field(search, "vertices"), borrow(toward)
    for j in range(news.count):
        state = np.int64(news.states[j])
        if state != body.goal:
            vertex(vertices, search.number, state).rhs = look_ahead(vertices, search.number, world, state)
            correct(search, toward, state)
    body.news = News(news.states, 0, False)


# ------------------------------------------------------------------ the way down


@compiled
def downhill(search: Any, world: Any, state: Int) -> Int:
    """The successor from which the goal is cheapest, or NOWHERE if it cannot be reached (rhs is infinite)."""
    decision: Int
    vertices, lent, best, decision = borrow_field(search, "vertices"), borrow(world), INFINITE, NOWHERE
    for given, cost in successors(lent, state):
        successor = number_of(lent, given, state, cost)
        through = cost + vertex(vertices, search.number, successor).g
        if through < best:
            best, decision = through, successor
    return decision


@compiled
def way_down(body: Any) -> np.ndarray:
    """From the agent to the goal; empty if the search is not that far."""
    way, state, length = np.empty(64, np.int32), NOWHERE if body.searching else body.position, 0
    while state != NOWHERE and length <= len(body.order):
        if length == len(way):
            way = resized(way, 2 * length)
        way[length] = state
        length += 1
        if state == body.goal:
            return resized(way, length)
        state = downhill(body.search, borrow_field(body, "world"), state)
    return np.empty(0, np.int32)


@compiled
def vertices_reached(search: Any) -> np.ndarray:
    """The g of every state, -1 where it is infinite."""
    vertices = borrow_field(search, "vertices")
    costs = np.full(len(vertices), -1, np.int64)
    for state in range(len(costs)):
        if vertices[state].seen == search.number and vertices[state].g < INFINITE:
            costs[state] = vertices[state].g
    return costs
