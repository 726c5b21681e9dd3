"""Pictures of learning: h before and after, its increase, and the visits to every cell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import MapError
from .curve import ticks
from .lettering import FAINT, INK, PAPER, font, font_that_fits
from .picture import SMOOTH, disc_radius, draw_ends, smoothed

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

Position = tuple[int, int]
Values = NDArray[np.float64]
Colours = NDArray[np.float64]

_BLOCKED, _GROUND = (44, 46, 56), (240, 236, 226)
# From near the goal to far from it; lightness decreases all the way, and stays above that of blocked cells.
_NEAR_TO_FAR = ((252, 248, 214), (246, 205, 122), (228, 134, 98), (168, 88, 140), (98, 76, 168))
LITTLE_TO_MUCH = ((205, 232, 214), (110, 190, 178), (36, 128, 146), (20, 72, 120))
SELDOM_TO_OFTEN = ((250, 220, 120), (240, 140, 70), (200, 50, 70), (110, 16, 84))
_BANDS = 24  # colours: their edges are contour lines
_SIDE, _LARGEST_SIDE = 600, 800  # pixels of a panel; of a map that is not enlarged
_NARROWEST = 220  # pixels that the title and scale of a panel need
_GAP, _TITLE, _HEAD, _FOOT, _BAR = 20, 48, 26, 52, 14
_COLUMNS = 2


def learning_picture(
    passable: ArrayLike,
    before: ArrayLike,
    after: ArrayLike,
    visits: ArrayLike,
    start: Position | None = None,
    goal: Position | None = None,
    title: str = "",
) -> "Image":
    """Draw four maps: h before and after, on the same scale; its increase; the visits to every cell. Blocked is dark.

    Args:
        passable: an array `[y, x]`: may an agent be there?
        before: the h of every cell, `[y, x]`, as costs (`timebound.applications.trials.surface`); infinite is allowed.
        after: the same, later.
        visits: the agent's visits to every cell (see `timebound.applications.trials.visits`).
        start: a position to mark with a disc.
        goal: a position to mark with a ring.
        title: the title of the sheet.

    >>> free = np.ones((30, 40), bool)
    >>> learning_picture(free, 0 * free, 3 * free, free, title="nothing much").size
    (1260, 1104)
    """
    free = np.asarray(passable, bool)
    old, new, often = (_values(free, each) for each in (before, after, visits))
    heights = Scale(_NEAR_TO_FAR, 0.0, max(_largest(old), _largest(new), 1.0))
    rise = _nothing_if_0(np.where(np.isinf(old), 0.0, new - np.where(np.isinf(old), 0.0, old)))
    rises = Scale(LITTLE_TO_MUCH, 0.0, max(_largest(rise), 1e-6))
    often = _nothing_if_0(often)
    counts = Scale(SELDOM_TO_OFTEN, 1.0, max(_largest(often), 2.0), logarithmic=True)
    panels = [
        Panel("h before", old, heights),
        Panel("h after", new, heights),
        Panel("rise of h", rise, rises),
        Panel(f"visits: {np.nansum(often):,.0f} in total, at most {_largest(often):,.0f} to a cell", often, counts),
    ]
    return _Sheet(free, panels, start, goal).drawn(title)


def _values(free: NDArray[np.bool_], given: ArrayLike) -> Values:
    values = np.array(given, np.float64)
    if values.shape != free.shape:
        raise MapError(f"the values must have the shape of the map, {free.shape}, not {values.shape}")
    return np.where(free, values, np.nan)


def _nothing_if_0(values: Values) -> Values:
    return np.where(values == 0, np.nan, values)


def _largest(values: Values) -> float:
    """Return the largest finite value, 0 if there is none."""
    return float(values[np.isfinite(values)].max(initial=0.0))


# ------------------------------------------------------------------ colours


@dataclass(frozen=True)
class Scale:
    """A colour scale for values."""

    stops: Sequence[tuple[int, int, int]]
    lowest: float
    highest: float
    logarithmic: bool = False

    def place(self, values: Values) -> Values:
        """Map values to the range from 0 to 1."""
        within = np.clip(values, self.lowest, self.highest)
        if self.logarithmic:
            return np.asarray(np.log(within / self.lowest) / math.log(self.highest / self.lowest))
        return np.asarray((within - self.lowest) / (self.highest - self.lowest))

    def colours(self, places: Values) -> Colours:
        """Return the colours of values from 0 to 1, in bands."""
        banded = np.minimum(np.floor(places * _BANDS), _BANDS - 1) / (_BANDS - 1)
        stops = np.array(self.stops, np.float64)
        at = np.linspace(0, 1, len(stops))
        return np.stack([np.interp(banded, at, stops[:, channel]) for channel in range(3)], axis=-1)

    def ticks(self) -> list[float]:
        """Return round numbers to label it."""
        if not self.logarithmic:
            return ticks(self.highest)
        powers = range(math.ceil(math.log10(self.highest)) + 1)
        numbers = [float(factor * 10**power) for power in powers for factor in (1, 2, 5)]
        fitting = [number for number in numbers if number <= self.highest]
        return fitting if len(fitting) <= 7 else fitting[::3]


@dataclass(frozen=True)
class Panel:
    """One of the maps; NaN shows nothing."""

    title: str
    values: Values
    scale: Scale


# ------------------------------------------------------------------ the sheet


class _Sheet:
    """Panels, two per row, each with its title above and its scale below."""

    def __init__(self, free: NDArray[np.bool_], panels: Sequence[Panel], start: Position | None, goal: Position | None):
        self.free, self.panels, self.start, self.goal = free, panels, start, goal
        side = max(free.shape)
        self.cells, self.pixels = -(-side // _LARGEST_SIDE), max(1, _SIDE // side)
        height, width = (-(-length // self.cells) * self.pixels for length in free.shape)
        self.size = width, height
        self.column = max(width, _NARROWEST)

    def drawn(self, title: str) -> "Image":
        """Draw the whole sheet."""
        from PIL import Image, ImageDraw

        row = _HEAD + self.size[1] + _FOOT
        rows = -(-len(self.panels) // _COLUMNS)
        sheet = Image.new("RGB", ((self.column + _GAP) * _COLUMNS + _GAP, _TITLE + row * rows), PAPER)
        draw = ImageDraw.Draw(sheet)
        draw.text((_GAP, 28), title, INK, font_that_fits(title, sheet.width - 2 * _GAP), anchor="lm")
        for place, panel in enumerate(self.panels):
            left, top = _GAP + place % _COLUMNS * (self.column + _GAP), _TITLE + place // _COLUMNS * row
            draw.text((left, top + 12), panel.title, INK, font_that_fits(panel.title, self.column), anchor="lm")
            sheet.paste(self._map(panel), (left, top + _HEAD))
            _draw_scale(sheet, draw, panel.scale, (left, top + _HEAD + self.size[1] + 8), self.column)
        return sheet

    def _map(self, panel: Panel) -> "Image":
        from PIL import Image

        values, free = pooled(panel.values, self.cells), pooled(np.where(self.free, 1.0, np.nan), self.cells) == 1
        colours = np.full((*values.shape, 3), _BLOCKED, np.uint8)
        colours[free] = _GROUND
        shown = ~np.isnan(values)
        colours[shown] = panel.scale.colours(panel.scale.place(values[shown])).astype(np.uint8)
        image = Image.fromarray(colours.repeat(self.pixels, axis=0).repeat(self.pixels, axis=1))
        ends = self._ends(image.size)
        image.paste(ends, mask=ends)
        return image

    def _ends(self, size: tuple[int, int]) -> "Image":
        from PIL import Image, ImageDraw

        layer = Image.new("RGBA", (size[0] * SMOOTH, size[1] * SMOOTH))
        scale = self.pixels / self.cells
        draw_ends(ImageDraw.Draw(layer), scale * SMOOTH, 0.8 * disc_radius(scale) * SMOOTH, self.start, self.goal)
        return smoothed(layer)


def pooled(values: Values, cells: int) -> Values:
    """Merge squares of cells into one, with the largest of their values; NaN only if all are NaN.

    >>> pooled(np.array([[1.0, 4.0, np.nan], [2.0, np.nan, np.nan]]), 2)
    array([[ 4., nan]])
    """
    height, width = (-(-length // cells) * cells for length in values.shape)
    padded = np.full((height, width), np.nan)
    padded[: values.shape[0], : values.shape[1]] = values
    squares = padded.reshape(height // cells, cells, width // cells, cells)
    return np.asarray(np.fmax.reduce(np.fmax.reduce(squares, axis=3), axis=1))


def _draw_scale(sheet: "Image", draw: "ImageDraw", scale: Scale, at: Position, width: int) -> None:
    """Draw the colours from the lowest to the highest value, and numbers below them."""
    from PIL import Image

    x, y = at
    strip = scale.colours((np.arange(width) / width)[None, :]).astype(np.uint8).repeat(_BAR, axis=0)
    sheet.paste(Image.fromarray(strip), at)
    for number in scale.ticks():
        place = x + float(scale.place(np.array([number]))[0]) * (width - 1)
        draw.line([(place, y + _BAR), (place, y + _BAR + 4)], FAINT)
        anchor = "lm" if place < x + 12 else "rm" if place > x + width - 12 else "mm"
        draw.text((place, y + _BAR + 14), f"{number:,.6g}", FAINT, font(13), anchor=anchor)
