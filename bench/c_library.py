"""The C library beside Python, in one process: nanoseconds for an expansion of an agent, and the tick of a fleet.

Rounds alternate, and the least processor time of each counts. Both must do the same.
"""

import ctypes
import tempfile
import time
from collections.abc import Callable
from ctypes import byref, c_char_p, c_double, c_int, c_longlong, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import timebound as tb
from timebound.cli import main

from .options import Options
from .rules import WrongAnswerError
from .table import table

_SIDE, _UNITS, _TICKS, _PER_TICK = 512, 10_000, 60, 20_000


@dataclass(frozen=True)
class Comparison:
    """What one thing costs in C and in Python."""

    what: str
    c: float
    python: float

    headers = ("", "C", "Python", "C / Python")


def run(options: Options) -> list[Comparison]:
    """Measure, and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        if main(["export", "--agents", "rtaa,astar,dstar-lite", "--output", folder]):
            return []
        library = ctypes.CDLL(str(Path(folder, "libtimebound.so")))
    for maker in (library.tb_grid_new, library.tb_agent_new, library.tb_fleet_new):
        maker.restype = c_void_p
    library.tb_error.restype = c_char_p
    passable = np.random.default_rng(options.seed).random((_SIDE, _SIDE)) >= 0.2
    world = tb.Grid(passable)
    cells = passable.astype(np.uint8)
    grid = c_void_p(library.tb_grid_new(cells.ctypes.data_as(c_void_p), _SIDE, _SIDE, None))
    free = np.argwhere(passable)[:, ::-1]
    found = [_agents(library, grid, world, free, kind, options) for kind in ("astar", "dstar-lite")]
    found.append(_fleets(library, grid, world, free, options))
    print(table(Comparison.headers, [(each.what, each.c, each.python, each.c / each.python) for each in found]))
    return found


def _rounds(rounds: int, *works: Callable[[], Any]) -> list[Any]:
    """Do each work in turn, so many times; return the last results."""
    results: list[Any] = []
    for _ in range(rounds):
        results = [work() for work in works]
    return results


def _agents(library: Any, grid: Any, world: tb.Grid, free: np.ndarray, kind: str, options: Options) -> Comparison:
    chance = np.random.default_rng(options.seed)
    ends = [free[chance.choice(len(free), 2, replace=False)].tolist() for _ in range(4 if options.quick else 12)]
    spent: list[float] = []
    c_spent: list[float] = []

    def python() -> list[int]:
        agents = [tb.make(kind, world, tuple(start), tuple(goal)) for start, goal in ends]
        for agent, (_, goal) in zip(agents, ends[1:] + ends[:1], strict=True):
            agent.step()  # the whole search, which touches memory for the first time
            agent.retarget(tuple(goal))
        before = [agent.episode().expansions for agent in agents]
        began = time.process_time()
        for agent in agents:
            agent.step()
        spent.append(time.process_time() - began)
        return [agent.episode().expansions - count for agent, count in zip(agents, before, strict=True)]

    def c() -> list[int]:
        agents = [c_void_p(library.tb_agent_new(grid, kind.encode(), *start, *goal, None)) for start, goal in ends]
        for agent, (_, goal) in zip(agents, ends[1:] + ends[:1], strict=True):
            library.tb_agent_step(agent, c_longlong(2**63 - 1), None, None)
            library.tb_agent_retarget(agent, *goal)
        before = [_expansions(library, agent) for agent in agents]
        began = time.process_time()
        for agent in agents:
            library.tb_agent_step(agent, c_longlong(2**63 - 1), None, None)
        c_spent.append(time.process_time() - began)
        told = [_expansions(library, agent) - count for agent, count in zip(agents, before, strict=True)]
        for agent in agents:
            library.tb_agent_free(agent)
        return told

    one, other = _rounds(options.rounds, c, python)
    if one != other:
        raise WrongAnswerError(f"{kind} does not do the same in C: {one} and {other}")
    return Comparison(f"{kind}, ns an expansion", min(c_spent) / sum(one) * 1e9, min(spent) / sum(one) * 1e9)


def _expansions(library: Any, agent: Any) -> int:
    record = (c_longlong * 10)()
    library.tb_agent_record(agent, byref(record))
    return int(record[3])


def _fleets(library: Any, grid: Any, world: tb.Grid, free: np.ndarray, options: Options) -> Comparison:
    chance = np.random.default_rng(options.seed)
    starts, goals = (
        np.ascontiguousarray(free[chance.choice(len(free), _UNITS, replace=False)], np.int32) for _ in range(2)
    )
    units = (c_int * _UNITS)(*range(_UNITS))
    places = np.empty((_UNITS, 2), np.int32)
    given = [each.ctypes.data_as(c_void_p) for each in (starts, goals)]

    def python() -> np.ndarray:
        fleet = tb.Fleet(world, collisions="push")
        fleet.add("rtaa", start=starts, goal=goals, lookahead=32)
        began = time.process_time()
        for _ in range(_TICKS):
            tick = fleet.tick(expansions=_PER_TICK)
        spent.append(time.process_time() - began)
        return np.stack([tick.positions[:_UNITS] % _SIDE, tick.positions[:_UNITS] // _SIDE], axis=1)

    def c() -> np.ndarray:
        fleet = c_void_p(library.tb_fleet_new(grid, b"collisions=push"))
        library.tb_fleet_add(fleet, b"rtaa", *given, _UNITS, b"lookahead=32", units)
        began = time.process_time()
        for _ in range(_TICKS):
            library.tb_fleet_tick(fleet, c_double(0), c_longlong(_PER_TICK))
        c_spent.append(time.process_time() - began)
        library.tb_fleet_positions(fleet, units, _UNITS, places.ctypes.data_as(c_void_p))
        library.tb_fleet_free(fleet)
        return places.copy()

    spent: list[float] = []
    c_spent: list[float] = []
    one, other = _rounds(options.rounds, c, python)
    if not np.array_equal(one, other):
        raise WrongAnswerError("a fleet does not do the same in C")
    what = f"a tick of {_UNITS:,} units, {_PER_TICK:,} expansions, ms"
    return Comparison(what, min(c_spent) / _TICKS * 1e3, min(spent) / _TICKS * 1e3)
