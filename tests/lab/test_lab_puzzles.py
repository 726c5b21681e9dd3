"""Worlds of the lab that are not maps."""

from pathlib import Path

import numpy as np
import pytest

import timebound as tb
from timebound.core.errors import MapError
from timebound.lab.puzzles import GOAL, arrangements, fifteen_puzzle
from timebound.lab.spec import load
from timebound.lab.worlds import open_problems, open_world, survey


def test_random_arrangements_can_be_solved_and_repeated() -> None:
    world, _ = tb.Tiles(4).aim(GOAL)
    drawn = arrangements(fifteen_puzzle(0), 50, seed=3)
    assert drawn == arrangements(fifteen_puzzle(0), 50, seed=3)
    assert len({start for start, _ in drawn}) == 50
    for start, goal in drawn:
        assert goal == GOAL
        world.state(start)  # raises, if the goal were out of reach


def test_puzzles_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "one.txt"
    file.write_text("1 0 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n")
    monkeypatch.setenv("TIMEBOUND_PUZZLES", str(file))
    assert arrangements(fifteen_puzzle(0), 1, 0) == [((1, 0, *range(2, 16)), GOAL)]
    with pytest.raises(MapError, match="only 1 arrangements"):
        arrangements(fifteen_puzzle(0), 2, 0)


def test_a_run_on_random_puzzles_is_not_one_on_the_papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its page says so, and the one is never resumed as the other."""
    monkeypatch.setenv("TIMEBOUND_PUZZLES", "")  # as good as none
    random = survey(load("tbbfs-puzzle"), "quick", None)
    identity = random.places[0].identity()
    file = tmp_path / "puzzles.txt"
    file.write_text("1 0 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n" * 20)
    monkeypatch.setenv("TIMEBOUND_PUZZLES", str(file))
    open_problems.cache_clear()  # another process
    given = survey(load("tbbfs-puzzle"), "quick", None)
    assert (random.stand_ins, given.stand_ins) == (True, False)
    assert given.places[0].identity() != identity
    open_problems.cache_clear()


@pytest.mark.parametrize("name", ["tbbfs-racetrack-hrt", "tbbfs-racetrack-grt"])
def test_racetracks_and_their_problems(name: str) -> None:
    experiment = load(name)
    place = survey(experiment, "quick", None).places[0]
    world = open_world(place, experiment.grid)
    assert isinstance(world, tb.Racetrack)
    problems = open_problems(place)
    assert len(problems) == 10
    for start, goal in problems:
        assert np.abs(np.subtract(start, goal)).sum() > world.width / 2


def test_racetracks_of_the_paper(shared_data: Path) -> None:
    sizes = {}
    for name in ("tbbfs-racetrack-hrt", "tbbfs-racetrack-grt"):
        experiment = load(name)
        found = survey(experiment, "quick", shared_data)
        assert not found.stand_ins
        world = open_world(found.places[0], experiment.grid)
        assert isinstance(world, tb.Racetrack)
        sizes[name] = world.height, world.width
    assert [*sizes.values()] == [(33, 207), (214, 212)]
