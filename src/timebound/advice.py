"""Which agent suits this map and this budget? A short tournament on the map itself gives the answer.

Every candidate plays the same random problems, one problem after the other, so that all have played equally often when
the time is up. Candidates that are clearly worse in everything are dropped after a few problems, which leaves more time
for the others.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np

from .agents import make
from .agents.catalogue import Kind
from .agents.registry import find_kind
from .budget import Budget
from .errors import ProblemError
from .maps.components import random_problems
from .maps.model import Map
from .race import takers
from .solver import shortest_path
from .values import items, number, seed_number, whole
from .wording import shown
from .worlds import Grid
from .worlds.world import a_world

PATIENCE = 20  # an agent fails if it takes this many times the moves of a cheapest path
TRIED = 3  # problems that a candidate plays before it can be dropped
MARGIN = 1.5  # a candidate is dropped if it is this many times worse in everything
CLOSE = 1.02  # walks up to this many times as long count as equally good
WORTH_PREPARING = 1.05  # preparing the map must make walks this many times shorter
# Walks and times this close are equal: neither a few dozen problems nor a machine can tell them apart.
EQUAL_WALKS, EQUAL_TIMES = 1.005, 1.1
NEARLY = 1.25  # up to this many times the time per move counts as nearly as fast
# These play first, in case time is short.
LIKELY = ("tbaa", "rtaa", "tba", "dstar-lite", "da-rtaa", "lss-lrta", "mpaa", "lrta", "astar")
LOOKAHEADS = (16, 64, 256, 1024)  # expansions, for agents with a local search
WEIGHTS = (1.5, 3.0)


class Candidate(NamedTuple):
    """An agent and its parameters that differ from the defaults."""

    agent: str
    parameters: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return ", ".join([self.agent, *(f"{name}={value!r}" for name, value in self.parameters)])


@dataclass
class Standing:
    """The results of a candidate so far."""

    candidate: Candidate
    preparation_s: float = 0.0
    """Seconds spent preparing the map before the first move."""
    ratios: list[float] = field(default_factory=list)
    """For each problem, the length of its walk, waiting included, over the cheapest; infinite if it failed."""
    planning_us: float = 0.0
    moves: int = 0
    max_us: float = 0.0
    """The longest planning before a move."""
    memory_bytes: int = 0

    @property
    def failures(self) -> int:
        """Number of problems that it did not solve in time."""
        return sum(map(math.isinf, self.ratios))

    @property
    def suboptimality(self) -> float:
        """Mean length of its walks, waiting included, over that of cheapest walks."""
        return float(np.mean(self.ratios)) if self.ratios else math.inf

    @property
    def us_per_move(self) -> float:
        """Mean microseconds of planning per move."""
        return self.planning_us / max(1, self.moves)

    @property
    def objectives(self) -> tuple[float, ...]:
        """The criteria, smaller is better: length of walks, time per move, memory, preparation."""
        return self.suboptimality, self.us_per_move, float(self.memory_bytes), self.preparation_s


def dominates(one: Standing, other: Standing, margin: float = 1.0) -> bool:
    """Is one at least as good as the other in everything, and better in something? A `margin` must hold in everything.

    Walks within 0.5 % of each other, and times within 10 %, are equally good.

    >>> fast, slow = Standing(Candidate("a"), 0.0, [1.0], 5.0, 1), Standing(Candidate("b"), 0.0, [1.0], 9.0, 1)
    >>> dominates(fast, slow), dominates(slow, fast), dominates(fast, slow, margin=2)
    (True, False, False)
    """
    pairs = list(zip(one.objectives, other.objectives, strict=True))
    if margin > 1:
        quality, speed = pairs[:2]
        return all(a <= b for a, b in pairs) and quality[0] * margin < quality[1] and speed[0] * margin < speed[1]
    needed = (EQUAL_WALKS, EQUAL_TIMES, 1.0, EQUAL_TIMES)
    better = any(a * factor < b for (a, b), factor in zip(pairs, needed, strict=True))
    return better and all(a <= b for a, b in pairs)


@dataclass(frozen=True)
class Advice:
    """The result of the tournament."""

    standings: Sequence[Standing]
    """All candidates that played, shortest walks first."""
    left_out: Sequence[Candidate]
    """Candidates that there was no time for."""
    problems: int
    """Number of problems that the candidates played, except those dropped early."""
    budget: Mapping[str, float | None]
    terrain: str
    units: int

    @cached_property
    def front(self) -> Sequence[Standing]:
        """The Pareto front: no other candidate beats these in walk length, time per move, memory and preparation.

        See `dominates`.
        """
        arrived = [one for one in self.standings if not one.failures]
        rivals = arrived or list(self.standings)
        return [one for one in rivals if not any(dominates(other, one) for other in rivals)]

    @cached_property
    def best(self) -> Standing:
        """The recommended candidate: short walks first, then speed; preparation only if walks get much shorter.

        Among nearly equally fast candidates it is the one that suits most uses, the first in the list.
        """
        ready = [one for one in self.front if one.preparation_s == 0.0]
        least = min(one.suboptimality for one in self.front)
        if ready and min(one.suboptimality for one in ready) <= WORTH_PREPARING * least:
            good, least = ready, min(one.suboptimality for one in ready)
        else:
            good = list(self.front)
        good = [one for one in good if one.suboptimality <= CLOSE * least]
        quickest = min(one.us_per_move for one in good)
        return min((one for one in good if one.us_per_move <= NEARLY * quickest), key=lambda one: _place(one.candidate))

    @property
    def reasons(self) -> list[str]:
        """The reasons, in sentences."""
        best, tried = self.best, len(self.standings)
        said = [
            f"{best.candidate} was the best of {tried} candidates on {_counted(self.problems, 'problem')} on this map.",
            f"Its walks take {_percent(best.suboptimality)} longer than cheapest ones, and planning takes "
            f"{best.us_per_move:,.3g} us per move.",
        ]
        if best.failures:
            said.append(
                f"It did not arrive in {best.failures} of {len(best.ratios)} problems: no candidate did better."
            )
        shorter = min(self.front, key=lambda one: one.suboptimality)
        if shorter.suboptimality < best.suboptimality / CLOSE:
            extra = f", after {shorter.preparation_s:.1f} s of preparation" if shorter.preparation_s else ""
            said.append(
                f"Shorter walks ({_percent(shorter.suboptimality)} longer than cheapest ones) come from "
                f"{shorter.candidate}, at {shorter.us_per_move:,.3g} us per move{extra}."
            )
        quicker = min(self.front, key=lambda one: one.us_per_move)
        if quicker.us_per_move < best.us_per_move / CLOSE:
            said.append(
                f"{quicker.candidate} is faster: {quicker.us_per_move:,.3g} us per move, for walks that take "
                f"{_percent(quicker.suboptimality)} longer than cheapest ones."
            )
        if self.left_out:
            said.append(f"There was no time for {len(self.left_out)} other candidates: allow more seconds.")
        return said

    def picture(self) -> bytes:
        """Draw every candidate as a point, time per move against length of walks; return a PNG file."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ProblemError("pictures of advice need Matplotlib: pip install matplotlib") from None
        arrived = [one for one in self.standings if math.isfinite(one.suboptimality)]
        canvas = Figure(figsize=(8, 5), layout="constrained")
        axes = canvas.subplots()
        for group, color, size in ((arrived, "#9aa5b1", 18), (self.front, "#2166ac", 34), ([self.best], "#b2182b", 80)):
            axes.scatter([one.us_per_move for one in group], [one.suboptimality for one in group], size, color)
        for one in self.front:
            axes.annotate(str(one.candidate), (one.us_per_move, one.suboptimality), (4, 4), textcoords="offset points")
        axes.set(xscale="log", yscale="log", xlabel="planning, us per move", ylabel="walk / cheapest walk")
        for one_axis in (axes.xaxis, axes.yaxis):
            one_axis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
        axes.set_title(f"{self.best.candidate}, of {len(self.standings)} candidates", loc="left")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#ddd", lw=0.6)
        png = BytesIO()
        canvas.savefig(png, format="png", dpi=120)
        return png.getvalue()

    def code(self, map_name: str = "my.map") -> str:
        """Return lines of Python to start from."""
        given = "".join(f", {name}={value!r}" for name, value in self.best.candidate.parameters)
        terrain = "" if self.terrain == "known" else f', terrain="{self.terrain}"'
        limit = ", ".join(f"{name}={value:g}" for name, value in self.budget.items() if value is not None)
        world = f'import timebound as tb\n\nworld = tb.Grid.load("{map_name}")\n'
        if self.units > 1:
            return (
                f'{world}fleet = tb.Fleet(world)\nunits = fleet.add("{self.best.candidate.agent}", start=starts, '
                f"goal=goals{terrain}{given})\ntick = fleet.tick({limit})\n"
            )
        return (
            f'{world}agent = tb.make("{self.best.candidate.agent}", world, start, goal{terrain}{given})\n'
            f"while not agent.done:\n    agent.step({limit})\n"
        )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _percent(ratio: float) -> str:
    return f"{100 * (ratio - 1):.1f} %"


