"""What agents that prepare the map share with all others: fallback, record of intervals, other kinds of grids."""

import hypothesis.strategies as st
import pytest
from agent_worlds import Problem, check_walk, grid, problems
from hypothesis import given, settings
from naive_agents import reachable

import timebound as tb

AGENTS = ["d-lrta", "pr-lrta"]
ISLAND = grid("....#..", "....#..", "....###", ".......")


def test_the_fallback_is_the_nearest_state() -> None:
    agent = tb.make("d-lrta", ISLAND, (0, 3), (6, 0), fallback="nearest")
    episode = agent.run(expansions=5)
    assert (episode.stop, episode.solved) == ("unreachable", False)
    assert agent.position == (3, 0)


@pytest.mark.parametrize("name", AGENTS)
def test_what_cannot_be_reached_is_known_at_once(name: str) -> None:
    episode = tb.make(name, ISLAND, (0, 3), (6, 0)).run()
    assert (episode.stop, episode.moves, episode.searches) == ("unreachable", 0, 1)


@pytest.mark.uncompiled
@pytest.mark.parametrize("name", AGENTS)
def test_the_record_of_intervals(name: str) -> None:
    episode = tb.make(name, tb.Grid.load("harbour"), (12, 100), (40, 90)).run(expansions=20, trace=True)
    assert len(episode.trace) == episode.intervals
    walked = [step.position for step in episode.trace]
    assert [cell for i, cell in enumerate(walked) if i == 0 or walked[i - 1] != cell] == list(episode.path)


@pytest.mark.parametrize("name", AGENTS)
@given(problems(side=10, neighbors=(8,), travel=(1.0, 1.5, 7.25)), st.integers(1, 3))
@settings(max_examples=40)
def test_cells_that_cost_more(name: str, problem: Problem, level: int) -> None:
    episode = problem.make(name, level=level).run(expansions=9, intervals=100_000)
    assert episode.solved == (problem.goal in reachable(problem.world, problem.start))


@pytest.mark.parametrize("name", AGENTS)
def test_walks_on_a_built_in_map(name: str) -> None:
    world = tb.Grid.load("harbour", corners="cut")
    for start, goal in [((12, 100), (180, 14)), ((180, 14), (12, 100)), ((60, 70), (160, 30))]:
        agent = tb.make(name, world, start, goal, level=3 if name == "d-lrta" else 6)
        episode = agent.run()
        check_walk(agent, episode)
        assert episode.cost < 1.5 * tb.shortest_path(world, start, goal).cost
