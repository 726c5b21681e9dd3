"""What every agent must do in every world: arrive or prove that it cannot, by legal moves, within its budget."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import (
    AGENTS,
    BUDGETS,
    COMPLETE,
    COMPLETE_EXPLORERS,
    EXPLORERS,
    OPTIMAL,
    Problem,
    check_episode,
    figures,
    free_cells,
    problems,
)
from hypothesis import given, settings
from naive_agents import reachable

import timebound as tb
from timebound.maps import maze

IDS = ["-".join([name, terrain, *map(str, parameters.values())]) for name, terrain, parameters in AGENTS]
EXPLORING = ["repeated-astar", "adaptive-astar", "dstar-lite"]
every_agent = pytest.mark.parametrize(("name", "terrain", "parameters"), AGENTS, ids=IDS)


@every_agent
@given(problems(side=10), st.sampled_from(BUDGETS), st.integers(0, 99), st.booleans())
@settings(max_examples=100)
def test_agents_arrive_or_prove_that_they_cannot(
    name: str, terrain: str, parameters: dict, problem: Problem, budget: dict, seed: int, solvable: bool
) -> None:
    if terrain == "partial":
        parameters = {"solvable": solvable and problem.goal in reachable(problem.world, problem.start), **parameters}
        parameters["hidden"] = 0.05 if parameters["solvable"] else 0.2
    agent = problem.make(name, terrain, seed=seed, **parameters)
    episode = agent.run(**budget)
    check_episode(agent, episode, problem)
    assert episode.solved or not parameters.get("solvable")
    assert episode.intervals >= episode.moves
    if budget == {"expansions": math.inf} and terrain == "known" and problem.start != problem.goal:
        assert episode.intervals == episode.moves + 1
    # The same again, bit for bit; `step` by `step`, it keeps to its budget.
    again = problem.make(name, terrain, seed=seed, **parameters)
    expansions = 0
    while not again.done:
        again.step(**budget)
        spent = again.episode().expansions - expansions
        assert spent <= budget.get("expansions", math.inf)
        expansions += spent
    assert figures(again.episode()) == figures(episode)


@pytest.mark.parametrize(("name", "parameters"), OPTIMAL)
@given(
    problems(side=11, heuristics=("auto", "euclidean", "none"))
    | problems(side=11, heuristics=("auto", "euclidean"), travel=(1.0, 1.5, 2.0, 7.25)),
    st.sampled_from(BUDGETS),
)
@settings(max_examples=100)
def test_the_cost_in_known_terrain_is_optimal(name: str, parameters: dict, problem: Problem, budget: dict) -> None:
    best = tb.shortest_path(problem.world, problem.start, problem.goal)
    episode = problem.make(name, **parameters).run(**budget)
    assert episode.solved == best.solved
    assert not best.solved or episode.cost == pytest.approx(best.cost, rel=1e-6)
    assert episode.searches == (problem.start != problem.goal)


@given(problems(side=10), st.floats(1, 5))
@settings(max_examples=100)
def test_the_cost_of_weighted_agents_is_within_their_bound(problem: Problem, weight: float) -> None:
    best = tb.shortest_path(problem.world, problem.start, problem.goal)
    if best.solved:
        assert problem.make("wastar", weight=weight).run().cost <= weight * best.cost * (1 + 1e-6)
        assert problem.make("gbfs").run().solved


@given(problems(side=11))
@settings(max_examples=150)
def test_explorers_follow_cheapest_believed_paths(problem: Problem) -> None:
    """Whenever an agent searches, it ends with a cheapest path in the world as it believes it to be."""
    for name, parameters in COMPLETE_EXPLORERS:
        agent = problem.make(name, "unknown", **parameters)
        searches = 0
        while not agent.done:
            agent.step()
            if agent.done:
                break
            episode = agent.episode()
            if episode.searches > searches or name == "dstar-lite":
                searches = episode.searches
                believed = problem.world.with_map(agent.knows() != 2)
                path = agent.path
                assert path[0] == agent.position
                assert path[-1] == problem.goal
                cost = believed.path_cost(np.array([believed.state(cell) for cell in path]))
                best = tb.shortest_path(believed, agent.position, problem.goal)
                assert cost == pytest.approx(best.cost, rel=1e-6)


def test_dstar_lite_that_prefers_the_larger_g_first_expands_what_astar_does() -> None:
    empty, start, goal = tb.Grid(np.ones((200, 400), bool)), (10, 10), (300, 150)
    expansions = {
        larger_g: tb.make("dstar-lite", empty, start, goal, terrain="unknown", larger_g=larger_g).run().expansions
        for larger_g in (False, True)
    }
    search = tb.Search(empty, start, goal)
    search.advance()
    assert expansions[True] == search.expansions == 290
    assert expansions[False] == 21_290  # every state on a cheapest path


@given(problems(side=11, neighbors=(4,)), st.booleans())
@settings(max_examples=100)
def test_dstar_lite_counts_how_often_its_path_is_cut(problem: Problem, larger_g: bool) -> None:
    """As the RTAA* paper does (section 7): a search episode begins when a move on the path becomes impossible."""
    agent = problem.make("dstar-lite", "unknown", larger_g=larger_g)
    walls = {(int(x), int(y)) for y, x in np.argwhere(~problem.world.passable)}
    cuts, path = 0, set[tuple[int, int]]()
    while not agent.done:
        x, y = agent.position
        near = {(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)}
        blocked = near & walls
        agent.observe(blocked=blocked)
        cuts += not path.isdisjoint(blocked)
        move = agent.plan()
        path = set(agent.path)
        if not agent.done:
            agent.moved(move)
    assert agent.episode().searches == (problem.start != problem.goal) + cuts


@pytest.mark.parametrize("neighbors", [4, 8])
def test_learning_and_repairing_spare_expansions(neighbors: int) -> None:
    """The same order as in the papers' tables: D* Lite, Adaptive A*, Repeated A*; the paths cost much the same."""
    expansions, costs = dict.fromkeys(EXPLORING, 0), dict.fromkeys(EXPLORING, 0.0)
    for seed in range(20):
        world = tb.Grid(maze(41, 41, seed=seed).passable, neighbors=neighbors)
        for name in EXPLORING:
            episode = tb.make(name, world, (1, 1), (39, 39), terrain="unknown").run()
            assert episode.solved
            expansions[name] += episode.expansions
            costs[name] += episode.cost
    assert expansions["dstar-lite"] < expansions["adaptive-astar"] < expansions["repeated-astar"]
    assert max(costs.values()) < 1.1 * min(costs.values())


