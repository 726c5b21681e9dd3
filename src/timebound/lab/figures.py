"""Figures, as SVG and PNG: our numbers as solid lines, the paper's as dotted lines.

In a page, Matplotlib's SVG is made small: figures share their styles, and coordinates have one decimal.
"""

import math
import re
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from .claims import show
from .experiment import UNITS, Configuration, Figure
from .measures import Measure
from .results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = (7.0, 4.4)
_MARKS = "osD^vP*Xph<>"
_INK = {"axes.edgecolor": "#555", "axes.labelcolor": "#333", "xtick.color": "#555", "ytick.color": "#555"}
_PROLOGUE = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<defs>\s*<style.*?</defs>", re.S
)
_STYLE = re.compile(r'style="([^"]*)"')
_ID = re.compile(r' id="([^"]*)"')
_USED = re.compile(r'(?:href="#|url\(#)([^")]*)')
_NUMBER = re.compile(r"-?\d+\.\d+")
_DRAWING = re.compile(r' (d|x|y|x1|x2|y1|y2|points|transform)="([^"]*)"')
_SVG = re.compile(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>')


class Drawn(NamedTuple):
    """A figure in both formats."""

    svg: bytes
    png: bytes


class Point(NamedTuple):
    """A configuration in a figure; the error is half of the confidence interval of y."""

    x: float
    y: float
    error: float


class Curve(NamedTuple):
    """The points of one agent, here and in the paper."""

    name: str
    ours: list[Point]
    published: list[Point]


def draw(figure: Figure, results: Results) -> Drawn:
    """Draw a figure."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    style = {**_INK, "svg.hashsalt": figure.id, "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9}
    style["text.parse_math"] = False  # a dollar sign in a title is not mathematics
    with matplotlib.rc_context(style):
        canvas = Canvas(figsize=_SIZE, layout="constrained")
        axes = canvas.subplots()
        for number, line in enumerate(lines_of(figure, results)):
            _draw_line(axes, line, f"C{number % 10}", _MARKS[number % len(_MARKS)])
        _dress(axes, figure, results)
        svg, png = BytesIO(), BytesIO()
        canvas.savefig(svg, format="svg", metadata={"Date": None})
        canvas.savefig(png, format="png", dpi=160)
    return Drawn(svg.getvalue(), png.getvalue())


def lines_of(figure: Figure, results: Results) -> list[Curve]:
    """Return the lines of a figure, without empty ones."""
    groups: dict[str, list[Configuration]] = {}
    experiment = results.experiment
    for configuration in (one for entry in experiment.entries for one in experiment.rows(entry)):
        if configuration.label in figure.agents:
            name, value = experiment.titles[configuration.label], configuration.settings.get(figure.lines)
            name += "" if value is None else f", {figure.lines} {show(value)}"
            groups.setdefault(name, []).append(configuration)
    lines = [
        Curve(name, _points(figure, results, group, False), _points(figure, results, group, True))
        for name, group in groups.items()
    ]
    return [line for line in lines if line.ours or line.published]


def _points(figure: Figure, results: Results, group: list[Configuration], published: bool) -> list[Point]:
    points = []
    for configuration in group:
        if not published and (results.unsolved(configuration) or results.above_cut_off(configuration)):
            continue  # a mean over only the solved problems would flatter it
        x, _ = _coordinate(figure.x, results, configuration, published)
        y, error = _coordinate(figure.y, results, configuration, published)
        if math.isfinite(x) and math.isfinite(y):
            points.append(Point(x, y, error if math.isfinite(error) else 0.0))
    return points if isinstance(figure.x, Measure) else sorted(points)


def _coordinate(what: Measure | str, results: Results, one: Configuration, published: bool) -> tuple[float, float]:
    if not isinstance(what, Measure):
        return float(one.settings.get(what, math.nan)), 0.0
    if published:
        printed = results.experiment.published.value(one, str(what))
        return (math.nan if printed is None else printed), 0.0
    measured = results.estimate(one, what)
    return (math.nan, 0.0) if measured is None else (measured.value, (measured.high - measured.low) / 2)


def _draw_line(axes: "Axes", line: Curve, color: str, mark: str) -> None:
    if line.ours:
        xs, ys, errors = zip(*line.ours, strict=True)
        axes.errorbar(xs, ys, yerr=errors, color=color, marker=mark, ms=4.5, lw=1.4, elinewidth=0.7, label=line.name)
    if line.published:
        xs, ys, _ = zip(*line.published, strict=True)
        axes.plot(xs, ys, ":", color=color, marker=mark, mfc="white", ms=4.5, lw=1.2, label=f"{line.name}, paper")


def _dress(axes: "Axes", figure: Figure, results: Results) -> None:
    """Add axes, their names, and the legend."""
    from matplotlib.ticker import LogFormatter

    class Plain(LogFormatter):
        """Label the ticks of a log axis that Matplotlib would label, with plain numbers instead of its TeX."""

        def __call__(self, x: float, pos: int | None = None) -> str:
            return f"{x:,.10g}" if super().__call__(x, pos) else ""

    for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        if name in figure.log:
            axes.set(**{f"{name}scale": "log"})
            axis.set_major_formatter(Plain())
            axis.set_minor_formatter(Plain())
        what: Any = getattr(figure, name)
        per_interval = f"{UNITS[results.experiment.entries[0].unit]} per interval"
        heading = per_interval if what == "budget" else results.experiment.measures.get(what, what)
        axes.set(**{f"{name}label": heading})
    axes.set_title(figure.title, loc="left", fontsize=10, color="#222")
    axes.grid(color="#ddd", lw=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=7.5, ncols=2)


# ------------------------------------------------------------------ in a page


class Styles:
    """The styles of the figures of a page, each once."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def name(self, style: str) -> str:
        """Return the class for a style."""
        plain = ";".join(part.strip() for part in style.split(";") if part.strip())
        return self.names.setdefault(plain, f"f{len(self.names)}")

    def __str__(self) -> str:
        return "".join(f".{name}{{{style}}}" for style, name in self.names.items())


def compact(svg: bytes, styles: Styles, title: str) -> str:
    """Return a figure as part of a page; the title, which is HTML, is for screen readers."""
    text = _PROLOGUE.sub("", svg.decode("utf-8"))
    used = {*_USED.findall(text)}
    text = _ID.sub(lambda found: found[0] if found[1] in used else "", text)
    text = _STYLE.sub(lambda found: f'class="{styles.name(found[1])}"', text)
    text = _DRAWING.sub(_with_short_numbers, text)
    text = text.replace("xlink:href", "href")
    text = _SVG.sub(lambda found: f'<svg viewBox="{found[1]}" role="img" aria-label="{title}">', text)
    return re.sub(r"\s*\n\s*", " ", text).replace("> <", "><").strip()


def _with_short_numbers(attribute: re.Match[str]) -> str:
    """Round coordinates; the factors of a scale stay as they are."""
    if "scale" in attribute[2]:
        return attribute[0]
    return f' {attribute[1]}="{_NUMBER.sub(_rounded, attribute[2])}"'


def _rounded(number: re.Match[str]) -> str:
    """Format with one decimal, or none if it is 0."""
    short = f"{float(number[0]):.1f}".removesuffix(".0")
    return "0" if short == "-0" else short
