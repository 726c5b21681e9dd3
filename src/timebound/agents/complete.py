"""Complete agents: they search to the end, then follow the path that they found, and search anew when it is spoiled.

A* in known terrain; Repeated A*, forward and backward; Adaptive A*, which is Repeated A* over a world that learns; and
"late acting" A*, which steps to and fro at its start while it searches (TBA* paper, section 4.3).
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled, inlined
from ..integers import Int
from ..search.best_first import FOUND, RUNNING, STRIDE, advance, begin, best_open, reached_by
from ..search.clock import NEVER, passed
from ..search.interrupts import interrupted
from ..search.learning import keep_path_cost, own_heuristic, with_room
from ..search.paths import begin_trace
from ..worlds.interface import NO_STATE, aimed, number_of, states_met, successors
from ..worlds.moves import IMPOSSIBLE, price_of
from ..worlds.reversed import turned_like
from .body import GOING, NOWHERE, UNREACHABLE, decide, path_ahead
from .paths import place_on_path, rest_of_path, take_news, take_path

SCAN = 512  # nodes between two looks at the clock
LOTS = (1 << 31) - 1  # a prime: no two states have the same lot


class Complete(NamedTuple):
    """How a complete agent decides."""

    g_weight: int
    h_weight: int
    once: bool  # is no state expanded more than once?
    shift: int  # of the open list's buckets
    backward: bool  # search from the goal to the agent
    late: bool  # step to and fro while searching
    ratio: tuple[int, int]  # r, as a fraction: of R expansions an interval makes floor(R r)
    lot: int  # decides about the neighbour that it steps to
    reversible: bool  # is it known that every move can be undone?


@path_ahead.of(Complete)
def _path_ahead(control: Any, body: Any) -> np.ndarray:
    return rest_of_path(borrow_field(body, "walk"))


@decide.of(Complete)
def follow(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """Follow the path; where there is none, search until there is."""
    if borrow_field(body, "news").count:
        if control.backward and borrow_field(body, "news").relief:
            # News of a graph names the state that a move leaves; the one that it enters may have been expanded already.
            body.searching = False
        take_news(body)
    place = place_on_path(body, body.position)
    if place == NOWHERE and not (
        body.length and borrow_field(body, "path")[0] == body.root and beside_root(control, body)
    ):
        search_on(control, body, most_expansions(control, expansions), deadline, virtual)
        place = place_on_path(body, body.position)
    if body.stop != GOING:
        return
    if place != NOWHERE:
        body.decision = np.int64(borrow_field(body, "path")[place + 1])
    elif control.late:
        body.decision = np.int64(borrow_field(body, "path")[0]) if body.length else to_and_fro(control, body)


@inlined
def most_expansions(control: Any, expansions: int) -> int:
    """N_E = floor(R r), as TBA* has it, to compare with it; one at least, or nothing would ever happen."""
    if expansions == NEVER or control.ratio[0] == control.ratio[1]:
        return expansions
    return max(1, expansions * control.ratio[0] // control.ratio[1])


@compiled
def search_on(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """Go on with the search for a path from here, or begin it; take the path once it is found."""
    body.length = 0
    if not body.searching or not (body.root == body.position or beside_root(control, body)):
        body.searching, body.root, body.refuge, body.progress = True, body.position, NOWHERE, 0
        body.searches += 1
        body.world = with_room(body.world, body.search.number + STRIDE)
        start, goal = (body.goal, body.position) if control.backward else (body.position, body.goal)
        world = turned_like(body.search.world, aimed(body.world, goal))
        begin(body.search, world, start, control.g_weight, control.h_weight, control.once, control.shift)
    before = body.search.expansions
    outcome = advance(body.search, expansions, deadline, virtual)
    body.expansions += body.search.expansions - before
    if outcome != RUNNING and find_end(control, body, outcome == FOUND, deadline):
        body.searching = not take_path(body, control.backward, deadline)


@compiled
def find_end(control: Any, body: Any, found: bool, deadline: int) -> bool:
    """The search is over: is there a path to trace, and was there time enough to see to which state?"""
    search = body.search
    if search.traced:
        return True
    if found:
        end = body.root if control.backward else best_open(search)
        keep_path_cost(body.world, search.number, cost_of(search, end))
    elif not body.fallback or control.backward:
        end = body.position  # it stays where it is
    elif find_refuge(body, deadline):
        end = body.refuge
    else:
        return False
    if end == body.position and not found:
        body.searching, body.stop = False, UNREACHABLE
        return False
    begin_trace(search, end)
    body.progress = 0
    return True


@compiled
def cost_of(search: Any, state: Int) -> int:
    """The g of a state."""
    return borrow_field(search, "nodes")[state].g


@compiled
def find_refuge(body: Any, deadline: int) -> bool:
    """Of all states that the search has reached, find the one of least h, and of those the one of least g.

    Return whether all have been looked at; if the deadline comes first, the next call goes on.
    """
    number = body.search.number
    world, nodes = borrow_field(body, "world"), borrow_field(body.search, "nodes")
    best = body.root if body.refuge == NOWHERE else body.refuge
    least_h, least_g = own_heuristic(world, best), nodes[best].g
    last = states_met(world, len(nodes))
    while body.progress < last:
        following = min(last, body.progress + SCAN)
        for state in range(body.progress, following):
            if reached_by(nodes[state], number):
                h, g = own_heuristic(world, state), nodes[state].g
                if h < least_h or (h == least_h and g < least_g):
                    best, least_h, least_g = state, h, g
        body.refuge, body.progress = best, following
        if passed(deadline) or interrupted():
            break
    return body.progress == last


@compiled
def beside_root(control: Any, body: Any) -> bool:
    """Is the agent one that steps to and fro, a single step away from the start of its search?"""
    return control.late and price_of(borrow_field(body, "world"), body.position, body.root) != IMPOSSIBLE


@compiled
def to_and_fro(control: Any, body: Any) -> Int:
    """A step to a neighbour drawn by lot, or back to the start of the search; NOWHERE if no neighbour leads back.

    On a graph there need not be an edge back, and a report may have blocked it.
    """
    if body.position != body.root:
        return body.root
    step: Int
    step, least = NOWHERE, LOTS
    world = borrow_field(body, "world")
    for given, cost in successors(world, body.position):
        successor = number_of(world, given, body.position, cost)
        lot = (successor ^ control.lot) * 0x5E3779B1 % LOTS
        if successor == NO_STATE:
            break
        if lot < least and (control.reversible or price_of(world, successor, body.position) != IMPOSSIBLE):
            step, least = successor, lot
    return step
