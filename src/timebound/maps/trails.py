"""Pictures of walking agents: their trails, fog over unseen cells, and animations."""

import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from . import drawing
from .drawing import SMOOTH
from .model import Map, Position

Cells = NDArray[np.bool_]
Point = tuple[float, float]
Colour = tuple[int, int, int]

# Okabe and Ito's colours, which colour-blind people can distinguish; those with little contrast come last.
COLOURS = (
    (213, 94, 0),
    (0, 114, 178),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (20, 20, 24),
    (240, 228, 66),
)
_CASINGS = ((255, 255, 255), (60, 60, 70))  # outlines of trails; the second one when colours are reused
_ASIDE = math.cos(math.radians(67.5)), math.sin(math.radians(67.5))  # a direction that no move of a grid has
FOG, DENSITY = (22, 26, 42), 0.70
RUBBLE = (150, 66, 48)  # obstacles that the map does not show
_NARROWEST = 440  # pixels that the legend needs
_MARGIN, _SWATCH, _ROW = 16, 40, 26  # pixels of the legend
WALKING, SEARCHING = "walking", "searching"


@dataclass(frozen=True)
class Trail:
    """What one agent did."""

    name: str
    path: Sequence[Position]
    note: str  # the outcome, for the legend
    style: int = 0  # the number of its colour
    moves: Sequence[int] = ()  # for animations: the moves made after 0, 1, 2 ... intervals

    @property
    def intervals(self) -> int:
        """The number of intervals."""
        return max(len(self.moves) - 1, 0)

    def moves_at(self, interval: int) -> int:
        """Return the moves made by then."""
        return self.moves[min(interval, self.intervals)]

    def doing(self, interval: int) -> str:
        """Return what the agent is doing then, for the legend."""
        if interval >= self.intervals:
            return self.note
        return WALKING if self.moves[interval + 1] > self.moves[interval] else SEARCHING


@dataclass(frozen=True)
class Scene:
    """Where the agents walk, and what can be seen of it."""

    map_: Map
    start: Position
    goal: Position
    title: str
    fog: bool = False  # whether to dim cells that no agent has seen
    hidden: Cells | None = None  # obstacles that the map does not show: faint until an agent has seen them


def trails_picture(scene: Scene, trails: Sequence[Trail], seen: Cells, scale: float | None = None) -> Image.Image:
    """Draw the map with every trail in its own colour, the first on top, and a legend.

    >>> ground = Map.from_passable(np.ones((4, 8), bool), "ground")
    >>> scene = Scene(ground, (0, 0), (2, 0), "a walk")
    >>> trails_picture(scene, [Trail("astar", [(0, 0), (1, 0), (2, 0)], "3 intervals")], ground.passable).size
    (512, 326)
    """
    canvas = _Canvas(scene, trails, scale)
    for trail in reversed(trails):
        canvas.walk(trail, 0, len(trail.path) - 1)
    return canvas.picture(seen, [trail.note for trail in trails])


def trails_film(scene: Scene, trails: Sequence[Trail], seen_at: NDArray[np.int32]) -> Iterator[Image.Image]:
    """Yield the frames of a race; `seen_at` is the interval in which a cell was first seen, -1 for never."""
    canvas = _Canvas(scene, trails, film_scale(scene.map_))
    seen_at = np.where(seen_at < 0, np.iinfo(np.int32).max, seen_at)
    before = 0
    for interval in moments(max(trail.intervals for trail in trails)):
        for trail in reversed(trails):
            canvas.walk(trail, trail.moves_at(before), trail.moves_at(interval))
        notes = [trail.doing(interval) for trail in trails]
        at = [trail.path[trail.moves_at(interval)] for trail in trails]
        yield canvas.picture(seen_at <= interval, notes, at, f"interval {interval}")
        before = interval


def film_bytes(scene: Scene, trails: Sequence[Trail], seen_at: NDArray[np.int32]) -> bytes:
    """Return the animation as a looping GIF, with one palette for all frames."""
    frames = trails_film(scene, trails, seen_at)
    first = next(frames)
    last = trails_picture(scene, trails, seen_at >= 0, film_scale(scene.map_))
    colours = (*COLOURS, drawing.START_COLOUR, drawing.GOAL_COLOUR, RUBBLE)
    return gif_bytes(chain([first], frames), [first, last], colours)


