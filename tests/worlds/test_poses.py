"""Metres: frames, inflated obstacles, unknown ground, and kinds of ground from files."""

import math
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from PIL import Image

import timebound as tb
from timebound import maps

lengths = st.floats(-1e3, 1e3)


@given(st.integers(0, 29), st.integers(0, 19), st.floats(0.01, 10), lengths, lengths, st.floats(-4, 4))
def test_a_cell_is_where_its_middle_is(x: int, y: int, resolution: float, x0: float, y0: float, yaw: float) -> None:
    world = tb.Grid(np.ones((20, 30), bool), resolution=resolution, origin=(x0, y0, yaw))
    assert world.cell(*world.metres((x, y))) == (x, y)
    assert world.inside(world.metres((x, y))) == world.inside((x, y))
    corner = world.frame.pose((-0.5, 19.5))  # type: ignore[arg-type]
    assert corner == pytest.approx((x0, y0), abs=1e-6)


def test_agents_take_poses() -> None:
    world = tb.Grid(np.ones((20, 30), bool), resolution=0.5, origin=(-3, 2, 0))
    agent = tb.make("astar", world, tb.Pose(-2.9, 2.1), tb.Pose(5, 7))
    assert agent.position == (0, 19)
    assert agent.run().solved
    assert agent.pose == world.metres(agent.goal)
    assert math.dist(agent.pose, (5, 7)) <= 0.5
    agent.moved(tb.Pose(0, 4))
    assert agent.position == world.cell(0, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda world: world.cell(1e9, 0), "is outside the map"),
        (lambda world: world.cell(math.nan, 0), "a pose is two numbers in metres, not nan"),
        (lambda world: tb.Grid([[1]]).metres((0, 0)), "this map has no metres: give the grid a `resolution`"),
        (lambda world: tb.make("astar", world, tb.Pose(99, 99), (0, 0)), "is outside the map"),
        (lambda world: world.inflate(-1), "the radius and margin of a robot are numbers of metres, not -1"),
        (lambda world: world.inflate(0.2, margin=1, cost=0.5), "the cost near an obstacle is a number from 1"),
        (lambda world: world.inflate(50), "is larger than the map"),
        (lambda world: tb.Grid.load("harbour", unknown="free"), "harbour has no unknown cells"),
        (lambda world: tb.Grid.from_occupancy([[-1]], unknown="maybe"), "unknown cells are 'free', 'blocked', or cost"),
    ],
)
def test_bad_poses(call: Any, message: str) -> None:
    with pytest.raises(tb.ProblemError, match=message):
        call(tb.Grid(np.ones((20, 30), bool), resolution=0.5))


@pytest.mark.parametrize(
    "rules", [{"resolution": 0}, {"resolution": "5 cm"}, {"origin": (1, 2)}, {"origin": (0, 0, math.inf)}]
)
def test_bad_frames(rules: Any) -> None:
    with pytest.raises(tb.WorldError, match=r"the (resolution|origin) of a grid is"):
        tb.Grid([[1]], **rules)


@pytest.mark.uncompiled
def test_inflated_obstacles_follow_changes() -> None:
    """Every place is as its definition says: blocked within the radius of an obstacle, and expensive in the margin."""
    generator = np.random.default_rng(4)
    world = tb.Grid(np.ones((14, 17), bool), resolution=0.1)
    room = world.inflate(0.12, margin=0.31, cost=9)
    for _ in range(60):
        cells = [
            (int(x), int(y))
            for x, y in zip(generator.integers(17, size=3), generator.integers(14, size=3), strict=True)
        ]
        (world.block if generator.random() < 0.4 else world.unblock)(cells)
        walls = np.argwhere(~world.passable)
        for y, x in np.ndindex(world.shape):
            away = np.maximum(np.abs(walls - (y, x)) - 0.5, 0)
            gap = np.hypot(*away.T).min(initial=math.inf)
            edge = min(x + 0.5, y + 0.5, 17 - x - 0.5, 14 - y - 0.5)
            assert room.passable[y, x] == (gap >= 1.2 and edge >= 1.2)
            if room.passable[y, x] and room.travel is not None:
                near = gap < 1.2 + 3.1
                assert room.travel[y, x] == pytest.approx(1 + 8 * math.exp(-3 * (gap - 1.2) / 3.1) if near else 1)


