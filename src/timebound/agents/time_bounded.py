"""Time-bounded agents: one search that goes on from interval to interval, and an agent that walks its tree.

In every interval the search expands some more states, the path to its best open state is traced, and the agent makes a
move along it; an agent that is not on it steps back toward the root of the search, where all paths begin.

- TBA* (Björnsson, Bulitko and Sturtevant 2009, Algorithm 1) traces so many steps an interval; a long trace takes more.
- TBA*, RTBA* and TBAA* (Hernández, Baier, Uras and Koenig 2012, Algorithms 1 to 3) trace to the end. When a cost on the
  path has risen they search anew from where they are; TBAA* with what the old search has taught.
- TB(WA*), TB(GBFS) and TBR(WA*) (Hernández, Baier and Asín 2016, Algorithms 4 and 5) search with weights or greedily.
  TBR(WA*) searches anew where no step back exists, or earlier, and raises h before by Dijkstra's rule.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled, inlined, mutable, resized
from ..integers import Int
from ..knowledge import News
from ..search.best_first import FOUND, STRIDE, advance, begin, best_open, reached_by
from ..search.clock import NEVER, now, passed
from ..search.learning import with_room, without_learned
from ..search.listener import PATH
from ..search.open_list import NOBODY
from ..search.paths import begin_trace, trace
from ..search.prices import TRACE_STEP
from ..worlds.interface import NO_STATE, is_goal, tell
from ..worlds.moves import IMPOSSIBLE, price_of
from .body import (
    GOING,
    NOWHERE,
    STUCK,
    UNREACHABLE,
    conclude,
    decide,
    path_ahead,
)
from .paths import PACE, place_on_path, spoiled
from .proof import proved_unreachable
from .rules import DUE, NOT_DUE, learns, search_ended, update_on
from .shortcut import take_shortcut

RESERVE = 40  # nanoseconds that a step of a trace may take, when time is set aside for it

Pursuit = mutable(
    __name__,
    "Pursuit",
    [
        "tracing",  # is a trace under way?
        "solved",  # has the path to the goal been traced?
        "last_trace",  # how many steps the last trace took
        "surprised",  # was anything not as the agent believed, since its search began? (If it learns: ever.)
    ],
)


class TimeBounded(NamedTuple):
    """How a time-bounded agent decides."""

    g_weight: int
    h_weight: int
    once: bool  # is no state expanded more than once?
    shift: int  # of the open list's buckets
    learning: Any  # what a search that is given up teaches
    restarts: bool  # search anew where no step back exists?
    most_steps_back: int  # and where the path is more steps back than this; NEVER: not then
    limited: bool  # share the budget of an interval between expansions and steps of the trace?
    ratio: tuple[int, int]  # r, as a fraction: N_E = floor(R r)
    trace_cost: int  # c: N_T = (R - N_E) c
    steady: bool  # switch only to a path whose g is at least that of the agent's own state?
    shortcut: Any  # does it look for one, once the solution is known?
    longest: int  # no path on the map costs more: see `proof`
    pursuit: Any


@compiled
def new_pursuit() -> Any:
    """An agent that has not begun."""
    return Pursuit(False, False, 0, False)


@conclude.of(TimeBounded)
def _conclude(control: Any, body: Any) -> None:
    if body.searching:
        give_up_search(control, body)
    if body.updating != NOT_DUE:
        update_on(control.learning, body, NEVER, NEVER)


@decide.of(TimeBounded)
def pursue(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """One interval: search, trace, decide on a move."""
    if virtual != NEVER:
        virtual = max(1, virtual - body.debt)
    body.debt = 0
    if borrow_field(body, "news").count:
        take_news(control, body)  # 2012, Algorithm 2, line 30
    if body.updating != NOT_DUE:
        virtual = update_on(control.learning, body, deadline, virtual)
        if body.updating != NOT_DUE:
            return
    if control.pursuit.surprised and off_path(body) and not can_step_back(body):
        give_up_search(control, body)
    found_before, before = body.searching and body.search.outcome == FOUND, body.expansions
    if search_on(control, body, expansions, deadline, virtual):
        traced = body.trace_steps
        trace_on(control, body, most_steps(control, expansions, found_before), deadline)
        if control.pursuit.solved and off_path(body):
            spent = body.expansions - before + -((traced - body.trace_steps) // control.trace_cost)
            if expansions > spent and not passed(deadline):
                take_shortcut(control.shortcut, body, control.shift, expansions - spent, deadline, virtual)
        if body.searching:
            body.decision = next_move(control, body)
    if body.updating == DUE and deadline == NEVER and virtual == NEVER:
        update_on(control.learning, body, NEVER, NEVER)


@inlined
def off_path(body: Any) -> bool:
    """Has the agent to step back before it can follow its path?"""
    return body.searching and body.length > 0 and place_on_path(body, body.position) == NOWHERE


# ------------------------------------------------------------------ search


@compiled
def search_on(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> bool:
    """Go on with the search, or begin it; is anything open?"""
    search, pursuit = body.search, control.pursuit
    if body.searching and not in_tree(body):
        give_up_search(control, body)  # somebody has put the agent where the search has never been
    if body.updating != NOT_DUE:
        return False
    if not body.searching:
        begin_search(control, body)
    if body.stop == GOING and search.outcome != FOUND:
        before = search.expansions
        advance(search, most_expansions(control, search, expansions), reserved(pursuit, deadline), virtual)
        body.expansions += search.expansions - before
        best = best_open(search)
        if best == NOBODY:
            body.stop = UNREACHABLE
        elif is_goal(borrow_field(body, "world"), best):
            search.outcome = FOUND  # the search itself would say so when it goes on
    return body.stop == GOING


@compiled
def begin_search(control: Any, body: Any) -> None:
    """InitializeSearch()."""
    search, pursuit = body.search, control.pursuit
    body.searching, body.root, body.length = True, body.position, 0
    pursuit.tracing = pursuit.solved = False
    body.searches += 1
    body.world = with_room(body.world, search.number + STRIDE)
    begin(search, body.world, body.position, control.g_weight, control.h_weight, control.once, control.shift)
    # Where no step back exists it searches anew, but not for ever: every time either h rises, or something is news.
    pursuit.surprised = pursuit.surprised and learns(control.learning)
    if proved_unreachable(body, control.longest):
        body.stop = UNREACHABLE


@inlined
def most_expansions(control: Any, search: Any, expansions: int) -> int:
    """N_E (2009, section 3.3); for the first move no more than N_T, so that its path can be traced to the root."""
    if not control.limited or expansions == NEVER:
        return expansions
    most, steps = shares(control, expansions)
    return most if search.expansions else min(most, steps)


@inlined
def shares(control: Any, expansions: int) -> tuple[int, int]:
    """N_E = floor(R r) and N_T = (R - N_E) c; one of each at least, or nothing would ever happen."""
    most = expansions * control.ratio[0] // control.ratio[1]
    return max(1, most), max(1, (expansions - most) * control.trace_cost)


@inlined
def reserved(pursuit: Any, deadline: int) -> int:
    """The deadline of the search: it leaves time for a trace like the last one, a tenth of what there is at most."""
    if deadline == NEVER:
        return deadline
    left = deadline - now()
    return deadline - min(left // 10, RESERVE * (pursuit.last_trace + PACE))


@inlined
def in_tree(body: Any) -> bool:
    """Is the agent at a state that its search has reached?"""
    return reached_by(borrow_field(body.search, "nodes")[body.position], body.search.number)


# ------------------------------------------------------------------ the end of a search, and what it teaches


@compiled
def take_news(control: Any, body: Any) -> None:
    """StartNewSearch?(): if a cost on the path has risen, search anew; also if a move became possible or cheaper."""
    control.pursuit.surprised = True
    if body.searching and (borrow_field(body, "news").relief or (body.length and spoiled(body))):
        give_up_search(control, body)
    if borrow_field(body, "news").relief:
        body.world = without_learned(body.world)
        body.updating = NOT_DUE
    body.news = News(body.news.states, 0, False)


@compiled
def give_up_search(control: Any, body: Any) -> None:
    """The search is over; h will rise by what it left open (2012, Algorithm 3, line 13; 2016, Algorithm 5, line 11)."""
    body.searching, body.length, control.pursuit.tracing = False, 0, False
    search_ended(control.learning, body)


# ------------------------------------------------------------------ the path


@compiled
def trace_on(control: Any, body: Any, most: int, deadline: int) -> None:
    """Trace the path to the best open state, as far as the limits allow, and follow it once it is there."""
    search, pursuit = body.search, control.pursuit
    if (
        off_path(body) and borrow_field(body, "path")[0] != body.root
    ):  # somebody has put the agent where no step back leads to the path
        body.length, pursuit.solved, pursuit.tracing = 0, False, False
    if pursuit.solved:
        return
    if control.limited and place_on_path(body, body.position) == body.length - 1:
        body.length = 0  # at its end, nothing is followed any more
    if not pursuit.tracing:
        begin_trace(search, best_open(search))
        pursuit.tracing, pursuit.last_trace = True, 0
    steps = 0
    while not trace_is_done(control, body) and steps < most:
        trace(search, 1)
        steps += 1
        if steps % PACE == 0 and passed(deadline):
            break
    body.trace_steps += steps
    body.debt += TRACE_STEP * steps
    pursuit.last_trace += steps
    if trace_is_done(control, body):
        pursuit.tracing = False
        if worth_following(control, body):
            follow_trace(control, body)


@inlined
def most_steps(control: Any, expansions: int, found_before: bool) -> int:
    """N_T; or all of the budget, if the solution had been found before this interval."""
    if not control.limited or expansions == NEVER:
        return NEVER
    return expansions * control.trace_cost if found_before else shares(control, expansions)[1]


@inlined
def trace_is_done(control: Any, body: Any) -> bool:
    """Is it at the root, or at the agent; or, if paths only grow at their ends, at a state of the old path?"""
    search = body.search
    front = np.int64(borrow_field(search, "trail")[search.traced - 1])
    return front == body.root or front == body.position or (merges(control) and place_on_path(body, front) != NOWHERE)


@inlined
def merges(control: Any) -> bool:
    """With A* no expanded state gets another parent, so that a path to one is the same for ever."""
    return not control.limited and control.g_weight == control.h_weight


@inlined
def worth_following(control: Any, body: Any) -> bool:
    """The rule against indecision (2009, section 3.4): the new path reaches at least as far as the agent has come."""
    if not control.steady or body.length == 0:
        return True
    nodes, end = borrow_field(body.search, "nodes"), np.int64(borrow_field(body.search, "trail")[0])
    return is_goal(borrow_field(body, "world"), end) or nodes[end].g >= nodes[body.position].g


@compiled
def follow_trace(control: Any, body: Any) -> None:
    """Follow what was traced, from the agent, the root or the old path on; unless a cost on it has risen meanwhile."""
    search = body.search
    nodes, world, trail, count = borrow_field(search, "nodes"), borrow_field(body, "world"), search.trail, search.traced
    front = np.int64(trail[count - 1])
    first = max(0, place_on_path(body, front)) if merges(control) else 0
    make_room(body, first + count)
    path, prices, order, before = body.path, body.prices, body.order, front
    path[first], order[front] = front, first
    tell(world, PATH, front, NO_STATE, first, 0)
    for i in range(1, count):
        state = np.int64(trail[count - 1 - i])
        path[first + i] = state
        prices[first + i] = abs(nodes[state].g - nodes[before].g)
        order[state] = first + i
        tell(world, PATH, state, NO_STATE, first + i, prices[first + i])
        if control.pursuit.surprised:
            price = price_of(world, before, state)
            if price == IMPOSSIBLE or price > prices[first + i]:  # 2012, Algorithm 2, line 22
                give_up_search(control, body)
                return
        before = state
    body.length = first + count
    control.pursuit.solved = search.outcome == FOUND and is_goal(world, before)


@compiled
def make_room(body: Any, length: int) -> None:
    """Room for a path of so many states."""
    if length > len(body.path):
        body.path, body.prices = resized(body.path, 2 * length), resized(body.prices, 2 * length)


# ------------------------------------------------------------------ the move


@compiled
def next_move(control: Any, body: Any) -> Int:
    """Along the path, or back toward the root (2009, lines 21 to 29; 2012, Algorithm 1, lines 43 to 46)."""
    place = place_on_path(body, body.position)
    if place != NOWHERE and place < body.length - 1:
        return np.int64(borrow_field(body, "path")[place + 1])
    if place != NOWHERE and not control.limited:  # the agent is at the best open state itself, which is expanded next
        return NOWHERE
    if control.most_steps_back != NEVER and off_path(body) and far_from_path(body, control.most_steps_back):
        give_up_search(control, body)
        return NOWHERE
    back = way_back(body)
    if back == NOWHERE or can_move(body, back):
        body.stepping_back = body.position != body.root
        return back
    if control.restarts or control.pursuit.surprised:
        give_up_search(control, body)
    else:
        body.stop = STUCK
    return NOWHERE


@compiled
def far_from_path(body: Any, steps: int) -> bool:
    """Is the path more than so many steps back? (The root is on it, or will be.)"""
    nodes, state = borrow_field(body.search, "nodes"), body.position
    for _ in range(steps):
        if state == body.root or place_on_path(body, state) != NOWHERE:
            break
        state = np.int64(nodes[state].parent)
    return state != body.root and place_on_path(body, state) == NOWHERE


@compiled
def way_back(body: Any) -> Int:
    """The parent in the search tree; at its root, where the agent came from, if it can go there; or NOWHERE."""
    if body.position == body.root:
        last = np.int64(borrow_field(body, "trail")[max(0, body.moves - 1)])
        return last if can_move(body, last) else NOWHERE
    return np.int64(borrow_field(body.search, "nodes")[body.position].parent)


@compiled
def can_step_back(body: Any) -> bool:
    """Is there a move to the parent, as far as the agent knows? (It need not step back from the root.)"""
    return body.position == body.root or can_move(body, way_back(body))


@compiled
def can_move(body: Any, state: Int) -> bool:
    """Does a move lead from the agent to `state`, as far as it knows?"""
    return price_of(borrow_field(body, "world"), body.position, state) != IMPOSSIBLE


@compiled
def solution_found(body: Any) -> np.ndarray:
    """The path from the root of the present search to the goal; empty as long as it has not found one."""
    search = body.search
    if not body.searching or search.outcome != FOUND:
        return np.empty(0, np.int32)
    state: Int
    goal, count = best_open(search), 1
    nodes, state = borrow_field(search, "nodes"), goal
    while state != body.root:
        state, count = np.int64(nodes[state].parent), count + 1
    path = np.empty(count, np.int32)
    state = goal
    for i in range(count):
        path[count - 1 - i] = state
        state = np.int64(nodes[state].parent)
    return path


@path_ahead.of(TimeBounded)
def _path_ahead(control: Any, body: Any) -> np.ndarray:
    return way_to_go(body)


@compiled
def way_to_go(body: Any) -> np.ndarray:
    """Back to the path, if the agent is not on it, and along it; nothing if there is no path."""
    nodes, state, count = borrow_field(body.search, "nodes"), body.position, 0
    way = np.empty(64, np.int32)
    while body.length and body.searching and place_on_path(body, state) == NOWHERE and state != body.root:
        if count == len(way):
            way = resized(way, 2 * count)
        way[count] = state
        count += 1
        state = np.int64(nodes[state].parent)
    place = place_on_path(body, state)
    if place == NOWHERE or (count == 0 and place == body.length - 1):
        return np.empty(0, np.int32)
    ahead = resized(way, count + body.length - place)
    for i in range(count, len(ahead)):
        ahead[i] = borrow_field(body, "path")[place + i - count]
    return ahead
