"""Pictures of maps, with the results of a search drawn over them."""

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageDraw
from PIL.ImageFont import FreeTypeFont, load_default

from ..core.disk import StrPath, reason, write_files
from ..core.errors import MapError
from .model import GROUND, Map, Position

Colours = NDArray[np.uint8]
Heat = NDArray[np.float32]
Regions = NDArray[np.int64]

# Muted, so that drawings on the terrain stand out; distinct in lightness, so that grey prints work too.
TERRAIN_COLOURS = {
    ".": (236, 230, 216),
    "G": (221, 226, 196),
    "g": (212, 219, 184),
    "S": (190, 188, 150),
    "s": (178, 177, 138),
    "@": (74, 78, 92),
    "O": (47, 50, 61),
    "T": (104, 134, 104),
    "W": (128, 168, 190),
}
_PALETTE = np.zeros((256, 3), np.uint8)
_PALETTE[list(map(ord, TERRAIN_COLOURS))] = list(TERRAIN_COLOURS.values())
PAPER, INK, FAINT = (250, 249, 246), (38, 42, 54), (110, 114, 126)  # of texts and plots
PATH_COLOUR = (196, 44, 72)
START_COLOUR = (28, 122, 116)
GOAL_COLOUR = (196, 44, 72)
HEAT = ((255, 224, 130), (246, 160, 96), (198, 96, 134))  # the first, middle and last states expanded
HEAT_STRENGTH = 0.62
_GOLDEN = (5**0.5 - 1) / 2
_REGION_LIGHTNESS = np.array([196.0, 170.0, 208.0, 183.0, 158.0])
_SHADOW = 0.86  # brightness of the ground next to something high

_USUAL_SIDE, _LARGEST_SIDE, _LARGEST_CELL = 1100, 1600, 64  # pixels
_MOST_PIXELS = 2**26
SMOOTH = 3  # lines and markers are drawn this much larger and then reduced, which smooths their edges


def picture(
    map_: Map,
    scale: float | None = None,
    *,
    expanded: ArrayLike | None = None,
    regions: ArrayLike | None = None,
    path: Sequence[Position] | None = None,
    start: Position | None = None,
    goal: Position | None = None,
) -> Image.Image:
    """Draw a map.

    Args:
        map_: the map.
        scale: pixels per cell; below 1, several cells share a pixel. By default small maps are enlarged and huge ones
            reduced to fit a screen.
        expanded: an array `[y, x]` of the states that a search expanded: True, or the order of expansion (0 or
            more; negative or NaN if not expanded), shown as a heat map from yellow (early) to violet (late).
        regions: an array `[y, x]` of whole numbers, one colour each (negative ones leave the terrain as it is):
            for example, the regions of an abstraction.
        path: positions to join by a line.
        start: a position to mark with a disc.
        goal: a position to mark with a ring.

    >>> picture(Map.from_passable([[1, 0], [1, 1]]), path=[(0, 0), (0, 1)], start=(0, 0), goal=(1, 1)).size
    (128, 128)
    """
    for what, position in (("start", start), ("goal", goal), *(("path", step) for step in path or ())):
        if position is None:
            continue
        x, y = position
        if not (0 <= x < map_.width and 0 <= y < map_.height):
            raise MapError(f"the {what} ({x}, {y}) lies outside the map of {map_.width} x {map_.height} cells")
    heat = None if expanded is None else _heat(_per_cell(map_, expanded, "expanded", "numbers", "biuf"))
    numbers = None if regions is None else _per_cell(map_, regions, "regions", "whole numbers", "iu").astype(np.int64)
    image, pixels = bare_picture(map_, scale, heat, numbers)
    if not path and start is None and goal is None:
        return image
    with drawing_over(image) as draw:
        line = max(2.5, 0.45 * pixels) * SMOOTH
        points = [centre(step, pixels * SMOOTH) for step in path or ()]
        if len(points) > 1:
            draw.line(points, (255, 255, 255, 200), round(1.8 * line), joint="curve")
            draw.line(points, (*PATH_COLOUR, 255), round(line), joint="curve")
        draw_ends(draw, pixels * SMOOTH, disc_radius(pixels) * SMOOTH, start, goal)
    return image


def save_picture(image: Image.Image, path: StrPath) -> None:
    """Save a picture in the format of the path's suffix (`.png`, `.jpg`, `.webp` ...), whole or not at all."""
    write_files({Path(path): encoded(image, Path(path))})


