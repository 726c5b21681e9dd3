"""How an agent that learns proves its goal unreachable: its h is larger than the cost of any path."""

from typing import Any

from ..compiled import borrow_field, inlined
from ..knowledge import added_cost
from ..worlds.interface import heuristic, hopeless


@inlined
def most_cost(body: Any) -> int:
    """Return a bound on path costs, as far as the agent knows."""
    return body.longest + added_cost(borrow_field(body, "knowledge"))


@inlined
def proved_unreachable(body: Any) -> bool:
    """Is h larger than it can be if there is a path? (See `Part.most_overestimated`.)"""
    world = borrow_field(body, "world")
    highest = body.most_overestimated * most_cost(body)
    return hopeless(world, body.position) or heuristic(world, body.position) > highest
