"""Every public name of the library, called with what does not belong there.

A call either works, or raises a `TimeboundError` of one line. All of it runs in one process without the compiler.
"""

import functools
import inspect
import math
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

import timebound as tb
from timebound.compiled import COMPILING
from timebound.wording import shown

inside = pytest.mark.skipif(COMPILING, reason="runs in a process without the compiler: see the first test")


@pytest.mark.skipif(not COMPILING, reason="this is that process")
def test_all_of_this_file_without_the_compiler() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", __file__]
    run = subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-5000:]


# ------------------------------------------------------------------ what does not belong there


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("nobody can see me")


HOSTILE: list[Any] = [
    *(None, True, False, np.bool_(True), 0, -1, 3, 10**30, 10**400, 10**5000, -(10**400), 0.5, -0.5),
    *(math.nan, math.inf, -math.inf, 1e308, 1j, np.complex128(1j), Fraction(1, 3), np.float64(math.nan)),
    *(
        np.int64(2),
        np.uint8(0),
        np.int64(-1),
        np.float32(0.25),
        np.array(2),
        np.array(0.5),
        np.datetime64("2020-01-01"),
    ),
    *("", "x", "two\nlines", "\0", "\x1b[2J", "\udc80", "9" * 5000, b"x", bytearray(b"x")),
    *([], {}, (), set(), [1], [[1, 0], [1]], [[1, 2], [3, 4]], [None], [[[]]], ["a", "b"], {"a": 1}, {1: "x"}, (1, 2)),
    *((1, 2, 3), ("a", "b"), (0, math.nan), (10**400, 0), (True, False), ((0, 0), (1, 1)), [(0, 0)], [10**6] * 10**5),
    *(
        np.zeros(0),
        np.zeros((0, 3)),
        np.zeros((300, 300)),
        np.ones((3, 3)),
        np.ones((2, 2, 2), bool),
        np.eye(3, dtype=complex),
    ),
    *(np.zeros(3, [("x", int), ("y", float)]), np.array(["a", "b"]), np.array([None, 1]), np.array([[1, 2], [3, 4]])),
    *(object(), Unshowable(), [Unshowable()], int, len, lambda *given: 1, lambda: None, range(3)),
    *(
        tb,
        tb.Grid,
        Path("no/such/file"),
        Path("."),
        ...,
        slice(3),
        memoryview(b"abc"),
        scipy.sparse.eye_array(3),
        nx.Graph(),
    ),
]

# ------------------------------------------------------------------ calls that are right

OPEN = np.ones((5, 6), bool)


def grid() -> tb.Grid:
    return tb.Grid(OPEN)


def graph() -> tb.Graph:
    return tb.Graph.from_edges([("a", "b", 1), ("b", "c", 2), ("c", "a", 1)])


def successors(world: Any, state: int) -> Any:
    for after in (state - 1, state + 1):
        if 0 <= after < 9:
            yield after, 1


def estimate(world: Any, state: int) -> int:
    return abs(world.goal - state)


def line(**given: Any) -> tb.World:
    return tb.World(**{"successors": successors, "heuristic": estimate, "states": 9, "reversible": True, **given})


def agent(name: str = "rtaa", **given: Any) -> tb.Agent:
    return tb.make(name, grid(), (0, 0), (5, 4), **{"terrain": "unknown", **given})


def graph_agent() -> tb.Agent:
    return tb.make("dstar-lite", graph(), "a", "c")


def told(tell: Any) -> tb.CaseBase:
    """What a function of the user's own raises is his own business."""
    return tb.CaseBase.build(tb.Grid(np.ones((8, 8), bool)), 4, tell=(lambda *told: None) if callable(tell) else tell)


def search() -> tb.Search:
    return tb.Search(grid(), (0, 0), (5, 4))


@functools.cache
def cases() -> tb.CaseBase:
    return tb.CaseBase.build(tb.Grid(np.ones((8, 8), bool)), 4)


