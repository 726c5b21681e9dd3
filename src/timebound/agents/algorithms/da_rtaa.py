"""Avoid heuristic depressions (Hernández and Baier 2011, 2012): consider how much h has risen in this trial.

aRTAA* goes to the best of the open states whose h has not risen; daRTAA* to the best of those whose h has risen least.
Both scan the whole open list once per search.
"""

from typing import NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled
from ...core.integers import Int
from ...search.best_first import best_open
from ...search.learning import rise_in_trial
from ...search.open_list import NOBODY, Entry, before, entry_at, places
from ...search.state import SearchState, is_open
from ...worlds.interface import is_goal
from ..parts import Part
from ..roles import choose

EVEN_ONE, NONE = 1, np.iinfo(np.int64).max  # as a cap: all rises are equally bad; none are


class LeastRaised(NamedTuple):
    """The best open state among those whose h has risen least; all rises above the cap count as equal."""

    cap: int


@choose.of(LeastRaised)
@compiled
def _choose(target: LeastRaised, search: SearchState) -> Int:
    """Return the open state whose h has risen least; the goal, if it is next."""
    best = best_open(search)
    world, nodes, memory = borrow_field(search, "world"), borrow_field(search, "nodes"), borrow_field(search, "memory")
    if best == NOBODY or is_goal(world, best):
        return best
    queue, number = search.queue, search.number
    chosen, least = queue.hand, min(target.cap, rise_in_trial(world, best))
    for i in range(places(memory, queue.store)):
        entry = entry_at(memory, queue.store, i)
        if is_open(entry, nodes, number):
            state = np.int64(entry.state)
            rise = min(target.cap, rise_in_trial(world, state))
            if rise < least or (rise == least and before(entry, chosen)):
                chosen, least = Entry(entry.f, entry.rank, state, np.int64(entry.order)), rise
    return chosen.state


_NEEDS = "it chooses among the open states of a best-first search that need not have found the goal"
UNRAISED = Part(
    "target",
    "unraised",
    "go to the best open state whose h has not risen in this trial",
    lambda setting: LeastRaised(EVEN_ONE),
    lookaheads=("local", "resumed"),
    needs=_NEEDS,
    paper="Hernández, Baier 2011",
)
LEAST_RAISED = Part(
    "target",
    "least-raised",
    "go to the best of the open states whose h has risen least in this trial",
    lambda setting: LeastRaised(NONE),
    lookaheads=("local", "resumed"),
    needs=_NEEDS,
    paper="Hernández, Baier 2011",
)
