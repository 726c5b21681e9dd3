"""Find what is wrong with an agent, and report it in words."""

import math
import random
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from itertools import pairwise, zip_longest
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple

import numpy as np

from ..compiled import COMPILING
from ..compiled.prices import EXPANSION
from ..core.errors import ProblemError, TimeboundError
from ..core.values import seed_number, whole
from ..core.wording import shown
from ..search.solver import shortest_path
from ..worlds import Graph, Grid, World
from ..worlds.check import look_at
from ..worlds.grid import STEPS
from .agent import make
from .catalogue import Kind
from .episode import Episode
from .parameters import COMMON
from .registry import FunctionKind, as_kind, fill_in, find_kind

INTERFACE = ("position", "done", "stop", "truth", "run", "step", "plan", "moved", "observe", "episode")
_CHOSEN_HERE = [name for name in COMMON if name != "fallback"]
_MOST = 1_000_000  # problems
_INTERVALS = 20_000  # the limit of an episode: ten times what any agent of the library needs
_REFUSALS = 12  # failed moves in an episode
_OUT_OF_STEP = 4  # expansions that may happen before the virtual clock is checked
_SAME = 2e-6  # costs are rounded to the world's unit, while records count moves

Check = Callable[["_Case"], Iterator[str]]


def check_agent(
    agent: str | Kind | Callable[..., Any], *, seed: int = 0, problems: int = 24, **parameters: Any
) -> list[str]:
    """Test an agent, and return what is wrong with it: one line per problem, an empty list if there is none.

    On small worlds (grids with 4 and 8 neighbours, graphs; a third of them without a path to the goal), in every
    terrain that it supports: does it arrive, or prove that it cannot, by legal moves? Is the record true? Does it keep
    its budget, of expansions and under a clock? Is it repeatable? Does it decide without using what it cannot
    see? Called step by step, does it do what `run` does, and does it continue after failed moves?

    Parameters
    ----------
    agent
        A name, an import path `"package.module:name"`, a kind, or a function that makes agents.
    seed
        Seed of the first problem; each has the next one. A line ends with the seed of its problem. With that and
        ``problems=1`` you repeat the check on that problem alone, which is `timebound.agents.check.problem(seed)`.
    parameters
        Parameters of the agent.

    Examples
    --------
    >>> import timebound as tb
    >>> tb.check_agent("repeated-astar", problems=4)
    []
    >>> from dataclasses import replace
    >>> class Boaster:
    ...     def __init__(self, *problem, **rules):
    ...         self.agent = tb.make("repeated-astar", *problem, **rules)
    ...     def __getattr__(self, name):
    ...         return getattr(self.agent, name)
    ...     def episode(self):
    ...         return replace(self.agent.episode(), cost=0.0)
    ...     def run(self, **limits):
    ...         self.agent.run(**limits)
    ...         return self.episode()
    >>> print("\\n".join(tb.check_agent(Boaster, problems=1)))
    the cost is wrong: 0 in the record, ... by its moves; known terrain, a grid with 8 neighbours, ..., seed 0
    """
    kind = find_kind(agent) if isinstance(agent, str | Kind) else as_kind(agent, "own", "what is to be checked")
    for name in parameters:
        if name in _CHOSEN_HERE:
            raise ProblemError(f"leave out {name}: check_agent chooses terrain, sensor and limits itself")
    fill_in(kind, parameters)
    first, found = seed_number(seed), _Findings()
    for number in range(first, first + whole(problems, "problems is a whole number above 0", most=_MOST)):
        for terrain in kind.terrain:
            case = _Case(kind, parameters, terrain, problem(number), number)
            if found.taken(case):
                found.look(case)
    found.look_at_the_clock(kind, parameters)
    return found.report(kind)


# ------------------------------------------------------------------ problems


class SmallProblem(NamedTuple):
    """A small world, a start and goal, and the budget of an interval."""

    about: str
    world: World
    start: Any
    goal: Any
    budget: Mapping[str, float]


_BUDGETS: tuple[Mapping[str, float], ...] = ({"expansions": 4}, {"expansions": 1}, {}, {"virtual_ms": 0.0001})


