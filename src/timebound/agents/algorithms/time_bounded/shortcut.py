"""The first enhancement of TBA* (2009, section 3.4): a shortcut to the solution, instead of stepping back to it.

The agent is off the path to the goal. A search from that path looks for the agent: its roots are the states between the
goal and the point where the way back would meet the path, each with its distance to the goal. So it finds the shortest
path to the goal, not just to the old path. It has its own nodes, and lasts for one interval.
"""

from typing import Any, NamedTuple

import numpy as np

from ....compiled import borrow_field, compiled, optional
from ....compiled.clock import NEVER
from ....core.integers import Int
from ....search.best_first import advance, best_open
from ....search.learning import unlearned
from ....search.listener import PATH
from ....search.nodes import new_nodes
from ....search.orders import Order, open_memory
from ....search.paths import begin_trace, trace
from ....search.state import begin, new_search, seed
from ....worlds import Grid
from ....worlds.interface import NO_STATE, aimed, tell
from ....worlds.wrapping import Reversed, turned_like
from ...journey import NOWHERE
from ...parts import Setting
from ...paths import place_on_path


class NoShortcut(NamedTuple):
    """No shortcut: the agent steps back."""

    tag: int = 0


class Shortcut(NamedTuple):
    """The agent looks for a shortcut."""

    search: Any
    order: Any


@optional
def take_shortcut(shortcut: Any, body: Any, allowance: Any) -> None:
    """Look for a shortcut, within the limits, and follow it."""


@take_shortcut.of(Shortcut)
def _take(shortcut: Any, body: Any, allowance: Any) -> None:
    look_for_shortcut(body, shortcut.search, shortcut.order, allowance)


@compiled
def look_for_shortcut(body: Any, detour: Any, order: Any, allowance: Any) -> None:
    """Run the search, and use its result."""
    meeting = meeting_point(body)
    begin(detour, turned_like(detour.world, aimed(unlearned(body.world), body.position)), body.goal, order)
    g = 0
    for i in range(body.length - 2, meeting - 1, -1):
        g += body.prices[i + 1]
        seed(detour, np.int64(borrow_field(body, "path")[i]), g)
    advance(detour, allowance)
    body.searches += 1
    body.expansions += detour.expansions
    if best_open(detour) == body.position:
        follow_shortcut(body, detour)


@compiled
def meeting_point(body: Any) -> Int:
    """Return where the agent would meet the path by stepping back."""
    state = body.position
    nodes = borrow_field(body.search, "nodes")
    while place_on_path(body, state) == NOWHERE:
        state = np.int64(nodes[state].parent)
    return place_on_path(body, state)


@compiled
def follow_shortcut(body: Any, detour: Any) -> None:
    """Take the new path: from the agent to a state of the old one, and then along that."""
    begin_trace(detour, body.position)
    trace(detour, NEVER)
    way, count = detour.trail, detour.traced
    nodes, joint = borrow_field(detour, "nodes"), place_on_path(body, np.int64(way[count - 1]))
    length = count + body.length - 1 - joint
    path, prices = np.empty(2 * length, np.int32), np.empty(2 * length, np.int64)
    for i in range(length):
        path[i] = way[i] if i < count else borrow_field(body, "path")[joint + 1 + i - count]
        # Its g is the distance to the goal, even for the states that the search began with.
        prices[i] = body.prices[joint + 1 + i - count] if i >= count else nodes[way[max(0, i - 1)]].g - nodes[way[i]].g
    for i in range(length):
        body.order[path[i]] = i
        tell(borrow_field(body, "world"), PATH, np.int64(path[i]), NO_STATE, i, prices[i])
    body.path, body.prices, body.length = path, prices, length


def shortcut_for(setting: Setting) -> NoShortcut | Shortcut:
    """Make a separate search, if shortcuts are wanted."""
    if not setting.parameters["shortcut"]:
        return NoShortcut()
    world, order = setting.world, Order.of(setting.world)
    # Every move of a grid can be undone at the same cost; an edge may be blocked in one direction, or cost more.
    believed = setting.believed if isinstance(world, Grid) else Reversed(setting.believed)
    most = max(world.branching, world.most_predecessors)
    search = new_search(believed, new_nodes(world.states), open_memory("hot"), order, most, 0, False)
    return Shortcut(search, order)
