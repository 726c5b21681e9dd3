"""Adaptive A* (Koenig and Likhachev 2005), lazily: h(s) := f - g(s), when a later search reaches the state.

The lookahead is that of `astar`. TBAA* learns by this rule, too (2012, Algorithm 3): line 13 is `keep_least_f`, lines 5
to 7 are `touch` of a learned world, in `search.learning`.
"""

from typing import NamedTuple

from ...compiled import borrow_field, compiled
from ...search.best_first import best_open
from ...search.learning import has_room, keep_path_cost, with_room
from ...search.open_list import NOBODY
from ...search.orders import is_lower_bound
from ...search.state import STRIDE, least_f
from ..body import Body
from ..parts import Part, as_a_star
from ..roles import prepare, search_ended, unlearned_yet


class Lazy(NamedTuple):
    """The adaptive rule, lazily: remember what a search has found, and raise h when a later one reaches a state.

    h(s) := max(h(s), f_n - g_n(s)), with n the last search that reached s, g_n(s) its cost there, and f_n the least f
    of the states that were open at its end: a lower bound on the cost of a path to the goal.

    h stays consistent if the searches were A*. It takes O(1) time for each state reached, and none for states that are
    never reached again; a search leaves one number. Koenig and Likhachev 2005; Hernández, Baier, Uras and Koenig 2012,
    Algorithm 3, lines 5 to 7 and 13.
    """

    tag: int = 3


@prepare.of(Lazy)
def _prepare(rule: Lazy, body: Body) -> None:
    if not has_room(borrow_field(body, "world"), body.search.number + STRIDE):
        body.world = with_room(body.world, body.search.number + STRIDE)


unlearned_yet.of(Lazy)(lambda rule, body: body.search.nodes)


@search_ended.of(Lazy)
@compiled
def keep_least_f(rule: Lazy, body: Body) -> None:
    """Store the lower bound on path costs, for the states of this search (2012, Algorithm 3, line 13)."""
    search = body.search
    if best_open(search) != NOBODY:
        f = search.queue.hand.f if is_lower_bound(search.order) else least_f(search)
        keep_path_cost(borrow_field(body, "world"), search.number, f)


LAZY = Part(
    "learning",
    "lazy",
    "h(s) := f - g(s), when a later search reaches the state",
    lambda setting: Lazy(),
    memory=("h",),
    steepness=as_a_star,
    lookaheads=("local", "to-the-end", "resumed"),
    needs="it learns from the states that a best-first search has expanded; use learning='one-state' or 'none'",
    when="lazily",
    paper="Koenig, Likhachev 2005; Hernández, Baier, Uras, Koenig 2012",
    needs_exact_costs=True,
    remembers=True,
)
