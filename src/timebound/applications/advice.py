"""Which agent suits this map and this budget? A short tournament on the map itself gives the answer.

First every candidate is compiled. Then all play the same random problems, one problem after the other, so that all have
played equally often when the time is up. Candidates that are clearly worse in everything are dropped after a few
problems, which leaves more time for the others. How certain the advice is, resampled problems tell (the bootstrap).
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from operator import attrgetter
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from ..agents import make
from ..agents.catalogue import Kind
from ..agents.registry import find_kind
from ..core.errors import ProblemError
from ..core.values import items, number, seed_number, whole
from ..core.wording import shown
from ..maps.components import random_problems
from ..maps.model import Map
from ..search.budget import Budget
from ..search.solver import Path, shortest_path
from ..worlds import Grid
from ..worlds.world import a_world
from .race import takers

PATIENCE = 20  # an agent fails if it takes this many times the moves of a cheapest path
TRIED = 3  # problems that a candidate plays before it can be dropped
FEW = 5  # with fewer problems, nobody can say how certain the advice is
RESAMPLES = 200
MARGIN = 1.5  # a candidate is dropped if it is this many times worse in everything
CLOSE = 1.02  # trajectories up to this many times as long count as equally good
WORTH_PREPARING = 1.05  # preparing the map must make trajectories this many times shorter
# What is this close is equal: neither a few dozen problems nor a machine can tell it apart, and advice that depends on
# less would change from run to run.
EQUAL_WALKS, EQUAL_TIMES, EQUAL_MEMORY = 1.005, 1.5, 1.1
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


class Play(NamedTuple):
    """A candidate on one problem."""

    ratio: float
    """The time of its trajectory, waiting included, over that of a cheapest path; infinite if it failed."""
    planning_us: float
    moves: int
    max_us: float
    """The longest planning before a move."""
    memory_bytes: int


@dataclass(frozen=True)
class Standing:
    """The results of a candidate."""

    candidate: Candidate
    preparation_s: float
    """Seconds spent preparing the map before the first move."""
    plays: Sequence[Play]
    """Its results on each problem, in the order of the problems."""

    def first(self, problems: int) -> "Standing":
        """Return its results on the first problems."""
        return self if problems == len(self.plays) else replace(self, plays=self.plays[:problems])

    @cached_property
    def failures(self) -> int:
        """Number of problems that it did not solve in time."""
        return sum(math.isinf(play.ratio) for play in self.plays)

    @cached_property
    def suboptimality(self) -> float:
        """Mean time of its trajectories, waiting included, over that of cheapest paths."""
        return sum(play.ratio for play in self.plays) / len(self.plays)

    @cached_property
    def us_per_move(self) -> float:
        """Microseconds of planning per move in the median problem: means would include what else the machine did."""
        return median(play.planning_us / max(1, play.moves) for play in self.plays)

    @cached_property
    def max_us(self) -> float:
        """The longest planning before a move."""
        return max(play.max_us for play in self.plays)

    @cached_property
    def memory_bytes(self) -> int:
        """The most memory that it used."""
        return max(play.memory_bytes for play in self.plays)

    @cached_property
    def objectives(self) -> tuple[float, ...]:
        """The criteria, smaller is better: length of trajectories, time per move, memory, preparation."""
        return self.suboptimality, self.us_per_move, float(self.memory_bytes), self.preparation_s


def dominates(one: Standing, other: Standing, margin: float = 1.0) -> bool:
    """Is one at least as good as the other in everything, and better in something? A `margin` must hold in everything.

    Trajectories within 0.5 % of each other, times within 50 % and memory within 10 % are equally good.

    >>> fast, slow = (Standing(Candidate(name), 0.0, [Play(1.0, us, 1, us, 0)]) for name, us in (("a", 5), ("b", 9)))
    >>> dominates(fast, slow), dominates(slow, fast), dominates(fast, slow, margin=2)
    (True, False, False)
    """
    shared = min(len(one.plays), len(other.plays))  # who was dropped is judged by the problems that it played
    pairs = list(zip(one.first(shared).objectives, other.first(shared).objectives, strict=True))
    if margin > 1:
        quality, speed = pairs[:2]
        return all(a <= b for a, b in pairs) and quality[0] * margin < quality[1] and speed[0] * margin < speed[1]
    needed = (EQUAL_WALKS, EQUAL_TIMES, EQUAL_MEMORY, EQUAL_TIMES)
    better = any(a * factor < b for (a, b), factor in zip(pairs, needed, strict=True))
    return better and all(a <= b for a, b in pairs)


def front_of(standings: Sequence[Standing]) -> list[Standing]:
    """Return the Pareto front: those that no other beats. Who failed is on it only if all failed."""
    rivals = [one for one in standings if not one.failures] or list(standings)
    return [one for one in rivals if not any(dominates(other, one) for other in rivals)]


def best_of(front: Sequence[Standing]) -> Standing:
    """Return the one of a front to recommend: short trajectories first, then speed.

    One that prepares the map is recommended only if its trajectories are much shorter. Among equally fast candidates it
    is the one that suits most uses, the first in the list.
    """
    ready = [one for one in front if one.preparation_s == 0.0]
    least = min(one.suboptimality for one in front)
    if ready and min(one.suboptimality for one in ready) <= WORTH_PREPARING * least:
        front, least = ready, min(one.suboptimality for one in ready)
    good = [one for one in front if one.suboptimality <= CLOSE * least]
    quickest = min(one.us_per_move for one in good)
    quick = [one for one in good if one.us_per_move <= EQUAL_TIMES * quickest]
    return min(quick, key=lambda one: _place(one.candidate))


@dataclass(frozen=True)
class Advice:
    """The result of the tournament."""

    standings: Sequence[Standing]
    """All candidates that played, shortest trajectories first."""
    left_out: Sequence[Candidate]
    """Candidates that there was no time for."""
    problems: int
    """Number of problems that the candidates played, except those dropped early."""
    budget: Mapping[str, float | None]
    terrain: str
    units: int
    seed: int = 0

    @cached_property
    def front(self) -> Sequence[Standing]:
        """The Pareto front: no other candidate beats these in everything; see `dominates`."""
        return front_of(self.standings)

    @cached_property
    def best(self) -> Standing:
        """The recommended candidate, see `best_of`."""
        return best_of(self.front)

    @cached_property
    def winners(self) -> Mapping[Candidate, float]:
        """Who would be recommended if the problems were drawn again, and in which share of such draws.

        Each of 200 draws takes as many of the problems as there are, with replacement. Empty with fewer than five
        problems.
        """
        rivals = [one for one in self.standings if len(one.plays) == self.problems]
        if self.problems < FEW or not rivals:
            return {}
        draws = np.random.default_rng(self.seed).integers(self.problems, size=(RESAMPLES, self.problems)).tolist()
        again = ([replace(one, plays=[one.plays[i] for i in draw]) for one in rivals] for draw in draws)
        counts = Counter(best_of(front_of(standings)).candidate for standings in again)
        return {candidate: count / RESAMPLES for candidate, count in counts.most_common()}

    @property
    def certainty(self) -> float | None:
        """The share of `winners` that is the recommended candidate; None with fewer than five problems."""
        return self.winners.get(self.best.candidate, 0.0) if self.winners else None

    @property
    def reasons(self) -> list[str]:
        """The reasons, in sentences."""
        best, tried = self.best, len(self.standings)
        said = [
            f"{best.candidate} was the best of {tried} candidates on {_counted(self.problems, 'problem')} on this map.",
            f"Its trajectories take {_percent(best.suboptimality)} longer than cheapest paths, and planning takes "
            f"{best.us_per_move:,.3g} us per move.",
        ]
        if best.failures:
            said.append(f"It did not arrive in {best.failures} of {len(best.plays)} problems: no candidate did better.")
        said.append(self._certainty_in_words())
        shorter, quicker = (min(self.front, key=attrgetter(name)) for name in ("suboptimality", "us_per_move"))
        if shorter.suboptimality < best.suboptimality / CLOSE:
            extra = f", after {shorter.preparation_s:.1f} s of preparation" if shorter.preparation_s else ""
            said.append(
                f"Shorter trajectories ({_percent(shorter.suboptimality)} longer than cheapest paths) come from "
                f"{shorter.candidate}, at {shorter.us_per_move:,.3g} us per move{extra}."
            )
        if quicker.us_per_move < best.us_per_move / CLOSE:
            said.append(
                f"{quicker.candidate} is faster: {quicker.us_per_move:,.3g} us per move, for trajectories that take "
                f"{_percent(quicker.suboptimality)} longer than cheapest paths."
            )
        if self.left_out:
            said.append(f"There was no time for {len(self.left_out)} other candidates: allow more seconds.")
        return said

    def _certainty_in_words(self) -> str:
        if self.certainty is None:
            return f"{_counted(self.problems, 'problem')} cannot tell how certain this is: allow more seconds."
        others = {candidate: share for candidate, share in self.winners.items() if candidate != self.best.candidate}
        rival = next((f"; {candidate} in {100 * share:.0f} %" for candidate, share in others.items()), "")
        certain = f"{100 * self.certainty:.0f} %"
        return f"If the problems were drawn again, it would be recommended in {certain} of the draws{rival}."

    def picture(self) -> bytes:
        """Draw every candidate as a point, time per move against length of trajectories; return a PNG file."""
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
        axes.set(xscale="log", yscale="log", xlabel="planning, us per move", ylabel="trajectory / cheapest path")
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
    if units > 1 and terrain == "partial":
        raise ProblemError("units of a fleet need known or unknown terrain, not partial; ask for one unit")
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
    return find_kind(candidate.agent).needs_grid, place


def _settings(kind: Kind) -> list[tuple[tuple[str, Any], ...]]:
    if kind.part("lookahead") == "local":
        return [(("lookahead", count),) for count in LOOKAHEADS]
    if kind.name == "wastar" or kind.name.endswith("-wastar"):
        return [(("weight", weight),) for weight in WEIGHTS]
    return [()]


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
        How long to play. More seconds allow more problems, and better advice. What must be compiled is compiled before.
    problems
        The most problems to play: with a budget of expansions or virtual milliseconds and enough time, the result is
        repeatable, except for the times.
    agents
        Names of agents; by default all that support the terrain.
    seed
        Seed of the problems, and of the draws of `Advice.winners`.
    progress
        Called before each candidate is compiled, and before each plays, with what begins ("compiling rtaa", "trying
        rtaa, lookahead=16"), how many candidates are done, and of how many.

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
    tournament = _Tournament(world, share, terrain, seed_number(seed), progress or (lambda what, done, total: None))
    entrants = candidates(terrain, units, agents)
    tournament.compile(entrants)
    standings, left_out, played = tournament.play(entrants, problems, time.monotonic() + seconds)
    ranked = sorted(standings, key=lambda one: (one.failures, one.suboptimality, one.us_per_move))
    return Advice(ranked, left_out, played, vars(budget), terrain, units, tournament.seed)


@dataclass
class _Tournament:
    world: Grid
    budget: Mapping[str, float | None]
    terrain: str
    seed: int
    progress: Callable[[str, int, int], object]

    def compile(self, entrants: Sequence[Candidate]) -> None:
        """Compile all agents, on a small map: the types of an agent do not depend on its size."""
        small = Grid(np.ones((8, 8), bool), neighbors=self.world.neighbors, corners=self.world.corners)
        kinds = {candidate.agent: candidate for candidate in entrants}
        for done, candidate in enumerate(kinds.values()):
            self.progress(f"compiling {candidate.agent}", done, len(kinds))
            self._play(candidate, small, (0, 0), (7, 7), shortest_path(small, (0, 0), (7, 7)))

    def play(
        self, entrants: Sequence[Candidate], problems: int, deadline: float
    ) -> tuple[list[Standing], Sequence[Candidate], int]:
        """Play all candidates on one problem, then on the next, until the time is up."""
        map_ = Map.from_passable(self.world.passable)
        rules = {"neighbors": self.world.neighbors, "corners": self.world.corners}
        drawn = random_problems(map_, problems, self.seed, **rules)  # type: ignore[arg-type]
        standings: dict[Candidate, Standing] = {}
        playing, played = list(entrants), 0
        for number_, (start, goal) in enumerate(drawn):
            best = shortest_path(self.world, start, goal)
            for place, candidate in enumerate(playing):
                if time.monotonic() >= deadline and standings:
                    # Some have played one problem more than the others: only problems that all have played count.
                    fair = [one.first(min(number_ or 1, len(one.plays))) for one in standings.values()]
                    return fair, [one for one in entrants if one not in standings], max(1, played)
                self.progress(f"trying {candidate}", place, len(playing))
                so_far = standings.get(candidate) or Standing(candidate, self._prepare(candidate, start, goal), [])
                played_now = self._play(candidate, self.world, start, goal, best)
                standings[candidate] = replace(so_far, plays=[*so_far.plays, played_now])
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

    def _prepare(self, candidate: Candidate, start: Any, goal: Any) -> float:
        """Make the agent for the first time, and return the seconds of its preparation."""
        began = time.monotonic()
        self._make(candidate, self.world, start, goal)
        return time.monotonic() - began if find_kind(candidate.agent).needs_grid else 0.0

    def _make(self, candidate: Candidate, world: Grid, start: Any, goal: Any) -> Any:
        rules = {"terrain": self.terrain, "seed": self.seed, **dict(candidate.parameters)}
        return make(candidate.agent, world, start, goal, **rules)

    def _play(self, candidate: Candidate, world: Grid, start: Any, goal: Any, best: Path) -> Play:
        agent = self._make(candidate, world, start, goal)
        episode = agent.run(**self.budget, intervals=PATIENCE * len(best.states) + 100)
        # In partial terrain, obstacles are hidden on the way.
        optimal = episode.optimal_cost if self.terrain == "partial" and episode.solved else best.cost
        waiting = max(1.0, (episode.intervals - 1) / max(1, episode.moves))  # the first interval only plans
        ratio = waiting * episode.cost / optimal if episode.solved else math.inf
        longest = episode.time_per_move_us["max"]
        return Play(ratio, episode.planning_us, int(episode.moves), longest, int(episode.memory_bytes))
