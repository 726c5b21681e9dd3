"""Whatever a file holds, a reader returns a valid map (or list of problems) or raises `MapError` with one line."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from timebound import maps
from timebound.core.errors import MapError


def _image_bytes(format_):
    pixels = np.arange(35, dtype=np.uint8).reshape(5, 7) * 7
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, format_)
    return file.getvalue()


def _npy_bytes(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


VALID = {
    ".map": [
        b"type octile\nheight 3\nwidth 4\nmap\n.@OT\nWSG.\n....\n",
        b"type octile\r\nheight 1\r\nwidth 1\r\nmap\r\n.\r\n",
    ],
    ".npy": [_npy_bytes(np.eye(4, dtype=bool)), _npy_bytes(np.full((2, 3), 46, np.uint8))],
    ".png": [
        _image_bytes("PNG"),
        _image_bytes("TGA"),
        _image_bytes("GIF"),
        _image_bytes("WEBP"),
        _image_bytes("JPEG"),
    ],
    ".pgm": [_image_bytes("PPM"), b"P2\n# plain\n3 2\n15\n0 5 10\n15 3 9\n", b"P5 2 1 65535\n\x00\x00\xff\xff"],
    ".bmp": [_image_bytes("BMP")],
    ".yaml": [
        b"image: floor.pgm\nresolution: 0.05\norigin: [0.0, -1.5, 0]\nnegate: 0\noccupied_thresh: 0.65\n"
        b"free_thresh: 0.196\nmode: trinary\n"
    ],
    ".scen": [
        b"version 1\n0\ta b.map\t49\t49\t1\t2\t3\t4\t2.5\n",
        b"version 1.0\n3 maps/a.map 512 512 210 395 87 201 244.95\n",
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    Image.new("L", (3, 2), 254).save(folder / "floor.pgm")
    return folder


def check(folder, suffix, content):
    path = folder / f"fuzz{suffix}"
    path.write_bytes(content)
    try:
        if suffix == ".scen":
            assert all(isinstance(problem, maps.Problem) for problem in maps.read_scenario(path))
            return
        map_ = maps.read(path)
        assert map_.passable.shape == (map_.height, map_.width)
        assert set(map_.terrain.ravel().tolist()) <= set(b".GSgs@OTW")
    except MapError as error:
        complaint = str(error)
    else:
        return
    assert "\n" not in complaint
    assert complaint.startswith(str(path))


@pytest.mark.parametrize("suffix", VALID)
def test_the_examples_are_valid(folder, suffix):
    for content in VALID[suffix]:
        path = folder / f"valid{suffix}"
        path.write_bytes(content)
        assert maps.read_scenario(path) if suffix == ".scen" else maps.read(path).width


@pytest.mark.parametrize("suffix", VALID)
@given(content=st.binary(max_size=300))
@settings(max_examples=60)
def test_random_bytes(folder, suffix, content):
    check(folder, suffix, content)


@pytest.mark.parametrize("suffix", VALID)
@given(data=st.data())
@settings(max_examples=150)
def test_damaged_files(folder, suffix, data):
    content = bytearray(data.draw(st.sampled_from(VALID[suffix])))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        length = data.draw(st.integers(0, 3))
        content[at : at + length] = data.draw(st.binary(max_size=4) | st.sampled_from([b"9", b"-", b"\n", b"\t", b"."]))
    check(folder, suffix, bytes(content))


@pytest.mark.parametrize("suffix", VALID)
def test_truncated_files(folder, suffix):
    for content in VALID[suffix]:
        for length in range(len(content)):
            check(folder, suffix, content[:length])


@given(
    st.dictionaries(
        st.sampled_from(["image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh", "mode"]),
        st.sampled_from(
            ["floor.pgm", "0.05", "[0, 0, 0]", "0", "1", "trinary", ".inf", "~", "{}", "[[]]", "2020-01-01", "x"]
        ),
    )
)
def test_ros_headers_of_every_type(folder, header):
    text = "".join(f"{key}: {value}\n" for key, value in header.items())
    check(folder, ".yaml", text.encode())
