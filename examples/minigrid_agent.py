"""A MiniGrid agent explores four rooms until it sees the goal, then goes there. It only has its view of 7 x 7 cells.

Run it with ``python examples/minigrid_agent.py``; it needs MiniGrid (``pip install minigrid``).
"""

from typing import Any

import gymnasium
import minigrid  # noqa: F401  (makes its environments known to gymnasium)
import numpy as np
from minigrid.core.actions import Actions
from minigrid.core.constants import OBJECT_TO_IDX

import timebound as tb

Cell = tuple[int, int]

UNSEEN, WALL, GOAL = (OBJECT_TO_IDX[name] for name in ("unseen", "wall", "goal"))
AHEAD = [(1, 0), (0, 1), (-1, 0), (0, -1)]  # what "ahead" means when facing right, down, left, up
SIDE = 41  # nothing is farther away than 20 cells; the agent starts in the middle of this canvas
START = (SIDE // 2, SIDE // 2)


def cells_in_view(view: dict[str, Any], here: Cell) -> dict[Cell, int]:
    """Return what is in every cell in view. The image shows the agent in the middle of its lower edge, facing up."""
    image = view["image"][:, :, 0]
    ahead_x, ahead_y = AHEAD[view["direction"]]
    middle, bottom = image.shape[0] // 2, image.shape[1] - 1
    cells = {}
    for column, row in np.argwhere(image != UNSEEN).tolist():
        far, right = bottom - row, column - middle
        x, y = here[0] + far * ahead_x - right * ahead_y, here[1] + far * ahead_y + right * ahead_x
        cells[x, y] = int(image[column, row])
    return cells


def where_to(seen: dict[Cell, int], here: Cell) -> Cell:
    """Return the goal, if it has been seen; otherwise the nearest unseen cell next to a free one."""
    goals = [cell for cell, what in seen.items() if what == GOAL]
    if goals:
        return goals[0]
    free = [cell for cell, what in seen.items() if what != WALL]
    beside = {(x + dx, y + dy) for x, y in free for dx, dy in AHEAD} - seen.keys()
    return min(beside, key=lambda cell: (abs(cell[0] - here[0]) + abs(cell[1] - here[1]), cell))


def report(agent: tb.Agent, seen: dict[Cell, int]) -> None:
    """Report to the agent what has been seen."""
    walls = [cell for cell, what in seen.items() if what == WALL]
    agent.observe(blocked=walls, free=seen.keys() - set(walls))


def action_toward(there: Cell, here: Cell, direction: int) -> Actions:
    """Return the action: go ahead, or turn the shorter way; do nothing if the plan is not ready yet."""
    if there == here:
        return Actions.done
    turns = (AHEAD.index((there[0] - here[0], there[1] - here[1])) - direction) % 4
    return [Actions.forward, Actions.right, Actions.right, Actions.left][turns]


def solve(seed: int, name: str = "MiniGrid-FourRooms-v0") -> tuple[bool, int]:
    """Play one game; return whether the goal was reached, and the number of steps."""
    env = gymnasium.make(name)
    view, _ = env.reset(seed=seed)
    canvas = tb.Grid(np.ones((SIDE, SIDE), bool), neighbors=4)  # nothing is known: everything counts as free
    here, target, agent = START, START, None
    seen: dict[Cell, int] = {}
    step = 0
    while True:
        step += 1
        news = cells_in_view(view, here)
        seen.update(news)
        if agent is None or seen.get(target, GOAL) != GOAL:  # the target is explored
            target = where_to(seen, here)
            agent = tb.make("adaptive-astar", canvas, here, target, terrain="unknown")
            news = seen
        report(agent, news)
        there = agent.plan(virtual_ms=1)  # a real robot would use ms=1; this is the same on every machine
        action = action_toward(there, here, view["direction"])
        view, reward, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            return reward > 0, step
        if action == Actions.forward:
            here = there
            agent.moved(here)


def main() -> None:
    """Play a few games."""
    for seed in range(5):
        solved, steps = solve(seed)
        print(f"seed {seed}: {'reached the goal' if solved else 'gave up'} after {steps} steps")


if __name__ == "__main__":
    main()