def format_of(path: Path) -> str:
    """Return the format that the path's suffix stands for."""
    suffix = path.suffix.lower()
    format_ = Image.registered_extensions().get(suffix, "")
    if format_ not in Image.SAVE:
        raise MapError(f"{path}: pictures are not written as {suffix or 'files without a suffix'}; use .png")
    return format_


def encoded(image: Image.Image, path: Path) -> bytes:
    """Return the contents of the picture's file."""
    file, format_ = io.BytesIO(), format_of(path)
    try:
        image.save(file, format_)
    except (OSError, ValueError) as error:  # some formats cannot hold every picture
        raise MapError(f"{path}: cannot be written: {reason(error)}; use .png") from None
    return file.getvalue()


def bare_picture(
    map_: Map, scale: float | None = None, heat: Heat | None = None, regions: Regions | None = None
) -> tuple[Image.Image, float]:
    """Draw the bare map; return it and the pixels per cell."""
    enlarge, reduce = _factors(map_, scale)
    if reduce > 1:
        return _reduced(map_, heat, regions, reduce), 1 / reduce
    colours = _coloured(map_.terrain, heat, regions).repeat(enlarge, axis=0).repeat(enlarge, axis=1)
    if enlarge >= 3:
        _shade(colours, map_, enlarge)
    return Image.fromarray(colours), float(enlarge)


