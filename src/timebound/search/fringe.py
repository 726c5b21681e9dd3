"""The part of a search tree below a state, prepared to continue from there.

Fringe-Retrieving A* (Sun, Yeoh and Koenig 2009; for all graphs, 2010): when the agent has moved down its search tree
and the goal has moved too, the g of every state below the agent is still right, up to a constant. All other states are
deleted. The new open states are those below the agent that were open, and deleted ones next to what is left.

It can be done in slices: `retrieve` continues where the last call stopped.
"""

from typing import Any

import numpy as np

from ..compiled import borrow_field, compiled, mutable
from ..compiled.clock import NEVER
from ..compiled.interrupts import cut_short
from ..core.integers import Int
from ..worlds.interface import NO_STATE, is_goal, number_of, predecessors, tell, tell_generated
from .listener import LOSE
from .open_list import FIRST, NOBODY, begin_open, entry_at, grown, places, push, remove, room
from .open_states import is_open
from .orders import in_turn, priority
from .state import EXPANDED, RUNNING

READY, SORT_CLOSED, SORT_OPEN, FIND_BORDER, PUSH_ALL = 0, 1, 2, 3, 4
CHOSEN = 2  # with the number of the search: the state will be open
GLANCE = 16  # states between two looks at the clock

Fringe = mutable(
    __name__,
    "Fringe",
    [
        "valid",  # is every g in the tree right?
        "phase",
        "place",  # the next state of this phase
        "left",  # closed states kept so far
        "deleted",
        "deletions",
        "open",
        "opened",
    ],
)


@compiled
def new_fringe() -> Any:
    """Make the fringe of a search that has not begun."""
    return Fringe(False, READY, 0, 0, np.empty(0, np.int32), 0, np.empty(0, np.int32), 0)


@compiled
def begin_retrieval(fringe: Any, search: Any, root: Int) -> None:
    """Begin to delete what is not below `root`, which has been expanded (once, like all others)."""
    most = search.expansions + places(borrow_field(search, "memory"), search.queue.store) + 1
    if len(borrow_field(fringe, "deleted")) < most:
        fringe.deleted, fringe.open = np.empty(2 * most, np.int32), np.empty(2 * most, np.int32)
    fringe.valid, fringe.phase, fringe.place = False, SORT_CLOSED, 0
    fringe.left = fringe.deletions = fringe.opened = 0
    borrow_field(search, "nodes")[root].parent = root


@compiled
def retrieve(fringe: Any, search: Any, root: Int, steps: int, deadline: int) -> int:
    """Continue for up to `steps` states, or until the deadline; return how many. `fringe.phase` may then be READY."""
    done = 0
    while fringe.phase != READY and done < steps:
        place = fringe.place
        fringe.place += 1
        if fringe.phase == SORT_CLOSED:
            sort_closed(fringe, search, root, place)
        elif fringe.phase == SORT_OPEN:
            sort_open(fringe, search, place)
        elif fringe.phase == FIND_BORDER:
            find_border(fringe, search, place)
        else:
            push_open(fringe, search, root, place)
        done += 1
        if cut_short(done, GLANCE, deadline):
            break
    return done


@compiled
def begin_phase(fringe: Any, phase: int) -> None:
    """Begin the next phase."""
    fringe.phase, fringe.place = phase, 0


@compiled
def sort_closed(fringe: Any, search: Any, root: Int, place: int) -> None:
    """Go through states in the order of their expansion: parents come first."""
    if place == search.expansions:
        begin_phase(fringe, SORT_OPEN)
        return
    nodes, closed = borrow_field(search, "nodes"), borrow_field(search, "closed")
    state = np.int64(closed[place])
    parent = np.int64(nodes[state].parent)
    if state == root or (parent != state and nodes[parent].search == search.number + EXPANDED):
        closed[fringe.left] = state
        fringe.left += 1
    else:
        delete(fringe, search, state)


@compiled
def delete(fringe: Any, search: Any, state: Int) -> None:
    """Delete a state, as if the search had never reached it."""
    borrow_field(search, "nodes")[state].search = 0
    borrow_field(fringe, "deleted")[fringe.deletions] = state
    fringe.deletions += 1
    tell(borrow_field(search, "world"), LOSE, state, NO_STATE, 0, 0)


@compiled
def sort_open(fringe: Any, search: Any, place: int) -> None:
    """Go through the open list: its hand, then the entries of its store, in no order."""
    nodes, memory, queue = borrow_field(search, "nodes"), borrow_field(search, "memory"), search.queue
    if place > places(memory, queue.store):
        begin_phase(fringe, FIND_BORDER)
        return
    state: Int = NOBODY
    if place == 0:
        if is_open(queue.hand, nodes, search.number):
            state = np.int64(queue.hand.state)
    else:
        entry = entry_at(memory, queue.store, place - 1)
        if is_open(entry, nodes, search.number):
            state = np.int64(entry.state)
    if state == NOBODY:
        return
    if nodes[nodes[state].parent].search == search.number + EXPANDED:
        choose(fringe, search, state)
    else:
        delete(fringe, search, state)


@compiled
def choose(fringe: Any, search: Any, state: Int) -> None:
    """Choose a state to be open."""
    borrow_field(search, "nodes")[state].search = search.number + CHOSEN
    borrow_field(fringe, "open")[fringe.opened] = state
    fringe.opened += 1


@compiled
def find_border(fringe: Any, search: Any, place: int) -> None:
    """Choose deleted states that a closed one leads to."""
    if place == fringe.deletions:
        begin_phase(fringe, PUSH_ALL)
        return
    world, nodes = borrow_field(search, "world"), borrow_field(search, "nodes")
    state, best = np.int64(borrow_field(fringe, "deleted")[place]), NEVER
    for given, cost in predecessors(world, state):
        other = number_of(world, given, state, cost)
        if nodes[other].search == search.number + EXPANDED and nodes[other].g + cost < best:
            best = nodes[other].g + cost
            nodes[state].parent = other
    if best != NEVER:
        nodes[state].g = best
        choose(fringe, search, state)


@compiled
def push_open(fringe: Any, search: Any, root: Int, place: int) -> None:
    """Fill an empty open list with the chosen states, by the h of the new goal."""
    world, nodes, order = borrow_field(search, "world"), borrow_field(search, "nodes"), search.order
    if place == 0:
        first = priority(order, world, nodes[root].g, root)
        search.queue = remove(begin_open(borrow_field(search, "memory"), order.shift, first, 0, root))
    if place == fringe.opened:
        search.expansions, search.reached = fringe.left, fringe.left + fringe.opened
        search.outcome, search.traced = RUNNING, 0
        fringe.valid, fringe.phase = True, READY
        return
    if room(borrow_field(search, "memory"), search.queue.store) <= 1:
        search.memory = grown(search.memory)
    state = np.int64(borrow_field(fringe, "open")[place])
    node = nodes[state]
    node.search = search.number
    rank = FIRST if is_goal(world, state) else node.g
    f = priority(order, world, node.g, state)
    turn = in_turn(order, search.queue.order + 1, state)
    search.queue = push(borrow_field(search, "memory"), search.queue, f, rank, state, turn)
    tell_generated(world, state, np.int64(node.parent), node.g)
