"""Files of case bases, builds in several processes, interrupted builds, and bad input of every kind."""

import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from agent_worlds import grid

import timebound as tb
from timebound.cli import main
from timebound.core.errors import CaseError
from timebound.maps import rooms, write
from timebound.subgoals.case_files import MAGIC
from timebound.subgoals.cases import CaseBase


@pytest.fixture(scope="module")
def world() -> tb.Grid:
    return tb.Grid.load("harbour")


@pytest.fixture(scope="module")
def base(world: tb.Grid) -> CaseBase:
    return CaseBase.build(world, 60, seed=4, coverage="random")


@pytest.fixture(scope="module")
def even(world: tb.Grid) -> CaseBase:
    return CaseBase.build(world, 60)


def same(one: CaseBase, other: CaseBase) -> bool:
    return all(np.array_equal(one.arrays[name], other.arrays[name]) for name in one.arrays)


def test_what_is_saved_is_loaded(tmp_path: Path, world: tb.Grid, base: CaseBase) -> None:
    base.save(tmp_path / "harbour.cases")
    loaded = CaseBase.load(tmp_path / "harbour.cases")
    assert same(base, loaded)
    assert repr(loaded) == repr(base)
    paths = {tuple(tb.make("knn-lrta", world, (12, 100), (60, 70), cases=one).run().path) for one in (base, loaded)}
    assert len(paths) == 1
    in_a_file = tb.make("knn-lrta", world, (12, 100), (60, 70), cases=str(tmp_path / "harbour.cases"))
    assert in_a_file.run().solved


@pytest.mark.parametrize("coverage", ["even", "random"])
def test_two_workers_build_the_same(tmp_path: Path, world: tb.Grid, coverage: str) -> None:
    alone = CaseBase.build(world, 100, seed=2, coverage=coverage)
    heard: list[tuple[str, int, int]] = []
    file = tmp_path / "a.cases"
    told = CaseBase.build(
        world, 100, seed=2, coverage=coverage, workers=2, output=file, tell=lambda *news: heard.append(news)
    )
    assert same(alone, told)
    assert same(alone, CaseBase.load(file))
    assert {done <= total for _, done, total in heard} == {True}
    assert [path.name for path in tmp_path.iterdir()] == ["a.cases"]
    other = CaseBase.build(world, 100, seed=3, coverage=coverage)
    assert same(alone, other) == (coverage == "even")


def test_a_cluster_builds_the_same(world: tb.Grid, base: CaseBase) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        built = CaseBase.build(world, 60, seed=4, coverage="random", cluster=cluster.scheduler_address)
    assert same(base, built)


# ------------------------------------------------------------------ cut off


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("map") / "rooms.map"
    write(rooms(300, 300, 16, seed=1), file)
    return file


@pytest.mark.parametrize("entries", [0, 2, 6])
@pytest.mark.parametrize("coverage", ["even", "random"])
def test_a_killed_build_goes_on(tmp_path: Path, large: Path, coverage: str, entries: int) -> None:
    output, options = tmp_path / "r.cases", ["--records", "300", "--coverage", coverage, "--workers", "1"]
    command = [sys.executable, "-m", "timebound", "build-cases", str(large), "--output", str(output), *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    journal = tmp_path / "r.cases.journal"
    while process.poll() is None and not (journal.exists() and journal.stat().st_size > 1 + 900 * entries):
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGKILL) if process.poll() is None else None
    process.communicate()
    if not output.exists():
        assert main(["build-cases", str(large), "--output", str(output), *options]) == 2
        assert main(["build-cases", str(large), "--output", str(output), *options, "--resume"]) == 0
    assert not journal.exists()
    assert same(CaseBase.load(output), CaseBase.build(tb.Grid.load(large), 300, coverage=coverage))


