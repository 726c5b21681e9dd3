"""The compiled agents against plain Python: the same moves, expansions and searches."""

from functools import partial

import hypothesis.strategies as st
import pytest
from agent_worlds import Problem, problems
from hypothesis import given, settings
from naive_agents import Belief, Walk, dstar_lite, repeated_astar

TWINS = {
    "forward": ("repeated-astar", {}, repeated_astar),
    "backward": (
        "repeated-astar",
        {"direction": "backward"},
        partial(repeated_astar, backward=True),
    ),
    "adaptive": (
        "adaptive-astar",
        {},
        partial(repeated_astar, adaptive=True),
    ),
    "dstar-lite": ("dstar-lite", {}, dstar_lite),
    "dstar-lite, larger g": ("dstar-lite", {"larger_g": True}, partial(dstar_lite, larger_g=True)),
}


def compare(problem: Problem, terrain: str, seed: int, twin: str) -> None:
    name, parameters, naive = TWINS[twin]
    agent = problem.make(name, terrain, seed=seed, hidden=0.2, solvable=False, **parameters)
    world = problem.world
    assumed = world.without_obstacles if terrain == "unknown" else world
    belief = Belief(world, assumed.passable.copy(), agent.truth.passable)
    start, goal = world.state(problem.start), world.state(problem.goal)
    expected: Walk = naive(belief, start, goal)
    episode = agent.run()
    assert [world.state(cell) for cell in episode.path] == expected.path
    assert episode.solved == expected.solved
    assert episode.expansions == expected.expansions
    if start != goal:
        assert episode.searches == expected.searches


@pytest.mark.parametrize("twin", TWINS)
@given(problems(side=11), st.sampled_from(["known", "unknown", "unknown", "partial"]), st.integers(0, 9))
@settings(max_examples=300)
def test_agents_equal_their_naive_twins(twin: str, problem: Problem, terrain: str, seed: int) -> None:
    compare(problem, terrain, seed, twin)


@pytest.mark.parametrize("twin", TWINS)
@given(problems(neighbors=(16,)), st.sampled_from(["unknown", "partial"]), st.integers(0, 9))
@settings(max_examples=25)
def test_agents_with_knight_moves_equal_their_naive_twins(twin: str, problem: Problem, terrain: str, seed: int) -> None:
    compare(problem, terrain, seed, twin)
