"""Moving targets, which an agent pursues with `agent.run(target=...)`.

A target is anything that gives one place per interval: a list of places, a generator, or another agent. When it has no
more places, it stays where it is. An agent that is as fast as its target catches it only if the target rests now and
then; the targets here rest every tenth interval, as in the literature on moving targets (Ishida and Korf 1991).
"""

import itertools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.disk import Wanted, read_bytes
from ..core.errors import ProblemError
from ..core.values import items, seed_number, whole
from ..search.solver import shortest_path
from ..worlds import Grid, World
from ..worlds.grid import STEPS

if TYPE_CHECKING:
    from ..agents.agent import Agent

REST = 10  # intervals from one rest to the next
DRAWS = 100
_FILE = Wanted("the path of a target", 2**24, ProblemError)


def walking(world: Grid, start: Any, *, seed: int = 0, rest: int = REST) -> Iterator[Any]:
    """Return a target that walks on shortest paths from one random place to the next, forever.

    >>> import numpy as np, timebound as tb
    >>> from itertools import islice
    >>> world = tb.Grid(np.ones((5, 5), bool))
    >>> len(list(islice(walking(world, (0, 0), seed=1), 30)))
    30
    """
    generator, here = np.random.default_rng(seed_number(seed)), world.place(world.state(start))
    return _resting(_roaming(_a_grid(world), here, generator), here, rest)


def fleeing(hunter: "Agent", start: Any, *, rest: int = REST) -> Iterator[Any]:
    """Return a target that flees from an agent, always to the neighbouring cell farthest from it.

    >>> import numpy as np, timebound as tb
    >>> world = tb.Grid(np.ones((9, 9), bool))
    >>> agent = tb.make("adaptive-astar", world, (0, 0), (4, 4))
    >>> agent.run(target=fleeing(agent, (4, 4)), intervals=1000).stop
    'goal'
    """
    world = _a_grid(hunter.world)
    here = world.place(world.state(start))
    return _resting(_escaping(world, here, hunter), here, rest)


def _a_grid(world: World) -> Grid:
    if not isinstance(world, Grid):
        raise ProblemError(f"targets walk by themselves only on grids, not on a {type(world).__name__}; give a path")
    return world


def _resting(steps: Iterator[Any], here: Any, rest: int) -> Iterator[Any]:
    """Yield the steps, with a rest every `rest` intervals."""
    every = whole(rest, "rest is a whole number of intervals above 0")
    for interval in itertools.count(1):
        if interval % every:
            here = next(steps)
        yield here


def _roaming(world: Grid, here: Any, generator: np.random.Generator) -> Iterator[Any]:
    while True:
        free = np.flatnonzero(world.passable)
        there = world.place(int(generator.choice(free))) if len(free) else here
        path = shortest_path(world, here, there) if world.passable[here[1], here[0]] else None
        steps = list(path.states[1:]) if path is not None and path.solved else [here]
        for step in steps or [here]:
            if not world.passable[step[1], step[0]]:  # the world has changed: find another path
                break
            here = step
            yield here
        else:
            continue
        yield here


def _escaping(world: Grid, here: Any, hunter: "Agent") -> Iterator[Any]:
    while True:
        moves, steps = int(world.moves[world.inside(here)]), STEPS[: world.neighbors].tolist()
        cells = [(here[0] + dx, here[1] + dy) for k, (dx, dy) in enumerate(steps) if moves >> k & 1]
        here = max([*cells, here], key=lambda cell: math.dist(cell, hunter.position))
        yield here


def target_of(kind: Any, hunter: "Agent", seed: int) -> Any:
    """Return the target of one agent in a race: `"walk"`, `"flee"`, or the same places for all."""
    if isinstance(kind, str) and kind in ("walk", "flee"):
        world, goal = _a_grid(hunter.world), hunter.goal
        return walking(world, goal, seed=seed) if kind == "walk" else fleeing(hunter, goal)
    return items(kind, "a target in a race is 'walk', 'flee', or a list of places")


def read_path(file: Path) -> list[tuple[int, int]]:
    """Read the places of a target from a file: a JSON list of [x, y], or a line `x,y` per interval."""
    content = read_bytes(file, _FILE)
    try:
        text = content.decode()
        rows = json.loads(text) if text.lstrip().startswith("[") else [line.split(",") for line in text.split()]
        return [(int(x), int(y)) for x, y in rows]
    except (ValueError, TypeError):
        raise ProblemError(f"{file}: the path of a target is a JSON list of [x, y], or lines x,y") from None
