"""The message for every kind of bad file: one line with the file, the position, what is wrong and what to do."""

import os
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from timebound import maps
from timebound.core.errors import MapError
from timebound.maps import Map, Problem
from timebound.maps.images import MAX_PIXELS
from timebound.maps.model import MAX_CELLS

LEGEND = "(passable: . G S g s, blocked: @ O T W)"


def complaint(read, path):
    with pytest.raises(MapError) as error:
        read(path)
    text = str(error.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    return text.removeprefix(str(path))


HEADER = b"type octile\nheight 2\nwidth 3\nmap\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ", line 1: expected 'type octile', found the end of the file"),
        (b"\x00\xff\x80junk", r", line 1: expected 'type octile', found '\x00\\xff\\x80junk'"),
        (b"x" * 500, f", line 1: expected 'type octile', found '{'x' * 40}...'"),
        (b"type octile\n", ", line 2: expected 'height NUMBER', found the end of the file"),
        (b"type octile\nheight two\n", ", line 2: expected 'height NUMBER', found 'height two'"),
        (b"type octile\nheight -2\n", ", line 2: expected 'height NUMBER', found 'height -2'"),
        (b"type octile\nheight 2\nheight 2\nmap\n", ", line 3: expected 'width NUMBER', found 'height 2'"),
        (b"type octile\nheight 2\nwidth 1_0\nmap\n", ", line 3: expected 'width NUMBER', found 'width 1_0'"),
        (b"type octile\nheight 0\nwidth 3\nmap\n", ", line 3: a map needs at least one cell, not 3 x 0"),
        (
            b"type octile\nheight 100000\nwidth 999999999\nmap\n",
            f", line 3: 999999999 x 100000 cells are too many: the limit is {MAX_CELLS}; cut or reduce the map",
        ),
        (b"type octile\nheight 2\nwidth 3\n...\n", ", line 4: expected 'map', found '...'"),
        (HEADER, ", line 4: the file ends after 0 of 2 rows; it may be cut off"),
        (HEADER + b"...\n", ", line 5: the file ends after 1 of 2 rows; it may be cut off"),
        (HEADER + b"...\n.", ", line 6: 1 cells in a row of width 3; the file may be cut off"),
        (HEADER + b"....\n...\n", ", line 5: 4 cells in a row of width 3; correct the row"),
        (HEADER + b"...\n\n...\n", ", line 6: 0 cells in a row of width 3; correct the row"),
        (HEADER + b"...\n...\n...\n", ", line 7: more rows than the height 2; correct line 2 or 3"),
        (HEADER + b"...\n.x.\n", f", line 6, column 2: unknown character 'x' {LEGEND}"),
        (HEADER + b"..\x00\n...\n", f", line 5, column 3: unknown character 0x00 {LEGEND}"),
        (HEADER + b"..\xc3\n...\n", f", line 5, column 3: unknown character 0xc3 {LEGEND}"),
    ],
)
def test_bad_map_files(tmp_path, content, message):
    path = tmp_path / "bad.map"
    path.write_bytes(content)
    assert complaint(maps.read, path) == message


FIELDS = "(bucket, map, width, height, start x, start y, goal x, goal y, length)"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ", line 1: expected 'version 1', found the end of the file"),
        (b"version 2\n", ", line 1: expected 'version 1', found 'version 2'"),
        (b"0 a.map 9 9 0 0 1 1 2\n", ", line 1: expected 'version 1', found '0 a.map 9 9 0 0 1 1 2'"),
        (b"version 1\n\n0 a.map 9 9 0 0 1\n", f", line 3: 7 fields instead of 9 {FIELDS}; the file may be cut off"),
        (
            b"version 1\n0 a b.map 9 9 0 0 1 1 2\n",
            f", line 2: 10 fields instead of 9 {FIELDS}; the file may be cut off",
        ),
        (b"version 1\n0 a.map 9 9 0 0 -1 1 2\n", ", line 2: the goal x '-1' is not a whole number of 0 or more"),
        (b"version 1\n0 a.map 9 9 0 1.5 1 1 2\n", ", line 2: the start y '1.5' is not a whole number of 0 or more"),
        (b"version 1\n0 a.map 9 9 0 0 1 1 nan\n", ", line 2: the length 'nan' is not a number of 0 or more"),
        (b"version 1\n0 a.map 9 9 0 0 1 1 -2\n", ", line 2: the length '-2' is not a number of 0 or more"),
        (b"version 1\n0 a.map 9 9 0 0 1 1 9e999\n", ", line 2: the length inf is not a finite number of 0 or more"),
        (b"version 1\n0 a.map 9 9 9 0 1 1 2\n", ", line 2: the start (9, 0) lies outside the map of 9 x 9 cells"),
        (b"version 1\n0 a.map 9 9 0 0 1 9 2\n", ", line 2: the goal (1, 9) lies outside the map of 9 x 9 cells"),
        (b"version 1\n0 a.map 0 9 0 0 1 9 2\n", ", line 2: a map needs at least one cell, not 0 x 9"),
        (b"version 1\n0\ta\xff.map\t9\t9\t0\t0\t1\t1\t2\n", ", line 2, column 4: not UTF-8 text"),
    ],
)
def test_bad_scenario_files(tmp_path, content, message):
    path = tmp_path / "bad.scen"
    path.write_bytes(content)
    assert complaint(maps.read_scenario, path) == message


