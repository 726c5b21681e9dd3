"""Parts of agents, for Python. Each is declared in the file that has its compiled piece.

An agent has one part in each of five roles: how it orders its search, how far it looks ahead, what it learns and when,
where it goes, and how it walks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from ..core.errors import ProblemError
from ..core.memory import Used
from ..core.wording import shown
from .parameters import Parameter

# The modules of the library's parts; a module is loaded when a part in it is needed.
PARTS: dict[str, dict[str, str]] = {
    "order": {"none": "orders:NO_ORDER", "weighted": "orders:WEIGHTED", "greedy": "orders:GREEDY"},
    "lookahead": {
        "local": "lookaheads.local:LOCAL",
        "to-the-end": "lookaheads.complete:TO_THE_END",
        "resumed": "lookaheads.resumed:RESUMED",
        "within": "lookaheads.within:WITHIN",
        "step": "lookaheads.step:STEP",
        "prepared": "lookaheads.prepared:PREPARED",
        "repair": "lookaheads.dstar_lite:REPAIR",
        "refined": "lookaheads.refined:REFINED",
        "retrieving": "lookaheads.fringe:RETRIEVING",
    },
    "learning": {
        "none": "learning.nothing:NOTHING",
        "one-state": "learning.one_state:ONE_STATE",
        "adaptive": "learning.adaptive:ADAPTIVE",
        "lazy": "learning.lazy:LAZY",
        "dijkstra": "learning.dijkstra:DIJKSTRA",
        "prioritised": "learning.prioritised:PRIORITISED",
    },
    "target": {
        "best": "targets.best:BEST",
        "unraised": "targets.raised:UNRAISED",
        "least-raised": "targets.raised:LEAST_RAISED",
        "cases": "targets.cases:CASES",
        "regions": "targets.regions:REGIONS",
    },
    "walk": {"path": "walks.path:PATH", "late": "walks.late:LATE", "time-bounded": "walks.time_bounded:TIME_BOUNDED"},
}
ROLES = tuple(PARTS)
# Arrays with an element per state, which agents leave to later ones: see `making.ARRAYS`.
MEMORY = ("nodes", "vertices", "h", "rises", "order", "slots")
CHOSEN = ("order", "learning", "target")  # roles whose part can be chosen when an agent is made


def no_objection(setting: "Setting") -> str | None:
    """No conflict: it goes with everything."""
    return None


def needs_positive_costs(setting: "Setting") -> str | None:
    """Refuse edges that cost nothing: where h need not rise, an agent may walk between the same states forever."""
    if setting.world.has_moves_for_nothing:
        return (
            f"agent {setting.name!r} needs moves that cost more than 0, but some here cost nothing; "
            "use repeated-astar or tbaa, or make them cost something"
        )
    return None


def learns_from_positive_costs(setting: "Setting") -> str | None:
    """Refuse the same where an agent learns from small searches; without learning it notices that it is in a circle."""
    return None if setting.has("learning", "none") else needs_positive_costs(setting)


def never(parameters: Mapping[str, Any]) -> bool:
    """Not with any parameters."""
    return False


def always(parameters: Mapping[str, Any]) -> bool:
    """With all parameters."""
    return True


def not_known(setting: "Setting") -> int:
    """Return 0: h may become inconsistent."""
    return 0


def as_a_star(setting: "Setting") -> int:
    """Return 1 if the search is A*, which keeps h consistent."""
    return int(setting.has("order", "weighted") and setting.parameters["weight"] == 1)


class NoSearch(NamedTuple):
    """No search, for an agent that only looks at its neighbours."""

    tag: int = 0


NO_SEARCH = NoSearch()


def no_search(setting: "Setting", order: Any) -> Any:
    """Make no search: it only looks at the neighbours."""
    return NO_SEARCH


@dataclass(frozen=True, eq=False)
class Part:
    """One part: the compiled piece and how to make it, its parameters, the memory that it needs, what it goes with."""

    role: str
    name: str
    about: str
    make: Callable[["Setting"], Any] = field(repr=False)
    """The `NamedTuple` that compiled code takes; see `roles` for the functions that its type can have."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    memory: tuple[str, ...] = ()
    """Arrays with a number per state, which agents leave to each other: see `making`."""
    lookaheads: tuple[str, ...] = ()
    """The library's lookaheads that it works with; all if none is named."""
    needs: str = ""
    """Why it works only with these."""
    objection: Callable[["Setting"], str | None] = field(default=no_objection, repr=False)
    """Why it cannot be used in this setting, in a sentence; empty if it can."""
    search: Callable[["Setting", Any], Any] = field(default=no_search, repr=False)
    """For a lookahead: makes its search, in that order."""
    starts_over: Callable[[Mapping[str, Any]], bool] = field(default=never, repr=False)
    """For a lookahead: whether, with these parameters, each ends with a path or a move, and leaves nothing to the next.

    Then the units of a fleet can share it.
    """
    when: str = "at once"
    """For a learning rule: when it raises h-values: `at once`, `lazily` when a search needs them; empty if never."""
    steepness: Callable[["Setting"], int] = field(default=not_known, repr=False)
    """For a learning rule: with this w it keeps h(s) <= w c(s, t) + h(t) for every move; 0 if that is not certain.

    Then values that are too high, because costs fell or the goal moved, can be lowered. Otherwise all are forgotten.
    """
    reads_closed: bool = False
    """For a learning rule: whether it needs the list of expanded states (`body.search.closed`)."""
    remembers: bool = False
    """For a learning rule: whether it keeps more than h-values from one lookahead to the next."""
    keeps_values: bool = False
    """For a target: whether learned values are kept separately for each subgoal."""
    paper: str = ""

    def __post_init__(self) -> None:
        if self.role not in PARTS:
            raise ProblemError(f"the role of a part is one of {', '.join(ROLES)}, not {shown(self.role)}")
        unknown = [name for name in self.memory if name not in MEMORY]
        if unknown:
            names = ", ".join(MEMORY)
            raise ProblemError(f"part {self.name!r}: its memory is {shown(unknown[0])}; choose from: {names}")


