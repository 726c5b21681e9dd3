"""`timebound crowd`: many units move on a map at once; how long does every tick take?"""

import json
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import maps
from ..core.errors import ProblemError
from ..maps import Map
from ..maps.crowds import Footage, Snapshot, crowd_film, crowd_picture
from ..maps.trails import moments
from . import INTERRUPTED, console
from . import arguments as shared
from .printing import aligned
from .progress import follow

if TYPE_CHECKING:
    from ..applications.crowd import Crowd, CrowdRecord
    from ..fleet.fleet import Tick

EXAMPLES = f"""examples:
  timebound crowd harbour --units 300 --ms 1 --walls 8 --gif crowd.gif
  timebound crowd caves:1024x1024 --units 10000 --param lookahead=32 --ticks 1000 --storm
  timebound crowd rooms:200x200 --units 500 --collisions push --expansions 4000 --once --json

{shared.MAP_NOTE}
KIND:WIDTHxHEIGHT makes a map from the seed; KIND is caves, rooms, maze or random.
A tick is late if it takes more than 1.1 times its budget. For comparison, every tick is followed by a bare wait of the
same length, which only reads the clock. The processor time of a tick excludes that of other programs.
Exit status: 0 done; 1 with --once, not every unit arrived; 2 bad input; 130 interrupted (prints what was measured so
far, and draws nothing)."""

FRAME_MS = 16.7
_MOST_UNITS, _MOST_TICKS = 1_000_000, 100_000_000
_GENERATED = re.compile(r"(caves|rooms|maze|random):(\d{1,6})x(\d{1,6})")
_RULES = ("terrain", "collisions", "guidance", "repair", "threads", "walls")


def add_arguments(parser: shared.Parser) -> None:
    parser.add_argument("map", metavar="MAP", help=shared.MAPS)
    units = "(default: 1000, or as many as the scenario has)"
    shared.option(parser, "--units N", units, shared.whole(1, _MOST_UNITS))
    shared.option(parser, "--scenario FILE", "starts and goals of units: the first lines of a .scen file", Path)
    names = "agent of all units, such as rtaa, lss-lrta or lrta; or your own, module:name (default: rtaa)"
    shared.option(parser, "--agent NAME", names, shared.agent, "rtaa")
    budget = parser.add_mutually_exclusive_group()
    shared.option(budget, "--ms T", f"milliseconds per tick, for all units (default: {FRAME_MS})", shared.number)
    shared.option(budget, "--expansions K", "states to expand per tick, for all units", shared.number)
    shared.option(parser, "--ticks N", "number of ticks (default: 600)", shared.whole(1, _MOST_TICKS), 600)
    rules = "units may share a cell (none), wait, push each other aside, or also plan jointly (default: none)"
    shared.option(parser, "--collisions", rules, default="none", choices=("none", "wait", "push", "complete"))
    shared.option(parser, "--guidance", "units avoid cells on the paths of others, and moves against the traffic")
    shared.option(parser, "--repair", "plan the next steps of all units together (with push or complete)")
    shared.option(parser, "--threads N", "threads that plan (default: 1)", shared.whole(1), 1)
    shared.option(parser, "--walls N", "number of walls that come and go (default: 0)", shared.whole(0), 0)
    shared.option(parser, "--storm", "halfway, all units get new goals and 1 %% of the cells change at once")
    shared.option(parser, "--once", "units stay at their goals (default: they get new ones)")
    shared.add_rules(parser, ("known", "unknown"))
    shared.add_parameters(parser, "the agent")
    shared.option(parser, "--plan FILE", "write where all units were in every tick, as solvers of MAPF do", Path)
    shared.option(parser, "--picture FILE", "draw the last tick, and the time of every tick", Path)
    shared.option(parser, "--gif FILE", "animate them", Path)
    shared.add_json(parser)


