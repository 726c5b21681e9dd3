"""How the compiled part of an agent is made from its kind and its parameters: one function a family."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import ProblemError
from ..memory import untouched
from ..search.best_first import new_search
from ..search.clock import NEVER
from ..search.open_list import ENTRY
from ..solver import ENTRIES, Order, bucket_shift, open_memory
from ..worlds import Grid, World
from .catalogue import Kind
from .complete import Complete
from .dstar_lite import VERTEX, DStarLite, new_repair
from .local import ADAPTIVE, AS_MANY_AS_SUITS, BEST, DIJKSTRA, LEAST_RAISED, UNRAISED, LocalSearch
from .lrta import Lrta
from .prioritised import Prioritised, new_sweep


class Memory(NamedTuple):
    """What an agent leaves to the next one on the same world."""

    nodes: np.ndarray
    number: int  # no node has a higher number
    order: np.ndarray


class Setting(NamedTuple):
    """What an agent is made for, and from."""

    kind: Kind
    world: World
    parameters: Mapping[str, Any]
    start: int
    believed: Any  # the compiled world, as the agent takes it to be
    memory: Memory


def control_and_search(setting: Setting) -> tuple[Any, Any]:
    """How the agent decides, and the search that it does so with."""
    return _FAMILIES[setting.kind.family](setting)


def _complete(setting: Setting) -> tuple[Any, Any]:
    world, name = setting.world, setting.kind.name
    direction = setting.parameters.get("direction", "forward")
    if direction not in ("forward", "backward"):
        raise ProblemError(f"the direction is forward or backward, not {direction!r}")
    if direction == "backward" and not isinstance(world, Grid):
        raise ProblemError("direction backward is for grids, whose moves can be undone; on graphs use dstar-lite")
    order = Order.of(world, setting.parameters.get("weight", 1.0), name == "gbfs")
    control = Complete(*order, bucket_shift(world, order), direction == "backward", name == "late-astar")
    return control, _search(setting, order)


def _dstar_lite(setting: Setting) -> tuple[Any, Any]:
    world = setting.world
    if world.cheapest == 0:
        raise ProblemError("agent 'dstar-lite' needs moves that cost more than 0, and some here cost nothing")
    heap = untouched(ENTRIES, ENTRY)
    return DStarLite(1), new_repair(untouched(world.states, VERTEX), heap, setting.start, world.branching)


def _local(setting: Setting) -> tuple[Any, Any]:
    order = Order.of(setting.world, setting.parameters["weight"])
    return local_control(setting.world, setting.parameters), _search(setting, order, keep_closed=True)


def local_control(world: World, parameters: Mapping[str, Any]) -> LocalSearch:
    """The control of an agent of the local family."""
    order = Order.of(world, parameters["weight"])
    return LocalSearch(
        *order,
        bucket_shift(world, order),
        NEVER if parameters["lookahead"] is None else whole(parameters, "lookahead", endless=True),
        AS_MANY_AS_SUITS if parameters["movements"] is None else whole(parameters, "movements", endless=True),
        _choice(parameters, "learning", {"adaptive": ADAPTIVE, "dijkstra": DIJKSTRA}),
        _choice(parameters, "target", {"best": BEST, "unraised": UNRAISED, "least-raised": LEAST_RAISED}),
        world.longest,
    )


def _lrta(setting: Setting) -> tuple[Any, Any]:
    world, parameters = setting.world, setting.parameters
    order, limit = Order(1, 0), parameters["cost_limit"]
    if limit is not None and not (isinstance(limit, (int, float)) and limit > 0):
        raise ProblemError(f"the cost_limit of the lookahead is a number above 0, not {limit!r}")
    cost_limit = NEVER if limit is None or limit * world.unit >= NEVER else int(limit * world.unit)
    depth = NEVER if limit is not None else whole(parameters, "depth")
    return Lrta(depth, cost_limit, bucket_shift(world, order), world.longest), _search(setting, order)


def _prioritised(setting: Setting) -> tuple[Any, Any]:
    room = whole(setting.parameters, "queue")
    if room > 100_000:
        raise ProblemError(f"the queue of plrta holds at most 100,000 states, not {room:,}; it is looked through whole")
    return Prioritised(room, setting.world.longest), new_sweep(room)


_FAMILIES: dict[str, Callable[[Setting], tuple[Any, Any]]] = {
    "complete": _complete,
    "dstar-lite": _dstar_lite,
    "local": _local,
    "lrta": _lrta,
    "prioritised": _prioritised,
}


def _search(setting: Setting, order: Order, keep_closed: bool = False) -> Any:
    # Agents of all orders share one type of open list, so that one compilation serves them all.
    nodes, number, _ = setting.memory
    memory = open_memory("hot", order)
    return new_search(setting.believed, nodes, memory, setting.world.branching, number, keep_closed)


# ------------------------------------------------------------------ checks of what a user gives


def whole(parameters: Mapping[str, Any], name: str, endless: bool = False) -> int:
    """A parameter that is a whole number above 0, or (where that makes sense) infinite, or "all"."""
    value = parameters[name]
    if endless and value in (float("inf"), "all", "inf"):
        return NEVER
    if not (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        hint = " (or inf)" if endless else ""
        raise ProblemError(f"{name} is a whole number above 0{hint}, not {value!r}")
    return value


def _choice(parameters: Mapping[str, Any], name: str, choices: Mapping[str, int]) -> int:
    if parameters[name] not in choices:
        raise ProblemError(f"{name} is {' or '.join(choices)}, not {parameters[name]!r}")
    return choices[parameters[name]]
