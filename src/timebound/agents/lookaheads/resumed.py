"""One search that continues from interval to interval: the lookahead of time-bounded agents.

It starts again when a cost on the path has risen (RTBA*, TBAA*: Hernández, Baier, Uras and Koenig 2012, Algorithms 2
and 3), or where no step back exists (TBR(WA*): Hernández, Baier and Asín 2016, Algorithm 5); with what the old search
has taught.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled, inlined
from ...core.integers import Int
from ...search.best_first import best_open
from ...search.open_list import NOBODY
from ...search.state import FOUND, begin, reached_by
from ...worlds.interface import is_goal
from ..body import search_on
from ..making import search_for
from ..parts import Part
from ..paths import spoiled
from ..proof import proved_unreachable
from ..roles import for_search, give_up, learns, look, most_overestimated, path_ahead, prepare, search_ended, take_news
from ..walk import GOING, NOT_DUE, UNREACHABLE, forget_news
from ..walks.way_back import can_step_back, off_path, way_to_go


class Resumed(NamedTuple):
    """A search that is resumed in every interval."""

    tag: int = 0


@look.of(Resumed)
def _look(lookahead: Any, parts: Any, body: Any, allowance: Any) -> bool:
    """Begin or continue the search; return whether any state is open."""
    pursuit = parts.walk.pursuit
    if pursuit.surprised and off_path(body) and not can_step_back(body):
        give_up_search(parts, body)
    pursuit.found_before, pursuit.expanded = body.searching and body.search.outcome == FOUND, body.expansions
    if body.searching and not in_tree(body):
        give_up_search(parts, body)  # the agent was put where the search has never been
    if body.updating != NOT_DUE:
        return False
    if not body.searching:
        prepare(parts.learning, body)
        begin_search(body, pursuit, parts.order)
        # Where no step back exists it searches again, but not forever: every time either h rises or there is news.
        pursuit.surprised = pursuit.surprised and learns(parts.learning)
        if proved_unreachable(body, most_overestimated(parts.learning)):
            body.stop = UNREACHABLE
    if body.stop == GOING and body.search.outcome != FOUND:
        pursue(body, for_search(parts.walk, body, allowance))
    return body.stop == GOING


@compiled
def begin_search(body: Any, pursuit: Any, order: Any) -> None:
    """InitializeSearch()."""
    body.searching, body.root, body.length = True, body.position, 0
    pursuit.tracing = pursuit.solved = False
    body.searches += 1
    begin(body.search, body.world, body.position, order)


@compiled
def pursue(body: Any, allowance: Any) -> None:
    """Continue the search; if no open states are left, there is no path."""
    search_on(body, allowance)
    best = best_open(body.search)
    if best == NOBODY:
        body.stop = UNREACHABLE
    elif is_goal(borrow_field(body, "world"), best):
        body.search.outcome = FOUND  # the search itself would find it when it continues


@inlined
def in_tree(body: Any) -> bool:
    """Is the agent at a state that its search has reached?"""
    return reached_by(borrow_field(body.search, "nodes")[body.position], body.search.number)


# ------------------------------------------------------------------ the end of a search, and learning


@take_news.of(Resumed)
def _take_news(lookahead: Any, parts: Any, body: Any) -> None:
    """StartNewSearch?(): search again if a cost on the path has risen, or a move became possible or cheaper."""
    parts.walk.pursuit.surprised = True
    relief = borrow_field(body, "news").relief
    if body.searching and (relief or (body.length and spoiled(body))):
        give_up_search(parts, body)
    if relief:
        body.updating = NOT_DUE
    forget_news(borrow_field(body, "walk"))


@inlined
def give_up_search(parts: Any, body: Any) -> None:
    """End the search; its open states raise h (2012, Algorithm 3, line 13; 2016, Algorithm 5, line 11)."""
    body.searching, body.length, parts.walk.pursuit.tracing = False, 0, False
    search_ended(parts.learning, body)


@give_up.of(Resumed)
def _give_up(lookahead: Any, parts: Any, body: Any) -> None:
    if body.searching:
        give_up_search(parts, body)


# ------------------------------------------------------------------ queries


@path_ahead.of(Resumed)
def _path_ahead(lookahead: Any, body: Any) -> Any:
    return way_to_go(body)


@compiled
def solution_found(body: Any) -> np.ndarray:
    """Return the path from the root of the current search to the goal; empty until it has found one."""
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


RESUMED = Part(
    "lookahead",
    "resumed",
    "one best-first search that continues in every interval",
    lambda setting: Resumed(),
    memory=("nodes",),
    search=search_for,
)
