"""Work after a search also keeps the deadline: long paths are copied over several intervals."""

import math
from itertools import pairwise

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import AGENTS, COMPLETE, Problem, grid, legal, problems
from hypothesis import given, settings

import timebound as tb
from timebound.agents.body import PACE
from timebound.search.best_first import GLANCE

NO_TIME = {"ms": 1e-6}  # over as soon as it is looked at
FORWARD = [each for each in AGENTS if each[0] in COMPLETE - {"dstar-lite"}]


def corridor(length: int) -> tb.Grid:
    return tb.Grid(np.ones((1, length), bool), neighbors=4)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [(name, given) for name, terrain, given in AGENTS if terrain == "known" and name in COMPLETE],
)
def test_a_long_path_is_taken_over_in_many_intervals(name: str, parameters: dict) -> None:
    world, length = corridor(3000), 3000
    agent = tb.make(name, world, (0, 0), (length - 1, 0), **parameters)
    searching = 0
    while agent.episode().expansions < length - 1:
        agent.plan(**NO_TIME)
        searching += 1
    assert searching == math.ceil((length - 1) / GLANCE)
    waiting = 0
    while not agent.path:
        agent.plan(**NO_TIME)
        waiting += 1
    # Traced, then taken over, in the interval of the search and the following ones; D* Lite has no path to trace, and
    # what reuses paths links them, too.
    passes = {"dstar-lite": 0, "mpaa": 3, "mpgaa": 3}.get(name, 2)
    assert waiting == pytest.approx(passes * length / PACE, abs=3 if passes else 0)
    assert agent.episode().expansions == length - 1
    assert list(agent.path) == [(x, 0) for x in range(length)]
    assert agent.run(**NO_TIME).solved


@pytest.mark.parametrize("terrain", ["known", "unknown"])
def test_what_is_learned_while_a_path_is_taken_over(terrain: str) -> None:
    """A cell of the path is blocked after the search has found it: the agent does not walk into it."""
    world = tb.Grid(np.ones((2, 1000), bool), neighbors=4)
    agent = tb.make("repeated-astar", world, (0, 0), (999, 0), terrain=terrain)
    while agent.reached().reshape(2, 1000)[0, 999] < 0:
        agent.plan(**NO_TIME)
    for _ in range(30):
        agent.plan(**NO_TIME)
    assert list(agent.path) == []
    agent.observe(blocked=[(500, 0)])
    while not agent.done:
        agent.moved(agent.plan(**NO_TIME))
    episode = agent.episode()
    assert (agent.stop, episode.searches, episode.moves) == ("goal", 2, 999 + 2)
    assert (500, 0) not in episode.path


@pytest.mark.parametrize("name", ["astar", "late-astar"])
def test_the_nearest_state_is_looked_for_in_many_intervals(name: str) -> None:
    passable = np.ones((100, 100), bool)
    passable[:, 60] = False
    world = tb.Grid(passable, neighbors=4)
    episodes = [tb.make(name, world, (0, 50), (99, 50), fallback="nearest").run(**budget) for budget in ({}, NO_TIME)]
    assert [(episode.stop, episode.path[-1]) for episode in episodes] == [("unreachable", (59, 50))] * 2
    assert episodes[1].intervals > episodes[1].expansions / GLANCE + 100 * 100 / 512


def test_who_is_put_onto_the_nearest_state_so_far_has_not_arrived() -> None:
    world = grid("." * 600 + "#" + "." * 600, neighbors=4)
    agent = tb.make("repeated-astar", world, (0, 0), (1200, 0), fallback="nearest")
    while agent.plan(**NO_TIME) == (0, 0) and agent.episode().expansions < 600:
        pass
    for _ in range(2):
        agent.plan(**NO_TIME)
    for x in (511, 512, 300):
        agent.moved((x, 0))
        assert agent.stop == "going"
    while not agent.done:
        agent.moved(agent.plan(**NO_TIME))
    assert (agent.stop, agent.position) == ("unreachable", (599, 0))


@pytest.mark.parametrize(("name", "terrain", "parameters"), FORWARD)
@given(problems(side=12), st.integers(0, 9))
@settings(max_examples=40)
def test_agents_without_time_walk_the_same_ways(
    name: str, terrain: str, parameters: dict, problem: Problem, seed: int
) -> None:
    hurried, easy = (problem.make(name, terrain, seed=seed, solvable=False, **parameters) for _ in range(2))
    episode = hurried.run(**NO_TIME)
    assert episode.stop == easy.run().stop
    assert all(legal(hurried.truth, *move) for move in pairwise(episode.path))
    if name != "late-astar":
        assert episode.path == easy.episode().path
