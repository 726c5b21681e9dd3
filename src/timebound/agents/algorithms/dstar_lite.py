"""D* Lite (Koenig and Likhachev 2002): one backward search, repaired when the agent observes a change.

This is the optimised version of that paper (its Figure 4), with the key modifier k_m: when the agent moves, the keys in
the queue are not lowered; later keys are raised instead. rhs is a one-step lookahead of g; a state whose two values
differ is inconsistent, and exactly the inconsistent states are in the queue.

Between states with the same first key, that paper takes the one with the smaller min(g, rhs). The first search then
expands every state that may be on a cheapest path, which on an empty map are nearly all between goal and agent. With
`larger_g`, it takes first those that became more expensive, then the one with the largest rhs, as A* does here.

    Figure 4   CalculateKey                        update: the key
               Initialize                          begin_repair
               UpdateVertex                        update
               ComputeShortestPath: its condition  comes_before, and the loop of `repair`
                   k_old < k_new                   repair: the agent has moved since
                   g(u) > rhs(u), or not           repair: lower, or not lower with look_ahead
               Main: the next move                 _look, take_course: downhill
                   k_m := k_m + h(s_last, s)       _look: the modifier
                   for all changed edges           correct_news
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow, borrow_field, compiled, inlined, making, resized, struct
from ...compiled.clock import NEVER, virtual_ns
from ...compiled.interrupts import cut_short
from ...core.integers import Int
from ...core.memory import untouched
from ...search.budget import Allowance
from ...search.heap import rise, sink
from ...search.listener import CLOSE, EXPAND, GENERATE, LOSE, SEARCH
from ...search.open_list import ENTRY, FIRST, NOBODY, Entry, before
from ...search.orders import ENTRIES, in_turn
from ...search.types import VERTEX
from ...worlds.interface import NO_STATE, aimed, heuristic, number_of, predecessors, successors, tell
from ..body import Body
from ..journey import NOWHERE, UNREACHABLE, forget_news
from ..parameters import Parameter, a_flag
from ..parts import Part, Setting, needs_any_goal, needs_positive_costs
from ..roles import Parts, Size, look, path_ahead, search_costs, search_size, take_news

# ------------------------------------------------------------------ what is remembered about a state


INFINITE = 1 << 60
ABSENT = -1  # the first key of a state that is not in the queue
# An unvisited state has g = rhs = infinity and is not in the queue. `seen` is the search's number if the state was
# visited. So the memory may be new, all zeros, or may come from searches with lower numbers.
VERTEX_BYTES = VERTEX.itemsize


@inlined
def vertex(vertices: Any, number: int, state: Int) -> Any:
    """Return what is remembered about a state, from its first visit by the search with that number on."""
    entry = vertices[state]
    if entry.seen != number:
        entry.g = INFINITE
        entry.rhs = INFINITE
        entry.key = ABSENT
        entry.seen = number
    return entry


# ------------------------------------------------------------------ the search


GLANCE = 4  # expansions between two looks at the clock

RUNNING, DONE, CROWDED = 0, 1, 2


@struct
class Repairs:
    """A backward search that is repaired."""

    vertices: np.ndarray
    number: Int  # of the search, above 0: vertices seen by other searches count as unvisited
    heap: np.ndarray
    queue: Any
    rules: Any
    last: Int  # where the agent was when k_m last changed
    most_predecessors: Int  # the most predecessors of a state
    expansions: Int
    generated: Int
    course: Any


class Course(NamedTuple):
    """The beginning of the path that the agent follows, and what it cost when it was found.

    It tells whether a repair has changed the path, so that nobody needs to trace the path after every repair.
    """

    here: Int
    following: Int
    after: Int
    cost: int
    """From `here` to the goal."""
    left: int
    """From `following` to the goal."""


class Queue(NamedTuple):
    """The value of the priority queue, a heap in which stale entries stay until they surface."""

    size: int
    pushes: int


new_repairs = making(Repairs)


@compiled
def begin_repair(search: Any, toward: Any, goal: Int) -> None:
    """Procedure Initialize: the goal is the only inconsistent state."""
    tell(toward, SEARCH, goal, NO_STATE, 1, 1)
    vertex(borrow_field(search, "vertices"), search.number, goal).rhs = 0
    correct(search, toward, goal)


class Rules(NamedTuple):
    """What decides the order of the queue, as long as the agent stays where it is."""

    modifier: int  # k_m
    ties: Any
    larger_g: bool


@inlined
def update(vertices: Any, heap: Any, queue: Any, toward: Any, rules: Any, state: Int) -> Queue:
    """Procedure UpdateVertex: exactly the inconsistent states are in the queue. `toward` is aimed at the agent."""
    u = vertices[state]
    if u.g == u.rhs:
        u.key = ABSENT
        tell(toward, CLOSE if u.g < INFINITE else LOSE, state, NO_STATE, u.g, 0)
        return Queue(queue.size, queue.pushes)
    cost, rank, h = min(u.g, u.rhs), FIRST, heuristic(toward, state)
    if not rules.larger_g:  # of states with the same first key, the one with the larger rank is first
        rank = -cost
    elif u.g > u.rhs:
        rank = u.rhs
    key = cost + h + rules.modifier
    if u.key == key and u.rank == rank:
        return Queue(queue.size, queue.pushes)
    u.key = key
    u.rank = rank
    pushes = queue.pushes + 1
    tell(toward, GENERATE, state, NO_STATE, cost, h)
    return Queue(rise(heap, queue.size, Entry(key, rank, state, in_turn(rules.ties, pushes, state))), pushes)


@inlined
def look_ahead(vertices: Any, number: int, world: Any, state: Int) -> int:
    """Compute rhs from scratch: the least cost over all successors."""
    best = INFINITE
    for given, cost in successors(world, state):
        best = min(best, cost + vertex(vertices, number, number_of(world, given, state, cost)).g)
    return best


@compiled
def compute_shortest_path(search: Any, toward: Any, position: Int, allowance: Allowance) -> int:
    """Procedure ComputeShortestPath, within limits. `toward` is the world, aimed at the agent's position."""
    spent = virtual_ns(search.expansions, search.generated, search.queue.pushes)
    last_expansion = allowance.expansions + min(search.expansions, NEVER - allowance.expansions)
    virtual_end = allowance.virtual + min(spent, NEVER - allowance.virtual)
    while True:
        outcome = repair(search, toward, position, last_expansion, allowance.deadline, virtual_end)
        if outcome != CROWDED:
            return outcome
        search.heap = resized(search.heap, 2 * len(search.heap))


