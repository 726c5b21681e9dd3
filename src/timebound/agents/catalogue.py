"""Every agent, by the name that users know it by: what it is, what terrain it takes, what can be set."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from ..errors import ProblemError
from .parameters import checked

EVERYWHERE = ("known", "unknown", "partial")


@dataclass(frozen=True)
class Kind:
    """An entry of the catalogue."""

    name: str
    about: str
    paper: str
    terrain: tuple[str, ...] = EVERYWHERE
    needs_reversible_moves: bool = False
    needs_grid: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What can be set, with its defaults."""
    family: str = "complete"
    """The code that it runs on: see `making`."""
    learning: str = ""
    """When it raises values of the heuristic: `at once` after a search, `lazily` when a search needs them, or never."""

    @property
    def searches(self) -> bool:
        """Has it a search, with states that are open and closed, or does it look at its neighbours only?"""
        return self.family not in ("prioritised", "subgoals", "knn")


# What every agent takes beside its own parameters.
COMMON = {
    "radius": None,
    "line_of_sight": False,
    "hidden": 0.15,
    "solvable": True,
    "dearer": None,
    "fallback": "none",
    "memory_mb": None,
}

_HART = "Hart, Nilsson, Raphael 1968"
_RTAA = "Koenig, Likhachev 2006"
_DEPRESSIONS = "Hernández, Baier 2011"
_TB = "Hernández, Baier, Asín 2016"
_TBAA = "Hernández, Baier, Uras, Koenig 2012"

# The parts that agents of the local family are made of; any mix of them is an agent.
_LOCAL = {
    "lookahead": None,
    "movements": None,
    "weight": 1.0,
    "learning": "adaptive",
    "update_weight": 1,
    "target": "best",
}


def _local(name: str, about: str, paper: str, **parts: Any) -> Kind:
    return Kind(name, about, paper, parameters={**_LOCAL, **parts}, family="local", learning="at once")


# And of the time-bounded family.
_PURSUIT = {
    "weight": 1.0,
    "reopen": False,
    "learning": "none",
    "trace_ratio": None,
    "trace_cost": 10,
    "steady": False,
    "shortcut": False,
}


def _time_bounded(
    name: str, about: str, paper: str, terrain: tuple[str, ...] = EVERYWHERE, reversible: bool = True, **parts: Any
) -> Kind:
    parameters = {**_PURSUIT, **parts}
    when = _WHEN_TIME_BOUNDED[parameters["learning"]]
    return Kind(name, about, paper, terrain, reversible, parameters=parameters, family="time-bounded", learning=when)


_WHEN_TIME_BOUNDED = {"none": "", "adaptive": "lazily", "dijkstra": "at once"}


def when_learning(kind: Kind, parameters: Mapping[str, Any]) -> str:
    """When an agent with these parameters learns: see `Kind.learning`."""
    return _WHEN_TIME_BOUNDED.get(parameters["learning"], "") if kind.family == "time-bounded" else kind.learning


