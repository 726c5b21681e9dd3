"""Tiled maps: every encoding, every way to say what is blocked, and pytmx's reading of the same files."""

import base64
import gzip
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timebound import maps
from timebound.core.errors import MapError

TILESET = (
    '<tileset firstgid="1" name="t" tilewidth="8" tileheight="8" tilecount="4" columns="2">'
    '<image source="t.png" width="16" height="16"/>'
    '<tile id="2"><properties><property name="solid" type="bool" value="true"/></properties></tile></tileset>'
)


def layer(name: str, tiles: np.ndarray, encoding: str = "csv", extra: str = "") -> str:
    raw = tiles.astype("<u4").tobytes()
    packed = {"base64": raw, "zlib": zlib.compress(raw), "gzip": gzip.compress(raw)}
    if encoding == "csv":
        data = f'<data encoding="csv">{",".join(map(str, tiles.ravel().tolist()))}</data>'
    elif encoding == "xml":
        data = "<data>" + "".join(f'<tile gid="{gid}"/>' for gid in tiles.ravel().tolist()) + "</data>"
    else:
        compression = "" if encoding == "base64" else f' compression="{encoding}"'
        data = f'<data encoding="base64"{compression}>{base64.b64encode(packed[encoding]).decode()}</data>'
    height, width = tiles.shape
    return f'<layer id="1" name="{name}" width="{width}" height="{height}">{extra}{data}</layer>'


def document(shape: tuple[int, int], *parts: str, tileset: str = TILESET, more: str = 'infinite="0"') -> str:
    height, width = shape
    head = (
        f'<map version="1.10" orientation="orthogonal" width="{width}" height="{height}" tilewidth="8" tileheight="8"'
    )
    return f"<?xml version='1.0'?>{head} {more}>{tileset}{''.join(parts)}</map>"


def read(folder: Path, text: str) -> np.ndarray:
    (folder / "a.tmx").write_text(text)
    return maps.read(folder / "a.tmx").passable


TILES = np.array([[1, 2, 3], [1, 0, 4]])


@pytest.mark.parametrize("encoding", ["csv", "xml", "base64", "zlib", "gzip"])
def test_every_encoding(encoding: str, tmp_path: Path) -> None:
    passable = read(tmp_path, document(TILES.shape, layer("ground", TILES, encoding)))
    assert passable.tolist() == [[True, True, False], [True, False, True]]  # tile 3 is solid, and one cell is empty


def test_layers_say_what_is_blocked(tmp_path: Path) -> None:
    ground, walls = np.ones((2, 3), int), np.array([[0, 1, 0], [0, 0, 1]])
    blocked = '<properties><property name="Blocked" type="bool" value="true"/></properties>'
    for over in (layer("Walls", walls), layer("roofs", walls, extra=blocked), f"<group>{layer('wall', walls)}</group>"):
        assert (read(tmp_path, document((2, 3), layer("ground", ground), over)) == (walls == 0)).all()
    assert read(tmp_path, document((2, 3), layer("ground", ground), layer("flowers", walls))).all()


def test_turned_tiles_and_tilesets_in_files_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "t.tsx").write_text(TILESET.replace('firstgid="1" ', ""))
    turned = np.array([[1, 3 | 1 << 31, 2 | 1 << 29]])
    passable = read(tmp_path, document((1, 3), layer("g", turned), tileset='<tileset firstgid="1" source="t.tsx"/>'))
    assert passable.tolist() == [[True, False, True]]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**32 - 1), st.sampled_from(["csv", "zlib", "base64"]))
def test_the_same_tiles_as_pytmx(height: int, width: int, seed: int, encoding: str) -> None:
    pytmx = pytest.importorskip("pytmx", reason="pytmx is not installed")
    tiles = np.random.default_rng(seed).integers(0, 5, (height, width))
    tiles[0, 0] = 1
    text = document(tiles.shape, layer("ground", tiles, encoding))
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        passable = read(Path(folder), text)
        theirs = pytmx.TiledMap(str(Path(folder, "a.tmx")))
        for y in range(height):
            for x in range(width):
                properties = theirs.get_tile_properties(x, y, 0) or {}
                there = theirs.get_tile_gid(x, y, 0) != 0
                assert passable[y, x] == (there and not properties.get("solid", False))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<map", "not XML"),
        ("<!DOCTYPE x><map/>", "are not allowed in a Tiled file"),
        ("<tileset/>", "must be orthogonal and of fixed size"),
        (document((2, 3), layer("g", TILES), more='infinite="1"'), "must be orthogonal and of fixed size"),
        (document((3, 3), layer("g", TILES)), "has 6 tiles, but the map has 9 cells"),
        (document((2, 3), '<layer name="g"/>'), "has no data"),
        (document((2, 3), '<layer name="g"><data encoding="csv">1,x</data></layer>'), "more than numbers and commas"),
        (document((2, 3), '<layer name="g"><data encoding="hex"/></layer>'), "is encoded as 'hex'"),
        (document((2, 3), '<layer name="g"><data encoding="base64" compression="zstd"/></layer>'), "'zstd'"),
        (
            document((2, 3), '<layer name="g"><data encoding="base64" compression="zlib">AQIDBAUG</data></layer>'),
            "decoded",
        ),
        (document((2, 3)), "no layer has a tile"),
        (document((2, 3)).replace('width="3"', 'width="-3"'), "width of <map> must be a whole number"),
        (document((2, 3), tileset='<tileset firstgid="1" source="missing.tsx"/>'), "missing.tsx"),
    ],
)
def test_bad_files_are_refused_in_one_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(MapError, match=said) as error:
        read(tmp_path, text)
    assert "\n" not in str(error.value)


def test_a_small_file_cannot_unpack_to_a_huge_one(tmp_path: Path) -> None:
    bomb = base64.b64encode(zlib.compress(bytes(10**8))).decode()
    data = f'<layer name="g"><data encoding="base64" compression="zlib">{bomb}</data></layer>'
    with pytest.raises(MapError, match="has 7 tiles, but the map has 6 cells"):
        read(tmp_path, document((2, 3), data))
