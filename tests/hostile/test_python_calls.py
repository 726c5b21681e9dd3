"""Every public name of the library, called with bad arguments.

A call either works, or raises a `TimeboundError` of one line. All of it runs without the compiler.
"""

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import rustworkx
import scipy.sparse
from shares import SHARE

import timebound as tb
from timebound.agents import unregister
from timebound.core.wording import shown

# ------------------------------------------------------------------ what does not belong there


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("nobody can see me")


HOSTILE: list[Any] = [
    *(None, True, False, np.bool_(True), 0, -1, 3, 10**30, 10**400, 10**5000, -(10**400), 0.5, -0.5, 1e308, 1j),
    *(math.nan, math.inf, -math.inf, np.complex128(1j), Fraction(1, 3), np.float64(math.nan), np.datetime64("2020")),
    *(np.int64(2), np.uint8(0), np.int64(-1), np.float32(0.25), np.array(2), np.array(0.5)),
    *("", "x", "two\nlines", "\0", "\x1b[2J", "\udc80", "9" * 5000, b"x", bytearray(b"x")),
    *([], {}, (), set(), [1], [[1, 0], [1]], [[1, 2], [3, 4]], [None], [[[]]], ["a", "b"], {"a": 1}, {1: "x"}),
    *((1, 2), (1, 2, 3), ("a", "b"), (0, math.nan), (10**400, 0), (True, False), ((0, 0), (1, 1)), [(0, 0)]),
    *(np.zeros(0), np.zeros((0, 3)), np.zeros((300, 300)), np.ones((3, 3)), np.ones((2, 2, 2), bool)),
    *(np.zeros(3, [("x", int), ("y", float)]), np.array(["a", "b"]), np.array([None, 1]), np.array([[1, 2], [3, 4]])),
    *(object(), Unshowable(), [Unshowable()], int, len, lambda *given: 1, lambda: None, range(3), [10**6] * 10**5),
    *(tb, tb.Grid, Path("no/such/file"), Path(), ..., slice(3), memoryview(b"abc"), np.eye(3, dtype=complex)),
    *(scipy.sparse.eye_array(3), nx.Graph()),
]

# ------------------------------------------------------------------ calls that are right

OPEN = np.ones((5, 6), bool)
BLOCK = np.ones((2, 3, 4), bool)


def grid() -> tb.Grid:
    return tb.Grid(OPEN)


def square() -> tb.Grid:
    return tb.Grid(np.ones((8, 8), bool))


def graph() -> tb.Graph:
    return tb.Graph.from_edges([("a", "b", 1), ("b", "c", 2), ("c", "a", 1)])


def successors(world: Any, state: int) -> Any:
    for after in (state - 1, state + 1):
        if 0 <= after < 9:
            yield after, 1


def estimate(world: Any, state: int) -> int:
    return abs(world.goal - state)


def line(**given: Any) -> tb.CustomWorld:
    return tb.CustomWorld(**{"successors": successors, "heuristic": estimate, "states": 9, "reversible": True, **given})


def agent(name: str = "rtaa", **given: Any) -> tb.Agent:
    return tb.make(name, grid(), (0, 0), (5, 4), **{"terrain": "unknown", **given})


def graph_agent() -> tb.Agent:
    return tb.make("dstar-lite", graph(), "a", "c")


def built(**given: Any) -> tb.CaseBase:
    return tb.CaseBase.build(**{"world": square(), "records": 4, **given})


def told(tell: Any) -> tb.CaseBase:
    """Errors in the user's own functions pass through unchanged."""
    return built(tell=(lambda *told: None) if callable(tell) else tell)


def registered(**given: Any) -> None:
    tb.register(**given)
    unregister(given["name"])


def fleet() -> tb.Fleet:
    made = tb.Fleet(grid(), collisions="push")
    made.add("rtaa", start=(1, 1), goal=(3, 3), lookahead=5)
    return made