@pytest.mark.parametrize(("name", "parameters"), EXPLORERS)
@given(
    problems(side=11),
    st.integers(0, 2**32),
    st.sampled_from([{}, {"radius": 2}, {"radius": 3, "line_of_sight": True}, {"line_of_sight": True}]),
    st.sampled_from(BUDGETS),
)
@settings(max_examples=80)
def test_no_agent_peeks(name: str, parameters: dict, problem: Problem, seed: int, sensor: dict, budget: dict) -> None:
    """Changing the world in cells that the agent did not see changes nothing."""
    agent = problem.make(name, "unknown", **parameters, **sensor)
    episode = agent.run(**budget)
    passable = problem.world.passable.copy()
    unseen = agent.knows() == 0
    passable[unseen] ^= np.random.default_rng(seed).random(unseen.sum()) < 0.5
    for x, y in (problem.start, problem.goal):
        passable[y, x] = True
    other = Problem(problem.world.with_map(passable), problem.start, problem.goal)
    assert figures(other.make(name, "unknown", **parameters, **sensor).run(**budget)) == figures(episode)


@pytest.mark.parametrize(("name", "parameters"), EXPLORERS)
@given(problems(side=10), st.integers(0, 2**32))
@settings(max_examples=80)
def test_the_moves_so_far_depend_only_on_what_was_seen_so_far(
    name: str, parameters: dict, problem: Problem, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    agent = problem.make(name, "unknown", **parameters)
    for _ in range(int(generator.integers(1, 8))):
        agent.step(expansions=5)
    passable = problem.world.passable.copy()
    unseen = agent.knows() == 0
    passable[unseen] ^= generator.random(unseen.sum()) < 0.5
    for x, y in (problem.start, problem.goal):
        passable[y, x] = True
    other = Problem(problem.world.with_map(passable), problem.start, problem.goal).make(name, "unknown", **parameters)
    for _ in range(len(agent.episode().path) + agent.episode().intervals):
        if other.episode().intervals == agent.episode().intervals:
            break
        other.step(expansions=5)
    assert figures(other.episode()) == figures(agent.episode())


@every_agent
def test_what_is_seen_is_true_and_what_is_known_is_not_all(name: str, terrain: str, parameters: dict) -> None:
    passable = np.random.default_rng(5).random((20, 20)) >= 0.2
    passable[0, 0] = passable[19, 19] = True
    agent = tb.make(name, tb.Grid(passable), (0, 0), (19, 19), terrain=terrain, **parameters)
    agent.run(expansions=20)
    seen = agent.knows()
    assert (agent.truth.passable[seen == 1]).all()
    assert not (agent.truth.passable[seen == 2]).any()
    assert (seen == 0).any()
    assert len(free_cells(seen > 0)) > 20


def test_a_budget_of_real_milliseconds_ends_too() -> None:
    """Even a deadline that has passed before the search begins."""
    world = tb.Grid.load("harbour")
    for name, parameters in EXPLORERS:
        episodes = [
            tb.make(name, world, (12, 100), (60, 70), terrain="unknown", **parameters).run(ms=ms)
            for ms in (1e-6, 0.05, math.inf)
        ]
        if name in COMPLETE:
            assert len({tuple(episode.path) for episode in episodes}) == 1
            assert episodes[0].intervals > episodes[2].intervals
        assert all(episode.solved for episode in episodes)
