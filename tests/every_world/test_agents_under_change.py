"""Costs that rise and fall, cells that are blocked and freed, one-way edges: every agent ends correctly.

The end is the goal, or a proof that there is no way, which Dijkstra's algorithm confirms. An agent that steps back may
also be stuck, but only where edges are one-way. `make test` runs this with the compiler off.
"""

import math
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from world_list import Problem

import timebound as tb

KINDS = {kind.name: kind for kind in tb.catalogue()}
MIXES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in KINDS),
    ("repeated-astar", {"direction": "backward"}),
    ("rtaa", {"lookahead": 3, "movements": 1, "weight": 2}),
    ("lss-lrta", {"fallback": "nearest"}),
    ("tba", {"trace_ratio": None, "shortcut": True}),
    ("tba", {"learning": "dijkstra"}),
    ("tbr-wastar", {"learning": "none", "restarts": False}),
    ("tbr-wastar", {"learning": "adaptive", "weight": 1}),
]
ON_GRAPHS = [(name, parameters) for name, parameters in MIXES if not KINDS[name].needs_grid]
EXPLORERS = [(name, parameters) for name, parameters in MIXES if "partial" in KINDS[name].terrain]
BUDGETS: list[dict[str, float]] = [{"expansions": 1}, {"expansions": 4}, {"virtual_ms": 0.001}, {}]
LIMIT = 50_000  # intervals: no end

Costs = dict[tuple[int, int], int]  # of edges
Cell = tuple[int, int]
seeds = st.integers(0, 2**32).map(np.random.default_rng)
mixes = pytest.mark.parametrize(("name", "parameters"), MIXES)
on_graphs = pytest.mark.parametrize(("name", "parameters"), ON_GRAPHS)
explorers = pytest.mark.parametrize(("name", "parameters"), EXPLORERS)


def random_roads(generator: np.random.Generator, one_way: bool) -> tuple[Costs, int]:
    """Some edges between a few nodes, and their number; not every node need be reached from every other."""
    nodes = int(generator.integers(2, 11))
    costs: Costs = {}
    for u, v in generator.integers(nodes, size=(2 * nodes, 2)).tolist():
        costs[u, v] = int(generator.integers(1, 10))
        if not one_way:
            costs[v, u] = costs[u, v]
    return costs, nodes


def graph(costs: Costs, nodes: int, heuristic: Any = None) -> tb.Graph:
    return tb.Graph.from_edges(
        [(u, v, cost) for (u, v), cost in costs.items()], nodes=range(nodes), heuristic=heuristic
    )


def check_end(agent: tb.Agent, world: tb.World, stuck: bool = False) -> None:
    """Is the end correct in `world`, which has at least what the agent knows then?"""
    assert agent.stop in ("goal", "unreachable", *(["stuck"] if stuck else []))
    if agent.stop != "stuck":
        known = agent.goal in Problem(world, agent.position, agent.goal).distances()
        assert known == (agent.stop == "goal")


def may_be_stuck(agent: tb.Agent, costs: Costs) -> bool:
    """Does it step back, and are there edges that lead one way only?"""
    steps_back = agent.kind.needs_reversible_moves or agent.parameters.get("learning") == "none"
    return steps_back and not all((v, u) in costs for u, v in costs)


# ------------------------------------------------------------------ graphs


def report(agent: tb.Agent, costs: Costs, roads: Costs, generator: np.random.Generator) -> None:
    """Block an edge, free it, or let it cost something else; `costs` has what the agent knows."""
    edge = list(roads)[int(generator.integers(len(roads)))]
    what = generator.choice(["blocked", "free", "costs"])
    if what == "costs":
        costs[edge] = int(generator.choice([1, 5, 60]))
        agent.observe(costs={edge: costs[edge]})
        return
    agent.observe(**{str(what): [edge]})
    costs.pop(edge, None)
    if what == "free":
        costs[edge] = roads[edge]


@on_graphs
@given(generator=seeds, one_way=st.booleans(), budget=st.sampled_from(BUDGETS))
@settings(max_examples=20)
def test_a_program_reports_costs(
    name: str, parameters: dict[str, Any], generator: np.random.Generator, one_way: bool, budget: dict[str, float]
) -> None:
    roads, nodes = random_roads(generator, one_way)
    start, goal = generator.integers(nodes, size=2).tolist()
    places = generator.integers(2, size=(nodes, 1)) if generator.random() < 0.5 else None  # no road is shorter than 1
    agent, costs = tb.make(name, graph(roads, nodes, places), start, goal, **parameters), dict(roads)
    reports, intervals = int(generator.integers(12)), 0
    while not agent.done and intervals < LIMIT:
        if reports and generator.random() < 0.5:
            report(agent, costs, roads, generator)
            reports -= 1
        wish, here = agent.plan(**budget), agent.position
        assert wish == here or (here, wish) in costs
        if not agent.done:
            agent.moved(wish)
        intervals += 1
    check_end(agent, graph(costs, nodes), may_be_stuck(agent, costs))


