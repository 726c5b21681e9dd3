"""`timebound maps`: inspect, convert, generate, draw and download maps."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import MapError

if TYPE_CHECKING:
    from ..maps import Map

NAME = "maps"
HELP = "Read, convert, generate, draw and download maps."
EXAMPLES = """examples:
  timebound maps info harbour arena.map
  timebound maps convert arena.map arena.png
  timebound maps generate caves cave.map --width 400 --height 300 --seed 7
  timebound maps picture harbour harbour.png
  timebound maps download sc1 --output movingai

MAP is a MovingAI .map file, a NumPy .npy file, a ROS .yaml file, an image, or the name of a built-in map (harbour)."""

_INFO_EXAMPLES = "example: timebound maps info harbour arena.map --json"
_CONVERT_EXAMPLES = "example: timebound maps convert floor.yaml floor.map --unknown free"
_GENERATE_EXAMPLES = "example: timebound maps generate rooms rooms.map --width 512 --height 512 --seed 3"
_PICTURE_EXAMPLES = """examples:
  timebound maps picture harbour harbour.png --scale 8
  timebound maps picture harbour regions.png --level 4"""
_DOWNLOAD_EXAMPLES = """example: timebound maps download sc1 --output movingai
         timebound lab run tbaa-table-1 --maps movingai/maps

Exit status: 0 done; 1 done, but a map differs from the one that timebound knows by that name; 2 nothing was written."""

Run = Callable[[argparse.Namespace], int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the five actions on maps."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    info = _action(actions, "info", "Size, terrain and connected parts of maps.", _INFO_EXAMPLES, _info)
    info.add_argument("maps", metavar="MAP", nargs="+", help="map files, or names of built-in maps")
    info.add_argument("--json", action="store_true", help="a list of objects, for programs")
    _reading(info)
    convert = _action(actions, "convert", "Write a map in another format.", _CONVERT_EXAMPLES, _convert)
    convert.add_argument("input", metavar="IN", help="a map file, or the name of a built-in map")
    _output(convert, "the file to write: .map, .npy, .png, .pgm, .bmp or .yaml")
    _reading(convert)
    generate = _action(actions, "generate", "Make a map from a seed.", _GENERATE_EXAMPLES)
    _add_kinds(generate.add_subparsers(metavar="KIND", required=True))
    download = _action(actions, "download", "Fetch benchmark maps.", _DOWNLOAD_EXAMPLES, _download)
    download.add_argument(
        "set", metavar="SET", help="bg512, bgmaps, cities, dao, mazes, random, rooms, sc1, wc3maps512"
    )
    download.add_argument("--output", metavar="DIR", type=Path, default=Path("movingai"), help="(default: movingai)")
    download.add_argument("--site", metavar="URL", help="a copy of the MovingAI benchmarks")
    picture = _action(actions, "picture", "Draw a map.", _PICTURE_EXAMPLES, _picture)
    picture.add_argument("map", metavar="MAP", help="a map file, or the name of a built-in map")
    _output(picture, "the picture to write, such as map.png")
    picture.add_argument("--scale", type=float, help="pixels per cell (default: fits a screen)")
    picture.add_argument(
        "--level", type=int, metavar="N", help="colour the regions of the clique abstraction at this level, 1 or more"
    )
    picture.add_argument(
        "--neighbors", type=int, choices=(4, 8, 16), default=8, help="neighbors of a cell, for --level (default: 8)"
    )
    picture.add_argument("--corners", choices=("strict", "cut"), default="strict", help="for --level (default: strict)")
    _reading(picture)


def _action(actions: Any, name: str, text: str, epilog: str, run: Run | None = None) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=text, description=text, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if run:
        parser.set_defaults(run_action=run)
    return parser


def _reading(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--threshold", type=int, default=128, help="images: darkest passable grey, 0 to 255 (default: 128)"
    )
    parser.add_argument(
        "--unknown",
        choices=("blocked", "free"),
        default="blocked",
        help="ROS maps: how to treat unknown cells (default: blocked)",
    )


def _output(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("output", metavar="OUT", type=Path, help=text)
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")


def _add_kinds(kinds: Any) -> None:
    """Add the generators and their options; omitted options keep the generator's defaults."""
    for name, generator, text, options in (
        (
            "random",
            "random_obstacles",
            "Randomly scattered obstacles.",
            (("share", float, "share of blocked cells (default: 0.25)"),),
        ),
        ("maze", "maze", "A perfect maze, carved depth-first.", (("corridor", int, "width in cells (default: 1)"),)),
        (
            "rooms",
            "rooms",
            "Rooms joined by doors.",
            (
                ("room", int, "side of a room in cells (default: 16)"),
                ("doors", float, "share of walls with extra doors (default: 0.5)"),
            ),
        ),
        ("caves", "caves", "Caves that look like a game level.", ()),
    ):
        kind = _action(kinds, name, text, f"example: timebound maps generate {name} {name}.map --seed 3", _generate)
        _output(kind, "the file to write: .map, .npy, .png, .pgm, .bmp or .yaml")
        kind.add_argument("--width", type=int, default=151, help="in cells (default: 151)")
        kind.add_argument("--height", type=int, default=151, help="in cells (default: 151)")
        kind.add_argument(
            "--seed", type=int, default=0, help="0 or more; the same seed gives the same map (default: 0)"
        )
        for option, type_, meaning in options:
            kind.add_argument(f"--{option}", type=type_, default=argparse.SUPPRESS, help=meaning)
        kind.set_defaults(generator=generator, options=["width", "height", "seed", *(option[0] for option in options)])


