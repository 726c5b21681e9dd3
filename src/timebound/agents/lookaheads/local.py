"""A new search around the agent each time: the lookahead of RTAA*, LSS-LRTA* and their relatives.

RTAA* (Koenig and Likhachev 2006, Figure 1) is this lookahead with A*, the adaptive rule, and the best open state:

    01  while s_curr is not the goal:
    02-05   A* for `lookahead` expansions; stop if nothing is open         look
    06-07   h[s] := g[s'] + h[s'] - g[s] for all expanded s                learning.adaptive
    08-15   move along the path to s', at most `movements` moves,          walks.path
            until a cost on it rises                                       paths.take_news_of_path

LSS-LRTA* has Dijkstra's rule instead (Koenig 2004; Koenig and Sun 2009), LSS-LRTWA* weighted A*, wLSS-LRTA* weights in
its update (Rivera, Baier and Hernández 2015), aRTAA* and daRTAA* another target (Hernández and Baier 2011, 2012).
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, inlined
from ...compiled.clock import NEVER
from ...compiled.prices import TRACE_STEP
from ...search.allowance import at_most
from ...search.open_list import NOBODY
from ...search.paths import begin_trace
from ...search.state import RUNNING, begin_again
from ...worlds.interface import touch
from ..body import search_on
from ..making import limit, search_for
from ..own_parts import chosen
from ..parameters import Parameter, endless, or_none
from ..parts import Part, always, learns_from_positive_costs
from ..paths import same_world, take_path
from ..proof import proved_unreachable
from ..roles import circles, look, most_overestimated, prepare, search_ended
from ..walk import STUCK, UNREACHABLE


class LocalSearch(NamedTuple):
    """Best-first search from the current position."""

    expansions: int  # per search; NEVER: as many as the interval allows


@look.of(LocalSearch)
def _look(lookahead: Any, parts: Any, body: Any, allowance: Any) -> bool:
    """Search; over several intervals, if the number of expansions is fixed and large. Then trace the path."""
    body.length = 0
    if not body.searching or body.root != body.position:
        prepare(parts.learning, body)
        learn_lazily(body)
        if proved_unreachable(body, most_overestimated(parts.learning)):
            body.stop = UNREACHABLE
        elif circles(parts.learning, body):
            body.stop = STUCK
        else:
            begin_search(body, parts.order)
    if body.stop or not look_around(body, lookahead.expansions, allowance):
        return False
    target = chosen(parts.target, body)
    if target == NOBODY:
        body.stop = UNREACHABLE
        return False
    begin_trace(body.search, target)
    body.progress = 0
    search_ended(parts.learning, body)
    take_path(body, False, NEVER)
    body.debt += TRACE_STEP * body.length
    return True


@inlined
def learn_lazily(body: Any) -> None:
    """Do what a search would do first: update the current state's h from earlier searches."""
    nodes = borrow_field(body.search, "nodes")
    node = nodes[body.position]
    touch(borrow_field(body, "world"), body.position, np.int64(node.search), node.g)


@inlined
def begin_search(body: Any, order: Any) -> None:
    """Begin at the agent's position."""
    body.searching, body.root = True, body.position
    body.searches += 1
    same_world(body)
    begin_again(body.search, body.position, order)


@inlined
def look_around(body: Any, expansions: int, allowance: Any) -> bool:
    """Continue the search; return whether it is over."""
    outcome = search_on(body, at_most(allowance, expansions - body.search.expansions))
    if outcome == RUNNING and expansions != NEVER and body.search.expansions < expansions:
        return False
    body.searching = False
    return True


LOCAL = Part(
    "lookahead",
    "local",
    "a new best-first search around the agent each time: `lookahead` expansions, or as many as the interval allows",
    lambda setting: LocalSearch(limit(setting.parameters["lookahead"])),
    {"lookahead": Parameter(None, or_none(endless))},
    memory=("nodes",),
    objection=learns_from_positive_costs,
    search=search_for,
    starts_over=always,
)