@explorers
@given(generator=seeds, one_way=st.booleans(), budget=st.sampled_from(BUDGETS))
@settings(max_examples=20)
def test_hidden_edges_are_blocked_or_expensive(
    name: str, parameters: dict[str, Any], generator: np.random.Generator, one_way: bool, budget: dict[str, float]
) -> None:
    roads, nodes = random_roads(generator, one_way)
    start, goal = generator.integers(nodes, size=2).tolist()
    factor = [None, 2, 10, 50][int(generator.integers(4))]
    hidden = {"hidden": 0.5, "solvable": False, "cost_factor": factor, "seed": int(generator.integers(99))}
    agent = tb.make(name, graph(roads, nodes), start, goal, terrain="partial", **hidden, **parameters)
    agent.run(**budget, intervals=LIMIT)
    check_end(agent, agent.truth, may_be_stuck(agent, roads))


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if "partial" in kind.terrain])
@pytest.mark.parametrize("factor", [10, 100])
def test_costs_that_rise_prove_nothing(name: str, factor: int) -> None:
    """The bound beyond which h is a proof used to be the longest path of the map alone."""
    world = tb.Graph.from_edges([(i, i + 1, 1) for i in range(6)], directed=False)
    assert tb.make(name, world, 0, 6, terrain="partial", hidden=0.5, cost_factor=factor).run().stop == "goal"
    agent = tb.make(name, world, 0, 6)
    agent.observe(costs={(i, i + j): factor for i in range(1, 6) for j in (-1, 1)})
    while not agent.done:
        agent.moved(agent.plan())
    assert agent.stop == "goal"


def test_sums_of_costs_stay_exact() -> None:
    """Such reports and factors are refused, and leave no trace; weights leave room for rising costs."""
    world = tb.Graph.from_edges([(i, i + 1, math.pi) for i in range(9)], directed=False)
    agent = tb.make("tb-wastar", world, 0, 9, weight=math.e)
    agent.observe(costs={(3, 4): 100.0})
    with pytest.raises(tb.ProblemError, match="the cost of the edge 5 -> 6 must be a number above 0 and up to"):
        agent.observe(blocked=[(7, 8)], costs={(5, 6): 1e6})
    assert agent.run().cost == pytest.approx(9 * math.pi)
    with pytest.raises(
        tb.ProblemError, match="cost_factor=1000000 makes the costs of this graph too large for exact sums"
    ):
        tb.make("dstar-lite", world, 0, 9, terrain="partial", cost_factor=1_000_000)


# ------------------------------------------------------------------ one-way edges


@on_graphs
@given(generator=seeds, budget=st.sampled_from(BUDGETS))
@settings(max_examples=20)
def test_one_way_edges(
    name: str, parameters: dict[str, Any], generator: np.random.Generator, budget: dict[str, float]
) -> None:
    roads, nodes = random_roads(generator, one_way=True)
    start, goal = generator.integers(nodes, size=2).tolist()
    agent = tb.make(name, graph(roads, nodes), start, goal, **parameters)
    agent.run(**budget, intervals=LIMIT)
    check_end(agent, agent.world, may_be_stuck(agent, roads))


def test_late_astar_only_paces_where_it_can_come_back() -> None:
    world = tb.Graph.from_edges([(0, 3, 6), (2, 0, 7), (3, 2, 7), (3, 4, 8), (3, 1, 7), (4, 2, 1)])
    episode = tb.make("late-astar", world, 0, 1).run(expansions=1, intervals=100)
    assert (episode.stop, episode.path) == ("goal", [0, 3, 1])
    two_way = tb.Graph.from_edges([(0, 1), (1, 0), (0, 2), (2, 3), (3, 4), (4, 5)])
    episode = tb.make("late-astar", two_way, 0, 5).run(expansions=1, intervals=100)
    assert episode.stop == "goal"
    assert 2 not in episode.path[: episode.path.index(3) - 1]
    assert episode.path[:2] == [0, 1]


@pytest.mark.parametrize("name", ["tba", "rtba", "tb-wastar", "tb-gbfs"])
def test_after_a_report_they_are_stuck_instead_of_walking_in_circles(name: str) -> None:
    """One report before the search began used to make every missing step back look like news."""
    edges = [(2, 1, 3), (5, 4, 1), (6, 3, 4), (4, 3, 1), (6, 1, 7), (0, 3, 2), (4, 1, 8), (2, 0, 7), (1, 6, 4)]
    agent = tb.make(name, tb.Graph.from_edges([*edges, (3, 5, 7), (2, 4, 3), (5, 2, 4)], nodes=range(7)), 0, 1)
    agent.observe(blocked=[(2, 1)])
    for _ in range(100):
        wish = agent.plan(expansions=1)
        if agent.done:
            break
        agent.moved(wish)
    assert agent.stop == "stuck"


# ------------------------------------------------------------------ grids


@mixes
@given(generator=seeds, budget=st.sampled_from(BUDGETS))
@settings(max_examples=10)
def test_cells_that_are_blocked_and_freed(
    name: str, parameters: dict[str, Any], generator: np.random.Generator, budget: dict[str, float]
) -> None:
    passable = generator.random((5, 6)) >= 0.3
    passable[0, 0] = passable[4, 5] = True
    world = tb.Grid(passable, neighbors=int(generator.choice([4, 8])))
    agent, reports, intervals = tb.make(name, world, (0, 0), (5, 4), **parameters), int(generator.integers(12)), 0
    while not agent.done and intervals < LIMIT:
        cell: Cell = (int(generator.integers(6)), int(generator.integers(5)))
        if reports and cell not in (agent.position, agent.goal):
            passable[cell[1], cell[0]] ^= True
            agent.observe(**{"free" if passable[cell[1], cell[0]] else "blocked": [cell]})
            reports -= 1
        wish = agent.plan(**budget)
        if not agent.done:
            agent.moved(wish)
        intervals += 1
    check_end(agent, world.with_map(passable))