def graph_fleet() -> tb.Fleet:
    return tb.Fleet(graph())


def search() -> tb.Search:
    return tb.Search(grid(), (0, 0), (5, 4))


@functools.cache
def prepared() -> tb.Paths:
    return grid().prepare()


@functools.cache
def cases() -> tb.CaseBase:
    return built()


BUDGET = {"expansions": 5}
OTHER_BUDGETS = ({"ms": 5}, {"virtual_ms": 0.5})
START_AND_GOAL = {"start": (0, 0), "goal": (5, 4)}
COMMON: dict[str, Any] = {"terrain": "partial", "seed": 3, "radius": 2, "line_of_sight": True, "hidden": 0.1}
COMMON |= {"solvable": False, "cost_factor": None, "fallback": "nearest", "memory_mb": 10}
EVERYWHERE = {"terrain": "known", "seed": 3, "fallback": "nearest", "memory_mb": 10}


GROUND = np.zeros((6, 7), int)
ROUND = {"radius": 0.6, "margin": 0.3, "cost": 2}


def ground() -> tb.Grid:
    return tb.Grid(GROUND, mobilities={"land": {0: 1, 1: 2}}, resolution=0.5)


def kinds() -> list[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Every agent with all its parameters."""
    calls = []
    for kind in tb.catalogue():
        given = {"name": kind.name, "world": grid(), **START_AND_GOAL, **kind.parameters}
        given |= COMMON if kind.terrain[-1] == "partial" else EVERYWHERE
        calls.append((f"make {kind.name}", tb.make, given))
    return calls


CALLS: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
    ("Grid", tb.Grid, {"passable": OPEN, "neighbors": 8, "corners": "cut", "diagonal": 1.4, "travel": OPEN * 2.0}),
    ("Grid", tb.Grid, {"passable": OPEN, "heuristic": "euclidean", "name": "x"}),
    ("Grid.load", tb.Grid.load, {"path": "harbour"}),
    ("Grid.state", lambda place: grid().state(place), {"place": (1, 1)}),
    ("Grid.inside", lambda place: grid().inside(place), {"place": (1, 1)}),
    ("Grid.block", lambda places: grid().block(places), {"places": [(1, 1)]}),
    ("Grid.block", lambda place: grid().block([place]), {"place": (1, 1)}),
    ("Grid.unblock", lambda places: grid().unblock(places), {"places": [(1, 1)]}),
    ("Grid.set_cost", lambda places, cost: grid().set_cost(places, cost), {"places": [(1, 1)], "cost": 2.5}),
    ("Grid", tb.Grid, {"passable": GROUND, "mobilities": {"land": {0: 1}}, "resolution": 0.1, "origin": (0, 0, 0)}),
    ("Grid", lambda **land: tb.Grid(GROUND, mobilities={"land": land}), {"a": 1}),
    ("Grid", lambda cost: tb.Grid(GROUND, mobilities={"land": {0: cost}}), {"cost": 2}),
    ("Grid.for_body", lambda **given: ground().for_body(**given), {"mobility": "land", "size": 2}),
    ("World.for_body", lambda **given: graph().for_body(**given), {"mobility": None, "size": 1}),
    ("Grid.set_ground", lambda **given: ground().set_ground(**given), {"places": [(1, 1)], "kind": 1}),
    ("Grid.cell", lambda **given: ground().cell(**given), {"x": 0.1, "y": 0.2}),
    ("Grid.metres", lambda cell: ground().metres(cell), {"cell": (1, 1)}),
    ("Grid.metres", lambda x, y: ground().metres(tb.Pose(x, y)), {"x": 0.1, "y": 0.2}),
    ("Grid.inflate", lambda **given: ground().inflate(**given), {**ROUND, "mobility": "land"}),
    ("Grid.from_occupancy", tb.Grid.from_occupancy, {"occupancy": GROUND, "unknown": 2, "resolution": 0.1}),
    ("Disc", lambda **disc: grid().for_body(size=tb.Disc(**disc)), ROUND),
    ("shortest_path", tb.shortest_path, {"world": grid(), **START_AND_GOAL, "size": 1, "any_angle": True}),
    ("make body", tb.make, {"name": "rtaa", "world": ground(), **START_AND_GOAL, "mobility": "land", "size": 1}),
    ("Grid3D", tb.Grid3D, {"passable": BLOCK, "neighbors": 26, "name": "x"}),
    ("Grid3D.key", lambda place: tb.Grid3D(BLOCK).key(place), {"place": (1, 1, 1)}),
    ("Graph", tb.Graph, {"indptr": [0, 1, 2], "targets": [1, 0], "costs": [1, 2], "labels": "ab", "heuristic": None}),
    ("Graph.from_edges", tb.Graph.from_edges, {"edges": [(0, 1)], "directed": False, "nodes": [0], "heuristic": None}),
    ("Graph.from_edges", lambda edge: tb.Graph.from_edges([(0, 1), edge]), {"edge": (1, 2, 3)}),
    ("Graph.from_edges", lambda cost: tb.Graph.from_edges([(0, 1, cost)]), {"cost": 2.5}),
    ("Graph.from_edges", lambda h: searched(tb.Graph.from_edges([(0, 1)], heuristic=lambda n, g: h)), {"h": 0}),
    ("Graph.from_networkx", tb.Graph.from_networkx, {"graph": nx.path_graph(3), "weight": "weight", "heuristic": None}),
    (
        "Graph.from_rustworkx",
        tb.Graph.from_rustworkx,
        {"graph": rustworkx.generators.path_graph(3), "weight_fn": None, "heuristic": None},
    ),
    ("Graph.from_scipy", tb.Graph.from_scipy, {"matrix": scipy.sparse.eye_array(3), "labels": "abc"}),
    ("Graph.state", lambda place: graph().state(place), {"place": "a"}),
    ("Graph.edges_between", lambda pair: graph().edges_between(pair), {"pair": ("a", "b")}),
    ("Graph.block", lambda places: graph().block(places), {"places": [("a", "b")]}),
    ("Graph.block", lambda place: graph().block([place]), {"place": ("a", "b")}),
    ("Graph.unblock", lambda places: graph().unblock(places), {"places": [("a", "b")]}),
    ("Graph.set_cost", lambda places, cost: graph().set_cost(places, cost), {"places": [("a", "b")], "cost": 2.5}),
    ("Tiles", tb.Tiles, {"side": 3, "heuristic": "manhattan", "capacity": 1000}),
    ("Tiles.key", lambda place: tb.Tiles(2).key(place), {"place": (0, 1, 2, 3)}),
    ("Tiles.read", tb.Tiles.read, {"path": __file__}),
    ("Moving", tb.Moving, {"grid": grid(), "obstacles": [[(1, 1)]], "stay": 2, "name": "x"}),
    ("Moving.key", lambda place: tb.Moving(grid()).key(place), {"place": (1, 1, 0)}),
    ("Moving.facts", lambda goal: tb.Moving(grid()).facts(goal), {"goal": (1, 1)}),
    ("Moving.predict", lambda **told: tb.Moving(grid()).predict(**told), {"obstacles": {"a": [(1, 1)]}, "now": 3}),
    ("Moving.traffic", tb.Moving.traffic, {"width": 4, "height": 3, "movers": 0.2, "bunkers": 0.1, "seed": 1}),
    ("Mover", tb.Mover, {"cells": [(1, 1), (1, 2)], "stays": True}),
    (
        "Mover.straight",
        tb.Mover.straight,
        {"start": (1, 1), "direction": (0, 1), "speed": 0.5, "ticks": 9},
    ),
    ("Racetrack", tb.Racetrack, {"passable": OPEN, "starts": [(0, 0)], "goals": [(5, 4)], "speed": 2, "name": "x"}),
    ("Racetrack.key", lambda place: tb.Racetrack(OPEN).key(place), {"place": (1, 1, 0, 0)}),
    ("Racetrack.facts", lambda goal: tb.Racetrack(OPEN).facts(goal), {"goal": [(1, 1)]}),
    ("Racetrack.load", tb.Racetrack.load, {"path": "harbour", "speed": 2}),
    ("CustomWorld", tb.CustomWorld, {"successors": successors, "heuristic": estimate, "data": {"a": 1}, "states": 9}),
    ("CustomWorld", line, {"branching": 2, "highest_cost": 1, "unit": 1, "reversible": True}),
    ("CustomWorld", line, {"predecessors": None, "name": "x"}),
    ("CustomWorld", line, {"step_heuristic": None, "is_goal": None, "capacity": 100, "compile": False}),
    ("CustomWorld.key", lambda place: line().key(place), {"place": 1}),
    ("CustomWorld.key", lambda place: line(states=None).key(place), {"place": (1, 2)}),
    ("CustomWorld.facts", lambda goal: line().facts(goal), {"goal": 1}),
    ("CustomWorld.aim", lambda goal: line().aim(goal), {"goal": 1}),
    ("CustomWorld, own", lambda moves: searched(line(successors=lambda w, s: moves)), {"moves": [(1, 1)]}),
    ("CustomWorld, own", lambda move: searched(line(successors=lambda w, s: [move])), {"move": (1, 1)}),
    ("CustomWorld, own", lambda cost: searched(line(successors=lambda w, s: [(1, cost)])), {"cost": 1}),
    ("CustomWorld, own", lambda h: searched(line(heuristic=lambda w, s: h)), {"h": 0}),
    ("CustomWorld, own", lambda move: searched(line(successors=lambda w, s: [move], compile=False)), {"move": (1, 1)}),
    ("CustomWorld, own", lambda h: searched(line(heuristic=lambda w, s: h, compile=False)), {"h": 0}),
    ("check_world", tb.check_world, {"world": line(), "start": 0, "goal": 1, "states": 5, "seed": 0}),
    ("shortest_path", tb.shortest_path, {"world": grid(), **START_AND_GOAL, "weight": 2, "greedy": False}),
    ("shortest_path", tb.shortest_path, {"world": grid(), **START_AND_GOAL, "reopen": False}),
    ("shortest_paths", tb.shortest_paths, {"world": grid(), "starts": [(0, 0)], "goals": [(5, 4)], "threads": 1}),
    ("shortest_paths", lambda starts: tb.shortest_paths(graph(), starts, "c"), {"starts": ["a", "b"]}),
    ("World.prepare", lambda tell: grid().prepare(tell=(lambda *told: None) if callable(tell) else tell),
     {"tell": lambda *told: None}),
    ("Paths.shortest_path", lambda **given: prepared().shortest_path(**given), START_AND_GOAL),
    *((f"Paths.{name}", lambda name=name, **given: getattr(prepared(), name)(**given),
       {"starts": (0, 0), "goals": np.array([[5, 4], [1, 1]]), "threads": 1}) for name in ("shortest_paths", "costs")),
    ("Search", tb.Search, {"world": grid(), **START_AND_GOAL, "weight": 2, "greedy": False, "reopen": True}),
    ("Search", tb.Search, {"world": grid(), **START_AND_GOAL, "open_list": "heap"}),
    ("Search.advance", lambda **given: search().advance(**given), BUDGET),
    *(("Search.advance", lambda **given: search().advance(**given), other) for other in OTHER_BUDGETS),
    ("Search.trace", lambda steps: search().trace(steps), {"steps": 1}),
    ("Budget", tb.Budget, {"expansions": 1}),
    *(("Budget.limit", lambda **given: tb.Budget(**given).limit(), other) for other in OTHER_BUDGETS),
    ("make", tb.make, {"name": "rtaa", "world": grid(), **START_AND_GOAL, **COMMON}),
    *kinds(),
    ("Agent.retarget", lambda goal: agent().retarget(goal), {"goal": (1, 1)}),
    ("Agent.retarget", lambda goal: graph_agent().retarget(goal), {"goal": "b"}),
    ("Agent.run", lambda target: agent().run(target=target, intervals=9), {"target": [(1, 1)]}),
    ("Agent.run", lambda place: agent().run(target=[place], intervals=9), {"place": (1, 1)}),
    ("variant", tb.variant, {"name": "mine", "like": "rtaa", "about": "x", "paper": "x", "terrain": ("known",)}),
    ("variant", tb.variant, {"name": "m", "like": "rtaa", "order": "greedy", "learning": "dijkstra", "lookahead": 2}),
    ("register", registered, {"name": "mine", "agent": "module:name", "replace": False}),
    ("advise", tb.advise, {"world": grid(), "expansions": 5, "agents": ["lrta"], "problems": 2, "seconds": 1.0}),
    ("advise", tb.advise, {"world": grid(), "ms": 1.0, "agents": ["lrta"], "problems": 1, "units": 2, "seed": 1}),
    ("check_agent", tb.check_agent, {"agent": "repeated-astar", "seed": 1, "problems": 1, "direction": "forward"}),
    ("Agent.run", lambda **given: agent().run(**given), {**BUDGET, "intervals": 20, "trace": False}),
    *(("Agent.run", lambda **given: agent().run(**given), other) for other in OTHER_BUDGETS),
    ("Agent.step", lambda **given: agent().step(**given), BUDGET),
    ("Agent.plan", lambda **given: agent().plan(**given), BUDGET),
    ("Agent.moved", lambda actual: agent().moved(actual), {"actual": (0, 1)}),
    ("Agent.observe", lambda **given: agent().observe(**given), {"blocked": [(1, 1)], "free": [(2, 2)], "costs": None}),
    ("Agent.observe", lambda cell: agent().observe(blocked=[cell]), {"cell": (1, 1)}),
    ("Agent.observe", lambda **given: graph_agent().observe(**given), {"blocked": [], "free": [], "costs": {}}),
    ("Agent.observe", lambda cost: graph_agent().observe(costs={("a", "b"): cost}), {"cost": 2}),
    ("Agent.set", lambda **given: agent().set(**given), {"lookahead": 3, "movements": 2, "weight": 2.0}),
    ("Agent.set", lambda **given: agent().set(**given), {"target": "best", "learning": "dijkstra"}),
    ("Agent.time_to_goal", lambda speed: agent().time_to_goal(speed), {"speed": 0.5}),
    ("Agent.save", lambda file: agent().save(file), {"file": "y.agent"}),
    ("Agent.load", tb.Agent.load, {"file": __file__}),
    ("CaseBase.build", built, {"world": square(), "records": 4, "seed": 1, "coverage": "even", "workers": 1}),
    ("CaseBase.build", built, {"resume": False, "output": "x.cases"}),
    ("CaseBase.build", told, {"tell": lambda *told: None}),
    ("CaseBase.build", lambda cluster: built(cluster=None if isinstance(cluster, str) else cluster), {"cluster": None}),
    ("CaseBase.load", tb.CaseBase.load, {"file": __file__}),
    ("CaseBase.save", lambda file: cases().save(file), {"file": "y.cases"}),
    ("CaseBase.record", lambda number: cases().record(number), {"number": 0}),
    ("CaseBase.check", lambda world: cases().check(world), {"world": square()}),
    ("CaseBase.repaired", lambda world: cases().repaired(world), {"world": square()}),
    ("Fleet", tb.Fleet, {"world": grid(), "collisions": "push", "guidance": (0.1, 0.5), "memory_mb": 5, "threads": 1}),
    ("Fleet", tb.Fleet, {"world": grid(), "collisions": "push", "repair": 5}),
    ("Fleet", lambda given: tb.Fleet(grid(), on_arrival=None if callable(given) else given), {"given": None}),
    ("Fleet.add", lambda **given: fleet().add(**given), {"kind": "rtaa", **START_AND_GOAL, "terrain": "known"}),
    ("Fleet.add", lambda **given: fleet().add("rtaa", **given), {**START_AND_GOAL, "priority": 2, "lookahead": 5}),
    ("Fleet.add", lambda **given: fleet().add("tba", **given), {**START_AND_GOAL, "group": "a"}),
    ("Fleet.add", lambda **given: fleet().add("rtaa", **given), {"start": [(0, 0)], "goal": np.array([[5, 4]])}),
    ("Fleet.add", lambda start: graph_fleet().add("rtaa", start=start, goal="c"), {"start": "a"}),
    ("Fleet.remove", lambda units: fleet().remove(units), {"units": 0}),
    ("Fleet.retarget", lambda units, goals: fleet().retarget(units, goals), {"units": [0], "goals": [(5, 4)]}),
    ("Fleet.tick", lambda **given: fleet().tick(**given), BUDGET),
    ("Fleet.plan", lambda **given: fleet().plan(**given), {"ms": 1}),
    ("Fleet.path", lambda unit: fleet().path(unit), {"unit": 0}),
    ("Fleet.status", lambda units: fleet().status(units), {"units": [0]}),
    ("Fleet.records", lambda units: fleet().records(units), {"units": [0]}),
    ("Fleet.figures", lambda units: fleet().figures(units), {"units": [0]}),
    ("Fleet.places", lambda time: fleet().places(time), {"time": 0.5}),
    ("Fleet.give_tasks", lambda units, tasks: fleet().give_tasks(units, tasks), {"units": [0], "tasks": [[(5, 4)]]}),
    ("Fleet.tasks_left", lambda units: fleet().tasks_left(units), {"units": [0]}),
    ("Fleet.save", lambda file: fleet().save(file), {"file": "y.fleet"}),
    ("Fleet.load", tb.Fleet.load, {"file": __file__}),
    ("Fleet.bound", lambda expansions: fleet().bound(expansions=expansions), {"expansions": 9}),
    ("Fleet.bound", lambda virtual_ms: fleet().bound(virtual_ms=virtual_ms), {"virtual_ms": 9}),
    ("Crowd", tb.Crowd, {"world": square(), "units": 3, "agent": "rtaa", "walls": 1, "seed": 2, "lifelong": True}),
    ("Crowd", lambda **given: tb.Crowd(square(), 3, **given), {"collisions": "push", "guidance": True, "repair": 5}),
    ("Crowd.tick", lambda **given: tb.Crowd(square(), 3).tick(**given), BUDGET),
    ("race", tb.race, {"world": grid(), "agents": ["rtaa"], **START_AND_GOAL, "terrain": "unknown", **BUDGET}),
    ("race", lambda **given: tb.race(grid(), ["rtaa"], (0, 0), (5, 4), expansions=5, **given),
     {"target": None, "film": False, "seed": 1, "intervals": 50}),
    ("trials", lambda **given: list(tb.trials(agent(), **given)), {"most": 3, "intervals": 50, **BUDGET}),
    ("trials", lambda walker: list(tb.trials(walker, 3, **BUDGET)), {"walker": None}),
]  # fmt: skip

# What takes nothing, or what only the library can know: numbers of states, arrays and records that it made itself.
OTHERS = {
    "Advice": "best budget certainty code front left_out picture problems reasons seed standings terrain units winners",
    "Agent": "catch_up done episode goal h kind knows listen name parameters path pay pose position process_news "
    "reached renew reset sense seed solution stop terrain truth waypoint",
    "Disc": "radius margin cost",
    "Pose": "x y",
    "World": "aim aims_anywhere block branching changes cheapest compiled guarded has_moves_for_nothing "
    "highest_cost inside longest most_predecessors path_cost place places places_in_rows pool prepared "
    "for_cheapest_path moved_on prepared_before "
    "reversible rounding_of_distances set_cost state states unblock unit version walk_cost",
    "Budget": "durations expansions ms virtual_ms",
    "CaseBase": "compiled coverage levels map_then nbytes",
    "Crowd": "storm goals costs",
    "Event": "kind state other g h layer",
    "Episode": "as_json knowing with_lazy_figures optimal_cost suboptimality moves_per_search expansions_per_search "
    "time_per_search_us planning_us states_in_memory trace_steps updates raise_per_update trace truth goal",
    "Fleet": "describe done joint_search memory_bytes positions ticks units waiting",
    "Tick": "positions reasons moved served waiting expansions us",
    "Graph": "walk_cost_then free_price allows compiled_map ends ends_of prices extra_price has_way with_extra",
    "Grid": "allow_costs bodies believed cells copy_cells costs_of_cells crossed frame jump_points "
    "possible rules set_costs set_free shape walk_cost_then walk_length whole_costs "
    "with_map without_obstacles",
    "Grid3D": "label",
    "Path": "states",
    "PathBatch": "costs solved numbers first count index",
    "Paths": "corners current describe nbytes of path_between paths_between traveller",
    "Mover": "cells stays",
    "Moving": "cell_at for_cheapest_path goal_facts label moved_on movers now",
    "Racetrack": "label",
    "Search": "best expansions generated memory_bytes path reached status traced",
    "Tiles": "facts label state",
    "CustomWorld": "label sight",
}


def searched(world: tb.World) -> Any:
    return tb.shortest_path(world, 0, 1)


def complaint(call: Callable[..., Any], given: Mapping[str, Any]) -> str:
    """What is wrong with the outcome of a call; empty if it works, or is refused properly."""
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


@pytest.mark.uncompiled
@pytest.mark.parametrize("number", range(len(CALLS)), ids=[name for name, _, _ in CALLS])
def test_calls(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, call, right = CALLS[number]
    wrong = []
    for name in right:
        for value in HOSTILE if SHARE == 1 else HOSTILE[number % 3 :: 3]:
            found = complaint(call, {**right, name: value})
            if found:
                wrong.append(f"{name}={type(value).__name__} {shown(value)}: {found}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.uncompiled
def test_that_no_public_name_is_missing() -> None:
    tried = {name.split(",")[0].split(" ")[0] for name, _, _ in CALLS}
    for name in tb.__all__:
        thing = getattr(tb, name)
        if not inspect.isclass(thing) or issubclass(thing, Exception):
            assert name in tried or name in ("catalogue", "__version__") or inspect.isclass(thing), name
            continue
        inherited = set().union(*(OTHERS.get(base.__name__, "").split() for base in thing.__mro__))
        tried_too = {f"{base.__name__}.{method}" for base in thing.__mro__ for method in vars(base)} & tried
        for method in vars(thing):
            known = method in inherited or any(one.endswith(f".{method}") for one in tried_too)
            assert method.startswith("_") or known, f"{name}.{method} is not tried"


# ------------------------------------------------------------------ what such calls must say, or do


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tb.make("rtaa", OPEN, (0, 0), (1, 1)), "a world is needed here, not an array of bool, shape (5, 6); "
         "make one: tb.Grid(array)"),
        (lambda: tb.shortest_path("arena.map", (0, 0), (1, 1)), "not 'arena.map'; make one: tb.Grid.load(file)"),
        (lambda: tb.Search(None, (0, 0), (1, 1)), "a world is needed here, not None"),
        (lambda: tb.check_world([[True]]), "make one: tb.Grid(array)"),
        (lambda: tb.CaseBase.build(OPEN), "make one: tb.Grid(array)"),
        (lambda: agent().run(expansions=[3]), "the budget expansions must be a number above 0 (or inf), not [3]"),
        (lambda: agent().run(ms={}), "the budget ms must be a number above 0 (or inf), not {}"),
        (lambda: agent().plan(ms=np.ones(20)), "not an array of float64, shape (20,)"),
        (lambda: agent().step(ms=10**400), "not a whole number of 401 digits"),
        (lambda: agent().run(expansions=True), "must be a number above 0 (or inf), not True"),
        (lambda: agent().run(intervals=True), "intervals is a whole number above 0, not True"),
        (lambda: agent(seed=False), "a seed is a whole number from 0, of at most 63 bits, not False"),
        (lambda: tb.Grid([[1, 0], [1]]), "a grid needs a boolean map"),
        (lambda: tb.Grid(np.zeros((2, 2), [("x", int)])), "a grid needs a boolean map"),
        (lambda: tb.Grid(OPEN, travel="mud"), "travel costs are an array of numbers, one for every cell, not 'mud'"),
        (lambda: agent().observe(blocked=None), "blocked is a list of cells, not None"),
        (lambda: tb.check_world(line(), states="x"), "states to look at, is a whole number above 0, not 'x'"),
        (lambda: tb.Graph.from_scipy(scipy.sparse.eye_array(3, dtype=complex)), "is (1+0j); it must be a number"),
        (lambda: tb.shortest_path(tb.Graph.from_edges([("a", "b")], heuristic=crow_flies), "a", "b"),
         "the heuristic, crow_flies, raised KeyError at the node 'a' with the goal 'b': 'a'"),
    ],
)  # fmt: skip
def test_what_is_said(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(tb.TimeboundError) as caught:
        call()
    assert message in str(caught.value)


def crow_flies(node: str, goal: str) -> float:
    positions: dict[str, float] = {}
    return positions[node]


@pytest.mark.uncompiled
def test_numbers_of_numpy_are_as_good_as_those_of_python() -> None:
    one, two = np.int64(1), np.int16(2)
    episode = tb.make("rtaa", grid(), (np.uint8(0), two), (5, 4), seed=np.uint32(7), terrain="unknown", radius=two)
    assert episode.run(expansions=np.int64(4), intervals=np.int32(50)).solved
    assert tb.make("lrta", grid(), (0, 0), (5, 4), depth=two, memory_mb=np.float32(0.5)).run(ms=np.float64(1)).solved
    assert tb.Budget(expansions=np.int64(9)).limit().expansions == 9
    assert tb.shortest_path(tb.Grid(OPEN, neighbors=np.int64(4)), (0, 0), (5, 4), weight=two).cost == 9
    assert tb.shortest_path(tb.Racetrack(OPEN, speed=one), (0, 0), (5, 4)).solved
    assert tb.shortest_path(line(states=np.int64(9), branching=two, highest_cost=one), 0, np.int64(8)).cost == 8
    assert len(tb.CaseBase.build(square(), two, seed=one, coverage="random", workers=one)) == 2
    assert tb.check_world(line(), 0, 8, states=np.int64(20), seed=two) == []
    assert search().trace(two) is not None


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    "refused",
    [
        {"lookahead": 0},
        {"movements": 3, "weight": -1},
        {"lookahead": 5, "target": "x"},
        {"movements": 2, "learning": []},
    ],
)
def test_a_refused_set_changes_nothing(refused: dict[str, Any]) -> None:
    changed, untouched = agent(), agent()
    with pytest.raises(tb.ProblemError):
        changed.set(**refused)
    assert changed.parameters == untouched.parameters
    assert changed.run(expansions=5).path == untouched.run(expansions=5).path


@pytest.mark.uncompiled
def test_set_refuses_what_make_would_refuse() -> None:
    one_way = line(reversible=False)
    walker = tb.make("rtaa", one_way, 0, 8)
    with pytest.raises(tb.ProblemError, match="learns by Dijkstra's rule"):
        walker.set(learning="dijkstra")
