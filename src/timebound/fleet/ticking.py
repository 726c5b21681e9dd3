"""A tick of a fleet of one kind: moving, sensing and planning, in one call of compiled code.

With several kinds, each has its own compiled search. One function for all would have to be compiled for every mix of
kinds that occurs, for many seconds each time; so a tick is then one call for the moves, and one or two for each kind.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import compiled, mutable
from ..compiled.clock import NEVER
from ..core.integers import Int
from .ahead import NoRepair
from .moving import move_all
from .planning import serve_squad, share_of, tidy_queues
from .sensing import sense_all

Stage = mutable(
    __name__,
    "Stage",
    ["world", "mode", "streams", "arena", "rows", "moves", "queues", "shared"],  # what a tick works on
)


@compiled
def new_stage(
    world: Any, mode: int, streams: Any, arena: Any, rows: np.ndarray, moves: Any, queues: Any, shared: Any
) -> Any:
    """Everything a tick needs, in one struct: passing it one by one would take longer than the tick of a unit."""
    return Stage(world, mode, streams, arena, rows, moves, queues, shared)


class Told(NamedTuple):
    """What happened."""

    moved: Int
    reordered: bool  # do other units have precedence now?
    relief: bool  # has any unit seen a new way? Then no unit has planned yet
    share: int  # expansions of a search
    served: int
    spent: int
    mindless: Int  # the unit that needs a mind before planning can continue


@compiled
def tick_of_one_kind(
    stage: Any,
    crew: Any,
    present: np.ndarray,
    order: np.ndarray,
    tick: Int,
    round: Int,
    share: int,
    budget: int,
    end: int,
) -> Told:
    """Let all units move and look around, and as many plan as the budget allows. `order`: see `moving.move_all`."""
    rows, arena, queues = stage.rows, stage.arena, stage.queues
    places = stage.streams, arena, rows, order, stage.moves, queues, NoRepair()
    moved, reordered = move_all(stage.world, stage.mode, *places, tick)
    relief = sense_all(crew, queues, 0, arena, rows, present, tick)
    share = share_of(share, budget, end, tidy_queues(queues, rows))
    until = -1 if relief else NEVER  # with relief, no unit may plan yet
    tools, limits = (crew, stage.shared, queues, 0, stage.streams, arena), (until, share, budget, end, True)
    served, spent, mindless = serve_squad(*tools, rows, tick, round, *limits)
    return Told(moved, reordered, relief, share, served, spent, mindless)