def problem(seed: int) -> SmallProblem:
    """Return the problem of `check_agent` with this seed.

    >>> problem(3).about
    'a grid with 8 neighbours whose goal is walled in'
    """
    about, draw = _WORLDS[seed % len(_WORLDS)]
    budget = _BUDGETS[(seed + seed // len(_WORLDS)) % len(_BUDGETS)]
    return SmallProblem(about, *draw(np.random.default_rng(seed)), budget)


def _grid(generator: np.random.Generator, walled_in: bool = False, **rules: Any) -> tuple[Grid, Any, Any]:
    height, width = generator.integers(4, 6 if walled_in else 8, 2).tolist()  # a proof may take long
    passable = generator.random((height, width)) >= generator.choice([0.1, 0.25, 0.35])
    chosen = generator.choice(width * height, 2, replace=False).tolist()
    (x, y), goal = [(cell % width, cell // width) for cell in chosen]
    if walled_in:
        passable[max(0, goal[1] - 1) : goal[1] + 2, max(0, goal[0] - 1) : goal[0] + 2] = False
        x, y = (0 if 2 * goal[0] >= width else width - 1), (0 if 2 * goal[1] >= height else height - 1)
    passable[[y, goal[1]], [x, goal[0]]] = True
    return Grid(passable, **rules), (x, y), goal


def _graph(generator: np.random.Generator, in_two: bool = False) -> tuple[Graph, int, int]:
    """Make a graph of two-way roads; go from node 0 to the last."""
    count = int(generator.integers(6, 10 if in_two else 16))
    ways = {(int(generator.integers(node)), node) for node in range(1, count)}  # all nodes are connected
    ways |= {(int(min(pair)), int(max(pair))) for pair in generator.integers(count, size=(count, 2))}
    apart = [(u, v) for u, v in sorted(ways) if u != v and not (in_two and u < count // 2 <= v)]
    roads = [(u, v, int(generator.integers(1, 9))) for u, v in apart]
    return Graph.from_edges(roads, directed=False, nodes=range(count)), 0, count - 1


def _at_the_goal(generator: np.random.Generator) -> tuple[Grid, Any, Any]:
    world, start, _ = _grid(generator)
    return world, start, start


_WORLDS: tuple[tuple[str, Callable[[np.random.Generator], tuple[World, Any, Any]]], ...] = (
    ("a grid with 8 neighbours", _grid),
    ("a grid with 4 neighbours", lambda draw: _grid(draw, neighbors=4)),
    ("a graph", _graph),
    ("a grid with 8 neighbours whose goal is walled in", lambda draw: _grid(draw, walled_in=True)),
    ("a grid whose corners may be cut", lambda draw: _grid(draw, corners="cut")),
    ("a graph of two parts", lambda draw: _graph(draw, in_two=True)),
    ("a grid with 4 neighbours whose goal is walled in", lambda draw: _grid(draw, walled_in=True, neighbors=4)),
    ("a grid whose start is the goal", _at_the_goal),
)


# ------------------------------------------------------------------ an agent on a problem


@dataclass
class _Case:
    """An agent on a problem in a terrain, and what it does there."""

    kind: Kind
    parameters: Mapping[str, Any]
    terrain: str
    problem: SmallProblem
    seed: int
    met: dict[Any, dict[Any, float]] = field(default_factory=dict)
    """The moves from the places requested so far."""

    def __str__(self) -> str:
        budget = "".join(f"{name}={value:g}, " for name, value in self.problem.budget.items())
        return f"{self.terrain} terrain, {self.problem.about}, {budget}seed {self.seed}"

    def make(self, blind: bool = False) -> Any:
        """Make the agent; a blind one gets a world without what it cannot know."""
        _, world, start, goal, _ = self.problem
        rules: dict[str, Any] = (
            {"hidden": 0.0 if blind else 0.2, "solvable": False} if self.terrain == "partial" else {}
        )
        if blind and self.terrain == "unknown" and isinstance(world, Grid):
            world = world.with_map(np.ones(world.shape, bool))
        return make(self.kind, world, start, goal, terrain=self.terrain, seed=self.seed, **rules, **self.parameters)

    @cached_property
    def agent(self) -> Any:
        """The agent whose record is `episode`."""
        return self.make()

    @cached_property
    def episode(self) -> Any:
        """The record of `run`."""
        return self.agent.run(**self.problem.budget, intervals=_INTERVALS)

    @property
    def ends(self) -> bool:
        """Does it stop by itself?"""
        try:
            return bool(self.episode.stop != "intervals")
        except Exception:  # reported elsewhere
            return True

    @cached_property
    def by_hand(self) -> Any:
        """The record when a program drives the agent."""
        return self.driven(self.make())

    def driven(self, agent: Any) -> Any:
        """Drive an agent by hand to its end; return its record."""
        for _, decision in self.decisions(agent):
            agent.moved(decision)
        return agent.episode()

    def decisions(self, agent: Any) -> Iterator[tuple[Any, Any]]:
        """Report to an agent and let it plan, to its end; yield where it is and where to move it."""
        for _ in range(_INTERVALS):
            if agent.done:
                return
            self.report_to(agent)
            here, decision = agent.position, agent.plan(**self.problem.budget)
            if not agent.done:
                yield here, decision

    # ---------------------------------------------------------------- the truth

    @cached_property
    def truth(self) -> Any:
        """The true world, for plain Python."""
        return look_at(self.agent.truth, self.problem.goal)

    @cached_property
    def map(self) -> Any:
        """The world of the map."""
        return look_at(self.problem.world, self.problem.goal)

    def moves(self, place: Any) -> dict[Any, float]:
        """Return where moves lead from a place, and their costs; none from an impossible place."""
        if place not in self.met:
            try:
                moves = self.truth.moves(self.truth.first(place))
            except TimeboundError:
                moves = []
            self.met[place] = {self.truth.place(state): cost / self.agent.truth.unit for state, cost in moves}
        return self.met[place]

    @cached_property
    def least_cost(self) -> float:
        """The least cost from start to goal; infinite if there is no path."""
        return shortest_path(self.agent.truth, self.problem.start, self.problem.goal).cost

    def report_to(self, agent: Any) -> None:
        """Report to an agent what its sensor sees: the cells around it, or the blocked roads."""
        world, here = self.problem.world, agent.position
        if self.terrain == "known":
            return
        if isinstance(world, Grid):
            seen = [(here[0] + dx, here[1] + dy) for dx, dy in STEPS[: world.neighbors].tolist()]
            inside = [(x, y) for x, y in seen if 0 <= x < world.width and 0 <= y < world.height]
            free = self.agent.truth.passable
            agent.observe(
                blocked=[(x, y) for x, y in inside if not free[y, x]], free=[(x, y) for x, y in inside if free[y, x]]
            )
        else:
            gone = {self.map.place(state) for state, _ in self.map.moves(self.map.first(here))} - {*self.moves(here)}
            agent.observe(blocked=[pair for there in sorted(gone) for pair in ((here, there), (there, here))])


# ------------------------------------------------------------------ one check per function


def _arrives_or_proves(case: _Case) -> Iterator[str]:
    episode, least = case.episode, case.least_cost
    after = f"it stopped ({episode.stop}) after {episode.intervals} intervals at {shown(case.agent.position)}"
    if math.isinf(least) and episode.stop != "unreachable":
        yield f"the proof is missing: no path leads to {shown(case.problem.goal)}, but {after}"
    elif math.isfinite(least) and not episode.solved:
        yield f"the goal is not reached: a path of cost {least:g} leads to {shown(case.problem.goal)}, but {after}"
    elif episode.solved and case.agent.position != case.problem.goal:
        yield f"the goal is not reached: the record says so, but the agent is at {shown(case.agent.position)}"


def _moves_legally(case: _Case) -> Iterator[str]:
    path = list(case.episode.path)
    if path[0] != case.problem.start:
        yield f"the trajectory begins elsewhere: at {shown(path[0])}, not at {shown(case.problem.start)}"
    for number, (place, after) in enumerate(pairwise(path), 1):
        if after not in case.moves(place):
            yield f"an illegal move: from {shown(place)} to {shown(after)}, move {number}"
            return


def _records_truly(case: _Case) -> Iterator[str]:
    episode, path = case.episode, list(case.episode.path)
    cost = math.fsum(case.moves(place).get(after, math.nan) for place, after in pairwise(path))
    if abs(episode.cost - cost) > _SAME * (1 + cost):  # NaN comes from an illegal move
        yield f"the cost is wrong: {episode.cost:g} in the record, {cost:g} by its moves"
    if episode.moves != len(path) - 1:
        yield f"the moves are miscounted: {episode.moves} in the record, {len(path) - 1} in its path"
    if path[-1] != case.agent.position:
        yield f"the path ends elsewhere: at {shown(path[-1])}, while the agent is at {shown(case.agent.position)}"
    if episode.solved != (episode.stop == "goal"):
        yield f"the record contradicts itself: solved is {episode.solved}, stop is {episode.stop!r}"
    if episode.intervals < episode.moves:
        yield f"more than one move per interval: {episode.moves} moves in {episode.intervals} intervals"


def _keeps_its_budget(case: _Case) -> Iterator[str]:
    budget, agent, before = case.problem.budget, case.make(), 0
    most = budget.get("expansions", math.inf)
    virtually = budget.get("virtual_ms", math.inf) * 1e6 / EXPANSION  # if only expansions had a price
    for interval in range(1, _INTERVALS + 1):
        if agent.done:
            break
        agent.step(**budget)
        spent = agent.episode().expansions
        if spent - before > most:
            yield f"the budget is exceeded: {spent - before} expansions in interval {interval}, but {most} were allowed"
            break
        if spent > interval * virtually + _OUT_OF_STEP:
            allowed = f"but one expansion alone takes {EXPANSION} ns"
            yield f"late on the virtual clock: {spent} expansions in {interval} intervals, {allowed}"
            break
        before = spent


def _is_repeatable(case: _Case) -> Iterator[str]:
    again = case.make().run(**case.problem.budget, intervals=_INTERVALS)
    for line in _differences(case.episode, again, "at first", "again"):
        yield f"not repeatable: with the same seed {line}"


def _can_be_driven(case: _Case) -> Iterator[str]:
    for line in _differences(case.episode, case.by_hand, "in run", "driven by hand"):
        yield f"run and a loop of plan and moved disagree: {line}"


def _does_not_peek(case: _Case) -> Iterator[str]:
    """An agent must do the same if its world has only what its sensor sees, and it gets the same reports."""
    if case.terrain == "known":
        return
    names = ("path", "stop", "intervals", "expansions")
    blind = case.driven(case.make(blind=True))
    for line in _differences(case.by_hand, blind, "in this world", "if what it has not seen is free", names):
        yield f"it peeks: {line}"


def _bears_refusals(case: _Case) -> Iterator[str]:
    chance, agent, left = random.Random(case.seed), case.make(), _REFUSALS
    for here, decision in case.decisions(agent):
        if decision != here and decision not in case.moves(here):
            yield f"an illegal decision after failed moves: from {shown(here)} to {shown(decision)}"
            return
        refused = left > 0 and chance.random() < 0.3
        left -= refused
        agent.moved(here if refused else decision)
        if refused and agent.position != here:
            yield f"a failed move is not noticed: the agent is at {shown(here)}, but says {shown(agent.position)}"
            return
    wanted = "goal" if math.isfinite(case.least_cost) else "unreachable"
    if agent.stop != wanted:
        yield f"lost after failed moves: it ended with {agent.stop!r}, not {wanted!r}, at {shown(agent.position)}"


_OF_THE_RUN: tuple[Check, ...] = (_arrives_or_proves, _moves_legally, _records_truly)
_OF_MORE_RUNS = _keeps_its_budget, _is_repeatable, _can_be_driven, _does_not_peek, _bears_refusals
_COUNTED = [each.name for each in fields(Episode) if each.name not in ("time_per_move_us", "planning_us", "truth")]


def _differences(one: Any, other: Any, first: str, second: str, names: "list[str] | tuple[str, ...]" = ()) -> list[str]:
    """Return the first difference between two records, in words."""
    both = zip_longest(one.path, other.path, fillvalue="the end")
    for number, (place, otherwise) in enumerate(both):
        if place != otherwise:
            return [f"the agent is at {shown(place)} after {number} moves {first}, at {shown(otherwise)} {second}"]
    for name in names or _COUNTED:
        values = getattr(one, name, None), getattr(other, name, None)
        if values[0] != values[1]:
            return [f"{name} is {shown(values[0])} {first}, {shown(values[1])} {second}"]
    return []


# ------------------------------------------------------------------ under a clock

# Seconds of planning, of which a small part is allowed. Uncompiled, a few expansions take half a millisecond.
_LONG = 0.001 if COMPILING else 0.05
_SIDES = (16, 32, 64, 128, 256)
_TRIES = 5  # the shortest times count: many things make them longer, nothing makes them shorter


def _is_punctual(case_of: Callable[[int], _Case]) -> Iterator[str]:
    """Let it plan for long in an open field, and then again with a small part of that time."""
    for budget in ({}, {"ms": 1.0}):
        _planning(case_of(_SIDES[0]), budget, 2)  # compile everything now
    case, long = _long_planning(case_of)
    allowed = long / 20
    times = np.min([_planning(case, {"ms": 1000 * allowed}, 10) for _ in range(_TRIES)], axis=0)
    interval = int(times.argmax())
    if long > _LONG and times[interval] > long / 2:
        took = f"{1000 * times[interval]:.3g} ms of planning in interval {interval + 1}"
        cells = f"on a free grid of {case.problem.world.states} cells"
        yield f"late under a clock: {took} {cells}, but {1000 * allowed:.3g} ms were allowed"


def _long_planning(case_of: Callable[[int], _Case]) -> tuple[_Case, float]:
    """Find a field on which an interval without a limit takes long, if there is one; return it and the time."""
    before = 0.0
    for side in _SIDES:
        case = case_of(side)
        took = min(_planning(case, {}, 1)[0] for _ in range(_TRIES))
        if took > _LONG or took < 2 * before:  # it does not search further in a larger field
            break
        before = took
    return case, took


def _planning(case: _Case, budget: Mapping[str, float], intervals: int) -> list[float]:
    """Return the planning time of every interval; time in which other programs had the processor does not count."""
    agent, times = case.make(), [0.0] * intervals
    for interval in range(intervals):
        if agent.done:
            break
        begun = thread_time()
        decision = agent.plan(**budget)
        times[interval] = thread_time() - begun
        if not agent.done:
            agent.moved(decision)
    return times


def _on_a_field(kind: Kind, parameters: Mapping[str, Any], terrain: str, side: int) -> _Case:
    world = Grid(np.ones((side, side), bool), heuristic="none")
    problem = SmallProblem("a free grid", world, (0, 0), (side - 1, side - 1), {})
    return _Case(kind, parameters, terrain, problem, 0)


# ------------------------------------------------------------------ what was found


@dataclass
class _Findings:
    """The first fault of each kind."""

    lines: dict[str, str] = field(default_factory=dict)
    faulty: set[Check] = field(default_factory=set)
    """Checks that have found something: they are done."""
    refusals: dict[str, str] = field(default_factory=dict)
    """By terrain, why a problem was refused."""
    tried: set[str] = field(default_factory=set)
    """The terrains in which a problem was accepted."""

    def add(self, line: str, where: object) -> None:
        """Note a fault, unless one of its kind is known."""
        self.lines.setdefault(line.partition(":")[0], f"{line}; {where}")

    def taken(self, case: _Case) -> bool:
        """Does the agent accept the problem, and is it usable? It may reject worlds that it does not support."""
        try:
            lacking = [name for name in INTERFACE if not hasattr(case.agent, name)]
        except TimeboundError as error:
            self.refusals.setdefault(case.terrain, str(error))
            return False
        except Exception as error:
            self.add(_raised(error), case)
            return False
        self.tried.add(case.terrain)
        if lacking:
            self.add(f"something is missing: it has no `{'`, `'.join(lacking)}`", case)
        return not lacking

    def look(self, case: _Case) -> None:
        """Check everything that is not known to be wrong; if a run never ends, check nothing else."""
        for check in (*_OF_THE_RUN, *(_OF_MORE_RUNS if case.ends else ())):
            if check not in self.faulty:
                self._note(check, partial(check, case), case)

    def look_at_the_clock(self, kind: Kind, parameters: Mapping[str, Any]) -> None:
        """Is the agent punctual? Time is measured once, if it supports grids."""
        for terrain in kind.terrain:
            if terrain in self.tried and not self.lines:
                case_of = partial(_on_a_field, kind, parameters, terrain)
                self._note(_is_punctual, partial(_is_punctual, case_of), case_of(_SIDES[0]))
                return

    def _note(self, check: Any, look: Callable[[], Iterator[str]], where: object) -> None:
        try:
            for line in look():
                self.faulty.add(check)
                self.add(line, where)
        except Exception as error:
            self.add(_raised(error), where)

    def report(self, kind: Kind) -> list[str]:
        """Return all lines. An agent must accept some problem in every terrain that it claims to support."""
        expected = () if isinstance(kind, FunctionKind) and self.tried else kind.terrain
        idle = [terrain for terrain in expected if terrain not in self.tried and not self.lines]
        refused = [f"no problem in {name} terrain was accepted: {self.refusals.get(name, '')}" for name in idle]
        return [*self.lines.values(), *refused]


def _raised(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"it raised {type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
