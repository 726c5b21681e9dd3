"""A battle: tanks, scouts, boats and hovercraft, 1,000 units of different sizes and speeds, in one world and one fleet.

    pip install . pygame-ce  # in the sources
    python examples/battle_pygame.py
    python examples/battle_pygame.py --measure  # no window: how long frames take, beside a bare wait

Sixty frames a second, of which every third is a tick of the game. Units are drawn between cells. Click to blow up the
ground, which becomes water; click with the other button to build a bridge. Escape quits.
"""

import sys
import time
from typing import Any

import numpy as np

import timebound as tb

WIDTH, HEIGHT, CELL = 240, 150, 5
FRAMES_PER_TICK, MS = 3, 1.2
GRASS, MUD, WATER, ROCK = 0, 1, 2, 3
COLOURS = {GRASS: (188, 200, 150), MUD: (170, 140, 100), WATER: (110, 160, 200), ROCK: (90, 90, 95)}
TEAMS = ((170, 40, 40), (40, 60, 150))


MOBILITIES: dict[str, dict[int | str, float]] = {
    "track": {GRASS: 1, MUD: 1.5},
    "wheel": {GRASS: 1, MUD: 4},
    "boat": {WATER: 1},
    "hover": {0: 1, 1: 1, 2: 1},
}
ARMS: list[tuple[int, dict[str, Any]]] = [  # how many on each side, and their bodies
    (110, {"size": 2, "mobility": "track", "speed": 0.5}),  # tanks
    (250, {"mobility": "wheel"}),  # scouts
    (60, {"mobility": "boat"}),
    (70, {"size": 2, "mobility": "hover"}),
    (10, {"size": 3, "mobility": "track", "speed": 0.25, "priority": 1}),  # the big ones
]


def landscape(random: np.random.Generator) -> np.ndarray:
    """Make ground: smooth noise, cut into kinds."""
    noise = np.zeros((HEIGHT, WIDTH))
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    for _ in range(24):
        angle, period, phase = random.uniform(0, 2 * np.pi), random.uniform(25, 90), random.uniform(0, 2 * np.pi)
        noise += np.sin((x * np.cos(angle) + y * np.sin(angle)) * 2 * np.pi / period + phase) * period
    edges = np.quantile(noise, [0.22, 0.85, 0.98])
    return np.array([WATER, GRASS, MUD, ROCK])[np.digitize(noise, edges)]


class Battle:
    """Two sides; whoever arrives is sent back across the field."""

    def __init__(self, seed: int = 2, share: float = 1.0):
        self.random = np.random.default_rng(seed)
        self.world = tb.Grid(landscape(self.random), mobilities=MOBILITIES)
        self.fleet = tb.Fleet(self.world, collisions="push", on_arrival=self.orders)
        self.side, self.arm, taken = np.zeros(0, int), np.zeros(0, int), np.zeros((HEIGHT, WIDTH), bool)
        for side in (0, 1):
            for arm, (count, body) in enumerate(ARMS):
                starts: list[tuple[int, int]] = []
                size = body.get("size", 1)
                for x, y in self.random.permutation(self.half(side, arm)).tolist():
                    if len(starts) < count * share and not taken[y : y + size, x : x + size].any():
                        taken[y : y + size, x : x + size] = True
                        starts.append((x, y))
                goals = self.goals(np.full(len(starts), 1 - side), np.full(len(starts), arm))
                self.fleet.add("rtaa", start=starts, goal=goals, lookahead=24, **body)
                self.side = np.append(self.side, np.full(len(starts), side))
                self.arm = np.append(self.arm, np.full(len(starts), arm))

    def half(self, side: int, arm: int) -> np.ndarray:
        """Return the places on one side of the field where units of an arm fit."""
        _, body = ARMS[arm]
        free = np.argwhere(self.world.for_body(body["mobility"], body.get("size", 1)).passable)[:, ::-1]
        return np.array(free[(free[:, 0] > WIDTH // 2) == side])

    def goals(self, sides: np.ndarray, arms: np.ndarray) -> np.ndarray:
        """Return random places on these sides."""
        found = np.empty((len(arms), 2), int)
        for side, arm in sorted({*zip(sides.tolist(), arms.tolist(), strict=True)}):
            those, places = (sides == side) & (arms == arm), self.half(side, arm)
            found[those] = places[self.random.integers(len(places), size=int(those.sum()))]
        return found

    def orders(self, arrived: np.ndarray) -> np.ndarray:
        """Send them to the other side."""
        there = (self.fleet.positions[np.searchsorted(self.fleet.units, arrived), 0] > WIDTH // 2).astype(int)
        return self.goals(1 - there, self.arm[arrived])

    def change(self, x: int, y: int, ground: int) -> None:
        """Blow up the ground, or bridge it."""
        cells = [(x + i, y + j) for i in range(-2, 3) for j in range(-2, 3)]
        self.world.set_ground([(i, j) for i, j in cells if 0 <= i < WIDTH and 0 <= j < HEIGHT], ground)


def measure(battle: Battle, ticks: int = 600) -> None:
    """Print how long ticks take, and places to draw; beside each, a wait of the same budget without any work."""
    worked, waited = [], []
    for number in range(ticks):
        began = time.perf_counter_ns()
        battle.fleet.tick(ms=MS)
        battle.fleet.places(battle.fleet.ticks - 0.5)
        middle = time.perf_counter_ns()
        while time.perf_counter_ns() - middle < MS * 1e6:
            pass
        worked.append(middle - began)
        waited.append(time.perf_counter_ns() - middle)
        if number % 50 == 0:
            x, y = battle.random.integers(0, HEIGHT, 2).tolist()
            battle.change(x, y, [WATER, GRASS][number // 50 % 2])
    for what, took in (("tick and places", worked), ("bare wait", waited)):
        p50, p99 = np.percentile(took, [50, 99]) / 1e6
        print(f"{what}: p50 {p50:.2f} ms, p99 {p99:.2f} ms, {len(battle.fleet)} units, {ticks} ticks")


def main() -> None:
    """Open the window."""
    import pygame

    battle = Battle()
    screen, clock = pygame.display.set_mode((WIDTH * CELL, HEIGHT * CELL)), pygame.time.Clock()
    sizes = np.array([body.get("size", 1) for _, body in ARMS])[battle.arm] * CELL
    palette, frame = np.array([COLOURS[kind] for kind in range(4)], np.uint8), 0
    while True:
        for event in pygame.event.get():
            if event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE):
                return
            if event.type == pygame.MOUSEBUTTONDOWN:
                battle.change(event.pos[0] // CELL, event.pos[1] // CELL, WATER if event.button == 1 else GRASS)
        if frame % FRAMES_PER_TICK == 0:
            battle.fleet.tick(ms=MS)
        done = (frame % FRAMES_PER_TICK + 1) / FRAMES_PER_TICK
        assert battle.world.ground is not None
        ground = palette[battle.world.ground.kinds].repeat(CELL, axis=0).repeat(CELL, axis=1)
        pygame.surfarray.blit_array(screen, ground.swapaxes(0, 1))
        places = battle.fleet.places(battle.fleet.ticks - 1 + done) * CELL
        for (x, y), size, side in zip(places.tolist(), sizes.tolist(), battle.side.tolist(), strict=True):
            screen.fill(TEAMS[side], (round(x), round(y), size - 1, size - 1))
        pygame.display.flip()
        clock.tick(60)
        frame += 1


if __name__ == "__main__":
    if "--measure" in sys.argv:
        measure(Battle())
    else:
        main()
