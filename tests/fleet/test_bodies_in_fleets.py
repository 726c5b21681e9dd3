"""Units of different sizes, mobilities and speeds in one fleet: no two overlap, and nobody is where it cannot be."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from body_drills import drill

import timebound as tb

CHUNKS = 6


def open_field(width: int, height: int, **rules: Any) -> tb.Grid:
    return tb.Grid(np.ones((height, width), bool), **rules)


@pytest.mark.bounds
@pytest.mark.uncompiled
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_fleets_with_bodies(chunk: int) -> None:
    for seed in range(chunk, 90, CHUNKS):
        drill(seed)


@pytest.mark.uncompiled
@pytest.mark.parametrize("seed", range(12))
def test_saved_fleets_with_bodies_go_on(seed: int, tmp_path: Path) -> None:
    assert drill(seed, file="") == drill(seed, file=tmp_path / "fleet")


@pytest.mark.uncompiled
def test_a_speed_is_a_number_of_cells_per_tick() -> None:
    fleet = tb.Fleet(open_field(60, 5))
    for y, speed in enumerate((0.25, 0.7, 1, 3.5)):
        fleet.add("astar", start=(0, y), goal=(59, y), speed=speed)
    for _ in range(16):
        fleet.tick(expansions=math.inf)
    assert fleet.positions[:, 0].tolist() == [4, 11, 15, 52]  # the first tick only plans
    assert fleet.places(fleet.ticks)[:, 0] == pytest.approx([3.75, 10.5, 15, 52.5], abs=0.6)


@pytest.mark.uncompiled
def test_places_are_between_cells_with_and_without_bodies() -> None:
    fleet = tb.Fleet(open_field(9, 9))
    fleet.add("astar", start=[(0, 0), (5, 5)], goal=[(8, 8), (5, 5)])
    for _ in range(3):
        fleet.tick(expansions=math.inf)
    assert fleet.places(2.25).tolist() == [[1.25, 1.25], [5, 5]]
    fleet.remove(0)
    assert fleet.add("astar", start=(8, 0), goal=(0, 0)) == 0
    assert fleet.places(2.25).tolist() == [[8, 0], [5, 5]]
    for wrong in (1.9, 3.1, math.nan, "now"):
        with pytest.raises(tb.ProblemError, match="time is a number of ticks, from 2 to 3"):
            fleet.places(wrong)


@pytest.mark.uncompiled
@pytest.mark.parametrize(("priority", "pushed"), [(0, "small"), (1, "large")])
def test_a_unit_pushes_those_that_are_no_larger_or_matter_less(priority: int, pushed: str) -> None:
    """They meet in a corridor."""
    fleet = tb.Fleet(open_field(12, 2), collisions="push")
    small = fleet.add("astar", start=(5, 0), goal=(11, 0), priority=priority)
    large = fleet.add("astar", start=(7, 0), goal=(0, 0), size=2)
    for _ in range(20):
        fleet.tick(expansions=math.inf)
    figures = fleet.figures()
    if pushed == "small":
        assert figures[large].position[0] <= 1
    else:
        assert figures[small].position[0] >= 9


@pytest.mark.uncompiled
@pytest.mark.parametrize("speed", [0.25, 1, 3])
def test_a_circle_turns(speed: float) -> None:
    """Each may enter what the next one leaves, although nobody can go first."""
    fleet = tb.Fleet(open_field(2, 2, neighbors=4), collisions="push")
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    fleet.add("astar", start=corners, goal=corners[1:] + corners[:1], speed=speed)
    fleet.add("astar", start=[], goal=[], size=2)
    fleet.tick(expansions=math.inf)
    assert fleet.tick(expansions=math.inf).moved == 4
    assert fleet.done


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"speed": 0}, "speed is a number of cells per tick"),
        ({"speed": math.nan}, "speed is a number of cells per tick"),
        ({"size": 0}, "the size of a body is a number of cells from 1"),
        ({"size": 2.5}, "the size of a body is a number of cells from 1"),
        ({"size": 99}, "larger than the map"),
        ({"mobility": "boat"}, "this map has no mobilities"),
        ({"size": 2, "group": "a"}, "cannot be in a fleet with group"),
        ({"size": 3, "start": (8, 8)}, "does not fit"),
        ({"size": 2, "goal": (8, 8)}, "does not fit"),
        ({"size": 2, "start": (3, 3)}, "unit 0 is in the way of a unit at"),
        ({"size": 2, "start": [(0, 0), (1, 1)], "goal": [(5, 0), (5, 5)]}, "another one, at .0, 0., is in the way"),
    ],
)
def test_bad_bodies_raise_one_line_and_change_nothing(given: dict[str, Any], message: str) -> None:
    fleet = tb.Fleet(open_field(9, 9), collisions="push")
    fleet.add("astar", start=(4, 4), goal=(4, 4))
    with pytest.raises(tb.ProblemError, match=message):
        fleet.add("astar", **({"start": (0, 0), "goal": (5, 5)} | given))
    assert len(fleet) == 1
    assert fleet.tick(expansions=5).moved == 0


@pytest.mark.uncompiled
def test_guidance_and_repair_are_for_points() -> None:
    for options in ({"guidance": True}, {"collisions": "push", "repair": True}):
        fleet = tb.Fleet(open_field(9, 9), **options)
        with pytest.raises(tb.ProblemError, match="cannot be in a fleet with"):
            fleet.add("astar", start=(0, 0), goal=(5, 5), size=2)
    with pytest.raises(tb.ProblemError, match="speeds are for grids"):
        tb.Fleet(tb.Graph.from_edges([(0, 1), (1, 0)])).add("astar", start=0, goal=1, speed=2)


@pytest.mark.uncompiled
def test_a_unit_whose_goal_others_cannot_have_is_not_sent_there() -> None:
    ground = np.zeros((9, 9), int)
    ground[:, 5:] = 1
    world = tb.Grid(ground, mobilities={"land": {0: 1}, "boat": {1: 1}})
    fleet = tb.Fleet(world, collisions="push")
    units = [fleet.add("astar", start=(x, 4), goal=(x, 0), mobility=m) for x, m in ((2, "land"), (7, "boat"))]
    with pytest.raises(tb.ProblemError, match="'land' body of size 1 does not fit at"):
        fleet.retarget(units, [(7, 7), (7, 7)])
    while not fleet.done:
        fleet.tick(expansions=100)
    assert [figure.position for figure in fleet.figures().values()] == [(2, 0), (7, 0)]


@pytest.mark.uncompiled
@pytest.mark.parametrize("collisions", ["none", "wait", "push"])
@pytest.mark.parametrize("kind", ["rtaa", "tbaa"])
def test_units_arrive_near_their_goals(collisions: str, kind: str) -> None:
    fleet = tb.Fleet(open_field(20, 9), collisions=collisions)
    unit = fleet.add(kind, start=(0, 0), goal=(19, 8), within=3)
    there = fleet.add(kind, start=(0, 8), goal=(1, 6), within=2)
    assert fleet.status(there) == ["arrived"]
    for _ in range(60):
        fleet.tick(expansions=50)
    x, y = fleet.figures(unit)[unit].position
    assert max(19 - x, 8 - y) == 3
    assert fleet.status() == ["arrived"] * 2
    fleet.tick(expansions=50)
    assert fleet.figures(unit)[unit].position == (x, y)
    fleet.retarget(unit, (x - 3, y))
    assert fleet.status(unit) == ["arrived"]
    fleet.retarget(unit, (x - 5, y))
    for _ in range(60):
        fleet.tick(expansions=50)
    assert fleet.figures(unit)[unit].position[0] == x - 2


@pytest.mark.uncompiled
def test_within_is_a_number_of_cells() -> None:
    fleet = tb.Fleet(open_field(5, 5))
    for wrong in (-1, 0.5, 2**15, "near"):
        with pytest.raises(tb.ProblemError, match="within is a whole number of cells"):
            fleet.add("astar", start=(0, 0), goal=(4, 4), within=wrong)
    with pytest.raises(tb.ProblemError, match="within is for grids"):
        tb.Fleet(tb.Graph.from_edges([(0, 1), (1, 0)])).add("astar", start=0, goal=1, within=1)
