"""A page's request, for a race or for a crowd. Nothing in it is trusted."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..agents.catalogue import EVERYWHERE, Kind
from ..agents.parameters import COMMON
from ..applications.crowd import fleet_kinds
from ..core.errors import ProblemError
from ..core.values import flag, is_number, number, one_of, seed_number, whole
from ..core.wording import shown
from ..fleet.options import checked_collisions
from ..search.budget import Budget
from .client_limits import MOST_AGENTS, MOST_EXPANSIONS, MOST_INTERVALS, MOST_MS, MOST_RECORDS, MOST_UNITS
from .ground import Ground, edited, ground_of

SENSES = {"known": (), "unknown": ("radius", "line_of_sight"), "partial": ("radius", "line_of_sight", "hidden")}
_BUDGETS = {"expansions": MOST_EXPANSIONS, "ms": MOST_MS, "virtual_ms": MOST_MS}
_WORD = re.compile(r"[A-Za-z0-9_-]{1,40}")  # no colon, dot or slash: a word cannot name a module or a file
NOT_FROM_PAGES = ("cases",)  # a file


@dataclass(frozen=True)
class Racer:
    """An agent of the race."""

    kind: Kind
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class RaceSetting:
    """Everything that a race needs."""

    ground: Ground = field(repr=False)
    start: tuple[int, int]
    goal: tuple[int, int]
    entrants: tuple[Racer, ...]
    terrain: str
    budget: Budget
    rules: Mapping[str, Any]  # of the grid
    seed: int
    intervals: int  # at most


def setting_of(asked: Any, kinds: Mapping[str, Kind]) -> RaceSetting:
    """Return the setting that a page requests, if it is allowed; only agents of these kinds may race."""
    if not isinstance(asked, Mapping):
        raise ProblemError(f"a setting must be an object, not {shown(asked)}")
    terrain = one_of(asked.get("terrain", "known"), EVERYWHERE, "terrain is known, unknown or partial")
    most = whole(asked.get("intervals", MOST_INTERVALS), "intervals is a whole number above 0", most=MOST_INTERVALS)
    return RaceSetting(
        ground=edited(ground_of(asked.get("map")), asked.get("edits", {})),
        start=position(asked.get("start")),
        goal=position(asked.get("goal")),
        entrants=_entrants(asked, kinds, terrain),
        terrain=terrain,
        budget=_budget(asked.get("budget")),
        rules=rules_of(asked),
        seed=seed_number(asked.get("seed", 0)),
        intervals=most,
    )


def position(given: Any) -> tuple[int, int]:
    """Return two whole numbers; the map checks whether they are on it."""
    if not (isinstance(given, list) and len(given) == 2 and all(type(number) is int for number in given)):
        raise ProblemError(f"a position is two whole numbers, not {shown(given)}")
    return given[0], given[1]


def _entrants(asked: Mapping[str, Any], kinds: Mapping[str, Kind], terrain: str) -> tuple[Racer, ...]:
    agents = asked.get("agents")
    if not isinstance(agents, list) or not 1 <= len(agents) <= MOST_AGENTS:
        raise ProblemError(f"a race has 1 to {MOST_AGENTS} agents")
    senses = _senses(asked.get("senses", {}), terrain)
    return tuple(entrant_of(agent, kinds, terrain, senses) for agent in agents)


def entrant_of(agent: Any, kinds: Mapping[str, Kind], terrain: str, senses: Mapping[str, Any]) -> Racer:
    """Return the agent that a page describes."""
    name = agent.get("name") if isinstance(agent, Mapping) else None
    if not isinstance(name, str) or name not in kinds:
        raise ProblemError(f"there is no agent {shown(name)} in this studio")
    kind, given = kinds[name], agent.get("parameters", {})
    if terrain not in kind.terrain:
        raise ProblemError(f"agent {name!r} supports only {' or '.join(kind.terrain)} terrain")
    if not isinstance(given, Mapping):
        raise ProblemError(f"parameters must be values by name, not {shown(given)}")
    given = {key: value for key, value in given.items() if value is not None}
    strange = next((key for key in given if key not in settable(kind)), None)
    if strange is not None:
        raise ProblemError(f"agent {name!r} has no parameter {shown(strange)} that a page may set")
    own = {key: _value(key, value) for key, value in given.items()}
    return Racer(kind, {**{key: value for key, value in senses.items() if key in settable(kind)}, **own})


def settable(kind: Kind) -> dict[str, Any]:
    """Return the parameters of an agent that a page may set, with their defaults."""
    common = {name: parameter.default for name, parameter in COMMON.items()} if kind.own_parts else {}
    return {name: value for name, value in {**common, **kind.parameters}.items() if name not in NOT_FROM_PAGES}


def _value(name: str, value: Any) -> Any:
    """Accept plain values only; the agents' own rules check what they mean."""
    plain = _WORD.fullmatch(value) if isinstance(value, str) else isinstance(value, bool) or is_number(value)
    if not plain:
        raise ProblemError(f"{name} is a number, true, false or a word, not {shown(value)}")
    if name == "records" and is_number(value) and value > MOST_RECORDS:
        raise ProblemError(f"the studio builds case bases of at most {MOST_RECORDS:,} records")
    return value


