"""Every agent by its public name: its parts, the terrain that it supports, its defaults."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from ..core.errors import ProblemError
from ..core.values import items, name_of, one_of
from ..core.wording import nearest
from .parameters import COMMON, SENSOR, SURPRISES, Parameter
from .parts import CHOOSABLE, CHOSEN, PARTS, ROLES, Part, find_part

EVERYWHERE = ("known", "unknown", "partial")
_TERRAIN = "the terrain of an agent is a list of known, unknown and partial"


@dataclass(frozen=True, eq=False)
class Kind:
    """An entry of the catalogue."""

    name: str
    about: str
    paper: str
    terrain: tuple[str, ...] = EVERYWHERE
    parts: Mapping[str, str | Part] = field(default_factory=dict)
    """The part in each role, by its name."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Defaults that differ from those of the parts."""

    @cached_property
    def parameters(self) -> Mapping[str, Any]:
        """Its parameters, with their defaults."""
        own = {name: parameter.default for part in self.own_parts for name, parameter in part.parameters.items()}
        chosen = {role: self.by_role[role].name for role in CHOSEN}
        return {**chosen, **{name: self.defaults.get(name, default) for name, default in own.items()}}

    @cached_property
    def own_parts(self) -> tuple[Part, ...]:
        """Its parts, one in each role."""
        return tuple(find_part(role, self.parts[role]) for role in ROLES)

    def part(self, role: str) -> str:
        """Return the name of the part in that role."""
        part = self.parts[role]
        return part if isinstance(part, str) else part.name

    @cached_property
    def by_role(self) -> Mapping[str, Part]:
        """Its parts, by their roles."""
        return dict(zip(ROLES, self.own_parts, strict=True))

    @property
    def learning(self) -> str:
        """When it raises h-values: "at once" after a search, "lazily" when a search needs them, or never."""
        return "" if self.by_role["target"].keeps_values else self.by_role["learning"].when

    @property
    def needs_grid(self) -> bool:
        """Whether it supports only grids."""
        return any(part.needs_grid for part in self.own_parts)

    @property
    def needs_reversible_moves(self) -> bool:
        """Whether it steps back."""
        return self.by_role["walk"].steps_back and not self.parameters.get("restarts")

    @property
    def guarantees(self) -> tuple[str, ...]:
        """Guarantees for an agent with its defaults: the papers prove them, and the tests try to refute them."""
        order, lookahead, learning = (self.by_role[role] for role in ("order", "lookahead", "learning"))
        said = ["arrives at its goal, or proves that the goal cannot be reached"]
        if not learning.when and lookahead.starts_afresh:
            said = ["may walk in a circle: then it stops with the reason `stuck`"]
        if lookahead.cheapest and order.bounds_cost:
            weight = self.parameters.get("weight", 1)
            how = "is a cheapest one" if weight == 1 else "costs at most `weight` times a cheapest one"
            always = lookahead.cheapest == "always" or self.parameters.get("replan") == "cheaper"
            until = "" if always else ", until a move becomes cheaper"
            said.append(f"every path that it follows {how} on the map as it knows it{until}")
        if learning.when and self.parameters.get("update_weight", 1) == 1:
            said.append(
                "what it learns never overestimates the cost to the goal, and never falls as long as no cost does"
            )
        return tuple(said)


_HART = "Hart, Nilsson, Raphael 1968"
_RTAA = "Koenig, Likhachev 2006"
_DEPRESSIONS = "Hernández, Baier 2011"
_TBA = "Björnsson, Bulitko, Sturtevant 2009"
_TBAA = "Hernández, Baier, Uras, Koenig 2012"
_TB = "Hernández, Baier, Asín 2016"
_MPGAA = "Hernández, Asín, Baier 2015"
_FHAT = "Kiesel, Burns, Ruml 2015"
_NANCY = "Mitchell, Ruml, Spaniol, Hoffmann, Petrik 2019"
_SAFE = "Cserna, Doyle, Ramsdell, Ruml 2018"
_WEIGHTED = "Rivera, Baier, Hernández 2015"
_KNOWN = ("known",)
_ALL: dict[str, Any] = {"movements": math.inf}  # once the search is complete, to the end of the path

