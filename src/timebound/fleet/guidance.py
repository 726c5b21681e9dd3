"""Guidance: units declare the paths that they intend to follow; planning avoids crowded cells and opposing traffic.

A cell costs more for each declared path through it, a move more for each in the opposite direction. In a warehouse full
of units that doubles what they deliver: streams form by themselves. Vertex congestion and contraflow congestion are
also the costs of Chen, Harabor, Li and Stuckey (Traffic flow optimisation for lifelong multi-agent path finding, 2024).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..agents.journey import DUE
from ..agents.parts import Without
from ..agents.roles import catch_up
from ..compiled import compiled, inlined, lowest_bit, optional
from ..compiled.clock import NEVER
from ..core.integers import Int
from ..core.memory import untouched
from ..search.budget import UNLIMITED
from ..search.learning import Learned
from ..worlds import Grid
from ..worlds.grid import believed_travel
from ..worlds.interface import aimed, heuristic, predecessors, successors, wrapping
from .units import ARRIVED

FINER = 64  # times finer than the world's unit, which is 1 where all moves cost 1


class NoTraffic(NamedTuple):
    """No guidance: no unit declares anything."""

    end_of_planning: int = NEVER


class Traffic(NamedTuple):
    """The declared paths on a grid."""

    offsets: np.ndarray  # move k leads to state + offsets[k]
    through: np.ndarray  # how many paths lead through a cell
    along: np.ndarray  # along[state * len(offsets) + k]: how many make move k there
    vertex_cost: int  # the extra cost of a cell for each path through it, in a FINER unit than the world's
    contraflow_cost: int  # and of a move for each path in the opposite direction
    end_of_planning: int = NEVER - 1  # an agent that has a deadline postpones its learning


def traffic_of(world: Grid, vertex_cost: float, contraflow_cost: float) -> Traffic:
    """Make traffic without declared paths."""
    offsets, states = world.compiled(0).offsets, world.states
    costs = round(vertex_cost * world.unit * FINER), round(contraflow_cost * world.unit * FINER)
    return Traffic(offsets, untouched(states, np.int32), untouched(states * len(offsets), np.int32), *costs)


def rescaled(traffic: Traffic | NoTraffic, factor: float) -> Traffic | NoTraffic:
    """Return the same traffic, with costs in a unit that is that many times finer."""
    if isinstance(traffic, NoTraffic):
        return traffic
    vertex_cost, contraflow_cost = round(traffic.vertex_cost * factor), round(traffic.contraflow_cost * factor)
    return traffic._replace(vertex_cost=vertex_cost, contraflow_cost=contraflow_cost)


@optional
def declare(traffic: Traffic | NoTraffic, cells: Any, row: Any) -> None:
    """Declare what a unit intends, and withdraw what it no longer intends."""


@declare.of(Traffic)
def _declare(traffic: Traffic, cells: Any, row: Any) -> None:
    first, last = row.at, max(row.at, row.length - 1)  # the steps ahead
    rests = row.length == 0 or row.reason == ARRIVED  # it may have settled beside its goal
    if rests:
        first = last = 0
    before, after = row.declared_from, row.declared_to
    count_steps(traffic, cells, row.path, before, min(first, after), -1)
    count_steps(traffic, cells, row.path, max(before, first, last), after, -1)
    count_steps(traffic, cells, row.path, first, min(before, last), 1)
    count_steps(traffic, cells, row.path, max(first, before, after), last, 1)
    row.declared_from, row.declared_to = first, last


@compiled
def count_steps(traffic: Traffic, cells: Any, path: Int, first: Int, last: Int, count: int) -> None:
    """Add or remove one path that makes these steps."""
    for i in range(path + first, path + last):
        state, successor = cells[i], cells[i + 1]
        traffic.through[successor] += count
        for k in range(len(traffic.offsets)):
            if state + traffic.offsets[k] == successor:
                traffic.along[state * len(traffic.offsets) + k] += count


# ------------------------------------------------------------------ the world for planning


@wrapping
class WithTraffic(NamedTuple):
    """A grid in which crowded cells and moves against others cost more."""

    world: Any
    traffic: Traffic


@aimed.of(WithTraffic)
def _aimed(world: Any, goal: Int) -> WithTraffic:
    return WithTraffic(aimed(world.world, goal), world.traffic)


@heuristic.of(WithTraffic)
def _heuristic(world: Any, state: Int) -> int:
    return FINER * heuristic(world.world, state)


@optional
def without_traffic(world: Any) -> Any:
    """Return the world itself, with its true costs."""
    return world


@without_traffic.of(WithTraffic)
def _without_traffic(world: Any) -> Any:
    return world.world


@optional
def finer(world: Any) -> int:
    """Return how many times finer than the world's unit that of learned values is."""
    return 1


