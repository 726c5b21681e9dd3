"""Agents that search the space around themselves, learn from it, and go where it looks best: the RTAA* family.

Each is a lookahead (A* or weighted A*, so many expansions), a learning rule, and a target among the open states:

- RTAA* is A*, the adaptive rule, the best open state (Koenig and Likhachev 2006, Figure 1);
- LSS-LRTA* is A*, Dijkstra's rule, the best (Koenig 2004; Koenig and Sun 2009); LSS-LRTWA* weights its lookahead,
  wLSS-LRTA* the costs of moves in its update (Rivera, Baier and Hernández 2015);
- aRTAA* and daRTAA* avoid depressions of the heuristic: they go to the best of the open states whose h has not risen
  since the trial began, or has risen least (Hernández and Baier 2011, 2012).

Any other combination is as good as these.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow_field, compiled, inlined
from ..integers import Int
from ..search.best_first import RUNNING, advance, begin_again, best_open
from ..search.clock import NEVER
from ..search.learning import rise_in_trial
from ..search.open_list import NOBODY, Entry, before, entry_at, places
from ..search.paths import begin_trace
from ..search.prices import TRACE_STEP
from ..search.updates import is_open
from .body import (
    GOING,
    NOWHERE,
    UNREACHABLE,
    conclude,
    decide,
    follow,
    path_ahead,
)
from .paths import place_on_path, rest_of_path, same_world, take_news, take_path
from .proof import proved_by_weighted_h
from .rules import DUE, NOT_DUE, most_overestimated, update_on

BEST, UNRAISED, LEAST_RAISED = 0, 1, 2
AS_MANY_AS_SUITS = 0


class LocalSearch(NamedTuple):
    """How such an agent decides."""

    g_weight: int
    h_weight: int
    once: bool  # is no state expanded more than once?
    shift: int  # of the open list's buckets
    lookahead: int  # expansions of a search; NEVER: as many as the interval allows
    movements: int  # moves along its path at most; AS_MANY_AS_SUITS: one under a clock, otherwise to its end
    learning: Any  # its learning rule
    target: int  # BEST, UNRAISED or LEAST_RAISED
    longest: int  # no path on the map costs more: see `proof`


@path_ahead.of(LocalSearch)
def _path_ahead(control: Any, body: Any) -> np.ndarray:
    return rest_of_path(borrow_field(body, "walk"))


@conclude.of(LocalSearch)
def _conclude(control: Any, body: Any) -> None:
    if body.updating != NOT_DUE:
        update_on(control.learning, body, NEVER, NEVER)


@follow.of(LocalSearch)
def _follow(control: Any, body: Any) -> bool:
    return follow_path(control, body)


@decide.of(LocalSearch)
def look_around(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """RTAA* paper, Figure 1: search, learn, move along the path found; again when it ends or a cost on it rises."""
    clocked = deadline != NEVER or virtual != NEVER
    if virtual != NEVER:
        virtual = max(1, virtual - body.debt)
    body.debt = 0
    if borrow_field(body, "news").count:
        take_news(body)
    place = place_on_path(body, body.position)
    if place == NOWHERE or place >= moves_on_path(control, body, clocked):
        if body.updating != NOT_DUE:
            virtual = update_on(control.learning, body, deadline, virtual)
        if body.updating == NOT_DUE:
            search_on(control, body, expansions, deadline, virtual)
            if not clocked and body.updating == DUE:
                update_on(control.learning, body, NEVER, NEVER)
        place = place_on_path(body, body.position)
    if body.stop == GOING and place != NOWHERE and place < body.length - 1:
        # While an update takes long, further along the old path.
        body.decision = np.int64(borrow_field(body, "path")[place + 1])
    else:
        body.length = 0


@inlined
def follow_path(control: Any, body: Any) -> bool:
    """The next move along the path, if nothing speaks against it."""
    place = place_on_path(body, body.position)
    if borrow_field(body, "news").count or place == NOWHERE or place >= moves_on_path(control, body, False):
        return False
    body.debt = 0
    body.decision = np.int64(borrow_field(body, "path")[place + 1])
    return True


@inlined
def moves_on_path(control: Any, body: Any, clocked: bool) -> int:
    """How many moves to make along a path before the next search."""
    if control.movements == AS_MANY_AS_SUITS and not clocked:
        return body.length - 1
    return min(body.length - 1, max(1, control.movements))


# ------------------------------------------------------------------ lookahead


@compiled
def search_on(control: Any, body: Any, expansions: int, deadline: int, virtual: int) -> None:
    """Look ahead, and take the path to the target; over several intervals, if the lookahead was fixed and is large."""
    search = body.search
    body.length = 0
    if not body.searching or body.root != body.position:
        if proved_by_weighted_h(body, control.longest, most_overestimated(control.learning)):
            body.stop = UNREACHABLE
            return
        body.searching, body.root = True, body.position
        body.searches += 1
        same_world(body)
        begin_again(search, body.position, control.g_weight, control.h_weight, control.once, control.shift)
    done = search.expansions
    outcome = advance(search, min(expansions, control.lookahead - done), deadline, virtual)
    body.expansions += search.expansions - done
    if outcome == RUNNING and control.lookahead != NEVER and search.expansions < control.lookahead:
        return
    body.searching = False
    target = target_of(control, search)
    if target == NOBODY:
        body.stop = UNREACHABLE
        return
    begin_trace(search, target)
    body.progress, body.updating = 0, DUE
    take_path(body, False, NEVER)
    body.debt += TRACE_STEP * body.length


@compiled
def target_of(control: Any, search: Any) -> int:
    """The open state that the agent will go to."""
    best = best_open(search)
    if control.target == BEST or best == NOBODY:
        return best
    world, nodes, memory = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "memory")
    queue, number = search.queue, search.number
    chosen, least = queue.hand, rise_of(control, world, best)
    for i in range(places(memory, queue.store)):
        entry = entry_at(memory, queue.store, i)
        if is_open(entry, nodes, number):
            state = np.int64(entry.state)
            rise = rise_of(control, world, state)
            if rise < least or (rise == least and before(entry, chosen)):
                chosen, least = Entry(entry.f, entry.rank, state, np.int64(entry.order)), rise
    return chosen.state


@inlined
def rise_of(control: Any, world: Any, state: Int) -> int:
    """How much there is to be said against a target."""
    rise = rise_in_trial(world, state)
    return rise if control.target == LEAST_RAISED else min(rise, 1)
