"""Fleets: are ticks on time, how many units does a millisecond carry, and what do they take up?

After every tick there is a bare wait of the same length: what is late there is the machine's doing.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import psutil

import timebound as tb
from timebound import maps
from timebound.crowd import Crowd, Record, percentiles, ticks_of

from .options import Options
from .table import table
from .timing import undisturbed

_SIDE, _HUGE = 1024, 4096
_FRAME_MS = 16.7
_LOADS = ((10_000, _FRAME_MS), (1_000, 1.0))
_SIZES = (10, 100, 1_000, 10_000, 100_000)
_LOOKAHEAD = 32
_CARRIED, _WARM = 1_000, 20  # units, and ticks before the clock counts


@dataclass(frozen=True)
class Load:
    """Ticks of a fleet under a budget, and the bare waits between them."""

    units: int
    ms: float
    record: Record
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
        "moved a tick",
        "planned a tick",
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
    print(
        f"\nA Python loop over 1,000 single agents, without a deadline: {loop['ms']:.1f} ms a tick, {loop['mb']:.0f} MB"
    )
    sizes = [_load(map_, units, _FRAME_MS, ticks // 10, options.seed) for units in _SIZES]
    print("\nFrom ten units to a hundred thousand\n")
    print(table(Load.headers, [load.cells() for load in sizes]), flush=True)
    carried = _all_carried(map_, options)
    storm = _storm(map_, options)
    memory = _memory(map_, 100 if options.quick else 500, options.seed)
    return {"load": loads, "loop": loop, "sizes": sizes, "carried": carried, "storm": storm, "memory": memory}


def _load(map_: maps.Map, units: int, ms: float, ticks: int, seed: int, storm: int | None = None) -> Load:
    crowd, add_ms = _crowd(map_, units, "rtaa", seed, lookahead=_LOOKAHEAD)
    record = Record(ms)
    with undisturbed():
        for _ in ticks_of(crowd, record, ticks, ms=ms, storm=storm):
            pass
    return Load(units, ms, record, add_ms, crowd.longest_wait, crowd.fleet.memory_bytes)


def _crowd(map_: maps.Map, units: int, agent: str, seed: int, **parameters: Any) -> tuple[Crowd, float]:
    """A crowd, and how long it took to add its units (which was compiled before)."""
    Crowd(tb.Grid(map_.passable), 10, agent, seed=seed, **parameters).storm()
    crowd = Crowd(tb.Grid(map_.passable), units, agent, seed=seed, **parameters)
    starts = crowd.fleet.positions
    again = tb.Fleet(crowd.world)
    again.add(agent, start=starts[:100], goal=starts[:100], **parameters)
    again.add(agent, start=starts[:100], goal=starts[:100], **parameters)  # there must be room for more, too
    began = time.perf_counter()
    again.add(agent, start=starts, goal=starts, **parameters)
    return crowd, (time.perf_counter() - began) * 1000


def _python_loop(map_: maps.Map, units: int, ticks: int, seed: int) -> dict[str, float]:
    """Milliseconds a tick of single agents, each with the same lookahead, and the memory of all."""
    process = psutil.Process()
    before = process.memory_info().rss
    agents = _agents(map_, units, "rtaa", {"lookahead": _LOOKAHEAD}, seed)
    lasted = _rounds(agents, ticks, _LOOKAHEAD)
    grown = process.memory_info().rss - before
    return {"ms": float(np.median(lasted[1:])), "first_ms": lasted[0], "mb": grown / 1e6}


# ------------------------------------------------------------------ how many units a millisecond carries


def _all_carried(map_: maps.Map, options: Options) -> list[dict[str, Any]]:
    """For every kind of agent that can be in a fleet."""
    rows, refused = [], []
    for kind in tb.catalogue():
        for lookahead in _lookaheads(kind):
            try:
                rows.append(_carried(map_, kind.name, lookahead, options))
            except tb.ProblemError:
                refused.append(kind.name)
                break
    print(f"\nUnits that 1 ms of the processor carries: {_CARRIED:,} move, all that need a path plan; no deadline\n")
    headers = ("agent", "lookahead", "ms a tick", "planned a tick", "units in 1 ms", "Python loop, ms", "ratio")
    print(table(headers, [tuple(row.values()) for row in rows]))
    print(f"\nnot in a fleet: {', '.join(refused)}", flush=True)
    return rows


def _lookaheads(kind: Any) -> tuple[int | None, ...]:
    return (9, 32, 100) if "lookahead" in kind.parameters else (None,)


def _carried(map_: maps.Map, name: str, lookahead: int | None, options: Options) -> dict[str, Any]:
    parameters = {} if lookahead is None else {"lookahead": lookahead}
    crowd, _ = _crowd(map_, _CARRIED, name, options.seed, **parameters)
    ticks, lasted, served = 60 if options.quick else 200, [], []
    with undisturbed():
        for _ in range(_WARM + ticks):
            served.append(crowd.tick(expansions=1e9).served)
            lasted.append((crowd.processor_us or 0.0) / 1000)
    ms = float(np.median(lasted[_WARM:]))
    loop = _loop_of(map_, name, parameters, options.seed)
    planned = round(float(np.mean(served[_WARM:])))
    return {
        "agent": name,
        "lookahead": "" if lookahead is None else str(lookahead),
        "ms": ms,
        "planned": planned,
        "units": round(_CARRIED / ms),
        "loop_ms": loop,
        "ratio": loop / ms,
    }


def _loop_of(map_: maps.Map, name: str, parameters: dict[str, Any], seed: int) -> float:
    """Milliseconds that a Python loop over as many single agents would take, from a tenth of them."""
    few = _CARRIED // 10
    agents = _agents(map_, few, name, parameters, seed)
    return _CARRIED / few * float(np.median(_rounds(agents, 2 * _WARM, parameters.get("lookahead", 1))[_WARM:]))


def _agents(map_: maps.Map, units: int, name: str, parameters: dict[str, Any], seed: int) -> list[tb.Agent]:
    world = tb.Grid(map_.passable)
    return [tb.make(name, world, *ends, **parameters) for ends in maps.random_problems(map_, units, seed)]


def _rounds(agents: list[tb.Agent], rounds: int, expansions: int) -> list[float]:
    """A step of every agent, again and again: milliseconds of the processor for each round."""
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
    """All units get new goals and a hundredth of the cells change, in one tick."""
    load = _load(map_, 10_000, _FRAME_MS, 200, options.seed, storm=100)
    storm, late = load.record.storm, load.record.late(load.record.tick_us[99:])
    bare = load.record.late(load.record.wait_us[99:])
    assert storm is not None
    again = "not all within 100 ticks" if storm.moved_again is None else f"all, {storm.moved_again} ticks later"
    print(
        f"\nStorm: 10,000 units retargeted and {storm.cells:,} cells changed in one tick of {_FRAME_MS} ms: it took "
        f"{storm.us / 1000:.1f} ms;\nlate from then on: {late} of 101 ticks, {bare} of 101 bare waits; "
        f"moved again: {again}",
        flush=True,
    )
    return {**storm._asdict(), "late": late, "bare_late": bare}


def _memory(map_: maps.Map, ticks: int, seed: int) -> dict[str, float]:
    """What 10,000 units add to the process on a map of 4096 x 4096 cells."""
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
