"""From an experiment to worlds and problems: where the maps come from, and which starts and goals."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ..agents import make, registry
from ..agents.registry import look_in
from ..core.errors import MapError, ProblemError
from ..core.wording import shown
from ..maps import Map, random_problems, read, read_scenario
from ..maps.generate import GENERATORS
from ..maps.model import check_size
from ..search.solver import shortest_path
from ..worlds import Grid, Racetrack, World
from .experiment import Experiment, Made, Named, Options, Problems, Scale

FOLDER_VARIABLE = "TIMEBOUND_MAPS"
_MOST_DRAWS = 100  # batches of random problems, before bounds on their cost count as impossible
_OPEN_WORLDS = 24  # kept by a process for the next piece
_OPTIMAL_COSTS = 100_000

Position = tuple[int, int]


@dataclass(frozen=True)
class Place:
    """The description of a world: a map file, a generator or a user's function with its seed; and its problems."""

    name: str
    problems: Problems
    problem_seed: int
    count: int
    grid: Options  # the rules with which problems have a solution
    seed: int = 0
    file: str = ""
    fingerprint: str = ""
    generator: str = ""
    options: Options = ()
    made: Made | None = None
    folder: str = ""  # the folder of the user's own modules
    scale_up: int = 1  # each cell of the map file becomes a square of this side

    def identity(self) -> str:
        """Return what determines the problems, wherever the files are. A function may draw them from anywhere.

        It is the same in every process: of a user's own objects, only the type counts.
        """

        def plain(state: Any) -> Any:
            return state.item() if isinstance(state, np.generic) else str(type(state))

        drawn = ""
        if self.made:
            problems = json.dumps(open_problems(self), default=plain, skipkeys=True)
            drawn = f" problems {hashlib.sha256(problems.encode()).hexdigest()[:12]}"
        return self.fingerprint or f"{self.generator or self.made} {dict(self.options)} seed {self.seed}{drawn}"


class Survey(NamedTuple):
    """The places of an experiment."""

    places: list[Place]
    stand_ins: bool  # whether generated maps or problems replace those of the paper


def survey(experiment: Experiment, scale: str, folder: Path | None) -> Survey:
    """Return the places of an experiment: named maps from the folder, generated maps, or the user's own worlds."""
    worlds, size = experiment.worlds, experiment.scales[scale]
    if folder is not None and not folder.is_dir():
        raise MapError(f"{folder}: no such folder of maps")
    if isinstance(worlds, Made):
        _, draw = (imported(function, experiment.folder) for function in (worlds.make, worlds.draw))
        stand_ins = bool(getattr(draw, "stand_ins", lambda: False)())
        seeds = range(worlds.seed, worlds.seed + size.worlds)
        own = [{"name": f"world {seed}", "made": worlds, "seed": seed} for seed in seeds]
        return Survey(_places(experiment, size, own), stand_ins)
    if isinstance(worlds, Named) and folder is not None and (files := find_maps(folder, worlds.maps, scale)):
        return Survey(_places(experiment, size, [_named(size, file) for file in files[: size.worlds]]), False)
    if isinstance(worlds, Named) and (scale != "quick" or experiment.problems.scenarios):
        what = "scenario files" if experiment.problems.scenarios else f"scale {scale}"
        raise MapError(
            f"{experiment.name}: {what} need the maps {', '.join(worlds.maps)}; give their folder with --maps DIR "
            f"or in the environment variable {FOLDER_VARIABLE}"
        )
    maps_ = worlds.stand_in if isinstance(worlds, Named) else worlds
    options = tuple((dict(maps_.options) | dict(size.given("width", "height"))).items())
    generated = [
        {"name": f"{maps_.generator} {seed}", "generator": maps_.generator, "options": options, "seed": seed}
        for seed in range(maps_.seed, maps_.seed + size.worlds)
    ]
    return Survey(_places(experiment, size, generated), isinstance(worlds, Named))


def _named(size: Scale, file: Path) -> dict[str, Any]:
    map_ = read(file)
    scale_up = math.ceil(math.sqrt(size.free_cells / max(1, int(map_.passable.sum())))) or 1
    fingerprint = _scaled(map_, scale_up).fingerprint
    return {"name": file.stem, "file": str(file.resolve()), "scale_up": scale_up, "fingerprint": fingerprint}


def _places(experiment: Experiment, size: Scale, described: Sequence[Mapping[str, Any]]) -> list[Place]:
    return [
        Place(
            problems=msgspec.structs.replace(experiment.problems, **dict(size.given("shortest", "longest"))),
            problem_seed=experiment.problems.seed + number,
            count=size.problems,
            grid=experiment.grid,
            folder=experiment.folder,
            **given,
        )
        for number, given in enumerate(described)
    ]


def find_maps(folder: Path, names: Sequence[str], scale: str) -> list[Path]:
    """Return the files of named maps: `sc1/Enigma` is `sc1/Enigma.map` in the folder or below; `sc1/*` is all of them.

    A quick run may lack all of them, but not just some of them.
    """
    found: dict[str, list[Path]] = {}
    for name in names:
        places = (find(f"{name}{suffix}") for suffix in (".map", ".track") for find in (folder.glob, folder.rglob))
        found[name] = next((files for place in places if (files := sorted(place))), [])
    missing = [name for name, files in found.items() if not files]
    if missing and (scale != "quick" or len(missing) < len(names)):
        raise MapError(f"{folder}: it does not contain the maps {', '.join(missing)}; the sets are on movingai.com")
    return [file for name, files in found.items() for file in (files if "*" in name else files[:1])]


