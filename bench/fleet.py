"""Fleets: are ticks on time, how many units fit in a millisecond, and how much memory do they use?

A bare wait of the same length follows every tick: if that is late, the machine is to blame.
"""

import gc
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import psutil

import timebound as tb
from timebound import maps
from timebound.applications.crowd import Crowd, CrowdRecord, percentiles, ticks_of
from timebound.fleet.kinds import unit_kind

from .options import Options
from .table import table
from .timing import undisturbed

_SIDE, _HUGE = 1024, 4096
_FRAME_MS = 16.7
_LOADS = ((10_000, _FRAME_MS), (1_000, 1.0))
_SIZES = (10, 100, 1_000, 10_000, 100_000)
_LOOKAHEAD = 32
_CARRIED, _WARM = 1_000, 20  # units, and ticks before the clock counts
_CARRIED_WITH_PLANNERS = 200  # units of kinds whose search continues, each with its own memory
_EACH = 32  # expansions for each of them in a tick
_CALLED = 10_000  # units in one call
_LONGEST = 2_000  # ticks until a crowd must have arrived


@dataclass(frozen=True)
class Load:
    """Ticks of a fleet under a budget, and the bare waits between them."""

    units: int
    ms: float
    record: CrowdRecord
    add_ms: float
    longest_wait: int
    memory_bytes: int

    headers = (
        "units",
        "budget ms",
        "add ms",
        "p50",
        "p99",
        "p99.9",
        "max",
        "late, %",
        "processor p99.9",
        "processor max",
        "bare p99.9",
        "bare max",
        "bare late, %",
        "moved per tick",
        "planned per tick",
        "longest wait, ticks",
        "MB",
    )

    def cells(self) -> tuple[object, ...]:
        """What the table shows."""
        record, ticks = self.record, len(self.record.tick_us)
        bare, used = percentiles(record.wait_us), percentiles(record.processor_us)
        return (
            self.units,
            self.ms,
            self.add_ms,
            *(us / 1000 for us in percentiles(record.tick_us).values()),
            100 * record.late(record.tick_us) / ticks,
            used["p99.9"] / 1000,
            used["max"] / 1000,
            bare["p99.9"] / 1000,
            bare["max"] / 1000,
            100 * record.late(record.wait_us) / ticks,
            round(float(np.mean(record.moved))),
            round(float(np.mean(record.served))),
            self.longest_wait,
            self.memory_bytes / 1e6,
        )


