"""Parts of agents, for Python. Each is declared in the file that has its compiled piece.

An agent has one part in each of five roles: how it orders its search, how far it looks ahead, what it learns and when,
where it goes, and how it walks.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from ..core.errors import ProblemError
from ..core.memory import Used
from ..core.wording import nearest, shown
from .parameters import Parameter

# The modules of the library's parts, in `algorithms`; a module is loaded when a part in it is needed.
PARTS: dict[str, dict[str, str]] = {
    "order": {
        "none": "plain:NO_ORDER",
        "weighted": "plain:WEIGHTED",
        "greedy": "plain:GREEDY",
        "expected": "fhat:EXPECTED_COST",
    },
    "lookahead": {
        "local": "rtaa:LOCAL",
        "ahead": "commitment:AHEAD",
        "safe": "safe_rts:SAFE",
        "risk": "nancy:BY_RISK",
        "to-the-end": "astar:TO_THE_END",
        "resumed": "time_bounded:RESUMED",
        "within": "lrta:WITHIN",
        "step": "lrta:STEP",
        "prepared": "d_lrta:PREPARED",
        "repair": "dstar_lite:REPAIR",
        "refined": "pr_lrta:REFINED",
        "retrieving": "fra:RETRIEVING",
    },
    "learning": {
        "none": "plain:NOTHING",
        "one-state": "lrta:ONE_STATE",
        "adaptive": "rtaa:ADAPTIVE",
        "lazy": "adaptive_astar:LAZY",
        "dijkstra": "lss_lrta:DIJKSTRA",
        "expected": "fhat:EXPECTING",
        "prioritised": "plrta:PRIORITISED",
    },
    "target": {
        "best": "plain:BEST",
        "unraised": "da_rtaa:UNRAISED",
        "least-raised": "da_rtaa:LEAST_RAISED",
        "expected": "fhat:LEAST_EXPECTED",
        "cases": "knn_lrta:CASES",
        "regions": "d_lrta:REGIONS",
    },
    "walk": {
        "path": "plain:PATH",
        "any-angle": "straight:ANY_ANGLE",
        "safe": "safe_rts:SAFELY",
        "late": "late_astar:LATE",
        "time-bounded": "time_bounded:TIME_BOUNDED",
    },
}
ROLES = tuple(PARTS)
# Arrays with an element per state, which agents leave to later ones: see `making.ARRAYS`.
MEMORY = ("nodes", "vertices", "h", "rises", "order", "slots")
CHOSEN = ("order", "learning", "target")  # roles whose part can be chosen when an agent is made
CHOOSABLE = (*CHOSEN, "walk")  # the walk too, but no record names the usual one


def needs_positive_costs(setting: "Setting") -> str | None:
    """Reject edges that cost nothing: where h need not rise, an agent may walk between the same states forever."""
    if setting.world.has_moves_for_nothing:
        return (
            f"agent {setting.name!r} needs moves that cost more than 0, but some here cost nothing; "
            "use repeated-astar or tbaa, or make them cost something"
        )
    return None


def learns_from_positive_costs(setting: "Setting") -> str | None:
    """Reject the same where an agent learns from small searches; without learning it notices that it is in a circle."""
    return needs_positive_costs(setting) if setting.parts["learning"].when else None


def needs_any_goal(setting: "Setting") -> str | None:
    """Reject worlds in which no search from the goal is possible."""
    if setting.world.aims_anywhere:
        return None
    return f"agent {setting.name!r} searches from the goal here, which works only on grids and graphs"


def as_a_star(setting: "Setting") -> int:
    """Return 1 if the search is A*, which keeps h consistent."""
    return int(setting.has("order", "weighted") and setting.parameters["weight"] == 1)


class Without(NamedTuple):
    """What an agent has in place of what it does without: a search, an order, a shortcut, a retreat."""

    tag: int = 0  # Numba has no empty tuples


WITHOUT = Without()


@dataclass(frozen=True, eq=False)
class Part:
    """One part: the compiled piece and how to make it, its parameters, the memory that it needs, what it goes with."""

    role: str
    name: str
    about: str
    make: Callable[["Setting"], Any] = field(repr=False)
    """The `NamedTuple` that compiled code takes; see `roles` for the functions that its type can have."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    memory: tuple[str | tuple[str, Any], ...] = ()
    """Arrays with an element per state, in `Setting.memory`: of the library (see `MEMORY`), or of your own.

    An array of your own is a pair of its name and its `dtype`. It is all zeros when the parts of an agent are made, and
    parts that name the same array share it.
    """
    lookaheads: tuple[str, ...] = ()
    """The library's lookaheads that it works with; all if none is named."""
    needs: str = ""
    """Why it works only with these."""
    objection: Callable[["Setting"], str | None] = field(default=lambda setting: None, repr=False)
    """Why it cannot be used in this setting, in a sentence; empty if it can."""
    needs_grid: bool = False
    """Whether it supports only grids."""

    # ---- an order
    bounds_cost: bool = False
    """Whether a search in this order finds paths that cost at most `weight` times the optimum."""

    # ---- a lookahead
    search: Callable[["Setting", Any], Any] = field(default=lambda setting, order: WITHOUT, repr=False)
    """Makes its search, in that order; by default none, for an agent that only looks at its neighbours."""
    starts_afresh: bool = False
    """Whether it looks around the agent, anew each time. Without learning, such agents may walk in circles."""
    adjustable: bool = False
    """Whether its parameters may change between two searches: see `Agent.set`."""
    one_move: bool = False
    """Whether it decides one move at a time, and knows no path."""
    cheapest: str = ""
    """When its paths are the cheapest on the map as it is known: `always`, or `at first`, until a move gets cheaper."""
    finds_refuge: Callable[[Mapping[str, Any]], bool] = field(default=lambda parameters: False, repr=False)
    """Whether it itself finds the nearest reachable state if the goal cannot be reached, with these parameters."""
    keeps_search: bool = False
    """Whether it continues its search when the goal moves: see `Setting.before`."""
    solution: Callable[[Any], Any] | None = None
    """If the search continues while the agent walks: returns the path to the goal that it has found."""

    # ---- a learning rule
    when: str = "at once"
    """When it raises h-values: `at once`, `lazily` when a search needs them; empty if never."""
    steepness: Callable[["Setting"], int] = field(default=lambda setting: 0, repr=False)
    """With this w it keeps h(s) <= w c(s, t) + h(t) for every move; 0 if that is not certain.

    Then values that are too high, because costs fell or the goal moved, can be lowered. Otherwise all are forgotten.
    """
    most_overestimated: Callable[["Setting"], int] = field(default=lambda setting: 1, repr=False)
    """h(s) is at most this many times the true cost. A larger h proves that there is no path."""
    reads_closed: bool = False
    """Whether it needs the list of expanded states (`body.search.closed`)."""
    needs_exact_costs: bool = False
    """Whether the search must find a cheapest path to every state that it expands."""
    learns_first: bool = False
    """Whether it learns before the lookahead, and so checks whether there is a path."""
    remembers: bool = False
    """Whether it keeps more than h-values between two searches."""

    # ---- a target
    keeps_values: bool = False
    """Whether learned values are kept separately for each subgoal."""
    compares_rises: bool = False
    """Whether it needs to know how much h has risen in the current trial."""

    # ---- a walk
    steps_back: bool = False
    """Whether it needs moves that can be undone, except with `restarts`."""
    paper: str = ""

    def __post_init__(self) -> None:
        if self.role not in PARTS:
            raise ProblemError(f"the role of a part is one of {', '.join(ROLES)}, not {shown(self.role)}")
        for given in self.memory:
            if given not in MEMORY and not _is_own_array(given):
                names = f"{', '.join(MEMORY)}, or a pair of another name and a dtype"
                raise ProblemError(f"part {self.name!r}: its memory is {shown(given)}; choose from: {names}")