def _senses(given: Any, terrain: str) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise ProblemError(f"the senses must be values by name, not {shown(given)}")
    return {name: _value(name, given[name]) for name in SENSES[terrain] if given.get(name) is not None}


def _budget(given: Any) -> Budget:
    if not isinstance(given, Mapping) or len(given) != 1 or not given.keys() <= _BUDGETS.keys():
        raise ProblemError(f"a budget must be one of {', '.join(_BUDGETS)}")
    [(name, spent)] = given.items()
    if spent is None:  # for `Budget`, this is no limit
        raise ProblemError(f"the budget {name} must be a number above 0")
    budget, most = Budget(**given), _BUDGETS[name]
    if spent > most:
        raise ProblemError(f"the studio allows at most {most:,} {name} per interval")
    return budget


def rules_of(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rules of the grid."""
    return {name: asked[name] for name in ("neighbors", "corners", "diagonal") if asked.get(name) is not None}


# ------------------------------------------------------------------ crowds


@dataclass(frozen=True)
class CrowdSetting:
    """All that a crowd needs."""

    ground: Ground = field(repr=False)
    units: int
    entrant: Racer
    collisions: str
    guidance: bool
    ms: float  # the budget of every tick, for all units together
    astar: bool  # whether another crowd plans with A* for comparison
    rules: Mapping[str, Any]
    seed: int


def crowd_setting_of(asked: Any, kinds: Mapping[str, Kind]) -> CrowdSetting:
    """Return the crowd that a page requests, if it is allowed."""
    crowd = asked.get("crowd") if isinstance(asked, Mapping) else None
    if not isinstance(crowd, Mapping):
        raise ProblemError(f"a crowd is described by an object, not {shown(crowd)}")
    entrant = entrant_of(crowd.get("agent"), kinds, "known", {})
    if not fleet_kinds([entrant.kind]):  # thousands of kept searches would fill the server's memory
        raise ProblemError(
            f"agent {entrant.kind.name!r} keeps its search, and thousands of searches do not fit here; "
            "use a fleet in Python for it"
        )
    return CrowdSetting(
        ground=edited(ground_of(asked.get("map")), asked.get("edits", {})),
        units=whole(crowd.get("units"), f"a crowd has 1 to {MOST_UNITS:,} units", most=MOST_UNITS),
        entrant=entrant,
        collisions=checked_collisions(crowd.get("collisions", "none")),
        guidance=flag(crowd.get("guidance", False), "guidance"),
        ms=tick_ms(crowd.get("ms")),
        astar=flag(crowd.get("astar", False), "astar"),
        rules=rules_of(asked),
        seed=seed_number(asked.get("seed", 0)),
    )


def tick_ms(given: Any) -> float:
    """Return the budget of a tick."""
    return number(given, f"a tick has a budget above 0 and up to {MOST_MS} ms", lambda ms: 0 < ms <= MOST_MS)
