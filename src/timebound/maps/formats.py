"""Read and write any map file: the suffix tells the format."""

from importlib.resources import as_file, files
from pathlib import Path
from typing import overload

import numpy as np

from ..core.disk import StrPath, path_of, reason, write_files
from ..core.errors import MapError
from .images import LOSSLESS, encode_grey, grey_and_alpha, is_image_suffix, read_image
from .model import Map
from .movingai import map_bytes, read_map
from .npy import npy_bytes, read_npy
from .ros import Unknown, image_of, read_ros, ros_files
from .tiled import read_tiled, tiled_ground
from .tracks import LEGENDS, read_track

NAMES = ("harbour",)  # the maps that come with the package
_ROS = (".yaml", ".yml")
_READERS = {".map": read_map, ".npy": read_npy, ".tmx": read_tiled}
_WRITABLE = (".map", ".npy", *LOSSLESS, *_ROS)  # lossy formats such as .jpg would blur the cells


@overload
def builtin() -> tuple[str, ...]: ...
@overload
def builtin(name: str) -> Map: ...
def builtin(name: str | None = None) -> Map | tuple[str, ...]:
    """Return the built-in map of that name; without a name, return all names.

    >>> builtin()
    ('harbour',)
    >>> builtin("harbour")
    <Map 'harbour', 200 x 120, ... passable>
    """
    if name is None:
        return NAMES
    if name not in NAMES:
        raise MapError(f"no built-in map is called {name!r}; choose from: {', '.join(NAMES)}")
    with as_file(files(__package__) / "data" / f"{name}.map") as path:
        return read_map(path)


def read(path: StrPath, *, threshold: int = 128, unknown: Unknown = "blocked") -> Map:
    """Read a map: `.map` (MovingAI), `.npy` (NumPy), `.yaml` (ROS), `.tmx` (Tiled), `.track` (racetrack), or an image.

    A name without a suffix that is not a file, such as `harbour`, is a built-in map.

    Args:
        path: the file, or the name of a built-in map.
        threshold: images only: the darkest grey value (0 to 255) that is passable.
        unknown: ROS maps only: whether unknown cells are `blocked` or `free`.

    Raises:
        MapError: in one line: what is wrong with the file, and where.

    >>> read("harbour").width
    200
    """
    path = path_of(path)
    suffix = path.suffix.lower()
    if not suffix:
        return _read_name(path)
    if suffix in _READERS:
        return _READERS[suffix](path)
    if suffix in LEGENDS:
        return Map.from_passable(read_track(path)[0], path.stem)
    if suffix in _ROS:
        if unknown not in ("blocked", "free"):
            raise MapError(f"unknown cells are 'blocked' or 'free', not {unknown!r}")
        return read_ros(path, unknown)
    if is_image_suffix(suffix):
        return read_image(path, threshold)
    raise MapError(f"{path}: {suffix} is not a map format; use .map, .npy, .yaml, .tmx or an image such as .png, .pgm")


def read_ground(path: StrPath) -> np.ndarray:
    """Read what covers every cell: MovingAI's letters as their codes, grey values, or numbers of the topmost tiles."""
    path = path_of(path)
    suffix = path.suffix.lower()
    if suffix == ".tmx":
        return tiled_ground(path)
    if is_image_suffix(suffix):
        return grey_and_alpha(path)[0]
    return read(path).terrain


def _read_name(path: Path) -> Map:
    try:
        path.exists()
    except OSError as error:  # a name that is too long, for example
        raise MapError(f"{path}: cannot be read: {reason(error)}") from None
    if str(path) in NAMES and not path.is_file():
        return builtin(str(path))
    if path.is_dir():
        raise MapError(f"{path}: cannot be read: it is a directory; give a map file")
    if path.exists():
        raise MapError(f"{path}: a map file needs a suffix for its format: .map, .npy, .yaml, .tmx, .png, .pgm")
    raise MapError(f"{path}: no such file, and no built-in map of that name (built in: {', '.join(NAMES)})")


def write(map_: Map, path: StrPath) -> None:
    """Write a map in the format of the path's suffix: the whole file, or, if anything goes wrong, nothing.

    `.map` keeps the terrain; the others keep only which cells are passable. A `.yaml` file gets its image next to it.

    Raises:
        MapError: if the format is unknown, would blur the cells, or the file cannot be written.
    """
    path = outputs(path)[-1]
    suffix = path.suffix.lower()
    if suffix in _ROS:
        write_files(ros_files(map_, path))
    else:
        content = {".map": map_bytes, ".npy": npy_bytes}.get(suffix)
        grey = np.where(map_.passable, np.uint8(255), np.uint8(0))
        write_files({path: content(map_) if content else encode_grey(grey, suffix)})


def outputs(path: StrPath) -> tuple[Path, ...]:
    """Return every file that `write` would make or replace, `path` last; unsupported suffixes are refused.

    >>> [str(file) for file in outputs("floor.yaml")]
    ['floor.pgm', 'floor.yaml']
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _WRITABLE:
        what = suffix or "files without a suffix"
        raise MapError(f"{path}: maps are not written as {what}; use one of {', '.join(_WRITABLE)}")
    return (image_of(path), path) if suffix in _ROS else (path,)
