"""The adaptive rule, lazily (TBAA* paper, Algorithm 3; Adaptive A*): when a later search reaches a state.

Every search leaves one number, a lower bound on the cost of a path to the goal; each state remembers its g and the
search that reached it. So no time is spent on states that no search reaches again.
"""

from typing import Any, NamedTuple

from ...compiled import borrow_field, compiled
from ...search.best_first import best_open
from ...search.learning import has_room, keep_path_cost, with_room
from ...search.open_list import NOBODY
from ...search.open_states import least_f
from ...search.orders import is_lower_bound
from ...search.state import STRIDE
from ..parts import Part, as_a_star
from ..roles import prepare, search_ended, unlearned_yet


class Lazy(NamedTuple):
    """Remember what a search has found, and raise h when a later one reaches a state."""

    tag: int = 3


@prepare.of(Lazy)
def _prepare(rule: Any, body: Any) -> None:
    if not has_room(borrow_field(body, "world"), body.search.number + STRIDE):
        body.world = with_room(body.world, body.search.number + STRIDE)


@unlearned_yet.of(Lazy)
def _unlearned_yet(rule: Any, body: Any) -> Any:
    return body.search.nodes


@search_ended.of(Lazy)
def _search_ended(rule: Any, body: Any) -> None:
    keep_least_f(body)


@compiled
def keep_least_f(body: Any) -> None:
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
)
