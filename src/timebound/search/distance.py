"""The distance to the goal in moves, d, as well as in costs, h: for searches that estimate how long they will take."""

from typing import Any

from ..compiled import optional
from ..core.integers import Int
from ..worlds.grid import CompiledGrid
from .goal_tables import Toward
from .learning import Learned


@optional
def moves_to_goal(world: Any, state: Int) -> int:
    """Return how many moves there are at least from a state to the goal: on a grid, if it is free; elsewhere 0."""
    return 0


@moves_to_goal.of(CompiledGrid)
def _on_grid(world: Any, state: Int) -> int:
    y = state // world.width
    dx, dy = abs(state - y * world.width - world.goal_x), abs(y - world.goal_y)
    if len(world.offsets) == 4:
        return dx + dy
    far = max(dx, dy)
    return far if len(world.offsets) == 8 else max((far + 1) // 2, (dx + dy + 2) // 3)  # knight moves: 2 cells and 1


@moves_to_goal.of(Learned)
@moves_to_goal.of(Toward)
def _inside(world: Any, state: Int) -> int:
    return moves_to_goal(world.world, state)
