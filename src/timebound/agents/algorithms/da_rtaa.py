"""Avoid heuristic depressions (Hernández and Baier 2011, 2012): consider how much h has risen in this trial.

aRTAA* goes to the best of the open states whose h has not risen; daRTAA* to the best of those whose h has risen least.
Both scan the whole open list once per search. With a lookahead of one move, as in LRTA*, the same is done among the
neighbours: aLRTA* and daLRTA*, as HOG2 has them.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import borrow_field, compiled
from ...core.integers import Int
from ...search.best_first import best_open
from ...search.learning import rise_in_trial
from ...search.open_list import EMPTY, FIRST, NOBODY, Entry, before, entry_at, places
from ...search.orders import in_turn
from ...search.state import SearchState, is_open
from ...worlds.interface import NO_STATE, heuristic, hopeless, is_goal, number_of, successors
from ..parts import Part, Setting
from ..roles import best_neighbor, choose
from .lrta import is_one_step

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


@best_neighbor.of(LeastRaised)
def _best_neighbor(target: LeastRaised, world: Any, state: Int, ties: Any) -> Any:
    """Choose the neighbour with the least cost + h if it is the goal, else the best of those that have risen least."""
    best, chosen, least, count = EMPTY, EMPTY, NONE, 0
    for given, cost in successors(world, state):
        successor = number_of(world, given, state, cost)
        if successor == NO_STATE:
            break
        count += 1  # noqa: SIM113 - `enumerate` is not for generators in compiled code
        rank = FIRST if is_goal(world, successor) else cost
        seen = Entry(cost + heuristic(world, successor), rank, successor, in_turn(ties, count, successor))
        rise = NONE if hopeless(world, successor) else min(target.cap, rise_in_trial(world, successor))
        if before(seen, best):
            best = seen
        if rise < least or (rise == least and before(seen, chosen)):
            chosen, least = seen, rise
    return best if best.rank == FIRST else Entry(best.f, chosen.rank, chosen.state, chosen.order)


def _objection(setting: Setting) -> str | None:
    if setting.parts["lookahead"].name != "within" or is_one_step(setting):
        return None
    return f"agent {setting.name!r}: a target of raised states needs depth=1, or a best-first lookahead"


_NEEDS = "it chooses among neighbours, or among the open states of a search that need not have found the goal"
UNRAISED = Part(
    "target",
    "unraised",
    "go to the best open state whose h has not risen in this trial",
    lambda setting: LeastRaised(EVEN_ONE),
    lookaheads=("local", "resumed", "within", "step"),
    objection=_objection,
    compares_rises=True,
    needs=_NEEDS,
    paper="Hernández, Baier 2011",
)
LEAST_RAISED = Part(
    "target",
    "least-raised",
    "go to the best of the open states whose h has risen least in this trial",
    lambda setting: LeastRaised(NONE),
    lookaheads=("local", "resumed", "within", "step"),
    objection=_objection,
    compares_rises=True,
    needs=_NEEDS,
    paper="Hernández, Baier 2011",
)
