"""Compile ahead: use agents in every way on small worlds of every kind, so that nothing is left to compile later.

Machine code depends on the types of an agent's parts, not on the size of the map or on most parameters. So one tiny
world of each kind is enough.
"""

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..agents import make
from ..agents.catalogue import Kind
from ..agents.registry import catalogue, find_kind, knowing_agents
from ..compiled import store
from ..compiled.notice import counts
from ..core.errors import ProblemError
from ..core.parallel import results
from ..fleet.fleet import Fleet
from ..search.solver import Search, shortest_path
from ..worlds import Graph, Grid, Grid3D, Racetrack, Tiles, World
from ..worlds.check import check_world
from .crowd import fleet_kinds

PATHS = "paths"
"""Stands for searches without an agent."""


class Example(NamedTuple):
    """A small world, a start and a goal."""

    world: World
    start: Any
    goal: Any


def _cells(*shape: int) -> np.ndarray:
    cells = np.ones(shape, bool)
    cells[tuple(size // 2 for size in shape)] = False
    return cells


_EDGES = [*((i, i + 1, 2) for i in range(8)), (0, 3, 7), (2, 6, 9)]
WORLDS: dict[str, Callable[[], Example]] = {
    "grid": lambda: Example(Grid(_cells(7, 7)), (0, 0), (6, 6)),
    "grid-16": lambda: Example(Grid(_cells(7, 7), neighbors=16), (0, 0), (6, 6)),
    "graph": lambda: Example(Graph.from_edges(_EDGES, directed=False), 0, 8),
    "grid3d": lambda: Example(Grid3D(_cells(3, 4, 4)), (0, 0, 0), (3, 3, 2)),
    "tiles": lambda: Example(Tiles(3), (1, 2, 0, 3, 4, 5, 6, 7, 8), tuple(range(9))),
    "racetrack": lambda: Example(Racetrack(_cells(5, 9), [(1, 2)], [(7, 2)]), (1, 2), None),
}


ALONE, LISTENED_TO, IN_A_FLEET = "alone", "listened to", "in a fleet"
"""Ways to use an agent. The studio listens to its agents, and so does `run(trace=...)`."""


class Combination(NamedTuple):
    """Something to compile: an agent (or `PATHS`) on a kind of world, its terrain, and how it is used."""

    agent: str
    world: str
    terrain: str
    use: str = ALONE

    def __str__(self) -> str:
        return f"{self.agent} on {self.world}, {self.terrain}, {self.use}"


def combinations(agents: Sequence[str] = (), worlds: Sequence[str] = ("grid",)) -> list[Combination]:
    """Return every combination for these agents, by default all in the catalogue, on these kinds of worlds.

    >>> combinations(["rtaa"])
    [Combination(agent='paths', world='grid', terrain='known', use='alone'),
     Combination(agent='rtaa', world='grid', terrain='known', use='alone'),
     Combination(agent='rtaa', world='grid', terrain='unknown', use='alone')]
    """
    kinds = _kinds(agents, worlds)
    return [each for world in worlds for each in (Combination(PATHS, world, "known"), *_combinations_of(kinds, world))]


def studio_combinations(agents: Sequence[str] = (), worlds: Sequence[str] = ("grid",)) -> list[Combination]:
    """Return what the studio and traces also need: agents with listeners, and fleets, on grids."""
    kinds = _kinds(agents, worlds)
    heard = [each._replace(use=LISTENED_TO) for world in worlds for each in _combinations_of(kinds, world)]
    grids = [world for world in worlds if isinstance(WORLDS[world]().world, Grid)]
    fleets = [Combination(kind.name, world, "known", IN_A_FLEET) for world in grids for kind in fleet_kinds(kinds)]
    return heard + fleets


def _kinds(agents: Sequence[str], worlds: Sequence[str]) -> list[Kind]:
    for world in worlds:
        if world not in WORLDS:
            raise ProblemError(f"cannot compile for world {world!r}; the worlds are {', '.join(WORLDS)}")
    return [find_kind(name) for name in agents if name != PATHS] if agents else catalogue()


def _combinations_of(kinds: Sequence[Kind], world: str) -> Iterator[Combination]:
    hidden = {"grid": "unknown", "grid-16": "unknown", "graph": "partial"}.get(world, "")
    for kind in kinds:
        terrains = ("known", hidden) if world in ("grid", "grid-16") or not kind.needs_grid else ()
        yield from (Combination(kind.name, world, terrain) for terrain in terrains if terrain in kind.terrain)


def compile_all(wanted: Sequence[Combination], workers: int = 1) -> Iterator[tuple[Combination, int, set[str]]]:
    """Compile for every combination; as each is done, yield it, how many functions were compiled, and all keys."""
    return results(knowing_agents(_compile), None, list(wanted), workers, None)


def is_compiled(combination: Combination) -> bool:
    """Does the machine code for a combination exist, in the package or on disk?"""
    try:
        with store.only_what_is_there():
            use(combination)
    except store.NotThereError:
        return False
    return True


def _compile(_: Any, combination: Combination) -> tuple[Combination, int, set[str]]:
    before = counts["compiled"]
    use(combination)
    return combination, counts["compiled"] - before, store.in_use()


# ------------------------------------------------------------------ use everything once


def use(combination: Combination) -> None:
    """Use the agent, search or world in every way that a program can."""
    world, start, goal = WORLDS[combination.world]()
    if combination.agent == PATHS:
        _use_paths(world, start, goal)
        return
    with contextlib.suppress(ProblemError):  # the agent does not support this world
        _USES[combination.use](combination, world, start, goal)


def _use_paths(world: World, start: Any, goal: Any) -> None:
    for greedy in (False, True):
        shortest_path(world, start, goal, greedy=greedy)
    if isinstance(world, Grid):
        shortest_path(Grid(world.passable, neighbors=4), start, goal)  # this has a separate search
    search = Search(world, start, goal, weight=1.5)
    search.advance(expansions=1)
    search.trace(1)
    search.advance()
    search.path(), search.reached(), search.best, search.memory_bytes
    check_world(world, start, goal, states=10)
    with contextlib.suppress(ProblemError):  # paths cannot be prepared for this world
        world.prepare().shortest_path(start, goal)


def _use_agent(combination: Combination, world: World, start: Any, goal: Any) -> None:
    kind, terrain = find_kind(combination.agent), combination.terrain
    agent = make(kind.name, world, start, goal, terrain=terrain)
    agent.step(expansions=2)
    agent.plan(ms=0.1)
    if isinstance(world, Grid):
        agent.observe(blocked=[(1, 0)])
        agent.sense()
        agent.knows()
    elif isinstance(world, Graph):
        agent.observe(blocked=[(2, 6)])
    agent.path, agent.reached()
    agent.moved(agent.position)
    episode = agent.run(virtual_ms=1, intervals=100)
    episode.cost, episode.path, episode.suboptimality, episode.time_per_move_us  # noqa: B018
    if kind.learning:
        agent.h()
        agent.reset()
        agent.run(expansions=math.inf, intervals=100)
    with contextlib.suppress(ProblemError):
        make(kind.name, world, start, goal, terrain=terrain, fallback="nearest").run(intervals=100)
    if "direction" in kind.parameters:
        with contextlib.suppress(ProblemError):
            make(kind.name, world, start, goal, terrain=terrain, direction="backward").run(intervals=100)


def _use_listener(combination: Combination, world: World, start: Any, goal: Any) -> None:
    """Run an agent with a listener, which has other types. On a grid the world changes, as in the studio."""
    agent = make(combination.agent, world, start, goal, terrain=combination.terrain)
    agent.listen(lambda events: None)
    agent.step(expansions=2)
    if isinstance(world, Grid):
        for change in (world.block, world.unblock, lambda cells: world.set_cost(cells, 2)):
            change([(1, 1)])
            agent.step(expansions=2)
        agent.retarget((1, 5))
    agent.run(expansions=2, intervals=100)


def _use_fleet(combination: Combination, world: World, start: Any, goal: Any) -> None:
    """Let units walk, meet, and get new goals, while walls come and go."""
    assert isinstance(world, Grid)
    fleet = Fleet(world, collisions="push")
    units = fleet.add(combination.agent, start=[start, goal], goal=[goal, start])
    fleet.tick(ms=1)
    world.block([fleet.path(0)[-1]] if fleet.path(0) else [(1, 0)])
    fleet.tick(expansions=100)
    world.unblock([(1, 0), goal])
    fleet.retarget(units, np.array([start, goal]))
    fleet.plan(ms=1)
    fleet.tick(ms=1)
    fleet.remove(units)


_USES: dict[str, Callable[[Combination, World, Any, Any], None]] = {
    ALONE: _use_agent,
    LISTENED_TO: _use_listener,
    IN_A_FLEET: _use_fleet,
}
