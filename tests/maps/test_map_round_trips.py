import io
import os

import map_strategies as strategies
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from timebound import maps
from timebound.core.errors import MapError
from timebound.maps import Map

FORMATS = (".map", ".npy", ".png", ".pgm", ".bmp", ".yaml", ".yml")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("round-trips")


@given(strategies.maps, st.sampled_from(FORMATS))
def test_every_format_keeps_which_cells_are_passable(folder, map_, suffix):
    path = folder / f"some{suffix}"
    maps.write(map_, path)
    again = maps.read(path)
    assert again.fingerprint == map_.fingerprint
    assert again.name == "some"
    first = path.read_bytes()
    maps.write(again, path)
    assert path.read_bytes() == first


@given(strategies.maps, st.sampled_from([b"\n", b"\r\n"]), st.sampled_from([b"", b"\n", b"\r\n\r\n"]), st.booleans())
def test_map_files_keep_the_terrain_whatever_their_line_ends(folder, map_, end, last, bom):
    path = folder / "terrain.map"
    maps.write(map_, path)
    text = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" * bom + text.removesuffix(b"\n").replace(b"\n", end) + last)
    assert np.array_equal(maps.read(path).terrain, map_.terrain)
    maps.write(maps.read(path), path)
    assert path.read_bytes() == text


@given(strategies.maps, st.floats(1e-6, 1e6), st.tuples(*[st.floats(-1e9, 1e9)] * 3))
def test_ros_files_keep_their_place_in_the_world(folder, map_, resolution, origin):
    path = folder / "placed.yaml"
    maps.write(Map(map_.terrain, "placed", resolution, origin), path)
    again = maps.read(path)
    assert (again.resolution, again.origin) == (resolution, origin)
    assert np.array_equal(again.terrain == ord("O"), map_.terrain == ord("O"))  # unknown stays unknown
    free = maps.read(path, unknown="free")
    assert np.array_equal(free.passable, map_.passable | (map_.terrain == ord("O")))


@given(st.lists(strategies.problems(), max_size=5))
def test_scenarios_lose_nothing(folder, problems):
    path = folder / "some.scen"
    maps.write_scenario(problems, path)
    assert maps.read_scenario(path) == problems


def test_scenarios_may_use_blanks_or_tabs(tmp_path):
    path = tmp_path / "some.scen"
    path.write_text(
        "version 1.0\r\n61 a/b.map 512 500 210 395 87 201 244.95\r\n\r\n0\ta b.map\t9\t8\t1\t2\t3\t4\t2.5\n"
    )
    assert maps.read_scenario(path) == [
        maps.Problem(61, "a/b.map", 512, 500, (210, 395), (87, 201), 244.95),
        maps.Problem(0, "a b.map", 9, 8, (1, 2), (3, 4), 2.5),
    ]


def test_scenario_lengths_are_written_with_eight_decimals(tmp_path):
    path = tmp_path / "some.scen"
    maps.write_scenario([maps.Problem(0, "a.map", 9, 9, (0, 0), (1, 1), 1.41421356)], path)
    assert path.read_text() == "version 1\n0\ta.map\t9\t9\t0\t0\t1\t1\t1.41421356\n"


@pytest.mark.parametrize("suffix", [".png", ".pgm", ".gif", ".webp", ".jpg"])
def test_light_is_passable_in_any_image(tmp_path, suffix):
    path = tmp_path / f"image{suffix}"
    Image.fromarray(np.repeat(np.array([[0, 100, 150, 255]], np.uint8), 16, axis=1).repeat(16, axis=0)).save(path)
    assert maps.read(path).passable[8, 8::16].tolist() == [False, False, True, True]
    assert maps.read(path, threshold=60).passable[8, 8::16].tolist() == [False, True, True, True]
    assert maps.read(path, threshold=200).passable[8, 8::16].tolist() == [False, False, False, True]


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (Image.fromarray(np.array([[0, 127 * 256, 128 * 256, 65535]], np.uint16)), [0, 0, 1, 1]),
        (Image.fromarray(np.array([[[0, 0, 255], [0, 255, 0], [255, 255, 255]]], np.uint8)), [0, 1, 1]),
        (Image.fromarray(np.array([[[0, 0, 0, 255], [0, 0, 0, 0], [255, 255, 255, 9]]], np.uint8)), [0, 1, 1]),
        (Image.fromarray(np.array([[[0, 255], [0, 0]]], np.uint8), "LA"), [0, 1]),
        (Image.fromarray(np.array([[True, False]])), [1, 0]),
        (Image.fromarray(np.array([[[250, 250, 0], [9, 9, 9]]], np.uint8)).quantize(2), [1, 0]),
    ],
    ids=["16 bits", "colours", "alpha", "grey and alpha", "1 bit", "palette"],
)
def test_every_kind_of_pixel(tmp_path, image, expected):
    image.save(tmp_path / "image.png")
    assert maps.read(tmp_path / "image.png").passable.tolist() == [[bool(value) for value in expected]]