class _Canvas:
    """A map that trails are drawn on, piece by piece."""

    def __init__(self, scene: Scene, trails: Sequence[Trail], scale: float | None):
        self.scene, self.trails = scene, trails
        self.bright, self.scale = drawing.bare_picture(scene.map_, scale)
        self.dim = self.bright.copy()
        if scene.fog:
            self.dim = Image.blend(self.dim, Image.new("RGB", self.dim.size, FOG), DENSITY)
        if scene.hidden is not None:
            rubble = drawing.mask_of(scene.hidden, self.bright)
            self.bright.paste(RUBBLE, mask=rubble)
            if not scene.fog:
                self.dim.paste(RUBBLE, mask=rubble.point(lambda grey: grey * 0.2))
        # Side by side, trails fill a corridor of one cell.
        self.line = max(2.6, min(0.56, 1 / len(trails)) * self.scale)
        aside = self.line * min(1.1, 6 / len(trails))
        middle = (len(trails) - 1) / 2
        self.shift = {trail.name: (place - middle) * aside for place, trail in enumerate(trails)}
        self.lines = {trail.name: Image.new("L", self.bright.size) for trail in trails}
        self.casings = {trail.name: Image.new("L", self.bright.size) for trail in trails}
        layer = Image.new("RGBA", (self.bright.width * SMOOTH, self.bright.height * SMOOTH))
        large, disc = self.scale * SMOOTH, drawing.disc_radius(self.scale) * SMOOTH
        drawing.draw_ends(ImageDraw.Draw(layer), large, disc, scene.start, scene.goal)
        self.ends = drawing.smoothed(layer)
        self.legend = _Legend(self.bright.width, scene.title, trails)

    def point(self, trail: Trail, position: Position) -> Point:
        """Return the points of a trail on the picture; trails are shifted a little, so that none hides another."""
        shift = self.shift[trail.name]
        return (
            (position[0] + 0.5) * self.scale + shift * _ASIDE[0],
            (position[1] + 0.5) * self.scale + shift * _ASIDE[1],
        )

    def walk(self, trail: Trail, first: int, last: int) -> None:
        """Draw the trail's moves from `first` up to, but without, `last`."""
        points = [self.point(trail, position) for position in trail.path[first : last + 1]]
        if len(points) < 2:
            return
        _draw_line(self.casings[trail.name], points, self.line + 2.2)
        _draw_line(self.lines[trail.name], points, self.line)

    def picture(
        self, seen: Cells, notes: Sequence[str], at: Sequence[Position | None] = (), clock: str = ""
    ) -> Image.Image:
        """Return the drawing so far, with the agents where they are `at`, and the legend below."""
        mask = drawing.mask_of(seen, self.bright)
        if self.scene.fog:
            mask = mask.filter(ImageFilter.GaussianBlur(self.scale * 0.35))
        ground = Image.composite(self.bright, self.dim, mask)
        for masks, colour in ((self.casings, _casing), (self.lines, _colour)):
            for trail in reversed(self.trails):
                box = masks[trail.name].getbbox()
                if box is not None:  # the rest of the picture, most of it at first, is left alone
                    ground.paste(colour(trail.style), box, masks[trail.name].crop(box))
        ground.paste(self.ends, mask=self.ends)
        for trail, position, note in reversed(list(zip(self.trails, at, notes, strict=False))):
            if position is not None:
                dot = _dot(max(7.0, 1.4 * self.scale), trail.style, note == SEARCHING)
                x, y = self.point(trail, position)
                ground.paste(dot, (round(x - dot.width / 2), round(y - dot.height / 2)), dot)
        return drawing.below(ground, self.legend.drawn(notes, clock))


def _colour(style: int) -> Colour:
    return COLOURS[style % len(COLOURS)]


