"""Images as maps: light pixels are passable, dark ones are not."""

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.disk import Wanted, read_bytes, reason
from ..core.errors import MapError
from .model import Map, check_size

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS = 2**26
"""The largest image (8192 x 8192 pixels): images are compressed, so a short file may expand to any size."""

# Pillow opens more, but some by running other programs (EPS) or with a library that prints its own messages (TIFF).
_FORMATS = ("PNG", "PPM", "BMP", "GIF", "WEBP", "JPEG", "JPEG2000", "TGA")
LOSSLESS = {".png": "PNG", ".pgm": "PPM", ".bmp": "BMP"}
_FILE = Wanted("a map file", 4 * MAX_PIXELS + 2**20)


def is_image_suffix(suffix: str) -> bool:
    """Can files with this suffix be read as images?"""
    if suffix in LOSSLESS:  # asking Pillow loads all its plugins
        return True
    from PIL import Image

    return Image.registered_extensions().get(suffix) in _FORMATS


def read_image(path: Path, threshold: int = 128) -> Map:
    """Read an image as a map: pixels whose grey value (0 black, 255 white) is at least the threshold are passable.

    Colours count by their luminance, 16-bit values by their upper eight bits, transparent pixels as if on white.
    """
    if not 0 <= threshold <= 255:
        raise MapError(f"the threshold {threshold} is not a grey value: give 0 to 255")
    grey, alpha = grey_and_alpha(path)
    if alpha is not None:
        grey = (255 - (255 - grey.astype(np.uint16)) * alpha // 255).astype(np.uint8)
    return Map.from_passable(grey >= threshold, path.stem)


def grey_and_alpha(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
    """Return the first frame of an image: grey values, and the opacity if it is not fully opaque, both 0 to 255."""
    from PIL import Image, UnidentifiedImageError

    content = io.BytesIO(read_bytes(path, _FILE))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # harmless oddities of the file, but not:
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(content, formats=_FORMATS) as image:
                check_size(*image.size, MAX_PIXELS)
                alpha = image.convert("RGBA").getchannel("A") if image.has_transparency_data else None
                return _grey(image), None if alpha is None else np.asarray(alpha)
    except MapError as error:
        raise MapError(f"{path}: {error}") from None
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise MapError(f"{path}: too many pixels: the limit is {MAX_PIXELS}; cut or reduce the image") from None
    except UnidentifiedImageError:
        raise MapError(f"{path}: not an image in a known format; save it as PNG or PGM") from None
    except Exception as error:  # decoders may raise anything on junk
        raise MapError(f"{path}: damaged image: {reason(error)[:100]}; save it again as PNG or PGM") from None


def _grey(image: "Image") -> NDArray[np.uint8]:
    if image.mode.startswith("I"):  # 16 bits: Pillow's own conversion would clip at 255
        return (np.clip(np.asarray(image).astype(np.int64), 0, 65535) >> 8).astype(np.uint8)
    colours = image.convert("RGBA").convert("RGB") if image.mode in ("P", "PA") else image
    return np.asarray(colours.convert("L"))


def encode_grey(grey: NDArray[np.uint8], suffix: str) -> bytes:
    """Return the bytes of a grey image in a lossless format."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(grey).save(file, LOSSLESS[suffix])
    return file.getvalue()
