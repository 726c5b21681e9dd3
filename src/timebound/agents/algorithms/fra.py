"""Fringe-Retrieving A* (Sun, Yeoh and Koenig 2009; for all graphs, 2010): A* that keeps its tree when the goal moves.

When the agent has moved down its search tree and the goal has moved too, the g of every state below the agent is still
right, up to a constant. If the new goal is below the agent, the path is already known. Otherwise all other states are
deleted, and the search continues: the new open states are those below the agent that were open, and deleted ones next
to what is left. That can be done in slices: `retrieve` continues where the last call stopped.

Any change of a cost that the tree may depend on makes it start from scratch: this is an agent for moving goals in a
world that seldom changes.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, making, struct
from ...compiled.clock import NEVER
from ...compiled.interrupts import cut_short
from ...compiled.prices import UPDATE
from ...core.integers import Int
from ...search.budget import Allowance, after
from ...search.listener import LOSE
from ...search.open_list import NOBODY, begin_open, entry_at, places, remove
from ...search.orders import order_of, priority
from ...search.paths import begin_trace
from ...search.state import EXPANDED, FOUND, RUNNING, SearchState, is_open, put_on_open_list, reached_by
from ...worlds.interface import NO_STATE, aimed, number_of, predecessors, tell
from ..body import Body, search_on, take_news_of_path, take_path
from ..journey import NOWHERE
from ..making import search_for
from ..parts import Part, Setting, needs_positive_costs
from ..roles import Parts, at_root, for_search, look, take_news
from .astar import begin_search, find_end

READY, SORT_CLOSED, SORT_OPEN, FIND_BORDER, PUSH_ALL = 0, 1, 2, 3, 4
CHOSEN = 2  # with the number of the search: the state will be open
GLANCE = 16  # states between two looks at the clock


@struct
class Fringe:
    """What is known about the tree of a search, while it is kept."""

    valid: bool  # is every g in the tree right?
    phase: Int
    place: Int  # the next state of this phase
    left: Int  # closed states kept so far
    deleted: np.ndarray
    deletions: Int
    open: np.ndarray
    opened: Int


new_fringe = making(Fringe)


@compiled
def retrieve(fringe: Any, search: SearchState, root: Int, steps: int, deadline: int) -> int:
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
def sort_closed(fringe: Any, search: SearchState, root: Int, place: int) -> None:
    """Go through states in the order of their expansion: parents come first."""
    if place == search.expansions:
        fringe.phase, fringe.place = SORT_OPEN, 0
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
def delete(fringe: Any, search: SearchState, state: Int) -> None:
    """Delete a state, as if the search had never reached it."""
    borrow_field(search, "nodes")[state].search = 0
    borrow_field(fringe, "deleted")[fringe.deletions] = state
    fringe.deletions += 1
    tell(borrow_field(search, "world"), LOSE, state, NO_STATE, 0, 0)


@compiled
def sort_open(fringe: Any, search: SearchState, place: int) -> None:
    """Go through the open list: its hand, then the entries of its store, in no order."""
    nodes, memory, queue = borrow_field(search, "nodes"), borrow_field(search, "memory"), search.queue
    if place > places(memory, queue.store):
        fringe.phase, fringe.place = FIND_BORDER, 0
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
def choose(fringe: Any, search: SearchState, state: Int) -> None:
    """Choose a state to be open."""
    borrow_field(search, "nodes")[state].search = search.number + CHOSEN
    borrow_field(fringe, "open")[fringe.opened] = state
    fringe.opened += 1


@compiled
def find_border(fringe: Any, search: SearchState, place: int) -> None:
    """Choose deleted states that a closed one leads to."""
    if place == fringe.deletions:
        fringe.phase, fringe.place = PUSH_ALL, 0
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
def push_open(fringe: Any, search: SearchState, root: Int, place: int) -> None:
    """Fill an empty open list with the chosen states, by the h of the new goal."""
    nodes, order = borrow_field(search, "nodes"), search.order
    if place == 0:
        first = priority(order, borrow_field(search, "world"), nodes[root].g, root)
        search.queue = remove(begin_open(order.shift, first, 0, root))
    if place == fringe.opened:
        search.expansions, search.reached = fringe.left, fringe.left + fringe.opened
        search.outcome, search.traced = RUNNING, 0
        fringe.valid, fringe.phase = True, READY
        return
    state = np.int64(borrow_field(fringe, "open")[place])
    nodes[state].search = search.number
    put_on_open_list(search, state, np.int64(nodes[state].parent), nodes[state].g)


# ------------------------------------------------------------------ the agent


class Retrieving(NamedTuple):
    """A search to the end whose tree is kept."""

    fringe: Any
    order: Any  # A* that marks what it has expanded (`once`)


@take_news.of(Retrieving)
@compiled
def _take_news(lookahead: Retrieving, parts: Parts, body: Body) -> None:
    """Is the tree invalid? A cheaper move may lead into it from anywhere."""
    fringe, news, nodes = lookahead.fringe, borrow_field(body, "news"), borrow_field(body.search, "nodes")
    spoiled = news.relief or fringe.phase != READY
    for j in range(news.count):
        spoiled = spoiled or reached_by(nodes[news.states[j]], body.search.number)
    if spoiled:
        fringe.valid, fringe.phase, body.searching = False, READY, False
    take_news_of_path(body)


@look.of(Retrieving)
def _look(lookahead: Retrieving, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Retrieve the tree, or begin another one; continue the search; take the path once it is found."""
    fringe = lookahead.fringe
    body.length = 0
    if not body.searching or not at_root(parts.walk, body):
        if fringe.valid and is_closed(body, body.position):
            go_on_from_here(fringe, body)
        else:
            fringe.phase, fringe.valid = READY, True
            begin_search(body, lookahead.order, False)
    if fringe.phase != READY:
        steps = NEVER if allowance.virtual == NEVER else max(1, allowance.virtual // UPDATE)
        done = retrieve(fringe, body.search, body.position, steps, allowance.deadline)
        allowance = after(allowance, 0, done * UPDATE)
        if fringe.phase != READY:
            return
    outcome = search_on(body, for_search(parts.walk, body, allowance))
    if outcome != RUNNING and find_end(body, False, outcome == FOUND, allowance.deadline):
        body.searching = not take_path(body, False, allowance.deadline)


@compiled
def is_closed(body: Body, state: Int) -> bool:
    """Has the search expanded it?"""
    return borrow_field(body.search, "nodes")[state].search == body.search.number + EXPANDED


@compiled
def go_on_from_here(fringe: Any, body: Body) -> None:
    """Take the path from the tree; or begin to delete what is not below the agent, and so to retrieve the tree."""
    search, nodes = body.search, borrow_field(body.search, "nodes")
    body.searching, body.root, body.refuge, body.progress = True, body.position, NOWHERE, 0
    body.searches += 1
    search.world = aimed(body.world, body.goal)
    search.traced = 0
    if is_closed(body, body.goal) and is_below(nodes, body.goal, body.position):
        search.outcome = FOUND
        begin_trace(search, body.goal)
        return
    most = search.expansions + places(borrow_field(search, "memory"), search.queue.store) + 1  # no state closed twice
    if len(borrow_field(fringe, "deleted")) < most:
        fringe.deleted, fringe.open = np.empty(2 * most, np.int32), np.empty(2 * most, np.int32)
    fringe.valid, fringe.phase, fringe.place = False, SORT_CLOSED, 0
    fringe.left = fringe.deletions = fringe.opened = 0
    nodes[body.position].parent = body.position


@compiled
def is_below(nodes: Any, state: Int, root: Int) -> bool:
    """Does the tree lead from `root` to the state? No state above it is that far from the tree's own root."""
    while state != root and nodes[state].g > nodes[root].g:
        state = np.int64(nodes[state].parent)
    return state == root


def _search(setting: Setting, order: Any) -> Any:
    if setting.before is None:
        return search_for(setting, order, keep_closed=True)
    setting.open_list = setting.before.open_list
    return setting.before.search


def _make(setting: Setting) -> Retrieving:
    if setting.before is not None:
        kept: Retrieving = setting.before.lookahead
        return kept
    order = order_of(setting.world, ties=setting.parameters["ties"], seed=setting.seed)._replace(once=True)
    deleted, opened = np.empty(0, np.int32), np.empty(0, np.int32)
    return Retrieving(new_fringe(False, READY, 0, 0, deleted, 0, opened, 0), order)


def _objection(setting: Setting) -> str | None:
    if not setting.world.aims_anywhere:
        return f"agent {setting.name!r} is for moving goals on grids and graphs"
    if not (setting.has("order", "weighted") and setting.parameters["weight"] == 1):
        return f"agent {setting.name!r} keeps the costs that its search has found, which must be exact: use weight 1"
    return needs_positive_costs(setting)  # by its g, a state is below another one in the tree


RETRIEVING = Part(
    "lookahead",
    "retrieving",
    "a search to the goal that keeps its tree when the goal moves",
    _make,
    memory=("nodes",),
    objection=_objection,
    search=_search,
    paper="Sun, Yeoh, Koenig 2009",
    cheapest="at first",
    finds_refuge=lambda parameters: True,
    keeps_search=True,
)
