"""The Python interface of agents."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from os import PathLike
from typing import Any, cast

import numpy as np

from ..compiled import for_types_of, kind_of, purpose
from ..compiled.clock import NEVER
from ..core.errors import ProblemError, TimeboundError
from ..core.lazy import above
from ..core.memory import Pool, Unique, Used
from ..core.values import flag, items, number, seed_number
from ..core.wording import shown
from ..knowledge import lay_out
from ..knowledge.bodies import Told
from ..knowledge.graph import GraphKnowledge
from ..knowledge.grid import ASSUMED, UNSEEN, GridKnowledge, forget_all, leave_grid_knowledge
from ..knowledge.terrain import believed_world, reports
from ..search.budget import Budget, durations, interval_limit
from ..search.consistency import MOST
from ..search.learning import HIGHEST_RISE, h_values
from ..search.listener import Listening, Nobody, new_tape, taken, write_down
from ..search.types import NODE
from ..worlds import Graph, Grid, World
from ..worlds.bodies import BodyGrid
from ..worlds.changes import Noted
from ..worlds.grid import OF_COST
from ..worlds.interface import NO_STATE, heuristic
from ..worlds.poses import Pose
from ..worlds.world import Places, a_world
from . import body as compiled_body
from . import changing, queries
from .catalogue import KINDS, Kind, Mix, check_terrain, mix
from .episode import Episode, Interval, summary_of
from .events import Events
from .interval import (
    After,
    body_of,
    costs_of,
    journey_of,
    new_mind,
    process_news,
    start_over,
    turns,
    wind_up,
    with_parts,
)
from .journey import GOING, ILLEGAL, NOWHERE, OUT_OF_INTERVALS, STOPS, Beginning, Task, go_for, new_journey, record_of
from .making import Memory, learned_world, leave_memory, leave_open_list, renewed, take_memory, take_own_memory
from .parameters import COMMON
from .parts import ROLES, WITHOUT, Before, Setting, is_foreign, object_to
from .registry import FunctionKind, find_kind
from .retreat import retreat_to_nearest
from .roles import Parts
from .tracing import Tracer


def make(
    name: str | Kind,
    world: World,
    start: Any,
    goal: Any,
    *,
    terrain: str = "known",
    seed: int = 0,
    mobility: str | None = None,
    size: Any = 1,
    **parameters: Any,
) -> "Agent":
    """Make an agent that goes from start to goal.

    Parameters
    ----------
    name
        A name from the `catalogue`; or the import path of your own agent, `"package.module:name"`.
    world, start, goal
        Any world, and two of its places: `(x, y)` on a grid, labels on a graph.
    terrain
        `"known"`: the agent knows the world; `"unknown"`: it assumes that every cell is free until it sees otherwise;
        `"partial"`: it knows the map, but some of the free cells are blocked without its knowledge.
    seed
        Seed of what is random: the hidden obstacles of partial terrain, and the neighbour that `late-astar` steps to.
    mobility, size
        Those of its body, on a grid: see `Grid.for_body`.
    parameters
        The agent's own, and for all agents: `radius` and `line_of_sight` of the sensor (by default it covers the
        neighbouring cells), `hidden` and `solvable` (the share of hidden obstacles, and whether a path must remain),
        `cost_factor` (on graphs: a factor by which hidden edges are more expensive, instead of blocked),
        `walk` (`"any-angle"`: along straight lines, on grids),
        `fallback` (`"nearest"`: if the goal cannot be reached, go to the nearest cell that can), `memory_mb` (a limit).

    Raises
    ------
    ProblemError
        If there is no such agent, place or parameter, or the agent does not support this world or terrain.
    CompilationError
        If a part or a world from outside timebound does not compile.

    Examples
    --------
    >>> import timebound as tb
    >>> agent = tb.make("adaptive-astar", tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown")
    >>> episode = agent.run(expansions=100)
    >>> episode.solved, episode.stop
    (True, 'goal')
    """
    kind, world = find_kind(name, terrain), a_world(world).for_body(mobility, size)
    if isinstance(kind, FunctionKind):
        kind.check(parameters)
        own: Agent = kind.make(world, start, goal, terrain=terrain, seed=seed_number(seed), **parameters)
        return own
    chosen = mix(kind, parameters)
    check_terrain(terrain, chosen.parameters)
    with purpose(f"agent {kind.name!r} for a {type(world).__name__}"):
        return Agent(kind, world, start, goal, terrain, seed_number(seed), chosen)


Listener = Callable[[Events], object]


class Agent(Unique):
    """An agent decides one move per interval, within a budget, from what it knows. `make` makes one.

    `run` simulates the agent to the end in the library's world, `step` one interval. A program with its own world
    calls `observe`, `plan` and `moved` instead.
    """

    def __init__(
        self,
        kind: Kind,
        world: World,
        start: Any,
        goal: Any,
        terrain: str,
        seed: int,
        chosen: Mix,
        anywhere: bool = False,
    ):
        """Make an agent; a saved one may be `anywhere`, also inside a wall."""
        world, self._goal = (world, world.inside(goal)) if anywhere else world.aim(goal)
        self.kind, self.world, self.terrain, self.seed, self.parameters = kind, world, terrain, seed, chosen.parameters
        self.goal = goal if self._goal == NO_STATE else world.place(self._goal)
        """Its goal."""
        self._start = world.inside(start) if anywhere else world.state(start)
        self._parts, self._learning = chosen.parts, chosen.learning
        setting = self._setting(chosen.parameters)
        object_to(setting)
        ends = self._start, self._goal
        self._truth: World | None
        self._truth, self._knowledge = lay_out(world, terrain, *ends, seed, chosen.parameters)
        self._memory = setting.memory = take_memory(chosen.parts, world)
        believed = believed_world(world, terrain, self._knowledge, self._goal)
        setting.believed = learned_world(self._learning, believed, self._memory)
        fallback, megabytes = chosen.parameters["fallback"] == "nearest", chosen.parameters["memory_mb"]
        limit = NEVER if megabytes is None or megabytes > 1e12 else int(megabytes * 2**20)
        overestimated = chosen.parts["learning"].most_overestimated(setting)
        problem = Task(*ends, fallback, limit, world.longest, self._steepness(setting), overestimated)
        self._trace: list[Interval] = []
        self._paid, self._paid_until = 0.0, 0
        self._listeners: dict[str, Listener] = {}
        self._turns = world.guarded(turns)
        self._watch = changing.Watch(world.version, len(world.changes.rescalings))
        self._lease = world.pool.lease(self, lambda pool: None)  # until it is made
        journey = (new_journey if self._needs_retreat else Beginning)(problem, self._memory["order"].array)
        parts = self._compiled_parts(setting, journey)
        ingredients = self._ingredients(setting, parts, journey)
        kind_of_parts, ready = (terrain, kind_of(parts)), world.pool.ready
        if kind_of_parts in ready:
            self._set_mind(ready[kind_of_parts](*ingredients))
        else:
            new = world.guarded(new_mind)
            self._set_mind(new(*ingredients))
            # Compile now, not within a caller's milliseconds: run zero intervals. And what is needed when the agent is
            # deleted, for then it is too late to compile.
            self._turns(self._mind, 1, 1, 1, 0, True)
            queries.marks_of(self._mind)
            if isinstance(self._knowledge, GridKnowledge):
                forget_all(self._knowledge)
            # The next agent of this kind on a grid is made without asking for the types of all these ingredients.
            ready[kind_of_parts] = for_types_of(new, *ingredients) if isinstance(world, Grid) else new

    def _ingredients(self, setting: Setting, parts: Parts, journey: Any) -> tuple[Any, ...]:
        """Return what its compiled form is made from, for a journey that begins or continues: see `new_mind`."""
        search = self._parts["lookahead"].search(setting, parts.order)
        self._retreat, self._open_list, self._longest = parts.retreat, setting.open_list, self.world.longest
        return parts, search, setting.believed, self._knowledge, journey

    def _set_mind(self, mind: Any) -> None:
        """Install a compiled form, which leaves its memory to others when the agent is deleted."""
        self._mind = mind
        self.__dict__.pop("_body", None)  # it is outdated now
        self._lease.settle = partial(_settle, mind, self._memory, self._open_list, self._knowledge)

    @cached_property
    def _body(self) -> Any:
        return body_of(self._mind)

    @cached_property
    def _journey(self) -> Any:
        """The part that all its compiled forms share."""
        return journey_of(self._body)

    def _steepness(self, setting: Setting) -> int:
        return self._parts["learning"].steepness(setting) if self._learning else 0

    def process_news(self, clocked: bool = False) -> None:
        """Process news now instead of when it next plans; within a short time if it is `clocked`."""
        changing.go_on(self)
        process_news(self._mind, MOST if clocked else NEVER)

    def renew(self, lowered: int | None = None, same_world: bool = False) -> None:
        """Replan from here to `goal`; learned values are lowered by `lowered`, or forgotten. The record continues.

        The library calls it when the goal has moved, or when the world has new units of cost or new arrays.
        """
        if not self._listeners:
            self._renew(lowered, same_world)
            return
        from .listening import listening, what_was_kept

        self._change_listener(Nobody())
        try:
            self._renew(lowered, same_world)
        finally:
            write_down(self._tape, what_was_kept(self._body))
            self._change_listener(listening(self._tape))

    def _renew(self, lowered: int | None, same_world: bool) -> None:
        changing.go_on(self)  # the news will be gone
        if changing.retreats(self):
            lowered = None  # it has not read all news
        number, _, highest_rise = queries.marks_of(self._mind)
        setting = self._setting(self.parameters)
        setting.freer = self._watch.freer
        believed = believed_world(self.world, self.terrain, self._knowledge, self._goal)
        setting.believed = renewed(queries.world_of(self._body), believed, lowered, number)
        marks = {"nodes": number, "vertices": number, "rises": highest_rise}
        kept = {name: Used(used.array, marks.get(name, 0)) for name, used in self._memory.items()}
        setting.memory = kept | take_own_memory(self._parts, self.world)
        if same_world and self._parts["lookahead"].keeps_search:
            setting.before = Before(
                queries.parts_of(self._mind).lookahead, queries.search_of(self._body), self._open_list
            )
        parts = self._compiled_parts(setting, self._journey)  # may raise: nothing has changed yet
        self._memory = setting.memory
        if setting.before is None:
            leave_open_list(self.world.pool, self._open_list)
        go_for(self._journey, self._goal, self.world.longest, self._steepness(setting))
        self._set_mind(self.world.guarded(new_mind)(*self._ingredients(setting, parts, self._journey)))

    @property
    def _state(self) -> int:
        return int(queries.standing(self._journey).position)

    @property
    def _needs_retreat(self) -> bool:
        finds_refuge = self._parts["lookahead"].finds_refuge(self.parameters)
        return self.parameters["fallback"] == "nearest" and not finds_refuge

    def _compiled_parts(self, setting: Setting, journey: Any) -> Parts:
        """Return the parts in their compiled form."""
        made: list[Any] = [self._parts[role].make(setting) for role in ROLES]
        surroundings = self.world, setting.believed, self._knowledge
        made.append(retreat_to_nearest(*surroundings, journey) if self._needs_retreat else WITHOUT)
        return Parts._make(made)

    def _setting(self, parameters: Mapping[str, Any]) -> Setting:
        return Setting(self.name, self._parts, self.world, parameters, self._start, self._goal, self.seed, self.terrain)

    def __repr__(self) -> str:
        return f"Agent({self.name!r} at {self.position}, going to {self.goal}, {self.terrain} terrain)"

    # ---------------------------------------------------------------- files

    def save(self, file: str | PathLike[str]) -> None:
        """Save the agent and its world, a grid or a graph: what `load` returns makes the same moves as this one.

        The file is written whole or not at all. An agent with a listener must lose it first.

        >>> import tempfile, timebound as tb
        >>> agent = tb.make("tbaa", tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown")
        >>> file = tempfile.mkdtemp() + "/agent"
        >>> agent.step(expansions=50), agent.step(expansions=50), agent.save(file)
        ((12, 100), (13, 99), None)
        >>> tb.Agent.load(file).run(expansions=50).path == agent.run(expansions=50).path
        True
        """
        from .saved import save

        save(self, file)

    @classmethod
    def load(cls, file: str | PathLike[str], **parameters: Any) -> "Agent":
        """Load a saved agent, with its own copy of its world: `agent.world`.

        Its own parts and kinds must exist here too. `parameters` has those that are objects: `cases`, for example.

        Raises
        ------
        MapError
            If the file is damaged, holds something else, or is of another version of timebound. A checksum detects
            damage, not malice: no code in the file is run, but compiled code trusts its numbers. Load your own files.
        """
        from .saved import load

        return load(cls, file, parameters)

    # ---------------------------------------------------------------- what it is doing

    @property
    def name(self) -> str:
        """The name of its kind."""
        return self.kind.name

    @property
    def position(self) -> Any:
        """Where it is."""
        return self.world.place(self._state)

    @property
    def pose(self) -> Pose:
        """Where it is, in metres, on a grid that has a resolution."""
        return cast(Grid, self.world).metres(self.position)

    @property
    def done(self) -> bool:
        """Whether it is at its goal, or has given up. It may resume when the world changes: see `stop`."""
        return self.stop != "going"

    @property
    def stop(self) -> str:
        """Why it ended: `goal`, `unreachable`, `stuck`, `hit`, `intervals` or `memory`; `going` if it has not.

        An agent that stopped as `unreachable` or `stuck` resumes as soon as it learns that a move became possible or
        cheaper, because the world changed or because of a report.
        """
        self.catch_up()
        return STOPS[queries.standing(self._journey).stop]

    def catch_up(self) -> None:
        """Process the changes of its world (see `World.block`). Every other call does this first."""
        if self._watch.version != self.world.version:
            changing.catch_up(self)

    @property
    def truth(self) -> World:
        """The true world, which the agent may not know completely."""
        if self._truth is None:  # it has changed
            self._truth = self.world
            if isinstance(self.world, Graph) and isinstance(self._knowledge, GraphKnowledge):
                self._truth = self.world.with_extra(self._knowledge.truth)
        return self._truth

    @property
    def path(self) -> Sequence[Any]:
        """The path that it intends to follow from here, as far as it knows; empty while it is searching.

        `np.asarray(agent.path)` is faster than a list of positions.
        """
        self.catch_up()
        return Places(self.world, queries.path_of(self._mind))

    def time_to_goal(self, speed: float = 1.0) -> float:
        """Return an estimate of the time to its goal: along its path, and straight on from there, as far as it knows.

        Parameters
        ----------
        speed
            In metres per second on a grid that has a resolution; otherwise in units of cost per tick.

        Examples
        --------
        >>> import numpy as np, timebound as tb
        >>> hall = tb.Grid(np.ones((40, 60), bool), resolution=0.05)
        >>> agent = tb.make("dstar-lite", hall, (0, 0), (40, 0), terrain="unknown")
        >>> agent.time_to_goal(speed=0.5)
        4.0
        """
        speed = number(speed, "a speed is a number above 0", lambda given: 0 < given < math.inf)
        if self.stop in ("unreachable", "stuck"):
            return math.inf
        path = queries.path_of(self._mind).astype(np.int64)
        end = int(path[-1]) if len(path) else self._state
        ahead = 0.0 if end == self._goal else int(heuristic(self.world.compiled(self._goal), end)) / self.world.unit
        known = self.world.walk_cost(path) if len(path) else 0.0
        return (known + ahead) * (getattr(self.world, "resolution", None) or 1.0) / speed

    @property
    def waypoint(self) -> Any:
        """Where it goes straight to: with `walk="any-angle"` the next corner, otherwise its next place."""
        self.catch_up()
        state = queries.waypoint_of(self._mind)
        return self.position if state == NOWHERE else self.world.place(int(state))

    def reached(self) -> np.ndarray:
        """Return the cost of every state that its search has reached, in the world's unit, or -1: for pictures."""
        costs = queries.costs_of_search(self._mind)
        return costs if len(costs) else np.full(self.world.states, -1, np.int64)

    def knows(self) -> np.ndarray:
        """Return what it has seen of a grid: 0 nothing, 1 free, 2 blocked; an array `[y, x]`."""
        if not (isinstance(self.world, Grid) and isinstance(self._knowledge, GridKnowledge)):
            raise ProblemError("seen cells are available only on a grid")
        self.catch_up()
        compiled_body.look_back(self._body)
        seen: np.ndarray = self._knowledge.seen.reshape(self.world.shape)
        return np.where(seen < ASSUMED, seen, np.uint8(UNSEEN))

    def h(self) -> np.ndarray:
        """Return its h of every state, with learned values, in the world's unit. For pictures and tests."""
        if not self._learning:
            learners = ", ".join(kind.name for kind in KINDS.values() if kind.learning)
            raise ProblemError(f"agent {self.name!r} learns no heuristic; these do: {learners}")
        self.catch_up()
        self.process_news()
        nodes = self._memory["nodes"].array if "nodes" in self._memory else np.empty(0, NODE)
        values: np.ndarray = h_values(queries.world_of(self._body), nodes)
        return values

    def solution(self) -> Sequence[Any]:
        """The path to the goal found by the last search of a time-bounded agent, from where that search began.

        The agent may have stepped back while it searched, so its own walk may differ. Empty if no path is found.
        """
        solution = self._parts["lookahead"].solution
        if solution is None:
            raise ProblemError(f"agent {self.name!r} is not time-bounded: it walks the path that it has found")
        return self.world.places(solution(self._body))

    def reset(self) -> None:
        """Return to the start for another trial: it keeps what it has seen and learned; its record starts again.

        (After its `fallback` has walked for it, it begins to learn anew.)
        """
        self.catch_up()
        if changing.retreats(self):
            self.renew()
        start_over(self._mind, self._start, self._rises())
        changing.leave_wall(self)
        changing.stand_in_wall(self)
        self._trace, self._paid, self._paid_until = [], 0.0, 0
        self._tell()

    def _rises(self) -> np.ndarray:
        """Return the array for how much h rises in a trial, from the second trial on, if the target may ask for it."""
        if not (self._parts["lookahead"].adjustable or self._parts["target"].compares_rises):
            return np.empty(0, np.int64)
        if "rises" not in self._memory:
            self._memory["rises"] = self.world.pool.take("rises", self.world.states, np.int64)
            queries.world_of(self._body).tally[HIGHEST_RISE] = self._memory["rises"].mark
        return self._memory["rises"].array

    def retarget(self, goal: Any) -> None:
        """Go to another goal from now on; at any time, even at the old goal. If the agent is there, it has arrived.

        It keeps what it has seen, and what it has learned as far as it holds for the new goal: with
        h(s) - h(new goal) in place of h(s) where h is consistent (Moving-Target Adaptive A*: Koenig, Likhachev and
        Sun 2007). A running search starts again.

        Raises
        ------
        ProblemError
            If goals cannot move in this world, or the agent cannot be there. Then it keeps its goal.

        Examples
        --------
        >>> import timebound as tb
        >>> agent = tb.make("adaptive-astar", tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown")
        >>> agent.run().solved
        True
        >>> agent.retarget((12, 100))
        >>> agent.run().path[-1]
        (12, 100)
        """
        if not self.world.aims_anywhere:
            raise ProblemError(f"the goal cannot move in a {type(self.world).__name__}, only on grids and graphs")
        state = self.world.state(goal)
        self.catch_up()
        self.process_news()
        wind_up(self._mind)
        lowered, before = changing.what_is_lost(self, state), self._goal
        self._goal = state
        try:
            self.renew(lowered, same_world=True)
            queries.set_out(self._journey)
        except TimeboundError:  # a part does not support that goal
            self._goal = before
            raise
        self.goal = self.world.place(state)

    def set(self, **parameters: Any) -> None:
        """Change its parameters, such as `lookahead` and `movements`, from the next search on.

        Raises
        ------
        ProblemError
            If the agent cannot change one of them. Then none is changed.

        Examples
        --------
        >>> import timebound as tb
        >>> agent = tb.make("rtaa", tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown")
        >>> agent.step(expansions=20)
        (12, 100)
        >>> agent.set(movements=2, lookahead=50)
        >>> agent.run(expansions=50).solved
        True
        """
        if not self._parts["lookahead"].adjustable:
            raise ProblemError(f"the parameters of agent {self.name!r} are fixed when it is made")
        if not COMMON.keys().isdisjoint(parameters):
            raise ProblemError(f"{' and '.join(COMMON.keys() & parameters)} are fixed when an agent is made")
        lost = ("update_weight",) if "learning" in parameters else ()  # the next rule may not have it
        kept = {name: value for name, value in self.parameters.items() if name not in lost}
        changed = mix(self.kind, {**kept, **parameters})
        old, new = self._parts["learning"], changed.parts["learning"]
        if changed.parameters.get("update_weight", 1) != self.parameters.get("update_weight", 1):
            raise ProblemError("update_weight is fixed when an agent is made; make another one")  # h may be too high
        if old is not new and not (old.reads_closed and new.reads_closed):
            raise ProblemError(
                f"learning {old.name!r} cannot become {new.name!r} during an episode; make another agent"
            )
        setting = self._setting(changed.parameters)
        setting.parts, setting.memory = changed.parts, self._memory
        object_to(setting)
        before = queries.parts_of(self._mind)
        parts = Parts._make([*(changed.parts[role].make(setting) for role in ROLES), before.retreat])
        if queries.steepness_of(self._journey) != new.steepness(setting):
            queries.set_steepness(self._journey, 0)
        self._set_mind(with_parts(self._mind, parts if old is not new else parts._replace(learning=before.learning)))
        self.parameters, self._parts = changed.parameters, changed.parts

    # ---------------------------------------------------------------- in the library's world

    def run(
        self,
        *,
        expansions: float | None = None,
        ms: float | None = None,
        virtual_ms: float | None = None,
        intervals: int | None = None,
        trace: bool | str | PathLike[str] = False,
        target: Any = None,
    ) -> Episode:
        """Go to the goal, or prove it unreachable.

        Parameters
        ----------
        expansions, ms, virtual_ms
            The budget of an interval: at most one of the three; none means no limit. See `Budget`.
        intervals
            The most intervals, after which the agent stops with the reason `intervals`.
        trace
            True: the record includes every interval. A path: write a trace for the studio and `timebound replay`.
        target
            A goal that moves: another agent, which gets the same budget, or anything that gives a place per interval,
            such as a list (`timebound.applications.pursuit` has targets). It moves first. The run ends when the agent
            is where the target is, or cannot reach a target that has stopped.

        Raises
        ------
        ProblemError
            If the budget is invalid, or a part from outside timebound decides on an illegal move.

        Examples
        --------
        >>> import numpy as np, timebound as tb
        >>> agent = tb.make("adaptive-astar", tb.Grid(np.ones((3, 9), bool)), (0, 1), (4, 1))
        >>> agent.run(target=[(5, 1), (6, 1), (7, 1)]).path[-1]
        (7, 1)
        """
        most = interval_limit(intervals)
        budget = durations(expansions, ms, virtual_ms)
        places = None if target is None else _places_of(target, expansions=expansions, ms=ms, virtual_ms=virtual_ms)
        if isinstance(trace, (str, PathLike)) and target is None:
            return self._run_recorded(trace, Budget(expansions, ms, virtual_ms), intervals)
        if not flag(trace, "trace"):
            return self._run(budget, most, places, True)
        searches = len(queries.costs_of_search(self._mind)) > 0
        self._add_listener("trace", Tracer(self.world, searches, self._trace))
        try:
            return self._run(budget, most, places, not self.done)
        finally:
            self._lose_listener("trace")

    def _run(self, budget: tuple[int, int, int], most: int, places: Iterator[Any] | None, going: bool) -> Episode:
        if places is not None:
            return self._pursue(places, budget, most)
        while going and most > 0:
            after = self._take_turns(budget, 1 if self._listeners else most, True)
            going = after.stop == GOING
            most -= after.turns  # fewer than wanted, if a signal interrupted them
            self._tell()
        if going:
            queries.set_stop(self._journey, OUT_OF_INTERVALS)
        return self.episode()

    def _run_recorded(self, path: str | PathLike[str], budget: Budget, intervals: int | None) -> Episode:
        recorder = above("recorder")(self, partial(self._add_listener, "recording"))
        try:
            episode: Episode = recorder.run(**vars(budget), intervals=intervals)
        finally:
            self._lose_listener("recording")
        recorder.save(path)
        return episode

    def _pursue(self, places: Iterator[Any], budget: tuple[int, int, int], most: int) -> Episode:
        """Follow a target; see `run`."""
        moving = True
        while most > 0:
            place = next(places, None)
            moving = moving and place is not None
            if moving and self._meets(place):
                break
            if self.done and not moving:
                break
            most -= self._take_turns(budget, 1, True).turns or 1
            self._tell()
            if self.stop == "goal":
                break
        if self.stop == "going":
            queries.set_stop(self._journey, OUT_OF_INTERVALS)
        return self.episode()

    def _meets(self, place: Any) -> bool:
        """Note where the target is now; return whether the agent is there too."""
        state = self.world.state(place)
        if state != self._goal or (self.stop == "goal") != (state == self._state):
            self.retarget(place)
        return state == self._state

    def step(self, *, expansions: float | None = None, ms: float | None = None, virtual_ms: float | None = None) -> Any:
        """Run one interval: make the move decided in the last one, observe, plan; return the position.

        The budget is that of `run`, which says what can go wrong.

        >>> import timebound as tb
        >>> agent = tb.make("adaptive-astar", tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown")
        >>> agent.step(expansions=100), agent.step(expansions=100)  # the first interval only plans
        ((12, 100), (13, 99))
        """
        budget = durations(expansions, ms, virtual_ms)
        position = self._take_turns(budget, 1, True).position
        self._tell()
        return self.world.place(position)

    def _take_turns(self, budget: tuple[int, int, int], most: int, walking: bool) -> After:
        """Run at most `most` turns, while the world does not change; only one while the agent is inside a wall."""
        gate, running = self.world.changes.gate, most > 1
        try:
            gate.enter(running)
            self.catch_up()
            after: After = self._turns(self._mind, *budget, most if self._watch.wall is None else 1, walking)
            while after.turns == 0 and queries.standing(self._journey).relief:
                self.process_news(clocked=min(budget[1:]) != NEVER)
                after = self._turns(self._mind, *budget, most if self._watch.wall is None else 1, walking)
            if self._watch.wall is not None:
                changing.leave_wall(self)
            if after.stop == ILLEGAL:
                own = [f"{role} {part.name!r}" for role, part in self._parts.items() if is_foreign(part)]
                what = f"check its {'part' if len(own) == 1 else 'parts'} {' and '.join(own)}"
                raise ProblemError(f"agent {self.name!r} decided an illegal move at {self.position}; {what}")
            return after
        finally:
            gate.leave(running)

    # ---------------------------------------------------------------- in your own world

    def plan(self, *, expansions: float | None = None, ms: float | None = None, virtual_ms: float | None = None) -> Any:
        """Plan within the budget, which is that of `run`; return where to go next.

        That is the current position if the plan is not ready, or if the agent has stopped: `stop` says why.

        >>> import numpy as np, timebound as tb
        >>> agent = tb.make("dstar-lite", tb.Grid(np.ones((3, 5), bool)), (0, 1), (4, 1), terrain="unknown")
        >>> while not agent.done:
        ...     agent.observe(blocked=[(2, 1)])  # what the sensor sees
        ...     agent.moved(agent.plan(ms=1))  # where the agent is now
        >>> agent.stop, agent.episode().moves
        ('goal', 4)
        """
        after = self._take_turns(durations(expansions, ms, virtual_ms), 1, False)
        self._tell()
        stays = after.decision == NOWHERE or after.stop != GOING
        return self.position if stays else self.world.place(after.decision)

    def moved(self, actual: Any) -> None:
        """Report that the agent is at `actual`: where it wanted to go, where it was (the move failed), or elsewhere.

        It may be where it takes a cell of a grid for blocked: then it can leave, but not come back. An agent that has
        stopped, at its goal or because it cannot get there, goes on from another place.

        Raises
        ------
        ProblemError
            If there is no such place in the world. `plan` has an example.
        """
        self.catch_up()
        changing.put(self, self.world.inside(actual))
        self._tell()

    def observe(
        self,
        *,
        blocked: Iterable[Any] = (),
        free: Iterable[Any] = (),
        costs: Mapping[Any, float] | tuple[Iterable[Any], Iterable[float]] | None = None,
    ) -> None:
        """Report what the sensor or the game sees: cells of a grid, or edges `(from, to)` of a graph and their costs.

        The latest report counts. If the agent's own cell is blocked, the agent can leave it, but not come back. An
        agent with a body takes reports about the cells of the map, and works out where it fits.

        Parameters
        ----------
        blocked, free
            A list of positions, or an array with one in each row. A free edge costs what the map says.
        costs
            A dictionary, or a pair of lists or arrays: the cells or edges, and their costs.

        Raises
        ------
        ProblemError
            If a place does not exist or is both blocked and free, or if a cost is lower than the heuristic allows, or
            so high that sums of costs would not be exact. Then nothing is reported.

        Examples
        --------
        >>> import numpy as np, timebound as tb
        >>> agent = tb.make("dstar-lite", tb.Grid(np.ones((3, 5), bool)), (0, 1), (4, 1), terrain="unknown")
        >>> agent.observe(blocked=np.array([(2, 1), (2, 2)]), costs=([(1, 0), (3, 0)], [2, 2.5]))
        >>> agent.plan()
        (1, 0)
        """
        if isinstance(self.world, BodyGrid):
            blocked, free, costs = self._told.about_places(blocked, free, {} if costs is None else costs)
        subjects, facts = reports(
            self.world, self._knowledge, self.parameters, self._goal, blocked, free, {} if costs is None else costs
        )
        self.catch_up()  # a grid without travel costs may have them now
        if isinstance(self.world, Grid):
            if (subjects % 2 == OF_COST).any():
                changing.have_own_costs(self)
            now = changing.to_believe_now(self, subjects, facts)
            subjects, facts = subjects[now], facts[now]
            changing.look_again(self)
        queries.take_in(self._body, subjects, facts, self.world.states)
        changing.refuse_decision(self)
        changing.go_on(self)
        self._tell()

    @cached_property
    def _told(self) -> Told:
        return Told(cast(BodyGrid, self.world), self.terrain == "unknown")

    def sense(self) -> None:
        """Look around with the agent's own sensor, in the library's world."""
        self.catch_up()
        compiled_body.observe(self._body)
        self._tell()

    # ---------------------------------------------------------------- listeners

    def listen(self, listener: Listener | None) -> None:
        """Call a function with everything that the agent's search and decisions do; it replaces the previous listener.

        It is called after every interval with `Events`, a sequence of `Event`; and once immediately, with events that
        lead to the agent's current state. None removes the listener. Without one there is no cost at all; an agent with
        a listener has other types, which are compiled once.

        >>> import timebound as tb
        >>> from collections import Counter
        >>> agent, heard = tb.make("rtaa", tb.Grid.load("harbour"), (12, 100), (60, 70), terrain="unknown"), Counter()
        >>> agent.listen(lambda events: heard.update(event.kind for event in events))
        >>> episode = agent.run(expansions=100)
        >>> heard["expand"] == episode.expansions, heard["move"] == episode.moves + 1
        (True, True)
        """
        if not (listener is None or callable(listener)):
            raise ProblemError(f"a listener must be a function of the events of an interval, not {shown(listener)}")
        if listener is None:
            self._lose_listener("user")
        else:
            self._add_listener("user", listener)

    def _add_listener(self, who: str, listener: Listener) -> None:
        from .listening import listening, so_far  # it imports all parts, which only listeners need

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
        from .listening import heard_by

        mind, self._knowledge = heard_by(listener, self._mind), heard_by(listener, self._knowledge)
        self._turns(mind, 1, 1, 1, 0, True)  # compile now, as above
        self._set_mind(mind)

    def _tell(self) -> None:
        """Pass the events to the listener."""
        if self._listeners:
            events = Events(self.world, taken(self._tape))
            for listener in list(self._listeners.values()):
                listener(events)

    # ---------------------------------------------------------------- the record

    def pay(self, noted: Noted) -> None:
        """Add up the cost of its moves so far, before a change of the world."""
        path = queries.trail_from(self._journey, self._paid_until)
        if len(noted.subjects) and len(path) > 1:
            if isinstance(self.world, Grid):
                self._paid += self.world.walk_cost_then(path, noted)
            elif isinstance(self.world, Graph) and isinstance(self._knowledge, GraphKnowledge):
                self._paid += self.world.walk_cost_then(path, noted, self._knowledge.truth)
            self._paid_until += len(path) - 1

    def _cost_of(self, path: np.ndarray) -> Callable[[], float]:
        """Return the cost of its moves, computed on request; immediately, if costs can change until then."""
        world = self.world if isinstance(self.world, Grid) else self.truth
        if isinstance(world, Grid) and world.travel is None:
            return partial(world.walk_length, path)
        if not isinstance(world, (Grid, Graph)):
            return partial(world.walk_cost, path)
        cost = self._paid + world.walk_cost(path[self._paid_until :])
        return lambda: cost

    def _length(self, path: np.ndarray) -> float:
        """Return the length of its walk."""
        if not isinstance(self.world, Grid):
            return self._cost_of(path)()
        if self._parts["walk"].name != "any-angle":
            return self.world.walk_length(path)
        from .algorithms.straight import corners_of

        x, y = np.divmod(corners_of(queries.parts_of(self._mind).walk, self._state), self.world.width)
        return float(np.hypot(np.diff(x), np.diff(y)).sum())

    def episode(self) -> Episode:
        """Return the record so far."""
        self.catch_up()
        counts, planning, stop, path, thoughts = record_of(self._journey)
        memory, states, updates, raised = costs_of(self._mind)
        later: dict[str, Callable[[], Any]] = {
            "cost": self._cost_of(path),
            "path": partial(self.world.places, path),
            "length": partial(self._length, path),
            "reversals": lambda: int(np.count_nonzero(path[2:] == path[:-2])),
            "time_per_move_us": lambda: summary_of(thoughts / 1000),
        }
        return Episode.with_lazy_figures(
            later,
            agent=self.name,
            solved=STOPS[stop] == "goal",
            **counts._asdict(),
            memory_bytes=memory,
            stop=STOPS[stop],
            planning_us=planning / 1000,
            states_in_memory=states,
            updates=updates,
            raise_per_update=raised / max(1, updates) / self.world.unit,
            trace=tuple(self._trace),
            truth=self.truth,
            goal=self.goal,
        )


def _settle(mind: Any, memory: Memory, open_list: Any, knowledge: Any, pool: Pool) -> None:
    """Leave the memory of a deleted agent to the next."""
    leave_memory(pool, memory, open_list, *queries.marks_of(mind))
    if isinstance(knowledge, GridKnowledge):
        leave_grid_knowledge(pool, knowledge)


# ------------------------------------------------------------------ checks of user input


def _places_of(target: Any, **budget: float | None) -> Iterator[Any]:
    """Yield where a target is after one interval, after two, ..., until it stays."""
    if isinstance(target, Agent):
        return _steps_of(target, **budget)
    if isinstance(target, Iterator):
        return target
    return iter(items(target, "a target is an agent, or an iterable with a place for every interval"))


def _steps_of(agent: Agent, **budget: float | None) -> Iterator[Any]:
    while not agent.done:
        yield agent.step(**budget)
