"""Pictures and animations of crowds: every unit as a dot on the map, and the time of every tick as a line below it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from . import drawing
from .model import Map
from .plots import GRID, axes_at, ink, pixels_of, plot, require_matplotlib
from .trails import RUBBLE, Colour, film_scale, gif_bytes

Numbers = NDArray[np.int64]

# From Okabe and Ito's colours, like those of trails.
UNIT_COLOURS: dict[str, Colour] = {
    "moving": (0, 114, 178),
    "waiting": (240, 148, 0),
    "blocked": (204, 60, 40),
    "arrived": (0, 148, 105),
    "unreachable": (20, 20, 24),
    "memory": (204, 121, 167),
}
_NARROWEST = 560  # pixels that the strip needs
_TITLE, _HEIGHT = 70, 204  # pixels of the strip: above the chart, and in total
_LEFT, _RIGHT, _BOTTOM = 58, 16, 22  # margins around the chart
_ABOVE = 1.7  # times the budget: longer times are cut off


class Snapshot(NamedTuple):
    """Where every unit was after a tick."""

    tick: int
    positions: Numbers  # `[n, 2]`: x and y
    states: NDArray[np.int8]  # what each unit did, as numbers: see `Footage.names`
    built: Numbers  # numbers of the cells that have been blocked since the map was made,
    opened: Numbers  # and freed


@dataclass
class Footage:
    """The material of an animation."""

    map_: Map
    title: str
    ms: float | None  # the budget of a tick
    names: Sequence[str]  # of the states, by their numbers: keys of `UNIT_COLOURS`
    snapshots: list[Snapshot] = field(default_factory=list)
    tick_ms: Sequence[float] = ()  # how long every tick took

    def __post_init__(self) -> None:
        require_matplotlib()  # before the crowd walks, not after


def crowd_picture(footage: Footage) -> Image.Image:
    """Draw the last snapshot, and the line of all tick times."""
    return _Frames(footage, None).drawn(footage.snapshots[-1])


def crowd_film(footage: Footage) -> bytes:
    """Return all snapshots as the contents of a GIF file."""
    stage = _Frames(footage, film_scale(footage.map_))
    ends = [stage.drawn(footage.snapshots[place]) for place in (0, -1)]
    frames: Iterator[Image.Image] = map(stage.drawn, footage.snapshots)
    return gif_bytes(frames, ends, (*UNIT_COLOURS.values(), drawing.START_COLOUR, drawing.GOAL_COLOUR, RUBBLE))


class _Frames:
    """The map, and the strip below it."""

    def __init__(self, footage: Footage, scale: float | None):
        self.map_, self.names = footage.map_, footage.names
        self.ground, self.scale = drawing.bare_picture(footage.map_, scale)
        self.strip = _Strip(footage, max(self.ground.width, _NARROWEST))

    def drawn(self, snapshot: Snapshot) -> Image.Image:
        ground = self.ground.copy()
        for cells, colour in ((snapshot.opened, drawing.TERRAIN_COLOURS["."]), (snapshot.built, RUBBLE)):
            if len(cells):
                there = np.zeros(self.map_.passable.shape, bool)
                there.ravel()[cells] = True
                ground.paste(colour, mask=drawing.mask_of(there, ground))
        pixels = np.asarray(ground, np.float32).copy()
        points = ((snapshot.positions + 0.5) * self.scale).astype(np.int64)
        # Dots are larger than cells where these are small, unless the crowd would then hide the map.
        area = ground.width * ground.height / max(1, len(points))
        radius = max(0.58 * self.scale, min(2.2, max(0.9, math.sqrt(0.02 * area))))
        for state, colour in UNIT_COLOURS.items():
            some = points[snapshot.states == self.names.index(state)]
            for dx, dy, cover in _disc(radius):
                x, y = some[:, 0] + dx, some[:, 1] + dy
                inside = (x >= 0) & (x < ground.width) & (y >= 0) & (y < ground.height)
                x, y = x[inside], y[inside]
                pixels[y, x] = (1 - cover) * pixels[y, x] + cover * np.array(colour, np.float32)
        return drawing.below(Image.fromarray(pixels.astype(np.uint8)), self.strip.drawn(snapshot))


@cache
def _disc(radius: float) -> list[tuple[int, int, float]]:
    """Return the pixels around a point, and how much of each a disc covers."""
    reach, fine = math.ceil(radius + 0.5), (np.arange(5) - 2) / 5
    shifts = [(dx, dy) for dx in range(-reach, reach + 1) for dy in range(-reach, reach + 1)]
    covers = [float(((dx + fine[:, None]) ** 2 + (dy + fine) ** 2 <= radius**2).mean()) for dx, dy in shifts]
    return [(dx, dy, cover) for (dx, dy), cover in zip(shifts, covers, strict=True) if cover]


class _Strip:
    """The strip below the map: text, and the line of tick times. Every frame shows a longer part of the same plot."""

    def __init__(self, footage: Footage, width: int):
        self.footage, self.width, self.across = footage, width, width - _LEFT - _RIGHT
        seen = {footage.names[number] for each in footage.snapshots for number in np.unique(each.states)}
        shown = [state for state in UNIT_COLOURS if state in seen]
        column = min(150, (width - 2 * _RIGHT) // max(1, len(shown)))
        self.legend = {state: _RIGHT + place * column for place, state in enumerate(shown)}
        self.bare, self.plotted = self._chart([]), self._chart(footage.tick_ms)

    def drawn(self, snapshot: Snapshot) -> Image.Image:
        image, now = self.bare.copy(), self.footage.tick_ms[snapshot.tick - 1]
        passed = (snapshot.tick - 1) / max(len(self.footage.tick_ms) - 1, 1)
        image.paste(self.plotted.crop((0, 0, round(_LEFT + passed * self.across) + 1, _HEIGHT)))
        draw, title = ImageDraw.Draw(image), self.footage.title
        draw.text((_RIGHT, 18), title, drawing.INK, drawing.font_that_fits(title, self.width - 200), "lm")
        clock = f"tick {snapshot.tick:,}: {now:.2f} ms"
        draw.text((self.width - _RIGHT, 18), clock, drawing.INK, drawing.font(15), "rm")
        for state, x in self.legend.items():
            count = np.count_nonzero(snapshot.states == self.footage.names.index(state))
            draw.text((x + 17, 44), f"{count:,} {state}", drawing.INK, drawing.font(14), "lm")
        return image

    def _chart(self, times: Sequence[float]) -> Image.Image:
        """Draw the axes, the budget, the dots of the legend, and these times."""
        ms, all_times, line = self.footage.ms, self.footage.tick_ms, ink(drawing.START_COLOUR)
        usual = float(np.percentile(all_times, 99.5)) if len(all_times) else 1.0
        highest = max(usual * 1.25 if ms is None else ms * _ABOVE, 1e-6)
        with plot(self.width, _HEIGHT) as figure:
            for state, x in self.legend.items():
                at = (x + 6) / self.width, 1 - 42 / _HEIGHT
                figure.text(*at, "\u25cf", color=ink(UNIT_COLOURS[state]), size=11, ha="center", va="center_baseline")
            axes = axes_at(figure, _LEFT, _TITLE, self.across, _HEIGHT - _TITLE - _BOTTOM)
            axes.set(xlim=(1, max(len(all_times), 2)), ylim=(0, highest))
            axes.xaxis.set_major_formatter("{x:,g}")
            axes.yaxis.set_major_formatter("{x:g} ms")
            axes.grid(axis="y", color=GRID)
            axes.spines[:].set_visible(False)
            axes.fill_between(range(1, len(times) + 1), times, color=line, alpha=0.18, lw=0)
            axes.plot(range(1, len(times) + 1), times, color=line, lw=1.1)
            if ms is not None:
                axes.axhline(ms, color=ink(drawing.GOAL_COLOUR), lw=1.1, ls="--")
                axes.annotate(
                    f"budget {ms:g} ms", (1, ms), (0, 3), axes.get_yaxis_transform(), "offset points",
                    ha="right", color=ink(drawing.GOAL_COLOUR),
                )  # fmt: skip
            return pixels_of(figure)
