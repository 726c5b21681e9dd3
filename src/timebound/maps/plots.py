"""Plots of learning: the cost of an agent's walks trial by trial; h before and after, and the visits to every cell."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from ..core.errors import MapError
from .drawing import FAINT, GOAL_COLOUR, INK, PAPER, START_COLOUR
from .model import Position

Values = NDArray[np.float64]

GRID = "#e2e0da"
# Of the learning curve.
_NARROWEST, _HEIGHT = 440, 300  # pixels
_STEEP = 12.0  # times the optimum; above that, costs get a logarithmic axis
_MOST_DOTS = 80
# Of the maps.
_BLOCKED, _GROUND = (44, 46, 56), (240, 236, 226)
# From near the goal to far from it; lightness decreases all the way, and stays above that of blocked cells.
_NEAR_TO_FAR = ((252, 248, 214), (246, 205, 122), (228, 134, 98), (168, 88, 140), (98, 76, 168))
LITTLE_TO_MUCH = ((205, 232, 214), (110, 190, 178), (36, 128, 146), (20, 72, 120))
SELDOM_TO_OFTEN = ((250, 220, 120), (240, 140, 70), (200, 50, 70), (110, 16, 84))
_BANDS = 24  # colours: their edges are contour lines
_SIDE, _LARGEST_SIDE = 600, 800  # pixels of a panel; of a map that is not enlarged
_NARROWEST_PANEL = 220  # pixels that the title and scale of a panel need
_GAP, _TITLE, _HEAD, _FOOT, _BAR = 20, 48, 26, 52, 14
_WHITE = (255, 255, 255)


def ink(colour: Sequence[int]) -> str:
    """Return a colour as Matplotlib takes it.

    >>> ink((250, 249, 246))
    '#faf9f6'
    """
    return "#{:02x}{:02x}{:02x}".format(*colour)


def require_matplotlib() -> None:
    """Raise an error without it."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MapError("this picture is a plot, which needs Matplotlib: pip install matplotlib") from None


@contextmanager
def plot(width: int, height: int) -> Iterator[Any]:
    """Yield a Matplotlib figure of that size to draw on; `pixels_of` makes it a picture."""
    require_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    style: dict[str, Any] = {"font.size": 9, "text.parse_math": False, "axes.facecolor": ink(PAPER)}
    style |= {"axes.spines.top": False, "axes.spines.right": False, "text.color": ink(INK)}
    style |= dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color", "axes.labelcolor"), ink(FAINT))
    with matplotlib.rc_context(style):
        yield Figure((width / 100, height / 100), dpi=100, facecolor=ink(PAPER))


def axes_at(figure: Any, left: int, top: int, width: int, height: int) -> Any:
    """Return axes at that place of a figure, in pixels."""
    whole = figure.bbox.width, figure.bbox.height
    return figure.add_axes((left / whole[0], 1 - (top + height) / whole[1], width / whole[0], height / whole[1]))


def pixels_of(figure: Any) -> Image.Image:
    """Draw a figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])


def label_log(axis: Any) -> None:
    """Label a logarithmic axis with round numbers."""
    from matplotlib.ticker import LogLocator, NullLocator

    axis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=9))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter("{x:,g}")


def curve_picture(
    costs: Sequence[float], optimum: float, width: int = 900, title: str = "learning curve"
) -> Image.Image:
    """Draw the cost of every trial as a line, and the optimum below it.

    Costs far above the optimum are drawn on a logarithmic axis.

    >>> curve_picture([310.0, 220.5, 180.0], 180.0).size
    (900, 300)
    """
    steep, width = 0 < optimum * _STEEP < max(costs), max(width, _NARROWEST)
    with plot(width, _HEIGHT) as figure:
        axes = axes_at(figure, 72, 48, width - 96, _HEIGHT - 100)
        mark = "o" if len(costs) <= _MOST_DOTS else ""
        axes.axhline(optimum, color=ink(GOAL_COLOUR), lw=1.6, ls="--")
        axes.plot(range(1, len(costs) + 1), costs, color=ink(START_COLOUR), marker=mark, ms=6)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set(xlabel="trial", ylim=(0, max(*costs, optimum, 1e-9) * 1.08))
        axes.yaxis.set_major_formatter("{x:,g}")
        if steep:
            axes.set(yscale="log", ylim=(optimum * 0.8, max(costs) * 1.3))
            label_log(axes.yaxis)
        scale = "cost (logarithmic)" if steep else "cost"
        axes.set_title(title, loc="left", fontsize=11)
        axes.set_title(f"{scale}; dashes: the optimum, {optimum:,.2f}", loc="right", fontsize=9, color=ink(FAINT))
        axes.grid(axis="y", color=GRID)
        return pixels_of(figure)


def learning_picture(
    passable: ArrayLike,
    before: ArrayLike,
    after: ArrayLike,
    visits: ArrayLike,
    start: Position | None = None,
    goal: Position | None = None,
    title: str = "",
) -> Image.Image:
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
    clear = pooled(np.where(free, 1.0, np.nan), cells)[..., None] == 1
    ground = np.where(clear, _GROUND, _BLOCKED).astype(np.uint8)
    column, row = max(width, _NARROWEST_PANEL) + _GAP, _HEAD + height + _FOOT
    with plot(2 * column + _GAP, _TITLE + 2 * row) as figure:
        from matplotlib.colors import LinearSegmentedColormap, LogNorm

        figure.text(_GAP / figure.bbox.width, 1 - 28 / figure.bbox.height, title, size=12, va="center")
        for n, (words, values, stops, norm) in enumerate(panels(free, before, after, visits)):
            left, top = _GAP + n % 2 * column, _TITLE + n // 2 * row + _HEAD
            axes = axes_at(figure, left, top, width, height)
            axes.imshow(ground, aspect="auto", interpolation="nearest")
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
    yield (
        "rise of h",
        np.where(rise == 0, np.nan, rise),
        LITTLE_TO_MUCH,
        Normalize(0, max(_largest(rise), 1e-6), clip=True),
    )
    counted = f"visits: {np.nansum(often):,.0f} in total, at most {_largest(often):,.0f} to a cell"
    yield (
        counted,
        np.where(often == 0, np.nan, often),
        SELDOM_TO_OFTEN,
        LogNorm(1, max(_largest(often), 2.0), clip=True),
    )


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