def run(arguments: shared.Arguments) -> int:
    from ..applications.crowd import Crowd, CrowdRecord
    from ..fleet.units import REASONS
    from ..search.budget import Budget

    Budget(arguments.expansions, arguments.ms)  # reject impossible arguments before any work
    shared.check_pictures(arguments)
    if arguments.ms is None and arguments.expansions is None:
        arguments.ms = FRAME_MS
    map_ = _map(arguments)
    rules = {name: getattr(arguments, name) for name in _RULES}
    parameters = {**rules, "seed": arguments.seed, "lifelong": not arguments.once, **_own_parameters(arguments)}
    parameters["problems"] = maps.read_scenario(arguments.scenario) if arguments.scenario else ()
    if arguments.units is None:
        arguments.units = len(parameters["problems"]) or 1000
    crowd = Crowd(shared.world_of(arguments, map_), arguments.units, arguments.agent, **parameters)
    places = [crowd.fleet.positions]
    record, footage = CrowdRecord(arguments.ms), None
    if arguments.picture or arguments.gif:
        footage = Footage(map_, f"{map_.name}, {arguments.units:,} units, {arguments.agent}", arguments.ms, REASONS)
    stopped = _walk(arguments, crowd, record, footage, places)
    if footage is not None and not stopped:
        footage.tick_ms = [us / 1000 for us in record.tick_us]
        picture, film = partial(crowd_picture, footage), partial(crowd_film, footage)
        shared.draw({arguments.picture: picture, arguments.gif: film})
    if arguments.plan:
        maps.write_plan(maps.Plan(map_.name, crowd.goals, np.array(places)), arguments.plan)
    found = _figures(arguments, map_, crowd, record)
    print(json.dumps(found) if arguments.json else _report(arguments, map_, found))
    if stopped:
        console.say(f"stopped after {len(record.tick_us):,} of {arguments.ticks:,} ticks")
        return INTERRUPTED
    return 1 if arguments.once and crowd.arrived < arguments.units else 0


def _own_parameters(arguments: shared.Arguments) -> dict[str, Any]:
    """Return the agent's parameters; those with their own option are not among them."""
    parameters = shared.parameters_of(arguments)
    for name in parameters:
        if name in (*_RULES, "world", "units", "agent", "seed", "lifelong", "start", "goal", "kind", "priority"):
            raise ProblemError(f"{name} is not a parameter of agent {arguments.agent!r}")
    return parameters


def _map(arguments: shared.Arguments) -> Map:
    generated = _GENERATED.fullmatch(arguments.map)
    if generated is None:
        return maps.read(arguments.map)
    from ..maps.generate import GENERATORS

    make, _ = GENERATORS[generated[1]]
    return make(int(generated[2]), int(generated[3]), seed=arguments.seed)


