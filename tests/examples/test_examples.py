"""The examples that drive an agent through someone else's world, as outsiders would write them."""

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
# Other packages' warnings are not ours to fix.
pytestmark = pytest.mark.filterwarnings("ignore")


def example(name: str, package: str) -> dict[str, Any]:
    pytest.importorskip(package, reason=f"{package} is not installed: pip install {package}")
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


@pytest.mark.parametrize("seed", range(12))
def test_pogema_is_solved_by_what_the_robot_sees(seed: int) -> None:
    arrived, steps, refused = example("pogema_agent", "pogema")["solve"](seed)
    assert arrived
    assert refused < steps < 256


def test_other_robots_get_in_the_way() -> None:
    solve = example("pogema_agent", "pogema")["solve"]
    assert sum(solve(seed)[2] for seed in range(3)) > 0


@pytest.mark.parametrize("target", ["restart", "nothing"])
def test_a_fleet_plays_pogema(target: str) -> None:
    play = example("pogema_fleet", "pogema")["play"]
    from pogema import GridConfig

    rules: dict[str, Any] = {"size": 16, "density": 0.2, "num_agents": 24, "max_episode_steps": 64, "obs_radius": 2}
    result = play(GridConfig(seed=3, on_target=target, collision_system="soft", **rules))
    assert result.refused == 0  # no two robots ever wanted to be in one cell, or to change places
    assert result.throughput > 1 if target == "restart" else result.arrived == 1


@pytest.mark.parametrize("seed", range(3))
def test_everybody_gets_out_by_the_exit_that_is_left(seed: int) -> None:
    there = example("mesa_evacuation", "mesa")
    model = there["Evacuation"](people=40, blocked_at=10, seed=seed)
    while len(model.fleet) and model.steps < 200:
        model.step()
        assert len({tuple(place) for place in model.fleet.positions.tolist()}) == len(model.fleet)
    assert len(model.fleet) == 0
    inside = model.data.get_model_vars_dataframe()["inside"].tolist()
    assert inside == sorted(inside, reverse=True)
    assert model.steps > 40  # by one exit of one cell, one a second


@pytest.mark.parametrize("name", ["MiniGrid-FourRooms-v0", "MiniGrid-SimpleCrossingS11N5-v0"])
@pytest.mark.parametrize("seed", range(6))
def test_minigrid_is_solved_by_exploring(name: str, seed: int) -> None:
    solved, steps = example("minigrid_agent", "minigrid")["solve"](seed, name)
    assert solved
    assert steps < 100


@pytest.mark.parametrize("name", ["pogema", "minigrid"])
def test_no_example_reads_the_hidden_map(name: str) -> None:
    source = (EXAMPLES / f"{name}_agent.py").read_text(encoding="utf-8")
    hidden = (".unwrapped", "env.grid", ".get_obstacles", "agent_pos", "goal_pos", "agents_xy", ".truth", ".sense(")
    assert [word for word in hidden if word in source] == []


@pytest.mark.parametrize("name", ["pogema", "minigrid"])
def test_the_examples_run_as_programs(name: str) -> None:
    pytest.importorskip(name, reason=f"{name} is not installed: pip install {name}")
    program = [sys.executable, str(EXAMPLES / f"{name}_agent.py")]
    output = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    assert output.count("seed") == 5
    assert "gave up" not in output


@pytest.mark.parametrize(
    ("name", "said"), [("pancakes", "sorted in 16 moves"), ("warehouse", "what is wrong with it: nothing")]
)
def test_worlds_of_ones_own_run_as_programs(name: str, said: str) -> None:
    """With the compiler off, which takes a second; compiled, the same functions run in the tests of custom worlds."""
    program = [sys.executable, str(EXAMPLES / f"{name}.py")]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    output = subprocess.run(program, check=True, capture_output=True, text=True, env=environment).stdout
    assert said in output


# ------------------------------------------------------------------ a game, without a window


@pytest.fixture
def crowd_game(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return example("crowd_pygame", "pygame")


def test_a_thousand_units_are_drawn_and_move(crowd_game: dict[str, Any]) -> None:
    game, lasted = crowd_game["play"](frames=30)
    assert len(game.fleet) == 1000
    assert len(lasted) == 30
    assert len({tuple(place) for place in game.fleet.positions.tolist()}) == 1000
    assert sum(record.moves for record in game.fleet.records()) > 10_000


def test_clicks_build_walls_and_tear_them_down(crowd_game: dict[str, Any]) -> None:
    import pygame

    game, _ = crowd_game["play"](frames=1, units=50)
    before = game.world.passable.copy()
    x, y = next((x, y) for x, y in game.free.tolist() if before[y - 1 : y + 2, x - 1 : x + 2].all())
    point = (x * crowd_game["CELL"] + 1, y * crowd_game["CELL"] + 1)
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=point))
    assert crowd_game["obey"](game)
    assert not game.world.passable[y - 1 : y + 2, x - 1 : x + 2].any()
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=3, pos=point))
    assert crowd_game["obey"](game)
    assert (game.world.passable == before).all()
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE))
    assert not crowd_game["obey"](game)


def test_a_battle_of_all_arms_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    names = example("battle_pygame", "timebound")
    battle = names["Battle"](share=0.1)
    names["measure"](battle, ticks=12)
    assert "bare wait: p50" in capsys.readouterr().out
    figures = battle.fleet.figures().values()
    assert {figure.size for figure in figures} == {1, 2, 3}
    assert sum(figure.moves for figure in figures) > 300


def test_a_robot_with_a_lidar_drives_on() -> None:
    robot, took = example("lidar_robot", "timebound")["drive"](side=400, cycles=60)
    assert len(took) == 60
    assert robot.episode().moves > 40
    assert robot.stop == "going"


def test_a_wall_on_the_crowd_and_everybody_to_one_place(crowd_game: dict[str, Any]) -> None:
    game, _ = crowd_game["play"](frames=1, units=200)
    x, y = game.fleet.positions[0].tolist()
    game.build(x, y)
    for _ in range(20):
        game.fleet.tick(ms=2.0)
    game.clear()
    game.gather(*game.free[0].tolist())
    ticks = [game.fleet.tick(ms=2.0) for _ in range(3)]  # they plan, then they move
    assert len({tuple(place) for place in game.fleet.positions.tolist()}) == 200
    assert sum(tick.moved for tick in ticks) > 100
