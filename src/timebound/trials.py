"""Repeated trials: an agent is put back at its start and keeps what it has learned, until it walks an optimal path.

Time-bounded agents go on until a trial needs one search only: that has found an optimal path, if it is A* (TBAA* paper,
Algorithm 4 and Theorem 2), while the agent, which acts early, may have stepped back on its way.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .agents import Agent
from .agents.catalogue import KINDS, Kind
from .budget import Budget, interval_limit
from .episode import Episode
from .errors import ProblemError
from .search.learning import INFINITE
from .solver import shortest_path
from .values import whole
from .worlds import Grid

_SAME = 1e-9  # costs are counted from moves: two that are closer are equal


def trials(
    agent: Agent,
    most: int,
    *,
    expansions: float | None = None,
    ms: float | None = None,
    virtual_ms: float | None = None,
    intervals: int | None = None,
) -> Iterator[Episode]:
    """Take an agent from its start to its goal again and again; it keeps what it has seen and learned.

    The records come one by one. The last of them is the first whose path is optimal in the true world (of a
    time-bounded agent: the first that needed one search only, and `Agent.solution` is the path), or the first that did
    not reach the goal, or the one after which `most` trials are over. The budget and `intervals` are those of
    `Agent.run`, for every trial.

    Examples
    --------
    >>> import timebound as tb
    >>> agent = tb.make("rtaa", tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown")
    >>> episodes = list(trials(agent, 200, expansions=20))
    >>> episodes[0].suboptimality > 1.1, episodes[-1].suboptimality
    (True, 1.0)
    """
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
    """More than one trial is for agents that learn: values of the heuristic, or the map until one search is enough."""
    if trials > 1 and not kind.learning and not is_time_bounded(kind):
        learners = ", ".join(other.name for other in KINDS.values() if other.learning or is_time_bounded(other))
        raise ProblemError(f"agent {kind.name!r} does not learn from trial to trial; those that do: {learners}")


def is_time_bounded(kind: Kind) -> bool:
    """Does it walk while one search goes on?"""
    return kind.part("walk") == "time-bounded"


def is_settled(kind: Kind, episode: Episode) -> bool:
    """Would another trial bring nothing new?"""
    if is_time_bounded(kind):
        return episode.solved and episode.searches <= 1
    return is_optimal(episode)


def is_optimal(episode: Episode) -> bool:
    """Was the path walked a cheapest one?"""
    return episode.suboptimality <= 1 + _SAME


def visits(world: Grid, episodes: Sequence[Episode]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """How often agents were at every cell of a grid, `[y, x]`: agents that search near themselves come back often.

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
    """The heuristic of an agent on a grid, `[y, x]`, as costs; infinite where it was proved that there is no way.

    >>> import timebound as tb
    >>> surface(tb.make("lrta", tb.Grid(np.ones((1, 4), bool)), (0, 0), (3, 0)))
    array([[3., 2., 1., 0.]])
    """
    if not isinstance(agent.world, Grid):
        raise ProblemError("only on a grid is there a surface of the heuristic to be drawn")
    h = agent.h().reshape(agent.world.shape)
    return np.where(h >= INFINITE, np.inf, h / agent.world.unit)
