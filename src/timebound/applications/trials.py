"""Repeated trials: an agent returns to its start and keeps what it has learned, until its path is optimal.

Time-bounded agents run until a trial needs only one search: if it is A*, it has found an optimal path (TBAA* paper,
Algorithm 4 and Theorem 2), although the agent, which acts early, may have stepped back on its way.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..agents import Agent
from ..agents.catalogue import KINDS, Kind
from ..agents.episode import Episode
from ..core.errors import ProblemError
from ..core.values import whole
from ..core.wording import shown
from ..search.budget import Budget, interval_limit
from ..search.learning import INFINITE
from ..search.solver import shortest_path
from ..worlds import Grid

_SAME = 1e-9  # costs are sums of moves: two that are closer are equal


def trials(
    agent: Agent,
    most: int,
    *,
    expansions: float | None = None,
    ms: float | None = None,
    virtual_ms: float | None = None,
    intervals: int | None = None,
) -> Iterator[Episode]:
    """Run an agent from start to goal again and again; it keeps what it has seen and learned.

    Yields one record per trial. The last is the first whose path is optimal in the true world (for a
    time-bounded agent: the first that needed only one search, and `Agent.solution` is the path), or the first that did
    not reach the goal, or trial number `most`. The budget and `intervals` are those of `Agent.run`, for every trial.
    Agents that learn nothing from trial to trial raise a `ProblemError`.

    Examples
    --------
    >>> import timebound as tb
    >>> agent = tb.make("rtaa", tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown")
    >>> episodes = list(trials(agent, 200, expansions=20))
    >>> episodes[0].suboptimality > 1.1, episodes[-1].suboptimality
    (True, 1.0)
    """
    if not isinstance(agent, Agent):
        raise ProblemError(f"trials need an agent made by `make`, not {shown(agent)}")
    most = whole(most, "the number of trials is a whole number above 0")
    check_learns(agent.kind, most)
    interval_limit(intervals)
    return _one_by_one(agent, most, Budget(expansions, ms, virtual_ms), intervals)


def _one_by_one(agent: Agent, most: int, budget: Budget, intervals: int | None) -> Iterator[Episode]:
    optimal_cost = math.nan
    for number in range(most):
        if agent.done or agent.episode().intervals:
            agent.reset()
        episode = agent.run(**vars(budget), intervals=intervals)
        if number == 0:
            optimal_cost = shortest_path(agent.truth, episode.path[0], agent.goal).cost
        yield episode.knowing(optimal_cost)
        if not episode.solved or is_settled(agent.kind, episode):
            return


def check_learns(kind: Kind, trials: int = 2) -> None:
    """Reject several trials for agents that learn neither h-values nor, until one search is enough, the map."""
    if trials > 1 and not kind.learning and not is_time_bounded(kind):
        learners = ", ".join(other.name for other in KINDS.values() if other.learning or is_time_bounded(other))
        raise ProblemError(f"agent {kind.name!r} does not learn from trial to trial; these do: {learners}")


def is_time_bounded(kind: Kind) -> bool:
    """Does it walk while its search is still running?"""
    return kind.part("walk") == "time-bounded"


def is_settled(kind: Kind, episode: Episode) -> bool:
    """Would another trial change nothing?"""
    if is_time_bounded(kind):
        return episode.solved and episode.searches <= 1
    return is_optimal(episode)


def is_optimal(episode: Episode) -> bool:
    """Was the path walked a cheapest one?"""
    return episode.suboptimality <= 1 + _SAME


def visits(world: Grid, episodes: Sequence[Episode]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Count the visits to every cell of a grid, `[y, x]`: agents with a local search come back often.

    >>> import timebound as tb
    >>> world = tb.Grid(np.ones((1, 5), bool))
    >>> visits(world, [tb.make("lrta", world, (0, 0), (4, 0)).run()])
    array([[1, 1, 1, 1, 1]])
    """
    counts = np.zeros(world.shape, np.int64)
    for episode in episodes:
        cells = np.array(episode.path, np.int64).reshape(-1, 2)
        np.add.at(counts, (cells[:, 1], cells[:, 0]), 1)
    return counts


def surface(agent: Agent) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return an agent's h-values on a grid, `[y, x]`, as costs; infinite where the goal is proved unreachable.

    >>> import timebound as tb
    >>> surface(tb.make("lrta", tb.Grid(np.ones((1, 4), bool)), (0, 0), (3, 0)))
    array([[3., 2., 1., 0.]])
    """
    if not isinstance(agent.world, Grid):
        raise ProblemError("h-values can only be drawn on a grid")
    h = agent.h().reshape(agent.world.shape)
    return np.where(h >= INFINITE, np.inf, h / agent.world.unit)
