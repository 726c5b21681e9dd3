"""Racetracks: a car with inertia on a grid of cells (Barto, Bradtke and Singh 1995; deterministic here).

A move adds an acceleration of -1, 0 or 1 along each axis to the velocity, and then the velocity to the position. If the
car hits an obstacle on the way, it stops in the last free cell before it, with velocity 0 (Bonet and Geffner 2003).
"""

import math
from collections.abc import Iterator
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.disk import path_of
from ..core.errors import ProblemError, WorldError
from ..core.memory import frozen
from ..core.values import is_whole, items, numeric_array, whole
from ..core.wording import shown
from .custom import CustomWorld

UNIT = 1000
_RULE = "a racetrack needs a two-dimensional boolean array, indexed [y, x], with some free cells"
Position = tuple[int, int]


def _place_of(world: Any, state: int) -> tuple[int, int]:
    cell = state // (world.span * world.span)
    return cell % world.width, cell // world.width


def _velocity_of(world: Any, state: int) -> tuple[int, int]:
    rest = state % (world.span * world.span)
    return rest % world.span - world.speed, rest // world.span - world.speed


def _state_of(world: Any, x: int, y: int, vx: int, vy: int) -> int:
    return ((y * world.width + x) * world.span + vy + world.speed) * world.span + vx + world.speed


def _is_free(world: Any, x: int, y: int) -> bool:
    return bool(0 <= x < world.width and 0 <= y < world.height and world.free[y * world.width + x])


def _nearest(numerator: int, denominator: int) -> int:
    """Round a fraction to the nearest whole number, halves away from 0: the same in both directions."""
    half = (2 * abs(numerator) + denominator) // (2 * denominator)
    return half if numerator >= 0 else -half


def _drive(world: Any, x: int, y: int, vx: int, vy: int) -> int:
    """Return the state after a move from (x, y) with that velocity; it checks as many points as its longer side has."""
    points = max(abs(vx), abs(vy))
    last_x, last_y = x, y
    for i in range(1, points + 1):
        next_x, next_y = x + _nearest(i * vx, points), y + _nearest(i * vy, points)
        if not _is_free(world, next_x, next_y):
            return _state_of(world, last_x, last_y, 0, 0)
        last_x, last_y = next_x, next_y
    return _state_of(world, last_x, last_y, vx, vy)


def _successors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    x, y = _place_of(world, state)
    vx, vy = _velocity_of(world, state)
    for ay in range(-1, 2):
        for ax in range(-1, 2):
            if abs(vx + ax) <= world.speed and abs(vy + ay) <= world.speed:
                successor = _drive(world, x, y, vx + ax, vy + ay)
                if successor != state:
                    yield successor, UNIT


def _predecessors(world: Any, state: int) -> Iterator[tuple[int, int]]:
    """Yield where the car may have come from: with its velocity, or (if it stands) by a crash with any velocity."""
    x, y = _place_of(world, state)
    vx, vy = _velocity_of(world, state)
    standing = vx == 0 and vy == 0
    for wy in range(-world.speed, world.speed + 1):
        for wx in range(-world.speed, world.speed + 1):
            points = max(abs(wx), abs(wy))
            came = wx == vx and wy == vy
            for i in range(points if came else 0, points + 1 if came else points if standing else 0):
                from_x = x - (_nearest(i * wx, points) if points else 0)
                from_y = y - (_nearest(i * wy, points) if points else 0)
                if _is_free(world, from_x, from_y) and _drive(world, from_x, from_y, wx, wy) == state:
                    for ay in range(-1, 2):
                        for ax in range(-1, 2):
                            if abs(wx - ax) <= world.speed and abs(wy - ay) <= world.speed:
                                predecessor = _state_of(world, from_x, from_y, wx - ax, wy - ay)
                                if predecessor != state:
                                    yield predecessor, UNIT


def _heuristic(world: Any, state: int) -> int:
    """Return the moves along a straight line to the nearest goal at the highest speed (diagonally)."""
    (x, y), nearest = _place_of(world, state), 1 << 60
    for i in range(len(world.goal_x)):
        dx, dy = x - world.goal_x[i], y - world.goal_y[i]
        nearest = min(nearest, dx * dx + dy * dy)
    return int(UNIT * math.sqrt(nearest / 2) / world.speed)


def _is_goal(world: Any, state: int) -> bool:
    x, y = _place_of(world, state)
    found = False
    for i in range(len(world.goal_x)):
        found = found or (x == world.goal_x[i] and y == world.goal_y[i])
    return found


