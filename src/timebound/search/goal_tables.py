"""Learned values toward many goals, in one table that holds only what was learned.

An agent that follows subgoals keeps a table of h for each of them (kNN LRTA* paper, section 3). Few values ever rise
for any one goal, so all tables are one: what was learned about a state on the way to a goal is found by the key (goal,
state), in the same kind of hash table as for worlds too large for arrays.
"""

from typing import Any, NamedTuple

from ..compiled import compiled
from ..core.integers import Int
from ..worlds.interface import NO_STATE, heuristic, wrapping
from ..worlds.numbering import COUNT, Numbering, look_up, new_numbering, number_for
from .learning import FULL, RISES, UPDATES, learn
from .listener import RAISE, hear, telling
from .types import CompiledWorld, Listener

MOST = 1 << 22  # the most values that an agent may learn
BYTES = 32  # per value, with its key and its places


def new_tables(states: int) -> Numbering:
    """Make empty tables for a world of `states` states."""
    return new_numbering(min(2 * states + 1024, MOST), 2)


@telling
@wrapping
class Toward(NamedTuple):
    """A world whose heuristic is the larger of its own and what was learned toward one goal; all of it is borrowed."""

    world: CompiledWorld
    tables: Numbering
    goal: int  # the first word of its keys
    tally: Any  # see `learning`
    target: int  # the goal itself
    listener: Listener


@heuristic.of(Toward)
def _heuristic(world: Toward, state: Int) -> int:
    h = heuristic(world.world, state)
    if world.tables.counts[COUNT] == 0:
        return h
    number, _ = look_up(world.tables, (world.goal, state))
    return h if number == NO_STATE else max(h, world.tables.estimates[number])


@learn.of(Toward)
def _learn(world: Toward, state: Int, value: int) -> None:
    old = heuristic(world, state)
    world.tally[UPDATES] += 1
    if value > old:
        world.tally[RISES] += value - old
        hear(world.listener, RAISE, state, world.target, old, value)
        if not remember(world.tables, world.goal, state, value):
            world.tally[FULL] = 1


@compiled
def remember(tables: Numbering, goal: int, state: Int, value: int) -> bool:
    """Store the raised h of a state; return whether there is room."""
    number, _ = number_for(tables, (goal, state))
    if number == NO_STATE:
        return False
    tables.estimates[number] = value
    return True
