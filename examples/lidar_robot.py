"""A robot with a lidar on a map of 4,000 x 4,000 cells that it does not know: 20 decisions a second.

    python examples/lidar_robot.py

Each cycle: a scan of 360 beams, `observe`, `plan` within 10 ms, drive on. It prints how long cycles take, and the
estimate of the time to the goal. The robot is a disc of 0.2 m; a cell is 0.05 m, the map 200 m x 200 m.
"""

import sys
import time

import numpy as np

import timebound as tb

SIDE, RESOLUTION, RADIUS, RANGE, BEAMS = 4000, 0.05, 0.2, 8.0, 360
ANGLES = np.linspace(0, 2 * np.pi, BEAMS, endpoint=False)
STEPS = np.arange(1, int(RANGE / RESOLUTION) + 1)
ALONG = np.rint(STEPS[:, None] * np.cos(ANGLES)).astype(int), np.rint(STEPS[:, None] * np.sin(ANGLES)).astype(int)


def scan(truth: np.ndarray, position: tuple[int, int]) -> np.ndarray:
    """Return the cells that the beams hit, in rows x, y."""
    x, y = position[0] + ALONG[0], position[1] + ALONG[1]
    inside = (x >= 0) & (y >= 0) & (x < truth.shape[1]) & (y < truth.shape[0])
    hit = inside & ~truth[np.where(inside, y, 0), np.where(inside, x, 0)]
    first, beams = hit.argmax(axis=0), np.flatnonzero(hit.any(axis=0))
    return np.unique(np.stack([x[first[beams], beams], y[first[beams], beams]], axis=1), axis=0)


def halls(side: int) -> np.ndarray:
    """Make halls of 80 x 80 cells, with doors of 1 m."""
    free = np.ones((side, side), bool)
    free[::80], free[:, ::80] = False, False
    for first in range(10, side, 80):
        free[:, first : first + 20] |= np.arange(side)[:, None] % 80 == 0
        free[first : first + 20] |= np.arange(side) % 80 == 0
    blocked = np.random.default_rng(4).integers(90, side, (side * side // 4000, 2))
    for x, y in blocked.tolist():
        free[y : y + 8, x : x + 8] = False
    return free


def drive(side: int = SIDE, cycles: int = 600, ms: float = 10.0, agent: str = "rtaa") -> tuple[tb.Agent, np.ndarray]:
    """Let the robot drive; return it, and how long each cycle took, in milliseconds."""
    truth = halls(side)
    world = tb.Grid(np.ones((side, side), bool), resolution=RESOLUTION)
    start, goal = (30, 30), (side - 30, side - 30)
    robot = tb.make(agent, world, start, goal, size=tb.Disc(RADIUS / RESOLUTION), terrain="unknown", radius=1)
    robot.plan(ms=1)  # compiles
    took: list[float] = []
    while not robot.done and len(took) < cycles:
        hits = scan(truth, robot.position)
        began = time.perf_counter()
        robot.observe(blocked=hits)
        where = robot.plan(ms=ms)
        took.append((time.perf_counter() - began) * 1000)
        robot.moved(where)
    return robot, np.array(took)


if __name__ == "__main__":
    for name in sys.argv[1:] or ["rtaa", "tbaa", "dstar-lite"]:
        robot, took = drive(agent=name)
        p50, p99 = np.percentile(took, [50, 99])
        left = robot.time_to_goal(speed=0.5)
        print(f"{name}: {len(took)} cycles, p50 {p50:.1f} ms, p99 {p99:.1f} ms; {robot.pose}, {left:.0f} s to go")