@pytest.mark.parametrize("name", ["", " a", "a\tb", "a\nb", "\ud800"])
def test_problems_whose_map_cannot_be_written_do_not_exist(name):
    with pytest.raises(MapError, match="the map's name"):
        Problem(0, name, 9, 9, (0, 0), (1, 1), 2.0)


def npy(shape, dtype="|b1", data=b""):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": not a complete .npy file: "),
        (b"junk that is no array", ": not a complete .npy file: "),
        (npy((10**6, 10**6)), ": not a complete .npy file: "),
        (npy((2, 2), data=b"\x01"), ": not a complete .npy file: "),
        (npy((-2, 2), data=b"\x01"), ": not a complete .npy file: "),
        (
            npy((1, 1), "|O", b"\x01" * 8),
            ": not a complete .npy file: Array can't be memory-mapped: Python objects",
        ),
        (npy((1, 2), data=b"\x01\x01junk"), ": 4 bytes follow the array that the header describes; write it again"),
        (npy((2,), data=b"\x01\x01"), ": a map has two dimensions (rows and columns), not 1"),
        (npy((1, 1), "<f8", bytes(8)), ": an array of float64 is not a map; compare it first"),
        (npy((1, 2), "|u1", b"\x00\x07"), ": whole numbers from 0 to 7 are neither 1 and 0"),
    ],
)
def test_bad_npy_files(tmp_path, content, message):
    path = tmp_path / "bad.npy"
    path.write_bytes(content)
    assert complaint(maps.read, path).startswith(message)


TOO_LARGE = f": too many pixels: the limit is {MAX_PIXELS}; cut or reduce the image"


def png(width, height):
    """A PNG whose header promises that many pixels, and which has none."""
    chunks = (b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0), b"IDAT")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.png", b"", ": not an image in a known format; save it as PNG or PGM"),
        ("a.pgm", b"\x00junk", ": not an image in a known format; save it as PNG or PGM"),
        (
            "a.png",
            b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
            ": not an image in a known format; save",
        ),
        ("a.png", png(8, 8), ": damaged image: "),
        ("a.pgm", b"P5 9 9 255\n\x00", ": damaged image: "),
        ("a.pgm", b"P5 0 9 255\n", ": "),
        (
            "a.png",
            png(8192, 8193),
            f": 8192 x 8193 cells are too many: the limit is {MAX_PIXELS}; cut or reduce the map",
        ),
        ("a.png", png(10_000, 9_999), TOO_LARGE),
        ("a.png", png(2**31 - 1, 2**31 - 1), TOO_LARGE),
        (
            "a.pgm",
            b"P5 999999 999999 255\n\x00",
            TOO_LARGE,
        ),
    ],
)
def test_bad_images(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    assert complaint(maps.read, path).startswith(message)


ROS = {"image": "floor.pgm", "resolution": "0.1", "origin": "[0, 0, 0]"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"image": None}, ": 'image' is missing"),
        ({"image": "7"}, ": image 7 is not a file name"),
        ({"resolution": None}, ": 'resolution' is missing"),
        ({"resolution": "fine"}, ": resolution 'fine' is not a finite number"),
        ({"resolution": ".nan"}, ": resolution nan is not a finite number"),
        ({"resolution": "true"}, ": resolution True is not a finite number"),
        ({"resolution": "0x" + "f" * 9000}, ": resolution a whole number of 10838 digits is not a finite number"),
        ({"resolution": "0"}, ": the resolution 0.0 must be larger than 0 metres per cell"),
        ({"origin": None}, ": 'origin' is missing"),
        ({"origin": "[1, 2]"}, ": origin [1, 2] is not a list [x, y, yaw]"),
        ({"origin": "[1, 2, .inf]"}, ": origin inf is not a finite number"),
        ({"negate": "2"}, ": negate 2 is neither 0 nor 1"),
        ({"mode": "raw"}, ": mode 'raw' is not supported; use trinary"),
        ({"free_thresh": "0.9"}, ": the thresholds must satisfy 0 <= free_thresh <= occupied_thresh <= 1"),
        ({"occupied_thresh": "65"}, ": the thresholds must satisfy 0 <= free_thresh <= occupied_thresh <= 1"),
        ({"image": "gone.pgm"}, ": its image {folder}/gone.pgm: cannot be read: No such file or directory"),
        ({"image": "."}, ": its image {folder}: cannot be read: it is a directory; give a map file"),
        (
            {"image": "bad.yaml"},
            ": its image {folder}/bad.yaml: not an image in a known format; save it as PNG or PGM",
        ),
    ],
)
def test_bad_ros_files(tmp_path, changes, message):
    Image.new("L", (2, 2)).save(tmp_path / "floor.pgm")
    path = tmp_path / "bad.yaml"
    path.write_text("".join(f"{key}: {value}\n" for key, value in (ROS | changes).items() if value is not None))
    assert complaint(maps.read, path) == message.format(folder=tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": not a ROS map: expected lines such as 'image: map.pgm' and 'resolution: 0.05'"),
        (b"- 1\n- 2\n", ": not a ROS map: expected lines such as 'image: map.pgm' and 'resolution: 0.05'"),
        (b"image: [1,\n", ", line 2, column 1: not YAML: "),
        (b"image: !!python/object:os.system x\n", ", line 1, column 8: not YAML: could not determine a constructor"),
        (b"\x00\x01\x02", ": not YAML: "),
        (b"a: 2020-99-99\n", ": not YAML: month must be in 1..12"),
        (b"[" * 5000, ": not YAML: "),
        (b"mode: &a [x, x]\nimage: [*a, *a]\n", ": not YAML: aliases and deep nesting are not allowed"),
        (
            b"image: {a: {a: {a: {a: {a: b}}}}}\nresolution: 1\n",
            ": image {'a': {'a': {'a': {'a': {...}}}}} is not a file name",
        ),
        (b"x" * (2**14 + 1), ": 16385 bytes exceed the limit of 16384; is this really a map file?"),
    ],
)
def test_what_is_no_yaml(tmp_path, content, message):
    path = tmp_path / "bad.yaml"
    path.write_bytes(content)
    assert complaint(maps.read, path).startswith(message)


