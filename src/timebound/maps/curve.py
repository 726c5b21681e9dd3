"""The learning curve: the cost of an agent's walks, trial by trial, and the optimum."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .lettering import FAINT, INK, PAPER, font, font_that_fits
from .picture import GOAL_COLOUR, SMOOTH, START_COLOUR, smoothed

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

Point = tuple[float, float]

_NARROWEST, _HEIGHT = 440, 300  # pixels
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 24, 48, 52  # margins around the curve
_STEEP = 12.0  # times the optimum; above that, costs get a logarithmic axis
_TICKS = 5


def curve_picture(costs: Sequence[float], optimum: float, width: int = 900, title: str = "learning curve") -> "Image":
    """Draw the cost of every trial as a line, and the optimum below it.

    Costs far above the optimum are drawn on a logarithmic axis.

    >>> curve_picture([310.0, 220.5, 180.0], 180.0).size
    (900, 300)
    """
    return _Chart(costs, optimum, max(width, _NARROWEST)).drawn(title)


def below(picture: "Image", strip: "Image") -> "Image":
    """Return one picture with another below it, both centred."""
    from PIL import Image

    sheet = Image.new("RGB", (max(picture.width, strip.width), picture.height + strip.height), PAPER)
    sheet.paste(picture, ((sheet.width - picture.width) // 2, 0))
    sheet.paste(strip, ((sheet.width - strip.width) // 2, picture.height))
    return sheet


class _Chart:
    """The axes, and the position of a trial's cost on them."""

    def __init__(self, costs: Sequence[float], optimum: float, width: int):
        self.costs, self.optimum, self.width = costs, optimum, width
        self.highest = max(*costs, optimum, 1e-9)
        self.steep = optimum > 0 and self.highest > _STEEP * optimum
        self.lowest = optimum * 0.8 if self.steep else 0.0
        self.highest *= 1.3 if self.steep else 1.08

    def x(self, trial: float) -> float:
        """Return the x of a trial, counted from 1."""
        last = max(len(self.costs), 2)
        return _LEFT + 10 + (trial - 1) / (last - 1) * (self.width - _LEFT - _RIGHT - 20)

    def y(self, cost: float) -> float:
        """Return the y of a cost."""
        place = (self._scaled(cost) - self._scaled(self.lowest)) / (
            self._scaled(self.highest) - self._scaled(self.lowest)
        )
        return _HEIGHT - _BOTTOM - place * (_HEIGHT - _TOP - _BOTTOM)

    def _scaled(self, cost: float) -> float:
        return math.log(max(cost, self.lowest)) if self.steep else cost

    def drawn(self, title: str) -> "Image":
        """Draw the whole chart."""
        from PIL import Image, ImageDraw

        image = Image.new("RGB", (self.width, _HEIGHT), PAPER)
        draw = ImageDraw.Draw(image)
        draw.text((_LEFT, 22), title, INK, font_that_fits(title, self.width - _LEFT - _RIGHT), anchor="lm")
        self._draw_axes(draw)
        layer = self._lines()
        image.paste(layer, mask=layer)
        return image

    def _draw_axes(self, draw: "ImageDraw") -> None:
        small, right, bottom = font(13), self.width - _RIGHT, _HEIGHT - _BOTTOM
        for cost in _logarithmic(self.optimum, self.highest) if self.steep else ticks(self.highest):
            draw.line([(_LEFT, self.y(cost)), (right, self.y(cost))], (226, 224, 218))
            draw.text((_LEFT - 8, self.y(cost)), f"{cost:,.6g}", FAINT, small, anchor="rm")
        for trial in _trials(len(self.costs)):
            draw.line([(self.x(trial), bottom), (self.x(trial), bottom + 5)], FAINT)
            draw.text((self.x(trial), bottom + 15), f"{trial:,}", FAINT, small, anchor="mm")
        draw.text(((_LEFT + right) / 2, bottom + 35), "trial", FAINT, small, anchor="mm")
        scale = "cost (logarithmic)" if self.steep else "cost"
        draw.text((right, 22), f"{scale}; dashes: the optimum, {self.optimum:,.2f}", FAINT, small, anchor="rm")

    def _lines(self) -> "Image":
        """Draw the curve and the optimum: large, and then reduced."""
        from PIL import Image, ImageDraw

        layer = Image.new("RGBA", (self.width * SMOOTH, _HEIGHT * SMOOTH))
        draw = ImageDraw.Draw(layer)
        level, dash = self.y(self.optimum) * SMOOTH, 8 * SMOOTH
        for left in range(_LEFT * SMOOTH, (self.width - _RIGHT) * SMOOTH, 2 * dash):
            draw.line([(left, level), (left + dash, level)], (*GOAL_COLOUR, 255), 2 * SMOOTH)
        points = [(self.x(place + 1) * SMOOTH, self.y(cost) * SMOOTH) for place, cost in enumerate(self.costs)]
        draw.line(points, (*START_COLOUR, 255), 2 * SMOOTH, joint="curve")
        if len(points) <= 80:
            for point in points:
                draw.circle(point, 4 * SMOOTH, (*START_COLOUR, 255))
        return smoothed(layer)


def ticks(highest: float) -> list[float]:
    """Return a handful of round numbers, starting at 0.

    >>> ticks(23.0), ticks(940.0)
    ([0.0, 5.0, 10.0, 15.0, 20.0], [0.0, 200.0, 400.0, 600.0, 800.0])
    """
    rough = highest / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= 0.999 * rough)
    return [step * place for place in range(int(highest / step) + 1)]


def _logarithmic(lowest: float, highest: float) -> list[float]:
    powers = range(math.floor(math.log10(lowest)), math.ceil(math.log10(highest)) + 1)
    round_numbers = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
    fitting = [number for number in round_numbers if lowest * 0.9 <= number <= highest]
    return fitting if len(fitting) <= 2 * _TICKS else fitting[::3]


def _trials(count: int) -> list[int]:
    """Return the first trial, and round numbers up to the last."""
    return [1, *(int(number) for number in ticks(float(count)) if number == int(number) and number > 1)]
