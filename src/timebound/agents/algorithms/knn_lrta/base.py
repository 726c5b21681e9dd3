"""The case base of an agent, and what it needs to query it."""

from os import PathLike
from typing import Any

import numpy as np

from ....core.errors import ProblemError
from ....core.wording import shown
from ....search.goal_tables import new_tables
from ....search.hot_queue import BUCKETS, HotMemory
from ....search.nodes import NODE
from ....search.open_list import ENTRY
from ....search.orders import Order
from ....search.state import new_search
from ....subgoals.building import small_base
from ....subgoals.cases import CaseBase
from ....subgoals.covered import Regions
from ....subgoals.kd_tree import room_for
from ....worlds import Grid
from ...parts import Setting
from ..quest import new_quest
from .guide import new_guide


def base_for(world: Grid, parameters: Any) -> CaseBase:
    """Return the given base, if it is for this world; otherwise a small one, which the world keeps for other agents."""
    given = parameters["cases"]
    if given is None:
        return small_base(world, parameters["records"], parameters["coverage"])
    if not isinstance(given, (CaseBase, str, PathLike)):
        raise ProblemError(f"cases must be a CaseBase (see CaseBase.build) or its file, not {shown(given)}")
    base = given if isinstance(given, CaseBase) else CaseBase.load(given)
    base.check(world)
    return base


def guide_for(setting: Setting, base: CaseBase, most: int) -> Any:
    """Make what an agent needs to find its subgoals, with room for `candidates` candidates."""
    cases = base.compiled
    ends = (np.zeros(most, np.int32), np.zeros(most, np.int64), np.zeros(most, np.int32), np.zeros(3, np.int64))
    regions = Regions(cases, setting.believed.world, *ends)
    # Small, and mostly used: from the heap, which has it from the last agent, not page by page from the system.
    nodes, room = np.zeros(len(cases.seeds) + 1, NODE), max(1024, len(cases.seeds) // 4)
    memory = HotMemory(np.empty(room, ENTRY), np.empty(room, ENTRY), np.empty(BUCKETS, np.int32))
    branching = most + int(np.diff(cases.leaving).max(initial=0))
    route = new_search(regions, nodes, memory, Order(1, 1, False, 0), branching, 0, False)
    quest = new_quest(new_tables(setting.world.states), setting.believed.world, setting.goal)
    return new_guide(room_for(most, base.levels), route, regions, quest)
