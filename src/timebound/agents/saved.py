"""Agents in files: what `make` needs to make one like it, and then all that its compiled form holds."""

import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..core import snapshots
from ..core.disk import StrPath, reason
from ..core.errors import MapError, ProblemError, TimeboundError
from ..core.memory import Used
from ..core.version import __version__
from ..worlds import Grid
from ..worlds.saved import Restoring, Saving, is_plain
from .catalogue import Kind, Mix, mix
from .registry import FunctionKind, find_kind

if TYPE_CHECKING:
    from .agent import Agent

Made = TypeVar("Made")


def write(file: StrPath, what: str, state: Mapping[str, Any]) -> None:
    """Write the state of an agent or a fleet."""
    saving = Saving()
    taken = {name: saving.taken(value) for name, value in state.items()}
    snapshots.write(file, {"what": what, "version": __version__, "state": taken}, saving.arrays)


def read(file: StrPath, what: str, make: Callable[[Mapping[str, Any], Restoring], Made]) -> Made:
    """Return what `make` makes from the state in a file."""
    about, contents = snapshots.read(file)
    try:
        if about["what"] != what:
            raise MapError(f"{file}: a saved {about['what']}, not {what}")
        if about["version"] != __version__:
            raise MapError(f"{file}: saved by timebound {about['version']}; this is {__version__}")
        return make(about["state"], Restoring(contents))
    except TimeboundError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, zlib.error) as error:
        raise MapError(f"{file}: not a saved {what}, although its checksum is right: {reason(error)}") from None


def name_of(kind: Kind) -> str:
    """Return the name by which this kind can be found again."""
    found = find_kind(kind.name)
    if isinstance(found, FunctionKind) or found.parts != kind.parts or found.defaults != kind.defaults:
        raise ProblemError(f"agent {kind.name!r} cannot be saved: no agent made of these parts has that name")
    return kind.name


def save(agent: "Agent", file: StrPath) -> None:
    """Write an agent and its world to a file."""
    if agent._listeners:
        raise ProblemError("an agent with a listener cannot be saved; remove it first: agent.listen(None)")
    agent.catch_up()
    watch, told = agent._watch, agent.__dict__.get("_told")
    state = {
        "world": agent.world,
        "kind": name_of(agent.kind),
        "parameters": {name: value for name, value in agent.parameters.items() if is_plain(value)},
        "setting": (agent._start, agent._goal, agent.terrain, agent.seed),
        "paid": (agent._paid, agent._paid_until),
        "watch": (watch.wall, watch.freer),
        "truth": agent.truth.passable if isinstance(agent.truth, Grid) else None,
        "told": None if told is None else told.reports,
        "knowledge": agent._knowledge,
        "memory": agent._memory,
        "retreat": agent._retreat,
        "mind": agent._mind,
    }
    write(file, "agent", state)


def load(kind: type["Agent"], file: StrPath, given: Mapping[str, Any]) -> "Agent":
    """Read an agent; `given` has parameters that were objects."""

    def make(state: Mapping[str, Any], restoring: Restoring) -> "Agent":
        return _like(kind, {name: restoring.made(state[name]) for name in _PLAIN}, given, restoring, state)

    return read(file, "agent", make)


_PLAIN = ("world", "kind", "parameters", "setting", "paid", "watch", "truth", "told", "memory")


def _like(kind: Any, known: Any, given: Mapping[str, Any], restoring: Restoring, state: Mapping[str, Any]) -> "Agent":
    """Make an agent of the same types, and give it all that the saved one had."""
    world, (start, goal, terrain, seed) = known["world"], known["setting"]
    found = find_kind(known["kind"], terrain)
    chosen = mix(found, {**known["parameters"], **given})
    drawn = {"hidden": 0.0, "solvable": False} if terrain == "partial" else {}  # the file has what was drawn
    ends = world.place(start), world.place(goal)
    agent: Agent = kind(found, world, *ends, terrain, seed, Mix(chosen.parts, {**chosen.parameters, **drawn}), True)
    agent.parameters, truth = chosen.parameters, agent._truth
    if terrain == "partial" and isinstance(truth, Grid):
        for free in (False, True):
            truth.set_free(np.flatnonzero(known["truth"] == free), free)
    elif terrain == "partial":
        agent._truth = None
    agent._memory = {name: Used(*used) for name, used in known["memory"].items()}
    agent._knowledge = restoring.poured(agent._knowledge, state["knowledge"])
    agent._retreat = restoring.poured(agent._retreat, state["retreat"])
    agent._set_mind(restoring.poured(agent._mind, state["mind"]))
    agent._paid, agent._paid_until = known["paid"]
    agent._watch.wall, agent._watch.freer = known["watch"]
    if known["told"] is not None:
        agent._told.reports = known["told"]
    return agent
