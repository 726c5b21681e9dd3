"""How an agent that learns knows that there is no way: its h is larger than the cost of any path."""

from typing import Any

from ..compiled import borrow_field, inlined
from ..knowledge import added_cost
from ..worlds.interface import heuristic, hopeless


@inlined
def proved_unreachable(body: Any, longest: int) -> bool:
    """Is h, which never exceeds the true cost, larger than any cost? No path on the map costs more than `longest`."""
    return proved_by_weighted_h(body, longest, 1)


@inlined
def proved_by_weighted_h(body: Any, longest: int, weight: int) -> bool:
    """The same, if h never exceeds `weight` times the true cost."""
    world, knowledge = borrow_field(body, "world"), borrow_field(body, "knowledge")
    most = weight * (longest + added_cost(knowledge))
    return hopeless(world, body.position) or heuristic(world, body.position) > most
