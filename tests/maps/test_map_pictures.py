import map_strategies as strategies
import numpy as np
import pytest
from hypothesis import given, settings

from timebound import maps
from timebound.core.errors import MapError
from timebound.maps import Map
from timebound.maps.drawing import TERRAIN_COLOURS

GROUND = Map.from_passable(np.ones((40, 60), bool))


@given(strategies.maps)
@settings(max_examples=30)
def test_every_cell_has_the_colour_of_its_terrain(map_):
    pixels = np.asarray(maps.picture(map_, scale=8))
    assert pixels.shape == (8 * map_.height, 8 * map_.width, 3)
    for y in range(map_.height):
        for x in range(map_.width):
            corner = pixels[8 * y + 7, 8 * x + 7]  # no shadow reaches so far
            assert tuple(corner) == TERRAIN_COLOURS[chr(map_.terrain[y, x])]


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [
        (5, 5, (320, 320)),
        (200, 120, (1000, 600)),
        (1000, 10, (1000, 10)),
        (1601, 3, (801, 2)),
        (4096, 4096, (1366, 1366)),
    ],
)
def test_the_size_fits_a_screen(width, height, size):
    assert maps.picture(Map.from_passable(np.ones((height, width), bool))).size == size


def test_the_scale_can_be_chosen():
    assert maps.picture(GROUND, scale=3).size == (180, 120)
    assert maps.picture(GROUND, scale=0.5).size == (30, 20)
    assert maps.picture(GROUND, scale=1e-300).size == (1, 1)
    for scale in (0, -1, float("nan"), float("inf")):
        with pytest.raises(MapError, match="the scale must be larger than 0 pixels per cell"):
            maps.picture(GROUND, scale=scale)
    with pytest.raises(MapError, match="at 100000 pixels per cell the picture would be too large"):
        maps.picture(GROUND, scale=100_000)


def test_huge_maps_are_averaged_not_sampled():
    stripes = Map.from_passable(np.indices((2000, 2000)).sum(axis=0) % 2 == 0)
    pixels = np.asarray(maps.picture(stripes))
    grey = np.mean([TERRAIN_COLOURS["."], TERRAIN_COLOURS["@"]], axis=0)
    assert np.abs(pixels - grey).max() <= 1


def test_early_and_late_expansions_differ():
    order = np.full((40, 60), -1)
    order[0, :] = np.arange(60)
    pixels = np.asarray(maps.picture(GROUND, scale=1, expanded=order)).astype(int)
    assert np.abs(pixels[0, 0] - pixels[0, 59]).sum() > 60
    assert tuple(pixels[1, 0]) == TERRAIN_COLOURS["."]
    seen = np.asarray(maps.picture(GROUND, scale=1, expanded=order >= 0))
    assert (seen[0] == pixels[0, 0]).all()
    never = np.full((40, 60), np.nan)
    assert (np.asarray(maps.picture(GROUND, scale=1, expanded=never)) == TERRAIN_COLOURS["."]).all()
    with pytest.raises(MapError, match=r"expanded must be numbers of shape \(40, 60\), not bool of \(60, 40\)"):
        maps.picture(GROUND, expanded=np.zeros((60, 40), bool))


def test_regions_have_colours_of_their_own():
    numbers = np.full((40, 60), -1)
    numbers[:20] = np.arange(60) // 10
    pixels = np.asarray(maps.picture(GROUND, scale=1, regions=numbers)).astype(int)
    assert len(np.unique(pixels[0], axis=0)) == 6
    assert (np.abs(np.diff(pixels[0, ::10], axis=0)).sum(axis=1) > 60).all()
    assert (pixels[:20] == pixels[0]).all()
    assert (pixels[20:] == TERRAIN_COLOURS["."]).all()
    small = np.asarray(maps.picture(GROUND, scale=0.1, regions=numbers)).astype(int)
    assert (np.abs(small[0] - pixels[0, ::10]) <= 1).all()
    with pytest.raises(MapError, match=r"regions must be whole numbers of shape \(40, 60\), not float64 of \(40, 60\)"):
        maps.picture(GROUND, regions=numbers / 2)


def test_path_start_and_goal_are_drawn_where_they_are():
    plain = np.asarray(maps.picture(GROUND))
    drawn = np.asarray(maps.picture(GROUND, path=[(3, 3), (20, 3), (20, 20)], start=(3, 3), goal=(20, 20)))
    scale = plain.shape[1] // 60

    def changed(x, y):
        return bool((drawn[int((y + 0.5) * scale), int((x + 0.5) * scale)] != plain[0, 0]).any())

    assert all(changed(x, y) for x, y in [(3, 3), (10, 3), (20, 3), (20, 10), (20, 20)])
    assert not any(changed(x, y) for x, y in [(0, 0), (3, 20), (30, 3), (10, 10)])


def test_positions_outside_are_refused():
    for options in ({"start": (60, 0)}, {"goal": (0, 40)}, {"path": [(0, 0), (-1, 0)]}):
        with pytest.raises(MapError, match=r"the (start|goal|path) \(.*\) lies outside the map of 60 x 40 cells"):
            maps.picture(GROUND, **options)


def test_an_empty_path_and_one_of_a_single_step_draw_no_line():
    plain = np.asarray(maps.picture(GROUND))
    for path in ([], [(1, 1)]):
        assert (np.asarray(maps.picture(GROUND, path=path)) == plain).all()
        ended = np.asarray(maps.picture(GROUND, path=path, goal=(20, 20)))
        assert (ended == np.asarray(maps.picture(GROUND, goal=(20, 20)))).all()


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".pdf"])
def test_pictures_are_saved_in_any_format_of_pillow(tmp_path, suffix):
    maps.save_picture(maps.picture(GROUND, scale=2), tmp_path / f"a{suffix}")
    assert (tmp_path / f"a{suffix}").stat().st_size > 50


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.xyz", "pictures are not written as .xyz; use .png"),
        ("a", "pictures are not written as files without a suffix; use .png"),
        ("gone/a.png", "cannot be written: No such file or directory"),
    ],
)
def test_pictures_that_cannot_be_saved(tmp_path, name, message):
    with pytest.raises(MapError) as error:
        maps.save_picture(maps.picture(GROUND), tmp_path / name)
    assert str(error.value) == f"{tmp_path / name}: {message}"
    assert not list(tmp_path.iterdir())