def run(arguments: argparse.Namespace) -> int:
    """Run the action and return its exit status; bad input raises."""
    action: Run = arguments.run_action
    return action(arguments)


def _read(arguments: argparse.Namespace, path: str) -> "Map":
    from .. import maps

    return maps.read(path, threshold=arguments.threshold, unknown=arguments.unknown)


def _info(arguments: argparse.Namespace) -> int:
    # Read every map before printing anything: bad input must not leave half an answer.
    described = [_describe(_read(arguments, path), path) for path in arguments.maps]
    print(json.dumps(described, indent=2) if arguments.json else "\n\n".join(map(_table, described)))
    return 0


def _describe(map_: "Map", path: str) -> dict[str, Any]:
    import numpy as np

    from .. import maps

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


def _convert(arguments: argparse.Namespace) -> int:
    _write(arguments, _read(arguments, arguments.input))
    return 0


def _generate(arguments: argparse.Namespace) -> int:
    from .. import maps

    options = {name: getattr(arguments, name) for name in arguments.options if hasattr(arguments, name)}
    _refuse_to_replace(arguments, *maps.outputs(arguments.output))  # before the work, not after
    _write(arguments, getattr(maps, arguments.generator)(**options))
    return 0


def _picture(arguments: argparse.Namespace) -> int:
    from .. import maps

    _refuse_to_replace(arguments, arguments.output)
    map_ = _read(arguments, arguments.map)
    regions, about = (None, "") if arguments.level is None else _regions(arguments, map_)
    image = maps.picture(map_, arguments.scale, regions=regions)
    maps.save_picture(image, arguments.output)
    print(f"{arguments.output}: {image.width} x {image.height} pixels{about}")
    return 0


def _regions(arguments: argparse.Namespace, map_: "Map") -> tuple[Any, str]:
    """Return the region of every cell, and a note on their number."""
    from ..subgoals.abstraction import Abstraction
    from ..worlds import Grid

    world = Grid(map_.passable, neighbors=arguments.neighbors, corners=arguments.corners)
    abstraction = Abstraction.of(world)
    level = abstraction.clamped(arguments.level)
    count = abstraction.level(level).states
    return abstraction.regions(level).reshape(world.shape), f", {count} regions at level {level} of {abstraction.top}"


def _download(arguments: argparse.Namespace) -> int:
    from ..maps.download import LICENCE, SITE, download

    got = download(arguments.set, arguments.output, SITE if arguments.site is None else arguments.site)
    print(f"{arguments.output / 'maps' / arguments.set}: {got.maps} maps, {got.scenarios} scenarios (in scens)")
    print(LICENCE)
    if got.known:
        print(f"{got.known} maps have a fingerprint that timebound knows")
    for name in got.strangers:
        print(f"{name} differs from the map that timebound knows by this name: results will differ from published ones")
    return 1 if got.strangers else 0


def _write(arguments: argparse.Namespace, map_: "Map") -> None:
    from .. import maps

    files = maps.outputs(arguments.output)
    _refuse_to_replace(arguments, *files)
    maps.write(map_, arguments.output)
    share = map_.passable.mean()
    print(f"{', '.join(map(str, files))}: {map_.width} x {map_.height} cells, {share:.1%} passable")


def _refuse_to_replace(arguments: argparse.Namespace, *files: Path) -> None:
    for file in files:
        if file.exists() and not arguments.force:
            raise MapError(f"{file}: already exists; use --force to replace it")
