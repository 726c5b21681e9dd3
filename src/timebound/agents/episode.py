"""The record of one agent's run from start to goal, or to the proof that the goal is unreachable."""

import html
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..search.solver import shortest_path
from ..worlds import World


@dataclass(frozen=True)
class Interval:
    """One interval, for pictures and replays. States are positions or labels."""

    position: Any
    """Where the agent is when the interval ends."""
    decision: Any
    """Where it will go next; None if it waits."""
    observed: Sequence[tuple[Any, str]]
    """The cells seen for the first time, `free` or `blocked`."""
    open: Sequence[Any]
    """The states in the open list; like `closed`, computed on first access."""
    closed: Sequence[Any]
    """The states that the current search has expanded."""
    learned: Mapping[Any, float]
    """The states whose h-value rose, with the new value."""


@dataclass(frozen=True)
class Episode:
    """The figures of an episode, as the papers report them."""

    agent: str
    solved: bool
    cost: float
    """The cost of the path walked."""
    length: float = field(repr=False)
    """The length of the walk: with `walk="any-angle"` that of its straight lines; the cost is that of its moves."""
    moves: int
    intervals: int
    """Number of intervals. The agent makes at most one move in each, and may wait."""
    expansions: int
    searches: int
    back_moves: int
    """Moves to the parent in the search tree. (Time-bounded agents make them to get back to their path.)"""
    reversals: int = field(repr=False)
    """Moves that undo the previous one."""
    path: Sequence[Any] = field(repr=False)
    """Positions or labels, start and goal included."""
    time_per_move_us: Mapping[str, float] = field(repr=False)
    """Microseconds of planning per move: mean, p50, p99, max."""
    memory_bytes: int
    stop: str
    """Why it ended: see `Agent.stop`."""
    planning_us: float = field(default=0.0, repr=False)
    """Total microseconds of planning."""
    states_in_memory: int = field(default=0, repr=False)
    trace_steps: int = field(default=0, repr=False)
    """Steps from a state to its parent while tracing paths. (Time-bounded agents count them.)"""
    updates: int = field(default=0, repr=False)
    """Number of h-updates computed, raised or not."""
    raise_per_update: float = field(default=0.0, repr=False)
    """The mean increase."""
    trace: Sequence[Interval] = field(default=(), repr=False)
    """Every interval, if a trace was requested."""
    truth: World | None = field(default=None, repr=False, compare=False)
    """The world as it is."""
    goal: Any = field(default=None, repr=False)

    @classmethod
    def with_lazy_figures(cls, later: dict[str, Callable[[], Any]], **figures: Any) -> "Episode":
        """A record that computes some figures on first access: they may take longer than a short walk."""
        episode = cls.__new__(cls)
        vars(episode).update(figures, _later=later)
        return episode

    if not TYPE_CHECKING:  # the type checker would accept every misspelt name

        def __getattr__(self, name: str) -> Any:
            later = vars(self).get("_later", {})
            if name not in later:
                raise AttributeError(f"an episode has no {name!r}")
            vars(self)[name] = later[name]()
            return vars(self)[name]

    def __getstate__(self) -> dict[str, Any]:
        come = {name: getattr(self, name) for name in vars(self).get("_later", {})}
        return {name: value for name, value in {**vars(self), **come}.items() if name != "_later"}

    @property
    def moves_per_search(self) -> float:
        """Moves per search."""
        return self.moves / max(1, self.searches)

    @property
    def expansions_per_search(self) -> float:
        """Expansions per search."""
        return self.expansions / max(1, self.searches)

    @property
    def time_per_search_us(self) -> float:
        """Microseconds of planning per search."""
        return self.planning_us / max(1, self.searches)

    @cached_property
    def optimal_cost(self) -> float:
        """The cost of a cheapest path in the true world; infinite if there is none."""
        if self.truth is None:
            return math.nan
        return shortest_path(self.truth, self.path[0], self.goal).cost

    def knowing(self, optimal_cost: float) -> "Episode":
        """Return the same record with the cost of a cheapest path, which the caller already knows."""
        vars(self)["optimal_cost"] = optimal_cost
        return self

    @property
    def suboptimality(self) -> float:
        """The cost of the path walked over that of a cheapest path; 1 is best, NaN if the goal was not reached."""
        if not self.solved:
            return math.nan
        return self.cost / self.optimal_cost if self.optimal_cost else 1.0

    def as_json(self) -> dict[str, Any]:
        """Return the record as plain numbers, strings and lists, without the trace."""
        left_out = ("trace", "truth")
        record = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in left_out}
        record = {name: value.item() if isinstance(value, np.generic) else value for name, value in record.items()}
        record["path"] = [_plain(place) for place in self.path]
        record["goal"] = _plain(self.goal)
        record["time_per_move_us"] = dict(self.time_per_move_us)
        return record

    def _repr_html_(self) -> str:
        """Return an HTML table, for notebooks."""
        figures = {
            "outcome": self.stop,
            "cost": f"{self.cost:.4f}",
            "moves": f"{self.moves:,}",
            "intervals": f"{self.intervals:,}",
            "expansions": f"{self.expansions:,}",
            "searches": f"{self.searches:,}",
            "planning per move": f"{self.time_per_move_us['mean']:.2f} µs (at most {self.time_per_move_us['max']:.0f})",
            "memory": f"{self.memory_bytes / 1024:,.0f} KiB",
        }
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(value)}</td></tr>" for name, value in figures.items())
        return f"<table><caption>{html.escape(self.agent)}</caption>{rows}</table>"


def _plain(place: Any) -> Any:
    return list(place) if isinstance(place, tuple) else place


def summary_of(times: Sequence[float] | np.ndarray) -> dict[str, float]:
    """Return mean, median, 99th percentile and maximum, rounded to a thousandth.

    >>> summary_of([3.0, 0.0, 0.0, 0.0])
    {'mean': 0.75, 'p50': 0.0, 'p99': 2.91, 'max': 3.0}
    """
    values = np.array(times if len(times) else [0.0])
    figures = (values.mean(), *np.percentile(values, (50, 99)), values.max())
    return {name: round(float(figure), 3) for name, figure in zip(("mean", "p50", "p99", "max"), figures, strict=True)}
