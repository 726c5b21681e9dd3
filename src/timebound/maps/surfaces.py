"""Pictures of learning: h before and after, its increase, and the visits to every cell."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import MapError
from .curve import axes_at, ink, label_log, pixels_of, plot
from .picture import GOAL_COLOUR, START_COLOUR

if TYPE_CHECKING:
    from PIL.Image import Image

Position = tuple[int, int]
Values = NDArray[np.float64]

_BLOCKED, _GROUND = (44, 46, 56), (240, 236, 226)
# From near the goal to far from it; lightness decreases all the way, and stays above that of blocked cells.
_NEAR_TO_FAR = ((252, 248, 214), (246, 205, 122), (228, 134, 98), (168, 88, 140), (98, 76, 168))
LITTLE_TO_MUCH = ((205, 232, 214), (110, 190, 178), (36, 128, 146), (20, 72, 120))
SELDOM_TO_OFTEN = ((250, 220, 120), (240, 140, 70), (200, 50, 70), (110, 16, 84))
_BANDS = 24  # colours: their edges are contour lines
_SIDE, _LARGEST_SIDE = 600, 800  # pixels of a panel; of a map that is not enlarged
_NARROWEST = 220  # pixels that the title and scale of a panel need
_GAP, _TITLE, _HEAD, _FOOT, _BAR = 20, 48, 26, 52, 14
_WHITE = (255, 255, 255)


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
    for each in (before, after, visits):
        if np.shape(each) != free.shape:
            raise MapError(f"the values must have the shape of the map, {free.shape}, not {np.shape(each)}")
    side = max(free.shape)
    cells, pixels = -(-side // _LARGEST_SIDE), max(1, _SIDE // side)
    height, width = (-(-length // cells) * pixels for length in free.shape)
    column, row = max(width, _NARROWEST) + _GAP, _HEAD + height + _FOOT
    with plot(2 * column + _GAP, _TITLE + 2 * row) as figure:
        from matplotlib.colors import LinearSegmentedColormap, LogNorm

        figure.text(_GAP / figure.bbox.width, 1 - 28 / figure.bbox.height, title, size=12, va="center")
        for n, (words, values, stops, norm) in enumerate(panels(free, before, after, visits)):
            left, top = _GAP + n % 2 * column, _TITLE + n // 2 * row + _HEAD
            axes = axes_at(figure, left, top, width, height)
            axes.imshow(_ground(free, cells), aspect="auto", interpolation="nearest")
            colours = LinearSegmentedColormap.from_list("", [ink(stop) for stop in stops], _BANDS)
            values = np.minimum(pooled(values, cells), norm.vmax)  # nothing is drawn for infinity
            shown = axes.imshow(values, colours, norm, aspect="auto", interpolation="nearest")
            axes.set_title(words, loc="left", fontsize=10)
            axes.set_axis_off()
            for place, face, edge in ((start, START_COLOUR, _WHITE), (goal, _WHITE, GOAL_COLOUR)):
                if place is not None:
                    x, y = ((part + 0.5) / cells - 0.5 for part in place)
                    axes.plot(x, y, "o", ms=9, mew=2, mfc=ink(face), mec=ink(edge))
            scale = axes_at(figure, left, top + height + 8, column - _GAP, _BAR)
            figure.colorbar(shown, scale, orientation="horizontal", format="{x:,g}").outline.set_visible(False)
            if isinstance(norm, LogNorm):
                label_log(scale.xaxis)
        return pixels_of(figure)


def panels(
    free: NDArray[np.bool_], before: ArrayLike, after: ArrayLike, visits: ArrayLike
) -> Iterator[tuple[str, Values, Sequence[Sequence[int]], Any]]:
    """Yield the title of every map, its values, its colours, and what places values among them."""
    from matplotlib.colors import LogNorm, Normalize

    old, new, often = (np.where(free, np.asarray(each, float), np.nan) for each in (before, after, visits))
    rise = np.where(np.isinf(old), 0.0, new - np.where(np.isinf(old), 0.0, old))
    heights = Normalize(0, max(_largest(old), _largest(new), 1.0), clip=True)
    yield "h before", old, _NEAR_TO_FAR, heights
    yield "h after", new, _NEAR_TO_FAR, heights
    yield "rise of h", _nothing_if_0(rise), LITTLE_TO_MUCH, Normalize(0, max(_largest(rise), 1e-6), clip=True)
    counted = f"visits: {np.nansum(often):,.0f} in total, at most {_largest(often):,.0f} to a cell"
    yield counted, _nothing_if_0(often), SELDOM_TO_OFTEN, LogNorm(1, max(_largest(often), 2.0), clip=True)


def _ground(free: NDArray[np.bool_], cells: int) -> NDArray[np.uint8]:
    passable = pooled(np.where(free, 1.0, np.nan), cells)[..., None] == 1
    return np.where(passable, _GROUND, _BLOCKED).astype(np.uint8)


def _nothing_if_0(values: Values) -> Values:
    return np.where(values == 0, np.nan, values)


def _largest(values: Values) -> float:
    """Return the largest finite value, 0 if there is none."""
    return float(values[np.isfinite(values)].max(initial=0.0))


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