_ABOUT = {
    "astar": "A*: finishes its search, then follows a cheapest path",
    "wastar": "weighted A*: a path that costs at most `weight` times the optimum, found sooner",
    "gbfs": "greedy best-first search: finds some path quickly, whatever its cost",
    "late-astar": "A* that paces back and forth at its start until it knows the path",
    "repeated-astar": "A*, replanned whenever an observation invalidates the path",
    "adaptive-astar": "Repeated A* with a heuristic that learns from every search",
    "gaa": "Generalized Adaptive A*: Adaptive A* that also replans when a move becomes cheaper",
    "mpaa": "MPAA*: Adaptive A* whose searches end on reaching an earlier path to the goal",
    "mpgaa": "MPGAA*: MPAA* that also replans when a move becomes cheaper, unless its path is still a cheapest one",
    "dstar-lite": "D* Lite: one backward search, repaired after every observation",
    "fra": "FRA*: A* that keeps its search tree when the goal moves",
    "lrta": "LRTA*: looks ahead to a depth or a cost, raises the h of its state, makes the first move",
    "plrta": "Prioritised LRTA*: one step of lookahead; updates h, the largest increase first",
    "knn-lrta": "kNN LRTA*: LRTA* toward subgoals taken from the most similar problem solved in advance",
    "rtaa": "RTAA*: A* around the agent, h raised to f(best open state) - g",
    "a-rtaa": "RTAA* that heads for open states whose h has not risen",
    "da-rtaa": "RTAA* that heads for the open states whose h has risen least",
    "lss-lrta": "LSS-LRTA* (Koenig's LRTA*): A* around the agent, h raised by Dijkstra's algorithm",
    "da-lss-lrta": "daLSS-LRTA*: LSS-LRTA* that heads for the open states whose h has risen least",
    "lss-lrtwa": "LSS-LRTWA*: LSS-LRTA* with weighted A*, one move per search",
    "wlss-lrta": "wLSS-LRTA*: LSS-LRTA* that weights the costs of moves when it raises h",
    "fhat": "LSS-LRTA* with f-hat: expects h to be as wrong as it has been so far",
    "dynamic-fhat": "the same; while it makes all moves of a path, it searches from the end of that path",
    "nancy": "Nancy: believes in a distribution of f, and searches where the risk of a wrong move falls most",
    "safe-rts": "SafeRTS: LSS-LRTA* that goes only where a way to safety is known, if others move",
    "tba": "TBA*: one A* search that continues while the agent follows the path to its best state",
    "rtba": "RTBA*: TBA* that starts a new search when a cost on its path rises",
    "tbaa": "TBAA*: RTBA* with a heuristic that learns from every search",
    "tb-wastar": "TB(WA*): RTBA* with weighted A*",
    "tb-gbfs": "TB(GBFS): RTBA* with greedy best-first search",
    "tbr-wastar": "TBR(WA*): TB(WA*) that starts a new search where it cannot step back, "
    "with h raised by Dijkstra's algorithm",
    "d-lrta": "D LRTA*: LRTA* toward subgoals that lead from region to region of an abstract map",
    "pr-lrta": "PR LRTA*: LRTA* on an abstract map, each move refined by A* inside the two regions that it joins",
}


def _kind(name: str, parts: str, paper: str, *, terrain: tuple[str, ...] = EVERYWHERE, **defaults: Any) -> Kind:
    return Kind(name, _ABOUT[name], paper, terrain, dict(zip(ROLES, parts.split(), strict=True)), defaults)


