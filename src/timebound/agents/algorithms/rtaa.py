"""RTAA*: a new A* search around the agent each time, whose expanded states all learn from its best open state.

Real-Time Adaptive A* (Koenig and Likhachev 2006), Figure 1. `interval.plan` is its loop:

    01      until the agent is at a goal                        interval.turns
    02-03   A* for `lookahead` expansions                       _look, with search.best_first
    04-05   stop if nothing is open                             _look
    06-07   h[s] := g[s'] + h[s'] - g[s] for all expanded s     raise_all
    08-12   move along the path to s', at most `movements`      plain.FollowPath
    13-16   until a cost on the path rises                      body.take_news_of_path

When lines 06 and 07 run: `_look` only notes that the update is due. If the budget is a number of expansions, it is made
at the end of the same interval, after the decision (the last lines of `interval.plan`). Under a clock nothing waits for
it: it is made at the beginning of the next interval in which the agent has to look ahead, before the search. Dijkstra's
rule may take several intervals then; meanwhile the agent continues on its old path, if that is longer.

The rest of `_look` is not in the figure: it continues a search over several intervals, proves the goal unreachable by a
large h, notices that a non-learning agent walks in a circle, and charges the virtual clock. LSS-LRTA* has another
learning rule (`lss_lrta`), LSS-LRTWA* weighted A* as well, aRTAA* and daRTAA* another target (`da_rtaa`).
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled
from ...compiled.clock import NEVER
from ...compiled.interrupts import cut_short
from ...compiled.prices import TRACE_STEP, UPDATE
from ...search.best_first import best_open
from ...search.budget import Allowance, after, at_most
from ...search.learning import INFINITE, learn
from ...search.open_list import NOBODY
from ...search.orders import is_lower_bound
from ...search.paths import begin_trace
from ...search.state import RUNNING, SearchState, begin_again, least_f
from ...worlds.interface import touch
from ..body import Body, proved_unreachable, same_world, search_on, take_path
from ..journey import BEGUN, DUE, NOT_DUE, STUCK, UNREACHABLE
from ..making import limit, search_for
from ..parameters import Parameter, endless, or_none
from ..parts import Part, as_a_star, learns_from_positive_costs
from ..roles import Parts, catch_up, chosen, circles, look, prepare, search_ended


class LocalSearch(NamedTuple):
    """Best-first search from the current position."""

    expansions: int  # per search; NEVER: as many as the interval allows


@look.of(LocalSearch)
def _look(lookahead: LocalSearch, parts: Parts, body: Body, allowance: Allowance) -> None:
    """Search; over several intervals, if the number of expansions is fixed and large. Then trace the path."""
    body.length = 0
    if not body.searching or body.root != body.position:
        prepare(parts.learning, body)
        # Do what a search would do first: update the current state's h from earlier searches.
        node = borrow_field(body.search, "nodes")[body.position]
        touch(borrow_field(body, "world"), body.position, np.int64(node.search), node.g)
        if proved_unreachable(body):
            body.stop = UNREACHABLE
        elif circles(parts.learning, body):
            body.stop = STUCK
        else:
            body.searching, body.root = True, body.position
            body.searches += 1
            same_world(body)
            begin_again(body.search, body.position, parts.order)
    if body.stop:
        return
    most = lookahead.expansions
    outcome = search_on(body, at_most(allowance, most - body.search.expansions))
    if outcome == RUNNING and most != NEVER and body.search.expansions < most:
        return
    body.searching = False
    target = chosen(parts.target, body)
    if target == NOBODY:
        body.stop = UNREACHABLE
        return
    begin_trace(body.search, target)
    body.progress = 0
    search_ended(parts.learning, body)
    take_path(body, False, NEVER)
    body.debt += TRACE_STEP * body.length


LOCAL = Part(
    "lookahead",
    "local",
    "a new best-first search around the agent each time: `lookahead` expansions, or as many as the interval allows",
    lambda setting: LocalSearch(limit(setting.parameters["lookahead"])),
    {"lookahead": Parameter(None, or_none(endless))},
    memory=("nodes",),
    objection=learns_from_positive_costs,
    search=search_for,
    starts_afresh=True,
    adjustable=True,
)


# ------------------------------------------------------------------ learning


class Adaptive(NamedTuple):
    """The adaptive rule: raise h as soon as the search ends.

    h(s) := max(h(s), f* - g(s)) for all expanded s, with f* = min g(t) + h(t) over all open t.

    h stays consistent if the search was A*. It takes O(n) time for n expanded states; after a weighted search, the open
    list is scanned for f* as well. Koenig and Likhachev 2006, Figure 1, lines 06 and 07.
    """

    tag: int = 2


@catch_up.of(Adaptive)
def raise_all(rule: Adaptive, body: Body, allowance: Allowance) -> Any:
    """Raise the h of expanded states."""
    if body.updating == NOT_DUE:
        return allowance
    search, first = body.search, 0 if body.updating == DUE else body.search.swept
    search.swept = raise_adaptively(search, first)
    body.updating = NOT_DUE if search.swept == search.expansions else BEGUN
    return after(allowance, 0, UPDATE * (search.swept - first))


@compiled
def raise_adaptively(search: SearchState, first: int) -> int:
    """Set h(s) := f - g(s) for every expanded state s, with f the least of all open ones (RTAA* paper, lines 6 and 7).

    Start at the first or a later one; return how many have been raised. Only Ctrl-C leaves some for later.
    """
    world, nodes, closed = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "closed")
    best_open(search)  # takes it into the hand
    f = search.queue.hand.f if is_lower_bound(search.order) else least_f(search)
    for i in range(first, search.expansions):
        state = np.int64(closed[i])
        learn(world, state, min(f - nodes[state].g, INFINITE))  # if nothing is open, there is no path
        if cut_short(i + 1, NEVER, NEVER):
            return i + 1
    return search.expansions


ADAPTIVE = Part(
    "learning",
    "adaptive",
    "h(s) := f - g(s) for every expanded state, at once",
    lambda setting: Adaptive(),
    memory=("h",),
    steepness=as_a_star,
    reads_closed=True,
    lookaheads=("local", "ahead", "safe", "to-the-end", "resumed"),
    needs="it learns from the states that a best-first search has expanded; use learning='one-state' or 'none'",
    paper="Koenig, Likhachev 2006",
    needs_exact_costs=True,
)
