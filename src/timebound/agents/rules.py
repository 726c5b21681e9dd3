"""Learning rules: what a search teaches an agent, and when.

Each is a type of its own, so that an agent is compiled with the rule that it uses and no other.
"""

from typing import Any, NamedTuple

from ..compiled import compiled, optional
from ..search.best_first import best_open
from ..search.clock import NEVER
from ..search.learning import keep_path_cost
from ..search.open_list import NOBODY
from ..search.prices import UPDATE
from ..search.updates import advance_dijkstra, begin_dijkstra, least_f, raise_adaptively

NOT_DUE, DUE, BEGUN = 0, 1, 2  # an update of h


class Nothing(NamedTuple):
    """A search teaches nothing."""

    tag: int = 0


class Adaptive(NamedTuple):
    """h(s) := f - g(s) for every expanded state, as soon as the search is over (RTAA* paper, Figure 1)."""

    tag: int = 1


class Lazy(NamedTuple):
    """The same, when a later search comes to the state (TBAA* paper, Algorithm 3; Adaptive A*)."""

    tag: int = 2


class Dijkstra(NamedTuple):
    """h(s) := the least w c(s, t) + h(t) over all open states t (LSS-LRTA*; TB(BFS) paper, Equation 1).

    With w > 1 it is the weighted update of wLSS-LRTA* (Rivera, Baier and Hernández 2015): h is up to w times too high.
    """

    weight: int = 1
    tag: int = 3


RULES = {"none": Nothing(), "adaptive": Adaptive(), "lazy": Lazy(), "dijkstra": Dijkstra()}


@optional
def learns(rule: Any) -> bool:
    """Does h ever rise?"""
    return True


@learns.of(Nothing)
def _learns_nothing(rule: Any) -> bool:
    return False


@optional
def most_overestimated(rule: Any) -> int:
    """How many times the true cost may h become?"""
    return 1


@most_overestimated.of(Dijkstra)
def _most_overestimated(rule: Any) -> int:
    return rule.weight


@optional
def search_ended(rule: Any, body: Any) -> None:
    """A resumed search is given up, or was for the goal and is over: what it left open will teach something."""
    body.updating = DUE


@search_ended.of(Nothing)
def _forgotten(rule: Any, body: Any) -> None:
    return


@search_ended.of(Lazy)
def _remembered(rule: Any, body: Any) -> None:
    keep_least_f(body)


@compiled
def keep_least_f(body: Any) -> None:
    """What a path to the goal costs at least, for the states of this search (2012, Algorithm 3, line 13)."""
    search = body.search
    if best_open(search) != NOBODY:
        f = search.queue.hand.f if search.g_weight == search.h_weight else least_f(search)
        keep_path_cost(body.world, search.number, f)


@optional
def update_on(rule: Any, body: Any, deadline: int, virtual: int) -> int:
    """Raise the h of the states that were expanded, within the limits; return the virtual time that is left."""
    return virtual


@update_on.of(Adaptive)
def _update_adaptively(rule: Any, body: Any, deadline: int, virtual: int) -> int:
    raise_adaptively(body.search)
    body.updating = NOT_DUE
    return virtual if virtual == NEVER else max(1, virtual - UPDATE * body.search.expansions)


@update_on.of(Dijkstra)
def _update_by_dijkstra(rule: Any, body: Any, deadline: int, virtual: int) -> int:
    return dijkstra_on(body, rule.weight, deadline, virtual)


@compiled
def dijkstra_on(body: Any, weight: int, deadline: int, virtual: int) -> int:
    """Dijkstra's rule; it goes on in the next interval, if need be."""
    if body.updating == DUE:
        begin_dijkstra(body.search, weight)
    done, spent = advance_dijkstra(body.search, weight, deadline, virtual)
    body.updating = NOT_DUE if done else BEGUN
    return virtual if virtual == NEVER else max(1, virtual - spent)
