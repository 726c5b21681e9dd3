"""Sensors, hidden obstacles, limits, and tiny worlds."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from agent_worlds import AGENTS, COMPLETE, Problem, check_walk, free_cells, grid, nothing_hidden, problems
from hypothesis import given, settings
from naive_agents import reachable

import timebound as tb


def seen_from(position: tuple[int, int], world: tb.Grid, **sensor: object) -> np.ndarray:
    agent = tb.make("repeated-astar", world, position, (0, 0), terrain="unknown", **sensor)
    agent.sense()
    return agent.knows()


@pytest.mark.parametrize(
    ("neighbors", "expected"),
    [
        (4, [".....", "..x..", ".x.x.", "..x..", "....."]),
        (8, [".....", ".xxx.", ".x.x.", ".xxx.", "....."]),
        (16, [".x.x.", "xxxxx", ".x.x.", "xxxxx", ".x.x."]),
    ],
)
def test_an_agent_sees_its_neighbours(neighbors: int, expected: list[str]) -> None:
    seen = seen_from((2, 2), tb.Grid(np.ones((5, 5), bool), neighbors=neighbors))
    assert ["".join(".x"[value] for value in row) for row in seen.tolist()] == expected


@pytest.mark.parametrize("radius", [1, 2, 3, 5])
def test_a_radius_is_a_disc(radius: int) -> None:
    seen = seen_from((7, 7), tb.Grid(np.ones((15, 15), bool), neighbors=4), radius=radius)
    y, x = np.mgrid[:15, :15] - 7
    expected = x**2 + y**2 <= max(2, radius**2)
    expected[7, 7] = False
    assert ((seen == 1) == expected).all()


def test_a_wall_hides_what_is_behind_it() -> None:
    world = grid(
        ".........",
        ".........",
        "....#....",
        ".........",
        "....s....",
        "...###...",
        ".........",
        ".........",
        ".........",
    )
    through = seen_from((4, 4), world, radius=4)
    assert np.count_nonzero(through) == 48
    assert (through[(2, 5, 5, 5), (4, 3, 4, 5)] == 2).all()
    seen = seen_from((4, 4), world, radius=4, line_of_sight=True)
    assert seen[2, 4] == seen[5, 3] == seen[5, 4] == seen[5, 5] == 2
    assert seen[1, 4] == seen[0, 4] == 0
    assert not seen[6:, 3:6].any()
    assert (seen == seen[:, ::-1]).all()
    assert seen[3, 4] == seen[4, 0] == seen[4, 8] == seen[2, 2] == 1
    assert set(np.unique(through - seen).tolist()) <= {0, 1}


@given(problems(side=11), st.sampled_from([1, 2, 4]))
@settings(max_examples=60)
def test_seeing_farther_never_harms_the_outcome(problem: Problem, radius: int) -> None:
    for name in ("repeated-astar", "adaptive-astar", "dstar-lite"):
        for sight in (False, True):
            agent = problem.make(name, "unknown", radius=radius, line_of_sight=sight)
            episode = agent.run(expansions=9)
            check_walk(agent, episode)
            assert episode.solved == (problem.goal in reachable(problem.world, problem.start))
            seen, truth = agent.knows(), problem.world.passable
            assert truth[seen == 1].all()
            assert not truth[seen == 2].any()


# ------------------------------------------------------------------ partial terrain


@given(problems(side=12), st.sampled_from([0.0, 0.1, 0.15, 0.5, 0.99]), st.integers(0, 2**31))
@settings(max_examples=80)
def test_hidden_obstacles_are_a_share_of_the_free_cells(problem: Problem, hidden: float, seed: int) -> None:
    agent = problem.make("repeated-astar", "partial", hidden=hidden, seed=seed, solvable=False)
    before, after = problem.world.passable, agent.truth.passable
    assert not (after & ~before).any()
    free = np.count_nonzero(before)
    most = free - len({problem.start, problem.goal})
    assert np.count_nonzero(before & ~after) == min(math.floor(hidden * free + 0.5), most)
    assert after[problem.start[::-1]]
    assert after[problem.goal[::-1]]
    again = problem.make("dstar-lite", "partial", hidden=hidden, seed=seed, solvable=False)
    assert (again.truth.passable == after).all()


def test_hidden_obstacles_leave_a_way_if_they_must() -> None:
    world = tb.Grid(np.ones((12, 12), bool))
    truths = []
    for seed in range(40):
        agent = tb.make("adaptive-astar", world, (0, 0), (11, 11), terrain="partial", hidden=0.4, seed=seed)
        assert agent.run().solved
        truths.append(agent.truth.passable.tobytes())
    assert len(set(truths)) == 40
    free = [
        tb.make("adaptive-astar", world, (0, 0), (11, 11), terrain="partial", hidden=0.4, seed=seed, solvable=False)
        for seed in range(40)
    ]
    assert {agent.run().stop for agent in free} == {"goal", "unreachable"}
    assert world.passable.all()


def test_partial_terrain_hides_15_percent_by_default() -> None:
    agent = tb.make("dstar-lite", tb.Grid(np.ones((20, 20), bool)), (0, 0), (19, 19), terrain="partial")
    assert np.count_nonzero(~agent.truth.passable) == 60


def test_a_corridor_cannot_hide_an_obstacle_and_stay_solvable() -> None:
    with pytest.raises(tb.ProblemError, match="none of 100 draws of hidden obstacles left a path") as error:
        tb.make("repeated-astar", grid("." * 20), (0, 0), (19, 0), terrain="partial")
    assert "\n" not in str(error.value)


# ------------------------------------------------------------------ limits and small worlds


@pytest.mark.parametrize(("name", "terrain", "parameters"), AGENTS)
def test_limits_end_an_episode_cleanly(name: str, terrain: str, parameters: dict) -> None:
    world = tb.Grid(np.ones((60, 60), bool))
    agent = tb.make(name, world, (0, 0), (59, 59), terrain=terrain, **parameters)
    episode = agent.run(expansions=30, intervals=5)
    assert (episode.stop, episode.solved, episode.intervals) == ("intervals", False, 5)
    assert agent.done
    agent = tb.make(name, world, (0, 0), (59, 59), terrain=terrain, memory_mb=0.0005, **parameters)
    episode = agent.run(expansions=30)
    if name not in ("lrta", "plrta", "d-lrta", "knn-lrta"):  # which have learned next to nothing here
        assert (episode.stop, episode.solved) == ("memory", False)
        assert episode.moves == 0
        assert episode.memory_bytes > 500
    agent = tb.make(name, world, (0, 0), (59, 59), terrain=terrain, memory_mb=100, **parameters)
    assert agent.run(expansions=30, intervals=10_000).stop == "goal"


@pytest.mark.parametrize(("name", "terrain", "parameters"), AGENTS)
def test_a_world_of_one_cell(name: str, terrain: str, parameters: dict) -> None:
    agent = tb.make(name, grid("."), (0, 0), (0, 0), terrain=terrain, **parameters)
    assert agent.done
    episode = agent.run()
    assert (episode.solved, episode.stop, episode.path) == (True, "goal", [(0, 0)])
    assert (episode.cost, episode.moves, episode.intervals, episode.searches, episode.expansions) == (0, 0, 0, 0, 0)
    assert list(agent.path) in ([], [(0, 0)])


@pytest.mark.parametrize(("name", "terrain", "parameters"), AGENTS)
def test_a_start_enclosed_by_walls(name: str, terrain: str, parameters: dict) -> None:
    world = grid(".....", ".###.", ".#.#.", ".###.", ".....")
    if terrain == "partial":
        parameters = {"solvable": False, **parameters}
    agent = tb.make(name, world, (2, 2), (4, 4), terrain=terrain, **parameters)
    episode = agent.run(expansions=10)
    assert (episode.stop, episode.path) == ("unreachable", [(2, 2)])
    assert episode.cost == 0
    inward = tb.make(name, world, (4, 4), (2, 2), terrain=terrain, **parameters)
    assert inward.run(expansions=10).stop == "unreachable"


# Those that go by way of regions may go round a corner.
@pytest.mark.parametrize(("name", "terrain", "parameters"), [agent for agent in AGENTS if agent[0] != "d-lrta"])
def test_a_world_without_obstacles_is_crossed_straight(name: str, terrain: str, parameters: dict) -> None:
    world = tb.Grid(np.ones((6, 9), bool), diagonal=1.4)
    agent = tb.make(name, world, (0, 0), (8, 5), terrain=terrain, **nothing_hidden(terrain), **parameters)
    assert len(free_cells(agent.truth.passable)) == 54
    episode = agent.run()
    assert (episode.moves, episode.intervals) == (8, 9)
    assert episode.searches == 1 or name not in COMPLETE
    assert episode.cost == pytest.approx(3 + 5 * 1.4)