# ------------------------------------------------------------------ worlds and problems, on demand


@lru_cache(_OPEN_WORLDS)
def open_map(place: Place) -> Map:
    """Return the map of a place."""
    if not place.file:
        return GENERATORS[place.generator][0](**dict(place.options), seed=place.seed)
    map_ = _scaled(read(place.file), place.scale_up)
    if map_.fingerprint != place.fingerprint:
        raise MapError(f"{place.file}: the map changed while the experiment ran; run it again")
    return map_


def _scaled(map_: Map, scale_up: int) -> Map:
    """Scale a map up: each cell becomes a square of cells."""
    if scale_up == 1:
        return map_
    check_size(map_.width * scale_up, map_.height * scale_up)
    return Map(map_.terrain.repeat(scale_up, 0).repeat(scale_up, 1), map_.name)


@lru_cache(_OPEN_WORLDS)
def open_world(place: Place, grid: Options) -> World:
    """Return the world of a place, with the rules given; a process keeps the latest ones for the next piece."""
    if place.made is not None:
        return imported(place.made.make, place.folder)(place.seed)  # type: ignore[no-any-return]
    map_, rules = open_map(place), dict(grid)
    kind = Racetrack if "speed" in rules else Grid
    return kind(map_.passable, name=map_.name, **rules)


@lru_cache(_OPEN_WORLDS)
def obstacles(place: Place, kinds: str) -> list[Position]:
    """Return the cells of a map with obstacles of these kinds, which are characters of map files."""
    if not kinds:
        return []
    rows, columns = np.nonzero(np.isin(open_map(place).terrain, list(kinds.encode())))
    return list(zip(columns.tolist(), rows.tolist(), strict=True))


@lru_cache(_OPEN_WORLDS)
def open_problems(place: Place) -> list[tuple[Any, Any]]:
    """Return the starts and goals on a place."""
    if place.made is not None:
        world = open_world(place, place.grid)
        return list(imported(place.made.draw, place.folder)(world, place.count, place.problem_seed))
    return _from_scenario(place) if place.problems.scenarios else _random(place)


@lru_cache(_OPTIMAL_COSTS)
def optimal_cost(place: Place, grid: Options, problem: int) -> float:
    """Return the optimal cost of a problem; a process keeps it for the next configuration."""
    return shortest_path(open_world(place, grid), *open_problems(place)[problem]).cost


def fingerprint_of(place: Place) -> str:
    """Return the fingerprint of the map; a user's own world has none."""
    return "" if place.made is not None else open_map(place).fingerprint


def _random(place: Place) -> list[tuple[Position, Position]]:
    drawn: list[tuple[Position, Position]] = []
    rules = {name: value for name, value in place.grid if name in ("neighbors", "corners")}
    for batch in range(_MOST_DRAWS):
        seed = place.problem_seed + batch * 2**32  # far from the seeds of the other worlds
        some = random_problems(open_map(place), place.count, seed, **rules)
        drawn += [pair for pair in some if _fits(place, pair)]
        if len(drawn) >= place.count:
            return drawn[: place.count]
    bounds = f"from {place.problems.shortest:g} to {place.problems.longest:g}"
    if not math.isinf(place.problems.hardest):
        bounds += f", and at most {place.problems.hardest:g} expansions of A* per move"
    draws = _MOST_DRAWS * place.count
    raise MapError(f"{place.name}: only {len(drawn)} of {draws} random problems have an optimal cost {bounds}")


def _fits(place: Place, pair: tuple[Position, Position]) -> bool:
    shortest, longest = place.problems.shortest, place.problems.longest
    (x, y), (goal_x, goal_y) = pair
    if abs(x - goal_x) + abs(y - goal_y) <= place.problems.apart * open_map(place).width:
        return False
    world = open_world(place, place.grid)
    if (shortest > 0 or longest < math.inf) and not shortest <= shortest_path(world, *pair).cost <= longest:
        return False
    if math.isinf(place.problems.hardest):
        return True
    episode = make("astar", world, *pair).run()
    return episode.expansions <= place.problems.hardest * episode.moves


def _from_scenario(place: Place) -> list[tuple[Position, Position]]:
    """Return a sample of the scenario's problems within the bounds."""
    file = scenario_of(Path(place.file))
    within = [
        (problem.start, problem.goal)
        for problem in read_scenario(file)
        if place.problems.shortest <= problem.length <= place.problems.longest and problem.start != problem.goal
    ]
    if len(within) < place.count:
        raise MapError(f"{file}: it has only {len(within)} such problems, not {place.count}")
    chosen = np.random.default_rng(place.problem_seed).choice(len(within), place.count, replace=False)
    return [within[number] for number in chosen.tolist()]


def scenario_of(file: Path) -> Path:
    """Find the scenario of a map: next to it, or under `scens` if the map is under `maps`."""
    name = f"{file.name}.scen"
    parts = ["scens" if part == "maps" else part for part in file.parent.parts]
    for candidate in (file.with_name(name), Path(*parts) / name):
        if candidate.is_file():
            return candidate
    raise MapError(f"{file}: there is no scenario {name} next to it, nor in a folder scens next to the folder maps")


def imported(path: str, folder: str) -> Any:
    """Return a user's function `module:name`; modules may be in the folder of the experiment file."""
    look_in(folder)
    function = registry.imported(path)
    if not callable(function):
        raise ProblemError(f"{shown(path)} is not a function")
    return function
