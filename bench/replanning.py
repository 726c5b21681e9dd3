"""Agents that replan again and again, compared: in unknown terrain, with changing costs, and after moving goals."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np

import timebound as tb
from timebound import maps
from timebound.applications.pursuit import walking
from timebound.maps import components

from .maps import Kind, load
from .options import Options
from .rules import Position, WrongAnswerError
from .table import table

AGENTS = ("repeated-astar", "adaptive-astar", "gaa", "mpaa", "mpgaa", "dstar-lite")
HUNTERS = ("repeated-astar", "adaptive-astar", "mpaa", "dstar-lite", "fra", "rtaa", "tbaa")
_TARGETS = 100
_EVERY, _CELLS = 10, 50  # intervals between two changes, cells that change
_SETS = {
    "game maps": (
        *("bg512/AR0300SR.map", "bg512/AR0400SR.map", "bg512/AR0500SR.map", "dao/brc202d.map", "dao/den520d.map"),
        *("dao/lak303d.map", "dao/hrt000d.map", "wc3maps512/darkforest.map", "wc3maps512/divideandconquer.map"),
    ),
    "rooms": ("rooms/16room_000.map", "rooms/16room_001.map", "rooms/32room_000.map"),
    "random maps": tuple(f"random/random512-{share}-0.map" for share in (10, 20, 30, 40)),
}
_RULES: dict[str, Any] = {"neighbors": 8, "corners": "strict"}

Problem = tuple[maps.Map, Position, Position]


@dataclass(frozen=True)
class Replanning:
    """Means over the problems of one setting."""

    setting: str
    agent: str
    problems: int
    moves: float
    searches: float
    expansions: float
    ms: float
    """Milliseconds of all its intervals, the fastest of several rounds."""
    times_faster: float
    """How many times faster than D* Lite."""

    headers = ("setting", "agent", "problems", "moves", "searches", "expansions", "ms", "D* Lite's time over its own")


def run(options: Options) -> list[Replanning]:
    """Unknown terrain, and costs that change, on each set of maps."""
    sets = {name: _problems_of(files, options) for name, files in _SETS.items()}
    ways = {"unknown": _in_unknown_terrain, "costs change": _under_changing_costs}
    rows = [
        row
        for way, walk in ways.items()
        for name, problems in sets.items()
        for row in _compare(f"{name}, {way}", problems, walk, options)
    ]
    print("\nAgents that replan\n")
    print(table(Replanning.headers, [tuple(vars(row).values()) for row in rows]), flush=True)
    return rows


def _problems_of(files: Sequence[str], options: Options) -> list[Problem]:
    """Draw problems from the maps of a set, if the data is available; otherwise from similar maps."""
    made: dict[str, Callable[[int], maps.Map]] = {
        "random": lambda seed: maps.random_obstacles(512, 512, 0.2, seed),
        "rooms": lambda seed: maps.rooms(512, 512, 16, seed),
    }
    kinds = [Kind(file, file, made.get(file.split("/")[0], lambda seed: maps.caves(512, 512, seed))) for file in files]
    chosen = kinds[:: 3 if options.quick else 1]
    found = [load(kind, options.data, options.seed + number) for number, kind in enumerate(chosen)]
    return _problems(found, 1 if options.quick else 4, options.seed)


def _problems(found: Sequence[maps.Map], count: int, seed: int) -> list[Problem]:
    return [(each, *ends) for each in found for ends in maps.random_problems(each, count, seed=seed, **_RULES)]


Walk = Callable[[str, Problem, int], tuple[tb.Episode, float]]


def _compare(setting: str, problems: list[Problem], walk: Walk, options: Options) -> list[Replanning]:
    """Run all agents on each problem in turn, so that a busy machine affects all of them."""
    rounds = 1 if options.quick else 3
    episodes: dict[str, list[tb.Episode]] = {name: [] for name in AGENTS}
    times: dict[str, list[float]] = {name: [] for name in AGENTS}
    for name in AGENTS:
        walk(name, problems[0], options.seed)  # compile
    for number, problem in enumerate(problems):
        tries = [{name: walk(name, problem, options.seed + number) for name in AGENTS} for _ in range(rounds)]
        for name in AGENTS:
            episodes[name].append(tries[0][name][0])
            times[name].append(min(each[name][1] for each in tries))
        _check({name: episodes[name][-1] for name in AGENTS}, setting)
    slowest = mean(times["dstar-lite"])
    return [_row(setting, name, episodes[name], mean(times[name]), slowest) for name in AGENTS]


def _check(episodes: dict[str, tb.Episode], setting: str) -> None:
    wrong = [name for name, episode in episodes.items() if not episode.solved]
    if wrong:
        raise WrongAnswerError(f"{', '.join(wrong)} did not arrive: {setting}")


def _row(setting: str, name: str, episodes: list[tb.Episode], ms: float, yardstick: float) -> Replanning:
    moves, searches, expansions = (
        mean(getattr(episode, what) for episode in episodes) for what in ("moves", "searches", "expansions")
    )
    return Replanning(setting, name, len(episodes), moves, searches, expansions, ms, yardstick / ms)


def _in_unknown_terrain(name: str, problem: Problem, seed: int) -> tuple[tb.Episode, float]:
    map_, start, goal = problem
    agent = tb.make(name, _world(map_), start, goal, terrain="unknown")
    began = time.process_time()
    episode = agent.run()
    return episode, (time.process_time() - began) * 1e3


_worlds: dict[int, tb.Grid] = {}


def _world(map_: maps.Map) -> tb.Grid:
    """One world for each map that does not change."""
    return _worlds.setdefault(id(map_), tb.Grid(map_.passable, **_RULES))


def _under_changing_costs(name: str, problem: Problem, seed: int) -> tuple[tb.Episode, float]:
    """Change the cost of some cells of a known map every ten intervals; the same for every agent."""
    map_, start, goal = problem
    generator = np.random.default_rng(seed)
    world = tb.Grid(map_.passable, travel=np.where(map_.passable, 2.0, 1.0), **_RULES)
    free = np.flatnonzero(map_.passable)
    agent, spent, interval = tb.make(name, world, start, goal), 0.0, 0
    while not agent.done:
        if interval % _EVERY == _EVERY - 1:
            for cost in (1.0, 3.0):
                world.set_cost([world.place(int(cell)) for cell in generator.choice(free, _CELLS // 2)], cost)
        began = time.process_time()
        agent.step()
        spent += time.process_time() - began
        interval += 1
    return agent.episode(), spent * 1e3


# ------------------------------------------------------------------ a hundred targets


def pursuits(options: Options) -> dict[str, dict[str, float]]:
    """Let every hunter pursue the same hundred wandering targets."""
    world = tb.Grid.load("harbour")
    parts, sizes = components(world.passable, world.neighbors, world.corners)
    generator, free = np.random.default_rng(options.seed), np.flatnonzero(parts == int(np.argmax(sizes)))
    ends = [tuple(map(world.place, pair)) for pair in generator.choice(free, (_TARGETS, 2)).tolist()]
    found = {name: _hunt(name, world, ends) for name in HUNTERS}
    headers = ("agent", "caught", "intervals", "expansions", "ms/pursuit", "of it planning")
    print(f"\n{_TARGETS} targets, an interval has 1,000 expansions\n")
    print(table(headers, [(name, *figures.values()) for name, figures in found.items()]), flush=True)
    return found


def _hunt(name: str, world: tb.Grid, ends: list[Any]) -> dict[str, float]:
    tb.make(name, world, *ends[0]).run(expansions=1000, target=[ends[1][0], ends[2][0]], intervals=20)  # compile
    began, episodes = time.process_time(), []
    for number, (start, goal) in enumerate(ends):
        agent = tb.make(name, world, start, goal)
        target = walking(world, goal, seed=number)
        episodes.append(agent.run(expansions=1000, target=target, intervals=5000))
    return {
        "caught": sum(episode.solved for episode in episodes),
        "intervals": mean(episode.intervals for episode in episodes),
        "expansions": mean(episode.expansions for episode in episodes),
        "ms": (time.process_time() - began) * 1e3 / len(ends),
        "planning_ms": mean(episode.planning_us for episode in episodes) / 1e3,
    }
