import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timebound import maps
from timebound.core.errors import MapError

GENERATORS = (maps.random_obstacles, maps.maze, maps.rooms, maps.caves)
sizes = st.integers(8, 90)
seeds = st.integers(0, 2**63 - 1)


@pytest.mark.parametrize("generator", GENERATORS)
@given(width=sizes, height=sizes, seed=seeds)
@settings(max_examples=20)
def test_the_seed_decides_and_nothing_else(generator, width, height, seed):
    one, two = generator(width, height, seed=seed), generator(width, height, seed=seed)
    assert one.terrain.tobytes() == two.terrain.tobytes()
    assert one.terrain.shape == (height, width)


@pytest.mark.parametrize("generator", GENERATORS)
def test_another_seed_gives_another_map(generator):
    assert len({generator(60, 50, seed=seed).fingerprint for seed in range(20)}) == 20


@pytest.mark.parametrize(
    ("generator", "fingerprint"),
    [
        (maps.random_obstacles, "30efe5b0988f0c80"),
        (maps.maze, "60de28df5f4a1631"),
        (maps.rooms, "3415f2d473491269"),
        (maps.caves, "48d3c89b13154e2a"),
    ],
)
def test_maps_stay_the_same_from_version_to_version(generator, fingerprint):
    assert generator(97, 64, seed=5).fingerprint[:16] == fingerprint


@given(sizes, sizes, st.floats(0, 1), seeds)
def test_the_share_of_obstacles_is_exact(width, height, share, seed):
    map_ = maps.random_obstacles(width, height, share, seed)
    assert (~map_.passable).sum() == round(share * width * height)


def test_obstacles_are_spread_evenly():
    passable = maps.random_obstacles(400, 400, share=0.3, seed=1).passable
    shares = 1 - passable.reshape(10, 40, 10, 40).mean(axis=(1, 3))
    assert np.all(np.abs(shares - 0.3) < 5 * math.sqrt(0.3 * 0.7 / 1600))


@given(st.integers(3, 80), st.integers(3, 80), seeds, st.integers(1, 3))
def test_a_maze_is_perfect(width, height, seed, corridor):
    if min(width, height) < corridor + 2:
        return
    passable = maps.maze(width, height, seed, corridor).passable
    pitch = corridor + 1
    rows, columns = (height - 1) // pitch, (width - 1) // pitch
    assert maps.components(passable, neighbors=4)[1].size == 1
    # a crossing in each square, and as many openings between squares as a tree has edges
    right = passable[1 : rows * pitch : pitch, pitch : columns * pitch : pitch]
    down = passable[pitch : rows * pitch : pitch, 1 : columns * pitch : pitch]
    assert passable[1 : rows * pitch : pitch, 1 : columns * pitch : pitch].all()
    assert right.sum() + down.sum() == rows * columns - 1
    assert passable.sum() == rows * columns * corridor**2 + (rows * columns - 1) * corridor
    assert not passable[[0, -1]].any()
    assert not passable[:, [0, -1]].any()


def test_the_maze_of_the_paper():
    passable = maps.maze(151, 151, seed=3).passable
    nodes = passable.sum()
    edges = (passable[1:] & passable[:-1]).sum() + (passable[:, 1:] & passable[:, :-1]).sum()
    assert nodes == 2 * 75 * 75 - 1
    assert edges == nodes - 1  # with one connected part: a tree
    assert passable[1::2, 1::2].all()


def test_depth_first_mazes_have_long_corridors():
    passable = maps.maze(151, 151, seed=3).passable.astype(int)
    ways = passable[:-2, 1:-1] + passable[2:, 1:-1] + passable[1:-1, :-2] + passable[1:-1, 2:]
    crossings = ways[::2, ::2]
    assert (crossings == 1).mean() < 0.15  # dead ends; a random spanning tree has about 0.3


@given(st.integers(3, 90), st.integers(3, 90), st.integers(1, 20), seeds, st.floats(0, 1))
def test_rooms_are_all_connected(width, height, room, seed, doors):
    passable = maps.rooms(width, height, room, seed, doors).passable
    assert maps.components(passable, neighbors=4)[1].size == 1
    assert not passable[[0, -1]].any()
    assert not passable[:, [0, -1]].any()


def test_rooms_have_their_size_and_their_doors():
    none = maps.rooms(69, 69, room=16, seed=1, doors=0).passable
    every = maps.rooms(69, 69, room=16, seed=1, doors=1).passable
    floor = 16 * (16 * 16)
    assert none.sum() == floor + 15
    assert every.sum() == floor + 24


@given(sizes, sizes, seeds)
@settings(max_examples=60)
def test_caves_are_one_part_inside_rock(width, height, seed):
    passable = maps.caves(width, height, seed).passable
    assert maps.components(passable, neighbors=4)[1].size == 1
    assert not passable[[0, -1]].any()
    assert not passable[:, [0, -1]].any()


def test_caves_are_neither_open_nor_full():
    shares = [maps.caves(200, 150, seed).passable.mean() for seed in range(10)]
    assert 0.35 < min(shares) <= max(shares) < 0.65


def test_a_large_map_of_every_kind():
    for generator in GENERATORS:
        assert generator(2048, 1024, seed=1).passable.shape == (1024, 2048)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: maps.random_obstacles(0, 5), "0 x 5 cells are too few: this kind of map needs at least 1 x 1"),
        (lambda: maps.random_obstacles(5, -5), "5 x -5 cells are too few: this kind of map needs at least 1 x 1"),
        (lambda: maps.random_obstacles(5.5, 5), "the width must be a whole number, not 5.5"),
        (lambda: maps.random_obstacles(5, 5, share=1.5), "share must lie between 0 and 1, not 1.5"),
        (lambda: maps.random_obstacles(5, 5, share=-0.1), "share must lie between 0 and 1, not -0.1"),
        (lambda: maps.random_obstacles(5, 5, share=math.nan), "share must lie between 0 and 1, not nan"),
        (lambda: maps.random_obstacles(5, 5, seed=-1), "a seed is a whole number from 0, of at most 63 bits, not -1"),
        (
            lambda: maps.random_obstacles(5, 5, seed=None),
            "a seed is a whole number from 0, of at most",
        ),
        (
            lambda: maps.random_obstacles(10**9, 10**9),
            "1000000000 x 1000000000 cells are too many: the limit is 268435456; cut or reduce the map",
        ),
        (lambda: maps.maze(2, 9), "2 x 9 cells are too few: this kind of map needs at least 3 x 3"),
        (lambda: maps.maze(9, 9, corridor=0), "a corridor of 0 cells is too narrow: give 1 or more"),
        (lambda: maps.maze(9, 9, corridor=8), "9 x 9 cells are too few: this kind of map needs at least 10 x 10"),
        (lambda: maps.maze(10**6, 10**6), "1000000 x 1000000 cells are too many: the limit is 268435456; cut or"),
        (lambda: maps.rooms(9, 9, room=0), "a room of 0 cells is too small: give 1 or more"),
        (lambda: maps.rooms(9, 9, doors=math.nan), "doors must lie between 0 and 1, not nan"),
        (lambda: maps.rooms(9, 2), "9 x 2 cells are too few: this kind of map needs at least 3 x 3"),
        (lambda: maps.caves(7, 9), "7 x 9 cells are too few: this kind of map needs at least 8 x 8"),
        (lambda: maps.caves(10**6, 10**6), "1000000 x 1000000 cells are too many: the limit is 268435456; cut or"),
    ],
)
def test_silly_parameters_are_refused(make, message):
    with pytest.raises(MapError) as error:
        make()
    assert str(error.value).startswith(message)
