"""The adaptive rule (RTAA* paper, Figure 1, lines 6 and 7): h(s) := f - g(s) for every expanded state s, at once.

f is the least of all open states. It takes one step per expanded state; weighted searches also scan the open list.
"""

from typing import Any, NamedTuple

from ...compiled import inlined
from ...compiled.prices import UPDATE
from ...search.allowance import after
from ...search.updates import raise_adaptively
from ..parts import Part, as_a_star
from ..roles import catch_up
from ..walk import BEGUN, DUE, NOT_DUE


class Adaptive(NamedTuple):
    """Raise h as soon as the search ends."""

    tag: int = 2


@catch_up.of(Adaptive)
def _catch_up(rule: Any, body: Any, allowance: Any) -> Any:
    return raise_all(body, allowance) if body.updating != NOT_DUE else allowance


@inlined
def raise_all(body: Any, allowance: Any) -> Any:
    """Raise the h of expanded states."""
    search, first = body.search, 0 if body.updating == DUE else body.search.swept
    search.swept = raise_adaptively(search, first)
    body.updating = NOT_DUE if search.swept == search.expansions else BEGUN
    return after(allowance, 0, UPDATE * (search.swept - first))


ADAPTIVE = Part(
    "learning",
    "adaptive",
    "h(s) := f - g(s) for every expanded state, at once",
    lambda setting: Adaptive(),
    memory=("h",),
    steepness=as_a_star,
    reads_closed=True,
    lookaheads=("local", "to-the-end", "resumed"),
    needs="it learns from the states that a best-first search has expanded; use learning='one-state' or 'none'",
    paper="Koenig, Likhachev 2006",
)
