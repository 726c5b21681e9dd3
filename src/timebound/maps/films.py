"""Animations: frames as a looping GIF, which moments it shows, and its size."""

import io
import math
from collections.abc import Iterable, Sequence

from PIL import Image

from .model import Map

Colour = tuple[int, int, int]

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