def test_sixteen_bits_in_a_pgm(tmp_path):
    (tmp_path / "deep.pgm").write_bytes(b"P5 3 1 65535\n\x00\x00\x7f\xff\x80\x00")
    assert maps.read(tmp_path / "deep.pgm").passable.tolist() == [[False, False, True]]


def ros(folder, pixels, **header):
    Image.fromarray(np.array([pixels], np.uint8)).save(folder / "floor.pgm")
    lines = {"image": "floor.pgm", "resolution": 0.1, "origin": "[-1, 2, 0]", "negate": 0} | header
    (folder / "floor.yaml").write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
    return folder / "floor.yaml"


def test_ros_pixels_are_free_occupied_or_unknown(tmp_path):
    pixels = [254, 206, 205, 128, 90, 89, 0]  # 205 is what map_saver writes for unknown cells
    floor = maps.read(ros(tmp_path, pixels))
    assert floor.terrain.tobytes() == b"..OOO@@"
    assert (floor.name, floor.resolution, floor.origin) == ("floor", 0.1, (-1.0, 2.0, 0.0))
    assert maps.read(tmp_path / "floor.yaml", unknown="free").terrain.tobytes() == b".....@@"


def test_ros_negate_and_thresholds(tmp_path):
    assert maps.read(ros(tmp_path, [254, 128, 0], negate=1)).terrain.tobytes() == b"@O."
    path = ros(tmp_path, [254, 128, 0], occupied_thresh=0.4, free_thresh="1e-1")
    assert maps.read(path).terrain.tobytes() == b".@@"


def test_ros_transparent_pixels_are_unknown(tmp_path):
    path = ros(tmp_path, [0], image="floor.png")
    Image.fromarray(np.array([[[255, 255, 255, 0], [255, 255, 255, 255]]], np.uint8)).save(tmp_path / "floor.png")
    assert maps.read(path).terrain.tobytes() == b"O."


def test_a_ros_image_is_looked_for_beside_its_yaml_file(tmp_path, monkeypatch):
    (tmp_path / "far").mkdir()
    ros(tmp_path / "far", [254])
    monkeypatch.chdir(tmp_path)
    assert maps.read("far/floor.yaml").passable.all()


def test_npy_from_another_program(tmp_path):
    for array in (np.asfortranarray([[1, 0], [1, 1]]), np.array([[1, 0], [1, 1]], ">u2")):
        np.save(tmp_path / "a.npy", array)
        assert maps.read(tmp_path / "a.npy").passable.tolist() == [[True, False], [True, True]]


def test_suffixes_may_be_large(tmp_path):
    maps.write(Map.from_passable([[1, 0]]), tmp_path / "A.MAP")
    assert maps.read(tmp_path / "A.MAP").width == 2


def test_the_built_in_map_is_read_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert maps.builtin() == ("harbour",)
    assert maps.read("harbour").fingerprint == maps.builtin("harbour").fingerprint
    (tmp_path / "harbour").write_text("mine")
    with pytest.raises(MapError, match="a map file needs a suffix"):
        maps.read("harbour")
    with pytest.raises(MapError, match=r"no built-in map is called 'harbor'; choose from: harbour"):
        maps.builtin("harbor")


def test_the_built_in_map_is_good_for_a_demonstration():
    harbour = maps.builtin("harbour")
    labels, sizes = maps.components(harbour.passable)
    assert (harbour.width, harbour.height, sizes.size) == (200, 120, 1)
    assert labels[100, 12] == labels[14, 180] == 0


def test_files_get_the_usual_permissions(tmp_path):
    mask = os.umask(0o027)
    try:
        maps.write(Map.from_passable([[1]]), tmp_path / "a.map")
    finally:
        os.umask(mask)
    assert (tmp_path / "a.map").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_nothing_half_written(tmp_path, monkeypatch, interruption):
    path = tmp_path / "floor.yaml"
    maps.write(Map.from_passable([[1, 0]]), path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    calls = []

    def fsync(_):
        calls.append(1)
        if len(calls) == 2:
            raise interruption

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises((KeyboardInterrupt, MapError)) as error:
        maps.write(Map.from_passable([[0, 1, 1]]), path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    if error.type is MapError:
        image = tmp_path / "floor.pgm"
        assert str(error.value) == f"{image}, {path}: cannot be written: No space left on device"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link.map").symlink_to(tmp_path / "real.map")
    maps.write(Map.from_passable([[1]]), tmp_path / "link.map")
    assert (tmp_path / "link.map").is_symlink()
    assert maps.read(tmp_path / "real.map").width == 1


def test_writing_the_same_map_twice_gives_the_same_bytes(tmp_path):
    image = maps.picture(maps.builtin("harbour"), path=[(12, 100), (20, 90)], start=(12, 100), goal=(180, 14))
    for name in ("one.png", "two.png"):
        maps.save_picture(image, tmp_path / name)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
    assert Image.open(io.BytesIO((tmp_path / "one.png").read_bytes())).size == image.size
