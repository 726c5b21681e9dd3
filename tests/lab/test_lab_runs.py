"""Runs: in pieces, resumed, repaired, never mixed."""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lab_specs import SMALL, lab_run, small

import timebound as tb
from timebound import maps
from timebound.core.parallel import WorkerError
from timebound.lab import pieces, sources
from timebound.lab.files import SpecError
from timebound.lab.measures import FIGURES, TIMES, Preparation, Tempo
from timebound.lab.pieces import cut
from timebound.lab.run import Outcome
from timebound.lab.spec import load
from timebound.lab.store import Run, StoreError, checksum, others, read_rows
from timebound.lab.worlds import survey

NAMED = (
    SMALL.replace(
        'generator = "maze"\nwidth = 21\nheight = 21',
        'maps = ["set/one", "two"]\nstand_in = { generator = "caves", width = 30, height = 30 }',
    )
    .replace("worlds = 12", "problems = 3")
    .replace("worlds = 60", "problems = 9")
)

CAVES = """
title = "Caves"
[worlds]
generator = "caves"
width = 30
height = 30
[grid]
neighbors = 8
corners = "cut"
[scale.quick]
worlds = 2
problems = 2
[scale.full]
worlds = 2
[agents.astar]
[measures]
"expansions_per_move" = "difficulty"
"""


def table(run: Run) -> list[dict]:
    """All rows without times, in order."""
    rows = read_rows(run).to_pylist()
    kept = [{name: value for name, value in row.items() if name not in TIMES} for row in rows]
    return sorted(kept, key=lambda row: (row["label"], row["settings"], row["problem"]))


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return lab_run(small(), tmp_path_factory.mktemp("undisturbed")).run


@pytest.fixture(scope="session")
def map_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("maps")
    (folder / "set").mkdir()
    maps.write(maps.caves(40, 30, seed=1), folder / "set" / "one.map")
    maps.write(maps.caves(30, 40, seed=2), folder / "set" / "two.map")
    return folder


def test_pieces_cover_everything_once() -> None:
    experiment = small(SMALL.replace("worlds = 60", "worlds = 13\nproblems = 7"))
    pieces = cut(experiment, survey(experiment, "full", None).places)
    assert [piece.number for piece in pieces] == list(range(len(pieces)))
    for configuration in experiment.configurations():
        own = [piece for piece in pieces if piece.configuration == configuration]
        numbers = [piece.first + n for piece in own for n in range(len(piece.problems))]
        assert numbers == list(range(13 * 7))
        problems = {(piece.places[place].name, n) for piece in own for place, n in piece.problems}
        assert len(problems) == 13 * 7


def test_rows_tell_everything_that_is_needed_to_repeat_them(undisturbed: Run) -> None:
    rows = read_rows(undisturbed).to_pylist()
    assert len(rows) == 7 * 12
    row = rows[0]
    import timebound as tb

    seed = int(row["world"].split()[1])
    world = tb.Grid(maps.maze(21, 21, seed=seed).passable, neighbors=4)
    assert maps.maze(21, 21, seed=seed).fingerprint == row["fingerprint"]
    start, goal = (tuple(json.loads(row[end])) for end in ("start", "goal"))
    agent = tb.make(
        row["agent"], world, start, goal, terrain="unknown", seed=row["seed"], **json.loads(row["parameters"])
    )
    episode = agent.run(expansions=row["budget"])
    assert (episode.cost, episode.expansions, episode.intervals) == (row["cost"], row["expansions"], row["intervals"])
    import pyarrow.parquet

    file = next(iter(undisturbed.finished().values()))
    about = json.loads(pyarrow.parquet.read_schema(file).metadata[b"timebound"])
    assert {"timebound", "numba", "numpy", "python", "sources"} <= about["versions"].keys()
    assert about["worker"]["processor"]