@compiled
def repair(search: Any, toward: Any, position: Int, last_expansion: int, deadline: int, virtual_end: int) -> int:
    """Make states consistent, in the order of the queue, until the agent's own is."""
    vertices, heap, world = borrow_field(search, "vertices"), borrow_field(search, "heap"), borrow(toward)
    queue, rules, room = search.queue, search.rules, len(heap) - search.most_predecessors - 2
    number, expansions, generated = search.number, search.expansions, search.generated
    here, outcome = vertex(vertices, number, position), RUNNING
    while outcome == RUNNING:
        while queue.size and outdated(vertices, heap[0]):
            queue = Queue(sink(heap, queue.size), queue.pushes)
        if queue.size == 0 or not (here.rhs > here.g or comes_before(heap[0], here, rules)):
            outcome = DONE
            break
        if expansions >= last_expansion or virtual_ns(expansions, generated, queue.pushes) >= virtual_end:
            break
        if queue.size > room:
            outcome = CROWDED
            break
        state, key = np.int64(heap[0].state), heap[0].f
        queue = Queue(sink(heap, queue.size), queue.pushes)
        u = vertices[state]
        u.key = ABSENT
        if key < min(u.g, u.rhs) + heuristic(world, state) + rules.modifier:  # the agent has moved since
            queue = update(vertices, heap, queue, world, rules, state)
            continue
        expansions += 1
        old = u.g
        lower = old > u.rhs
        u.g = u.rhs if lower else INFINITE
        tell(world, EXPAND, state, NO_STATE, u.g, 0)
        if not lower:
            queue = update(vertices, heap, queue, world, rules, state)
        for given, price in predecessors(world, state):
            generated += 1
            other = number_of(world, given, state, price)
            v = vertex(vertices, number, other)
            if lower:
                if price + u.g < v.rhs:  # cheaper than assumed: so are those whose path now leads through it
                    v.rhs = price + u.g
                    queue = update(vertices, heap, queue, world, rules, other)
            elif (
                v.rhs == price + old and v.rhs > 0
            ):  # more expensive: so are those whose path led through it (not the goal)
                v.rhs = look_ahead(vertices, number, world, other)
                queue = update(vertices, heap, queue, world, rules, other)
        if cut_short(expansions, GLANCE, deadline):
            break
    search.queue, search.expansions, search.generated = queue, expansions, generated
    return outcome


