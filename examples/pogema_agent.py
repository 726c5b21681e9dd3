"""One of eight robots in POGEMA finds its way by what it sees around it; the others walk at random.

Run it with ``python examples/pogema_agent.py``; it needs POGEMA (``pip install pogema``).
"""

from typing import Any

import numpy as np
from pogema import GridConfig, pogema_v0

import timebound as tb

SIZE, RADIUS, MOST_STEPS = 24, 3, 256
MIDDLE = SIZE  # the robot does not know where it starts on the map: on this canvas it is in the middle
ACTIONS = {(0, 0): 0, (-1, 0): 1, (1, 0): 2, (0, -1): 3, (0, 1): 4}


def place(relative: tuple[int, int]) -> tuple[int, int]:
    """Convert a position: POGEMA's are relative to the start, ours to the corner of our canvas."""
    return MIDDLE + relative[0], MIDDLE + relative[1]


def look(agent: tb.Agent, view: dict[str, Any]) -> None:
    """Report to the agent which cells in view are walls. Other robots are not: they will move on."""
    x, y = place(view["xy"])
    walls, free = (
        [(int(x + i) - RADIUS, int(y + j) - RADIUS) for i, j in np.argwhere(view["obstacles"] == is_wall)]
        for is_wall in (1, 0)
    )
    agent.observe(blocked=walls, free=free)


def solve(seed: int) -> tuple[bool, int, int]:
    """Play one game; return whether the robot arrived, the number of steps, and how many moves were refused."""
    rules = {"size": SIZE, "density": 0.3, "obs_radius": RADIUS, "num_agents": 8, "max_episode_steps": MOST_STEPS}
    env = pogema_v0(GridConfig(seed=seed, observation_type="POMAPF", **rules))
    views, _ = env.reset()

    canvas = tb.Grid(np.ones((2 * SIZE + 1, 2 * SIZE + 1), bool), neighbors=4)  # nothing is known: all counts as free
    goal = place(views[0]["target_xy"])
    agent = tb.make("dstar-lite", canvas, place(views[0]["xy"]), goal, terrain="unknown")

    steps = refused = 0
    while not agent.done and steps < MOST_STEPS:
        look(agent, views[0])
        here = agent.position
        there = agent.plan(virtual_ms=1)  # a real robot would use ms=1; this is the same on every machine
        actions = env.sample_actions()
        actions[0] = ACTIONS[there[0] - here[0], there[1] - here[1]]
        views, *_ = env.step(actions)
        agent.moved(place(views[0]["xy"]))  # where it wanted to go, unless another robot stood there
        steps += 1
        refused += agent.position != there
    return agent.stop == "goal", steps, refused


def main() -> None:
    """Play a few games."""
    for seed in range(5):
        arrived, steps, refused = solve(seed)
        print(f"seed {seed}: {'arrived' if arrived else 'gave up'} after {steps} steps, {refused} of them refused")


if __name__ == "__main__":
    main()