def test_a_journal_that_was_cut_anywhere_is_gone_on_with(tmp_path: Path, world: tb.Grid, base: CaseBase) -> None:
    class EnoughError(Exception):
        pass

    def stop(what: str, done: int, total: int) -> None:
        if done == 3:
            raise EnoughError

    file, journal = tmp_path / "b.cases", tmp_path / "b.cases.journal"
    with pytest.raises(EnoughError):
        CaseBase.build(world, 60, seed=4, coverage="random", output=file, tell=stop)
    whole = journal.read_bytes()
    flipped = bytearray(whole)
    flipped[-30] ^= 1
    for content in (whole, whole[:-1], whole[: len(whole) // 2], whole[:20], b"", bytes(flipped)):
        journal.write_bytes(content)
        assert same(base, CaseBase.build(world, 60, seed=4, coverage="random", output=file, resume=True))
        assert not journal.exists()
    journal.write_bytes(whole)
    with pytest.raises(CaseError, match="belongs to a build with another map, seed, version or size"):
        CaseBase.build(world, 61, seed=4, coverage="random", output=file, resume=True)
    with pytest.raises(CaseError, match="an unfinished build is here"):
        CaseBase.build(world, 60, seed=4, coverage="random", output=file)


# ------------------------------------------------------------------ bad input


def test_files_that_are_not_whole_and_sound(tmp_path: Path, base: CaseBase) -> None:
    file = tmp_path / "c.cases"
    base.save(file)
    sound = file.read_bytes()
    rng = np.random.default_rng(0)
    for length in [0, 5, 16, 40, 100, *rng.integers(60, len(sound), 20).tolist(), len(sound) - 1]:
        file.write_bytes(sound[:length])
        with pytest.raises(CaseError, match=r"not a case base|damaged or cut off"):
            CaseBase.load(file)
    for place in [0, 20, 30, *rng.integers(0, len(sound), 40).tolist()]:
        flipped = bytearray(sound)
        flipped[place] ^= 1 << int(rng.integers(8))
        file.write_bytes(flipped)
        with pytest.raises(CaseError, match=r"c\.cases: (not a case base|damaged or cut off|cases of format)"):
            CaseBase.load(file)
    file.write_bytes(MAGIC + struct.pack("<I", 0) + sound[20:])
    with pytest.raises(
        CaseError, match="cases of format 0, but this version of timebound reads format 2; build the base again"
    ):
        CaseBase.load(file)
    with pytest.raises(CaseError, match="it is a directory; give a file of cases"):
        CaseBase.load(tmp_path)
    with pytest.raises(CaseError, match="cannot be written"):
        base.save(tmp_path / "nowhere" / "c.cases")


def absurd(array: np.ndarray) -> list[np.ndarray]:
    """Yield copies of an array: each value in turn out of range, and other lengths."""
    limits, changed = np.iinfo(array.dtype), [array[:-1], np.concatenate([array, array[:1]])]
    for place in {0, len(array) // 2, len(array) - 1}:
        for value in (limits.min, limits.max, -1 if limits.min else 7, len(array)):
            other = array.copy()
            other[place] = min(value, limits.max)
            changed += [other] if not np.array_equal(other, array) else []
    return changed


@pytest.mark.parametrize("name", ["states", "first", "seeds", "leaving", "arriving", "tree", "map"])
def test_right_checksums_and_absurd_contents(tmp_path: Path, even: CaseBase, name: str) -> None:
    file = tmp_path / "d.cases"
    for array in absurd(even.arrays[name]):
        CaseBase(even.about, even.arrays | {name: array}).save(file)
        with pytest.raises(CaseError, match=r"d\.cases: not a case base, although its checksum is right: ") as error:
            CaseBase.load(file)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("width", -1),
        ("width", 2**62),
        ("height", "x"),
        ("coverage", "odd"),
        ("side", 10**9),
        ("least", -1),
        ("world", {}),
    ],
)
def test_right_checksums_and_absurd_headers(tmp_path: Path, base: CaseBase, name: str, value: object) -> None:
    file = tmp_path / "e.cases"
    CaseBase(base.about | {name: value}, base.arrays).save(file)
    with pytest.raises(CaseError, match=f"{name} in the header cannot be|in the header's world cannot be"):
        CaseBase.load(file)


def test_costs_that_no_path_has(tmp_path: Path, world: tb.Grid, base: CaseBase) -> None:
    file = tmp_path / "f.cases"
    CaseBase(base.about, base.arrays | {"costs": base.arrays["costs"] + 2**60}).save(file)
    with pytest.raises(CaseError, match="costs more than any path on this map"):
        CaseBase.load(file).check(world)
    CaseBase(base.about, base.arrays | {"costs": -base.arrays["costs"]}).save(file)
    with pytest.raises(CaseError, match="one of its records has a cost below 0"):
        CaseBase.load(file)


def test_a_base_is_for_one_map_and_its_rules(world: tb.Grid, base: CaseBase) -> None:
    base.check(world)
    for other, what in (
        (tb.Grid(world.passable, neighbors=4), "neighbours 8, but this one has 4"),
        (tb.Grid(world.passable, corners="cut"), "corners strict, but this one has cut"),
        (tb.Grid(world.passable, diagonal=1.4), r"diagonal 1\.41"),
        (tb.Grid(world.passable[:-1]), "height 120, but this one has 119"),
        (tb.Grid(world.passable[::-1]), "for another map"),
    ):
        with pytest.raises(CaseError, match=what):
            base.check(other)


@pytest.mark.parametrize(
    ("passable", "options", "message"),
    [
        ([[1, 1, 1]], {"records": 0}, "a base has from 1 to 10,000,000 records, not 0"),
        ([[1, 1, 1]], {"records": 2.5}, "a base has from 1"),
        ([[1, 1, 1]], {"seed": -1}, "a seed is a whole number from 0, of at most 63 bits, not -1"),
        ([[1, 1, 1]], {"workers": 0}, "the number of workers"),
        ([[1, 1, 1]], {"coverage": "full"}, "coverage is even or random, not 'full'"),
        ([[1, 1, 1]], {"resume": True}, "resume needs an output file"),
        ([[0, 1, 0]], {}, r"no path of 3 cells is possible on this map \(1 free cell\)"),
        ([[1, 1, 0, 1, 1]], {}, r"no path of 3 cells is possible on this map \(4 free cells\)"),
        ([[0, 0]], {}, r"\(0 free cells\)"),
    ],
)
@pytest.mark.parametrize("coverage", ["even", "random"])
def test_builds_that_make_no_sense(passable: list, options: dict, message: str, coverage: str) -> None:
    with pytest.raises(tb.ProblemError, match=message):
        CaseBase.build(tb.Grid(passable), **{"records": 5, "coverage": coverage, **options})


def test_cells_that_are_all_neighbours() -> None:
    with pytest.raises(tb.ProblemError, match="hardly any two cells"):
        CaseBase.build(grid("..", ".."), 5, coverage="random")


@pytest.mark.parametrize("coverage", ["even", "random"])
def test_several_components(coverage: str) -> None:
    world = grid("......#......", "......#......", "......#......", "######.######", "....#.#......")
    base = CaseBase.build(world, 40, coverage=coverage)
    for number in range(len(base)):
        record = base.record(number)
        assert tb.shortest_path(world, record[0], record[-1]).solved
    assert tb.make("knn-lrta", world, (0, 0), (5, 2), cases=base).run().solved
    assert tb.make("knn-lrta", world, (0, 0), (12, 2), cases=base).run().stop == "unreachable"


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["build-cases", "harbour", "--records", "50", "--workers", "1"]) == 0
    assert capsys.readouterr().out.startswith("harbour.cases: CaseBase(harbour, even coverage, ")
    assert main(["build-cases", "harbour", "--records", "50"]) == 2
    assert "already exists; use --force" in capsys.readouterr().err
    solve = ["solve", "harbour", "--start", "12,100", "--goal", "180,14", "--agent", "knn-lrta", "--param"]
    assert main([*solve, "cases=harbour.cases"]) == 0
    assert main([*solve, "cases=elsewhere.cases"]) == 2
    assert "elsewhere.cases: cannot be read" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["build-cases", "harbour", "--records", "0"])
    assert "a whole number from 1 to 10,000,000 is needed, not '0'" in capsys.readouterr().err
    monkeypatch.setattr(CaseBase, "build", _interrupted)
    assert main(["build-cases", "harbour", "--records", "50", "--force"]) == 130
    assert capsys.readouterr().err == "timebound: stopped\n"
    Path("harbour.cases.journal").touch()
    assert main(["build-cases", "harbour", "--records", "50", "--force"]) == 130
    assert (
        "stopped; finished records are kept (harbour.cases.journal): use --resume to continue"
        in capsys.readouterr().err
    )


def _interrupted(*world: object, **options: object) -> None:
    raise KeyboardInterrupt
