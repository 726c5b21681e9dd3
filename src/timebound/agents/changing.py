"""How an agent catches up with changes of its world.

In known terrain it learns of every change immediately. In unknown and partial terrain it keeps its belief until its
sensor or a report says otherwise; its decision may turn out to be impossible.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.integers import Int
from ..knowledge.graph import edges_changed
from ..knowledge.grid import (
    BLOCKED,
    FREE,
    OUTDATED,
    believed_free,
    costs_changed,
    map_changed,
    really_free,
    with_own_costs,
)
from ..knowledge.terrain import rescaled
from ..search.types import NODE
from ..worlds import Graph, Grid
from ..worlds.changes import Noted
from ..worlds.grid import OF_CELL, OF_COST
from .body import arrive, can_move
from .journey import GOING, NOWHERE, STUCK, UNREACHABLE
from .queries import (
    has_hope,
    note_change,
    set_longest,
    set_stop,
    standing,
    take_along,
    take_back,
    take_for,
    take_for_now,
    value_at,
)
from .retreat import Retreat

if TYPE_CHECKING:
    from .agent import Agent

ROOM = 4  # factor by which the longest path may grow before an agent must rescale its costs


@dataclass
class Watch:
    """What an agent knows about the changes of its world."""

    version: int
    """The version of the world when the agent last looked."""
    rescalings: int
    """How many times its unit of costs had changed by then."""
    wall: int | None = None
    """The agent's cell, if it is blocked as far as the agent knows."""
    freer: bool = False
    """Was it told that a cell is free?"""


def catch_up(agent: "Agent") -> None:
    """Process the changes."""
    watch, changes = agent._watch, agent.world.changes
    for factor, bits in changes.rescalings[watch.rescalings :]:  # the unit of costs has changed
        agent._knowledge = rescaled(agent.world, agent._knowledge, factor, bits)
    if len(changes.rescalings) > watch.rescalings:
        take_for_now(agent._journey, agent.world.moved_on(agent._state))
        agent.renew()
    noted, watch.version, watch.rescalings = changes.since(watch.version), changes.version, len(changes.rescalings)
    agent.pay(noted)
    if isinstance(agent.world, Grid):
        _follow_grid(agent, noted)
    elif isinstance(agent.world, Graph):
        _follow_graph(agent, noted)
    set_longest(agent._journey, agent.world.longest)
    if agent.world.longest > ROOM * agent._longest:
        agent.process_news()
        agent.renew(0)
    refuse_decision(agent)
    if agent.terrain != "known" and standing(agent._journey).stop in (UNREACHABLE, STUCK):
        agent.sense()  # it does not move, so it would never look again
    go_on(agent)


def _follow_grid(agent: "Agent", noted: Noted) -> None:
    cells, kinds = noted.subjects // 2, noted.subjects % 2
    _follow_map(agent, cells[kinds == OF_CELL], noted.before[kinds == OF_CELL])
    if (kinds == OF_COST).any():
        _follow_costs(agent, cells[kinds == OF_COST], noted.before[kinds == OF_COST])


def _follow_costs(agent: Any, cells: np.ndarray, before: np.ndarray) -> None:
    look_again(agent)
    if agent.terrain != "known" and not len(agent._knowledge.own):
        # Its map has the new costs until the old ones are noted here: learning now would be wrong.
        agent._knowledge = with_own_costs(agent.world, agent._knowledge)
        agent.renew(None if standing(agent._journey).news else 0)
    _process(agent, costs_changed, cells, before)


def have_own_costs(agent: Any) -> None:
    """Let the agent believe in costs other than those of its map."""
    if not len(agent._knowledge.own):
        agent.process_news()
        agent._knowledge = with_own_costs(agent.world, agent._knowledge)
        agent.renew(0)


def _follow_map(agent: Any, cells: np.ndarray, before: np.ndarray) -> None:
    now = agent.world.passable.ravel()[cells]
    differ = now != (before != 0)
    cells, before = cells[differ], before[differ]
    look_again(agent)
    if agent.terrain == "unknown" or not len(cells):
        return  # it assumes that all cells are free, and its sensor reads this very map
    if agent.terrain == "partial":
        agent.truth.copy_cells(agent.world, cells)
    _process(agent, map_changed, cells, before)
    if agent.terrain == "known" and agent._watch.wall in cells:
        agent._watch.wall = None  # a report about its cell is void now
    stand_in_wall(agent)


