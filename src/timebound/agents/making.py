"""How the compiled agent is made from its parts, and the memory that agents leave to each other."""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compiled.clock import NEVER
from ..core.memory import Pool, Used, untouched
from ..search.learning import HIGHEST, LEARNED, TOP, Learned
from ..search.orders import open_memory
from ..search.state import LAST_NUMBER, new_search
from ..search.types import NODE, VERTEX
from .interval import Recipe
from .journey import Beginning, Task
from .parts import ROLES, WITHOUT, Part, Setting, own_arrays
from .roles import Parts

# Arrays that agents leave to later ones on the same world, and the highest mark (see `Used`) that leaves room above.
ARRAYS: dict[str, tuple[npt.DTypeLike, int]] = {
    "nodes": (NODE, LAST_NUMBER // 2),
    "vertices": (VERTEX, HIGHEST),
    "h": (np.int64, HIGHEST),
    "rises": (np.int64, HIGHEST),
    "order": (np.int32, HIGHEST),
    "slots": (np.int32, HIGHEST),
}
Memory = dict[str, Used]
OPEN_LIST = "open list"


def take_memory(parts: Mapping[str, Part], world: Any, pool: Pool | None = None) -> Memory:
    """Return the arrays that these parts need: those that others have left (in the world's pool), or new ones."""
    (names, own), pool = _memory_of(tuple(parts.values())), world.pool if pool is None else pool
    taken = {name: pool.take(name, world.states, ARRAYS[name][0]) for name in names}
    return {**taken, **take_own_memory(parts, world)} if own else taken


def take_own_memory(parts: Mapping[str, Part], world: Any) -> Memory:
    """Return new arrays of their own for these parts."""
    own = _memory_of(tuple(parts.values()))[1]
    return {name: Used(untouched(world.states, dtype), 0) for name, dtype in own.items()}


@lru_cache(maxsize=1024)
def _memory_of(parts: tuple[Part, ...]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return what they need, by the names of `ARRAYS`; and arrays of their own."""
    apart = any(part.keeps_values for part in parts)
    needed = (part.memory for part in parts if not (apart and part.role == "learning"))
    names = (given for given in chain(("order",), *needed) if isinstance(given, str))
    return tuple(dict.fromkeys(names)), own_arrays(parts)


def leave_memory(pool: Pool, memory: Memory, open_list: Any, number: int, highest_h: int, highest_rise: int) -> None:
    """Leave the arrays to later agents; their values go up to these marks."""
    leave_open_list(pool, open_list)
    marks = {"nodes": number, "vertices": number, "h": highest_h, "rises": highest_rise}
    for name, (array, before) in memory.items():
        if name not in ARRAYS:
            continue  # of a part's own
        mark = max(before, marks.get(name, 0))  # unused arrays keep their old values
        if mark <= ARRAYS[name][1]:
            pool.leave(name, Used(array, mark))


def leave_open_list(pool: Pool, open_list: Any) -> None:
    """Leave the memory of an open list to later agents, if there is one."""
    if open_list is not None:
        if isinstance(open_list, np.ndarray):
            pool.leave_object("heap", open_list, open_list.nbytes)
        else:
            pool.leave_object(OPEN_LIST, open_list, open_list.hot.nbytes + open_list.cold.nbytes)


_NOTHING = np.empty(0, np.int64)
_NO_VALUES = Used(_NOTHING, 0)


def learned_world(when: str, believed: Any, memory: Mapping[str, Used]) -> Learned:
    """Return the world as the agent believes it, wrapped so that it can learn."""
    h = memory.get("h", _NO_VALUES)
    path_costs = np.zeros(16, np.int64) if when == "lazily" else _NOTHING
    since = memory["nodes"].mark if "nodes" in memory else 0
    tally = np.zeros(6, np.int64)
    tally[TOP] = h.mark
    return Learned(believed, h.array, h.mark, _NOTHING, 0, path_costs, since, tally)


def renewed(world: Learned, believed: Any, lowered: int | None, number: int) -> Learned:
    """Return learned values for another goal, or for other costs: all lowered by `lowered`, or forgotten.

    If all is forgotten, searches up to that number teach nothing more.
    """
    if lowered is not None:
        return world._replace(world=believed, base=world.base + lowered)
    tally, h = world.tally, world.h
    if tally[TOP] > HIGHEST:
        h[:] = tally[TOP] = 0
    tally[LEARNED] = 0
    path_costs = np.zeros_like(world.path_costs)
    return world._replace(world=believed, base=int(tally[TOP]), path_costs=path_costs, since=number)


def search_for(setting: Setting, order: Any, believed: Any = None, keep_closed: bool = False) -> Any:
    """Return a best-first search that has not begun. All orders share one type of open list, and one compilation."""
    nodes, number = setting.memory["nodes"]
    world, keep_closed = setting.world, keep_closed or setting.parts["learning"].reads_closed
    most = max(world.branching, world.most_predecessors)
    setting.open_list = world.pool.take_object(OPEN_LIST, open_memory)
    recipe = nodes, setting.open_list, order, most, number, keep_closed
    return Recipe(*recipe) if believed is None else new_search(believed, *recipe)


def ingredients(
    setting: Setting, knowledge: Any, longest: int, steepness: int, memory_limit: int = NEVER
) -> tuple[Any, ...]:
    """Return what `new_mind` makes an agent of, at the start of its setting and with nothing to fall back on."""
    parts = Parts._make([*(setting.parts[role].make(setting) for role in ROLES), WITHOUT])
    search = setting.parts["lookahead"].search(setting, parts.order)
    overestimated = setting.parts["learning"].most_overestimated(setting)
    task = Task(setting.start, setting.goal, False, memory_limit, longest, steepness, overestimated)
    return parts, search, setting.believed, knowledge, Beginning(task, setting.memory["order"].array)


# ------------------------------------------------------------------ parameters for compiled code


def limit(count: float | None) -> int:
    """Return a count; `NEVER` if it is infinite or not given."""
    return NEVER if count is None or count == math.inf else int(count)


@lru_cache(maxsize=1024)
def fraction(share: float | None) -> tuple[int, int]:
    """Return a share as an exact decimal fraction: 0.29 of 100 is 29."""
    return (1, 1) if share is None else Fraction(repr(share)).as_integer_ratio()
