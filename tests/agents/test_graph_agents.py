"""Agents on graphs: edges turn out to be blocked, or more expensive than on the agent's map."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from naive_agents import GraphBelief, repeated_astar
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

import timebound as tb
from timebound.worlds.interface import heuristic

BACKWARD = {"direction": "backward"}
AGENTS = [
    ("repeated-astar", {}),
    ("repeated-astar", BACKWARD),
    ("adaptive-astar", {}),
    ("dstar-lite", {}),
    ("dstar-lite", {"larger_g": True}),
]
every_agent = pytest.mark.parametrize(("name", "parameters"), AGENTS)


@st.composite
def road_networks(draw: st.DrawFn) -> tb.Graph:
    """Points in the plane, joined by some one-way and two-way roads that are no shorter than the straight line."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(2, 25))
    places = generator.integers(0, 50, (count, 2)).astype(float)
    edges = []
    for u, v in generator.integers(0, count, (draw(st.integers(1, 4 * count)), 2)).tolist():
        cost = max(0.25, math.dist(places[u], places[v]) * generator.choice([1.0, 1.5, 4.0]))
        edges.append((u, v, cost))
        if generator.random() < 0.7:
            edges.append((v, u, cost))
    heuristic = places if draw(st.booleans()) else None
    return tb.Graph.from_edges(edges, nodes=range(count), heuristic=heuristic)


def edges_of(world: tb.Graph) -> list[tuple[int, int, float]]:
    sources, targets = world.ends()
    return list(zip(sources.tolist(), targets.tolist(), world._costs.tolist(), strict=True))


def distance(edges: list[tuple[int, int, float]], count: int, start: int, goal: int) -> float:
    """The referee: SciPy, with the cheapest of parallel edges."""
    best: dict[tuple[int, int], float] = {}
    for u, v, cost in edges:
        best[u, v] = min(cost, best.get((u, v), math.inf))
    pairs = np.array(list(best), int).reshape(-1, 2)
    costs = np.array(list(best.values()))
    return float(dijkstra(csr_array((costs, (pairs[:, 0], pairs[:, 1])), shape=(count, count)), indices=start)[goal])


@every_agent
@given(data=st.data())
@settings(max_examples=40)
def test_known_graphs_are_crossed_at_the_least_cost(name: str, parameters: dict, data: st.DataObject) -> None:
    world = data.draw(road_networks())
    start, goal = (data.draw(st.integers(0, world.states - 1)) for _ in range(2))
    episode = tb.make(name, world, start, goal, **parameters).run(expansions=3)
    best = distance(edges_of(world), world.states, start, goal)
    assert episode.solved == (best < math.inf)
    if episode.solved:
        assert episode.cost == pytest.approx(best, rel=1e-9, abs=1e-9)


@every_agent
@given(data=st.data())
@settings(max_examples=40)
def test_hidden_blocks_are_found_and_avoided(name: str, parameters: dict, data: st.DataObject) -> None:
    """In a graph with two-way roads the agent arrives, or proves that it cannot; it never takes a blocked edge."""
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    count = data.draw(st.integers(2, 20))
    pairs = generator.integers(0, count, (3 * count, 2)).tolist()
    edges = [(u, v, float(cost)) for (u, v), cost in zip(pairs, generator.integers(1, 9, len(pairs)), strict=True)]
    world = tb.Graph.from_edges(edges, directed=False, nodes=range(count))
    agent = tb.make(name, world, 0, count - 1, terrain="partial", hidden=0.3, solvable=False, seed=7, **parameters)
    open_edges = [
        edge for edge, extra in zip(edges_of(world), agent._knowledge.truth.tolist(), strict=True) if extra == 0
    ]
    episode = agent.run()
    assert episode.solved == (distance(open_edges, count, 0, count - 1) < math.inf)
    usable = {(u, v) for u, v, _ in open_edges}
    assert all(step in usable for step in zip(episode.path, episode.path[1:], strict=False))
    if episode.solved:
        assert episode.optimal_cost == distance(open_edges, count, 0, count - 1)
        assert episode.suboptimality >= 1
    cheapest = {(u, v): min(c for a, b, c in open_edges if (a, b) == (u, v)) for u, v in usable}
    assert episode.cost == math.fsum(cheapest[step] for step in zip(episode.path, episode.path[1:], strict=False))


