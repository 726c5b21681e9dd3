"""LSS-LRTA* with f-hat: its twin, its guarantees, dynamic lookahead."""

import math
from typing import Any

import numpy as np
import pytest
from naive_agents import GraphBelief
from naive_expected import fhat

import timebound as tb
from timebound.agents.algorithms.fhat import CAREFUL, RATE
from timebound.worlds.interface import heuristic

WORDS = ("fhat", "dynamic-fhat")


def town(seed: int) -> tuple[tb.Graph, int, int]:
    """A graph with random costs, so that nothing is equal by chance; h is some share of the true cost."""
    generator = np.random.default_rng([55, seed])
    nodes = int(generator.integers(10, 60))
    edges = {(i, (i + 1) % nodes) for i in range(nodes)}
    edges |= {tuple(generator.integers(nodes, size=2).tolist()) for _ in range(2 * nodes)}
    costs = {pair: int(generator.integers(1000, 1_000_000)) for pair in sorted(edges) if pair[0] != pair[1]}
    distance = np.full((nodes, nodes), 1 << 50)
    np.fill_diagonal(distance, 0)
    for (u, v), cost in costs.items():
        distance[u, v] = cost
    for k in range(nodes):
        distance = np.minimum(distance, distance[:, k, None] + distance[None, k])
    start, goal = generator.choice(nodes, 2, replace=False).tolist()
    share = generator.choice([0.0, 0.3, 0.7])
    h = {node: float(np.floor(distance[node, goal] * share)) for node in range(nodes)}
    graph = tb.Graph.from_edges([(*pair, cost) for pair, cost in costs.items()], nodes=range(nodes), heuristic=h)
    return graph, start, goal


class Town(GraphBelief):
    """It keeps an h that is made for one goal."""

    def h(self, state: int, goal: int) -> int:
        return int(heuristic(self.world.compiled(goal), state))


def equals(seed: int) -> bool:
    world, start, goal = town(seed)
    lookahead, movements = [(1, 1), (4, 1), (4, math.inf), (20, 3)][seed % 4]
    agent = tb.make("fhat", world, start, goal, lookahead=lookahead, movements=movements)
    episode = agent.run(intervals=5000)
    belief = Town(world, np.zeros(len(world.compiled_map.edges), bool))
    aimed, target = world.aim(goal)
    expected = fhat(belief, aimed.state(start), target, world.highest_cost, lookahead, movements, 5000)
    assert [aimed.state(place) for place in episode.path] == expected.path, seed
    assert (episode.expansions, episode.searches, episode.solved) == (expected.expansions, expected.searches, True)
    errors = agent._memory["errors"].array
    return bool(errors[RATE])


@pytest.mark.uncompiled
def test_it_equals_its_naive_twin() -> None:
    assert sum(equals(seed) for seed in range(120)) > 80


def test_it_equals_its_naive_twin_compiled() -> None:
    for seed in range(400):
        equals(seed)


def problem(seed: int) -> tuple[tb.Grid, Any, Any]:
    generator = np.random.default_rng([56, seed])
    passable = generator.random((12, 14)) >= generator.choice([0.1, 0.3, 0.4])
    cells = [(x, y) for y, x in np.argwhere(passable).tolist()]
    start, goal = (cells[i] for i in generator.integers(len(cells), size=2))
    return tb.Grid(passable, neighbors=int(generator.choice([4, 8]))), start, goal


@pytest.mark.uncompiled
@pytest.mark.parametrize("name", WORDS)
def test_h_stays_a_lower_bound(name: str) -> None:
    careful = 0
    for seed in range(40):
        world, start, goal = problem(seed)
        agent = tb.make(name, world, start, goal)
        solved = agent.run(expansions=1 + seed % 5, intervals=20_000).solved
        assert solved == tb.shortest_path(world, start, goal).solved
        careful += agent._memory["errors"].array[CAREFUL]
        h = agent.h()
        for y, x in np.argwhere(world.passable).tolist():
            path = tb.shortest_path(world, (x, y), goal)
            assert not path.solved or h[world.state((x, y))] <= round(path.cost * world.unit) + 1


@pytest.mark.uncompiled
@pytest.mark.parametrize("name", WORDS)
def test_the_checker_finds_nothing(name: str) -> None:
    assert tb.check_agent(name, problems=10) == []


@pytest.mark.uncompiled
def test_a_dynamic_lookahead_lasts_as_long_as_the_path() -> None:
    world = tb.Grid(np.ones((5, 60), bool))
    agent = tb.make("dynamic-fhat", world, (0, 2), (59, 2))
    spent, moved = [], []
    while not agent.done:
        before = agent.episode().searches, agent.episode().expansions
        agent.step(expansions=3)
        after = agent.episode()
        spent.append(after.expansions - before[1])
        moved.append(after.moves)
    assert max(spent) <= 3
    assert moved == list(range(len(moved)))  # it never stops to think
    single = tb.make("fhat", world, (0, 2), (59, 2)).run(expansions=3)
    assert agent.episode().searches < single.searches


@pytest.mark.uncompiled
def test_dynamic_lookahead_suits_other_agents_that_learn() -> None:
    kind = tb.variant("dynamic-lss-lrta", like="lss-lrta", lookahead="ahead")
    assert tb.check_agent(kind, problems=6) == []
    with pytest.raises(tb.ProblemError, match="must learn"):
        tb.make(tb.variant("x", like=kind, learning="none"), *problem(0))
    with pytest.raises(tb.ProblemError, match="leave out movements"):
        tb.make("dynamic-fhat", *problem(0), movements=2)


@pytest.mark.uncompiled
def test_its_parts_go_together() -> None:
    for role in ("order", "learning", "target"):
        with pytest.raises(tb.ProblemError, match="go together"):
            tb.make("lss-lrta", *problem(0), **{role: "expected"})
    agent = tb.make("fhat", *problem(0))
    agent.step(expansions=5)
    agent.set(lookahead=3)  # its memory stays
    assert agent.run(expansions=5).solved
