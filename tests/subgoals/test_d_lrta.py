"""D LRTA*: against plain Python, and what it must do when its knowledge is wrong."""

import itertools

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import Problem, check_walk, grid, problems
from changing_maps import drive_through_changes
from hypothesis import given, settings
from naive_agents import Belief, reachable
from naive_subgoals import d_lrta, paths_toward, regions_at, representatives

import timebound as tb
from timebound.subgoals.abstraction import NO_REGION
from timebound.subgoals.regions import HERE, MOST_DEPTH, NO_WAY, RegionSubgoals

MOST = 2000
BAY = (
    "................",
    ".....########...",
    "............#...",
    "............#...",
    "............#...",
    ".....########...",
    "................",
)


def belief_of(world: tb.Grid) -> Belief:
    return Belief(world, world.passable, world.passable)


@given(problems(side=14), st.integers(1, 4), st.booleans(), st.booleans())
@settings(max_examples=150)
def test_the_same_moves_as_the_plain_twin(problem: Problem, level: int, dynamic: bool, escape: bool) -> None:
    world = problem.world
    ends = world.state(problem.start), world.state(problem.goal)
    walk = d_lrta(belief_of(world), *ends, level, MOST, MOST_DEPTH if dynamic else 1, escape)
    agent = problem.make("d-lrta", level=level, dynamic_depth=dynamic, escape=escape)
    episode = agent.run(intervals=MOST + 1)
    assert [world.state(cell) for cell in episode.path] == walk.path
    assert episode.solved == walk.solved
    assert episode.solved == (problem.goal in reachable(world, problem.start)) or not escape
    assert (episode.expansions, episode.searches) == (walk.expansions, walk.searches)
    check_walk(agent, episode)


def first_circle() -> tuple[tb.Grid, tuple[int, int], tuple[int, int]]:
    """A problem on which the subgoals of the paper lead in a circle."""
    world = tb.Grid.load("harbour")
    for goal in itertools.product(range(0, world.width, 20), range(0, world.height, 20)):
        if world.passable[goal[::-1]]:
            agent = tb.make("d-lrta", world, (12, 100), goal, level=4, escape=False)
            if agent.run().stop == "stuck":
                return world, (12, 100), goal
    raise AssertionError("no subgoals lead in a circle")


def test_a_circle_of_subgoals_is_left_or_reported() -> None:
    world, start, goal = first_circle()
    stuck = tb.make("d-lrta", world, start, goal, level=4, escape=False).run()
    assert (stuck.stop, stuck.solved) == ("stuck", False)
    escaped = tb.make("d-lrta", world, start, goal, level=4).run()
    assert escaped.solved
    assert escaped.path[: len(stuck.path)] == stuck.path


def test_in_front_of_a_bay_a_step_is_not_enough() -> None:
    """From the middle of the first region, the neighbour that looks best on the way to the subgoal leads astray."""
    world = grid(*BAY)
    table = RegionSubgoals.of(world, 3)
    assert table.depths(int(table.regions[world.state((15, 3))])).tolist() == [3, 1, 1, 1, 1]
    assert table.depths(NO_REGION).tolist() == [1, 1, 1, 1, 1]


def test_depth_is_for_the_target_that_knows_it() -> None:
    world = grid(*BAY)
    with pytest.raises(tb.ProblemError, match="only the target 'regions' knows how far to look"):
        tb.make("d-lrta", world, (1, 3), (15, 3), target="best")
    with pytest.raises(tb.ProblemError, match="dynamic_depth is True or False"):
        tb.make("d-lrta", world, (1, 3), (15, 3), dynamic_depth=3)


@given(problems(side=12), st.integers(1, 3))
@settings(max_examples=60)
def test_subgoals_are_where_best_paths_enter_the_next_region(problem: Problem, level: int) -> None:
    world, belief = problem.world, belief_of(problem.world)
    table = RegionSubgoals(world, level)
    regions = regions_at(world, level)
    middles = representatives(world, regions)
    table.fill(workers=3)
    for goal in range(table.count):
        toward, _ = paths_toward(belief, middles[goal])
        row = table.row(goal)
        for region, subgoal in enumerate(row.tolist()):
            middle = middles[region]
            if region == goal:
                assert subgoal == HERE
            elif middle not in toward:
                assert subgoal == NO_WAY
            else:
                while regions[middle] == region:
                    middle = toward[middle]
                assert subgoal == middle
                assert any(regions[cell] == region for cell, _ in belief.successors(subgoal))


def test_a_corridor_needs_no_learning() -> None:
    world = tb.Grid(np.ones((2, 40), bool))
    for level in (1, 2, 3):
        episode = tb.make("d-lrta", world, (0, 0), (39, 1), level=level).run()
        assert episode.moves == 39
        assert episode.memory_bytes == 0


def test_rows_are_worked_out_once_per_world() -> None:
    world = tb.Grid.load("harbour")
    first = tb.make("d-lrta", world, (12, 100), (60, 70), level=4)
    table = RegionSubgoals.of(world, 4)
    used = table.memory_bytes
    assert used == table.regions.nbytes + 4 * table.count
    tb.make("d-lrta", world, (180, 14), (60, 70), level=4)
    assert RegionSubgoals.of(world, 4) is table
    assert table.memory_bytes == used
    assert first.run().solved


def test_levels_above_the_top_are_the_top() -> None:
    world = tb.Grid.load("harbour")
    episodes = [tb.make("d-lrta", world, (12, 100), (60, 70), level=level).run() for level in (20, 99)]
    assert episodes[0].path == episodes[1].path


@given(problems(side=12), st.integers(1, 3), st.booleans(), st.integers(0, 2**32))
@settings(max_examples=100)
def test_it_arrives_or_proves_that_it_cannot_when_the_map_has_changed(
    problem: Problem, level: int, dynamic: bool, seed: int
) -> None:
    """Cells are blocked and freed under way, and the agent is told: its subgoals are those of another map."""
    drive_through_changes(problem.make("d-lrta", level=level, dynamic_depth=dynamic), problem, seed)


def test_another_trial_begins_anew() -> None:
    world = tb.Grid.load("harbour")
    agent = tb.make("d-lrta", world, (12, 100), (180, 14), level=6)
    first = agent.run()
    agent.reset()
    second = agent.run()
    assert second.solved
    assert second.memory_bytes >= first.memory_bytes  # what was learned is kept


def test_bad_input() -> None:
    world = grid("....", "....")
    for level in (0, -1, 1.5, True, "low"):
        with pytest.raises(tb.ProblemError, match="level is a whole number above 0, not"):
            tb.make("d-lrta", world, (0, 0), (3, 1), level=level)
    graph = tb.Graph([0, 1, 2], [1, 0], [1.0, 1.0])
    with pytest.raises(tb.ProblemError, match="agent 'd-lrta' needs a grid, not a Graph"):
        tb.make("d-lrta", graph, 0, 1)
    with pytest.raises(tb.ProblemError, match="'d-lrta' supports only known terrain"):
        tb.make("d-lrta", world, (0, 0), (3, 1), terrain="unknown")
    large = tb.Grid(np.ones((300, 300), bool))
    with pytest.raises(
        tb.ProblemError, match=r"level 1 has 22,500 regions, too many .* all pairs; use level 2 or higher"
    ):
        tb.make("d-lrta", large, (0, 0), (3, 1), level=1)
    assert tb.make("d-lrta", large, (0, 0), (299, 250)).run().solved
