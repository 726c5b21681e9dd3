"""How the compiled part of an agent is made from its kind and its parameters: one function a family."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import ProblemError
from ..memory import Idle, Used, untouched
from ..search.best_first import LAST_NUMBER, new_search
from ..search.clock import NEVER
from ..search.goal_tables import new_tables
from ..search.hot_queue import BUCKETS, HotMemory
from ..search.learning import HIGHEST, INFINITE, Learned
from ..search.nodes import NODE, new_nodes
from ..search.open_list import ENTRY
from ..solver import ENTRIES, Order, bucket_shift, open_memory
from ..subgoals.abstraction import NO_REGION, Abstraction
from ..subgoals.building import small_base
from ..subgoals.cases import CaseBase
from ..subgoals.covered import Regions
from ..subgoals.kd_tree import room_for
from ..subgoals.regions import RegionSubgoals, lowest_level
from ..wording import shown
from ..worlds import AnyWorld, Graph, Grid
from ..worlds.corridor import Corridor
from ..worlds.reversed import Reversed
from .catalogue import KINDS, Kind
from .complete import LOTS, Complete
from .d_lrta import DLrta, new_itinerary
from .dstar_lite import VERTEX, DStarLite, new_repair
from .knn_lrta import KnnLrta, new_guide
from .local import AS_MANY_AS_SUITS, BEST, LEAST_RAISED, UNRAISED, LocalSearch
from .lrta import Lrta
from .pr_lrta import PrLrta, new_overview
from .prioritised import Prioritised, new_sweep
from .rules import RULES, Dijkstra
from .shortcut import NoShortcut, Shortcut
from .subgoal import new_quest
from .time_bounded import TimeBounded, new_pursuit

# What agents leave to the next ones on the same world, and the highest mark (see `Used`) that leaves room above it.
PARTS: dict[str, tuple[npt.DTypeLike, int]] = {
    "nodes": (NODE, LAST_NUMBER // 2),
    "vertices": (VERTEX, HIGHEST),
    "h": (np.int64, HIGHEST),
    "rises": (np.int64, HIGHEST),
    "order": (np.int32, HIGHEST),
}
_SEARCHED_WITH = {"dstar-lite": ["vertices"], "prioritised": [], "subgoals": [], "knn": []}  # the others have nodes

Memory = dict[str, Used]
Control: TypeAlias = Complete | DStarLite | LocalSearch | Lrta | Prioritised | TimeBounded | KnnLrta | DLrta | PrLrta


def take_memory(kind: Kind, learning: str, world: AnyWorld) -> Memory:
    """The arrays that an agent of this kind needs: those that others have left, or new ones."""
    needed = [*_SEARCHED_WITH.get(kind.family, ["nodes"]), *(["h"] if learning else []), "order"]
    return {name: world.idle_memory.take(name, world.states, PARTS[name][0]) for name in needed}


def leave_memory(idle: Idle, memory: Memory, number: int, highest_h: int, highest_rise: int) -> None:
    """Leave the arrays to the next agents; what they hold has numbers up to these."""
    marks = {"nodes": number, "vertices": number, "h": highest_h, "rises": highest_rise, "order": 0}
    for name, (array, _) in memory.items():
        if marks[name] <= PARTS[name][1]:
            idle.leave(name, Used(array, marks[name]))


def learned_world(learning: str, believed: Any, memory: Memory) -> Learned:
    """The world as the agent believes it, wrapped so that it can learn."""
    nothing = np.empty(0, np.int64)
    h = memory.get("h", Used(nothing, 0))
    path_costs = np.zeros(16, np.int64) if learning == "lazily" else nothing
    since = memory["nodes"].mark if "nodes" in memory else 0
    return Learned(believed, h.array, h.mark, nothing, 0, path_costs, since, np.array([0, 0, h.mark, 0, 0]))


def searches_forward(kind: Kind, parameters: Mapping[str, Any]) -> bool:
    """Does its own search find the nearest reachable state if the goal cannot be reached?"""
    return kind.family == "complete" and parameters.get("direction", "forward") == "forward"


def suits(kind: Kind, world: AnyWorld, parameters: Mapping[str, Any]) -> None:
    """Refuse an agent that this world is not for, and name those that it is for."""
    if kind.needs_reversible_moves and not world.reversible:
        raise ProblemError(
            f"agent {kind.name!r} steps back, and moves of this world cannot be undone; those that never do: "
            + ", ".join(other.name for other in KINDS.values() if not other.needs_reversible_moves)
        )
    from_goal = kind.family == "dstar-lite" or parameters.get("direction") == "backward" or parameters.get("shortcut")
    if from_goal and not world.aims_anywhere:
        raise ProblemError(f"agent {kind.name!r} searches from the goal here, which works on grids and graphs only")
    if parameters.get("learning") == "dijkstra" and not world.confluence:
        raise ProblemError(
            f"agent {kind.name!r} learns by Dijkstra's rule, which needs to know from where moves lead to a state: "
            "give the world `predecessors`, or reversible=True if moves can be undone; or take learning='adaptive'"
        )
    if parameters.get("most_steps_back") is not None and parameters["learning"] == "none":
        raise ProblemError("most_steps_back makes the agent search again, which leads nowhere without learning")
    update_weight = parameters.get("update_weight", 1)
    if update_weight > 1 and parameters["learning"] != "dijkstra":
        raise ProblemError("update_weight is of Dijkstra's rule: take learning='dijkstra', or leave it out")
    if update_weight > 1 and update_weight * world.longest >= INFINITE:
        raise ProblemError(f"an update_weight of {update_weight} is too large for costs like these")


class Setting(NamedTuple):
    """What an agent is made for, and from."""

    kind: Kind
    world: AnyWorld
    parameters: Mapping[str, Any]
    start: int
    goal: int
    seed: int
    believed: Learned | Reversed | Corridor  # the compiled world, as the agent takes it to be
    memory: Memory


def control_and_search(setting: Setting) -> tuple[Control, Any]:
    """How the agent decides, and the search that it does so with."""
    return _FAMILIES[setting.kind.family](setting)


def _complete(setting: Setting) -> tuple[Complete, Any]:
    world, name = setting.world, setting.kind.name
    direction = setting.parameters.get("direction", "forward")
    backward = direction == "backward"
    reopen = setting.parameters.get("reopen", False)
    order = Order.of(world, setting.parameters.get("weight", 1.0), name == "gbfs", reopen)
    late, ratio, lot = name == "late-astar", (1, 1), 0
    if late:
        ratio = _fraction(setting.parameters["trace_ratio"])
        lot = int(np.random.default_rng([setting.seed, setting.start]).integers(LOTS))
    # Of a graph it is not known: edges may be one-way, and each direction may be reported blocked by itself.
    control = Complete(*order, bucket_shift(world, order), backward, late, ratio, lot, not isinstance(world, Graph))
    # Every move of a grid can be undone at the same cost: no need to compile a search of another type.
    turned = Reversed(setting.believed) if backward and not isinstance(world, Grid) else setting.believed
    return control, _search(setting._replace(believed=turned), order)


def _dstar_lite(setting: Setting) -> tuple[DStarLite, Any]:
    world = setting.world
    if world.cheapest == 0:
        raise ProblemError("agent 'dstar-lite' needs moves that cost more than 0, and some here cost nothing")
    vertices, mark = setting.memory["vertices"]
    return DStarLite(1), new_repair(vertices, mark + 1, untouched(ENTRIES, ENTRY), setting.start, world.confluence)


def _local(setting: Setting) -> tuple[LocalSearch, Any]:
    order = Order.of(setting.world, setting.parameters["weight"], reopen=True)
    return local_control(setting.world, setting.parameters), _search(setting, order, keep_closed=True)


def local_control(world: AnyWorld, parameters: Mapping[str, Any]) -> LocalSearch:
    """The control of an agent of the local family."""
    order = Order.of(world, parameters["weight"], reopen=True)  # the adaptive rule needs it
    return LocalSearch(
        *order,
        bucket_shift(world, order),
        NEVER if parameters["lookahead"] is None else _limit(parameters["lookahead"]),
        AS_MANY_AS_SUITS if parameters["movements"] is None else _limit(parameters["movements"]),
        Dijkstra(parameters["update_weight"]) if parameters["learning"] == "dijkstra" else RULES["adaptive"],
        {"best": BEST, "unraised": UNRAISED, "least-raised": LEAST_RAISED}[parameters["target"]],
        world.longest,
    )


def _lrta(setting: Setting) -> tuple[Lrta, Any]:
    world, parameters = setting.world, setting.parameters
    order, limit = Order(1, 0, False), parameters["cost_limit"]
    cost_limit = NEVER if limit is None or limit * world.unit >= NEVER else int(limit * world.unit)
    depth = NEVER if limit is not None else parameters["depth"]
    return Lrta(depth, cost_limit, bucket_shift(world, order), world.longest), _search(setting, order)


def _prioritised(setting: Setting) -> tuple[Prioritised, Any]:
    room = setting.parameters["queue"]
    return Prioritised(room, setting.world.longest), new_sweep(room)


def _time_bounded(setting: Setting) -> tuple[TimeBounded, Any]:
    world, parameters, name = setting.world, setting.parameters, setting.kind.name
    learning = "lazy" if parameters["learning"] == "adaptive" else parameters["learning"]
    reopen = parameters["reopen"] or learning == "lazy"  # which needs the g of expanded states to be right
    order = Order.of(world, parameters["weight"], name == "tb-gbfs", reopen)
    control = TimeBounded(
        *order,
        bucket_shift(world, order),
        RULES[learning],
        name == "tbr-wastar" and learning != "none",  # or it would walk in circles for ever
        NEVER if parameters.get("most_steps_back") is None else parameters["most_steps_back"],
        parameters["trace_ratio"] is not None,
        _fraction(parameters["trace_ratio"]),
        parameters["trace_cost"],
        parameters["steady"],
        _shortcut(setting, order),
        world.longest,
        new_pursuit(),
    )
    return control, _search(setting, order, keep_closed=learning == "dijkstra")


def _knn_lrta(setting: Setting) -> tuple[KnnLrta, Any]:
    world, parameters = setting.world, setting.parameters
    base = _cases(world, parameters)
    cases, records = base.compiled, len(base.compiled.tree.rows)
    most = min(max(records, 1), _limit(parameters["candidates"]))
    ends = (np.zeros(most, np.int32), np.zeros(most, np.int64), np.zeros(most, np.int32), np.zeros(3, np.int64))
    regions = Regions(cases, setting.believed.world, *ends)
    # Small, and mostly in use: from the heap, which has it from the last agent, and not page by page from the system.
    nodes, room = np.zeros(len(cases.seeds) + 1, NODE), max(1024, len(cases.seeds) // 4)
    memory = HotMemory(np.empty(room, ENTRY), np.empty(room, ENTRY), np.empty(BUCKETS, np.int32))
    branching = most + int(np.diff(cases.leaving).max(initial=0))
    route = new_search(regions, nodes, memory, branching, 0, False)
    # The dearest move of the graph of regions: a record, or a climb, which has at most `cap` steps.
    cap = parameters["cap"]
    dearest = max(int(cases.costs.max(initial=0)), min(cap, world.states) * world.dearest)
    control = KnnLrta(
        cases,
        cap,
        most,
        Fraction(repr(parameters["quota"])).limit_denominator(1000).as_integer_ratio(),
        parameters["goal_first"],
        parameters["skip_start"],
        parameters["skip_end"],
        parameters["kd_tree"],
        parameters["interrupt"],
        parameters["shortcuts"],
        (2 * dearest // (BUCKETS - 2)).bit_length(),
        world.longest,
    )
    return control, new_guide(room_for(most, base.levels), route, regions, _quest(setting))


def _quest(setting: Setting) -> Any:
    return new_quest(new_tables(setting.world.states), setting.believed.world, setting.goal)


def _cases(world: AnyWorld, parameters: Mapping[str, Any]) -> CaseBase:
    """The base that was given, if it is for this world; else a small one, which the world keeps for other agents."""
    if not isinstance(world, Grid):
        raise ProblemError(
            f"agent 'knn-lrta' steers by cases, and these are for grids, not for a {type(world).__name__}"
        )
    given = parameters["cases"]
    if given is None:
        return small_base(world, parameters["records"], parameters["coverage"])
    if not isinstance(given, (CaseBase, str, PathLike)):
        raise ProblemError(f"cases are a CaseBase (see CaseBase.build), or its file, not {shown(given)}")
    base = given if isinstance(given, CaseBase) else CaseBase.load(given)
    base.check(world)
    return base


def _shortcut(setting: Setting, order: Order) -> NoShortcut | Shortcut:
    if not setting.parameters["shortcut"]:
        return NoShortcut()
    world = setting.world
    nodes, memory = new_nodes(world.states), open_memory("hot", order)
    return Shortcut(new_search(setting.believed, nodes, memory, world.branching, 0, False))


def _subgoals(setting: Setting) -> tuple[DLrta, Any]:
    world, goal, lowest = setting.world, setting.goal, lowest_level(_abstraction(setting))
    level = lowest if setting.parameters["level"] is None else setting.parameters["level"]
    table = RegionSubgoals.of(world, level)
    row = table.row(int(table.regions[goal]))
    itinerary = new_itinerary(untouched(table.count, np.int64))
    # An h that leads by the subgoals may be too large; but h never rises beyond the true cost plus the largest first h.
    first_h = int(row.beyond.max() * world.unit) + (table.world.width + table.world.height) * world.dearest
    most = world.longest + first_h
    control = DLrta(table.regions, *row, table.sizes, world.unit, world.dearest, most, itinerary)
    return control, _quest(setting)


def _refining(setting: Setting) -> tuple[PrLrta, Any]:
    world, parameters, abstraction = setting.world, setting.parameters, _abstraction(setting)
    level, gamma, order = parameters["level"], parameters["gamma"], Order(1, 0, False)
    graph, regions = abstraction.graph(level), abstraction.regions(level)
    abstract = graph.compiled(int(regions[setting.goal]))
    # To weigh costs by gamma is to weigh h, which is a distance, by its inverse: the order of the sums is the same.
    abstract = abstract._replace(coordinates=abstract.coordinates / gamma, farthest=abstract.farthest / gamma)
    learned = learned_world("at once", abstract, {"h": Used(untouched(graph.states, np.int64), 0)})
    search = new_search(learned, new_nodes(graph.states), open_memory("hot", order), graph.branching, 0, False)
    control = PrLrta(
        regions,
        abstraction.representatives(level),
        abstraction.parts(level),
        parameters["depth"],
        bucket_shift(world, Order(1, 1, False)),
        bucket_shift(graph, order),
        new_overview(learned, search, untouched(graph.states, np.int64), regions),
    )
    corridor = Corridor(setting.believed, regions, NO_REGION, NO_REGION, True)
    return control, _search(setting._replace(believed=corridor), Order(1, 1, False))


def _abstraction(setting: Setting) -> Abstraction:
    """The abstraction of the agent's world, if that has one."""
    if not isinstance(setting.world, Grid):
        raise ProblemError(f"agent {setting.kind.name!r} needs a map that can be abstracted: a grid, not a graph")
    return Abstraction.of(setting.world)


_FAMILIES: dict[str, Callable[[Setting], tuple[Control, Any]]] = {
    "complete": _complete,
    "dstar-lite": _dstar_lite,
    "local": _local,
    "knn": _knn_lrta,
    "lrta": _lrta,
    "prioritised": _prioritised,
    "refining": _refining,
    "subgoals": _subgoals,
    "time-bounded": _time_bounded,
}


def _search(setting: Setting, order: Order, keep_closed: bool = False) -> Any:
    # Agents of all orders share one type of open list, so that one compilation serves them all.
    nodes, number = setting.memory["nodes"]
    most = max(setting.world.branching, setting.world.confluence)
    return new_search(setting.believed, nodes, open_memory("hot", order), most, number, keep_closed)


# ------------------------------------------------------------------ parameters as compiled code takes them


def _limit(count: float) -> int:
    return NEVER if count == math.inf else int(count)


def _fraction(share: float | None) -> tuple[int, int]:
    """A share of something, as the decimal number that is written: 0.29 of 100 is 29."""
    return (1, 1) if share is None else Fraction(repr(share)).as_integer_ratio()