@every_agent
@given(data=st.data())
@settings(max_examples=30)
def test_edges_that_turn_out_dearer(name: str, parameters: dict, data: st.DataObject) -> None:
    """The agent arrives as before; what it pays is what the edges really cost."""
    world = data.draw(road_networks())
    start, goal = (data.draw(st.integers(0, world.states - 1)) for _ in range(2))
    seed = data.draw(st.integers(0, 9))
    agent = tb.make(name, world, start, goal, terrain="partial", hidden=0.4, cost_factor=3, seed=seed, **parameters)
    episode = agent.run(expansions=5)
    assert episode.solved == (distance(edges_of(world), world.states, start, goal) < math.inf)
    paid: dict[tuple[int, int], float] = {}
    for (u, v, cost), more in zip(edges_of(world), agent._knowledge.truth.tolist(), strict=True):
        assert more == 0 or more / world.unit == pytest.approx(2 * cost, rel=1e-6)
        paid[u, v] = min(cost + more / world.unit, paid.get((u, v), math.inf))
    assert episode.cost == pytest.approx(sum(paid[step] for step in zip(episode.path, episode.path[1:], strict=False)))
    if episode.solved:
        assert episode.suboptimality >= 1 - 1e-9


@pytest.mark.parametrize("backward", [False, True])
@given(road_networks(), st.booleans(), st.integers(0, 2**32))
@settings(max_examples=150)
def test_repeated_astar_equals_its_naive_twin(backward: bool, world: tb.Graph, partial: bool, seed: int) -> None:
    """The same walk, expansions and searches on graphs with one-way edges, with and without a way to the goal."""
    start, goal = np.random.default_rng(seed).integers(world.states, size=2).tolist()
    agent = tb.make(
        "repeated-astar",
        world,
        start,
        goal,
        **({"terrain": "partial", "hidden": 0.25, "solvable": False} if partial else {}),
        seed=seed,
        direction="backward" if backward else "forward",
    )
    expected = repeated_astar(GraphBelief(world, agent._knowledge.truth != 0), start, goal, backward)
    episode = agent.run(expansions=math.inf if seed % 2 else 2)
    assert episode.path == expected.path
    assert (episode.solved, episode.expansions) == (expected.solved, expected.expansions)
    assert episode.searches == expected.searches


@every_agent
@given(road_networks(), st.integers(0, 2**32))
@settings(max_examples=60)
def test_roads_that_are_blocked_and_freed_while_the_agent_searches(
    name: str, parameters: dict, world: tb.Graph, seed: int
) -> None:
    """A path that the agent has just found is a cheapest one, whatever was reported while it searched."""
    generator = np.random.default_rng(seed)
    start, goal = generator.integers(world.states, size=2).tolist()
    agent, edges, blocked = tb.make(name, world, start, goal, **parameters), edges_of(world), set()
    best, changes = 0.0, 15
    while not agent.done:
        changes -= 1
        for u, v, _ in (edges[i] for i in generator.integers(len(edges), size=3) if changes > 0):
            blocked ^= {(u, v)}
            agent.observe(**{"blocked" if (u, v) in blocked else "free": [(u, v)]})
        best = distance([(u, v, c) for u, v, c in edges if (u, v) not in blocked], world.states, start, goal)
        if agent.plan(expansions=2) != start:
            break
    if start != goal:
        assert (agent.stop == "unreachable") == math.isinf(best)
        assert agent.done or world.path_cost(np.array(agent.path)) == pytest.approx(best, rel=1e-9)


def test_a_road_freed_behind_a_backward_search_is_found() -> None:
    """The report names the state that the road leaves; the backward search has expanded the one that it enters."""
    world = tb.Graph.from_edges([("a", "b", 1), ("b", "d", 9), ("a", "c", 1), ("c", "d", 1)])
    agent = tb.make("repeated-astar", world, "a", "d", direction="backward")
    agent.observe(blocked=[("c", "d")])
    assert agent.plan(expansions=1) == "a"
    agent.observe(free=[("c", "d")])
    assert agent.plan() == "c"
    agent = tb.make("repeated-astar", world, "a", "d", direction="backward")
    agent.observe(blocked=[("c", "d"), ("b", "d")])
    assert agent.plan() == "a"
    assert agent.stop == "unreachable"


