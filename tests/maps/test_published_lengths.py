"""Every scenario file of the benchmark data: A* finds the published optimal lengths, to the last digit printed."""

import csv
import functools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from shares import data_directory

import timebound as tb
from timebound import maps

SAMPLE = 40  # problems per file, spread evenly from the easiest to the hardest
TWO_DECIMALS = ("bg512", "wc3maps512")
EIGHT_DECIMALS = ("dao", "rooms", "cities")  # all others print six significant digits


def scenario_files() -> list[Path]:
    return sorted((data_directory() / "scens").glob("*/*.scen"))


def names(path: Path) -> str:
    return f"{path.parent.name}/{path.name.removesuffix('.map.scen')}"


def half_of_the_last_digit(kind: str, length: float) -> float:
    if kind in TWO_DECIMALS:
        return 0.005
    if kind in EIGHT_DECIMALS:
        return 5e-9 + 2.5e-9 * length  # these files were made with 1.41421356 for the square root of 2
    return 0.5 * 10.0 ** (len(str(int(length))) - 6)


@functools.cache
def wrong_lines(data: Path) -> set[tuple[str, int]]:
    """Published lengths that do not hold, by file and line."""
    with (data / "BAD_ENTRIES.csv").open() as file:
        return {(row["file"], int(row["line"])) for row in csv.DictReader(file)}


@pytest.mark.parametrize("path", scenario_files() or [None], ids=lambda path: names(path) if path else "no data")
def test_published_scenario_lengths(path: Path | None, shared_data: Path) -> None:
    assert path is not None, "the data folder holds no scenario files"
    folder = path.parent.name.removesuffix("-hog2")
    loaded = maps.read(shared_data / "maps" / folder / path.name.removesuffix(".scen"))
    water = loaded.terrain == ord("W")
    land, sea = tb.Grid(loaded.passable), tb.Grid(water)
    # Line 1 of a file is its version, so problem i stands in line i + 2.
    problems = [
        problem
        for line, problem in enumerate(maps.read_scenario(path), start=2)
        if (path.relative_to(shared_data).as_posix(), line) not in wrong_lines(shared_data)
    ]
    assert problems
    for index in np.linspace(0, len(problems) - 1, min(SAMPLE, len(problems))).astype(int):
        problem = problems[index]
        x, y = problem.start  # a few of the WarCraft problems are those of a ship
        found = tb.shortest_path(sea if water[y, x] else land, problem.start, problem.goal)
        slack = half_of_the_last_digit(path.parent.name, problem.length)
        assert found.cost == pytest.approx(problem.length, abs=slack * 1.05), problem  # made in single precision


def corner_cutting_problems(data: Path, name: str) -> Iterator[tuple[str, int, int, float]]:
    """Problems in which diagonals cost 1.4 and may cut corners: map, start, goal, length; cells by number."""
    for line in (data / "scens" / "ubco" / name).read_text().splitlines()[1:]:
        _, path, start, goal, length, _ = line.split("\t")
        yield path, int(start), int(goal), float(length)


@pytest.mark.parametrize("name", ["mm_8_1024.txt", "012_100.txt", "maze_5_1250_hard.txt"])
def test_published_lengths_with_cut_corners_and_a_diagonal_of_1_4(name: str, shared_data: Path) -> None:
    @functools.cache
    def world(path: str) -> tb.Grid:
        return tb.Grid.load(shared_data / "maps" / "ubco" / Path(path).relative_to("maps"), corners="cut", diagonal=1.4)

    problems = list(corner_cutting_problems(shared_data, name))
    for path, start, goal, length in problems[:: max(1, len(problems) // 200)]:
        grid = world(path)
        assert tb.shortest_path(grid, grid.place(start), grid.place(goal)).cost == pytest.approx(length, abs=1e-9)
