import numpy as np
import pytest

from timebound.core.errors import MapError
from timebound.maps import Map, from_array
from timebound.maps.model import MAX_CELLS


def test_passable_and_blocked_characters():
    terrain = np.frombuffer(b".GSgs@OTW", np.uint8).reshape(1, 9)
    assert Map(terrain).passable.tolist() == [[True] * 5 + [False] * 4]


def test_a_map_keeps_its_own_copy_and_lets_nobody_change_it():
    terrain = np.full((2, 3), ord("."), np.uint8)
    map_ = Map(terrain)
    terrain[0, 0] = ord("@")
    assert map_.passable.all()
    for array in (map_.terrain, map_.passable):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 0


def test_the_fingerprint_tells_maps_apart_by_shape_and_passability_only():
    fingerprint = Map.from_passable(np.ones((2, 3), bool)).fingerprint
    assert Map.from_passable(np.ones((2, 3), bool), "other").fingerprint == fingerprint
    assert Map(np.full((2, 3), ord("G"), np.uint8)).fingerprint == fingerprint
    assert Map.from_passable(np.ones((3, 2), bool)).fingerprint != fingerprint
    assert Map.from_passable(np.arange(6).reshape(2, 3) != 5).fingerprint != fingerprint


@pytest.mark.parametrize(
    ("terrain", "message"),
    [
        (np.zeros(3, np.uint8), "a map has two dimensions (rows and columns), not 1"),
        (np.zeros((0, 3), np.uint8), "a map needs at least one cell, not 3 x 0"),
        (np.zeros((1, 1), np.int64), "terrain must be uint8 character codes, not int64; see Map.from_passable"),
        (
            np.frombuffer(b"..x.", np.uint8).reshape(2, 2),
            "unknown character 'x' at (0, 1) (passable: . G S g s, blocked: @ O T W)",
        ),
    ],
)
def test_what_is_no_terrain_is_refused(terrain, message):
    with pytest.raises(MapError) as error:
        Map(terrain)
    assert str(error.value) == message


def test_an_array_too_large_for_a_map_is_refused_before_it_is_copied():
    huge = np.broadcast_to(np.uint8(ord(".")), (2**20, 2**20))  # one byte that pretends to be 2**40
    for make in (Map, from_array):
        with pytest.raises(MapError, match=f"1048576 x 1048576 cells are too many: the limit is {MAX_CELLS}"):
            make(huge)


@pytest.mark.parametrize(
    ("array", "terrain"),
    [
        (np.array([[True, False]]), b".@"),
        (np.array([[1, 0]], np.int8), b".@"),
        (np.array([[1, 0]], ">i4"), b".@"),
        (np.array([[ord("S"), ord("W")]], np.int64), b"SW"),
        (np.array([[0, 0]]), b"@@"),
        (np.array([[True], [False]])[::-1], b"@."),
    ],
)
def test_arrays_that_are_maps(array, terrain):
    assert from_array(array).terrain.tobytes() == terrain


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ([[0.5]], "an array of float64 is not a map; compare it first, as in array < 0.5, to get True where passable"),
        ([["."]], "an array of <U1 is not a map"),
        ([[0, 2]], "whole numbers from 0 to 2 are neither 1 and 0"),
        ([[-1, 100]], "whole numbers from -1 to 100 are neither"),
        ([[46 + 256]], "whole numbers from 302 to 302 are neither"),
        ([1, 0], "a map has two dimensions (rows and columns), not 1"),
    ],
)
def test_arrays_that_are_none(array, message):
    with pytest.raises(MapError) as error:
        from_array(array)
    assert str(error.value).startswith(message)


def test_from_passable_takes_truth_values_only():
    assert Map.from_passable([[1, 0]]).passable.tolist() == [[True, False]]
    with pytest.raises(MapError, match="passable cells are True or False"):
        Map.from_passable([[2, 0]])
    with pytest.raises(MapError, match="passable cells are True or False"):
        Map.from_passable([[1.0]])
