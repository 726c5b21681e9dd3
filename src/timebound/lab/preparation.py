"""What agents need prepared on a map: case bases, subgoal tables. Made once per run, and counted.

A case base is made completely, and given to every process that uses it. A table of D LRTA* takes a search of the whole
map for each of its rows; the processes compute only the rows that they need, as agents always do. Here its full size is
counted, and its full time is extrapolated from the time of some rows.
"""

import copy
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from ..agents.catalogue import KINDS, mix
from ..maps import caves
from ..search.solver import shortest_path
from ..subgoals.abstraction import Abstraction
from ..subgoals.building import small_base
from ..subgoals.cases import CaseBase, records_in
from ..subgoals.hill_climbing import climb_costs
from ..subgoals.regions import RegionSubgoals, lowest_level
from ..worlds import Grid
from .experiment import Configuration, Options
from .measures import UNTOLD, Preparation
from .worlds import Place, open_world

_ROWS = 8  # rows of a table, from whose time that of all rows is extrapolated
_SAMPLE = 1000  # records whose climbs are compared with shortest paths
_SMALL = 64  # side of a map on which everything is compiled before the clock starts


@dataclass(frozen=True)
class Need:
    """What some configurations need on a place."""

    place: Place
    grid: Options
    target: str
    what: Options

    @property
    def key(self) -> str:
        """A name for it, the same whenever the run resumes."""
        told = json.dumps([self.place.identity(), self.grid, self.target, self.what], default=str)
        return hashlib.sha256(told.encode()).hexdigest()[:24]


class Knowledge(NamedTuple):
    """What was prepared, and its figures."""

    figures: Preparation
    cases: CaseBase | None = None


def need_of(configuration: Configuration, place: Place, counted: bool) -> Need | None:
    """Return what a configuration needs; a subgoal table only if preparation is counted."""
    kind = KINDS.get(configuration.agent)
    given = dict(configuration.parameters)
    target = kind.part("target") if kind else ""
    names = {"cases": ("records", "coverage"), "regions": ("level",)}.get(target, ())
    if kind is None or not names or "cases" in given or (target == "regions" and not counted):
        return None
    parameters = mix(kind, given).parameters
    return Need(place, configuration.grid, target, tuple((name, parameters[name]) for name in names))


def without_need(configuration: Configuration) -> Preparation:
    """Return the figures of agents for which nothing is prepared here: zero, or unknown."""
    kind = KINDS.get(configuration.agent)
    return UNTOLD if kind is None or kind.needs_grid else Preparation()


def work_out(need: Need) -> Knowledge:
    """Prepare what is needed, and measure its processor time, without compilation."""
    world = open_world(need.place, need.grid)
    make: Callable[..., Knowledge] = _cases if need.target == "cases" else _table
    if isinstance(world, Grid):
        rules = {name: getattr(world, name) for name in ("neighbors", "corners", "diagonal", "heuristic")}
        make(Grid(caves(_SMALL, _SMALL).passable, **rules), **dict(need.what))
    return make(copy.copy(world), **dict(need.what))  # the copy has nothing prepared yet


def _cases(world: Any, records: int, coverage: str) -> Knowledge:
    begun = process_time()
    base = small_base(world, records, coverage)
    seconds = process_time() - begun
    states = len(base.arrays["states"])
    return Knowledge(Preparation(seconds, base.nbytes, len(base), states, *detours(world, base)), base)


def detours(world: Grid, base: CaseBase) -> tuple[float, float]:
    """Return to how many of the subgoals a climb takes a detour, and how long these detours are, both in percent."""
    longer, climbs = list[float](), 0
    for number in range(min(len(base), _SAMPLE)):
        states = records_in(base.arrays).of(number)
        costs = climb_costs(world.compiled(0), states).tolist()
        for cost, (start, end) in zip(costs, pairwise(base.record(number)), strict=True):
            shortest = round(shortest_path(world, start, end).cost * world.unit)
            climbs += 1
            if cost > shortest:
                longer.append(100 * (cost / shortest - 1))
    return 100 * len(longer) / max(1, climbs), fmean(longer) if longer else 0.0


def _table(world: Any, level: int | None) -> Knowledge:
    begun = process_time()
    table = RegionSubgoals.of(world, lowest_level(Abstraction.of(world)) if level is None else level)
    goals = np.unique(np.linspace(0, table.count - 1, _ROWS).astype(int)).tolist()
    regions_done = process_time()
    row_bytes = [table.row(goal).nbytes for goal in goals]
    row_seconds = (process_time() - regions_done) / len(goals)
    seconds = regions_done - begun + row_seconds * table.count
    records = table.count * (table.count - 1)
    bytes_ = table.regions.nbytes + row_bytes[0] * table.count
    return Knowledge(Preparation(seconds, bytes_, records, world.states + records))
