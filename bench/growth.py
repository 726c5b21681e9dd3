"""How cost grows with the size of the map, and that a search pays only for the states it touches."""

import ctypes
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import get_context
from statistics import median
from typing import Any

import numpy as np
import psutil

from timebound import maps

from .contenders import Astar, Timebound
from .options import Options
from .rules import STRICT, Position, WrongAnswerError, path_length
from .table import table
from .timing import Ratio, Turns, take_turns, timed

Problem = tuple[Position, Position]

_SIZES = (256, 512, 1024, 2048, 4096)
_SMALL, _TILES = 512, 8
_LARGE = _SMALL * _TILES
_TOUCHED = range(900, 1101)
_MARGIN = 120  # a search of about 1,000 states stays within: on the larger map it sees the same cells


@dataclass(frozen=True)
class Size:
    """The costs of a map of one size."""

    side: int
    prepare_ms: float
    ms_per_query: float
    to_jumps: Ratio
    expansions_per_query: float
    world_bytes: int
    search_bytes: int

    headers = (
        "cells",
        "prepare ms",
        "A* ms/query",
        "A*/jump points",
        "expansions/query",
        "M exp/s",
        "world MB",
        "searches MB",
        "bytes/cell",
    )

    def cells(self) -> tuple[object, ...]:
        """What the table shows."""
        return (
            f"{self.side} x {self.side}",
            self.prepare_ms,
            self.ms_per_query,
            self.to_jumps,
            round(self.expansions_per_query),
            self.expansions_per_query / self.ms_per_query / 1e3,
            self.world_bytes / 1e6,
            self.search_bytes / 1e6,
            (self.world_bytes + self.search_bytes) / self.side**2,
        )


@dataclass(frozen=True)
class Touch:
    """The same searches on a small map and on a large one."""

    when: str
    expansions_per_query: float
    small_us: float
    large_us: float
    ratio: Ratio

    headers = ("searches", "expansions/query", f"us, {_SMALL} x {_SMALL}", f"us, {_LARGE} x {_LARGE}", "ratio")

    def cells(self) -> tuple[object, ...]:
        """What the table shows."""
        return tuple(vars(self).values())


def run(options: Options) -> dict[str, list]:
    """Print both tables."""
    sizes = [_alone(_one_size, side, options) for side in (_SIZES[:3] if options.quick else _SIZES)]
    print("\nRandom obstacles, 25 %; each size in its own process\n")
    print(table(Size.headers, [size.cells() for size in sizes]), flush=True)
    touches = _alone(_same_searches, options)
    print("\nThe same searches of about 1,000 states on a small map and on a large one tiled with it\n")
    print(table(Touch.headers, [touch.cells() for touch in touches]), flush=True)
    return {"sizes": sizes, "touches": touches}


def _alone(function: Callable[..., Any], *arguments: object) -> Any:
    """Call a function in a fresh process, so that only its memory counts."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def _one_size(side: int, options: Options) -> Size:
    map_ = maps.random_obstacles(side, side, 0.25, options.seed)
    problems = maps.random_problems(map_, options.queries // 3, seed=options.seed)
    _compile()
    at_first = _memory()
    contender = Astar(map_.passable, STRICT)
    with_world = _memory()
    answers = [_checked(contender, map_.passable, problem) for problem in problems]
    with_searches = _memory()
    jumps = Timebound(map_.passable, STRICT)
    turns, jumping = take_turns([_actions(each, problems) for each in (contender, jumps)], options.rounds, options.box)
    return Size(
        side=side,
        prepare_ms=1e3 * median(timed(lambda: Timebound(map_.passable, STRICT))[0] for _ in range(5)),
        ms_per_query=turns.ms_per_query,
        to_jumps=turns.ratio_to(jumping),
        expansions_per_query=float(np.mean([answer.expansions for answer in answers])),
        world_bytes=with_world - at_first,
        search_bytes=with_searches - with_world,
    )


def _compile() -> None:
    """Load the compiled code, so that neither its time nor its memory counts."""
    for kind in (Astar, Timebound):
        kind(np.ones((8, 8), bool), STRICT).find((0, 0), (7, 7))


def _memory() -> int:
    """Return the bytes in use, without what the GNU C library keeps in reserve after freeing arrays."""
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)
    return psutil.Process().memory_full_info().uss


def _actions(contender: Timebound, problems: list[Problem]) -> list[Callable[[], Any]]:
    return [partial(contender.find, *problem) for problem in problems]


def _checked(contender: Timebound, passable: np.ndarray, problem: Problem) -> Any:
    answer = contender.find(*problem)
    length = path_length(passable, STRICT, *problem, answer.states)
    if abs(length - answer.cost) > 1e-6:
        raise WrongAnswerError(f"{problem[0]} to {problem[1]}: cost {answer.cost}, but the path's length is {length}")
    return answer


def _same_searches(options: Options) -> list[Touch]:
    tile = maps.random_obstacles(_SMALL, _SMALL, 0.25, options.seed).passable
    small, large = (Astar(np.tile(tile, (times, times)), STRICT) for times in (1, _TILES))
    rng = np.random.default_rng(options.seed)
    problems = list(islice(_problems_of_a_size(tile, rng), 5 * options.queries))
    spread = [_moved(problem, rng.integers(_TILES, size=2)) for problem in problems]
    together = [_moved(problem, np.array([_TILES // 2, _TILES // 2])) for problem in problems]
    actions = [_actions(small, problems), _actions(large, spread), _actions(large, together)]
    small.find(*problems[0]), large.find(*together[0])
    first = [Turns(turns.seconds.reshape(5, -1)) for turns in take_turns(actions[:2], 1, np.inf)]
    expansions = _equal_searches(actions)
    again = take_turns(actions, 2 * options.rounds, np.inf)
    return [
        _touch("each at a place never visited before", expansions, *first),
        _touch("again, all over the large map", expansions, again[0], again[1]),
        _touch("again, in one part of the large map", expansions, again[0], again[2]),
    ]


def _problems_of_a_size(passable: np.ndarray, rng: np.random.Generator) -> Iterator[Problem]:
    """Return problems in the middle of a map for which A* expands about 1,000 states."""
    scout = Astar(passable, STRICT)
    middle = passable[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN]
    cells = np.argwhere(middle)[:, ::-1] + _MARGIN
    while True:
        start, goal = (tuple(cell) for cell in rng.choice(cells, 2).tolist())
        answer = scout.find(start, goal)
        if answer.solved and answer.expansions in _TOUCHED:
            yield start, goal


def _moved(problem: Problem, tile: np.ndarray) -> Problem:
    dx, dy = (int(offset) * _SMALL for offset in tile)
    (start_x, start_y), (goal_x, goal_y) = problem
    return (start_x + dx, start_y + dy), (goal_x + dx, goal_y + dy)


def _equal_searches(actions: list[list[Callable[[], Any]]]) -> float:
    """Check that each search was the same everywhere; return the mean number of expansions."""
    answers = [[action() for action in same] for same in zip(*actions, strict=True)]
    for same in answers:
        figures = {(answer.cost, answer.expansions) for answer in same}
        if len(figures) > 1:
            raise WrongAnswerError(f"cost and expansions of one search differ with the size of the map: {figures}")
    return float(np.mean([same[0].expansions for same in answers]))


def _touch(when: str, expansions: float, small: Turns, large: Turns) -> Touch:
    return Touch(when, expansions, 1e3 * small.ms_per_query, 1e3 * large.ms_per_query, large.ratio_to(small))