KINDS = {
    kind.name: kind
    for kind in (
        Kind("astar", "A*: searches to the end, then walks a cheapest path", _HART, ("known",)),
        Kind(
            "wastar",
            "weighted A*: a path at most `weight` times as dear, found sooner",
            "Pohl 1970",
            ("known",),
            parameters={"weight": 1.5, "reopen": False},
        ),
        Kind("gbfs", "greedy best-first search: any path, found soonest", "Doran, Michie 1966", ("known",)),
        Kind(
            "late-astar",
            "A* that steps to and fro at its start until it knows the path",
            "Björnsson, Bulitko, Sturtevant 2009",
            ("known",),
            needs_reversible_moves=True,
            parameters={"trace_ratio": None},
        ),
        Kind(
            "repeated-astar",
            "A*, anew whenever what was learned spoils the path",
            _TBAA,
            parameters={"direction": "forward"},
        ),
        Kind(
            "adaptive-astar",
            "Repeated A* with a heuristic that learns from every search",
            "Koenig, Likhachev 2005",
            learning="lazily",
        ),
        Kind(
            "dstar-lite",
            "one backward search, repaired whenever something is learned",
            "Koenig, Likhachev 2002",
            family="dstar-lite",
        ),
        Kind(
            "lrta",
            "LRTA*: looks ahead to a depth or a cost, raises the h of its state, makes the first move",
            "Korf 1990",
            parameters={"depth": 1, "cost_limit": None},
            family="lrta",
            learning="at once",
        ),
        Kind(
            "plrta",
            "Prioritised LRTA*: one step of lookahead, and updates of h in the order of their size",
            "Rayner et al. 2007",
            parameters={"queue": 100},
            family="prioritised",
            learning="at once",
        ),
        Kind(
            "knn-lrta",
            "kNN LRTA*: LRTA* toward subgoals of the most similar problems that were solved beforehand",
            "Bulitko, Björnsson, Lawrence 2010",
            ("known",),
            parameters={
                "cases": None,
                "records": 1000,
                "coverage": "even",
                "cap": 250,
                "candidates": 10,
                "quota": 3,
                "goal_first": True,
                "skip_start": True,
                "skip_end": True,
                "kd_tree": True,
                "interrupt": True,
                "shortcuts": True,
            },
            family="knn",
            needs_grid=True,
        ),
        _local("rtaa", "RTAA*: A* around the agent, h raised by what the best open state says", _RTAA),
        _local("a-rtaa", "RTAA* that goes to open states whose h did not rise", _DEPRESSIONS, target="unraised"),
        _local(
            "da-rtaa", "RTAA* that goes to open states whose h has risen least", _DEPRESSIONS, target="least-raised"
        ),
        _local(
            "lss-lrta",
            "LSS-LRTA* (Koenig's LRTA*): A* around the agent, h raised as far as Dijkstra's algorithm can",
            "Koenig 2004; Koenig, Sun 2009",
            learning="dijkstra",
        ),
        _local(
            "lss-lrtwa",
            "LSS-LRTWA*: LSS-LRTA* with weighted A*, one move a search",
            "Rivera, Baier, Hernández 2015",
            learning="dijkstra",
            weight=2.0,
            movements=1,
        ),
        _local(
            "wlss-lrta",
            "wLSS-LRTA*: LSS-LRTA* that weights the costs of moves when it raises h",
            "Rivera, Baier, Hernández 2015",
            learning="dijkstra",
            update_weight=2,
        ),
        _time_bounded(
            "tba",
            "TBA*: one A* that goes on while the agent follows the path to its best state",
            "Björnsson, Bulitko, Sturtevant 2009",
            terrain=("known",),
            trace_ratio=0.9,
        ),
        _time_bounded("rtba", "RTBA*: TBA* that searches anew when a cost on its path rises", _TBAA),
        _time_bounded(
            "tbaa", "TBAA*: RTBA* with a heuristic that learns from every search", _TBAA, learning="adaptive"
        ),
        _time_bounded("tb-wastar", "TB(WA*): RTBA* with weighted A*", _TB, weight=2.0),
        _time_bounded("tb-gbfs", "TB(GBFS): RTBA* with greedy best-first search", _TB),
        _time_bounded(
            "tbr-wastar",
            "TBR(WA*): TB(WA*) that searches anew where no step back exists, with h raised by Dijkstra's algorithm",
            _TB,
            reversible=False,
            learning="dijkstra",
            weight=2.0,
            most_steps_back=None,
        ),
        Kind(
            "d-lrta",
            "D LRTA*: LRTA* toward subgoals, which lead from region to region of an abstract map",
            "Bulitko et al. 2008",
            ("known",),
            parameters={"level": None},
            family="subgoals",
            needs_grid=True,
        ),
        Kind(
            "pr-lrta",
            "PR LRTA*: LRTA* on an abstract map, its moves refined by A* inside the regions that they join",
            "Bulitko et al. 2007",
            ("known",),
            parameters={"level": 6, "depth": 10, "gamma": 1.0},
            family="refining",
            needs_grid=True,
        ),
    )
}


def fill_in(kind: Kind, given: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of an agent: those given, in their plain form, and the defaults of the others."""
    known = {**COMMON, **kind.parameters}
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            takers = ", ".join(other.name for other in KINDS.values() if name in other.parameters)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}"
            hint = f"those that do: {takers}" if takers else hint
            raise ProblemError(f"agent {kind.name!r} has no parameter {name!r}; {hint}")
    return {**known, **{name: checked(kind.family, name, value) for name, value in given.items()}}
