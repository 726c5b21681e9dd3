"""A goal that may change from move to move, with separate learned values for each: for agents with subgoals."""

from typing import Any

from ...compiled import borrow_field, compiled, inlined, making, struct
from ...core.integers import Int
from ...search.goal_tables import Toward
from ...search.listener import SUBGOAL
from ...worlds.interface import NO_STATE, aimed, tell
from ...worlds.numbering import COUNT
from ..parts import Setting


@struct
class Quest:
    """LRTA* toward a goal that may change."""

    tables: Any  # learned values, separately for every goal
    era: Int  # how many times all of it was forgotten, as a move became cheaper: keys of another era hide old values
    world: Any  # aimed at the current goal
    target: Int  # which is this state


new_quest = making(Quest)


@compiled
def aim_at(quest: Any, target: Int) -> None:
    """Head there from now on."""
    quest.world, quest.target = aimed(quest.world, target), target


@inlined
def toward(quest: Any, world: Any, believed: Any) -> Toward:
    """Return the world with what was learned toward the current goal; its own, or one with another heuristic."""
    tell(believed, SUBGOAL, quest.target, NO_STATE, 0, 0)
    tables = borrow_field(quest, "tables")
    return Toward(world, tables, table_of(quest), believed.tally, quest.target, believed.listener)


@inlined
def table_of(quest: Any) -> int:
    """Return the number of the table of values toward the current goal."""
    return quest.target | quest.era << 32


@inlined
def values_learned(quest: Any) -> int:
    """Return the number of learned values, toward all goals together, forgotten ones included."""
    return borrow_field(quest, "tables").counts[COUNT]


def one_state_or_nothing(setting: Setting) -> str | None:
    """Reject other learning rules: the target itself keeps the values toward subgoals."""
    if setting.has("learning", "one-state", "none"):
        return None
    return f"agent {setting.name!r} keeps separate values for each subgoal: use learning='one-state' or 'none'"