@pytest.mark.parametrize("heuristic", [{"a": 2, "b": 1, "c": 1, "d": 0}, lambda node, goal: "dcba".index(node) / 3])
def test_estimates_for_the_goal_are_not_taken_for_those_of_the_agent(heuristic: object) -> None:
    """Backward searches aim at the agent. Values serve one goal: toward the agent there is no estimate."""
    world = tb.Graph.from_edges([("a", "b", 1), ("b", "d", 2), ("a", "c", 2), ("c", "d", 1.5)], heuristic=heuristic)
    episode = tb.make("repeated-astar", world, "a", "d", direction="backward").run()
    assert (episode.path, episode.cost) == (["a", "b", "d"], 3)


@every_agent
def test_a_node_that_very_many_edges_enter(name: str, parameters: dict) -> None:
    """Open lists must grow by as many entries as a state has predecessors, not only successors."""
    count = 100_000
    edges = [(node, 0, 2.0 if node == 1 else 1.0) for node in range(1, count)]
    episode = tb.make(name, tb.Graph.from_edges(edges, nodes=range(count)), 1, 0, **parameters).run()
    assert (episode.solved, episode.cost) == (True, 2.0)


def test_dearer_edges_are_found_by_going_there() -> None:
    world = tb.Graph.from_edges([(i, i + 1, 1) for i in range(50)], directed=False)
    episode = tb.make("dstar-lite", world, 0, 50, terrain="partial", hidden=0.5, cost_factor=4).run()
    assert (episode.moves, episode.cost) == (50, 50 + 3 * 25)


@every_agent
@given(data=st.data())
@settings(max_examples=60)
def test_the_fallback_is_the_reachable_node_nearest_to_the_goal(
    name: str, parameters: dict, data: st.DataObject
) -> None:
    """Also where edges are one-way: what counts is what can be reached from where the agent is in the end."""
    world = data.draw(road_networks())
    start, goal = (data.draw(st.integers(0, world.states - 1)) for _ in range(2))
    partial = {"terrain": "partial", "hidden": 0.3, "solvable": False, "seed": data.draw(st.integers(0, 9))}
    terrain = partial if data.draw(st.booleans()) else {}
    agent = tb.make(name, world, start, goal, fallback="nearest", **terrain, **parameters)
    plain = tb.make(name, world, start, goal, **terrain, **parameters).run()
    episode = agent.run(expansions=data.draw(st.sampled_from([1, 5, math.inf])))
    assert (episode.stop, episode.path[: len(plain.path)]) == (plain.stop, plain.path)
    if episode.stop == "unreachable":
        truth = agent._knowledge.truth.tolist()
        usable = [edge for edge, extra in zip(edges_of(world), truth, strict=True) if extra == 0]
        steps = zip(episode.path, episode.path[1:], strict=False)
        assert {(u, v) for u, v, _ in usable}.issuperset(steps)
        aimed = world.compiled(goal)
        near = [node for node in range(world.states) if distance(usable, world.states, agent.position, node) < math.inf]
        assert heuristic(aimed, agent.position) == min(heuristic(aimed, node) for node in near)


TOWN = [("a", "b", 1), ("b", "d", 1), ("a", "c", 1.5), ("c", "d", 2), ("b", "c", 1)]


@every_agent
def test_a_program_reports_edges(name: str, parameters: dict) -> None:
    world = tb.Graph.from_edges(TOWN, directed=False)
    agent = tb.make(name, world, "a", "d", **parameters)
    assert agent.plan() == "b"
    agent.observe(blocked=[("a", "b")])
    assert agent.plan() == "c"
    assert agent.path == ["a", "c", "d"]
    agent.moved("c")
    agent.observe(costs={("c", "d"): 9.0})
    assert agent.plan() == "b"
    agent.moved("b")
    agent.plan()
    agent.moved("d")
    assert agent.done
    assert agent.episode().path == ["a", "c", "b", "d"]
    assert agent.episode().cost == 3.5


