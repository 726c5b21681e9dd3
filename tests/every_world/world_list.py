"""Every kind of world, and how to draw a random problem in it. A world that is added here is added to all suites.

A world is asked for its moves in plain Python, so that the suites can check what agents do in it.
"""

import runpy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np

import timebound as tb
from timebound.worlds.check import look_at

EXAMPLES = Path(__file__).parents[2] / "examples"
PANCAKES = runpy.run_path(str(EXAMPLES / "pancakes.py"))
WAREHOUSE = runpy.run_path(str(EXAMPLES / "warehouse.py"))

Draw = Callable[[np.random.Generator], "Problem"]


@dataclass
class Problem:
    """A world, a start and a goal; and its states as plain Python sees them."""

    world: tb.World
    start: Any
    goal: Any

    def __post_init__(self) -> None:
        self.look = look_at(self.world, self.goal)
        self._costs: dict[Any, dict[Any, int]] = {}

    def make(self, name: str, **parameters: Any) -> tb.Agent:
        return tb.make(name, self.world, self.start, self.goal, **parameters)

    def moves(self, place: Any) -> dict[Any, int]:
        """The places that a move leads to, and what the cheapest costs."""
        if place not in self._costs:
            found: dict[Any, int] = {}
            for after, cost in self.look.moves(self.look.first(place)):
                there = self.look.place(after)
                found[there] = min(cost, found.get(there, cost))
            self._costs[place] = found
        return self._costs[place]

    def distances(self) -> dict[Any, int]:
        """Dijkstra's algorithm, written without a queue: the cost of every place that can be reached."""
        first = self.look.place(self.look.first(self.start))
        known, waiting = {}, {first: 0}
        while waiting:
            place = min(waiting, key=lambda each: waiting[each])
            known[place] = waiting.pop(place)
            for after, cost in self.moves(place).items():
                if after not in known:
                    waiting[after] = min(known[place] + cost, waiting.get(after, known[place] + cost))
        return known

    def at_goal(self, place: Any) -> bool:
        return bool(self.look.at_goal(self.look.first(place)))

    def h(self, place: Any) -> int:
        return int(self.look.h(self.look.first(place)))


def _grid(neighbors: int) -> Draw:
    def draw(generator: np.random.Generator) -> Problem:
        passable = generator.random((5, 6)) >= generator.choice([0.1, 0.3])
        passable[0, 0] = passable[4, 5] = True
        return Problem(tb.Grid(passable, neighbors=neighbors), (0, 0), (5, 4))

    return draw


def _graph(generator: np.random.Generator) -> Problem:
    """A ring, so that every node can be reached from every other, and shortcuts."""
    nodes = int(generator.integers(5, 25))
    edges = [(i, (i + 1) % nodes, int(generator.integers(1, 9))) for i in range(nodes)]
    edges += [(*generator.integers(nodes, size=2).tolist(), int(generator.integers(1, 9))) for _ in range(nodes)]
    start, goal = generator.integers(nodes, size=2).tolist()
    return Problem(tb.Graph.from_edges(edges), start, goal)


def _grid3d(generator: np.random.Generator) -> Problem:
    passable = generator.random((3, 4, 5)) >= 0.25
    passable[0, 0, 0] = passable[2, 3, 4] = True
    return Problem(tb.Grid3D(passable, neighbors=int(generator.choice([6, 26]))), (0, 0, 0), (4, 3, 2))


def _walk(problem: Problem, generator: np.random.Generator, steps: int) -> Any:
    place = problem.look.place(problem.look.first(problem.start))
    for _ in range(steps):
        place = list(problem.moves(place))[generator.integers(len(problem.moves(place)))]
    return place


def _tiles(generator: np.random.Generator) -> Problem:
    goal = tuple(range(4))
    world = tb.Tiles(2, heuristic=str(generator.choice(["manhattan", "linear-conflict"])))
    return Problem(world, _walk(Problem(world, goal, goal), generator, 20), goal)


def _racetrack(generator: np.random.Generator) -> Problem:
    passable = generator.random((4, 5)) >= 0.15
    passable[0, 0] = passable[3, 4] = True
    goal = [(4, 3), (4, 3)] if generator.random() < 0.5 else (4, 3)
    return Problem(tb.Racetrack(passable, speed=int(generator.integers(1, 3))), (0, 0), goal)


def _movers(generator: np.random.Generator) -> Problem:
    """One mover, which nobody has to fear who moves, and which never comes to the start."""
    cells = [(2, 2)]
    for _ in range(generator.integers(1, 9)):
        x, y = (np.array(cells[-1]) + generator.integers(-1, 2, 2)).tolist()
        cells.append((min(max(x, 1), 3), min(max(y, 0), 3)))
    grid = tb.Grid(np.ones((4, 5), bool), neighbors=int(generator.choice([4, 8])))
    return Problem(tb.Moving(grid, [tb.Mover(cells, stays=False)]), (0, 0), (4, 3))


def _pancakes(**options: Any) -> Draw:
    def draw(generator: np.random.Generator) -> Problem:
        stack_of = PANCAKES["stack_of"]
        start = stack_of(generator.permutation(5).tolist())
        return Problem(PANCAKES["pancake_world"](5, capacity=1000, **options), start, stack_of(range(5)))

    return draw


def _warehouse(generator: np.random.Generator) -> Problem:
    plan = "..C#.\n.#...\n...C."
    return Problem(WAREHOUSE["warehouse"](plan, full=4, capacity=1000), (0, 0, int(generator.integers(5))), (4, 0))


WORLDS: dict[str, Draw] = {
    "grid of 4 neighbours": _grid(4),
    "grid of 8 neighbours": _grid(8),
    "grid of 16 neighbours": _grid(16),
    "graph": _graph,
    "grid of three dimensions": _grid3d,
    "tiles": _tiles,
    "racetrack": _racetrack,
    "movers": _movers,
    "pancakes": _pancakes(),
    "pancakes in plain Python": _pancakes(compile=False),
    "warehouse": _warehouse,
}


def problems(world: str) -> st.SearchStrategy[Problem]:
    """Random problems in that world."""
    return st.integers(0, 2**32).map(lambda seed: WORLDS[world](np.random.default_rng(seed)))


def takes(agent: str, world: str) -> bool:
    """Does the agent support this world? (If not, it says why.)"""
    problem = WORLDS[world](np.random.default_rng(0))
    try:
        problem.make(agent)
    except tb.ProblemError:
        return False
    return True