def is_foreign(part: Part) -> bool:
    """Is it a part from outside the library?"""
    return part is not _loaded.get((part.role, part.name))


class Before(NamedTuple):
    """What an agent that gets another goal may keep."""

    lookahead: Any
    search: Any
    open_list: Any


@dataclass(slots=True)
class Setting:
    """The setting in which an agent is made: world, parameters, parts and memory."""

    name: str
    parts: Mapping[str, Part]
    world: Any
    parameters: Mapping[str, Any]
    start: int
    goal: int
    seed: int
    terrain: str = "known"
    believed: Any = None
    """The compiled world, as the agent believes it."""
    memory: dict[str, Used] = field(default_factory=dict)
    open_list: Any = None
    """The memory of the open list of its search, if it has one."""
    before: "Before | None" = None
    """The agent before its goal moved, if its search is kept."""
    links: Any = None
    """Paths of its earlier searches, if they are kept."""
    freer: bool = False
    """May the agent believe in more moves than its map has, because of a report?"""

    @property
    def assumed(self) -> Any:
        """The compiled world before any observation; made on request, because few parts need it."""
        from ..knowledge.terrain import assumed_world  # not above: it imports Numba, which listing agents does not need

        return assumed_world(self.world, self.terrain, self.goal)

    def has(self, role: str, *names: str) -> bool:
        """Return whether the part in that role is one of these."""
        return self.parts[role].name in names


_loaded: dict[tuple[str, str], Part] = {}


def find_part(role: str, given: Any) -> Part:
    """Return the part of that name, or the part itself."""
    if isinstance(given, Part):
        if given.role != role:
            raise ProblemError(f"{given.name!r} is a part for the role {given.role}, not {role}")
        return given
    found = _loaded.get((role, given)) if isinstance(given, str) else None
    if found is None:
        found = _loaded[role, given] = _load(role, given)
    return found


def _load(role: str, given: Any) -> Part:
    where = PARTS[role].get(given) if isinstance(given, str) else None
    if where is None:
        near = get_close_matches(shown(given), PARTS[role], n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose from: {', '.join(PARTS[role])}"
        raise ProblemError(f"there is no {role} {shown(given)}; {hint}")
    module, _, name = where.partition(":")
    part: Part = getattr(import_module(f".{module}", __package__), name)
    return part


def object_to(setting: Setting) -> None:
    """Refuse parts that do not fit together, or not the world or the parameters, in one sentence."""
    clash, objections = _conflicts(tuple(setting.parts.values()))
    if clash:
        raise ProblemError(f"agent {setting.name!r}: {clash}")
    for objection in objections:
        if reason := objection(setting):
            raise ProblemError(reason)


@lru_cache(maxsize=1024)
def _conflicts(parts: tuple[Part, ...]) -> tuple[str, list[Callable[[Setting], str | None]]]:
    """Return the clash of these parts, and what may speak against them in a setting."""
    return _clash(parts), [part.objection for part in parts if part.objection is not no_objection]


def _clash(parts: tuple[Part, ...]) -> str:
    """Return which part does not work with the lookahead, and why; empty if all do."""
    lookahead = next(part.name for part in parts if part.role == "lookahead")
    for part in parts:
        if part.lookaheads and lookahead not in part.lookaheads and lookahead in PARTS["lookahead"]:
            why = part.needs or "it is for " + " and ".join(part.lookaheads)
            return f"{part.role} {part.name!r} does not work with the lookahead {lookahead!r}: {why}"
    return ""