def test_a_second_run_repeats_nothing(undisturbed: Run) -> None:
    files = sorted(undisturbed.finished().values())
    times = [file.stat().st_mtime_ns for file in files]
    again = lab_run(small(), undisturbed.directory.parent.parent)
    assert (again.done, again.before) == (0, len(files))
    assert [file.stat().st_mtime_ns for file in files] == times


@pytest.mark.parametrize(
    ("module", "counts"),
    [("agents.algorithms.rtaa", True), ("lab.watching", True), ("lab.report", False), ("maps.drawing", False)],
)
def test_which_changed_code_starts_a_new_run(module: str, counts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    before, text = sources.sources(), sources._text
    monkeypatch.setattr(sources, "_text", lambda name: text(name) + ("\nnew = 1" if name == module else ""))
    assert (sources.sources.__wrapped__() != before) is counts


def test_a_changed_agent_leaves_the_pieces_of_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = lab_run(small(), tmp_path)
    text = sources._text
    monkeypatch.setattr(
        sources, "_text", lambda name: text(name) + ("\nnew = 1" if name == "agents.algorithms.dstar_lite" else "")
    )
    monkeypatch.setattr(sources, "sources", sources.sources.__wrapped__)
    again = lab_run(small(), tmp_path)
    assert again.run.directory != first.run.directory
    theirs = sum(one.label == "dstar-lite" for one in small().configurations())
    assert (again.done, again.before) == (theirs * first.done // 7, first.done - theirs * first.done // 7)
    assert "agents.algorithms.dstar_lite" not in sources.modules("repeated-astar")


def test_only_some_agents(tmp_path: Path, undisturbed: Run) -> None:
    first = lab_run(small(), tmp_path, agents=["backward"])
    assert (first.done, first.before) == (1, 0)
    rest = lab_run(small(), tmp_path)
    assert (rest.done, rest.before) == (6, 1)
    assert table(rest.run) == table(undisturbed)
    with pytest.raises(ValueError, match="small has no agent 'bakward'; did you mean 'backward'"):
        lab_run(small(), tmp_path, agents=["bakward"])


def test_damage_is_noticed_and_repaired(tmp_path: Path, undisturbed: Run) -> None:
    copy = shutil.copytree(undisturbed.directory, tmp_path / "runs" / undisturbed.directory.name)
    files = sorted((copy / "pieces").iterdir())
    flipped = bytearray(files[0].read_bytes())
    flipped[len(flipped) // 2] ^= 1
    files[0].write_bytes(flipped)
    files[1].write_bytes(files[1].read_bytes()[:100])
    files[2].unlink()
    (copy / "pieces" / ".half.tmp").write_bytes(b"cut off")
    repaired = lab_run(small(), tmp_path)
    assert repaired.run.directory == copy
    assert repaired.done == 3
    assert table(repaired.run) == table(undisturbed)
    assert not list((copy / "pieces").glob(".*"))


def copied(run: Run, folder: Path) -> Run:
    """A copy of a run, to change."""
    return Run(Path(shutil.copytree(run.directory, folder / "runs" / run.directory.name)))


def test_a_packed_run_is_one_file_with_the_same_rows(tmp_path: Path, undisturbed: Run) -> None:
    run = copied(undisturbed, tmp_path)
    before, size = read_rows(run).to_pylist(), run.size()
    assert run.pack() == len(undisturbed.finished())
    (pack,) = (run.directory / "pieces").iterdir()
    assert run.size() < size / 5
    assert repr(read_rows(run).to_pylist()) == repr(before)
    assert run.missing(run.contents()) == ""
    assert run.pack() == len(undisturbed.finished())
    assert [*(run.directory / "pieces").iterdir()] == [pack]


def test_a_packed_run_goes_on(tmp_path: Path, undisturbed: Run) -> None:
    run = copied(undisturbed, tmp_path)
    pieces = sorted((run.directory / "pieces").iterdir())
    for piece in pieces[3:]:
        piece.unlink()
    assert run.pack() == 3
    outcome = lab_run(small(), tmp_path)
    assert (outcome.before, outcome.done) == (3, len(pieces) - 3)
    assert len(list((run.directory / "pieces").iterdir())) == len(pieces) - 2
    assert run.pack() == len(pieces)
    assert table(run) == table(undisturbed)


def test_a_run_that_was_being_packed_is_whole(tmp_path: Path, undisturbed: Run) -> None:
    run = copied(undisturbed, tmp_path)
    run.pack()
    for piece in (undisturbed.directory / "pieces").iterdir():
        shutil.copy(piece, run.directory / "pieces")
    contents = run.contents()
    assert not contents.damaged
    assert len(contents.tables) == len(undisturbed.finished())
    run.pack()
    assert len(list((run.directory / "pieces").iterdir())) == 1
    assert table(run) == table(undisturbed)


def test_a_run_without_pieces_has_nothing_to_pack(tmp_path: Path, undisturbed: Run) -> None:
    run = copied(undisturbed, tmp_path)
    shutil.rmtree(run.directory / "pieces")
    assert run.pack() == 0
    (run.directory / "pieces" / ".hidden").mkdir(parents=True)
    (run.directory / "pieces" / "other").mkdir()
    assert run.pack() == 0
    assert sorted(file.name for file in (run.directory / "pieces").iterdir()) == [".hidden", "other"]


def test_a_damaged_pack_is_noticed_and_repaired(tmp_path: Path, undisturbed: Run) -> None:
    run = copied(undisturbed, tmp_path)
    run.pack()
    (pack,) = (run.directory / "pieces").iterdir()
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 1
    pack.write_bytes(content)
    assert run.contents().damaged == {pack.name: "its checksum is wrong"}
    assert lab_run(small(), tmp_path).done == len(undisturbed.finished())
    assert not pack.exists()
    assert table(run) == table(undisturbed)


def forged(number: int, rows: int) -> dict[str, Callable[[Any], Any]]:
    """What somebody may do to packed rows."""
    import pyarrow

    def piece_of(numbers: Any) -> Callable[[Any], Any]:
        return lambda packed: packed.set_column(packed.column_names.index("piece"), "piece", numbers)

    return {
        "do not say": lambda packed: packed.drop_columns(["piece"]),
        "not complete": lambda packed: packed.slice(0, rows - 1),
        "no piece -7": piece_of(pyarrow.array([-7] * rows, pyarrow.int64())),
        "another piece": piece_of(pyarrow.array([number] * rows, pyarrow.int64())),
        "is not a column of double": lambda packed: packed.set_column(
            packed.column_names.index("cost"), "cost", pyarrow.array(["7"] * rows)
        ),
        "0 rows": lambda packed: packed.slice(0, 0),
    }


@pytest.mark.parametrize("fault", ["do not say", "not complete", "no piece -7", "another piece", "double", "0 rows"])
def test_a_pack_with_other_rows_is_refused(tmp_path: Path, undisturbed: Run, fault: str) -> None:
    import pyarrow.parquet

    run = copied(undisturbed, tmp_path)
    others = sorted((run.directory / "pieces").iterdir())[1:]
    for piece in others:
        piece.unlink()
    run.pack()
    (pack,) = (run.directory / "pieces").iterdir()
    rows = pyarrow.parquet.read_table(pack)
    change = next(how for name, how in forged(len(others), len(rows)).items() if fault in name)
    pack.unlink()
    pyarrow.parquet.write_table(change(rows), tmp_path / "forged")
    content = (tmp_path / "forged").read_bytes()
    (run.directory / "pieces" / f"packed-{checksum(content)}.parquet").write_bytes(content)
    (message,) = run.contents().damaged.values()
    assert fault in message


def test_runs_never_mix(tmp_path: Path) -> None:
    text = SMALL.replace("worlds = 12", "worlds = 2")
    one = lab_run(small(text), tmp_path, agents=["backward"]).run
    other = lab_run(small(text.replace("height = 21", "height = 23")), tmp_path, agents=["backward"]).run
    assert one.directory != other.directory
    assert [(run.directory, what) for run, what in others(other)] == [(one.directory, ["worlds", "maps"])]
    words = text.replace("Small mazes", "Mazes").replace('"forward.intervals"', '"forward.back_moves"')
    words_only = lab_run(small(words), tmp_path, agents=["backward"])
    assert (words_only.run.directory, words_only.done) == (one.directory, 0)
    assert words_only.run.experiment.title == "Mazes"


def test_one_process_at_a_time(tmp_path: Path) -> None:
    text = SMALL.replace("worlds = 12", "worlds = 1")
    first = lab_run(small(text), tmp_path, agents=["backward"]).run
    with first.locked(), pytest.raises(StoreError, match="another process is working on this run"):
        lab_run(small(text), tmp_path, agents=["backward"])


def test_named_maps_come_from_a_folder(tmp_path: Path, map_folder: Path) -> None:
    found = lab_run(small(NAMED), tmp_path, maps=map_folder, agents=["backward"])
    assert not found.stand_ins
    assert {row["world"] for row in read_rows(found.run).to_pylist()} == {"one", "two"}
    with pytest.raises(ValueError, match=r"it does not contain the maps set/one, two"):
        survey(small(NAMED), "full", tmp_path)
    assert survey(small(NAMED), "quick", tmp_path).stand_ins  # none of them is there
    with pytest.raises(ValueError, match=r"it does not contain the maps three"):
        survey(small(NAMED.replace('"two"', '"three"')), "quick", map_folder)
    with pytest.raises(ValueError, match="no such folder"):
        survey(small(NAMED), "quick", tmp_path / "absent")


def test_a_set_of_maps(map_folder: Path) -> None:
    text = NAMED.replace('["set/one", "two"]', '["set/*"]')
    text = text.replace("problems = 3", "worlds = 1").replace("problems = 9", "worlds = 8")
    assert [place.name for place in survey(small(text), "quick", map_folder).places] == ["one"]
    assert [place.name for place in survey(small(text), "full", map_folder).places] == ["one", "two"]


def test_agents_may_have_rules_of_their_own(tmp_path: Path) -> None:
    text = SMALL.replace("budgets = []\n", 'budgets = []\ngrid = { neighbors = 8, corners = "cut" }\n')
    outcome = lab_run(small(text), tmp_path, agents=["backward", "dstar-lite"])
    rows = read_rows(outcome.run).to_pylist()
    four = {row["problem"]: row["moves"] for row in rows if row["label"] == "dstar-lite"}
    eight = {row["problem"]: row["moves"] for row in rows if row["label"] == "backward"}
    assert sum(eight.values()) < sum(four.values())
    starts = {(row["problem"], row["start"], row["goal"]) for row in rows}
    assert len(starts) == len(four)  # the problems are the same


def test_a_users_own_worlds(tmp_path: Path) -> None:
    (tmp_path / "my_worlds.py").write_text(
        "import timebound as tb\n\ndef ring(seed):\n    n = 10 + seed\n"
        "    return tb.Graph.from_edges([(i, (i + 1) % n, 1.0) for i in range(n)], directed=False)\n"
        "\ndef pairs(world, count, seed):\n    return [(0, 1 + (seed + k) % 9) for k in range(count)]\n"
    )
    text = SMALL[: SMALL.index("[published]")].replace("[grid]\nneighbors = 4\n", "").replace('"unknown"', '"known"')
    text = text.replace(
        'generator = "maze"\nwidth = 21\nheight = 21', 'make = "my_worlds:ring"\ndraw = "my_worlds:pairs"'
    )
    file = tmp_path / "rings.toml"
    file.write_text(text.replace("worlds = 12", "worlds = 2\nproblems = 3"))
    rows = read_rows(lab_run(load(file), tmp_path, agents=["forward"]).run).to_pylist()
    assert len(rows) == 3 * 6
    assert all(row["solved"] for row in rows)
    file.write_text(text.replace("my_worlds:pairs", "my_worlds:piars"))
    with pytest.raises(ValueError, match="'my_worlds:piars' cannot be imported"):
        lab_run(load(file), tmp_path)


def test_generated_maps_stand_in_for_quick_runs_only(tmp_path: Path) -> None:
    found = lab_run(small(NAMED), tmp_path, agents=["backward"])
    assert found.stand_ins
    assert {row["world"] for row in read_rows(found.run).to_pylist()} == {"caves 0", "caves 1"}
    with pytest.raises(ValueError, match="scale full need the maps set/one, two; give their folder with --maps DIR"):
        lab_run(small(NAMED), tmp_path, "full")


def test_a_map_that_changed_is_another_run(tmp_path: Path, map_folder: Path) -> None:
    folder = shutil.copytree(map_folder, tmp_path / "maps")
    before = lab_run(small(NAMED), tmp_path, maps=folder, agents=["backward"]).run
    maps.write(maps.caves(40, 30, seed=9), folder / "set" / "one.map")
    after = lab_run(small(NAMED), tmp_path, maps=folder, agents=["backward"])
    assert after.run.directory != before.directory
    assert after.done > 0
    assert others(after.run)[0][1] == ["maps"]


def test_problems_of_bounded_length(tmp_path: Path) -> None:
    text = SMALL.replace("[grid]", "[problems]\nshortest = 20\nlongest = 25\n\n[grid]")
    text = text.replace('"moves / searches" = "moves per search"', '"optimal_cost" = "optimal"')
    rows = read_rows(lab_run(small(text), tmp_path, agents=["backward"]).run).to_pylist()
    assert len(rows) == 12
    assert all(20 <= row["optimal_cost"] <= 25 for row in rows)
    with pytest.raises(ValueError, match=r"only 0 of [0-9]+ random problems have an optimal cost from 2000 to 2500"):
        lab_run(small(text.replace("= 20\n", "= 2000\n").replace("= 25\n", "= 2500\n")), tmp_path, agents=["backward"])


def test_problems_that_are_not_too_hard(tmp_path: Path) -> None:
    text = CAVES.replace("problems = 2", "problems = 20").replace("caves", "maze")
    free = read_rows(lab_run(small(text), tmp_path).run).to_pylist()
    assert all(row["expansions_per_move"] == row["expansions"] / row["moves"] for row in free)
    median = float(np.median([row["expansions_per_move"] for row in free]))
    assert median < max(row["expansions_per_move"] for row in free)
    rows = read_rows(lab_run(small(f"{text}[problems]\nhardest = {median}\n"), tmp_path).run).to_pylist()
    assert len(rows) == len(free)
    assert all(row["expansions_per_move"] <= median for row in rows)
    with pytest.raises(ValueError, match=r"from 0 to inf, and at most 0.1 expansions of A\* per move"):
        lab_run(small(text + "[problems]\nhardest = 0.1\n"), tmp_path)


def test_agents_that_know_some_obstacles(tmp_path: Path) -> None:
    """With all obstacles known, unknown terrain is known terrain."""
    map_ = maps.maze(31, 31, seed=3)
    terrain = map_.terrain.copy()
    rows, columns = np.nonzero(~map_.passable)
    terrain[rows[::2], columns[::2]] = ord("T")
    maps.write(maps.Map(terrain), tmp_path / "one.map")
    text = '[worlds]\nmaps = ["one"]\n[worlds.stand_in]\ngenerator = "maze"\nwidth = 9\nheight = 9\n'
    text += '[scale.quick]\nproblems = 10\n[scale.full]\n[agents.repeated-astar]\n[measures]\n"moves" = "moves"\n'

    def moves(first: str) -> list[float]:
        run = lab_run(small(f'title = "Trees"\n{first}\n{text}'), tmp_path / "out", maps=tmp_path).run
        return read_rows(run).column("moves").to_pylist()

    unknown = 'terrain = "unknown"\n'
    none, trees, all_ = (moves(unknown + known) for known in ("", 'known = "T"', 'known = "T@"'))
    assert all_ == moves('terrain = "known"')
    assert sum(all_) < sum(trees) < sum(none)
    for bad, message in (('known = "T"', 'needs terrain = "unknown"'), (unknown + 'known = "."', "no obstacle")):
        with pytest.raises(SpecError, match=message):
            moves(bad)


def test_planning_time_is_processor_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that a process waits for a processor does not count."""
    shares, seen = list[float](), pieces.Seen
    monkeypatch.setattr(pieces, "perf_counter", iter(range(0, 10_000, 10)).__next__)
    monkeypatch.setattr(pieces, "process_time", iter(range(1000)).__next__)
    monkeypatch.setattr(pieces, "Seen", lambda *given: shares.append(given[-1]) or seen(*given))
    row = read_rows(lab_run(small(CAVES), tmp_path).run).to_pylist()[0]
    assert shares == [0.1] * 4
    world = tb.Grid(maps.caves(30, 30, seed=0).passable, neighbors=8, corners="cut")
    episode = tb.make("astar", world, json.loads(row["start"]), json.loads(row["goal"])).run()
    half = seen(episode, Preparation(), Tempo(), world.states, math.nan, 0.5)
    assert FIGURES["planning_us"](half) == episode.planning_us / 2


def test_problems_of_scenarios(tmp_path: Path, map_folder: Path) -> None:
    folder = shutil.copytree(map_folder, tmp_path / "maps")
    text = NAMED.replace("[grid]", "[problems]\nscenarios = true\n\n[grid]")
    listed = set()
    for name in ("one", "two"):
        map_ = maps.read(folder / "set" / f"{name}.map")
        pairs = maps.random_problems(map_, 8, seed=3, neighbors=4)
        listed |= {(name, json.dumps(start), json.dumps(goal)) for start, goal in pairs}
        file = tmp_path / "scens" / "set" / f"{name}.map.scen"
        file.parent.mkdir(parents=True, exist_ok=True)
        maps.write_scenario([maps.Problem(0, "x", map_.width, map_.height, *pair, 1.0) for pair in pairs], file)
    rows = read_rows(lab_run(small(text), tmp_path, maps=folder, agents=["backward"]).run).to_pylist()
    assert {(row["world"], row["start"], row["goal"]) for row in rows} <= listed
    assert len(rows) == 6


def test_a_users_own_agent(tmp_path: Path) -> None:
    (tmp_path / "my_agents.py").write_text(
        "import timebound as tb\n\ndef mine(world, start, goal, **rules):\n"
        "    return tb.make('repeated-astar', world, start, goal, **rules)\n"
    )
    file = tmp_path / "mine.toml"
    file.write_text(SMALL.replace('agent = "repeated-astar"\n\n', 'agent = "my_agents:mine"\n\n'))
    outcome = lab_run(load(file), tmp_path, agents=["forward"])
    assert outcome.unsolved == 0
    assert {row["agent"] for row in read_rows(outcome.run).to_pylist()} == {"my_agents:mine"}


def test_an_error_in_ones_own_agent_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "my_broken_agents.py").write_text("def mine(world, start, goal, **rules):\n    return rules['sped']\n")
    file = tmp_path / "mine.toml"
    file.write_text(SMALL.replace('agent = "repeated-astar"\n\n', 'agent = "my_broken_agents:mine"\n\n'))
    with pytest.raises(
        ValueError, match=r"my_broken_agents\.py, line 2, in forward \(5 expansions\): KeyError: 'sped'"
    ):
        lab_run(load(file), tmp_path, agents=["forward"])


def test_looking_at_a_run_changes_nothing(tmp_path: Path, undisturbed: Run) -> None:
    copy = Run(shutil.copytree(undisturbed.directory, tmp_path / "copy"))
    half = copy.directory / "pieces" / ".being-written.tmp"
    half.write_bytes(b"by a run that goes on meanwhile")
    damaged = next(iter(copy.finished().values()))
    damaged.write_bytes(b"damaged")
    assert len(read_rows(copy)) == 6 * 12
    assert half.exists()
    assert damaged.exists()


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undisturbed: Run) -> None:
    from timebound.lab import store

    write, calls = store.write_files, []

    def full(contents: dict) -> None:
        calls.append(contents)
        if len(calls) == 4:
            raise maps.model.MapError("cannot be written: No space left on device")
        write(contents)

    monkeypatch.setattr(store, "write_files", full)
    with pytest.raises(ValueError, match="No space left"):
        lab_run(small(), tmp_path)
    monkeypatch.undo()
    rest = lab_run(small(), tmp_path)
    assert rest.before == 2
    assert table(rest.run) == table(undisturbed)


# ------------------------------------------------------------------ processes, kill -9, clusters


def begin(output: Path, *options: str) -> subprocess.Popen:
    file = output / "small.toml"
    file.write_text(SMALL)
    command = [sys.executable, "-m", "timebound", "lab", "run", str(file), "--output", str(output), *options]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)


def pieces_of(output: Path) -> set[str]:
    return {file.name for file in output.glob("runs/*/pieces/*.parquet")}


def when_some_are_done(process: subprocess.Popen, output: Path, least: int) -> None:
    while process.poll() is None and len(pieces_of(output)) < least:
        time.sleep(0.002)


def finish(output: Path) -> Outcome:
    return lab_run(load(output / "small.toml"), output)


@pytest.mark.parametrize(("least", "workers"), [(0, "1"), (1, "1"), (3, "1"), (2, "2")])
def test_a_killed_run_goes_on(tmp_path: Path, undisturbed: Run, least: int, workers: str) -> None:
    process = begin(tmp_path, "--workers", workers)
    when_some_are_done(process, tmp_path, least)
    process.kill()
    process.communicate(timeout=20)  # ends when the workers, which have the same standard error, are gone too
    before = pieces_of(tmp_path)
    rest = finish(tmp_path)
    assert rest.before >= least
    assert rest.before == len(before)
    assert before <= pieces_of(tmp_path)  # nothing finished was run again
    assert table(rest.run) == table(undisturbed)


def test_ctrl_c_keeps_what_is_done(tmp_path: Path, undisturbed: Run) -> None:
    process = begin(tmp_path, "--workers", "2")
    when_some_are_done(process, tmp_path, 1)
    os.killpg(process.pid, signal.SIGINT)
    message = process.communicate()[1]
    if process.returncode == 130:
        assert message.strip().endswith("timebound: stopped")
    assert "Traceback" not in message
    assert not list(tmp_path.glob("runs/*/pieces/.*"))
    assert table(finish(tmp_path).run) == table(undisturbed)


def test_a_worker_that_vanishes_is_told_of(tmp_path: Path, undisturbed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    psutil = pytest.importorskip("psutil")
    process = begin(tmp_path, "--workers", "2")
    when_some_are_done(process, tmp_path, 1)
    for child in psutil.Process(process.pid).children() if process.poll() is None else ():
        if "spawn_main" in " ".join(child.cmdline()):
            child.kill()
            break
    message = process.communicate()[1]
    assert process.returncode == 0 or "a worker process was killed" in message
    assert "Traceback" not in message
    assert table(finish(tmp_path).run) == table(undisturbed)


@pytest.fixture
def cluster() -> Iterator[object]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as local:
        yield local


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_same(tmp_path: Path, undisturbed: Run, cluster) -> None:
    killed = []

    def tell(done: int, total: int) -> None:
        if done == 2:  # a worker is lost in the middle
            process = next(iter(cluster.workers.values())).process.process
            killed.append(process.pid)
            os.kill(process.pid, signal.SIGKILL)

    outcome = lab_run(small(), tmp_path, cluster=cluster.scheduler_address, tell=tell)
    assert killed
    assert outcome.done == 7
    assert table(outcome.run) == table(undisturbed)


def test_a_cluster_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(WorkerError, match=r"no Dask scheduler answers at nonsense://127.0.0.1:1"):
        lab_run(small(), tmp_path, cluster="nonsense://127.0.0.1:1")
