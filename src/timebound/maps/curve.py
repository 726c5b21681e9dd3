"""Plots: what they share; and the learning curve, the cost of an agent's walks trial by trial."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import MapError
from .lettering import FAINT, INK, PAPER
from .picture import GOAL_COLOUR, START_COLOUR

if TYPE_CHECKING:
    from PIL.Image import Image

_NARROWEST, _HEIGHT = 440, 300  # pixels
_STEEP = 12.0  # times the optimum; above that, costs get a logarithmic axis
_MOST_DOTS = 80
GRID = "#e2e0da"


def ink(colour: Sequence[int]) -> str:
    """Return a colour as Matplotlib takes it.

    >>> ink((250, 249, 246))
    '#faf9f6'
    """
    return "#{:02x}{:02x}{:02x}".format(*colour)


def require_matplotlib() -> None:
    """Refuse to draw plots without it."""
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


def pixels_of(figure: Any) -> "Image":
    """Draw a figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])


def label_log(axis: Any) -> None:
    """Label a logarithmic axis with round numbers."""
    from matplotlib.ticker import LogLocator, NullLocator

    axis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=9))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter("{x:,g}")


def curve_picture(costs: Sequence[float], optimum: float, width: int = 900, title: str = "learning curve") -> "Image":
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


def below(picture: "Image", strip: "Image") -> "Image":
    """Return one picture with another below it, both centred."""
    from PIL import Image

    sheet = Image.new("RGB", (max(picture.width, strip.width), picture.height + strip.height), PAPER)
    sheet.paste(picture, ((sheet.width - picture.width) // 2, 0))
    sheet.paste(strip, ((sheet.width - strip.width) // 2, picture.height))
    return sheet
