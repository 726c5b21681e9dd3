"""A warehouse robot with a battery: a custom world whose moves cannot be undone, and whose goal is a test.

A state is (x, y, charge). A move costs 1 and some charge, or 5 with an empty battery; at a charger the robot can
recharge for 3. It is at the goal when it is in the goal's cell, whatever the charge.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import timebound as tb

State = tuple[int, int, int]
PLAN = """
.......#.......
.####..#..##.#.
.#..#.....##.#.
.#C.#..#..##.#.
.##.#..#.......
.......#...C...
"""


def is_free(world: Any, x: int, y: int) -> Any:
    """Can the robot be there?"""
    return 0 <= x < world.width and 0 <= y < world.height and world.cells[y * world.width + x] > 0


def successors(world: Any, state: State) -> Iterator[tuple[State, int]]:
    """Yield every move, and its cost."""
    x, y, charge = state
    cost = 1 if charge > 0 else 5
    left = max(charge - 1, 0)
    for k in range(4):
        dx, dy = (k == 0) - (k == 1), (k == 2) - (k == 3)
        if is_free(world, x + dx, y + dy):
            yield (x + dx, y + dy, left), cost
    if world.cells[y * world.width + x] == 2 and charge < world.full:
        yield (x, y, world.full), 3


def predecessors(world: Any, state: State) -> Iterator[tuple[State, int]]:
    """Yield every state from which a move leads to this one: agents that learn by Dijkstra's rule need it."""
    x, y, charge = state
    for k in range(4):
        dx, dy = (k == 0) - (k == 1), (k == 2) - (k == 3)
        if is_free(world, x + dx, y + dy):
            if charge < world.full:
                yield (x + dx, y + dy, charge + 1), 1
            if charge == 0:
                yield (x + dx, y + dy, 0), 5
    if world.cells[y * world.width + x] == 2 and charge == world.full:
        for before in range(world.full):
            yield (x, y, before), 3


def heuristic(world: Any, state: State) -> Any:
    """Return the distance, as if the battery lasted forever."""
    return abs(state[0] - world.goal[0]) + abs(state[1] - world.goal[1])


def is_goal(world: Any, state: State) -> Any:
    """Is the robot in the right cell?"""
    return state[0] == world.goal[0] and state[1] == world.goal[1]


def warehouse(plan: str = PLAN, full: int = 8, **options: Any) -> tb.CustomWorld:
    """Return the world of that floor plan, for a battery of that many moves."""
    rows = plan.split()
    cells = np.array(["#.C".index(cell) for row in rows for cell in row])
    data = {"cells": cells, "width": len(rows[0]), "height": len(rows), "full": full}
    return tb.CustomWorld(
        successors,
        heuristic,
        is_goal=is_goal,
        predecessors=predecessors,
        data=data,
        branching=8 + full,
        highest_cost=5,
        name="warehouse",
        **options,
    )


def main() -> None:
    """Check the world, and let three agents cross it."""
    world = warehouse()
    print("what is wrong with it:", tb.check_world(world, start=(0, 0, 8), goal=(14, 0)) or "nothing")
    for name in ("rtaa", "tbr-wastar", "astar"):
        episode = tb.make(name, world, (0, 0, 8), (14, 0)).run(expansions=10)
        print(f"{name:10} {episode.moves} moves of cost {episode.cost:g}, arrives with charge {episode.path[-1][2]}")


if __name__ == "__main__":
    main()
