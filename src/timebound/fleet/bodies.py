"""Units with bodies: their sizes, mobilities and speeds, and the cells that each holds.

Every kind of units has its own world: the map as its body meets it (`Grid.for_body`). While a unit crosses from one
place to another, which takes 1 / speed ticks, it holds the cells of both.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..compiled import borrow, borrow_field, compiled, inlined, making, mutable
from ..core import values
from ..core.errors import ProblemError
from ..core.integers import Int
from ..worlds import Grid
from ..worlds.bodies import BodyGrid
from .addresses import address_of, no_addresses, struct_at
from .units import NO_UNIT

SOON = 1e-6  # ticks: times are sums of fractions
FASTEST = 16
SLOWEST = 1 / 1000
_SPEED = "speed is a number of cells per tick, from 0.001 to 16"


class Shapes(NamedTuple):
    """The bodies of all kinds of units."""

    first: np.ndarray  # cells[first[kind]:first[kind + 1]] are below it, as differences of states
    cells: np.ndarray
    boxes: np.ndarray  # four numbers for each kind: left, top, width and height of the cells below
    width: int  # of the map


class Motions(NamedTuple):
    """How every unit moves. Times are in ticks."""

    speed: np.ndarray
    pause: np.ndarray  # how long a move takes
    came: np.ndarray  # where its latest move began; it holds these cells until that ends
    began: np.ndarray
    due: np.ndarray  # when that ends, and another may begin
    depth: np.ndarray  # its place, from 1, among the units that push each other now: see `body_moves`
    single: np.ndarray  # does it go ahead if the last one that it pushes does?


# A world behind an address.
BodyWorld = mutable(__name__, "BodyWorld", ["world"])
Bodies = mutable(__name__, "Bodies", ["like", "worlds", "shapes", "motions"])
_new_world, _new_bodies = making(BodyWorld), making(Bodies)


@inlined
def world_of(bodies: Any, kind: Int) -> Any:
    """Return the world of units of that kind."""
    return borrow_field(struct_at(bodies.like, bodies.worlds[kind]), "world")


@compiled
def hold(shapes: Shapes, occupied: np.ndarray, kind: Int, state: Int, mark: Int) -> None:
    """Mark the cells below a body."""
    for i in range(shapes.first[kind], shapes.first[kind + 1]):
        occupied[state + shapes.cells[i]] = mark


@compiled
def let_go_of(shapes: Shapes, occupied: np.ndarray, kind: Int, state: Int, mark: Int) -> None:
    """Free those cells below a body that have its mark."""
    for i in range(shapes.first[kind], shapes.first[kind + 1]):
        if occupied[state + shapes.cells[i]] == mark:
            occupied[state + shapes.cells[i]] = 0


@compiled
def holder(shapes: Shapes, occupied: np.ndarray, kind: Int, state: Int) -> Int:
    """Return a unit that holds a cell below a body there, or NO_UNIT."""
    for i in range(shapes.first[kind], shapes.first[kind + 1]):
        if occupied[state + shapes.cells[i]]:
            return np.int64(occupied[state + shapes.cells[i]]) - 1
    return NO_UNIT


@compiled
def finish(shapes: Shapes, occupied: np.ndarray, motions: Motions, units: Any, order: np.ndarray, time: float) -> None:
    """Let units whose moves have ended by then hold only the cells below them."""
    for i in range(len(order)):
        unit = order[i]
        row = borrow(units)[unit]
        if motions.due[unit] <= time and motions.came[unit] != row.position:
            kind = np.int64(row.kind)
            if len(occupied):
                let_go_of(shapes, occupied, kind, motions.came[unit], unit + 1)
                hold(shapes, occupied, kind, row.position, unit + 1)
            motions.came[unit] = row.position


@compiled
def enter(shapes: Shapes, occupied: np.ndarray, rows: np.ndarray, units: np.ndarray) -> None:
    """Let these units hold the cells below them."""
    for i in range(len(units)):
        row = borrow(rows)[units[i]]
        hold(shapes, occupied, np.int64(row.kind), row.position, units[i] + 1)


@compiled
def leave(shapes: Shapes, occupied: np.ndarray, rows: np.ndarray, came: np.ndarray, units: np.ndarray) -> None:
    """Let these units hold no cells."""
    for i in range(len(units)):
        row = borrow(rows)[units[i]]
        for state in (row.position, came[units[i]]):
            let_go_of(shapes, occupied, np.int64(row.kind), state, units[i] + 1)


@compiled
def first_clash(shapes: Shapes, occupied: np.ndarray, kind: Int, starts: np.ndarray) -> tuple[Int, Int]:
    """Return the first start that is taken, and by whom: a unit, or a start before it, which is -2 - its place."""
    first = -1
    taker: Int = np.int64(NO_UNIT)
    for i in range(len(starts)):
        other = holder(shapes, occupied, kind, starts[i])
        if other != NO_UNIT:
            first, taker = i, other
            break
        hold(shapes, occupied, kind, starts[i], -1 - i)
    for i in range(len(starts)):
        let_go_of(shapes, occupied, kind, starts[i], -1 - i)
    return first, taker


# ------------------------------------------------------------------ for Python


def check_bodies(world: Any, options: Mapping[str, Any], group: Any) -> None:
    """Raise an error if units of this fleet cannot have bodies or speeds."""
    if not isinstance(world, Grid):
        raise ProblemError(f"speeds are for grids, not for a {type(world).__name__}")
    others = [name for name in ("guidance", "repair", "turns") if options.get(name)]
    others += ["collisions='complete'"] * (options["collisions"] == "complete") + ["group"] * (group is not None)
    if others:
        raise ProblemError(f"units with a size, a mobility or a speed cannot be in a fleet with {' and '.join(others)}")


def checked_speed(speed: Any) -> float:
    """Return the speed of a unit."""
    return values.number(speed, _SPEED, lambda given: SLOWEST <= given <= FASTEST)


class BodyTable:
    """The bodies of a fleet, for Python."""

    def __init__(self, units: int):
        self.motions = Motions(*(np.zeros(0, kind) for kind in (float, float, np.int64, float, float, np.int64, bool)))
        self.sizes: np.ndarray
        """The number of cells below units of each kind."""
        self.shapes: Shapes
        self.compiled: Any
        self.rounds = 1
        """In how many rounds the units of a tick move: as many as the fastest has cells to go."""
        self.history: list[tuple[Any, ...]] = []
        """For each round of the last tick: when it began; for every unit from where to where it goes, from when on and
        until when."""
        self._worlds: list[Any] = []
        self.make_room(units)

    def make_room(self, units: int) -> None:
        """Make room for that many units."""
        self.motions = Motions._make(_enlarged(array, units) for array in self.motions)
        self.history = [(when, *(_enlarged(each, units) for each in gone)) for when, *gone in self.history]

    def renew(self, kinds: list[Any]) -> None:
        """Take the kinds of the fleet, whose worlds may have new arrays."""
        below = [_cells_below(kind.world) for kind in kinds]
        width = kinds[0].world.width if kinds else 1
        self.sizes = np.array([len(cells) for cells in below])
        first = np.concatenate([[0], np.cumsum([len(cells) for cells in below])]).astype(np.int64)
        boxes = [(*cells.min(axis=0), *(np.ptp(cells, axis=0) + 1)) for cells in below]
        cells = np.concatenate([cells[:, 1] * width + cells[:, 0] for cells in below]).astype(np.int64)
        self.shapes = Shapes(first, cells, np.array(boxes, np.int64).ravel(), width)
        self._worlds = [_new_world(kind.world.compiled(0)) for kind in kinds]
        self._addresses = no_addresses(len(kinds))
        for number, world in enumerate(self._worlds):
            self._addresses[number] = address_of(world)
        self.compiled = _new_bodies(self._worlds[0], self._addresses, self.shapes, self.motions)

    def settle(self, units: np.ndarray, positions: np.ndarray, time: float, speed: float = 1.0) -> None:
        """Note that these units are there, at rest."""
        motions = self.motions
        motions.speed[units], motions.pause[units], motions.came[units] = speed, 1 / speed, positions
        motions.began[units] = motions.due[units] = time
        for _, came, there, began, due in self.history:
            came[units] = there[units] = positions
            began[units] = due[units] = time
        self.rounds = max(self.rounds, int(np.ceil(speed - 1e-9)))

    def finish(self, occupied: np.ndarray, rows: np.ndarray, units: np.ndarray, time: float) -> None:
        """Let units whose moves have ended by then hold only the cells below them."""
        finish(self.shapes, occupied, self.motions, rows, units, time + SOON)

    def restore(self, rounds: int, motions: tuple[Any, ...], history: list[Any]) -> None:
        """Take those of a saved fleet."""
        self.rounds, self.motions, self.history = rounds, Motions(*motions), history
        self.compiled = _new_bodies(self._worlds[0], self._addresses, self.shapes, self.motions)

    def note(self, time: float, positions: np.ndarray) -> None:
        """Note where all units go after a round."""
        motions = self.motions
        goes = (each.copy() for each in (motions.came, positions, motions.began, motions.due))
        self.history.append((time, *goes))

    def at(self, units: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return from where to where units go at a time within the last tick, and how far they are, from 0 to 1."""
        rounds = [each for each in self.history if each[0] <= time] or self.history[:1]
        came, positions, began, due = (each[units] for each in rounds[-1][1:])
        took = np.maximum(due - began, 1e-9)
        return came, positions, np.clip((time - began) / took, 0, 1)


def _enlarged(array: np.ndarray, units: int) -> np.ndarray:
    return np.concatenate([array, np.zeros(units - len(array), array.dtype)])


def _cells_below(world: Grid) -> np.ndarray:
    return world.body.below if isinstance(world, BodyGrid) else np.zeros((1, 2), np.int64)