# ------------------------------------------------------------------ candidates


def candidates(terrain: str, units: int = 1, names: Iterable[str] | None = None) -> list[Candidate]:
    """Return all agents for the terrain, several times if they have a lookahead or a weight; likely winners first."""
    given = takers(terrain) if names is None else items(names, "agents is a list of names")
    kinds = [find_kind(name, terrain) for name in given]
    if units > 1:
        from .crowd import fleet_kinds  # this loads fleets, only needed with units

        kinds = fleet_kinds(kinds)
    every = [Candidate(kind.name, setting) for kind in kinds for setting in _settings(kind)]
    if not every:
        raise ProblemError(f"none of these agents supports {terrain} terrain; `timebound agents` lists those that do")
    return sorted(every, key=_place)


def _place(candidate: Candidate) -> tuple[bool, int]:
    """Return the sort key of a candidate: agents that prepare the map come last."""
    place = LIKELY.index(candidate.agent) if candidate.agent in LIKELY else len(LIKELY)
    return _prepares(find_kind(candidate.agent)), place


def _prepares(kind: Kind) -> bool:
    """Does it prepare the map, which takes time and memory?"""
    return kind.part("target") in ("cases", "regions") or kind.part("lookahead") == "refined"


def _settings(kind: Kind) -> list[tuple[tuple[str, Any], ...]]:
    plain: list[tuple[tuple[str, Any], ...]] = [()]
    if kind.part("lookahead") == "local":
        return [(("lookahead", count),) for count in LOOKAHEADS]
    if kind.name == "wastar" or kind.name.endswith("-wastar"):
        return [(("weight", weight),) for weight in WEIGHTS]
    return plain