@inlined
def outdated(vertices: Any, entry: Any) -> bool:
    """Was the entry's state removed from the queue, or given another key?"""
    u = vertices[entry.state]
    return u.key != entry.f or u.rank != entry.rank


@inlined
def comes_before(entry: Any, here: Any, rules: Any) -> bool:
    """Must the entry's state be expanded before the agent's own, whose h is 0, can be trusted?

    With `larger_g`, of the states with the same first key only those that became more expensive must be.
    """
    cost = min(here.g, here.rhs)
    key = cost + rules.modifier
    return entry.f < key or (entry.f == key and entry.rank > (FIRST - 1 if rules.larger_g else -cost))


@compiled
def correct(search: Any, toward: Any, state: Int) -> None:
    """Call UpdateVertex for a state whose rhs was changed from outside the search."""
    if search.queue.size == len(search.heap):
        search.heap = resized(search.heap, 2 * len(search.heap))
    vertices, heap = borrow_field(search, "vertices"), borrow_field(search, "heap")
    search.queue = update(vertices, heap, search.queue, toward, search.rules, state)


@compiled
def downhill(search: Any, world: Any, state: Int) -> Int:
    """Return the successor from which the goal is cheapest, or NOBODY if it is unreachable (rhs is infinite)."""
    vertices, lent, best = borrow_field(search, "vertices"), borrow(world), Entry(INFINITE, FIRST, NOBODY, 0)
    for given, cost in successors(lent, state):
        successor = number_of(lent, given, state, cost)
        through = cost + vertex(vertices, search.number, successor).g
        seen = Entry(through, 0, successor, in_turn(search.rules.ties, 1, successor))
        if before(seen, best):
            best = seen
    return best.state


@compiled
def set_course(search: Any, world: Any, state: Int, following: Int) -> None:
    """Remember the beginning of the path from a state to the goal."""
    vertices = borrow_field(search, "vertices")
    cost, left = vertex(vertices, search.number, state).rhs, vertex(vertices, search.number, following).g
    search.course = Course(state, following, downhill(search, world, following), cost, left)


@compiled
def off_course(search: Any, world: Any, state: Int) -> bool:
    """Was the agent's path cut, or did its cost change? An agent that is elsewhere needs another path, too.

    The path also counts as cut if another one is as cheap, unless that one begins with the same move.
    """
    course = search.course
    if course.following == NOBODY:  # the first path
        return False
    if state != course.here and state != course.following:
        return True
    expected, cost = (course.following, course.cost) if state == course.here else (course.after, course.left)
    vertices, lent = borrow_field(search, "vertices"), borrow(world)
    if vertex(vertices, search.number, state).rhs != cost:
        return True
    for given, price in successors(lent, state):
        successor = number_of(lent, given, state, price)
        if successor == expected:
            return price + vertex(vertices, search.number, successor).g != cost
    return True


# ------------------------------------------------------------------ the agent


