"""`timebound maps`: inspect, convert, generate, draw and download maps."""

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import maps
from ..core.errors import MapError
from ..maps import Map
from .arguments import MAPS, Arguments, Groups, Parser, action, add_json, add_moves, option

EXAMPLES = """examples:
  timebound maps info harbour arena.map
  timebound maps convert arena.map arena.png
  timebound maps generate caves cave.map --width 400 --height 300 --seed 7
  timebound maps picture harbour harbour.png
  timebound maps download sc1 --output movingai

MAP is a MovingAI .map file, a NumPy .npy file, a ROS .yaml file, an image, or the name of a built-in map (harbour)."""

_PICTURE_EXAMPLES = """examples:
  timebound maps picture harbour harbour.png --scale 8
  timebound maps picture harbour regions.png --level 4"""
_DOWNLOAD_EXAMPLES = """example: timebound maps download sc1 --output movingai
         timebound lab run tbaa-table-1 --maps movingai/maps

Exit status: 0 done; 1 done, but a map differs from the one that timebound knows by that name; 2 nothing was written."""
_WRITTEN = "the file to write: .map, .npy, .png, .pgm, .bmp or .yaml"
# The generators: what they make, and their own options.
_GENERATORS: dict[str, tuple[str, dict[str, tuple[type, str]]]] = {
    "random": ("Randomly scattered obstacles.", {"share": (float, "share of blocked cells (default: 0.25)")}),
    "maze": ("A perfect maze, carved depth-first.", {"corridor": (int, "width in cells (default: 1)")}),
    "rooms": (
        "Rooms joined by doors.",
        {
            "room": (int, "side of a room in cells (default: 16)"),
            "doors": (float, "share of walls with extra doors (default: 0.5)"),
        },
    ),
    "caves": ("Caves that look like a game level.", {}),
}


def add_arguments(parser: Parser) -> None:
    add = partial(action, parser.add_subparsers(metavar="ACTION", required=True))
    example = "example: timebound maps info harbour arena.map --json"
    info = add("info", "Size, terrain and connected parts of maps.", example, _info)
    info.add_argument("maps", metavar="MAP", nargs="+", help="map files, or names of built-in maps")
    add_json(info, "a list of objects, for programs")
    _add_reading(info)
    example = "example: timebound maps convert floor.yaml floor.map --unknown free"
    convert = add("convert", "Write a map in another format.", example, _convert)
    convert.add_argument("input", metavar="IN", help=MAPS)
    _add_output(convert, _WRITTEN)
    _add_reading(convert)
    example = "example: timebound maps generate rooms rooms.map --width 512 --height 512 --seed 3"
    _add_kinds(add("generate", "Make a map from a seed.", example).add_subparsers(metavar="KIND", required=True))
    download = add("download", "Fetch benchmark maps.", _DOWNLOAD_EXAMPLES, _download)
    sets = "bg512, bgmaps, cities, dao, mazes, random, rooms, sc1, wc3maps512"
    download.add_argument("set", metavar="SET", help=sets)
    option(download, "--output DIR", "(default: movingai)", Path, Path("movingai"))
    option(download, "--site URL", "a copy of the MovingAI benchmarks")
    picture = add("picture", "Draw a map.", _PICTURE_EXAMPLES, _picture)
    picture.add_argument("map", metavar="MAP", help=MAPS)
    _add_output(picture, "the picture to write, such as map.png")
    option(picture, "--scale SCALE", "pixels per cell (default: fits a screen)", float)
    option(picture, "--level N", "colour the regions of the clique abstraction at this level, 1 or more", int)
    add_moves(picture, "neighbours of a cell, for --level (default: 8)", "for --level (default: strict)")
    _add_reading(picture)


def _add_reading(parser: Parser) -> None:
    option(parser, "--threshold THRESHOLD", "images: darkest passable grey, 0 to 255 (default: 128)", int, 128)
    treat = "ROS maps: how to treat unknown cells (default: blocked)"
    option(parser, "--unknown", treat, default="blocked", choices=("blocked", "free"))


def _add_output(parser: Parser, text: str) -> None:
    parser.add_argument("output", metavar="OUT", type=Path, help=text)
    option(parser, "--force", "replace the file if it exists")


def _add_kinds(kinds: Groups) -> None:
    """Add the generators and their options; omitted options keep the generator's defaults."""
    for name, (text, options) in _GENERATORS.items():
        kind = action(kinds, name, text, f"example: timebound maps generate {name} {name}.map --seed 3", _generate)
        _add_output(kind, _WRITTEN)
        option(kind, "--width WIDTH", "in cells (default: 151)", int, 151)
        option(kind, "--height HEIGHT", "in cells (default: 151)", int, 151)
        option(kind, "--seed SEED", "0 or more; the same seed gives the same map (default: 0)", int, 0)
        for own, (type_, meaning) in options.items():
            option(kind, f"--{own} {own.upper()}", meaning, type_, argparse.SUPPRESS)
        kind.set_defaults(generator=name, options=["width", "height", "seed", *options])