def run(options: Options) -> dict[str, Any]:
    """All of it."""
    map_ = maps.caves(_SIDE, _SIDE, options.seed)
    ticks = 200 if options.quick else 2000
    loads = [_load(map_, units, ms, ticks, options.seed) for units, ms in _LOADS]
    print(f"\nLoad: rtaa, lookahead {_LOOKAHEAD}, known terrain, {map_.name}; times in ms\n")
    print(table(Load.headers, [load.cells() for load in loads]), flush=True)
    loop = _python_loop(map_, 1_000, 20, options.seed)
    print(f"\nA Python loop over 1,000 single agents, no deadline: {loop['ms']:.1f} ms per tick, {loop['mb']:.0f} MB")
    sizes = [_load(map_, units, _FRAME_MS, ticks // 10, options.seed) for units in _SIZES]
    print("\nFrom ten units to a hundred thousand\n")
    print(table(Load.headers, [load.cells() for load in sizes]), flush=True)
    carried = _all_carried(map_, options)
    storm = _storm(map_, options)
    one_goal = _one_goal(map_, 2_000 if options.quick else 10_000, options.seed)
    calls = _calls(map_, options.seed)
    memory = _memory(map_, 100 if options.quick else 500, options.seed)
    own = _memory_of_planners(options)
    return {
        "load": loads,
        "loop": loop,
        "sizes": sizes,
        "carried": carried,
        "storm": storm,
        "one goal": one_goal,
        "calls": calls,
        "memory": memory,
        "memory of planners": own,
    }


def _load(map_: maps.Map, units: int, ms: float, ticks: int, seed: int, storm: int | None = None) -> Load:
    crowd, add_ms = _crowd(map_, units, "rtaa", seed, lookahead=_LOOKAHEAD)
    record = CrowdRecord(ms)
    with undisturbed():
        for _ in ticks_of(crowd, record, ticks, ms=ms, storm=storm):
            pass
    return Load(units, ms, record, add_ms, crowd.longest_wait, crowd.fleet.memory_bytes)


def _crowd(map_: maps.Map, units: int, agent: str, seed: int, **parameters: Any) -> tuple[Crowd, float]:
    """Return a crowd, and the time to add its units (after compiling)."""
    Crowd(tb.Grid(map_.passable), 10, agent, seed=seed, **parameters).storm()
    crowd = Crowd(tb.Grid(map_.passable), units, agent, seed=seed, **parameters)
    starts = crowd.fleet.positions
    again = tb.Fleet(crowd.world)
    again.add(agent, start=starts[:100], goal=starts[:100], **parameters)
    again.add(agent, start=starts[:100], goal=starts[:100], **parameters)  # there must also be room for more
    began = time.perf_counter()
    again.add(agent, start=starts, goal=starts, **parameters)
    return crowd, (time.perf_counter() - began) * 1000


def _python_loop(map_: maps.Map, units: int, ticks: int, seed: int) -> dict[str, float]:
    """Return milliseconds per tick of single agents, each with the same lookahead, and the memory of all."""
    process = psutil.Process()
    before = process.memory_info().rss
    agents = _agents(map_, units, "rtaa", {"lookahead": _LOOKAHEAD}, seed)
    lasted = _rounds(agents, ticks, _LOOKAHEAD)
    grown = process.memory_info().rss - before
    return {"ms": float(np.median(lasted[1:])), "first_ms": lasted[0], "mb": grown / 1e6}


# ------------------------------------------------------------------ how many units fit in a millisecond


def _all_carried(map_: maps.Map, options: Options) -> list[dict[str, Any]]:
    """Measure every kind of agent."""
    lent, own = [], []
    for kind in tb.catalogue():
        lends = not unit_kind(0, kind.name, tb.Grid(map_.passable[:20, :20]), "known", {}).keeps_searches
        for lookahead in (9, 32, 100) if "lookahead" in kind.parameters else (None,):
            parameters = {} if lookahead is None else {"lookahead": lookahead}
            if lends:
                lent.append(_carried(map_, kind.name, parameters, _CARRIED, 10**9, options))
            else:
                own.append(_carried(map_, kind.name, parameters, _CARRIED_WITH_PLANNERS, None, options))
    headers = ("agent", "lookahead", "ms per tick", "planned per tick", "units in 1 ms", "Python loop, ms", "ratio")
    print(f"\nUnits that fit in 1 ms of processor time: {_CARRIED:,} move, all that need a path plan; no deadline\n")
    print(table(headers, [tuple(row.values()) for row in lent]))
    print(f"\nThe same for {_CARRIED_WITH_PLANNERS} with their own planners, {_EACH} expansions each per tick\n")
    print(table(headers, [tuple(row.values()) for row in own]), flush=True)
    return lent + own


def _carried(
    map_: maps.Map, name: str, parameters: dict[str, Any], units: int, budget: int | None, options: Options
) -> dict[str, Any]:
    crowd, _ = _crowd(map_, units, name, options.seed, **parameters)
    ticks, lasted, served = 60 if options.quick else 200, [], []
    with undisturbed():
        for _ in range(_WARM + ticks):
            served.append(crowd.tick(expansions=budget or _EACH * units).served)
            lasted.append((crowd.processor_us or 0.0) / 1000)
    ms = float(np.median(lasted[_WARM:]))
    each = parameters.get("lookahead", 1) if budget else _EACH
    loop = _loop_of(map_, name, parameters, units, each, options.seed)
    return {
        "agent": name,
        "lookahead": str(parameters.get("lookahead", "")),
        "ms": ms,
        "planned": round(float(np.mean(served[_WARM:]))),
        "units": round(units / ms),
        "loop_ms": loop,
        "ratio": loop / ms,
    }


def _loop_of(map_: maps.Map, name: str, parameters: dict[str, Any], units: int, each: int, seed: int) -> float:
    """Return the milliseconds of a Python loop over as many single agents; for many, extrapolated from a tenth."""
    few = units // 10 if units > _CARRIED_WITH_PLANNERS else units
    agents = _agents(map_, few, name, parameters, seed)
    return units / few * float(np.median(_rounds(agents, 2 * _WARM, each)[_WARM:]))


def _agents(map_: maps.Map, units: int, name: str, parameters: dict[str, Any], seed: int) -> list[tb.Agent]:
    world = tb.Grid(map_.passable)
    return [tb.make(name, world, *ends, **parameters) for ends in maps.random_problems(map_, units, seed)]


def _rounds(agents: list[tb.Agent], rounds: int, expansions: int) -> list[float]:
    """Step every agent, again and again; return the processor milliseconds of each round."""
    lasted = []
    for _ in range(rounds):
        began = time.thread_time()
        for agent in agents:
            if not agent.done:
                agent.step(expansions=expansions)
        lasted.append((time.thread_time() - began) * 1000)
    return lasted


# ------------------------------------------------------------------ storm, memory


def _storm(map_: maps.Map, options: Options) -> dict[str, Any]:
    """Give all units new goals and change one percent of the cells, in one tick."""
    load = _load(map_, 10_000, _FRAME_MS, 200, options.seed, storm=100)
    storm, late = load.record.storm, load.record.late(load.record.tick_us[99:])
    bare = load.record.late(load.record.wait_us[99:])
    assert storm is not None
    again = "not all within 100 ticks" if storm.moved_again is None else f"all, within {storm.moved_again} ticks"
    print(
        f"\nStorm: 10,000 units retargeted and {storm.cells:,} cells changed in one tick of {_FRAME_MS} ms: it took "
        f"{storm.us / 1000:.1f} ms;\nlate from then on: {late} of 101 ticks, {bare} of 101 bare waits; "
        f"moved again: {again}",
        flush=True,
    )
    return {**storm._asdict(), "late": late, "bare_late": bare}


def _one_goal(map_: maps.Map, units: int, seed: int) -> list[dict[str, Any]]:
    """Send a crowd to one place: each unit for itself, and as a group with one search from there."""
    starts = np.array([start for start, _ in maps.random_problems(map_, units, seed)])
    goal, rows = np.array(maps.random_problems(map_, 1, seed + 1)[0][1]), []
    for agent, group in (("rtaa", None), ("rtaa", "crowd"), ("lss-lrta", None), ("lss-lrta", "crowd")):
        for count in (10, units):  # the first few, so that everything is compiled
            world = tb.Grid(map_.passable)
            fleet = tb.Fleet(world, memory_mb=4096)
            goals = np.tile(goal, (count, 1))
            fleet.add(agent, start=starts[:count], goal=goals, lookahead=_LOOKAHEAD, group=group)
            used, spent = time.thread_time(), 0
            while not fleet.done and fleet.ticks < _LONGEST:
                spent += fleet.tick(expansions=50_000).expansions
        records = fleet.records()
        rows.append(
            {
                "agent": agent,
                "group": group or "none",
                "ticks": fleet.ticks,
                "expansions": spent,
                "seconds": time.thread_time() - used,
                "moves": float(np.mean([record.moves for record in records])),
                "arrived": 100 * fleet.status().count("arrived") / count,
                "mb": fleet.memory_bytes / 1e6,
            }
        )
    headers = ("agent", "group", "ticks", "expansions", "s of the processor", "moves each", "arrived, %", "MB")
    print(f"\nOne goal for {units:,} units, 50,000 expansions per tick, at most {_LONGEST:,} ticks\n")
    print(table(headers, [tuple(row.values()) for row in rows]), flush=True)
    return rows


def _calls(map_: maps.Map, seed: int) -> list[dict[str, Any]]:
    """Measure adding, retargeting and removing many units, in one call each."""
    problems, rows = maps.random_problems(map_, _CALLED, seed), []
    starts, goals = (np.array(ends) for ends in zip(*problems, strict=True))
    for agent in ("rtaa", "lrta", "tba", "tbaa", "dstar-lite", "knn-lrta"):
        fleet = tb.Fleet(tb.Grid(map_.passable))
        fleet.remove(fleet.add(agent, start=starts[:5], goal=goals[:5]))  # is compiled
        times = [time.perf_counter()]
        units = fleet.add(agent, start=starts, goal=goals)
        times.append(time.perf_counter())
        fleet.tick(expansions=8 * 1000)  # a thousand or so plan, and get planners
        times.append(time.perf_counter())
        fleet.retarget(units, starts)
        times.append(time.perf_counter())
        fleet.tick(expansions=8 * 1000)
        times.append(time.perf_counter())
        fleet.remove(units)
        times.append(time.perf_counter())
        add, _, retarget, _, remove = (1000 * ms for ms in np.diff(times).tolist())
        rows.append({"agent": agent, "add": add, "retarget": retarget, "remove": remove})
    print(f"\n{_CALLED:,} units in one call, ms\n")
    print(table(("agent", "add", "retarget", "remove"), [tuple(row.values()) for row in rows]), flush=True)
    return rows


def _memory_of_planners(options: Options) -> list[dict[str, Any]]:
    """Measure the memory of 1,000 units with their own planners, after 100 ticks of 32 expansions each."""
    rows, process, units = [], psutil.Process(), 1_000
    for side in (512, _HUGE):
        cave = maps.caves(min(side, _SIDE), min(side, _SIDE), options.seed)
        times = side // len(cave.passable)
        passable = np.tile(cave.passable, (times, times))
        problems = maps.random_problems(maps.Map.from_passable(passable, "tiled"), units, options.seed)
        starts, goals = (np.array(ends) for ends in zip(*problems, strict=True))
        for agent in ("knn-lrta", "tba", "tbaa", "dstar-lite", "astar"):
            world = tb.Grid(passable)
            before_all = process.memory_info().rss
            fleet = tb.Fleet(world, memory_mb=16_384)
            fleet.remove(fleet.add(agent, start=starts[:1], goal=goals[:1]))
            fleet.tick(expansions=_EACH)
            before = process.memory_info().rss
            fleet.add(agent, start=starts, goal=goals)
            for _ in range(100):
                fleet.tick(expansions=_EACH * units)
            grown = process.memory_info().rss - before
            counted, shared = fleet.memory_bytes / 1e6, (before - before_all) / 1e6
            row = {"side": side, "agent": agent, "grown": grown / 1e6, "counted": counted, "shared": shared}
            rows.append({**row, "each": grown / 1e3 / units})
            del fleet, world
            gc.collect()
    headers = ("map", "agent", "MB added", "MB counted", "MB shared before", "kB per unit")
    print(f"\nMemory of {units:,} units with their own planners, after 100 ticks of {_EACH} expansions each\n")
    print(table(headers, [tuple(row.values()) for row in rows]), flush=True)
    return rows


def _memory(map_: maps.Map, ticks: int, seed: int) -> dict[str, float]:
    """Measure the memory of 10,000 units on a map of 4096 x 4096 cells."""
    passable = np.tile(map_.passable, (_HUGE // _SIDE, _HUGE // _SIDE))
    huge = maps.Map.from_passable(passable, "tiled")
    world, process = tb.Grid(passable), psutil.Process()
    starts, goals = (np.array(ends) for ends in zip(*maps.random_problems(huge, 10_000, seed), strict=True))
    before = process.memory_info().rss
    fleet = tb.Fleet(world)
    fleet.add("rtaa", start=starts, goal=goals, lookahead=_LOOKAHEAD)
    for _ in range(ticks):
        fleet.tick(ms=_FRAME_MS)
    grown = process.memory_info().rss - before
    moves = float(np.mean([record.moves for record in fleet.records()]))
    print(
        f"\nMemory: 10,000 rtaa on {_HUGE} x {_HUGE} cells after {ticks} ticks ({moves:.0f} moves each) add "
        f"{grown / 1e6:.0f} MB to the process; {fleet.memory_bytes / 1e6:.0f} MB are their paths and learned values",
        flush=True,
    )
    return {"grown_mb": grown / 1e6, "own_mb": fleet.memory_bytes / 1e6, "moves": moves}
