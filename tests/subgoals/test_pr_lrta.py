"""PR LRTA*: against plain Python, and what it must do when its knowledge is wrong."""

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import Problem, check_walk, grid, problems
from changing_maps import drive_through_changes
from hypothesis import given, settings
from naive_agents import Belief, reachable
from naive_subgoals import pr_lrta

import timebound as tb
from timebound.maps import rooms
from timebound.subgoals.abstraction import Abstraction

MOST = 2000
levels, depths, gammas = st.integers(1, 4), st.sampled_from([1, 2, 3, 5, 10]), st.sampled_from([0.2, 0.6, 1.0])


@given(problems(side=14), levels, depths, gammas)
@settings(max_examples=80)
def test_the_same_moves_as_the_plain_twin(problem: Problem, level: int, depth: int, gamma: float) -> None:
    world = problem.world
    ends = world.state(problem.start), world.state(problem.goal)
    walk = pr_lrta(Belief(world, world.passable, world.passable), *ends, level, depth, gamma, MOST)
    agent = problem.make("pr-lrta", level=level, depth=depth, gamma=gamma)
    episode = agent.run(intervals=2 * MOST)
    assert [world.state(cell) for cell in episode.path] == walk.path
    assert episode.solved == walk.solved == (problem.goal in reachable(world, problem.start))
    assert (episode.expansions, episode.searches) == (walk.expansions, walk.searches)
    check_walk(agent, episode)


@given(problems(side=12), levels, depths, gammas, st.integers(0, 2**32), st.sampled_from([1, 4, 1000]))
@settings(max_examples=100)
def test_it_arrives_or_proves_that_it_cannot_when_the_map_has_changed(
    problem: Problem, level: int, depth: int, gamma: float, seed: int, expansions: int
) -> None:
    """Cells are blocked and freed under way, and the agent is told: its abstract map is that of another one."""
    agent = problem.make("pr-lrta", level=level, depth=depth, gamma=gamma)
    drive_through_changes(agent, problem, seed, expansions=expansions)


@given(problems(side=12), levels, depths, st.sampled_from([{"expansions": 1}, {"virtual_ms": 0.0005}, {"ms": 1e-6}]))
@settings(max_examples=60)
def test_small_budgets_only_take_longer(problem: Problem, level: int, depth: int, budget: dict) -> None:
    # Without a lookahead of its own: a small budget cuts that short, and with it the walk is another one.
    walks = [problem.make("pr-lrta", level=level, depth=1).run(**given) for given in ({}, budget)]
    assert walks[0].path == walks[1].path
    assert walks[0].intervals <= walks[1].intervals
    assert problem.make("pr-lrta", level=level, depth=depth).run(**budget).solved == walks[0].solved


def test_it_stays_in_its_corridor() -> None:
    """The searches for one move touch two regions and their surroundings, however large the map is."""
    world = tb.Grid(rooms(200, 200, 20, seed=2).passable)
    (start, goal) = ((int(x), int(y)) for y, x in np.argwhere(world.passable)[[0, -1]])
    agent = tb.make("pr-lrta", world, start, goal, level=4, depth=3)
    sizes, regions = Abstraction.of(world).level(4).sizes, Abstraction.of(world).regions(4)
    while not agent.done:
        agent.step()
        reached = np.flatnonzero(agent.reached() >= 0)
        assert len(np.unique(regions[reached])) <= 20
        assert len(reached) <= 8 * 2 * sizes.max()
    assert agent.stop == "goal"


def test_at_the_top_it_is_astar() -> None:
    world = tb.Grid.load("harbour")
    episode = tb.make("pr-lrta", world, (12, 100), (180, 14), level=99).run()
    assert episode.cost == pytest.approx(tb.shortest_path(world, (12, 100), (180, 14)).cost)


def test_trials_end_with_a_path_that_stays_the_same() -> None:
    agent = tb.make("pr-lrta", tb.Grid.load("harbour"), (12, 100), (180, 14), level=3, depth=1)
    episodes = [agent.run()]
    while len(episodes) < 2 or episodes[-1].path != episodes[-2].path:
        agent.reset()
        episodes.append(agent.run())
        assert len(episodes) < 200
    assert episodes[-1].cost < episodes[0].cost


def test_bad_input() -> None:
    world = grid("....", "....")
    for name in ("level", "depth"):
        for value in (0, -1, 1.5, True, "low", None):
            with pytest.raises(tb.ProblemError, match=f"{name} is a whole number above 0, not"):
                tb.make("pr-lrta", world, (0, 0), (3, 1), **{name: value})
    for gamma in (0, 1.1, -1, float("nan"), "x", None):
        with pytest.raises(tb.ProblemError, match=r"gamma, the weight of costs .* is from 0.01 to 1, not"):
            tb.make("pr-lrta", world, (0, 0), (3, 1), gamma=gamma)
    graph = tb.Graph([0, 1, 2], [1, 0], [1.0, 1.0])
    with pytest.raises(tb.ProblemError, match="agent 'pr-lrta' needs a grid, not a"):
        tb.make("pr-lrta", graph, 0, 1)
    with pytest.raises(tb.ProblemError, match="'pr-lrta' supports only known terrain"):
        tb.make("pr-lrta", world, (0, 0), (3, 1), terrain="partial")