def _is_own_array(given: Any) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str) and given[0] not in MEMORY


def own_arrays(parts: Iterable[Part]) -> dict[str, Any]:
    """Return the arrays of parts that the library does not know: the `dtype` of each by its name."""
    found: dict[str, Any] = {}
    for part in parts:
        for name, dtype in (given for given in part.memory if not isinstance(given, str)):
            if found.setdefault(name, dtype) != dtype:
                raise ProblemError(f"part {part.name!r} shares the array {name!r}, but with another dtype")
    return found


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
        raise ProblemError(f"there is no {role} {shown(given)}; {nearest(shown(given), PARTS[role])}")
    module, _, name = where.partition(":")
    part: Part = getattr(import_module(f".algorithms.{module}", __package__), name)
    return part


def object_to(setting: Setting) -> None:
    """Reject parts that do not fit together, or not the world or the parameters, in one sentence."""
    parts = tuple(setting.parts.values())
    if clash := _clash(parts):
        raise ProblemError(f"agent {setting.name!r}: {clash}")
    from ..worlds import Grid  # not above: it imports Numba, which listing agents does not need

    for part in parts:
        if part.needs_grid and not isinstance(setting.world, Grid):
            raise ProblemError(f"agent {setting.name!r} needs a grid, not a {type(setting.world).__name__}")
        if reason := part.objection(setting):
            raise ProblemError(reason)


@lru_cache(maxsize=1024)
def _clash(parts: tuple[Part, ...]) -> str:
    """Return which part does not work with the lookahead, and why; empty if all do."""
    lookahead = next(part.name for part in parts if part.role == "lookahead")
    for part in parts:
        if part.lookaheads and lookahead not in part.lookaheads and lookahead in PARTS["lookahead"]:
            why = part.needs or "it is for " + " and ".join(part.lookaheads)
            return f"{part.role} {part.name!r} does not work with the lookahead {lookahead!r}: {why}"
    return ""