@every_agent
def test_an_edge_that_is_free_again_is_used_again(name: str, parameters: dict) -> None:
    world = tb.Graph.from_edges(TOWN, directed=False)
    agent = tb.make(name, world, "a", "d", **parameters)
    agent.observe(blocked=[("b", "d"), ("c", "d")])
    agent.plan()
    assert agent.stop == "unreachable"
    agent = tb.make(name, world, "a", "d", **parameters)
    agent.observe(blocked=[("b", "d")])
    assert agent.plan() == "c"
    agent.observe(free=[("b", "d")], blocked=[("c", "d")])
    assert agent.plan() == "b"


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"blocked": [("a", "d")]}, "the graph has no edge 'a' -> 'd'"),
        ({"blocked": ["a"]}, "an edge is a pair of labels"),
        ({"blocked": [("a", "z")]}, "the graph has no node 'z'"),
        (
            {"costs": {("a", "b"): -1.0}},
            "the cost of the edge 'a' -> 'b' must be a number above 0 and up to .*, not -1.0",
        ),
        ({"costs": {("a", "b"): math.nan}}, "must be a number above 0 and up to .*, not nan"),
        (
            {"costs": {("a", "b"): 1e17, ("b", "a"): 1e17}},
            "the cost of the edge 'b' -> 'a' is too large for the others: costs may rise",
        ),
        ({"blocked": [("a", "b")], "free": [("a", "b")]}, "is reported both blocked and free"),
    ],
)
def test_impossible_reports_are_refused(what: dict, message: str) -> None:
    agent = tb.make("dstar-lite", tb.Graph.from_edges(TOWN, directed=False), "a", "d")
    with pytest.raises(tb.ProblemError, match=message):
        agent.observe(**what)


@pytest.mark.parametrize("heuristic", [dict(zip("abcd", [2, 1, 2, 0], strict=True)), [(0, 0), (0, 1), (0, 2), (1, 1)]])
def test_a_cost_does_not_fall_below_the_heuristic(heuristic: object) -> None:
    """Agents rely on a consistent h; a map without one is refused for the same reason."""
    nodes = ["a", "b", "d", "c"] if isinstance(heuristic, list) else []
    world = tb.Graph.from_edges([(u, v, cost + 1.5) for u, v, cost in TOWN], nodes=nodes, heuristic=heuristic)
    agent = tb.make("dstar-lite", world, "a", "d")
    agent.observe(costs={("a", "b"): 1.25, ("b", "d"): 1})
    with pytest.raises(tb.ProblemError, match=r"'a' -> 'b' cannot fall to 0.75: the heuristic requires at least 1"):
        agent.observe(costs={("a", "b"): 0.75})
    assert agent.plan() == "b"


def test_dstar_lite_wants_moves_that_cost_something() -> None:
    world = tb.Graph.from_edges([("a", "b", 0), ("b", "c", 1)], directed=False)
    with pytest.raises(tb.ProblemError, match="needs moves that cost more than 0"):
        tb.make("dstar-lite", world, "a", "c")
    assert tb.make("adaptive-astar", world, "a", "c").run().cost == 1.0


def test_what_graphs_do_not_have_is_refused() -> None:
    world = tb.Graph.from_edges(TOWN, directed=False)
    with pytest.raises(tb.ProblemError, match="a graph cannot be unknown"):
        tb.make("dstar-lite", world, "a", "d", terrain="unknown")
    with pytest.raises(tb.ProblemError, match="cost_factor is a factor from above 1"):
        tb.make("dstar-lite", world, "a", "d", terrain="partial", cost_factor=0.5)
    with pytest.raises(tb.ProblemError, match="cost_factor is for graphs"):
        tb.make("dstar-lite", tb.Grid(np.ones((3, 3), bool)), (0, 0), (2, 2), terrain="partial", cost_factor=2)
    with pytest.raises(tb.ProblemError, match="radius is for grids"):
        tb.make("dstar-lite", world, "a", "d", terrain="partial", radius=3)
    with pytest.raises(tb.ProblemError, match="only on a grid"):
        tb.make("dstar-lite", world, "a", "d").knows()
