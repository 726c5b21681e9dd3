"""Guidance: units declare the paths that they intend to follow; planning avoids crowded cells and opposing traffic.

A cell costs more for each declared path through it, a move more for each in the opposite direction. In a warehouse full
of units that doubles what they deliver: streams form by themselves.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..agents.journey import DUE
from ..agents.roles import catch_up
from ..compiled import compiled, inlined, lowest_bit, optional
from ..compiled.clock import NEVER
from ..core.integers import Int
from ..core.memory import untouched
from ..search.allowance import UNLIMITED
from ..search.learning import Learned
from ..worlds import Grid
from ..worlds.grid import believed_travel
from ..worlds.interface import aimed, heuristic, predecessors, successors
from ..worlds.wrapping import wrapping
from .units import ARRIVED

FINER = 64  # times finer than the world's unit, which is 1 where all moves cost 1


class NoStreams(NamedTuple):
    """No guidance: no unit declares anything."""

    tag: int = 0


class Streams(NamedTuple):
    """The declared paths on a grid."""

    offsets: np.ndarray  # move k leads to state + offsets[k]
    through: np.ndarray  # how many paths lead through a cell
    along: np.ndarray  # along[state * len(offsets) + k]: how many make move k there
    crowded: int  # the extra cost of a cell for each path through it, in a FINER unit than the world's
    against: int  # and of a move for each path in the opposite direction


def streams_of(world: Grid, crowded: float, against: float) -> Streams:
    """Make streams without declared paths."""
    offsets, states = world.compiled(0).offsets, world.states
    costs = round(crowded * world.unit * FINER), round(against * world.unit * FINER)
    return Streams(offsets, untouched(states, np.int32), untouched(states * len(offsets), np.int32), *costs)


def rescaled(streams: Streams | NoStreams, factor: float) -> Streams | NoStreams:
    """Return the same streams, with costs in a unit that is that many times finer."""
    if isinstance(streams, NoStreams):
        return streams
    return streams._replace(crowded=round(streams.crowded * factor), against=round(streams.against * factor))


@optional
def settle(streams: Any, cells: Any, row: Any) -> None:
    """Declare what a unit intends, and withdraw what it no longer intends."""


@settle.of(Streams)
def _settle(streams: Any, cells: Any, row: Any) -> None:
    first, last = row.at, max(row.at, row.length - 1)  # the steps ahead
    rests = row.length == 0 or row.reason == ARRIVED  # it may have settled beside its goal
    for i in range(row.declared_from, row.declared_to):
        if i < first or i >= last or rests:
            declare(streams, cells[row.path + i], cells[row.path + i + 1], -1)
    if rests:
        row.declared_from = row.declared_to = 0
        return
    for i in range(first, last):
        if i < row.declared_from or i >= row.declared_to:
            declare(streams, cells[row.path + i], cells[row.path + i + 1], 1)
    row.declared_from, row.declared_to = first, last


@inlined
def declare(streams: Any, state: Int, successor: Int, count: int) -> None:
    """Add or remove one path that makes this step."""
    streams.through[successor] += count
    for k in range(len(streams.offsets)):
        if state + streams.offsets[k] == successor:
            streams.along[state * len(streams.offsets) + k] += count


# ------------------------------------------------------------------ the world for planning


@wrapping
class Guided(NamedTuple):
    """A grid in which crowded cells and moves against others cost more."""

    world: Any
    streams: Streams


@aimed.of(Guided)
def _aimed(world: Any, goal: Int) -> Guided:
    return Guided(aimed(world.world, goal), world.streams)


@heuristic.of(Guided)
def _heuristic(world: Any, state: Int) -> int:
    return FINER * heuristic(world.world, state)


@optional
def without_streams(world: Any) -> Any:
    """Return the world itself, with its true costs."""
    return world


@without_streams.of(Guided)
def _without_streams(world: Any) -> Any:
    return world.world


@optional
def finer(world: Any) -> int:
    """Return how many times finer than the world's unit that of learned values is."""
    return 1


@finer.of(Guided)
def _finer(world: Any) -> int:
    return FINER


@inlined
def price_of_step(grid: Any, state: Int, successor: Int, k: Int) -> Int:
    """Return the cost of move k on the grid itself."""
    if len(grid.travel) == 0:
        return grid.prices[k]
    both = believed_travel(grid, state) + believed_travel(grid, successor)
    return grid.prices[k] * both >> (grid.travel_bits + 1)


@successors.of(Guided)
def _successors(world: Any, state: Int) -> Iterator[tuple[int, int]]:
    grid, streams, moves = world.world, world.streams, len(world.streams.offsets)
    legal: Any = np.int64(grid.moves[state])
    if len(grid.patch):
        legal ^= grid.patch[state]
    while legal:
        k = lowest_bit(legal)
        legal &= legal - 1
        successor = state + grid.offsets[k]
        opposed = streams.along[successor * moves + (k ^ (2 if k < 8 else 4))]  # the move back: see STEPS
        delay = streams.crowded * streams.through[successor] + streams.against * opposed
        yield successor, FINER * price_of_step(grid, state, successor, k) + delay


@predecessors.of(Guided)
def _predecessors(world: Any, state: Int) -> Iterator[tuple[int, int]]:
    grid, streams, moves = world.world, world.streams, len(world.streams.offsets)
    crowd = streams.crowded * streams.through[state]
    legal: Any = np.int64(grid.moves[state])
    if len(grid.patch):
        legal ^= grid.patch[state]
    while legal:
        k = lowest_bit(legal)
        legal &= legal - 1
        delay = crowd + streams.against * streams.along[state * moves + k]
        predecessor = state + grid.offsets[k]
        yield predecessor, FINER * price_of_step(grid, predecessor, state, k) + delay


# ------------------------------------------------------------------ learning


@optional
def end_of_planning(streams: Any) -> int:
    """A deadline: an agent that has one postpones its learning."""
    return NEVER


@end_of_planning.of(Streams)
def _end_of_planning(streams: Any) -> int:
    return NEVER - 1


@optional
def learn_of_terrain(streams: Any, parts: Any, body: Any) -> None:
    """Let a unit do its postponed learning: about the terrain, not about others, which move on. h never falls."""


@learn_of_terrain.of(Streams)
def _learn_of_terrain(streams: Any, parts: Any, body: Any) -> None:
    if body.updating == DUE:
        body.search.world = calmed(body.search.world)
        catch_up(parts.learning, body, UNLIMITED)


@compiled
def calmed(world: Any) -> Learned:
    """Return the world of a search, without other units."""
    guided, streams = world.world, world.world.streams
    calm = Guided(guided.world, Streams(streams.offsets, streams.through, streams.along, 0, 0))
    rises, searches = (world.rises, world.rise_base), (world.path_costs, world.since)
    return Learned(calm, world.h, world.base, *rises, *searches, world.tally, world.listener)
