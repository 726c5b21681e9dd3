"""Complete agents: they search to the end, then walk the path that they found."""

import time
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ..budget import Budget
from ..episode import Episode, summary_of
from ..errors import ProblemError
from ..solver import Search
from ..worlds import World


@dataclass(frozen=True)
class Complete:
    """A kind of agent that expands states in one order until it knows the path."""

    name: str
    about: str
    weight: float | None = None
    """What the weight is if none is given; None: the agent takes no weight."""
    greedy: bool = False


AGENTS = {
    kind.name: kind
    for kind in (
        Complete("astar", "A*: a cheapest path"),
        Complete("wastar", "weighted A*: at most `weight` times as dear as a cheapest path, found sooner", weight=1.5),
        Complete("gbfs", "greedy best-first search: any path, found soonest", greedy=True),
    )
}


def run(
    name: str, world: World, start: Any, goal: Any, budget: Budget, weight: float | None = None
) -> tuple[Episode, Search]:
    """Take an agent from start to goal: it waits while it searches, then moves once an interval.

    Returns the record and the search, which knows which states were reached.
    """
    kind = _kind(name)
    if weight is not None and kind.weight is None:
        raise ProblemError(f"agent {name!r} takes no weight; those that do: {_those_with_weight()}")
    search = Search(world, start, goal, weight=(kind.weight or 1.0) if weight is None else weight, greedy=kind.greedy)
    intervals, began = 0, time.perf_counter()
    while search.status == "running":
        search.advance(**vars(budget))
        intervals += 1
    searching = (time.perf_counter() - began) * 1e6
    path = search.path()
    moves = max(0, len(path.numbers) - 1)
    return Episode(
        agent=name,
        solved=path.solved,
        cost=path.cost,
        moves=moves,
        intervals=intervals + moves,
        expansions=search.expansions,
        searches=1,
        back_moves=0,
        path=path.states if path.solved else [start],
        time_per_move_us=summary_of([searching] + [0.0] * (moves - 1)),
        memory_bytes=search.memory_bytes,
        stop="goal" if path.solved else "unreachable",
    ), search


def _kind(name: str) -> Complete:
    if name not in AGENTS:
        near = get_close_matches(name, AGENTS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(AGENTS)}"
        raise ProblemError(f"there is no agent {name!r}; {hint}")
    return AGENTS[name]


def _those_with_weight() -> str:
    return ", ".join(kind.name for kind in AGENTS.values() if kind.weight is not None)
