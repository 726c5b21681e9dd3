"""From an experiment to worlds with problems on them: where the maps come from, and which starts and goals."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import maps
from ..errors import MapError
from ..solver import shortest_path
from ..worlds import Grid
from .spec import Experiment, Generated, Named, Options, Problems

FOLDER_VARIABLE = "TIMEBOUND_MAPS"
_GENERATORS: dict[str, Callable[..., maps.Map]] = {
    "random": maps.random_obstacles,
    "maze": maps.maze,
    "rooms": maps.rooms,
    "caves": maps.caves,
}
_MOST_DRAWS = 100  # batches of random problems, before bounds on their length count as impossible
_OPEN_WORLDS = 24  # that a process keeps for the next piece

Position = tuple[int, int]


@dataclass(frozen=True)
class Place:
    """A world to be: a map file or a generator with its seed, the rules of the grid, and the problems on it."""

    name: str
    file: str
    fingerprint: str
    generator: str
    options: Options
    seed: int
    grid: Options
    problems: Problems
    problem_seed: int
    count: int

    def identity(self) -> str:
        """What decides about the problems, wherever the file is."""
        return self.fingerprint or f"{self.generator} {dict(self.options)} seed {self.seed}"


class Site(NamedTuple):
    """A world with its problems."""

    world: Grid
    fingerprint: str
    problems: list[tuple[Position, Position]]


class Survey(NamedTuple):
    """The places of an experiment."""

    places: list[Place]
    stand_ins: bool
    """Do generated maps stand in for the named ones?"""


def survey(experiment: Experiment, scale: str, folder: Path | None) -> Survey:
    """The places of an experiment: named maps from the folder, or generated ones."""
    worlds, size = experiment.worlds, experiment.scales[scale]
    if isinstance(worlds, Named) and folder is not None:
        files = [find_map(folder, name) for name in worlds.maps[: size.worlds]]
        return Survey([_named(experiment, size.problems, n, file) for n, file in enumerate(files)], False)
    if isinstance(worlds, Named) and (scale != "quick" or experiment.problems.scenarios):
        what = "scenario files" if experiment.problems.scenarios else f"scale {scale}"
        raise MapError(
            f"{experiment.name}: {what} need the maps {', '.join(worlds.maps)}; give their folder by --maps DIR "
            f"or by the environment variable {FOLDER_VARIABLE}"
        )
    generated = worlds.stand_in if isinstance(worlds, Named) else worlds
    places = [_generated(experiment, size.problems, n, generated) for n in range(size.worlds)]
    return Survey(places, isinstance(worlds, Named))


def _named(experiment: Experiment, count: int, number: int, file: Path) -> Place:
    return _place(experiment, count, number, file.stem, file=str(file), fingerprint=maps.read(file).fingerprint)


def _generated(experiment: Experiment, count: int, number: int, generated: Generated) -> Place:
    seed = generated.seed + number
    made = {"generator": generated.generator, "options": generated.options, "seed": seed}
    return _place(experiment, count, number, f"{generated.generator} {seed}", **made)


def _place(experiment: Experiment, count: int, number: int, name: str, **given: Any) -> Place:
    kind = {"file": "", "fingerprint": "", "generator": "", "options": (), "seed": 0, **given}
    return Place(
        name=name,
        grid=experiment.grid,
        problems=experiment.problems,
        problem_seed=experiment.problems.seed + number,
        count=count,
        **kind,
    )


def find_map(folder: Path, name: str) -> Path:
    """The file of a named map: `sc1/Enigma` is `sc1/Enigma.map` in the folder, or `Enigma.map` anywhere below it."""
    if not folder.is_dir():
        raise MapError(f"{folder}: no such folder of maps")
    direct = folder / f"{name}.map"
    if direct.is_file():
        return direct
    wanted = f"{name}.map"
    found = sorted(folder.rglob(Path(wanted).name))
    exact = [file for file in found if file.as_posix().endswith(f"/{wanted}")]
    if not found:
        raise MapError(f"{folder}: there is no map {wanted} in it or below; its set is on movingai.com")
    return (exact or found)[0]


@lru_cache(_OPEN_WORLDS)
def open_place(place: Place) -> Site:
    """The world and its problems; a process keeps the latest ones."""
    map_ = _map_of(place)
    world = Grid(map_.passable, name=map_.name, **dict(place.grid))
    return Site(world, map_.fingerprint, _problems(place, map_, world))


def _map_of(place: Place) -> maps.Map:
    if not place.file:
        return _GENERATORS[place.generator](**dict(place.options), seed=place.seed)
    map_ = maps.read(place.file)
    if map_.fingerprint != place.fingerprint:
        raise MapError(f"{place.file}: the map changed while the experiment ran; run it again")
    return map_


def _problems(place: Place, map_: maps.Map, world: Grid) -> list[tuple[Position, Position]]:
    if place.problems.scenarios:
        return _from_scenario(place)
    drawn: list[tuple[Position, Position]] = []
    rules = {name: value for name, value in place.grid if name in ("neighbors", "corners")}
    for batch in range(_MOST_DRAWS):
        seed = place.problem_seed + batch * 2**32  # far from the seeds of the other worlds
        drawn += [pair for pair in maps.random_problems(map_, place.count, seed, **rules) if _fits(place, world, pair)]
        if len(drawn) >= place.count:
            return drawn[: place.count]
    bounds = f"from {place.problems.shortest:g} to {place.problems.longest:g}"
    raise MapError(
        f"{place.name}: of {_MOST_DRAWS * place.count} random problems only {len(drawn)} have an optimal cost {bounds}"
    )


def _fits(place: Place, world: Grid, pair: tuple[Position, Position]) -> bool:
    shortest, longest = place.problems.shortest, place.problems.longest
    if shortest == 0 and math.isinf(longest):
        return True
    return shortest <= shortest_path(world, *pair).cost <= longest


def _from_scenario(place: Place) -> list[tuple[Position, Position]]:
    """A sample of the scenario's problems within the bounds."""
    file = scenario_of(Path(place.file))
    within = [
        (problem.start, problem.goal)
        for problem in maps.read_scenario(file)
        if place.problems.shortest <= problem.length <= place.problems.longest and problem.start != problem.goal
    ]
    if len(within) < place.count:
        raise MapError(f"{file}: it has only {len(within)} such problems, not {place.count}")
    chosen = np.random.default_rng(place.problem_seed).choice(len(within), place.count, replace=False)
    return [within[number] for number in chosen.tolist()]


def scenario_of(file: Path) -> Path:
    """The scenario of a map: beside it, or under `scens` where the map is under `maps`."""
    name = f"{file.name}.scen"
    parts = ["scens" if part == "maps" else part for part in file.parent.parts]
    for candidate in (file.with_name(name), Path(*parts) / name):
        if candidate.is_file():
            return candidate
    raise MapError(f"{file}: there is no scenario {name} beside it, nor under a folder scens beside the folder maps")
