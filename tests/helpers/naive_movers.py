"""Grids on which others move, written without intervals: where everybody is at every tick."""

from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from naive import grid_moves

import timebound as tb

State = tuple[int, int, int]


@dataclass
class Traffic:
    """A grid and its movers: the cells of each by tick, from tick 0 on."""

    passable: np.ndarray
    neighbors: int
    movers: list[tb.Mover]

    def world(self, **options: Any) -> tb.Moving:
        return tb.Moving(tb.Grid(self.passable, neighbors=self.neighbors), self.movers, **options)

    def place(self, mover: tb.Mover, tick: int) -> tuple[int, int] | None:
        if tick < len(mover.cells):
            return mover.cells[tick]
        return mover.cells[-1] if mover.stays else None

    def hits(self, before: tuple[int, int], after: tuple[int, int], tick: int) -> bool:
        """Is an agent hit that is at `after` at that tick, and was at `before` one earlier?"""
        return any(
            self.place(mover, tick) == after
            or (before != after and self.place(mover, tick - 1) == after and self.place(mover, tick) == before)
            for mover in self.movers
        )

    def successors(self, state: State) -> list[State]:
        x, y, tick = state
        steps = grid_moves(self.passable, self.neighbors, "strict", x, y)
        cells = [*((x + dx, y + dy) for dx, dy in steps), (x, y)]
        return [(*cell, tick + 1) for cell in cells if not self.hits((x, y), cell, tick + 1)]

    def calm(self) -> int:
        """The first tick after which nobody moves."""
        return max((len(mover.cells) for mover in self.movers), default=0)

    def arrival(self, start: State, goal: tuple[int, int]) -> int | None:
        """Time-expanded search, tick by tick: the first tick at which the goal can be reached."""
        here, enough = {start[:2]}, start[2] + self.calm() + self.passable.size
        for tick in count(start[2]):
            if goal in here:
                return tick
            if not here or tick > enough:
                return None
            here = {after[:2] for cell in here for after in self.successors((*cell, tick))}
        return None

    def lost(self, state: State) -> bool:
        """Is one hit sooner or later from there, whatever one does?"""
        here = {state[:2]}
        for tick in range(state[2], max(state[2], self.calm()) + 1):
            here = {after[:2] for cell in here for after in self.successors((*cell, tick))}
        return not here


def random_traffic(seed: int, side: int = 6) -> tuple[Traffic, State, tuple[int, int]]:
    """Some walls, some movers that walk at random or straight on, a start and a goal."""
    generator = np.random.default_rng([37, seed])
    width, height = generator.integers(2, side + 1, 2).tolist()
    passable = generator.random((height, width)) >= generator.choice([0.0, 0.2, 0.3])
    passable[generator.integers(height), generator.integers(width)] = True
    cells = [(x, y) for y, x in np.argwhere(passable).tolist()]
    start, goal = (cells[i] for i in generator.integers(len(cells), size=2))
    movers = []
    for _ in range(generator.integers(0, 5)):
        x, y = int(generator.integers(-1, width + 1)), int(generator.integers(-1, height + 1))
        if generator.random() < 0.4:
            direction = [(1, 0), (0, 1), (-1, 0), (1, -1), (2, 1)][generator.integers(5)]
            speed = float(generator.choice([0.3, 0.5, 1.0]))
            movers.append(tb.Mover.straight((x, y), direction, speed=speed, ticks=int(generator.integers(1, 12))))
            continue
        path = [(x, y)]
        for _ in range(generator.integers(0, 15)):
            dx, dy = generator.integers(-1, 2, 2).tolist()
            path.append((path[-1][0] + dx, path[-1][1] + dy))
        movers.append(tb.Mover(path, stays=bool(generator.random() < 0.5)))
    return Traffic(passable, int(generator.choice([4, 8])), movers), (*start, 0), goal