@finer.of(WithTraffic)
def _finer(world: Any) -> int:
    return FINER


@inlined
def price_of_step(grid: Any, state: Int, successor: Int, k: Int) -> Int:
    """Return the cost of move k on the grid itself."""
    if len(grid.travel) == 0:
        return grid.prices[k]
    both = believed_travel(grid, state) + believed_travel(grid, successor)
    return grid.prices[k] * both >> (grid.travel_bits + 1)


@successors.of(WithTraffic)
def _successors(world: Any, state: Int) -> Iterator[tuple[int, int]]:
    grid, traffic, moves = world.world, world.traffic, len(world.traffic.offsets)
    legal: Any = np.int64(grid.moves[state])
    if len(grid.patch):
        legal ^= grid.patch[state]
    while legal:
        k = lowest_bit(legal)
        legal &= legal - 1
        successor = state + grid.offsets[k]
        opposed = traffic.along[successor * moves + (k ^ (2 if k < 8 else 4))]  # the move back: see STEPS
        delay = traffic.vertex_cost * traffic.through[successor] + traffic.contraflow_cost * opposed
        yield successor, FINER * price_of_step(grid, state, successor, k) + delay


@predecessors.of(WithTraffic)
def _predecessors(world: Any, state: Int) -> Iterator[tuple[int, int]]:
    grid, traffic, moves = world.world, world.traffic, len(world.traffic.offsets)
    crowd = traffic.vertex_cost * traffic.through[state]
    legal: Any = np.int64(grid.moves[state])
    if len(grid.patch):
        legal ^= grid.patch[state]
    while legal:
        k = lowest_bit(legal)
        legal &= legal - 1
        delay = crowd + traffic.contraflow_cost * traffic.along[state * moves + k]
        predecessor = state + grid.offsets[k]
        yield predecessor, FINER * price_of_step(grid, predecessor, state, k) + delay


# ------------------------------------------------------------------ learning


@optional
def learn_of_terrain(traffic: Traffic | NoTraffic, parts: Any, body: Any) -> None:
    """Let a unit do its postponed learning: about the terrain, not about others, which move on. h never falls."""


@learn_of_terrain.of(Traffic)
def _learn_of_terrain(traffic: Traffic, parts: Any, body: Any) -> None:
    if body.updating == DUE:
        leave_out_units(body.search)
        catch_up(parts.learning, body, UNLIMITED)


@optional
def leave_out_units(search: Any) -> None:
    """Give a search the world without other units."""
    search.world = calmed(search.world)


@leave_out_units.of(Without)
def _leave_out_units(search: Any) -> None:
    return


@compiled
def calmed(world: Any) -> Learned:
    """Return the world of a search, without other units."""
    guided, traffic = world.world, world.world.traffic
    calm = Traffic(traffic.offsets, traffic.through, traffic.along, 0, 0, traffic.end_of_planning)
    rises, searches = (world.rises, world.rise_base), (world.path_costs, world.since)
    return Learned(WithTraffic(guided.world, calm), world.h, world.base, *rises, *searches, world.tally, world.listener)
