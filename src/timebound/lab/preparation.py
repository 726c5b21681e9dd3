"""What agents need to have prepared on a map: bases of cases, tables of subgoals. Made once for a run, and counted.

A base is made whole, and given to every process that runs an episode with it. Of a table of D LRTA*, which takes a
search of the whole map for each of its rows, the processes work out the rows that they need, as agents always do; here
it is told how large all of it is, and how long it takes, from the time that some of its rows took.
"""

import copy
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from .. import maps
from ..agents.catalogue import KINDS, fill_in
from ..subgoals.abstraction import Abstraction
from ..subgoals.building import small_base
from ..subgoals.cases import CaseBase
from ..subgoals.regions import RegionSubgoals, lowest_level
from ..worlds import Grid
from .measures import UNTOLD, Prepared
from .spec import Configuration, Options
from .worlds import Place, open_world

_ROWS = 8  # of a table, from whose time that of all is told
_SMALL = 64  # cells along each side of a map on which everything is compiled before the clock is looked at


@dataclass(frozen=True)
class Need:
    """What some configurations need on one place."""

    place: Place
    grid: Options
    target: str
    what: Options

    @property
    def key(self) -> str:
        """A name for it, the same whenever the run goes on."""
        told = json.dumps([self.place.identity(), self.grid, self.target, self.what], default=str)
        return hashlib.sha256(told.encode()).hexdigest()[:24]


class Knowledge(NamedTuple):
    """What was prepared, and what is to be told of it."""

    figures: Prepared
    cases: CaseBase | None = None


def need_of(configuration: Configuration, place: Place, counted: bool) -> Need | None:
    """What a configuration needs; a table of subgoals only if what is prepared is counted."""
    kind = KINDS.get(configuration.agent)
    given = dict(configuration.parameters)
    target = kind.part("target") if kind else ""
    names = {"cases": ("records", "coverage"), "regions": ("level",)}.get(target, ())
    if kind is None or not names or "cases" in given or (target == "regions" and not counted):
        return None
    parameters = fill_in(kind, given)
    return Need(place, configuration.grid, target, tuple((name, parameters[name]) for name in names))


def without_need(configuration: Configuration) -> Prepared:
    """What is told of agents for which nothing is prepared here: nothing, or that one does not know."""
    kind = KINDS.get(configuration.agent)
    return UNTOLD if kind is None or kind.needs_grid else Prepared()


def work_out(need: Need) -> Knowledge:
    """Prepare what is needed. Processor time is measured, of code that has been compiled."""
    world = open_world(need.place, need.grid)
    make: Callable[..., Knowledge] = _cases if need.target == "cases" else _table
    if isinstance(world, Grid):
        rules = {name: getattr(world, name) for name in ("neighbors", "corners", "diagonal", "heuristic")}
        make(Grid(maps.caves(_SMALL, _SMALL).passable, **rules), **dict(need.what))
    return make(copy.copy(world), **dict(need.what))  # the copy has nothing yet that was worked out before


def _cases(world: Any, records: int, coverage: str) -> Knowledge:
    begun = process_time()
    base = small_base(world, records, coverage)
    seconds = process_time() - begun
    return Knowledge(Prepared(seconds, base.nbytes, len(base), len(base.arrays["states"])), base)


def _table(world: Any, level: int | None) -> Knowledge:
    begun = process_time()
    table = RegionSubgoals.of(world, lowest_level(Abstraction.of(world)) if level is None else level)
    goals = np.unique(np.linspace(0, table.count - 1, _ROWS).astype(int)).tolist()
    regions_done = process_time()
    row_bytes = [sum(part.nbytes for part in table.row(goal)) for goal in goals]
    row_seconds = (process_time() - regions_done) / len(goals)
    seconds = regions_done - begun + row_seconds * table.count
    records = table.count * (table.count - 1)
    bytes_ = table.regions.nbytes + row_bytes[0] * table.count
    return Knowledge(Prepared(seconds, bytes_, records, world.states + records))