def _factors(map_: Map, scale: float | None) -> tuple[int, int]:
    """Return pixels per cell and cells per pixel: whole numbers, so that all cells look alike; one of them is 1."""
    side = max(map_.width, map_.height)
    if scale is None:
        return max(1, min(_USUAL_SIDE // side, _LARGEST_CELL)), -(-side // _LARGEST_SIDE)
    if not (math.isfinite(scale) and scale > 0):
        raise MapError(f"the scale must be larger than 0 pixels per cell, not {scale}")
    enlarge, reduce = max(1, round(scale)), max(1, min(side, round(min(1 / scale, side))))
    if map_.width * map_.height * enlarge**2 > _MOST_PIXELS * reduce**2:
        raise MapError(f"at {scale:g} pixels per cell the picture would be too large; give a smaller scale")
    return enlarge, reduce


def _per_cell(map_: Map, given: ArrayLike, name: str, what: str, kinds: str) -> NDArray[Any]:
    """Return an array of numbers of these kinds, one for every cell."""
    array = np.asarray(given)
    if array.shape != map_.terrain.shape or array.dtype.kind not in kinds:
        raise MapError(f"{name} must be {what} of shape {map_.terrain.shape}, not {array.dtype} of {array.shape}")
    return array


def _heat(order: NDArray[Any]) -> Heat:
    """Return how late each state was expanded, from 0 to 1; NaN if it was not."""
    if order.dtype == np.bool_:
        return np.where(order, np.float32(0), np.float32(np.nan))
    order = order.astype(np.float32)
    seen = order >= 0  # False for NaN
    latest = float(order[seen].max()) if seen.any() else 0.0
    return np.where(seen, order / np.float32(max(latest, 1.0)), np.float32(np.nan))


def _region_colours(regions: Regions) -> Colours:
    """Return colours of equal weight around the colour circle, far apart for consecutive numbers."""
    turns = 2 * np.pi * (regions * _GOLDEN % 1)
    lightness = _REGION_LIGHTNESS[regions % len(_REGION_LIGHTNESS)]
    waves = [np.cos(turns - third) for third in (0, 2 * np.pi / 3, 4 * np.pi / 3)]
    colours: Colours = np.stack([lightness + 46 * wave for wave in waves], axis=-1).astype(np.uint8)
    return colours


def _coloured(terrain: NDArray[np.uint8], heat: Heat | None, regions: Regions | None) -> Colours:
    """Return one colour per cell."""
    colours: Colours = _PALETTE[terrain]
    if regions is not None:
        colours[regions >= 0] = _region_colours(regions[regions >= 0])
    if heat is not None:
        seen = ~np.isnan(heat)
        stops = np.array(HEAT, np.float64)
        warm = np.stack([np.interp(heat[seen], (0, 0.5, 1), stops[:, channel]) for channel in range(3)], axis=1)
        colours[seen] = (HEAT_STRENGTH * warm + (1 - HEAT_STRENGTH) * colours[seen]).astype(np.uint8)
    return colours


def _shade(colours: Colours, map_: Map, scale: int) -> None:
    """Let walls and trees throw a shadow to the right and down, and shores onto the water: it gives depth."""
    length = max(1, round(scale * 0.4))
    water = map_.terrain == ord("W")
    low = map_.passable.repeat(scale, axis=0).repeat(scale, axis=1)
    high = (~map_.passable & ~water).repeat(scale, axis=0).repeat(scale, axis=1)
    sea = water.repeat(scale, axis=0).repeat(scale, axis=1)
    for receives, throws in ((low, high), (sea, ~sea)):
        shadow = np.zeros_like(throws)
        shadow[length:, length:] = throws[:-length, :-length]
        shadow[:, length:] |= throws[:, :-length]
        shadow[length:] |= throws[:-length]
        dark = receives & shadow
        colours[dark] = (colours[dark] * _SHADOW).astype(np.uint8)


def _reduced(map_: Map, heat: Heat | None, regions: Regions | None, cells: int) -> Image.Image:
    """Average squares of cells, a band of rows at a time: the colours of a huge map never are in memory at once."""
    size = -(-map_.width // cells), -(-map_.height // cells)
    image = Image.new("RGB", size, TERRAIN_COLOURS[chr(GROUND)])
    rows = 32 * cells
    for top in range(0, map_.height, rows):
        band = slice(top, top + rows)
        warm, numbers = None if heat is None else heat[band], None if regions is None else regions[band]
        colours = _coloured(map_.terrain[band], warm, numbers)
        image.paste(Image.fromarray(colours).reduce(cells), (0, top // cells))
    return image


@contextmanager
def drawing_over(image: Image.Image) -> Iterator[ImageDraw.ImageDraw]:
    """Draw over an image `SMOOTH` times as large, then reduced: that smooths edges."""
    layer = Image.new("RGBA", (image.width * SMOOTH, image.height * SMOOTH))
    yield ImageDraw.Draw(layer)
    reduced = smoothed(layer)
    image.paste(reduced, mask=reduced)


def disc_radius(scale: float) -> float:
    """Return the size of the markers of start and goal, in pixels."""
    return max(8.0, 0.8 * scale)


def draw_ends(
    draw: ImageDraw.ImageDraw, scale: float, disc: float, start: Position | None, goal: Position | None
) -> None:
    """Draw the disc of the start and the ring of the goal."""
    if start is not None:
        draw.circle(centre(start, scale), disc, (*START_COLOUR, 255), (255, 255, 255, 255), round(disc / 4))
    if goal is not None:
        draw.circle(centre(goal, scale), disc * 1.15, (255, 255, 255, 255), (*GOAL_COLOUR, 255), round(disc / 2.6))
        draw.circle(centre(goal, scale), disc * 0.4, (*GOAL_COLOUR, 255))


def smoothed(layer: Image.Image) -> Image.Image:
    """Reduce a large drawing to its proper size."""
    # Averages must not count the colour of transparent pixels.
    return layer.convert("RGBa").reduce(SMOOTH).convert("RGBA")


def centre(position: Position, scale: float) -> tuple[float, float]:
    """Return the middle of a cell."""
    return (position[0] + 0.5) * scale, (position[1] + 0.5) * scale


def mask_of(cells: NDArray[np.bool_], image: Image.Image) -> Image.Image:
    """Return a mask for a picture of the map that is white where the cells are."""
    white = Image.fromarray(np.where(cells, np.uint8(255), np.uint8(0)))
    enlarged = image.width * image.height >= cells.size
    return white.resize(image.size, Image.Resampling.NEAREST if enlarged else Image.Resampling.BOX)


def below(picture: Image.Image, strip: Image.Image) -> Image.Image:
    """Return one picture with another below it, both centred."""
    sheet = Image.new("RGB", (max(picture.width, strip.width), picture.height + strip.height), PAPER)
    sheet.paste(picture, ((sheet.width - picture.width) // 2, 0))
    sheet.paste(strip, ((sheet.width - strip.width) // 2, picture.height))
    return sheet


@cache
def font(size: int) -> FreeTypeFont:
    """Return the font of texts in a size."""
    return cast(FreeTypeFont, load_default(size))


def font_that_fits(text: str, width: float) -> FreeTypeFont:
    """Return the font in the largest size, from 17 down, in which the text fits the width."""
    return next((font(size) for size in range(17, 8, -1) if font(size).getlength(text) <= width), font(8))
