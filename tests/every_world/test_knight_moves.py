"""Grids of 16 neighbours: every agent arrives, or proves that it cannot. Compiled, that takes as long as all agents."""

import hypothesis.strategies as st
import pytest
from agent_worlds import AGENTS, BUDGETS, Problem, check_episode, problems
from hypothesis import given, settings


@pytest.mark.parametrize("terrain", ["known", "unknown", "partial"])
@given(problems(side=7, neighbors=(16,)), st.sampled_from(BUDGETS), st.integers(0, 99), st.data())
@settings(max_examples=50)
def test_agents_with_knight_moves_arrive_or_prove_that_they_cannot(
    terrain: str, problem: Problem, budget: dict, seed: int, data: st.DataObject
) -> None:
    takers = [(name, parameters) for name, taken, parameters in AGENTS if taken == terrain]
    name, parameters = data.draw(st.sampled_from(takers))
    agent = problem.make(name, terrain, seed=seed, solvable=False, **parameters)
    check_episode(agent, agent.run(**budget), problem)
