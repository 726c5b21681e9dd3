"""A whole POGEMA environment played by one fleet: lifelong (robots get new targets) or one shot.

Run it with ``python examples/pogema_fleet.py``; it needs POGEMA (``pip install pogema``).
"""

import time
from typing import Any, NamedTuple

import numpy as np
from pogema import GridConfig, pogema_v0

import timebound as tb

MOVES = {(0, 0): 0, (-1, 0): 1, (1, 0): 2, (0, -1): 3, (0, 1): 4}  # POGEMA's actions; its x is the row
PARAMETERS: dict[str, Any] = {"kind": "lss-lrta", "lookahead": 128, "weight": 1.5}


class Result(NamedTuple):
    """The result of an episode."""

    throughput: float
    """Targets reached per step, all robots together (lifelong)."""
    arrived: float
    """Share of the robots that are at their targets at the end (one shot)."""
    refused: int
    """Moves that the environment altered; none, if the fleet keeps its promise."""
    ms_per_step: float
    """Processor time of planning, for all robots together."""


def play(config: GridConfig, guidance: Any = True, repair: Any = True, **parameters: Any) -> Result:
    """Play one episode, planning with what POGEMA reports: the map, and the positions and targets of all robots."""
    env = pogema_v0(config)
    env.reset()
    grid = env.unwrapped.grid
    obstacles = grid.get_obstacles(ignore_borders=True)
    world = tb.Grid(np.asarray(obstacles) == 0, neighbors=4)
    agent = {**PARAMETERS, **parameters}
    fleet = tb.Fleet(world, collisions="push", guidance=guidance, repair=repair)
    units = fleet.add(agent.pop("kind"), start=_cells(grid.get_agents_xy), goal=_cells(grid.get_targets_xy), **agent)
    steps = refused = reached = 0
    thinking, over = 0.0, False
    fleet.tick(expansions=float("inf"))
    while not over:
        here, goals = fleet.positions, _cells(grid.get_targets_xy)
        began = time.thread_time()
        fleet.tick(expansions=float("inf"))
        thinking += time.thread_time() - began
        wanted = fleet.positions
        steps_made = (wanted - here)[:, ::-1].tolist()  # x, y to row, column
        _, _, terminated, truncated, _ = env.step([MOVES[tuple(step)] for step in steps_made])
        refused += int(np.any(_cells(grid.get_agents_xy) != wanted, axis=1).sum())
        after = _cells(grid.get_targets_xy)
        new = np.any(after != goals, axis=1)
        reached += int(new.sum())
        if new.any():
            began = time.thread_time()
            fleet.retarget(units[new], after[new])
            fleet.plan(expansions=float("inf"))
            thinking += time.thread_time() - began
        steps += 1
        over = all(terminated) or all(truncated)
    at_target = float(np.mean(np.all(fleet.positions == _cells(grid.get_targets_xy), axis=1)))
    return Result(reached / steps, at_target, refused, 1000 * thinking / steps)


def _cells(ask: Any) -> np.ndarray:
    """Return cells x, y of a grid, from rows and columns."""
    return np.array(ask(ignore_borders=True), np.int64)[:, ::-1]


def main() -> None:
    """Play a few games in a crowded field."""
    for lifelong in (True, False):
        target = "restart" if lifelong else "nothing"
        rules: dict[str, Any] = {"size": 20, "density": 0.2, "num_agents": 64, "max_episode_steps": 128}
        result = play(GridConfig(seed=7, on_target=target, collision_system="soft", obs_radius=2, **rules))
        what = f"{result.throughput:.2f} targets a step" if lifelong else f"{result.arrived:.0%} at their targets"
        print(f"{'lifelong' if lifelong else 'one shot'}: {what}, {result.ms_per_step:.2f} ms of planning a step")


if __name__ == "__main__":
    main()
