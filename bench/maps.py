"""The maps of the benchmarks: well-known ones if the data is available, otherwise generated ones of each kind."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from timebound import maps

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass(frozen=True)
class Kind:
    """A kind of map: its file, and how to make one like it."""

    name: str
    file: str
    generate: Callable[[int], maps.Map]


RANDOM_1024 = Kind("random 25 %", "", lambda seed: maps.random_obstacles(1024, 1024, 0.25, seed))

KINDS = (
    Kind("dungeon", "dao/orz702d.map", lambda seed: maps.caves(939, 718, seed)),
    Kind("strategy", "sc1/Enigma.map", lambda seed: maps.caves(768, 768, seed + 1)),
    Kind("rooms", "rooms/16room_000.map", lambda seed: maps.rooms(512, 512, 16, seed)),
    Kind("random 30 %", "random/random512-30-0.map", lambda seed: maps.random_obstacles(512, 512, 0.3, seed)),
    Kind("maze, wide", "mazes/maze512-8-0.map", lambda seed: maps.maze(512, 512, seed, corridor=8)),
    Kind("maze, narrow", "mazes/maze512-1-0.map", lambda seed: maps.maze(512, 512, seed)),
    Kind("city", "cities/Berlin_1_1024.map", lambda seed: maps.rooms(1024, 1024, 64, seed)),
    Kind("role play", "bg512/AR0300SR.map", lambda seed: maps.caves(512, 512, seed + 2)),
)


def data_directory(given: Path | None) -> Path | None:
    """Return where the maps are: as given, in $TIMEBOUND_DATA, in `shared/data` next to the checkout, or nowhere."""
    if given is not None and not given.is_dir():
        raise SystemExit(f"bench: {given} is not a directory")
    for directory in (given, os.environ.get("TIMEBOUND_DATA"), _BESIDE):
        if directory and Path(directory).is_dir():
            return Path(directory)
    return None


def load(kind: Kind, directory: Path | None, seed: int) -> maps.Map:
    """The map that stands for its kind."""
    for candidate in (directory / "maps" / kind.file, directory / kind.file) if directory and kind.file else ():
        if candidate.is_file():
            return maps.read(candidate)
    return kind.generate(seed)
