"""A mixed fleet among walls that come and go. `TIMEBOUND_MIXED=1` makes it 800 units and 5,000 ticks."""

import os
from typing import Any

import numpy as np
import pytest

import timebound as tb

COSTS = {"land": {0: 1, 1: 3}, "boat": {2: 1}, "hover": {0: 1, 1: 1, 2: 2}}
BODIES: list[tuple[int, str, float]] = [
    (1, "land", 1),
    (2, "land", 0.5),
    (3, "hover", 0.25),
    (1, "hover", 2),
    (2, "boat", 1),
]
BUDGET = 4000
FULL = os.environ.get("TIMEBOUND_MIXED") == "1"


class Referee:
    """The map in plain arrays, and who is where."""

    def __init__(self, side: int, units: int, seed: int):
        self.random, self.side = np.random.default_rng(seed), side
        self.ground = np.zeros((side, side), int)
        for _ in range(side // 3):
            x, y, width, height = (*self.random.integers(0, side, 2), *self.random.integers(4, side // 4, 2))
            self.ground[y : y + height, x : x + width] = self.random.integers(3)
        self.walls = np.zeros((side, side), bool)
        self.world = tb.Grid(self.ground, mobilities=COSTS)
        self.fleet = tb.Fleet(self.world, collisions="push", on_arrival=self.next_goals)
        self.size, self.speed, self.may = np.zeros(0, int), np.zeros(0), np.zeros((0, 3), bool)
        taken = np.zeros((side, side), bool)
        for size, mobility, speed in BODIES:
            starts, may = [], np.array([kind in COSTS[mobility] for kind in range(3)])
            for y, x in self.random.permutation(np.argwhere(self.world.for_body(mobility, size).passable)).tolist():
                if not taken[y : y + size, x : x + size].any() and len(starts) < units // len(BODIES):
                    taken[y : y + size, x : x + size] = True
                    starts.append((x, y))
            given: Any = {"size": size, "mobility": mobility, "speed": speed, "lookahead": 24}
            self.fleet.add("rtaa", start=starts, goal=starts, **given)
            self.size = np.append(self.size, [size] * len(starts))
            self.speed = np.append(self.speed, [speed] * len(starts))
            self.may = np.concatenate([self.may, np.tile(may, (len(starts), 1))])
        self.arrivals = 0

    def next_goals(self, arrived: np.ndarray) -> np.ndarray:
        self.arrivals += len(arrived)
        return self.goals_for(arrived)

    def goals_for(self, units: np.ndarray) -> np.ndarray:
        """Any places where they fit; they stay where they are if none is found."""
        goals = self.fleet.positions[units]
        for i, unit in enumerate(units.tolist()):
            for cell in self.random.integers(0, self.side - 2, (20, 2)):
                if self.fits(np.array([unit]), cell[None])[0]:
                    goals[i] = cell
                    break
        return goals

    def below(self, units: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The x and y of all cells below units that are at these places, and whose each is."""
        whose = np.repeat(np.arange(len(units)), self.size[units] ** 2)
        each = np.concatenate([np.arange(size * size) for size in self.size[units].tolist()])
        wide = self.size[units][whose]
        return places[whose, 0] + each % wide, places[whose, 1] + each // wide, whose

    def fits(self, units: np.ndarray, places: np.ndarray) -> np.ndarray:
        x, y, whose = self.below(units, places)
        free = ~self.walls[y, x] & self.may[units[whose], self.ground[y, x]]
        fitting = np.ones(len(units), bool)
        np.logical_and.at(fitting, whose, free)
        return fitting

    def change(self) -> None:
        """Walls come, also where units are; some go."""
        new = self.random.integers(0, self.side, (3, 2))
        old = self.random.permutation(np.argwhere(self.walls)[:, ::-1])[: len(new) if self.walls.mean() > 0.03 else 1]
        self.world.block(new)
        self.walls[new[:, 1], new[:, 0]] = True
        self.world.unblock(old)
        self.walls[old[:, 1], old[:, 0]] = False

    def tick(self) -> None:
        if self.fleet.ticks % 10 == 5:
            self.change()
        lost = self.fleet.units[[status == "unreachable" for status in self.fleet.status()]]
        if self.fleet.ticks % 25 == 0 and len(lost):
            goals = self.goals_for(lost)
            there = self.fits(lost, goals)
            if there.any():
                self.fleet.retarget(lost[there], goals[there])
        units, before = self.fleet.units, self.fleet.positions
        self.fleet.tick(expansions=BUDGET)
        after = self.fleet.positions
        x, y, whose = self.below(units, after)
        cells = np.unique(y * self.side + x)
        assert len(cells) == len(x), "two bodies overlap"
        moved = (before != after).any(axis=1)
        assert (np.abs(after - before).max(axis=1) <= np.ceil(self.speed)).all()
        assert (self.fits(units, after) | ~moved | ~self.fits(units, before)).all(), "a body goes into a wall"
        was = np.full(self.side * self.side, -1)
        x0, y0, whose0 = self.below(units, before)
        was[y0 * self.side + x0] = whose0
        into = was[y * self.side + x]
        pairs = {(int(a), int(b)) for a, b in zip(whose, into, strict=True) if b >= 0 and a != b}
        swapped = [(a, b) for a, b in pairs if (b, a) in pairs and min(self.speed[a], self.speed[b]) <= 1]
        assert not swapped, f"units swap: {swapped}"


@(pytest.mark.compiled if FULL else pytest.mark.uncompiled)
def test_a_mixed_fleet_among_walls_that_come_and_go() -> None:
    referee = Referee(*((160, 800) if FULL else (24, 25)), seed=3)
    ticks, fleet = (5000 if FULL else 120), referee.fleet
    for _ in range(ticks):
        referee.tick()
    waits = [figure.longest_wait for figure in fleet.figures().values()]
    assert max(waits) <= fleet.bound(expansions=BUDGET)
    moves = np.array([figure.moves for figure in fleet.figures().values()])
    assert (moves <= referee.speed * ticks + 1).all()
    assert referee.arrivals > len(fleet)
