"""Tiled maps (`.tmx`): layers or tiles say what is blocked.

A cell is blocked if it has a tile in a layer that is called `walls`, `collision`, `obstacles` or `blocked`, or that has
the property `blocked` (also `solid` or `collides`); if its tile has such a property in the tileset; or if no layer has
a tile there.
"""

import base64
import binascii
import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ..core.disk import Wanted, read_bytes
from ..core.errors import MapError
from ..core.wording import shown
from .model import Map, check_shape

_FILE = Wanted("a Tiled map", 2**28)
_NAMES = {"walls", "wall", "collision", "collisions", "obstacles", "blocked"}
_WORDS = {"blocked", "solid", "collides"}
_TURNED = 0x1FFF_FFFF  # the bits above say how a tile is rotated
_GZIP = 32  # added to the window size: zlib detects gzip or zlib itself


def read_tiled(path: Path) -> Map:
    """Read an orthogonal map of fixed size."""
    root, size = _orthogonal(path)
    blocked, filled = np.zeros(size, bool), np.zeros(size, bool)
    solid = np.array(sorted(_solid_tiles(path, root)), np.uint32)
    for layer in root.iter("layer"):
        tiles = _tiles(path, layer, size)
        filled |= tiles != 0
        walls = str(layer.get("name", "")).lower() in _NAMES or _says_blocked(layer)
        blocked |= (tiles != 0) if walls else np.isin(tiles, solid)
    if not filled.any():
        raise MapError(f"{path}: no layer has a tile")
    return Map.from_passable(filled & ~blocked, path.stem)


def tiled_ground(path: Path) -> np.ndarray:
    """Read the number of the topmost tile of every cell, 0 where there is none."""
    root, size = _orthogonal(path)
    ground = np.zeros(size, np.uint32)
    for layer in root.iter("layer"):
        tiles = _tiles(path, layer, size)
        ground = np.where(tiles != 0, tiles, ground)
    if ground.max() > 255:
        raise MapError(f"{path}: as kinds of ground, tiles have numbers up to 255, not {ground.max()}")
    return ground.astype(np.uint8)


def _orthogonal(path: Path) -> tuple[ElementTree.Element, tuple[int, int]]:
    root = _parsed(path)
    if root.tag != "map" or root.get("orientation") != "orthogonal" or root.get("infinite", "0") != "0":
        raise MapError(f"{path}: a Tiled map must be orthogonal and of fixed size (Map, Map Properties, Infinite: off)")
    size = _number(path, root, "height"), _number(path, root, "width")
    check_shape(size)
    return root, size


def _parsed(path: Path) -> ElementTree.Element:
    content = read_bytes(path, _FILE)
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:  # entities could expand a small file enormously
        raise MapError(f"{path}: declarations such as <!DOCTYPE are not allowed in a Tiled file; remove them")
    try:
        return ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise MapError(f"{path}: not XML: {error}") from None


def _number(path: Path, element: ElementTree.Element, name: str) -> int:
    text = element.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise MapError(f"{path}: {name} of <{element.tag}> must be a whole number, not {shown(text)}")
    return int(text)


def _says_blocked(element: ElementTree.Element) -> bool:
    properties = element.iterfind("properties/property")
    return any(one.get("name", "").lower() in _WORDS and one.get("value", "").lower() == "true" for one in properties)


def _solid_tiles(path: Path, root: ElementTree.Element) -> Iterator[int]:
    """Return the numbers of the tiles that are blocked by their tileset."""
    for tileset in root.iterfind("tileset"):
        first = _number(path, tileset, "firstgid")
        source = tileset.get("source")
        where = path if source is None else path.parent / source
        tiles = tileset if source is None else _parsed(where)
        for tile in tiles.iterfind("tile"):
            if _says_blocked(tile):
                yield first + _number(where, tile, "id")


def _tiles(path: Path, layer: ElementTree.Element, size: tuple[int, int]) -> np.ndarray:
    """Return the tile numbers of a layer, 0 where there is no tile."""
    data, name = layer.find("data"), shown(layer.get("name", ""))
    count = size[0] * size[1]
    if data is None:
        raise MapError(f"{path}: layer {name} has no data")
    encoding = data.get("encoding")
    if encoding == "csv":
        try:
            words = (data.text or "").split(",") if (data.text or "").strip() else []
            numbers = np.array([int(word) & 0xFFFF_FFFF for word in words], np.uint32)
        except ValueError:
            what = "more than numbers and commas"
            raise MapError(f"{path}: layer {name} has {what}; choose CSV in Tiled's map properties") from None
    elif encoding == "base64":
        numbers = np.frombuffer(_unpacked(path, name, data, 4 * count), "<u4")
    elif encoding is None:
        numbers = np.array([_number(path, tile, "gid") if tile.get("gid") else 0 for tile in data], np.uint32)
    else:
        raise MapError(f"{path}: layer {name} is encoded as {shown(encoding)}; choose CSV in Tiled's map properties")
    if numbers.size != count:
        raise MapError(f"{path}: layer {name} has {numbers.size:,} tiles, but the map has {count:,} cells")
    return (numbers & _TURNED).reshape(size)


def _unpacked(path: Path, name: str, data: ElementTree.Element, size: int) -> bytes:
    compression = data.get("compression", "")
    if compression not in ("", "gzip", "zlib"):
        raise MapError(f"{path}: layer {name} is compressed by {shown(compression)}; choose gzip, zlib or CSV in Tiled")
    try:
        packed = base64.b64decode(data.text or "")
        if not compression:
            return packed[: len(packed) // 4 * 4]
        # Not more than a valid layer has: a small file may unpack to gigabytes.
        whole = zlib.decompressobj(_GZIP + zlib.MAX_WBITS).decompress(packed, size + 4)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise MapError(f"{path}: layer {name} cannot be decoded: {error}") from None
    return whole[: len(whole) // 4 * 4]
