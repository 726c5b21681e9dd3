"""ROS maps (map_server, nav2): a YAML file that describes an occupancy image."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..core.disk import Wanted, read_bytes, reason
from ..core.errors import MapError
from ..core.wording import shown
from .images import encode_grey, grey_and_alpha
from .model import GROUND, UNKNOWN, WALL, Map

Unknown = Literal["blocked", "free"]

_FILE = Wanted("a map file", 2**14)  # bytes; such files have about ten lines
_FREE_PIXEL, _WALL_PIXEL, _UNKNOWN_PIXEL = 254, 0, 205  # what map_saver writes
_DEEPEST = 8  # nesting of lists; a map needs 1
_RESOLUTION = 0.05  # metres per cell, usual in ROS, for maps without a resolution


@dataclass(frozen=True)
class _Header:
    image: str
    resolution: float
    origin: tuple[float, float, float]
    negate: bool
    occupied_thresh: float
    free_thresh: float


def read_ros(path: Path, unknown: Unknown = "blocked") -> Map:
    """Read a map of mode `trinary`: each pixel is occupied, free or unknown.

    Unknown cells become `O` (out of bounds) where they count as blocked, and ground where they count as free. The
    image's upper row is y = 0, so y runs opposite to the y axis of ROS.
    """
    header = _header(path, _load(path))
    image = path.parent / header.image
    try:
        grey, alpha = grey_and_alpha(image)
    except MapError as error:
        raise MapError(f"{path}: its image {error}") from None
    occupancy = (grey if header.negate else 255 - grey) / 255.0
    terrain = np.full(grey.shape, UNKNOWN if unknown == "blocked" else GROUND, np.uint8)
    terrain[occupancy < header.free_thresh] = GROUND
    terrain[occupancy > header.occupied_thresh] = WALL
    if alpha is not None:
        terrain[alpha < 128] = UNKNOWN if unknown == "blocked" else GROUND
    return Map(terrain, path.stem, header.resolution, header.origin)


def _load(path: Path) -> Mapping[Any, Any]:
    import yaml

    content = read_bytes(path, _FILE)
    try:
        _check_plain(content)
        described = yaml.safe_load(content)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise MapError(f"{path}{where}: not YAML: {error.problem or error.context}") from None
    except Exception as error:  # impossible dates, endless nesting, bytes that are not text: each raises another error
        raise MapError(f"{path}: not YAML: {reason(error)[:100]}") from None
    if not isinstance(described, dict):
        raise MapError(f"{path}: not a ROS map: expected lines such as 'image: map.pgm' and 'resolution: 0.05'")
    return described


def _check_plain(content: bytes) -> None:
    """Reject what no map needs and what takes forever to read: aliases and deep nesting.

    A few lines of aliases can stand for more than any memory holds, and PyYAML reads nested lists in quadratic time.
    Events come one by one, so this ends early.
    """
    import yaml

    depth = 0
    for event in yaml.parse(content, yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > _DEEPEST:
            raise ValueError("aliases and deep nesting are not allowed in a map file")


def _header(path: Path, described: Mapping[Any, Any]) -> _Header:
    try:
        if described.get("mode", "trinary") != "trinary":
            raise MapError(f"mode {shown(described['mode'])} is not supported; use trinary")
        given = {"occupied_thresh": 0.65, "free_thresh": 0.196, **described, "negate": described.get("negate", 0)}
        header = _Header(**{name: _field(name, kind, given) for name, kind in _Header.__annotations__.items()})
        if header.resolution <= 0:
            raise MapError(f"the resolution {header.resolution} must be larger than 0 metres per cell")
        if not 0 <= header.free_thresh <= header.occupied_thresh <= 1:
            raise MapError("the thresholds must satisfy 0 <= free_thresh <= occupied_thresh <= 1")
    except MapError as error:
        raise MapError(f"{path}: {error}") from None
    return header


def _field(name: str, kind: Any, given: Mapping[Any, Any]) -> Any:
    """Return a field of the header as that kind of value."""
    value = given.get(name)
    if kind is bool:
        if value not in (0, 1):
            raise MapError(f"{name} {shown(value)} is neither 0 nor 1")
        return bool(value)
    if value is None:
        raise MapError(f"'{name}' is missing")
    if kind is str:
        if not isinstance(value, str) or not value or "\0" in value:
            raise MapError(f"{name} {shown(value)} is not a file name")
        return value
    if kind is not float and (not isinstance(value, list) or len(value) != 3):
        raise MapError(f"{name} {shown(value)} is not a list [x, y, yaw]")
    return _finite(value, name) if kind is float else tuple(_finite(each, name) for each in value)


def _finite(value: object, key: str) -> float:
    # YAML 1.1 reads 1e-2 (without a point) as text, but people write it
    try:
        number = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise MapError(f"{key} {shown(value)} is not a finite number")
    return number


def image_of(path: Path) -> Path:
    """Return the path of the image that is written next to a YAML file."""
    return path.with_suffix(".pgm")


def ros_files(map_: Map, path: Path) -> dict[Path, bytes]:
    """Return the image and the YAML file, in the order of writing. `O` is written as unknown."""
    import yaml

    described = {
        "image": image_of(path).name,
        "resolution": map_.resolution or _RESOLUTION,
        "origin": list(map_.origin or (0.0, 0.0, 0.0)),
        "negate": 0,
        "occupied_thresh": 0.65,
        "free_thresh": 0.196,
        "mode": "trinary",
    }
    text: str = yaml.safe_dump(described, sort_keys=False, default_flow_style=None, allow_unicode=True)
    pixels = np.where(map_.passable, _FREE_PIXEL, np.where(map_.terrain == UNKNOWN, _UNKNOWN_PIXEL, _WALL_PIXEL))
    return {image_of(path): encode_grey(pixels.astype(np.uint8), ".pgm"), path: text.encode()}