def _walk(
    arguments: shared.Arguments, crowd: "Crowd", record: "CrowdRecord", footage: Footage | None, places: list[Any]
) -> bool:
    """Run all ticks, and take snapshots of some and of the last; return whether the user interrupted that."""
    from ..applications.crowd import ticks_of

    shown = {*moments(arguments.ticks - 1)}
    storm = max(1, arguments.ticks // 2) if arguments.storm else None
    last: list[Tick] = []

    def snap() -> None:
        if footage is not None:
            before, after = footage.map_.passable.ravel(), crowd.world.passable.ravel()
            changed = np.flatnonzero(before & ~after), np.flatnonzero(after & ~before)
            reasons = last[0].reasons[crowd.units]
            footage.snapshots.append(Snapshot(len(record.tick_us), crowd.fleet.positions, reasons, *changed))

    def note(tick: "Tick") -> None:
        last[:] = [tick]
        if arguments.plan:
            places.append(crowd.fleet.positions)
        if len(record.tick_us) - 1 in shown:
            snap()

    ticks = ticks_of(crowd, record, arguments.ticks, ms=arguments.ms, expansions=arguments.expansions, storm=storm)
    stopped = follow(ticks, note, arguments.ticks, "ticks", every=16)
    if len(record.tick_us) - 1 not in shown and not stopped:  # all units arrived
        snap()
    return stopped


def _figures(arguments: shared.Arguments, map_: Map, crowd: "Crowd", record: "CrowdRecord") -> dict[str, Any]:
    """Return the setting and the measurements."""
    from ..applications.crowd import percentiles

    ticks, bound = max(1, len(record.tick_us)), None
    budget = {"ms": arguments.ms}
    if arguments.expansions is not None:
        budget, bound = {"expansions": arguments.expansions}, crowd.fleet.bound(expansions=arguments.expansions)
    return {
        "map": map_.name,
        **{name: getattr(arguments, name) for name in ("units", "agent", *_RULES, "seed", "neighbors", "corners")},
        "parameters": shared.parameters_of(arguments),
        "budget": {name: shared.finite(value) for name, value in budget.items()},
        "lifelong": crowd.lifelong,
        "ticks": len(record.tick_us),
        "tick_us": percentiles(record.tick_us),
        "late_ticks": record.late(record.tick_us),
        "processor_us": percentiles(record.processor_us) if record.processor_us else None,
        "late_by_processor": record.late(record.processor_us),
        "bare_wait_us": percentiles(record.wait_us) if record.wait_us else None,
        "late_bare_waits": record.late(record.wait_us),
        "changes_us": percentiles(record.changes_us),
        "served_per_tick": sum(record.served) / ticks,
        "moved_per_tick": sum(record.moved) / ticks,
        "expansions_per_tick": sum(record.expansions) / ticks,
        "longest_wait": crowd.longest_wait,
        "bound": bound,
        "arrived": crowd.arrived,
        "unreachable": crowd.unreachable,
        **crowd.costs(),
        "memory_bytes": crowd.fleet.memory_bytes,
        "storm": None if record.storm is None else record.storm._asdict(),
    }


def _report(arguments: shared.Arguments, map_: Map, found: dict[str, Any]) -> str:
    """Return the setting, the times, the results and the files written, as text."""
    budget = f"{arguments.ms:g} ms" if arguments.expansions is None else f"{arguments.expansions:g} expansions"
    setting = (
        f"{map_.name} ({map_.width} x {map_.height}), {arguments.units:,} units, {arguments.agent}, "
        f"{arguments.terrain} terrain, collisions {arguments.collisions}, {budget} per tick"
    )
    return shared.with_files(arguments, [setting, "", _times(found), "", _outcome(found)])


def _times(found: dict[str, Any]) -> str:
    lines = [
        ("tick", found["tick_us"], found["late_ticks"]),
        ("tick, processor time", found["processor_us"], found["late_by_processor"]),
        ("bare wait", found["bare_wait_us"], found["late_bare_waits"]),
        ("walls, new goals", found["changes_us"], None),
    ]
    timed = found["bare_wait_us"] is not None  # otherwise there is no deadline
    rows = [
        (name, *(f"{us / 1000:,.3f}" for us in times.values()), f"{late:,}" if timed and late is not None else "-")
        for name, times, late in lines
        if times is not None
    ]
    return aligned([("ms", "p50", "p99", "p99.9", "max", "late"), *rows], words=1)


def _outcome(found: dict[str, Any]) -> str:
    crowd_costs = None if found["lifelong"] else f"{found['sum_of_costs']:,}, {found['makespan']:,} ticks"
    at_most = "" if found["bound"] is None else f" (at most {found['bound']:,})"
    rows = [
        ("ticks", f"{found['ticks']:,}"),
        ("units that moved, per tick", f"{found['moved_per_tick']:,.1f}"),
        ("units that planned, per tick", f"{found['served_per_tick']:,.1f}"),
        ("expansions, per tick", f"{found['expansions_per_tick']:,.0f}"),
        ("longest wait", f"{found['longest_wait']:,} ticks{at_most}"),
        ("arrived", f"{found['arrived']:,}"),
        ("proved unreachable", f"{found['unreachable']:,}"),
        *([] if crowd_costs is None else [("sum of costs, makespan", crowd_costs)]),
        ("memory", f"{found['memory_bytes'] / 2**20:,.1f} MiB"),
    ]
    if storm := found["storm"]:
        after = "not all units" if storm["moved_again"] is None else f"all units, within {storm['moved_again']:,} ticks"
        changed = f"{storm['cells']:,} cells changed, the tick took {storm['us'] / 1000:,.3f} ms; moved again: {after}"
        rows.append((f"storm in tick {storm['tick']:,}", changed))
    return aligned(rows, words=2)