# An algorithm is a line: how it orders its search, how far it looks, what it learns, where it goes, how it walks; its
# paper, its terrain if it does not support all, and its own defaults.
_TABLE = (
    # ---- search to the end, then walk
    _kind("astar", "weighted to-the-end none best path", _HART, terrain=_KNOWN, **_ALL),
    _kind("wastar", "weighted to-the-end none best path", "Pohl 1970", terrain=_KNOWN, weight=1.5, **_ALL),
    _kind("gbfs", "greedy to-the-end none best path", "Doran, Michie 1966", terrain=_KNOWN, **_ALL),
    _kind("late-astar", "weighted to-the-end none best late", _TBA, terrain=_KNOWN),
    _kind("repeated-astar", "weighted to-the-end none best path", _TBAA, **_ALL),
    _kind("adaptive-astar", "weighted to-the-end lazy best path", "Koenig, Likhachev 2005", **_ALL),
    _kind("gaa", "weighted to-the-end lazy best path", "Sun, Koenig, Yeoh 2008", replan="cheaper", **_ALL),
    _kind("mpaa", "weighted to-the-end lazy best path", "Hernández, Baier, Asín 2014", reuse=True, **_ALL),
    _kind("mpgaa", "weighted to-the-end lazy best path", _MPGAA, reuse=True, replan="cheaper", **_ALL),
    _kind("dstar-lite", "none repair none best path", "Koenig, Likhachev 2002"),
    _kind("fra", "weighted retrieving none best path", "Sun, Yeoh, Koenig 2009", **_ALL),
    # ---- look a few moves ahead
    _kind("lrta", "none within one-state best path", "Korf 1990", movements=1),
    _kind("plrta", "none step prioritised best path", "Rayner et al. 2007"),
    _kind("knn-lrta", "none step one-state cases path", "Bulitko, Björnsson, Lawrence 2010", terrain=_KNOWN),
    # ---- search around the agent
    _kind("rtaa", "weighted local adaptive best path", _RTAA, reopen=True),
    _kind("a-rtaa", "weighted local adaptive unraised path", _DEPRESSIONS, reopen=True),
    _kind("da-rtaa", "weighted local adaptive least-raised path", _DEPRESSIONS, reopen=True),
    _kind("lss-lrta", "weighted local dijkstra best path", "Koenig 2004; Koenig, Sun 2009", reopen=True),
    _kind("da-lss-lrta", "weighted local dijkstra least-raised path", _DEPRESSIONS, reopen=True),
    _kind("lss-lrtwa", "weighted local dijkstra best path", _WEIGHTED, weight=2.0, reopen=True, movements=1),
    _kind("wlss-lrta", "weighted local dijkstra best path", _WEIGHTED, update_weight=2, reopen=True),
    _kind("fhat", "expected local expected expected path", _FHAT),
    _kind("dynamic-fhat", "expected ahead expected expected path", _FHAT, **_ALL),
    _kind("nancy", "expected risk expected expected path", _NANCY, movements=1),
    _kind("safe-rts", "weighted safe dijkstra best safe", _SAFE, terrain=_KNOWN, reopen=True, movements=1),
    # ---- one search that continues while the agent walks
    _kind("tba", "weighted resumed none best time-bounded", _TBA, terrain=_KNOWN, trace_ratio=0.9),
    _kind("rtba", "weighted resumed none best time-bounded", _TBAA),
    _kind("tbaa", "weighted resumed lazy best time-bounded", _TBAA),
    _kind("tb-wastar", "weighted resumed none best time-bounded", _TB, weight=2.0),
    _kind("tb-gbfs", "greedy resumed none best time-bounded", _TB),
    _kind("tbr-wastar", "weighted resumed dijkstra best time-bounded", _TB, weight=2.0, restarts=True),
    # ---- use what was prepared
    _kind("d-lrta", "none prepared one-state regions path", "Bulitko et al. 2008", terrain=_KNOWN),
    _kind("pr-lrta", "none refined none best path", "Bulitko et al. 2007", terrain=_KNOWN, **_ALL),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _TABLE}


def variant(
    name: str, *, like: str | Kind, about: str = "", paper: str = "", terrain: tuple[str, ...] = (), **changes: Any
) -> Kind:
    """Make a kind of agent that is like another one, except for some parts and defaults.

    Parameters
    ----------
    name, about, paper, terrain
        What the catalogue says of it. It supports the terrain of the other kind, unless you name a part of that.
    like
        The other kind, or its name.
    changes
        A part by its role (`order`, `lookahead`, `learning`, `target`, `walk`), as the name of one of the library's or
        as a `Part`; anything else is the default of a parameter.

    Raises
    ------
    ProblemError
        If there is no such kind, part or parameter. Whether parts fit together shows when an agent is made.

    Examples
    --------
    >>> greedy = variant("greedy-tbaa", like="tbaa", order="greedy", learning="none", steady=True)
    >>> greedy.part("order"), greedy.parameters["steady"], greedy.part("walk")
    ('greedy', True, 'time-bounded')
    """
    from .registry import find_kind  # which knows this module

    model = find_kind(like)
    if not model.parts:
        raise ProblemError(f"agent {model.name!r} is made by a function: its parts are unknown")
    taken = [one_of(each, EVERYWHERE, _TERRAIN) for each in items(terrain, _TERRAIN)]
    parts = {role: given for role, given in changes.items() if _is_part(role, given)}
    for role, given in parts.items():
        find_part(role, given)  # raises if there is no such part
    defaults = {parameter: value for parameter, value in changes.items() if parameter not in parts}
    made = Kind(
        name_of(name, "an agent"),
        name_of(about, "what an agent does") or f"like {model.name}",
        name_of(paper, "a paper") or model.paper,
        tuple(taken) or model.terrain,
        {**model.parts, **parts},
        {**model.defaults, **defaults},
    )
    mix(made, defaults)  # raises if they do not suit its parts
    return made


