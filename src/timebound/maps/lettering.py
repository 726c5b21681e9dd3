"""Text on pictures: its font, and the colours of paper and ink."""

from functools import cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

PAPER, INK, FAINT = (250, 249, 246), (38, 42, 54), (110, 114, 126)


@cache
def font(size: int) -> "FreeTypeFont":
    """Return the font in a size."""
    from PIL import ImageFont

    return cast("FreeTypeFont", ImageFont.load_default(size))


def font_that_fits(text: str, width: float) -> "FreeTypeFont":
    """Return the font in the largest size, from 17 down, in which the text fits the width."""
    return next((font(size) for size in range(17, 8, -1) if font(size).getlength(text) <= width), font(8))
