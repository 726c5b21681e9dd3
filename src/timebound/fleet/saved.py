"""Fleets in files: the world, the units, and all that their planners hold."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..agents.saved import name_of, read, write
from ..compiled import fields_of, set_fields, undivided
from ..core.disk import StrPath
from ..core.errors import ProblemError
from ..core.memory import Used
from ..worlds.saved import Restoring, is_plain
from .addresses import address_of
from .allocator import Allocator
from .distances import Distances, for_more_units
from .kinds import Planners, UnitKind, unit_kind
from .own_planners import OwnPlanners
from .pibt import new_moves
from .shared_planner import SharedPlanner
from .tasks import Tasks
from .units import ABSENT
from .world_changes import hear_of_changes

if TYPE_CHECKING:
    from .fleet import Fleet

_COUNTS = ("ticks", "round", "sorted", "order", "_free", "full", "saved", "led")
_PLACES = ("occupied_now", "_occupied_next", "_occupied_later")


def save(fleet: "Fleet", file: StrPath) -> None:
    """Write a fleet and its world to a file."""
    state = fleet._state
    with undivided():
        hear_of_changes(state)
    places = state.groups._places
    taken = {
        "world": fleet.world,
        "options": {**fleet._options, "memory_mb": state.most_bytes / 2**20},
        "counts": {name: getattr(state, name) for name in _COUNTS},
        "rows": state.rows,
        "tasks": tuple(state.tasks),
        "allocator": tuple(state.allocator),
        "places": {name: getattr(state, name) for name in _PLACES},
        "traffic": state.traffic,
        "queues": state.queues,
        "window": state.window,
        "distances": state.distances,
        "nodes": state.nodes,
        "groups": (state.groups._numbers, places, state.groups.wanted),
        "fields": [state.groups._searches[place] for place in sorted(places.values())],
        "kinds": [_key(*pair) for pair in fleet._by_kind.items()],
        "planners": [_taken(kind) for kind in state.kinds],
        "bodies": state.bodies and (state.bodies.rounds, tuple(state.bodies.motions), state.bodies.history),
        "seen": (state.before, state.seen, state.seen_in),
    }
    write(file, "fleet", taken)


def _key(key: tuple[Any, ...], kind: UnitKind) -> tuple[Any, ...]:
    """Return how this kind was asked for, and what its units have."""
    given = dict(key[3:])
    if objects := [name for name, value in given.items() if not is_plain(value)]:
        raise ProblemError(f"units with {' and '.join(objects)} cannot be saved; give them a file instead of an object")
    own = (kind._ends, kind._longest, [*kind._own]) if isinstance(kind, OwnPlanners) else None
    memories = kind._memories if isinstance(kind, SharedPlanner) else None
    return name_of(kind.kind), kind.terrain, key[2], given, kind.world, own, memories


def _taken(kind: UnitKind) -> tuple[Any, ...]:
    """Return what its planners hold, but for addresses."""
    own = [*kind._own.values()] if isinstance(kind, OwnPlanners) else []
    return kind.knowledge, [_without_addresses(planners) for planners in kind.planners], own


def _without_addresses(planners: Any) -> tuple[Any, ...]:
    return tuple(value for name, value in zip(Planners.fields, fields_of(planners), strict=True) if name != "own")


# ------------------------------------------------------------------ back again


def load(kind: type["Fleet"], file: StrPath, on_arrival: Callable[[np.ndarray], Any] | None) -> "Fleet":
    """Read a fleet."""

    def make(state: Mapping[str, Any], restoring: Restoring) -> "Fleet":
        known = {name: restoring.made(state[name]) for name in _MADE}
        fleet = kind(known["world"], on_arrival=on_arrival, **known["options"])
        _restore(fleet, known, state, restoring)
        return fleet

    return read(file, "fleet", make)


_MADE = ("world", "options", "counts", "rows", "tasks", "allocator", "places", "groups", "kinds", "bodies", "seen")


def _restore(fleet: "Fleet", known: Mapping[str, Any], saved: Mapping[str, Any], restoring: Restoring) -> None:
    """Give a new fleet all that the saved one had: first the arrays, which its parts share, then these."""
    state = fleet._state
    for name, value in {**known["counts"], **known["places"], "rows": known["rows"]}.items():
        setattr(state, name, value)
    state.allocator, state.tasks = Allocator(*known["allocator"]), Tasks(*known["tasks"])
    state.traffic = restoring.poured(state.traffic, saved["traffic"])
    state.present = np.flatnonzero(state.rows["reason"] != ABSENT)
    if len(state.rows):
        state._moves = new_moves(len(state.rows), state.occupied_now, state._occupied_next)
    if isinstance(state.distances, Distances):  # they grow again
        state.distances = for_more_units(state.distances, len(state.rows))
    if isinstance(state.distances, Distances):
        state.distances = for_more_units(state.distances, len(state.rows))
    state.distances = restoring.poured(state.distances, saved["distances"])
    state.renew_costs()
    for kind, planners in zip(known["kinds"], saved["planners"], strict=True):
        name, terrain, body, given, world, own, memories = kind
        new = unit_kind(len(state.kinds), name, world, terrain, given)
        fleet._by_kind[name, terrain, body, *sorted(given.items())] = new
        if isinstance(new, OwnPlanners):
            new.try_out(*own[0])
        elif isinstance(new, SharedPlanner):
            new._memories = [{name: Used(*used) for name, used in memory.items()} for memory in memories]
        state.add_kind(new)
        _pour(new, own, planners["tuple"], restoring)
    state.before, state.seen, state.seen_in = known["seen"]
    if known["bodies"]:
        state.have_bodies().restore(*known["bodies"])
    state._renew_queues()
    state.queues = restoring.poured(state.queues, saved["queues"])
    state.window = restoring.poured(state.window, saved["window"])
    if saved["nodes"] is not None:
        state.nodes = restoring.poured(state.joint_search(), saved["nodes"])
    state.groups.restore(*known["groups"])
    for place, search in zip(sorted(state.groups._searches), saved["fields"], strict=True):
        restoring.poured(state.groups._searches[place], search)
    state._data = None


def _pour(kind: UnitKind, own: Any, saved: Any, restoring: Restoring) -> None:
    """Give a kind the state of its planners."""
    kind.knowledge = restoring.poured(kind.knowledge, saved[0])
    for planners, given in zip(kind.planners, saved[1], strict=True):
        values = iter(restoring.poured(_without_addresses(planners), given))
        before = zip(Planners.fields, fields_of(planners), strict=True)
        fields = {name: value if name == "own" else next(values) for name, value in before}
        set_fields(planners, [*fields.values()])
    if isinstance(kind, OwnPlanners):
        _, kind._longest, units = own
        kind._heard, kind._bytes = fields["heard"], fields["bytes"]
        for unit, planner in zip(units, saved[2], strict=True):
            kind._own[unit] = restoring.poured(kind._make(*kind._ends), planner)
            kind._addresses[unit] = address_of(kind._own[unit])