def _read(arguments: Arguments, path: str) -> Map:
    return maps.read(path, threshold=arguments.threshold, unknown=arguments.unknown)


def _info(arguments: Arguments) -> int:
    # Read every map before printing anything: bad input must not leave half an answer.
    described = [_describe(_read(arguments, path), path) for path in arguments.maps]
    print(json.dumps(described, indent=2) if arguments.json else "\n\n".join(map(_table, described)))
    return 0


def _describe(map_: Map, path: str) -> dict[str, Any]:
    straight = maps.components(map_.passable)[1]
    cut = maps.components(map_.passable, corners="cut")[1]
    codes, counts = np.unique(map_.terrain, return_counts=True)
    described: dict[str, Any] = {
        "map": path,
        "name": map_.name,
        "width": map_.width,
        "height": map_.height,
        "passable": int(map_.passable.sum()),
        "terrain": {chr(code): int(count) for code, count in zip(codes, counts, strict=True)},
        "parts": straight.size,
        "largest_part": int(straight.max(initial=0)),
        "parts_cutting_corners": cut.size,
        "largest_part_cutting_corners": int(cut.max(initial=0)),
        "fingerprint": map_.fingerprint,
    }
    if map_.resolution is not None:
        described |= {"resolution": map_.resolution, "origin": map_.origin}
    return described


def _table(described: dict[str, Any]) -> str:
    cells = described["width"] * described["height"]
    lines = {
        "size": f"{described['width']} x {described['height']}, {cells} cells",
        "passable": f"{described['passable']} ({described['passable'] / cells:.1%})",
        "terrain": ", ".join(f"{character} {count}" for character, count in described["terrain"].items()),
        "connected": f"{described['parts']} parts, the largest {described['largest_part']} cells",
        "if corners are cut": f"{described['parts_cutting_corners']} parts, "
        f"the largest {described['largest_part_cutting_corners']} cells",
        "fingerprint": described["fingerprint"][:16],
    }
    if "resolution" in described:
        lines["resolution"] = f"{described['resolution']:g} m per cell, origin {described['origin']}"
    return "\n".join([described["map"], *(f"  {what + ':':20} {value}" for what, value in lines.items())])


def _convert(arguments: Arguments) -> int:
    _write(arguments, _read(arguments, arguments.input))
    return 0


def _generate(arguments: Arguments) -> int:
    options = {name: getattr(arguments, name) for name in arguments.options if hasattr(arguments, name)}
    _refuse_to_replace(arguments, *maps.outputs(arguments.output))  # before the work, not after
    from ..maps.generate import GENERATORS

    _write(arguments, GENERATORS[arguments.generator][0](**options))
    return 0


def _picture(arguments: Arguments) -> int:
    _refuse_to_replace(arguments, arguments.output)
    map_ = _read(arguments, arguments.map)
    regions, about = None, ""
    if arguments.level is not None:
        from ..subgoals.abstraction import Abstraction
        from ..worlds import Grid

        world = Grid(map_.passable, neighbors=arguments.neighbors, corners=arguments.corners)
        abstraction = Abstraction.of(world)
        level = abstraction.clamped(arguments.level)
        regions = abstraction.regions(level).reshape(world.shape)
        about = f", {abstraction.level(level).states} regions at level {level} of {abstraction.top}"
    image = maps.picture(map_, arguments.scale, regions=regions)
    maps.save_picture(image, arguments.output)
    print(f"{arguments.output}: {image.width} x {image.height} pixels{about}")
    return 0


def _download(arguments: Arguments) -> int:
    from ..maps.download import LICENCE, SITE, download

    got = download(arguments.set, arguments.output, SITE if arguments.site is None else arguments.site)
    print(f"{arguments.output / 'maps' / arguments.set}: {got.maps} maps, {got.scenarios} scenarios (in scens)")
    print(LICENCE)
    if got.known:
        print(f"{got.known} maps have a fingerprint that timebound knows")
    for name in got.strangers:
        print(f"{name} differs from the map that timebound knows by this name: results will differ from published ones")
    return 1 if got.strangers else 0


def _write(arguments: Arguments, map_: Map) -> None:
    files = maps.outputs(arguments.output)
    _refuse_to_replace(arguments, *files)
    maps.write(map_, arguments.output)
    share = map_.passable.mean()
    print(f"{', '.join(map(str, files))}: {map_.width} x {map_.height} cells, {share:.1%} passable")


def _refuse_to_replace(arguments: Arguments, *files: Path) -> None:
    for file in files:
        if file.exists() and not arguments.force:
            raise MapError(f"{file}: already exists; use --force to replace it")
