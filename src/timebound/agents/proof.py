"""How an agent that learns knows that there is no way: its h is larger than the cost of any path."""

from typing import Any

from ..compiled import borrow_field, inlined
from ..knowledge import added_cost
from ..worlds.interface import heuristic, hopeless


@inlined
def proved_unreachable(body: Any, longest: int) -> bool:
    """Is h, which never exceeds the true cost, larger than any cost? No path on the map costs more than `longest`."""
    world, knowledge = borrow_field(body, "world"), borrow_field(body, "knowledge")
    return hopeless(world, body.position) or heuristic(world, body.position) > longest + added_cost(knowledge)