@pytest.mark.uncompiled
def test_reports_inflate_too() -> None:
    """A robot that is told of an obstacle plans as if the map had it."""
    told, known = (tb.Grid(np.ones((30, 30), bool), resolution=0.1) for _ in range(2))
    wall = [(15, y) for y in range(22)]
    known.block(wall)
    ends, body = ((3, 3), (26, 3)), tb.Disc(1.5, margin=4, cost=5)
    robot = tb.make("dstar-lite", told, *ends, size=body, terrain="unknown")
    robot.observe(blocked=np.array(wall))
    robot.plan()
    walked = known.for_body(size=body).walk_cost(np.array([y * 30 + x for x, y in robot.path]))
    assert walked == pytest.approx(tb.shortest_path(known, *ends, size=body).cost)
    robot.observe(free=wall)
    robot.plan()
    assert len(robot.path) == 24


def test_unknown_ground_has_one_rule(tmp_path: Path) -> None:
    occupancy = np.array([[0, 19, 20], [65, 66, 100], [-1, 0, 0]])
    for unknown, passable in [
        ("blocked", [[0, 1, 1], [0, 0, 0], [1, 1, 0]]),
        ("free", [[1, 1, 1], [1, 0, 0], [1, 1, 1]]),
    ]:
        assert tb.Grid.from_occupancy(occupancy, unknown=unknown).passable.tolist() == passable
    priced = tb.Grid.from_occupancy(occupancy, unknown=7)
    assert priced.travel is not None
    assert np.argwhere(priced.travel == 7).tolist() == [[0, 0], [1, 0], [2, 2]]
    level = maps.Map(np.frombuffer(b".O@..O", np.uint8).reshape(2, 3), "hall", 0.2, (1.0, 2.0, 0.5))
    maps.write(level, tmp_path / "hall.yaml")
    for unknown, free in [("blocked", 3), ("free", 5), (4, 5)]:
        world = tb.Grid.load(tmp_path / "hall.yaml", unknown=unknown)
        assert np.count_nonzero(world.passable) == free
        assert (world.resolution, world.origin) == (0.2, (1.0, 2.0, 0.5))
        assert unknown != 4 or (world.travel is not None and world.travel.max() == 4)


def test_ground_from_files(tmp_path: Path) -> None:
    maps.write(maps.Map(np.array([list(b".WT"), list(b"SS.")], np.uint8)), tmp_path / "a.map")
    world = tb.Grid.load(tmp_path / "a.map", mobilities={"land": {".": 1, "S": 3}, "boat": {"W": 1}})
    assert world.for_body("land").passable.tolist() == [[True, False, False], [True, True, True]]
    assert world.for_body("boat").passable.sum() == 1
    Image.fromarray(np.array([[0, 100], [200, 100]], np.uint8)).save(tmp_path / "a.png")
    world = tb.Grid.load(tmp_path / "a.png", mobilities={"mud": {100: 2}})
    assert world.for_body("mud").passable.tolist() == [[False, True], [False, True]]
    layers = "".join(
        f'<layer name="{name}" width="2" height="1"><data encoding="csv">{data}</data></layer>'
        for name, data in [("ground", "3,3"), ("top", "0,7")]
    )
    (tmp_path / "a.tmx").write_text(f'<map orientation="orthogonal" width="2" height="1">{layers}</map>')
    world = tb.Grid.load(tmp_path / "a.tmx", mobilities={"walk": {3: 1}, "swim": {7: 1}})
    assert world.for_body("walk").passable.tolist() == [[True, False]]
    assert world.for_body("swim").passable.tolist() == [[False, True]]
