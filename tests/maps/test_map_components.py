import map_strategies as strategies
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import label

from timebound import maps
from timebound.core.errors import MapError
from timebound.maps import Map


@given(strategies.maps, st.sampled_from([4, 8, 16]), st.sampled_from(["strict", "cut"]))
def test_parts_are_those_that_scipy_finds(map_, neighbors, corners):
    labels, sizes = maps.components(map_.passable, neighbors, corners)
    around = np.ones((3, 3)) if neighbors > 4 and corners == "cut" else None
    expected, count = label(map_.passable, around)
    assert (labels.dtype, sizes.dtype) == (np.int32, np.int64)
    assert sizes.size == count
    assert np.array_equal(labels >= 0, map_.passable)
    assert sizes.tolist() == np.bincount(labels[labels >= 0], minlength=count).tolist()
    assert len({(int(a), int(b)) for a, b in zip(labels.ravel(), expected.ravel(), strict=True)} - {(-1, 0)}) == count


@given(strategies.maps, st.integers(0, 30), st.integers(0, 9), st.sampled_from(["strict", "cut"]))
def test_random_problems_have_a_solution(map_, n, seed, corners):
    labels, sizes = maps.components(map_.passable, 8, corners)
    if sizes.max(initial=0) < 2:
        with pytest.raises(MapError, match="no two passable cells are connected"):
            maps.random_problems(map_, n, seed, 8, corners)
        return
    problems = maps.random_problems(map_, n, seed, 8, corners)
    assert problems == maps.random_problems(map_, n, seed, 8, corners)
    assert len(problems) == n
    for (x, y), (u, v) in problems:
        assert (x, y) != (u, v)
        assert labels[y, x] == labels[v, u]
        assert sizes[labels[y, x]] == sizes.max()


def test_random_problems_reach_everywhere():
    problems = maps.random_problems(Map.from_passable(np.ones((2, 2), bool)), 500)
    assert len(set(problems)) == 12


def test_rules_that_do_not_exist():
    ground = np.ones((2, 2), bool)
    with pytest.raises(MapError, match="a cell has 4, 8 or 16 neighbors, not 6"):
        maps.components(ground, neighbors=6)
    with pytest.raises(MapError, match="corners are 'strict' or 'cut', not 'round'"):
        maps.components(ground, corners="round")
    with pytest.raises(MapError, match="a map has two dimensions"):
        maps.components([True])
    with pytest.raises(MapError, match="the number of problems is a whole number up to 1,000,000, not -1"):
        maps.random_problems(Map.from_passable(ground), -1)
