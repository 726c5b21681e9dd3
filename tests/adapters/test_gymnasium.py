"""Fog navigation in Gymnasium: its own checker, and agents as policies."""

import time
import warnings

import numpy as np
import pytest

import timebound as tb
from timebound import maps

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from timebound.adapters.gymnasium import FogNavigation, Policy  # noqa: E402

CAVES = tb.Grid(maps.caves(30, 20, seed=2).passable)


@pytest.mark.parametrize("world", [CAVES, tb.Grid(CAVES.passable, neighbors=4)], ids=["8", "4"])
def test_gymnasiums_checker_finds_nothing(world: tb.Grid) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check_env(FogNavigation(world, radius=3), skip_render_check=True)
    harmless = ("render", "unconventional shape")  # a view is neither an image nor a vector
    assert [str(one.message) for one in said if not any(word in str(one.message) for word in harmless)] == []


@pytest.mark.parametrize("name", ["rtaa", "dstar-lite", "tbaa"])
def test_a_policy_arrives_by_the_same_moves_as_the_agent_itself(name: str) -> None:
    env = FogNavigation(CAVES, radius=2)
    for seed in range(4):
        observation, _ = env.reset(seed=seed)
        start, goal = env.position, env.goal
        policy, done, cost, path = Policy(name, env), False, 0.0, [start]
        while not done:
            observation, reward, done, _, info = env.step(policy(observation))
            assert info["moved"]
            cost -= reward
            path.append(env.position)
        alone = tb.make(name, CAVES, start, goal, terrain="unknown", radius=2).run()
        assert path == list(alone.path)
        assert cost == pytest.approx(alone.cost)


def test_who_thinks_too_long_misses_the_move() -> None:
    env = FogNavigation(tb.Grid(np.ones((5, 5), bool)), radius=1, ms=20)
    env.reset(options={"start": (0, 0), "goal": (4, 4)})
    _, reward, _, _, info = env.step(0)
    assert (env.position, info) == ((1, 0), {"late": False, "moved": True})
    time.sleep(0.03)
    _, reward, _, _, info = env.step(0)
    assert (env.position, reward, info) == ((1, 0), -1.0, {"late": True, "moved": False})


def test_walls_and_edges_are_not_crossed() -> None:
    env = FogNavigation(tb.Grid([[1, 0], [1, 1]]), radius=1)
    observation, _ = env.reset(options={"start": (0, 0), "goal": (1, 1)})
    assert observation["view"].tolist() == [[0, 0, 0], [0, 1, 2], [0, 1, 1]]
    for action in (0, 2, 3, 4):  # a wall, two edges, and a corner that may not be cut
        assert env.step(action)[4]["moved"] is False
    assert env.step(1)[4]["moved"]


def test_bad_input() -> None:
    with pytest.raises(tb.ProblemError, match="Grid with 4 or 8 neighbours"):
        FogNavigation(tb.Grid(np.ones((3, 3), bool), neighbors=16))
    with pytest.raises(tb.ProblemError, match="radius is a whole number"):
        FogNavigation(CAVES, radius=0)
    with pytest.raises(tb.ProblemError, match="ms is a number above 0"):
        FogNavigation(CAVES, ms=0)
