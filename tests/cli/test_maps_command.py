import json

import numpy as np
import pytest
from PIL import Image

from timebound import maps
from timebound.cli import main


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(capsys, *words):
    status = main(["maps", *map(str, words)])
    out, err = capsys.readouterr()
    return status, out, err


def refused(capsys, *words):
    status, out, err = run(capsys, *words)
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    return err.removeprefix("timebound: ").strip()


def test_info_for_people(capsys):
    status, out, _ = run(capsys, "info", "harbour")
    assert status == 0
    assert out.startswith("harbour\n  size:                200 x 120, 24000 cells\n")
    assert "connected:           1 parts" in out


def test_info_for_programs(capsys):
    maps.write(maps.Map.from_passable([[1, 0], [0, 1]]), "a.map")
    status, out, _ = run(capsys, "info", "harbour", "a.map", "--json")
    harbour, small = json.loads(out)
    assert status == 0
    assert harbour["fingerprint"] == maps.builtin("harbour").fingerprint
    assert small == {
        "map": "a.map",
        "name": "a",
        "width": 2,
        "height": 2,
        "passable": 2,
        "terrain": {".": 2, "@": 2},
        "parts": 2,
        "largest_part": 1,
        "parts_cutting_corners": 1,
        "largest_part_cutting_corners": 2,
        "fingerprint": maps.read("a.map").fingerprint,
    }


def test_info_of_a_map_without_ground_and_of_a_ros_map(capsys):
    maps.write(maps.Map(np.full((2, 2), ord("O"), np.uint8)), "floor.yaml")
    status, out, _ = run(capsys, "info", "floor.yaml")
    assert status == 0
    assert "0 parts, the largest 0 cells" in out
    assert "0.05 m per cell" in out
    assert "1 parts, the largest 4 cells" in run(capsys, "info", "floor.yaml", "--unknown", "free")[1]


def test_info_says_nothing_when_one_map_is_bad(capsys):
    assert refused(capsys, "info", "harbour", "gone.map") == "gone.map: cannot be read: No such file or directory"


def test_convert_there_and_back(capsys):
    for one, two in (("harbour", "a.png"), ("a.png", "b.yaml"), ("b.yaml", "c.npy"), ("c.npy", "d.map")):
        status, out, _ = run(capsys, "convert", one, two)
        assert status == 0
        assert "200 x 120 cells" in out
    assert maps.read("d.map").fingerprint == maps.builtin("harbour").fingerprint


def test_convert_with_a_threshold(capsys):
    Image.fromarray(np.array([[50, 150, 250]], np.uint8)).save("grey.png")
    assert run(capsys, "convert", "grey.png", "a.map", "--threshold", "200")[0] == 0
    assert maps.read("a.map").terrain.tobytes() == b"@@."


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("random", "--share", "0.4"), lambda: maps.random_obstacles(50, 40, 0.4, 3)),
        (("maze", "--corridor", "2"), lambda: maps.maze(50, 40, 3, 2)),
        (("rooms", "--room", "6", "--doors", "0.1"), lambda: maps.rooms(50, 40, 6, 3, 0.1)),
        (("caves",), lambda: maps.caves(50, 40, 3)),
    ],
)
def test_generate(capsys, words, expected):
    kind, *options = words
    status, out, _ = run(capsys, "generate", kind, "a.map", "--width", 50, "--height", 40, "--seed", 3, *options)
    assert status == 0
    assert out.startswith("a.map: 50 x 40 cells, ")
    assert maps.read("a.map").fingerprint == expected().fingerprint


def test_generate_refuses_silly_parameters(capsys, tmp_path):
    assert refused(capsys, "generate", "random", "a.map", "--share", "nan") == "share must lie between 0 and 1, not nan"
    assert refused(capsys, "generate", "maze", "a.map", "--width", "-1").startswith("-1 x 151 cells are too few")
    assert refused(capsys, "generate", "caves", "a.xyz").startswith("a.xyz: maps are not written as .xyz")
    assert not list(tmp_path.iterdir())


def test_picture(capsys):
    assert run(capsys, "picture", "harbour", "a.png") == (0, "a.png: 1000 x 600 pixels\n", "")
    with Image.open("a.png") as image:
        assert image.size == (1000, 600)
    assert run(capsys, "picture", "harbour", "b.png", "--scale", 2)[1] == "b.png: 400 x 240 pixels\n"


def test_picture_of_an_abstraction(capsys):
    said = run(capsys, "picture", "harbour", "a.png", "--level", 4)
    assert said == (0, "a.png: 1000 x 600 pixels, 259 regions at level 4 of 11\n", "")
    said = run(capsys, "picture", "harbour", "b.png", "--level", 99, "--corners", "cut", "--neighbors", 4)
    assert " regions at level 1" in said[1]
    assert refused(capsys, "picture", "harbour", "c.png", "--level", 0) == (
        "a level of abstraction is a whole number above 0, not 0"
    )


def test_nothing_is_replaced_unless_forced(capsys, tmp_path):
    (tmp_path / "a.map").write_text("mine")
    (tmp_path / "a.png").write_text("mine")
    (tmp_path / "b.pgm").write_text("mine")
    for words in (("convert", "harbour", "a.map"), ("generate", "maze", "a.map")):
        assert refused(capsys, *words) == "a.map: already exists; use --force to replace it"
    assert refused(capsys, "picture", "harbour", "a.png") == "a.png: already exists; use --force to replace it"
    assert refused(capsys, "convert", "harbour", "b.yaml") == "b.pgm: already exists; use --force to replace it"
    assert [(tmp_path / name).read_text() for name in ("a.map", "a.png", "b.pgm")] == ["mine"] * 3
    assert not (tmp_path / "b.yaml").exists()
    assert run(capsys, "convert", "harbour", "a.map", "--force")[0] == 0
    assert run(capsys, "picture", "harbour", "a.png", "--force")[0] == 0
    assert maps.read("a.map").width == 200


@pytest.mark.parametrize("words", [[], ["generate"], ["info"], ["generate", "forest", "a.map"], ["info", "--nonsense"]])
def test_wrong_words_are_one_line(capsys, words):
    with pytest.raises(SystemExit) as end:
        main(["maps", *words])
    assert end.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        "",
        "info",
        "convert",
        "picture",
        "generate",
        *(f"generate {kind}" for kind in ("random", "maze", "rooms", "caves")),
    ],
)
def test_help_has_an_example(capsys, words):
    with pytest.raises(SystemExit) as end:
        main(["maps", *words.split(), "--help"])
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert "example" in out
    assert "timebound maps" in out