# ------------------------------------------------------------------ the tournament


def advise(
    world: Any,
    *,
    ms: float | None = None,
    expansions: float | None = None,
    virtual_ms: float | None = None,
    terrain: str = "known",
    units: int = 1,
    seconds: float = 20.0,
    problems: int = 1000,
    agents: Iterable[str] | None = None,
    seed: int = 0,
    progress: Callable[[str, int, int], object] | None = None,
) -> Advice:
    """Run a short tournament on this map with this budget, and recommend an agent.

    Parameters
    ----------
    world
        A `Grid`.
    ms, expansions, virtual_ms
        The budget of an interval, for all units together; one of the three.
    units
        How many units share the budget. With more than one, only agents that can be in a `Fleet` take part.
    seconds
        When to stop. More seconds allow more problems, and better advice.
    problems
        The most problems to play: with a budget of expansions or virtual milliseconds and enough time, the result is
        repeatable, except for the times.
    agents
        Names of agents; by default all that support the terrain.
    progress
        Called before every episode with the candidate, how many candidates have played the current problem, and of
        how many.

    Examples
    --------
    >>> import timebound as tb
    >>> advice = tb.advise(tb.Grid.load("harbour"), expansions=50, agents=["lrta", "tba"], problems=3)
    >>> advice.best.candidate.agent
    'tba'
    """
    world = a_world(world)
    if not isinstance(world, Grid):
        raise ProblemError(f"advice is for grids, not for a {type(world).__name__}")
    budget = Budget(expansions, ms, virtual_ms)
    if all(limit is None for limit in vars(budget).values()):
        raise ProblemError("give a budget: ms, expansions or virtual_ms")
    if progress is not None and not callable(progress):
        raise ProblemError(f"progress must be a function of a text and two numbers, not {shown(progress)}")
    units = whole(units, "units is a whole number above 0")
    number(seconds, "seconds is a number above 0", lambda given: 0 < given < math.inf)
    problems = whole(problems, "problems is a whole number up to 100,000", most=100_000)
    share = {name: None if limit is None else limit / units for name, limit in vars(budget).items()}
    if share["expansions"] not in (None, math.inf):
        share["expansions"] = max(1, int(share["expansions"]))
    tournament = _Tournament(world, share, terrain, seed_number(seed), time.monotonic() + seconds, progress)
    standings, left_out, played = tournament.play(candidates(terrain, units, agents), problems)
    ranked = sorted(standings, key=lambda one: (one.failures, one.suboptimality, one.us_per_move))
    return Advice(ranked, left_out, played, vars(budget), terrain, units)