BUDGET = {"expansions": 5}
OTHER_BUDGETS = ({"ms": 5}, {"virtual_ms": 0.5})
START_AND_GOAL = {"start": (0, 0), "goal": (5, 4)}
COMMON: dict[str, Any] = {"terrain": "partial", "seed": 3, "radius": 2, "line_of_sight": True, "hidden": 0.1}
COMMON |= {"solvable": False, "dearer": None, "fallback": "nearest", "memory_mb": 10}


def kinds() -> list[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Every agent with all its parameters."""
    calls = []
    for kind in tb.catalogue():
        terrain = {"terrain": kind.terrain[-1]}
        given = {"name": kind.name, "world": grid(), **START_AND_GOAL, **COMMON, **terrain, **kind.parameters}
        calls.append((f"make {kind.name}", tb.make, given))
    return calls


CALLS: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
    ("Grid", tb.Grid, {"passable": OPEN, "neighbors": 8, "corners": "cut", "diagonal": 1.4, "travel": OPEN * 2.0}),
    ("Grid", tb.Grid, {"passable": OPEN, "heuristic": "euclidean", "name": "x"}),
    ("Grid.load", tb.Grid.load, {"path": "harbour"}),
    ("Grid.state", lambda place: grid().state(place), {"place": (1, 1)}),
    ("Grid.inside", lambda place: grid().inside(place), {"place": (1, 1)}),
    ("Grid3D", tb.Grid3D, {"passable": np.ones((2, 3, 4), bool), "neighbors": 26, "name": "x"}),
    ("Grid3D.key", lambda place: tb.Grid3D(np.ones((2, 3, 4), bool)).key(place), {"place": (1, 1, 1)}),
    ("Graph", tb.Graph, {"indptr": [0, 1, 2], "targets": [1, 0], "costs": [1, 2], "labels": "ab", "heuristic": None}),
    ("Graph.from_edges", tb.Graph.from_edges, {"edges": [(0, 1), (1, 2)], "directed": False, "nodes": [0], "heuristic": None}),
    ("Graph.from_edges", lambda edge: tb.Graph.from_edges([(0, 1), edge]), {"edge": (1, 2, 3)}),
    ("Graph.from_edges", lambda cost: tb.Graph.from_edges([(0, 1, cost)]), {"cost": 2.5}),
    ("Graph.from_edges", lambda h: searched(tb.Graph.from_edges([(0, 1)], heuristic=lambda n, g: h)), {"h": 0}),
    ("Graph.from_networkx", tb.Graph.from_networkx, {"graph": nx.path_graph(3), "weight": "weight", "heuristic": None}),
    ("Graph.from_scipy", tb.Graph.from_scipy, {"matrix": scipy.sparse.eye_array(3), "labels": "abc", "heuristic": None}),
    ("Graph.state", lambda place: graph().state(place), {"place": "a"}),
    ("Graph.edges_between", lambda pair: graph().edges_between(pair), {"pair": ("a", "b")}),
    ("Tiles", tb.Tiles, {"side": 3, "heuristic": "manhattan", "capacity": 1000}),
    ("Tiles.key", lambda place: tb.Tiles(2).key(place), {"place": (0, 1, 2, 3)}),
    ("Tiles.read", tb.Tiles.read, {"path": __file__}),
    ("Racetrack", tb.Racetrack, {"passable": OPEN, "starts": [(0, 0)], "goals": [(5, 4)], "speed": 2, "name": "x"}),
    ("Racetrack.key", lambda place: tb.Racetrack(OPEN).key(place), {"place": (1, 1, 0, 0)}),
    ("Racetrack.facts", lambda goal: tb.Racetrack(OPEN).facts(goal), {"goal": [(1, 1)]}),
    ("Racetrack.load", tb.Racetrack.load, {"path": "harbour", "speed": 2}),
    ("World", tb.World, {"successors": successors, "heuristic": estimate, "data": {"a": 1}, "is_goal": None, "states": 9}),
    ("World", line, {"branching": 2, "dearest": 1, "unit": 1, "reversible": True, "predecessors": None, "name": "x"}),
    ("World", line, {"step_heuristic": None, "capacity": 100, "compile": False}),
    ("World.key", lambda place: line().key(place), {"place": 1}),
    ("World.key", lambda place: line(states=None).key(place), {"place": (1, 2)}),
    ("World.facts", lambda goal: line().facts(goal), {"goal": 1}),
    ("World.aim", lambda goal: line().aim(goal), {"goal": 1}),
    ("World, its functions", lambda moves: searched(line(successors=lambda w, s: moves)), {"moves": [(1, 1)]}),
    ("World, its functions", lambda move: searched(line(successors=lambda w, s: [move])), {"move": (1, 1)}),
    ("World, its functions", lambda cost: searched(line(successors=lambda w, s: [(1, cost)])), {"cost": 1}),
    ("World, its functions", lambda h: searched(line(heuristic=lambda w, s: h)), {"h": 0}),
    ("World, its functions", lambda move: searched(line(successors=lambda w, s: [move], compile=False)), {"move": (1, 1)}),
    ("World, its functions", lambda h: searched(line(heuristic=lambda w, s: h, compile=False)), {"h": 0}),
    ("check_world", tb.check_world, {"world": line(), "start": 0, "goal": 1, "states": 5, "seed": 0}),
    ("shortest_path", tb.shortest_path, {"world": grid(), **START_AND_GOAL, "weight": 2, "greedy": False, "reopen": False}),
    ("Search", tb.Search, {"world": grid(), **START_AND_GOAL, "weight": 2, "greedy": False, "reopen": True}),
    ("Search", tb.Search, {"world": grid(), **START_AND_GOAL, "open_list": "heap"}),
    ("Search.advance", lambda **given: search().advance(**given), BUDGET),
    *(("Search.advance", lambda **given: search().advance(**given), other) for other in OTHER_BUDGETS),
    ("Search.trace", lambda steps: search().trace(steps), {"steps": 1}),
    ("Budget", tb.Budget, {"expansions": 1}),
    *(("Budget.limit", lambda **given: tb.Budget(**given).limit(), other) for other in OTHER_BUDGETS),
    ("make", tb.make, {"name": "rtaa", "world": grid(), **START_AND_GOAL, **COMMON}),
    *kinds(),
    ("Agent.run", lambda **given: agent().run(**given), {**BUDGET, "intervals": 20, "trace": False}),
    *(("Agent.run", lambda **given: agent().run(**given), other) for other in OTHER_BUDGETS),
    ("Agent.step", lambda **given: agent().step(**given), BUDGET),
    ("Agent.plan", lambda **given: agent().plan(**given), BUDGET),
    ("Agent.moved", lambda actual: agent().moved(actual), {"actual": (0, 1)}),
    ("Agent.observe", lambda **given: agent().observe(**given), {"blocked": [(1, 1)], "free": [(2, 2)], "costs": None}),
    ("Agent.observe", lambda cell: agent().observe(blocked=[cell]), {"cell": (1, 1)}),
    ("Agent.observe", lambda **given: graph_agent().observe(**given), {"blocked": [("a", "b")], "free": [], "costs": {}}),
    ("Agent.observe", lambda cost: graph_agent().observe(costs={("a", "b"): cost}), {"cost": 2}),
    ("Agent.set", lambda **given: agent().set(**given), {"lookahead": 3, "movements": 2, "weight": 2.0, "learning": "dijkstra"}),
    ("Agent.set", lambda **given: agent().set(**given), {"target": "best"}),
    ("CaseBase.build", tb.CaseBase.build, {"world": tb.Grid(np.ones((8, 8), bool)), "records": 4, "seed": 1, "coverage": "even"}),
    ("CaseBase.build", tb.CaseBase.build, {"world": tb.Grid(np.ones((8, 8), bool)), "records": 4, "workers": 1, "cluster": None}),
    ("CaseBase.build", tb.CaseBase.build, {"world": tb.Grid(np.ones((8, 8), bool)), "records": 4, "resume": False}),
    ("CaseBase.build", tb.CaseBase.build, {"world": tb.Grid(np.ones((8, 8), bool)), "records": 4}),
    ("CaseBase.build", told, {"tell": lambda *told: None}),
    ("CaseBase.build", lambda output: tb.CaseBase.build(tb.Grid(np.ones((8, 8), bool)), 4, output=output), {"output": "x.cases"}),
    ("CaseBase.load", tb.CaseBase.load, {"file": __file__}),
    ("CaseBase.save", lambda file: cases().save(file), {"file": "y.cases"}),
    ("CaseBase.record", lambda number: cases().record(number), {"number": 0}),
    ("CaseBase.check", lambda world: cases().check(world), {"world": tb.Grid(np.ones((8, 8), bool))}),
    ("CaseBase.repaired", lambda world: cases().repaired(world), {"world": tb.Grid(np.ones((8, 8), bool))}),
]  # fmt: skip

# What takes nothing, or what only the library can know: numbers of states, arrays and records that it made itself.
OTHERS = {
    "Agent": "done episode goal h kind knows name parameters path position reached reset sense seed stop terrain truth",
    "AnyWorld": "aim aims_anywhere branching cheapest compiled confluence dearest guarded idle_memory idle_searches inside "
    "longest path_cost place places prepared reversible state states unit walk_cost",
    "Budget": "durations expansions ms virtual_ms",
    "CaseBase": "compiled coverage levels map_then nbytes",
    "Episode": "as_json knowing with_more_to_come optimal_cost suboptimality moves_per_search expansions_per_search "
    "time_per_search_us planning_us states_in_memory trace_steps updates raise_per_update trace truth goal",
    "Graph": "compiled_map ends extra_price has_way with_extra",
    "Grid": "shape with_map without_obstacles",
    "Grid3D": "label",
    "Path": "states",
    "Racetrack": "label",
    "Search": "best expansions generated memory_bytes path reached status traced",
    "Tiles": "facts label state",
    "World": "label sight",
}


def searched(world: tb.AnyWorld) -> Any:
    return tb.shortest_path(world, 0, 1)


def complaint(call: Callable[..., Any], given: Mapping[str, Any]) -> str:
    """What is wrong with how a call ends; nothing if it works, or is refused as it should be."""
    try:
        call(**given)
    except tb.TimeboundError as error:
        text = str(error)
        if not text.isprintable() or len(text) > 600:
            return f"not one short line: {text[:400]!r}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    return ""


# ------------------------------------------------------------------ the tests


@inside
@pytest.mark.parametrize("number", range(len(CALLS)), ids=[name for name, _, _ in CALLS])
def test_calls(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, call, right = CALLS[number]
    wrong = []
    for name in right:
        for value in HOSTILE:
            found = complaint(call, {**right, name: value})
            if found:
                wrong.append(f"{name}={str(type(value).__name__)} {shown(value)}: {found}")
    assert not wrong, "\n".join(wrong)


@inside
def test_that_no_public_name_is_missing() -> None:
    tried = {name.split(",")[0].split(" ")[0] for name, _, _ in CALLS}
    for name in tb.__all__:
        thing = getattr(tb, name)
        if not inspect.isclass(thing) or issubclass(thing, Exception):
            assert name in tried or name == "catalogue" or inspect.isclass(thing)
            continue
        inherited = set().union(*(OTHERS.get(base.__name__, "").split() for base in thing.__mro__))
        tried_too = {f"{base.__name__}.{method}" for base in thing.__mro__ for method in vars(base)} & tried
        for method in vars(thing):
            known = method in inherited or any(one.endswith(f".{method}") for one in tried_too)
            assert method.startswith("_") or known, f"{name}.{method} is not tried"