class Racetrack(CustomWorld):
    """A track: a state is `(x, y, vx, vy)`, a start may be given as `(x, y)`, at rest.

    A goal is a cell `(x, y)`, reached at any velocity, or a list of cells; None means the goal cells of the track.
    Every move costs 1. Moves cannot be undone.

    Parameters
    ----------
    passable
        Boolean array, indexed `[y, x]`: True where the car can be.
    starts, goals
        Cells that the track marks; `load` takes them from the file.
    speed
        The limit of each component of the velocity.

    Examples
    --------
    >>> import numpy as np, timebound as tb
    >>> track = tb.Racetrack(np.ones((10, 10), bool))
    >>> tb.shortest_path(track, (0, 0), (9, 9)).states
    [(0, 0, 0, 0), (1, 1, 1, 1), (3, 3, 2, 2), (6, 6, 3, 3), (9, 9, 3, 3)]
    """

    width: int
    height: int

    def __init__(
        self,
        passable: npt.ArrayLike,
        starts: "list[Position] | None" = None,
        goals: "list[Position] | None" = None,
        *,
        speed: int = 3,
        name: str = "",
    ):
        self.passable = frozen(numeric_array(passable, _RULE, WorldError))
        if self.passable.ndim != 2 or self.passable.dtype != bool or not self.passable.any():
            raise WorldError(f"{_RULE}, not {shown(passable)}")
        speed = whole(speed, "the speed limit is a whole number from 1 to 10", most=10, error=WorldError)
        self.height, self.width = self.passable.shape
        self.speed, self.span = speed, 2 * speed + 1
        self.starts, self.goals = _cells("starts", starts), _cells("goals", goals)
        data = {"free": self.passable.ravel(), "width": self.width, "height": self.height}
        super().__init__(
            _successors,
            _heuristic,
            is_goal=_is_goal,
            predecessors=_predecessors,
            data={**data, "speed": speed, "span": self.span},
            states=self.passable.size * self.span**2,
            branching=9 + 9 * self.span**2 * speed,  # the most predecessors; successors are 9
            highest_cost=UNIT,
            unit=UNIT,
            name=name,
        )
        self.cheapest = UNIT

    @classmethod
    def load(cls, path: str | PathLike[str], *, speed: int = 3) -> "Racetrack":
        """Load a racetrack from a `.track` or `.racetrack` file, or from any map that `Grid.load` reads."""
        from ..maps import read
        from ..maps.tracks import LEGENDS, read_track

        file = path_of(path)
        if file.suffix.lower() in LEGENDS:
            return cls(*read_track(file), speed=speed, name=file.stem)
        loaded = read(path)
        return cls(loaded.passable, speed=speed, name=loaded.name)

    def __repr__(self) -> str:
        return f"Racetrack({self.width} x {self.height}, {int(self.passable.sum())} free, speed {self.speed})"

    def key(self, place: Any) -> int:
        """Return the number of a state (x, y, vx, vy), or (x, y) at rest."""
        if not (isinstance(place, (tuple, list)) and len(place) in (2, 4) and all(map(is_whole, place))):
            raise ProblemError(f"a state of a racetrack is (x, y, vx, vy), or (x, y) at rest, not {shown(place)}")
        x, y, vx, vy = map(int, (*place, 0, 0)[:4])
        self._check_cell((x, y))
        if max(abs(vx), abs(vy)) > self.speed:
            raise ProblemError(f"the velocity {shown((vx, vy))} is above the speed limit of {self.speed}")
        return _state_of(self, x, y, vx, vy)

    def _check_cell(self, cell: Position) -> None:
        x, y = cell
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise ProblemError(f"{shown(cell)} is outside the track, which is {self.width} wide and {self.height} high")
        if not self.passable[y, x]:
            raise ProblemError(f"{cell} is blocked; choose a free cell")

    def label(self, key: Any) -> tuple[int, int, int, int]:
        """Return the (x, y, vx, vy) of the state with that number."""
        cell, rest = divmod(key, self.span**2)
        return cell % self.width, cell // self.width, rest % self.span - self.speed, rest // self.span - self.speed

    def facts(self, goal: Any) -> dict[str, Any]:
        """Add the goal cells as arrays."""
        cells = self.goals if goal is None else [goal] if isinstance(goal, tuple) else goal
        if not (isinstance(cells, list) and cells):
            raise ProblemError(
                "a racetrack needs a goal: give a cell (x, y) or a list of cells, or mark goal cells on the track"
            )
        for cell in cells:
            if not (isinstance(cell, tuple) and len(cell) == 2 and all(map(is_whole, cell))):
                raise ProblemError(f"a goal of a racetrack is a cell (x, y), not {shown(cell)}")
            self._check_cell(cell)
        x, y = np.array(cells).T
        return {**self.data, "goal_x": np.ascontiguousarray(x), "goal_y": np.ascontiguousarray(y), "goal": 0}


def _cells(name: str, given: Any) -> list[Position]:
    return [] if given is None else items(given, f"the {name} of a racetrack are a list of cells (x, y)", WorldError)
