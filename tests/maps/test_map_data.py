"""All benchmark maps and scenarios are read as what they are."""

import csv
import re

import numpy as np

from timebound import maps


def test_every_map_and_what_is_known_of_it(shared_data):
    rows = re.findall(
        r"^\| (maps/\S+\.map) \|[^|]*\| (\d+) x (\d+) \| \d+ \| (\d+) \| (\d+) \((\d+)\) \| (\d+)",
        (shared_data / "README.md").read_text(),
        re.MULTILINE,
    )
    files = sorted(path.relative_to(shared_data).as_posix() for path in (shared_data / "maps").rglob("*.map"))
    assert files
    known = {row[0]: [int(value) for value in row[1:]] for row in rows}
    for file in files:
        map_ = maps.read(shared_data / file)
        raw = (shared_data / file).read_bytes().replace(b"\r", b"")
        assert map_.terrain.tobytes() == raw.split(b"map\n", 1)[1].replace(b"\n", b"")
        if file in known:
            cut, strict = maps.components(map_.passable, corners="cut")[1], maps.components(map_.passable)[1]
            found = [map_.height, map_.width, int(map_.passable.sum()), int(cut.max()), cut.size, int(strict.max())]
            assert found == known[file], file
    assert known.keys() & set(files)


def test_every_scenario_fits_its_map(shared_data, tmp_path):
    with (shared_data / "BAD_ENTRIES.csv").open() as file:
        bad_files = {row[0] for row in csv.reader(file)}
    scenarios = sorted((shared_data / "scens").rglob("*.scen"))
    assert scenarios
    for path in scenarios:
        problems = maps.read_scenario(path)
        assert problems
        folder = path.parent.name.removesuffix("-hog2")
        map_ = maps.read(shared_data / "maps" / folder / path.name.removesuffix(".scen"))
        assert {(problem.width, problem.height) for problem in problems} == {(map_.width, map_.height)}
        ends = np.array([end for problem in problems for end in (problem.start, problem.goal)])
        if not any(path.name in bad for bad in bad_files):
            assert map_.passable[ends[:, 1], ends[:, 0]].all()
    maps.write_scenario(problems, tmp_path / "again.scen")
    assert maps.read_scenario(tmp_path / "again.scen") == problems