class Repair(NamedTuple):
    """A search from the goal to the agent that is repaired."""

    tag: int = 0


take_news.of(Repair)(lambda lookahead, parts, body: None)  # repairing the search processes them


@look.of(Repair)
def _look(lookahead: Repair, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Procedure Main: repair the search, then step to the neighbour from which the goal is cheapest."""
    search, toward = body.search, aimed(borrow_field(body, "world"), body.position)
    before, pushes, rules, last = search.expansions, search.queue.pushes, search.rules, search.last
    search.rules = Rules(rules.modifier + heuristic(toward, last), rules.ties, rules.larger_g)
    search.last = body.position
    changed = borrow_field(body, "news").count > 0
    if pushes == 0:
        body.searches += 1
        begin_repair(search, toward, body.goal)
    if changed:
        correct_news(body, toward)
    outcome = compute_shortest_path(search, toward, body.position, allowance)
    if not changed and search.queue.pushes == pushes and search.expansions == before:
        # There was nothing to do, so k_m need not rise: with every rise its keys would be less informed.
        search.rules, search.last = rules, last
    body.expansions += search.expansions - before
    body.searching = outcome != DONE
    if outcome == DONE:
        take_course(body)


@compiled
def take_course(body: Body) -> None:
    """Decide on the next move. A repair counts as another search if the path that the agent followed has changed."""
    search, world, position = body.search, borrow_field(body, "world"), body.position
    if off_course(search, world, position):
        body.searches += 1
    body.decision = downhill(search, world, position)
    if body.decision == NOWHERE:
        body.stop = UNREACHABLE
    else:
        set_course(search, world, position, body.decision)


@compiled
def correct_news(body: Body, toward: Any) -> None:
    """For all changed edges, in Main: correct rhs of the states whose moves changed."""
    search, news = body.search, borrow_field(body, "news")
    vertices, world = borrow_field(search, "vertices"), borrow(toward)
    for j in range(news.count):
        state = np.int64(news.states[j])
        if state != body.goal:
            vertex(vertices, search.number, state).rhs = look_ahead(vertices, search.number, world, state)
            correct(search, toward, state)
    forget_news(borrow_field(body, "journey"))


@path_ahead.of(Repair)
@compiled
def _path_ahead(lookahead: Repair, body: Body) -> np.ndarray:
    """Return the path from the agent to the goal; empty if the search has not got that far."""
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


@search_size.of(Repair)
def _search_size(lookahead: Repair, body: Body) -> Size:
    states = min(body.search.generated + 1, len(body.search.vertices))  # at most
    return Size(states * VERTEX_BYTES + body.search.queue.size * body.search.heap.itemsize, states)


@search_costs.of(Repair)
@compiled
def _search_costs(lookahead: Repair, body: Body) -> np.ndarray:
    vertices = borrow_field(body.search, "vertices")
    costs = np.full(len(vertices), -1, np.int64)
    for state in range(len(costs)):
        if vertices[state].seen == body.search.number and vertices[state].g < INFINITE:
            costs[state] = vertices[state].g
    return costs


def _search(setting: Setting, order: Any) -> Any:
    vertices, mark = setting.memory["vertices"]
    heap = setting.open_list = setting.world.pool.take_object("heap", partial(untouched, ENTRIES, ENTRY))
    rules, most = Rules(0, order, setting.parameters["larger_g"]), setting.world.most_predecessors
    course = Course(NOBODY, NOBODY, NOBODY, 0, 0)
    return new_repairs(vertices, mark + 1, heap, Queue(0, 0), rules, setting.start, most, 0, 0, course)


REPAIR = Part(
    "lookahead",
    "repair",
    "one search from the goal to the agent, repaired after every observation",
    lambda setting: Repair(),
    {"larger_g": Parameter(False, a_flag)},
    memory=("vertices",),
    objection=lambda setting: needs_any_goal(setting) or needs_positive_costs(setting),
    search=_search,
    paper="Koenig, Likhachev 2002",
    cheapest="always",
    one_move=True,
)