@pytest.mark.parametrize("suffix", [".map", ".npy", ".png", ".pgm", ".yaml", ".scen"])
def test_files_that_cannot_be_read(tmp_path, suffix):
    read, what = (maps.read_scenario, "a scenario file") if suffix == ".scen" else (maps.read, "a map file")
    path = tmp_path / f"gone{suffix}"
    assert complaint(read, path) == ": cannot be read: No such file or directory"
    path.mkdir()
    assert complaint(read, path) == f": cannot be read: it is a directory; give {what}"
    pipe = tmp_path / f"pipe{suffix}"
    os.mkfifo(pipe)
    assert complaint(read, pipe) == f": cannot be read: it is not a regular file; give {what}"
    if os.geteuid() != 0:  # root may read everything
        secret = tmp_path / f"secret{suffix}"
        secret.write_bytes(b"x")
        secret.chmod(0)
        assert complaint(read, secret) == ": cannot be read: Permission denied"
    with pytest.raises(MapError, match="cannot be read: embedded null"):
        read(f"a\0b{suffix}")


def test_names_that_say_no_format(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").write_text("x")
    (tmp_path / "folder").mkdir()
    for name, message in {
        "harbor": "harbor: no such file, and no built-in map of that name (built in: harbour)",
        "plain": "plain: a map file needs a suffix for its format: .map, .npy, .yaml, .tmx, .png, .pgm",
        "folder": "folder: cannot be read: it is a directory; give a map file",
        "a.xyz": "a.xyz: .xyz is not a map format; use .map, .npy, .yaml, .tmx or an image such as .png, .pgm",
    }.items():
        with pytest.raises(MapError) as error:
            maps.read(name)
        assert str(error.value) == message


def test_options_that_make_no_sense():
    with pytest.raises(MapError, match="the threshold 256 is not a grey value: give 0 to 255"):
        maps.read("a.png", threshold=256)
    with pytest.raises(MapError, match="unknown cells are 'blocked' or 'free', not 'maybe'"):
        maps.read("a.yaml", unknown="maybe")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.jpg", "maps are not written as .jpg; use one of .map, .npy, .png, .pgm, .bmp, .yaml, .yml"),
        ("a", "maps are not written as files without a suffix; use one of"),
        ("gone/a.map", "cannot be written: No such file or directory"),
        ("dir.map", "cannot be written: it is a directory; give a file name"),
        ("pipe.map", "cannot be written: it is not a regular file; give a file name"),
        ("a\0b.map", "cannot be written: embedded null"),
    ],
)
def test_files_that_cannot_be_written(tmp_path, name, message):
    (tmp_path / "dir.map").mkdir()
    os.mkfifo(tmp_path / "pipe.map")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(MapError) as error:
        maps.write(Map.from_passable(np.ones((2, 2), bool)), tmp_path / name)
    shown = str(tmp_path / name).replace("\0", "\\x00")
    assert str(error.value).startswith(f"{shown}: {message}")
    assert sorted(tmp_path.iterdir()) == before
