"""A thousand units in a window: click to build walls, click with the other button to tear them down.

    pip install . pygame-ce  # in the sources
    python examples/crowd_pygame.py

Whatever you build, a frame has two milliseconds for all units: those with a path move, the others plan in turn.
Keys: space sends all units to the mouse, C clears the walls, escape quits.
"""

import sys
import time

import numpy as np
import pygame

import timebound as tb
from timebound import maps
from timebound.fleet.units import REASONS

CELL = 6  # pixels
UNITS, MS = 1000, 2.0
GROUND, ROCK, WALL, INK, PAPER = (236, 230, 216), (74, 78, 92), (150, 66, 48), (38, 42, 54), (250, 249, 246)
COLOURS = {"moving": (0, 114, 178), "waiting": (240, 148, 0), "arrived": (0, 148, 105)}
OTHERS = (20, 20, 24)


class Game:
    """The world, its units, and the walls that were built."""

    def __init__(self, units: int = UNITS, seed: int = 1):
        self.rock = ~maps.caves(180, 110, seed).passable
        self.world = tb.Grid(~self.rock)
        self.random = np.random.default_rng(seed)
        self.free = np.argwhere(~self.rock)[:, ::-1]
        self.fleet = tb.Fleet(self.world, collisions="push", on_arrival=lambda arrived: self.goals(len(arrived)))
        starts = self.free[self.random.choice(len(self.free), units, replace=False)]
        self.fleet.add("rtaa", start=starts, goal=self.goals(units), lookahead=24)

    def goals(self, count: int) -> np.ndarray:
        """Return random free cells."""
        open_now = self.free[self.world.passable[self.free[:, 1], self.free[:, 0]]]
        chosen: np.ndarray = open_now[self.random.choice(len(open_now), count)]
        return chosen

    def build(self, x: int, y: int) -> None:
        """Build a piece of wall around a cell; units inside walk out of it."""
        self.world.block(self.around(x, y))

    def tear_down(self, x: int, y: int) -> None:
        """Open what was built around a cell; rock stays."""
        self.world.unblock([(cx, cy) for cx, cy in self.around(x, y) if not self.rock[cy, cx]])

    def around(self, x: int, y: int) -> list[tuple[int, int]]:
        """Return the cells of the map around a cell."""
        height, width = self.rock.shape
        return [
            (cx, cy) for cx in range(x - 1, x + 2) for cy in range(y - 1, y + 2) if 0 <= cx < width and 0 <= cy < height
        ]

    def clear(self) -> None:
        """Open everything that was built."""
        self.world.unblock([(int(x), int(y)) for x, y in self.free])

    def gather(self, x: int, y: int) -> None:
        """Send all units to one place."""
        if self.world.passable[y, x]:
            self.fleet.retarget(self.fleet.units, (x, y))


class Window:
    """What the player sees."""

    def __init__(self, game: Game):
        height, width = game.rock.shape
        self.game, self.size = game, (width * CELL, height * CELL)
        self.screen = pygame.display.set_mode((self.size[0], self.size[1] + 28))
        self.font = pygame.font.Font(None, 22)
        pygame.display.set_caption("timebound: click to build walls")

    def draw(self, tick: tb.Tick, frame_ms: float) -> None:
        """Draw the map, the units, and the time of the frame."""
        cells = np.where(
            self.game.rock.T[..., None], ROCK, np.where(self.game.world.passable.T[..., None], GROUND, WALL)
        )
        ground = pygame.surfarray.make_surface(cells.astype(np.uint8))
        self.screen.blit(pygame.transform.scale(ground, self.size), (0, 0))
        units = self.game.fleet.units
        for (x, y), reason in zip(self.game.fleet.positions.tolist(), tick.reasons[units].tolist(), strict=True):
            colour = COLOURS.get(REASONS[reason], OTHERS)
            pygame.draw.rect(self.screen, colour, (x * CELL + 1, y * CELL + 1, CELL - 2, CELL - 2))
        self.screen.fill(PAPER, (0, self.size[1], self.size[0], 28))
        text = (
            f"{len(units):,} units   tick {tick.us / 1000:.2f} of {MS:g} ms   frame {frame_ms:.1f} ms   "
            f"{tick.moved:,} moved   {tick.served:,} planned   {tick.waiting:,} wait"
        )
        self.screen.blit(self.font.render(text, True, INK), (10, self.size[1] + 7))
        pygame.display.flip()


def cell_at(point: tuple[int, int], game: Game) -> tuple[int, int]:
    """Return the cell under a point of the window."""
    height, width = game.rock.shape
    return min(point[0] // CELL, width - 1), min(point[1] // CELL, height - 1)


def obey(game: Game) -> bool:
    """Handle the player's input since the last frame; return False if it ends the game."""
    for event in pygame.event.get():
        if event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE):
            return False
        if event.type == pygame.KEYDOWN and event.key == pygame.K_c:
            game.clear()
        if event.type == pygame.KEYDOWN and event.key == pygame.K_SPACE:
            game.gather(*cell_at(pygame.mouse.get_pos(), game))
        if event.type == pygame.MOUSEBUTTONDOWN and event.button in (1, 3):
            (game.build if event.button == 1 else game.tear_down)(*cell_at(event.pos, game))
        if event.type == pygame.MOUSEMOTION and (event.buttons[0] or event.buttons[2]):
            (game.build if event.buttons[0] else game.tear_down)(*cell_at(event.pos, game))
    return True


def play(frames: int | None = None, units: int = UNITS) -> tuple[Game, list[float]]:
    """Play until the window is closed, or for that many frames; return the game and the time of every tick in us."""
    pygame.display.init()  # not pygame.init(): this game makes no noise
    pygame.font.init()
    game = Game(units)
    lasted: list[float] = []
    window, clock, frame_ms = Window(game), pygame.time.Clock(), 0.0
    while obey(game) and (frames is None or len(lasted) < frames):
        began = time.perf_counter()
        tick = game.fleet.tick(ms=MS)
        lasted.append(tick.us)
        window.draw(tick, frame_ms)
        frame_ms = (time.perf_counter() - began) * 1000
        if frames is None:
            clock.tick(60)
    return game, lasted


if __name__ == "__main__":
    _, times = play(int(sys.argv[1]) if len(sys.argv) > 1 else None)
    print(f"{len(times)} ticks, median {np.median(times) / 1000:.2f} ms, longest {max(times) / 1000:.2f} ms")
    pygame.quit()
