"""Pursuits: every agent chases targets that walk, flee, follow a path or are agents; races with a moving target."""

import json
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import timebound as tb
from timebound.applications.pursuit import fleeing, read_path, walking
from timebound.applications.race import race
from timebound.cli import main

NAMES = [kind.name for kind in tb.catalogue()]


def arena() -> tb.Grid:
    passable = np.ones((7, 9), bool)
    passable[2:5, 4] = False
    return tb.Grid(passable)


def are_moves(world: tb.Grid, places: list[Any]) -> bool:
    """Does each lead to a neighbouring free cell, or stay?"""
    far = [max(abs(x - u), abs(y - v)) for (x, y), (u, v) in pairwise(places)]
    return max(far, default=0) <= 1 and all(world.passable[y, x] for x, y in places)


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_catches_a_target_that_walks(name: str) -> None:
    world = arena()
    for seed in range(2):
        agent, target = tb.make(name, world, (0, 0), (8, 6)), list(islice(walking(world, (8, 6), seed=seed), 500))
        episode = agent.run(expansions=20, target=target)
        assert episode.solved
        assert episode.path[-1] == target[episode.intervals - 1] or episode.path[-1] == target[episode.intervals]
        assert episode.goal == episode.path[-1]


@pytest.mark.parametrize("name", ["rtaa", "mpaa", "fra", "dstar-lite", "tbaa"])
def test_a_target_that_flees(name: str) -> None:
    agent = tb.make(name, arena(), (0, 0), (8, 6))
    assert agent.run(expansions=50, target=fleeing(agent, (8, 6)), intervals=3000).solved


def test_a_target_that_is_an_agent() -> None:
    world = arena()
    prey = tb.make("lrta", world, (8, 6), (8, 0))
    hunter = tb.make("adaptive-astar", world, (0, 0), (8, 6))
    episode = hunter.run(expansions=20, target=prey)
    assert episode.solved
    assert hunter.position == prey.position
    assert prey.episode().intervals <= episode.intervals


def test_a_path_that_ends() -> None:
    agent = tb.make("repeated-astar", tb.Grid(np.ones((1, 9), bool), neighbors=4), (0, 0), (4, 0))
    episode = agent.run(target=[(5, 0), (6, 0)])
    assert (episode.stop, episode.path[-1]) == ("goal", (6, 0))


def test_a_target_that_cannot_be_reached_and_stays() -> None:
    passable = np.ones((3, 5), bool)
    passable[:, 2] = False
    agent = tb.make("rtaa", tb.Grid(passable), (0, 0), (4, 0))
    assert agent.run(expansions=5, target=[(4, 1), (4, 2)]).stop == "unreachable"
    assert agent.run(expansions=5, target=iter([(4, 1)] * 9), intervals=5).stop in ("unreachable", "intervals")


def test_a_target_that_comes_to_the_agent() -> None:
    agent = tb.make("lrta", tb.Grid(np.ones((1, 9), bool), neighbors=4), (0, 0), (1, 0))
    episode = agent.run(target=[(1, 0), (0, 0)], intervals=2, expansions=1)
    assert episode.solved


def test_targets_of_the_library_walk_as_agents_do() -> None:
    world = arena()
    agent = tb.make("lrta", world, (0, 0), (8, 6))
    for target in (walking(world, (3, 3), seed=4), fleeing(agent, (3, 3))):
        places = list(islice(target, 200))
        assert are_moves(world, places)
        assert len(set(places)) > 2
        resting = [here == there for here, there in pairwise(places)]
        assert all(resting[i] for i in range(8, 199, 10))
    assert list(islice(walking(world, (3, 3), seed=4), 50)) == list(islice(walking(world, (3, 3), seed=4), 50))


def test_a_walking_target_sees_walls_that_are_built() -> None:
    world = arena()
    target, places = walking(world, (0, 0), seed=2), []
    for i in range(60):
        places.append(next(target))
        if i == 20:
            free = [(x, y) for x in range(9) for y in range(7) if abs(x - places[-1][0]) > 1]
            world.block(free[::3])
    assert are_moves(world, places[21:])


@pytest.mark.parametrize(("wrong", "message"), [("up", "'walk', 'flee', or a list"), (3, "'walk', 'flee', or a list")])
def test_targets_of_races_that_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(tb.ProblemError, match=message):
        race(arena(), ["rtaa"], (0, 0), (8, 6), target=wrong, expansions=5)


@pytest.mark.parametrize("target", ["walk", "flee", [(8, 5), (8, 4)]])
def test_races_after_a_target(target: Any) -> None:
    result = race(arena(), ["rtaa", "tbaa", "fra"], (0, 0), (8, 6), target=target, expansions=20, intervals=2000)
    assert [episode.solved for episode in result.episodes] == [True] * 3
    assert [episode.intervals for episode in result.episodes] == sorted(e.intervals for e in result.episodes)
    again = race(arena(), ["rtaa", "tbaa", "fra"], (0, 0), (8, 6), target=target, expansions=20, intervals=2000)
    assert [episode.path for episode in again.episodes] == [episode.path for episode in result.episodes]


# ------------------------------------------------------------------ the command line


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    file = tmp_path / "yard.map"
    file.write_text("type octile\nheight 5\nwidth 9\nmap\n" + ".........\n....@....\n" * 2 + ".........\n")
    return ["race", str(file), "--start", "0,0", "--goal", "5,4", "--agents", "rtaa,fra", "--expansions", "50"]


@pytest.mark.parametrize("target", ["walk", "flee"])
def test_the_command(target: str, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--target", target, "--intervals", "3000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["target"] == target
    assert main([*command, "--target", target, "--intervals", "3000"]) == 0
    assert f"the goal moves ({target})" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["6,4\n7,4\n7,3\n", "[[6, 4], [7, 4], [7, 3]]"])
def test_paths_in_files(text: str, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "path.txt"
    file.write_text(text)
    assert read_path(file) == [(6, 4), (7, 4), (7, 3)]
    assert main([*command, "--target", str(file), "--json"]) == 0
    raced = json.loads(capsys.readouterr().out)["agents"]
    assert [(one["episode"]["stop"], one["episode"]["moves"]) for one in raced] == [("goal", 7)] * 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("north\n", "the path of a target is a JSON list of [x, y], or lines x,y"),
        ("[[1, 2], 3]", "the path of a target is a JSON list of [x, y], or lines x,y"),
        ("9999,9999\n", "is outside the map"),
        ("4,1\n", "is blocked"),
    ],
)
def test_files_that_are_refused(
    text: str | None, said: str, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "path.txt"
    if text is not None:
        file.write_text(text)
    assert main([*command, "--target", str(file)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
