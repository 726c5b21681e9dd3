"""A goal that may change from move to move, with learned values for each apart: for agents that follow subgoals."""

from typing import Any

from ...compiled import borrow_field, compiled, inlined, mutable
from ...integers import Int
from ...search.goal_tables import Toward, learned_count
from ...search.listener import SUBGOAL
from ...worlds.interface import NO_STATE, aimed, tell

Quest = mutable(
    __name__,
    "Quest",
    [
        "tables",  # what was learned, for every goal apart
        "era",  # how often all of it was forgotten
        "world",  # aimed at the present goal
        "target",  # which is this state
    ],
)


@compiled
def new_quest(tables: Any, world: Any, target: Int) -> Any:
    """Nothing learned, and a first goal."""
    return Quest(tables, 0, world, target)


@compiled
def aim_at(quest: Any, target: Int) -> None:
    """Go there from now on."""
    quest.world, quest.target = aimed(quest.world, target), target


@compiled
def forget_all(quest: Any) -> None:
    """A move became cheaper, so that what was learned may overestimate now: it is left under keys of another era."""
    quest.era += 1


@inlined
def toward(quest: Any, world: Any, believed: Any) -> Toward:
    """The world with what was learned toward the present goal; it is the quest's own, or has another heuristic."""
    tell(believed, SUBGOAL, quest.target, NO_STATE, 0, 0)
    tables = borrow_field(quest, "tables")
    return Toward(world, tables, table_of(quest), believed.tally, quest.target, believed.listener)


@inlined
def table_of(quest: Any) -> int:
    """The number of the table of values toward the present goal."""
    return quest.target | quest.era << 32


@inlined
def values_learned(quest: Any) -> int:
    """How many, toward all goals together."""
    return learned_count(borrow_field(quest, "tables"))
