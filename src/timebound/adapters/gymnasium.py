"""A Gymnasium environment: cross a map that you discover as you walk, with limited time for every move.

    pip install gymnasium

An action is a direction. An observation has the cells that you can see (0 outside, 1 free, 2 blocked), your position
and that of the goal. The reward is minus the cost of the move. A policy that takes longer than `ms` milliseconds misses
the move, and stays where it is: the game time model.
"""

import time
from typing import Any, ClassVar

import numpy as np

from ..agents import make
from ..core.errors import ProblemError
from ..core.values import number, whole
from ..maps.components import random_problems
from ..maps.model import Map
from ..worlds import Grid
from ..worlds.grid import STEPS

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise ImportError("this adapter needs Gymnasium: pip install gymnasium") from None

FREE, BLOCKED = 1, 2


class FogNavigation(gymnasium.Env[dict[str, np.ndarray], np.int64]):
    """Go from a random start to a random goal, seeing only what is near.

    Parameters
    ----------
    world
        A `Grid` with 4 or 8 neighbours.
    radius
        How far you can see, in cells.
    ms
        Milliseconds between two observations; None for no limit.

    Examples
    --------
    >>> import timebound as tb
    >>> from timebound.adapters.gymnasium import FogNavigation, Policy
    >>> env = FogNavigation(tb.Grid.load("harbour"), radius=3)
    >>> observation, info = env.reset(seed=1)
    >>> policy, done = Policy("rtaa", env, lookahead=50), False
    >>> while not done:
    ...     observation, reward, done, _, info = env.step(policy(observation))
    >>> bool((observation["position"] == observation["goal"]).all())
    True
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self, world: Grid, radius: int = 5, ms: float | None = None):
        if not isinstance(world, Grid) or world.neighbors not in (4, 8):
            raise ProblemError("fog navigation needs a Grid with 4 or 8 neighbours")
        self.world, self.radius = world, whole(radius, "radius is a whole number from 1 to 1000", most=1000)
        if ms is not None:
            number(ms, "ms is a number above 0", lambda given: given > 0)
        self.ms = ms
        self.steps = [(dx, dy) for dx, dy in STEPS[: world.neighbors].tolist()]
        """The (dx, dy) of each action."""
        side, size = 2 * self.radius + 1, np.array([world.width, world.height])
        place = spaces.Box(np.zeros(2, np.int64), size - 1, dtype=np.int64)
        self.observation_space = spaces.Dict(
            {"view": spaces.Box(0, 2, (side, side), np.int8), "position": place, "goal": place}
        )
        self.action_space = spaces.Discrete(world.neighbors)
        self._map = Map.from_passable(world.passable)
        self._padded = np.pad(np.where(world.passable, FREE, BLOCKED).astype(np.int8), self.radius)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Draw a new start and a reachable goal; or take `"start"` and `"goal"` from `options`."""
        super().reset(seed=seed)
        world, draw = self.world, int(self.np_random.integers(2**31))
        [drawn] = random_problems(self._map, 1, draw, world.neighbors, world.corners)
        start, goal = ((options or {}).get(name, place) for name, place in zip(("start", "goal"), drawn, strict=True))
        self.position = self.world.place(self.world.state(start))
        self.goal = self.world.place(self.world.state(goal))
        self._shown = time.monotonic()
        return self._observation(), {"late": False, "moved": False}

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Make the move, if it is possible and in time."""
        late = self.ms is not None and time.monotonic() - self._shown > self.ms / 1000
        dx, dy = self.steps[int(action)]
        target, cost = (self.position[0] + dx, self.position[1] + dy), 1.0
        legal = int(self.world.moves[self.world.inside(self.position)])  # a bit for each direction
        moved = not late and bool(legal >> int(action) & 1)
        if moved:
            numbers = np.array([self.world.state(self.position), self.world.state(target)])
            cost, self.position = self.world.path_cost(numbers), target
        self._shown = time.monotonic()
        return self._observation(), -cost, self.position == self.goal, False, {"late": late, "moved": moved}

    def _observation(self) -> dict[str, np.ndarray]:
        (x, y), side = self.position, 2 * self.radius + 1
        view = self._padded[y : y + side, x : x + side].copy()
        return {"view": view, "position": np.array(self.position), "goal": np.array(self.goal)}


class Policy:
    """An agent of the catalogue as a policy: it takes observations and returns actions."""

    def __init__(self, agent: str, env: FogNavigation, budget: dict[str, float] | None = None, **parameters: Any):
        inner = env.unwrapped
        if not isinstance(inner, FogNavigation):
            raise ProblemError("this policy is for a FogNavigation environment")
        self.env, self.budget = inner, {} if budget is None else budget
        self._name, self._parameters = agent, parameters
        self._agent: Any = None

    def __call__(self, observation: dict[str, np.ndarray]) -> int:
        """Pass the observation to the agent, and return its action."""
        position, goal = (tuple(observation[name].tolist()) for name in ("position", "goal"))
        agent = self._agent
        if agent is None or agent.goal != goal or agent.done:
            world = self.env.world
            assumed = Grid(np.ones_like(world.passable), neighbors=world.neighbors, corners=world.corners)
            agent = self._agent = make(self._name, assumed, position, goal, terrain="unknown", **self._parameters)
        elif agent.position != position:
            agent.moved(position)
        self._report(agent, position, observation["view"])
        target = agent.plan(**self.budget)
        if target is None or target == position:
            return 0
        return self.env.steps.index((target[0] - position[0], target[1] - position[1]))

    def _report(self, agent: Any, position: tuple[int, int], view: np.ndarray) -> None:
        def seen(kind: int) -> list[tuple[int, int]]:  # cells outside the map are neither
            return [(x, y) for x, y in (np.argwhere(view == kind)[:, ::-1] + position - self.env.radius).tolist()]

        agent.observe(free=seen(FREE), blocked=seen(BLOCKED))