@dataclass
class _Tournament:
    world: Grid
    budget: Mapping[str, float | None]
    terrain: str
    seed: int
    deadline: float
    progress: Callable[[str, int, int], object] | None

    def play(self, entrants: Sequence[Candidate], problems: int) -> tuple[list[Standing], Sequence[Candidate], int]:
        """Play all candidates on one problem, then on the next, until the time is up."""
        map_ = Map.from_passable(self.world.passable)
        rules = {"neighbors": self.world.neighbors, "corners": self.world.corners}
        drawn = random_problems(map_, problems, self.seed, **rules)  # type: ignore[arg-type]
        standings: dict[Candidate, Standing] = {}
        playing, played = list(entrants), 0
        for number_, (start, goal) in enumerate(drawn):
            best = shortest_path(self.world, start, goal)
            for place, candidate in enumerate(playing):
                if self._is_over() and (number_ or standings):
                    left_out = [one for one in entrants if one not in standings]
                    return self._fair(standings, number_), left_out, max(1, played)
                if self.progress is not None:
                    self.progress(str(candidate), place, len(playing))
                if candidate not in standings:
                    standings[candidate] = Standing(candidate, self._prepare(candidate, start, goal))
                self._episode(standings[candidate], start, goal, best.cost, len(best.states))
            played = number_ + 1
            if played >= TRIED:
                playing = [one for one in playing if not self._is_hopeless(standings[one], standings.values())]
        return list(standings.values()), [], played

    def _is_hopeless(self, one: Standing, all_: Iterable[Standing]) -> bool:
        """Has it failed while another has not; or is another much better in everything, times included?"""
        others = [other for other in all_ if other is not one]
        if one.failures > 1 and not all(other.failures for other in others):
            return True
        timed = self.budget["ms"] is not None  # otherwise the result must be repeatable
        return timed and any(dominates(other, one, MARGIN) for other in others)

    def _is_over(self) -> bool:
        return time.monotonic() >= self.deadline

    def _fair(self, standings: dict[Candidate, Standing], complete: int) -> list[Standing]:
        """Judge candidates that played one problem more than the others only by the problems that all played."""
        for standing in standings.values():
            if complete:
                del standing.ratios[complete:]
        return list(standings.values())

    def _prepare(self, candidate: Candidate, start: Any, goal: Any) -> float:
        """Compile on a small map, then make the agent on this one: what takes time is its preparation."""
        small = Grid(np.ones((8, 8), bool), neighbors=self.world.neighbors, corners=self.world.corners)
        self._make(candidate, small, (0, 0), (7, 7)).run(**self.budget, intervals=1000)
        began = time.monotonic()
        self._make(candidate, self.world, start, goal)
        return time.monotonic() - began if _prepares(find_kind(candidate.agent)) else 0.0

    def _make(self, candidate: Candidate, world: Grid, start: Any, goal: Any) -> Any:
        return make(
            candidate.agent, world, start, goal, terrain=self.terrain, seed=self.seed, **dict(candidate.parameters)
        )

    def _episode(self, standing: Standing, start: Any, goal: Any, optimal: float, length: int) -> None:
        agent = self._make(standing.candidate, self.world, start, goal)
        episode = agent.run(**self.budget, intervals=PATIENCE * length + 100)
        if self.terrain == "partial":  # obstacles are hidden on the way
            optimal = episode.optimal_cost if episode.solved else math.inf
        waiting = max(1.0, (episode.intervals - 1) / max(1, episode.moves))  # the first interval only plans
        standing.ratios.append(waiting * episode.cost / optimal if episode.solved else math.inf)
        standing.planning_us += episode.planning_us
        standing.moves += int(episode.moves)
        standing.max_us = max(standing.max_us, episode.time_per_move_us["max"])
        standing.memory_bytes = max(standing.memory_bytes, int(episode.memory_bytes))