def _process(agent: "Agent", change: Callable[..., Any], subjects: np.ndarray, before: np.ndarray) -> None:
    """Process a change of the map; in known terrain the agent learns of it immediately."""
    note_change(change, agent._journey, agent._knowledge, subjects, before, agent.terrain == "known")


def look_again(agent: Any) -> None:
    """Let its sensor look at cells again that it has seen, or that were reported. (In known terrain it has none.)"""
    if agent.terrain != "known":
        agent._knowledge.tally[OUTDATED] = 1


def _follow_graph(agent: Any, noted: Noted) -> None:
    differ = agent.world.prices(noted.subjects) != noted.before
    agent._truth = agent.world if agent.terrain == "known" else None
    _process(agent, edges_changed, noted.subjects[differ], noted.before[differ])


# ------------------------------------------------------------------ a wall where the agent is


def stand_in_wall(agent: Any) -> None:
    """Let an agent whose cell is blocked treat it as free while it is there, so that it can leave."""
    here = agent._state
    if isinstance(agent.world, Grid) and not believed_free(agent._knowledge, here):
        agent._watch.wall = here
        take_for(agent._journey, agent._knowledge, here, FREE)


def leave_wall(agent: "Agent") -> None:
    """Has it left the wall? Then it cannot come back."""
    wall = agent._watch.wall
    if wall is not None and agent._state != wall:
        agent._watch.wall = None
        take_for(agent._journey, agent._knowledge, wall, BLOCKED)
        refuse_decision(agent)


def to_believe_now(agent: "Agent", subjects: np.ndarray, facts: np.ndarray) -> np.ndarray:
    """Return which of some reports about a grid to believe now: not that the agent's own cell is blocked.

    That is believed when it leaves. Until then, the agent is inside a wall.
    """
    own = subjects == 2 * agent._state + OF_CELL
    if own.any():
        agent._watch.wall = agent._state if (facts[own] == BLOCKED).any() else None
    agent._watch.freer |= bool(((facts == FREE) & (subjects % 2 == OF_CELL)).any())
    return ~(own & (facts == BLOCKED))


# ------------------------------------------------------------------ where its environment puts it


def put(agent: "Agent", state: int) -> None:
    """Put the agent there, wherever it wanted to go and even if it has stopped; also into a wall."""
    take_along(agent._journey, state)
    arrive(agent._body, state)
    leave_wall(agent)
    stand_in_wall(agent)
    go_on(agent)


# ------------------------------------------------------------------ hope


def retreats(agent: "Agent") -> bool:
    """Does its retreat plan for it, since it gave up? Then it has not read the news."""
    return isinstance(agent._retreat, Retreat) and bool(agent._retreat.begun[0])


def go_on(agent: "Agent") -> None:
    """Resume an agent that has given up, if a move became possible or cheaper."""
    if has_hope(standing(agent._journey)):
        set_stop(agent._journey, GOING)


# ------------------------------------------------------------------ another goal


def what_is_lost(agent: "Agent", goal: int) -> int | None:
    """Return how much to lower learned h-values for the new goal; None if they say nothing about it.

    If h is consistent, h(s) - h(new goal) is a lower bound on the cost to the new goal, and also consistent if
    the world's own heuristic is a distance.
    """
    rounding = agent.world.rounding_of_distances
    if rounding is None or not agent._learning:
        return None
    nodes = agent._memory["nodes"].array if "nodes" in agent._memory else np.empty(0, NODE)
    lost = int(value_at(agent._body, nodes, goal))
    return None if lost < 0 else lost + rounding


def refuse_decision(agent: "Agent") -> None:
    """Cancel the decided move if it has become impossible: then the agent stays where it is."""
    decision = standing(agent._journey).decision
    if decision != NOWHERE and decision != agent._state and not _is_possible(agent, decision):
        take_back(agent._journey)


def _is_possible(agent: Any, decision: Int) -> bool:
    """Does that move exist, really and as far as the agent knows?"""
    knowledge, here = agent._knowledge, agent._state
    if isinstance(agent.world, Graph):
        extras = (knowledge.truth, knowledge.extra)
        return all(agent.world.allows(here, int(decision), extra) for extra in extras)
    if not isinstance(agent.world, Grid):
        return bool(can_move(agent._body, here, decision))
    crossed = agent.world.crossed(here, int(decision))
    return all(really_free(knowledge, cell) and believed_free(knowledge, cell) for cell in crossed)
