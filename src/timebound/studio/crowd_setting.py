"""A page's request for a crowd. Nothing in it is trusted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..agents.catalogue import Kind
from ..applications.crowd import fleet_kinds
from ..core.errors import ProblemError
from ..core.values import flag, number, seed_number, whole
from ..core.wording import shown
from ..fleet.arguments import checked_collisions
from .ground import Ground, edited, ground_of
from .limits import MOST_MS, MOST_UNITS
from .setting import Entrant, entrant_of, rules_of


@dataclass(frozen=True)
class CrowdSetting:
    """All that a crowd needs."""

    ground: Ground = field(repr=False)
    units: int
    entrant: Entrant
    collisions: str
    guidance: bool
    ms: float
    """The budget of every tick, for all units together."""
    astar: bool
    """Whether another crowd plans with A* for comparison."""
    rules: Mapping[str, Any]
    seed: int


def crowd_setting_of(asked: Any, kinds: Mapping[str, Kind]) -> CrowdSetting:
    """Return the crowd that a page requests, if it is allowed."""
    crowd = asked.get("crowd") if isinstance(asked, Mapping) else None
    if not isinstance(crowd, Mapping):
        raise ProblemError(f"a crowd is described by an object, not {shown(crowd)}")
    return CrowdSetting(
        ground=edited(ground_of(asked.get("map")), asked.get("edits", {})),
        units=whole(crowd.get("units"), f"a crowd has 1 to {MOST_UNITS:,} units", most=MOST_UNITS),
        entrant=_one_of_many(entrant_of(crowd.get("agent"), kinds, "known", {})),
        collisions=checked_collisions(crowd.get("collisions", "none")),
        guidance=flag(crowd.get("guidance", False), "guidance"),
        ms=tick_ms(crowd.get("ms")),
        astar=flag(crowd.get("astar", False), "astar"),
        rules=rules_of(asked),
        seed=seed_number(asked.get("seed", 0)),
    )


def _one_of_many(entrant: Entrant) -> Entrant:
    """Accept only kinds that share a mind: thousands of kept searches would fill the server's memory."""
    if not fleet_kinds([entrant.kind]):
        raise ProblemError(
            f"agent {entrant.kind.name!r} keeps its search, and thousands of searches do not fit here; "
            "use a fleet in Python for it"
        )
    return entrant


def tick_ms(given: Any) -> float:
    """Return the budget of a tick."""
    return number(given, f"a tick has a budget above 0 and up to {MOST_MS} ms", lambda ms: 0 < ms <= MOST_MS)