def _casing(style: int) -> Colour:
    return _CASINGS[style // len(COLOURS) % len(_CASINGS)]


def _draw_line(mask: Image.Image, points: Sequence[Point], width: float) -> None:
    """Add a line with round ends to a mask: drawn large on a patch, then reduced."""
    columns, rows = [x for x, _ in points], [y for _, y in points]
    left, top = math.floor(min(columns) - width), math.floor(min(rows) - width)
    right, bottom = math.ceil(max(columns) + width), math.ceil(max(rows) + width)
    patch = Image.new("L", ((right - left) * SMOOTH, (bottom - top) * SMOOTH))
    draw, thick = ImageDraw.Draw(patch), round(width * SMOOTH)
    large = [((x - left) * SMOOTH, (y - top) * SMOOTH) for x, y in points]
    draw.line(large, 255, thick, joint="curve")
    for end in (large[0], large[-1]):
        draw.circle(end, (thick - 1) / 2, 255)
    before = mask.crop((left, top, right, bottom))  # black outside the mask
    mask.paste(ImageChops.lighter(before, patch.reduce(SMOOTH)), (left, top))  # the brighter one: joints leave no marks


@cache
def _dot(radius: float, style: int, hollow: bool) -> Image.Image:
    """Draw an agent: a disc, or a ring while it waits and searches."""
    side = math.ceil(radius * 2 + 2)
    layer = Image.new("RGBA", (side * SMOOTH, side * SMOOTH))
    draw, centre, large = ImageDraw.Draw(layer), (side * SMOOTH / 2, side * SMOOTH / 2), radius * SMOOTH
    draw.circle(centre, large, _casing(style))
    draw.circle(centre, large * 0.78, _colour(style))
    if hollow:
        draw.circle(centre, large * 0.42, _casing(style))
    return drawing.smoothed(layer)


class _Legend:
    """The strip below a picture: its title, and the legend of agents."""

    def __init__(self, width: int, title: str, trails: Sequence[Trail]):
        self.width, self.title, self.trails = max(width, _NARROWEST), title, trails
        self.font = drawing.font(15)
        self.names = math.ceil(max((self.font.getlength(trail.name) for trail in trails), default=0))
        notes = [SEARCHING, *(trail.note for trail in trails)]
        column = _SWATCH + self.names + 10 + max(self.font.getlength(note) for note in notes) + 14
        self.columns = max(1, min(int((self.width - _MARGIN) // column), len(trails)))
        self.rows = -(-len(trails) // self.columns)

    def drawn(self, notes: Sequence[str], clock: str) -> Image.Image:
        """Draw the strip, with a note beside each name and the clock on the right."""
        image = Image.new("RGB", (self.width, 44 + _ROW * self.rows), drawing.PAPER)
        draw = ImageDraw.Draw(image)
        large = drawing.font_that_fits(self.title, self.width - 2 * _MARGIN - (120 if clock else 0))
        draw.text((_MARGIN, 20), self.title, drawing.INK, large, anchor="lm")
        draw.text((self.width - _MARGIN, 20), clock, drawing.INK, self.font, anchor="rm")
        for place, (trail, note) in enumerate(zip(self.trails, notes, strict=True)):
            row, column = divmod(place, self.columns)
            x = _MARGIN + column * (self.width - 2 * _MARGIN) // self.columns
            y, dot = 48 + row * _ROW, _dot(7.0, trail.style, note == SEARCHING)
            draw.line([(x, y), (x + _SWATCH - 12, y)], _colour(trail.style), 4)
            image.paste(dot, (round(x + (_SWATCH - 12 - dot.width) / 2), round(y - dot.height / 2)), dot)
            draw.text((x + _SWATCH, y), trail.name, drawing.INK, self.font, anchor="lm")
            draw.text((x + _SWATCH + self.names + 10, y), note, drawing.FAINT, self.font, anchor="lm")
        return image


# ------------------------------------------------------------------ animations

FRAMES, FRAME_MS, LAST_FRAME_MS = 150, 60, 3000
_SIDE = 800  # pixels


def gif_bytes(frames: Iterable[Image.Image], samples: Sequence[Image.Image], colours: Sequence[Colour]) -> bytes:
    """Return a GIF with one palette for all frames: 255 colours that suit the samples, and include these."""
    width, height = samples[0].size
    sheet = Image.new("RGB", (width, height * len(samples) + 10 * len(colours)))
    for row, sample in enumerate(samples):
        sheet.paste(sample, (0, row * height))
    for row, colour in enumerate(colours):
        top = height * len(samples) + 10 * row
        sheet.paste(colour, (0, top, width, top + 10))
    palette = sheet.quantize(255)
    reduced = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    durations = [FRAME_MS] * (len(reduced) - 1) + [LAST_FRAME_MS]
    file = io.BytesIO()
    reduced[0].save(
        file, "GIF", save_all=True, append_images=reduced[1:], duration=durations, loop=0, optimize=False, disposal=1
    )
    return file.getvalue()


def moments(last: int) -> list[int]:
    """Return the moments that an animation shows: evenly spread from 0 to the last, both included.

    >>> moments(3)
    [0, 1, 2, 3]
    """
    count = min(last + 1, FRAMES)
    return [round(place * last / max(count - 1, 1)) for place in range(count)]


def film_scale(map_: Map) -> float:
    """Return the pixels per cell of an animation."""
    scale = min(_SIDE / max(map_.width, map_.height), 48)
    return float(math.floor(scale)) if scale >= 1 else 1 / math.ceil(1 / scale)
