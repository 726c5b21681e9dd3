"""Agents as Python programs see them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..budget import durations, interval_limit
from ..compiled import compiled, purpose, resized
from ..episode import Episode, Interval, summary_of_ns
from ..errors import ProblemError
from ..events import Events
from ..integers import Int
from ..knowledge import lay_out, see
from ..knowledge.grid import BLOCKED, GridKnowledge
from ..knowledge.terrain import can_be_at, check_sums, leave_knowledge, reports
from ..memory import Idle, Unique
from ..search.best_first import STRIDE, costs_reached
from ..search.clock import NEVER
from ..search.learning import HIGHEST_RISE, RISES, TOP, UPDATES, h_values
from ..search.listener import Listening, Nobody, new_tape, taken
from ..search.nodes import NODE
from ..values import flag, seed_number
from ..wording import shown
from ..worlds import AnyWorld, Grid
from ..worlds.interface import NO_STATE
from ..worlds.world import a_world
from . import body as compiled_body
from .body import (
    AT_GOAL,
    GOING,
    NOWHERE,
    OUT_OF_INTERVALS,
    STOPS,
    memory_used,
    new_body,
    new_walk,
    path_ahead,
    renewed,
    search_number,
    states_kept,
    with_control,
)
from .catalogue import KINDS, Kind, fill_in, find_kind, when_learning
from .dstar_lite import vertices_reached
from .listening import heard_by, listening, so_far
from .making import (
    Control,
    Memory,
    Setting,
    control_and_search,
    learned_world,
    leave_memory,
    local_control,
    searches_forward,
    suits,
    take_memory,
)
from .retreat import WithRetreat, with_retreat
from .time_bounded import solution_found
from .tracing import Tracer


def make(
    name: str, world: AnyWorld, start: Any, goal: Any, *, terrain: str = "known", seed: int = 0, **parameters: Any
) -> "Agent":
    """An agent of that name (see `catalogue`) that is to go from start to goal.

    Parameters
    ----------
    terrain
        `"known"`: the agent knows the world; `"unknown"`: it takes every cell for free until it sees otherwise;
        `"partial"`: it knows the map, but a share of the free cells is blocked without its knowing.
    seed
        For what is random: the hidden obstacles of partial terrain, and the neighbour that `late-astar` steps to.
    parameters
        The agent's own, and for all agents: `radius` and `line_of_sight` of the sensor (by default it covers the
        neighbouring cells), `hidden` and `solvable` (the share of hidden obstacles, and whether they must leave a way),
        `dearer` (on graphs: a factor by which hidden edges are dearer, instead of blocked),
        `fallback` (`"nearest"`: if the goal cannot be reached, go to the nearest cell that can), `memory_mb` (a limit).

    Examples
    --------
    >>> import timebound as tb
    >>> agent = tb.make("adaptive-astar", tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown")
    >>> episode = agent.run(expansions=100)
    >>> episode.solved, episode.stop
    (True, 'goal')
    """
    kind, world = find_kind(name, terrain), a_world(world)
    with purpose(f"agent {kind.name!r} for a {type(world).__name__}"):
        return Agent(kind, world, start, goal, terrain, seed_number(seed), fill_in(kind, parameters))


Listener = Callable[[Events], object]


class Agent(Unique):
    """Decides one move per interval, within a budget, from what it knows. Made by `make`.

    `run` simulates to the end in the library's world, `step` one interval of that. A program that owns the world itself
    calls `observe`, `plan` and `moved` instead.
    """

    def __init__(
        self, kind: Kind, world: AnyWorld, start: Any, goal: Any, terrain: str, seed: int, parameters: dict[str, Any]
    ):
        world, self._goal = world.aim(goal)
        self.kind, self.world, self.terrain, self.seed, self.parameters = kind, world, terrain, seed, parameters
        self.goal = goal if self._goal == NO_STATE else world.place(self._goal)
        """Where it wants to go."""
        self._start = world.state(start)
        suits(kind, world, parameters)
        self.truth, self._knowledge, believed = lay_out(world, terrain, self._start, self._goal, seed, parameters)
        self._learning = when_learning(kind, parameters)
        self._memory = take_memory(kind, self._learning, world)
        believed = learned_world(self._learning, believed, self._memory)
        setting = Setting(kind, world, parameters, self._start, self._goal, seed, believed, self._memory)
        control: Control | WithRetreat
        control, search = control_and_search(setting)
        order, fallback = self._memory["order"].array, parameters["fallback"] == "nearest"
        if fallback and not searches_forward(kind, parameters):
            control = with_retreat(control, world, believed, self._knowledge, self._start, self._goal, order)
        self._walk = new_walk(self._start, self._goal, fallback, order, _memory_limit(parameters["memory_mb"]))
        self._body = world.guarded(new_body)(control, search, believed, self._knowledge, self._walk)
        self._trace: list[Interval] = []
        self._listeners: dict[str, Listener] = {}
        self._turns = world.guarded(compiled_body.turns)
        # Compile now, if need be, and not within somebody's milliseconds: no interval at all.
        self._turns(self._body, 1, 1, 1, 0, True)
        _marks(self._body)  # the same: when the agent is gone, it is too late to compile
        self._latest = [self._body]  # with and without listeners it is not the same
        world.idle_memory.lease(self, partial(_settle, self._latest, self._memory, self._knowledge))

    def __repr__(self) -> str:
        return f"Agent({self.name!r} at {self.position}, going to {self.goal}, {self.terrain} terrain)"

    # ---------------------------------------------------------------- what it is doing

    @property
    def name(self) -> str:
        """Of its kind."""
        return self.kind.name

    @property
    def position(self) -> Any:
        """Where it is."""
        return self.world.place(_where(self._walk)[0])

    @property
    def done(self) -> bool:
        """Is it at its goal, or has it given up?"""
        return bool(_where(self._walk)[1] != GOING)

    @property
    def stop(self) -> str:
        """Why it ended: `goal`, `unreachable`, `intervals` or `memory`; `going` if it has not."""
        return STOPS[_where(self._walk)[1]]

    @property
    def path(self) -> Sequence[Any]:
        """The way that it means to go from here, as far as it knows; empty while it is searching."""
        return self.world.places(_path_ahead(self._body))

    def reached(self) -> np.ndarray:
        """The cost of every state that its search has reached, in the world's unit; -1 for the others. For pictures."""
        if not self.kind.searches:
            return np.full(self.world.states, -1, np.int64)
        kind = vertices_reached if self.name == "dstar-lite" else costs_reached
        costs: np.ndarray = kind(_search_of(self._body))
        return costs

    def knows(self) -> np.ndarray:
        """What it has seen of every cell of a grid: 0 nothing, 1 free, 2 blocked; an array `[y, x]`."""
        if not (isinstance(self.world, Grid) and isinstance(self._knowledge, GridKnowledge)):
            raise ProblemError("only of a grid can one see which cells an agent knows")
        compiled_body.look_back(self._body)
        seen: np.ndarray = self._knowledge.seen.reshape(self.world.shape).copy()
        return seen

    def h(self) -> np.ndarray:
        """Its heuristic, learned values included: of every state, in the world's unit. For pictures and tests."""
        if not self._learning:
            raise ProblemError(f"agent {self.name!r} learns no heuristic; those that do: {', '.join(_learners())}")
        nodes = self._memory["nodes"].array if "nodes" in self._memory else np.empty(0, NODE)
        values: np.ndarray = h_values(_world_of(self._body), nodes)
        return values

    def solution(self) -> Sequence[Any]:
        """The path to the goal that the last search of a time-bounded agent has found, from where that search began.

        It has stepped back and forth while it searched: the path that it walked may be another. Empty if none is found.
        """
        if self.kind.family != "time-bounded":
            raise ProblemError(f"agent {self.name!r} is not time-bounded: what it has found is what it walks")
        return self.world.places(solution_found(self._body))

    def reset(self) -> None:
        """Back to the start, for another trial: it keeps what it has seen and learned; its record begins anew."""
        compiled_body.start_over(self._body, self._start, self._rises())
        self._trace = []
        self._tell()

    def _rises(self) -> np.ndarray:
        """Where it is kept how much h rises in a trial; only local agents may want to know, from the second one on."""
        if self.kind.family != "local":
            return np.empty(0, np.int64)
        if "rises" not in self._memory:
            self._memory["rises"] = self.world.idle_memory.take("rises", self.world.states, np.int64)
            _begin_rises(self._body, self._memory["rises"].mark)
        return self._memory["rises"].array

    def set(self, **parameters: Any) -> None:
        """Change parameters of its own from the next search on: `lookahead` and `movements`, say.

        If any of them is refused, none is changed.

        >>> import timebound as tb
        >>> agent = tb.make("rtaa", tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown")
        >>> agent.step(expansions=20)
        (12, 100)
        >>> agent.set(movements=2, lookahead=50)
        >>> agent.run(expansions=50).solved
        True
        """
        if self.kind.family != "local":
            raise ProblemError(f"the parameters of agent {self.name!r} are fixed when it is made")
        for name in parameters:
            if name not in self.kind.parameters:
                raise ProblemError(f"agent {self.name!r} can change {', '.join(self.kind.parameters)}, not {name!r}")
        changed = fill_in(self.kind, {**self.parameters, **parameters})
        if changed["update_weight"] != self.parameters["update_weight"]:  # how far h may be too high by now
            raise ProblemError("update_weight is fixed when an agent is made; make another one")
        suits(self.kind, self.world, changed)
        self._body = self._latest[0] = _with_control(self._body, local_control(self.world, changed))
        self.parameters = changed

    # ---------------------------------------------------------------- in the library's world

    def run(
        self,
        *,
        expansions: float | None = None,
        ms: float | None = None,
        virtual_ms: float | None = None,
        intervals: int | None = None,
        trace: bool = False,
    ) -> Episode:
        """Go to the goal, or to the proof that there is no way; at most so many intervals.

        With `trace` the record tells of every interval.
        """
        most = interval_limit(intervals)
        budget = durations(expansions, ms, virtual_ms)
        if not flag(trace, "trace"):
            return self._run(budget, most, True)
        tracer = Tracer(self.world, self.kind.searches, self._trace)
        self._add_listener("trace", tracer)
        try:
            return self._run(budget, most, not self.done)
        finally:
            self._lose_listener("trace")

    def _run(self, budget: tuple[int, int, int], most: int, going: bool) -> Episode:
        while going and most > 0:
            after = self._turns(self._body, *budget, 1 if self._listeners else most, True)
            going = after.stop == GOING
            most -= after.turns  # fewer than wanted, if a signal came between
            self._tell()
        if going:
            _give_up(self._walk)
        return self.episode()

    def step(self, *, expansions: float | None = None, ms: float | None = None, virtual_ms: float | None = None) -> Any:
        """One interval: make the move decided before, observe, plan; return the position."""
        budget = durations(expansions, ms, virtual_ms)
        position = self._turns(self._body, *budget, 1, True).position
        self._tell()
        return self.world.place(position)

    # ---------------------------------------------------------------- in somebody else's world

    def plan(self, *, expansions: float | None = None, ms: float | None = None, virtual_ms: float | None = None) -> Any:
        """Plan within the budget; return where to go next: the present position if the plan is not ready."""
        self._going()
        decision = self._turns(self._body, *durations(expansions, ms, virtual_ms), 1, False).decision
        self._tell()
        return self.position if decision == NOWHERE else self.world.place(decision)

    def moved(self, actual: Any) -> None:
        """The agent is at `actual` now: where it wanted to go, where it was (a move refused), or anywhere else."""
        self._going()
        state = self.world.inside(actual)
        if not can_be_at(self._knowledge, state):
            raise ProblemError(f"the agent cannot be at {actual}: that cell was observed to be blocked")
        compiled_body.arrive(self._body, state)
        self._tell()

    def observe(
        self, *, blocked: Iterable[Any] = (), free: Iterable[Any] = (), costs: Mapping[Any, float] | None = None
    ) -> None:
        """What the sensor or the game reports: cells of a grid, or edges `(from, to)` of a graph and their costs.

        The latest report counts; an edge that is free costs what the map says. A cost must not be lower than the
        heuristic allows, nor so high that sums of costs would not be exact.
        """
        self._going()
        told = reports(self.world, self._goal, blocked, free, {} if costs is None else costs)
        facts = dict(told)
        both = next((subject for subject, fact in told if facts[subject] != fact), None)
        if both is not None:
            raise ProblemError(f"{self._subject(both)} is reported blocked and free at once")
        if isinstance(self.world, Grid) and facts.get(_where(self._walk)[0]) == BLOCKED:
            raise ProblemError(f"cell {self.position} is reported blocked, but the agent is there")
        check_sums(self.world, self._knowledge, facts, self.parameters)
        for subject, fact in facts.items():
            _take_in(self._body, subject, fact)
        self._tell()

    def _subject(self, number: int) -> str:
        return f"cell {self.world.place(number)}" if isinstance(self.world, Grid) else f"edge {number}"

    def sense(self) -> None:
        """Look around with the agent's own sensor, in the library's world."""
        compiled_body.observe(self._body)
        self._tell()

    def _going(self) -> None:
        if self.done:
            raise ProblemError(f"the agent has stopped ({self.stop}); make another one")

    # ---------------------------------------------------------------- for those who listen

    def listen(self, listener: Listener | None) -> None:
        """Let a function hear everything that happens in the agent's mind, instead of the one that did so far.

        It is called after every interval with `Events`, a sequence of `Event`; the first time at once, with events that
        lead to where the agent is now. With None nobody listens any more. That costs nothing at all; an agent with a
        listener is another one to the compiler, and compiled once.

        >>> import timebound as tb
        >>> from collections import Counter
        >>> agent, heard = tb.make("rtaa", tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown"), Counter()
        >>> agent.listen(lambda events: heard.update(event.kind for event in events))
        >>> episode = agent.run(expansions=100)
        >>> heard["expand"] == episode.expansions, heard["move"] == episode.moves + 1
        (True, True)
        """
        if not (listener is None or callable(listener)):
            raise ProblemError(f"a listener is a function that takes the events of an interval, not {shown(listener)}")
        if listener is None:
            self._lose_listener("user")
        else:
            self._add_listener("user", listener)

    def _add_listener(self, who: str, listener: Listener) -> None:
        with purpose(f"agent {self.name!r} with a listener for a {type(self.world).__name__}"):
            told = so_far(self._body)
            if not self._listeners:
                self._tape = new_tape()
                self._change_listener(listening(self._tape))
        self._listeners[who] = listener
        listener(Events(self.world, told))

    def _lose_listener(self, who: str) -> None:
        if [*self._listeners] == [who]:
            self._change_listener(Nobody())
        self._listeners.pop(who, None)

    def _change_listener(self, listener: Listening | Nobody) -> None:
        body = heard_by(listener, self._body)
        self._turns(body, 1, 1, 1, 0, True)  # compile now, as above
        self._body = self._latest[0] = body
        self._knowledge = heard_by(listener, self._knowledge)

    def _tell(self) -> None:
        """Hand over what was heard."""
        if self._listeners:
            events = Events(self.world, taken(self._tape))
            for listener in list(self._listeners.values()):
                listener(events)

    # ---------------------------------------------------------------- the record

    def episode(self) -> Episode:
        """The record so far."""
        figures, path, thoughts = _record(self._walk)
        costs = _costs(self._body)
        later: dict[str, Callable[[], Any]] = {
            "cost": partial(self.truth.walk_cost, path),
            "path": partial(self.world.places, path),
            "reversals": partial(_reversals, path),
            "time_per_move_us": partial(summary_of_ns, thoughts),
        }
        return Episode.with_more_to_come(
            later,
            agent=self.name,
            solved=figures.stop == AT_GOAL,
            moves=figures.moves,
            intervals=figures.intervals,
            expansions=figures.expansions,
            searches=figures.searches,
            back_moves=figures.back_moves,
            memory_bytes=costs.memory,
            stop=STOPS[figures.stop],
            planning_us=figures.planning / 1000,
            states_in_memory=costs.states,
            trace_steps=figures.trace_steps,
            updates=costs.updates,
            raise_per_update=costs.raised / max(1, costs.updates) / self.world.unit,
            trace=tuple(self._trace),
            truth=self.truth,
            goal=self.goal,
        )


def _settle(latest: list[Any], memory: Memory, knowledge: Any, idle: Idle) -> None:
    """The agent is gone: leave its memory to the next."""
    leave_memory(idle, memory, *_marks(latest[0]))
    leave_knowledge(idle, knowledge)


# ------------------------------------------------------------------ looks into the compiled agent


class Figures(NamedTuple):
    """What is counted."""

    moves: int
    intervals: int
    searches: int
    expansions: int
    back_moves: int
    trace_steps: int
    planning: int
    stop: int


@compiled
def _record(walk: Any) -> tuple[Figures, np.ndarray, np.ndarray]:
    """The figures, the positions, and the nanoseconds of planning before every move."""
    path, thoughts = resized(walk.trail, walk.moves + 1), resized(walk.thoughts, walk.moves)
    planning = walk.thinking
    for i in range(len(thoughts)):
        planning += thoughts[i]
    counts = (walk.moves, walk.intervals, walk.searches, walk.expansions, walk.back_moves, walk.trace_steps)
    return Figures(*counts, planning, walk.stop), path, thoughts


class Costs(NamedTuple):
    """What an agent has taken up, and what it has learned."""

    memory: int
    states: int
    updates: int
    raised: int


def _reversals(path: np.ndarray) -> int:
    return int(np.count_nonzero(path[2:] == path[:-2]))


@compiled
def _costs(body: Any) -> Costs:
    tally = body.world.tally
    return Costs(memory_used(body), states_kept(body.control, body), tally[UPDATES], tally[RISES])


@compiled
def _give_up(walk: Any) -> None:
    walk.stop = OUT_OF_INTERVALS


@compiled
def _marks(body: Any) -> tuple[int, int, int]:
    """Above the number of every search, also of one that has not begun; the highest numbers in h and in its rises."""
    tally = body.world.tally
    return search_number(body.control, body) + STRIDE, tally[TOP], tally[HIGHEST_RISE]


@compiled
def _begin_rises(body: Any, mark: int) -> None:
    body.world.tally[HIGHEST_RISE] = mark


@compiled
def _world_of(body: Any) -> Any:
    return body.world


@compiled
def _with_control(body: Any, control: Any) -> Any:
    return with_control(body, renewed(body.control, control))


@compiled
def _search_of(body: Any) -> Any:
    return body.search


@compiled
def _where(walk: Any) -> tuple[int, int]:
    return walk.position, walk.stop


@compiled
def _path_ahead(body: Any) -> np.ndarray:
    return path_ahead(body.control, body)


@compiled
def _take_in(body: Any, cell: Int, fact: int) -> None:
    body.news = see(body.knowledge, cell, fact, body.news)


# ------------------------------------------------------------------ checks of what a user gives


def _learners() -> list[str]:
    return [kind.name for kind in KINDS.values() if kind.learning]


def _memory_limit(megabytes: float | None) -> int:
    return NEVER if megabytes is None or megabytes > 1e12 else int(megabytes * 2**20)
