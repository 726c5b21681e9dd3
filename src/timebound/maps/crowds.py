"""Pictures and films of crowds: every unit as a dot on the map, and the time of every tick as a line below it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .curve import below, ticks
from .films import Colour, film_scale, gif_bytes
from .lettering import FAINT, INK, PAPER, font, font_that_fits
from .model import Map
from .picture import GOAL_COLOUR, SMOOTH, START_COLOUR, TERRAIN_COLOURS, bare_picture, smoothed
from .trails import RUBBLE

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

Numbers = NDArray[np.int64]
Pixels = NDArray[np.float32]

# From Okabe and Ito's colours, like those of trails.
UNIT_COLOURS: dict[str, Colour] = {
    "moving": (0, 114, 178),
    "waiting": (240, 148, 0),
    "blocked": (204, 60, 40),
    "arrived": (0, 148, 105),
    "unreachable": (20, 20, 24),
    "memory": (204, 121, 167),
}
_GRID = (226, 224, 218)
_NARROWEST = 560  # pixels that the strip needs
_TITLE, _HEIGHT = 70, 204  # pixels of the strip: above the chart, and in total
_LEFT, _RIGHT, _BOTTOM = 58, 16, 22  # margins around the chart
_ABOVE = 1.7  # times the budget: longer times are cut off


class Snapshot(NamedTuple):
    """Where every unit was after a tick."""

    tick: int
    positions: Numbers
    """`[n, 2]`: x and y."""
    states: NDArray[np.int8]
    """What each unit did, as numbers: see `Footage.names`."""
    built: Numbers
    opened: Numbers
    """Numbers of the cells that have been blocked, and freed, since the map was made."""


@dataclass
class Footage:
    """The material of a film."""

    map_: Map
    title: str
    ms: float | None
    """The budget of a tick."""
    names: Sequence[str]
    """Names of the states, by their numbers: keys of `UNIT_COLOURS`."""
    snapshots: list[Snapshot] = field(default_factory=list)
    tick_ms: Sequence[float] = ()
    """How long every tick took."""


def crowd_picture(footage: Footage) -> "Image":
    """Draw the last snapshot, and the line of all tick times."""
    return _Stage(footage, None).drawn(footage.snapshots[-1])


def crowd_film(footage: Footage) -> bytes:
    """Return all snapshots as the contents of a GIF file."""
    stage = _Stage(footage, film_scale(footage.map_))
    ends = [stage.drawn(footage.snapshots[place]) for place in (0, -1)]
    frames: Iterator[Image] = map(stage.drawn, footage.snapshots)
    return gif_bytes(frames, ends, (*UNIT_COLOURS.values(), START_COLOUR, GOAL_COLOUR, RUBBLE))


class _Stage:
    """The map, and the strip below it."""

    def __init__(self, footage: Footage, scale: float | None):
        self.map_, self.names = footage.map_, footage.names
        self.ground, self.scale = bare_picture(footage.map_, scale)
        self.strip = _Strip(footage, max(self.ground.width, _NARROWEST))

    def drawn(self, snapshot: Snapshot) -> "Image":
        """One frame."""
        from PIL import Image

        ground = self.ground.copy()
        for cells, colour in ((snapshot.opened, TERRAIN_COLOURS["."]), (snapshot.built, RUBBLE)):
            if len(cells):
                ground.paste(colour, mask=self._mask(cells))
        pixels = np.asarray(ground, np.float32).copy()
        points = ((snapshot.positions + 0.5) * self.scale).astype(np.int64)
        radius = _radius(self.scale, pixels.shape[0] * pixels.shape[1] / max(1, len(points)))
        for state, colour in UNIT_COLOURS.items():
            _put_dots(pixels, points[snapshot.states == self.names.index(state)], radius, colour)
        return below(Image.fromarray(pixels.astype(np.uint8)), self.strip.drawn(snapshot))

    def _mask(self, cells: Numbers) -> "Image":
        """Return a mask that is white where the cells are."""
        from PIL import Image

        white = np.zeros(self.map_.passable.shape, np.uint8)
        white.ravel()[cells] = 255
        way = Image.Resampling.NEAREST if self.scale >= 1 else Image.Resampling.BOX
        return Image.fromarray(white).resize(self.ground.size, way)


def _radius(scale: float, area: float) -> float:
    """The radius of a dot: larger than a cell where cells are small, unless the crowd would then hide the map."""
    return max(0.58 * scale, min(2.2, max(0.9, math.sqrt(0.02 * area))))


def _put_dots(pixels: Pixels, points: Numbers, radius: float, colour: Colour) -> None:
    """Add a disc at each point."""
    height, width, _ = pixels.shape
    for dx, dy, cover in _disc(radius):
        x, y = points[:, 0] + dx, points[:, 1] + dy
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        x, y = x[inside], y[inside]
        pixels[y, x] = (1 - cover) * pixels[y, x] + cover * np.array(colour, np.float32)


@cache
def _disc(radius: float) -> list[tuple[int, int, float]]:
    """Return the pixels around a point, and how much of each a disc covers."""
    reach, fine = math.ceil(radius + 0.5), (np.arange(5) - 2) / 5
    shifts = [(dx, dy) for dx in range(-reach, reach + 1) for dy in range(-reach, reach + 1)]
    covers = [float(((dx + fine[:, None]) ** 2 + (dy + fine) ** 2 <= radius**2).mean()) for dx, dy in shifts]
    return [(dx, dy, cover) for (dx, dy), cover in zip(shifts, covers, strict=True) if cover]


class _Strip:
    """The strip below the map: text, and the line of tick times."""

    def __init__(self, footage: Footage, width: int):
        self.footage, self.width = footage, width
        times = footage.tick_ms
        usual = float(np.percentile(times, 99.5)) if len(times) else 1.0
        self.highest = max(usual * 1.25 if footage.ms is None else footage.ms * _ABOVE, 1e-6)
        self.last = max(len(times), 2)
        self.legend = self._legend()

    def x(self, tick: float) -> float:
        """Return the x of a tick, counted from 1."""
        return _LEFT + (tick - 1) / (self.last - 1) * (self.width - _LEFT - _RIGHT)

    def y(self, ms: float) -> float:
        """Return the y of a time."""
        return _HEIGHT - _BOTTOM - min(ms / self.highest, 1.0) * (_HEIGHT - _BOTTOM - _TITLE)

    def drawn(self, snapshot: Snapshot) -> "Image":
        """Draw the strip after a tick."""
        from PIL import Image, ImageDraw

        image = Image.new("RGB", (self.width, _HEIGHT), PAPER)
        draw, now = ImageDraw.Draw(image), self.footage.tick_ms[snapshot.tick - 1]
        clock = f"tick {snapshot.tick:,}: {now:.2f} ms"
        draw.text((_RIGHT, 18), self.footage.title, INK, font_that_fits(self.footage.title, self.width - 200), "lm")
        draw.text((self.width - _RIGHT, 18), clock, INK, font(15), "rm")
        for state, x in self.legend.items():
            count = np.count_nonzero(snapshot.states == self.footage.names.index(state))
            draw.text((x + 17, 44), f"{count:,} {state}", INK, font(14), "lm")
        self._draw_axes(draw)
        line = self._line(snapshot.tick)
        image.paste(line, mask=line)
        return image

    def _legend(self) -> dict[str, int]:
        """Return every state that occurs in the film, and where on the strip its legend goes."""
        seen = {self.footage.names[number] for each in self.footage.snapshots for number in np.unique(each.states)}
        shown = [state for state in UNIT_COLOURS if state in seen]
        column = min(150, (self.width - 2 * _RIGHT) // max(1, len(shown)))
        return {state: _RIGHT + place * column for place, state in enumerate(shown)}

    def _draw_axes(self, draw: "ImageDraw") -> None:
        small, right = font(12), self.width - _RIGHT
        for ms in ticks(self.highest):
            draw.line([(_LEFT, self.y(ms)), (right, self.y(ms))], _GRID)
            draw.text((_LEFT - 7, self.y(ms)), f"{ms:g} ms", FAINT, small, "rm")
        for tick in ticks(float(self.last)):
            if tick >= 1:
                draw.text((self.x(tick), _HEIGHT - _BOTTOM + 11), f"{tick:,.0f}", FAINT, small, "mm")

    def _line(self, tick: int) -> "Image":
        """Draw the times up to a tick, the budget, and the dots of the legend: large, and then reduced."""
        from PIL import Image, ImageDraw

        layer = Image.new("RGBA", (self.width * SMOOTH, _HEIGHT * SMOOTH))
        draw, times = ImageDraw.Draw(layer), self.footage.tick_ms[:tick]
        points = [(self.x(place + 1) * SMOOTH, self.y(ms) * SMOOTH) for place, ms in enumerate(times)]
        for state, x in self.legend.items():
            draw.circle(((x + 6) * SMOOTH, 44 * SMOOTH), 5 * SMOOTH, UNIT_COLOURS[state])
        if len(points) > 1:
            floor = self.y(0) * SMOOTH
            draw.polygon([(points[0][0], floor), *points, (points[-1][0], floor)], (*START_COLOUR, 46))
            draw.line(points, (*START_COLOUR, 255), round(1.5 * SMOOTH), joint="curve")
        if self.footage.ms is not None:
            self._draw_budget(draw, self.y(self.footage.ms) * SMOOTH)
        return smoothed(layer)

    def _draw_budget(self, draw: "ImageDraw", level: float) -> None:
        dash = 7 * SMOOTH
        for left in range(_LEFT * SMOOTH, (self.width - _RIGHT) * SMOOTH, 2 * dash):
            right = min(left + dash, (self.width - _RIGHT) * SMOOTH)
            draw.line([(left, level), (right, level)], (*GOAL_COLOUR, 255), round(1.5 * SMOOTH))
        text = f"budget {self.footage.ms:g} ms"
        draw.text(
            ((self.width - _RIGHT) * SMOOTH, level - 4 * SMOOTH), text, (*GOAL_COLOUR, 255), font(12 * SMOOTH), "rb"
        )