def _is_part(role: str, given: Any) -> bool:
    # The lookahead is also a number of expansions.
    is_number = not (isinstance(given, Part) or (isinstance(given, str) and given in PARTS["lookahead"]))
    return role in ROLES and not (role == "lookahead" and is_number)


# ------------------------------------------------------------------ parameters


class Mix(NamedTuple):
    """The parts and the parameters of one agent."""

    parts: Mapping[str, Part]
    parameters: Mapping[str, Any]

    @property
    def learning(self) -> str:
        """Return when it learns: see `Kind.learning`."""
        return "" if self.parts["target"].keeps_values else self.parts["learning"].when


def mix(kind: Kind, given: Mapping[str, Any]) -> Mix:
    """Return the parts of an agent with all parameters: the given ones, in their plain form, and defaults."""
    if "dearer" in given:
        warnings.warn("dearer is now called cost_factor", DeprecationWarning, stacklevel=4)
        given = {"cost_factor" if name == "dearer" else name: value for name, value in given.items()}
    parts = kind.own_parts
    if not given.keys().isdisjoint(CHOOSABLE):
        pairs = zip(ROLES, parts, strict=True)
        taken = {role: given[role] for role in CHOOSABLE if role in given}
        parts = tuple(find_part(role, taken[role]) if role in taken else own for role, own in pairs)
    by_role, known, defaults = _known(kind, parts)
    values = dict(defaults)
    for name, value in given.items():
        if name in known:
            values[name] = known[name].rule(name, value)
        elif name not in CHOOSABLE:
            raise ProblemError(_unknown(kind, name, known))
        elif name not in CHOSEN:
            values[name] = by_role[name].name
    return Mix(by_role, values)


@lru_cache(maxsize=1024)
def _known(kind: Kind, parts: tuple[Part, ...]) -> tuple[dict[str, Part], dict[str, Parameter], dict[str, Any]]:
    """Return parts by role; the parameters of all of them, with the defaults of this kind; and these alone."""
    own = {name: given for part in parts for name, given in part.parameters.items()}
    known = {name: Parameter(kind.defaults.get(name, given.default), given.rule) for name, given in own.items()}
    by_role, known = dict(zip(ROLES, parts, strict=True)), {**COMMON, **known}
    defaults = {name: parameter.default for name, parameter in known.items()}
    return by_role, known, defaults | {role: by_role[role].name for role in CHOSEN}


def _unknown(kind: Kind, name: str, known: Mapping[str, Any]) -> str:
    """Return the error for a parameter that an agent does not have."""
    pairs = [(role, part) for role in CHOSEN for part in PARTS[role]]
    owners = [f"{role}={part!r}" for role, part in pairs if name in find_part(role, part).parameters]
    takers = ", ".join(other.name for other in KINDS.values() if name in other.parameters)
    hint = nearest(name, [*CHOSEN, *known], "it has")
    if takers:
        hint = f"these do: {takers}"
    if owners:
        hint = f"it belongs to {' and '.join(owners)}; {hint}"
    return f"agent {kind.name!r} has no parameter {name!r}{' with these parts' if owners else ''}; {hint}"


_of_terrain = itemgetter(*SENSOR, *SURPRISES)
_PLAIN_TERRAIN = _of_terrain({name: parameter.default for name, parameter in COMMON.items()})


def check_terrain(terrain: str, given: Mapping[str, Any]) -> None:
    """Reject parameters that have no meaning in this terrain."""
    if _of_terrain(given) == _PLAIN_TERRAIN:
        return
    for name in (*SENSOR, *SURPRISES):
        if given[name] == COMMON[name].default:
            continue
        if (name in SENSOR and terrain == "known") or (name in SURPRISES and terrain != "partial"):
            where = "unknown or partial" if name in SENSOR else "partial"
            raise ProblemError(f"{name} needs {where} terrain, and this one is {terrain}")
