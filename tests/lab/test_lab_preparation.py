"""What is prepared for agents: made once, kept, counted, and shown."""

import pickle
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from lab_specs import lab_run, small

import timebound as tb
from timebound import maps
from timebound.lab import preparation
from timebound.lab import run as running
from timebound.lab.files import SpecError
from timebound.lab.measures import Measure
from timebound.lab.preparation import Knowledge, work_out
from timebound.lab.report import write_report
from timebound.lab.results import results_of
from timebound.lab.store import Run, read_rows
from timebound.lab.worlds import open_map, survey
from timebound.subgoals.regions import RegionSubgoals

CASES = """
title = "Prepared"
reference = "astar"

[worlds]
generator = "caves"
width = 40
height = 40

[agents.knn]
agent = "knn-lrta"
parameters = { records = [10, 30], coverage = "random" }

[agents.d-lrta]
parameters = { level = 3 }

[agents.astar]

[measures]
"excess" = "suboptimality"
"prepared_s" = "seconds"
"prepared_kb" = "size"
"prepared_records" = "records"
"prepared_states / cells" = "relative size"
"detours" = "subgoals reached by a detour"
"detour" = "length of a detour"
"memory_kb" = "memory"
"total_kb" = "all memory"
"prepared_kb / saved_kb" = "break-even"

[scale.quick]
worlds = 2
problems = 3

[scale.full]
worlds = 1
width = 90

[published]
columns = ["agent", "records", "prepared_kb", "excess"]
rows = [
    ["knn", 20, 77.5, 12.5],
    ["knn", 30, 99.5, 11.5],
]

[[tables]]
title = "Table 3: the databases"
measures = ["prepared_kb", "prepared_records"]
agents = ["knn", "d-lrta"]

[[tables]]
title = "Table 7: beside others"
one = "knn(records=30)"
others = ["d-lrta", "astar"]
measures = ["total_kb", "prepared_s"]
published = [[57.5, 0.5], [1.5, nan]]

[[figures]]
id = "size"
title = "Suboptimality over the size"
x = "prepared_kb"
y = "excess"

[[claims]]
id = "size"
words = "More records are larger."
increasing = "knn.prepared_kb"
over = "records"
"""


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return lab_run(small(CASES), tmp_path_factory.mktemp("prepared")).run


@pytest.fixture
def copied(finished: Run, tmp_path: Path) -> Run:
    """The run without its rows."""
    copy = Run(Path(shutil.copytree(finished.directory, tmp_path / "runs" / finished.directory.name)))
    for file in copy.finished().values():
        file.unlink()
    return copy


def rows_of(run: Run) -> list[dict]:
    """All rows without times and NaN, which is not equal to itself."""
    rows = read_rows(run).to_pylist()
    times = ("planning_us", "longest_us")
    kept = [{name: value for name, value in row.items() if name not in times and value == value} for row in rows]
    return sorted(kept, key=lambda row: (row["label"], row["settings"], row["problem"]))


def test_what_is_prepared_is_counted(finished: Run) -> None:
    for row in rows_of(finished):
        world = tb.Grid(maps.caves(40, 40, seed=int(row["world"].split()[1])).passable)
        told = tuple(row[name] for name in ("prepared_kb", "prepared_records", "prepared_states"))
        if row["label"] == "knn":
            base = tb.CaseBase.build(world, 30 if '"records": 30' in row["settings"] else 10, coverage="random")
            assert told == (base.nbytes / 1024, len(base), sum(len(base.record(n)) for n in range(len(base))))
        elif row["label"] == "d-lrta":
            table = RegionSubgoals.of(world, 3)
            table.fill(workers=1)
            pairs = table.count * (table.count - 1)
            assert told == (table.memory_bytes / 1024, pairs, 1600 + pairs)
        else:
            assert told == (0, 0, 0)
        assert (row["prepared_s"] > 0) == (row["label"] != "astar")
        assert row["total_kb"] == pytest.approx(row["memory_kb"] + row["prepared_kb"])
        assert row["cells"] == 1600


def test_detours_of_climbs_are_counted(finished: Run) -> None:
    """Section 5 of the paper: a climb may take a detour (its Theorem 6)."""
    world = tb.Grid(maps.rooms(90, 90, room=9, seed=1).passable, corners="cut", diagonal=1.4)
    base = tb.CaseBase.build(world, 30, coverage="random")
    pairs = [pair for number in range(len(base)) for pair in pairwise(base.record(number))]
    walked = [tb.make("lrta", world, *pair).run().cost for pair in pairs]  # a climb, by Theorem 5
    shortest = [tb.shortest_path(world, *pair).cost for pair in pairs]
    longer = [100 * (one / other - 1) for one, other in zip(walked, shortest, strict=True) if one > other + 1e-9]
    assert longer
    assert preparation.detours(world, base) == pytest.approx((100 * len(longer) / len(pairs), np.mean(longer)))
    rows = rows_of(finished)
    assert {row["label"] for row in rows if "detours" not in row} == {"d-lrta", "astar"}


def test_memory_saved_is_against_the_reference(finished: Run) -> None:
    results = results_of(finished)
    astar = results.samples[results.experiment.configurations()[-1]]
    for sample in results.samples.values():
        np.testing.assert_allclose(sample["saved_kb"], astar["memory_kb"] - sample["memory_kb"])
    knn = results.experiment.configurations()[0]
    sample, even = results.samples[knn], results.estimate(knn, Measure("prepared_kb", "saved_kb"))
    assert even is not None
    assert even.value == pytest.approx(sample["prepared_kb"].sum() / sample["saved_kb"].sum())


def test_bases_are_kept_with_the_run(
    finished: Run, copied: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = sorted((copied.directory / "prepared").iterdir())
    assert [file.suffix for file in files].count(".json") == 2 * 3
    assert [file.suffix for file in files].count(".cases") == 2 * 2
    monkeypatch.setattr(running, "work_out", None)  # whoever built something would fail
    assert lab_run(small(CASES), tmp_path).done == 4
    assert rows_of(copied) == rows_of(finished)


def test_damaged_bases_are_built_again(
    finished: Run, copied: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, built = copied.directory / "prepared", []
    damaged, without_figures = sorted(folder.glob("*.cases"))[:2]
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    (figures,) = folder.glob(f"{without_figures.stem}-*.json")
    (folder / ".half.tmp").write_bytes(b"cut off")
    figures.write_bytes(figures.read_bytes().replace(b"records", b"recordz"))

    def noted(need) -> Knowledge:
        built.append(need.key)
        return work_out(need)

    monkeypatch.setattr(running, "work_out", noted)
    lab_run(small(CASES), tmp_path)
    assert sorted(built) == [damaged.stem, without_figures.stem]
    assert len(list(folder.iterdir())) == 2 * 3 + 2 * 2
    without_times = [[{**row, "prepared_s": 0} for row in rows_of(run)] for run in (copied, finished)]
    assert without_times[0] == without_times[1]


def test_estimates_build_random_bases_in_small(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[tuple] = []

    def noted(need) -> Knowledge:
        built.append(need.what)
        return work_out(need)

    monkeypatch.setattr(running, "work_out", noted)
    monkeypatch.setattr(running, "run_piece", lambda piece, prepared: [prepared[need.key] for need in piece.needs()])
    clock = iter(range(1000))
    monkeypatch.setattr(running, "process_time", lambda: next(clock))
    found = running.estimate(running.prepare(small(CASES.replace("[10, 30]", "[30, 400]")), "quick"))
    sizes = [dict(what)["records"] for what in built if "records" in dict(what)]
    assert sorted(sizes) == [1, 1, 20, 20]
    assert found.preparing == 2 * (20 + 20 + 1)  # seconds, on two maps: two bases in small, a table


def test_what_is_prepared_can_be_sent_to_other_machines(finished: Run) -> None:
    file = next((finished.directory / "prepared").glob("*.cases"))
    known = finished.prepared(file.stem)
    assert known is not None
    assert known.cases is not None
    sent = pickle.loads(pickle.dumps(known))
    assert sent.figures == known.figures
    assert all(np.array_equal(sent.cases.arrays[name], array) for name, array in known.cases.arrays.items())


def test_tables_of_subgoals_are_counted_only_if_asked_for(tmp_path: Path) -> None:
    text = CASES[: CASES.index("[measures]")] + '[measures]\n"cost" = "cost"\n[scale.quick]\nworlds = 1\n[scale.full]\n'
    run = lab_run(small(text + "worlds = 1\n"), tmp_path).run
    assert {file.suffix for file in (run.directory / "prepared").iterdir()} == {".json", ".cases"}
    assert len(list((run.directory / "prepared").glob("*.json"))) == 2
    assert "prepared_kb" not in read_rows(run).column_names


def test_the_page_has_every_table(finished: Run, tmp_path: Path) -> None:
    write_report(finished.directory.parent.parent, tmp_path)
    text = (tmp_path / "small-quick.html").read_text()
    assert "<h2>Table 3: the databases</h2>" in text
    assert "<h2>Table 7: beside others</h2>" in text
    assert "The table" not in text
    # A row of the paper with settings that were not run has its place among ours.
    ours, printed, both = text.index("<td>10</td>"), text.index("<td>20</td>"), text.index("<td>30</td>")
    assert ours < printed < both
    assert '<td>20</td><td></td><td class="paper">77.5</td>' in text
    assert '<td class="paper">57.5</td>' in text


# ------------------------------------------------------------------ the sizes of maps


def test_generated_maps_may_be_larger_at_full_scale() -> None:
    experiment = small(CASES)
    (place,) = survey(experiment, "full", None).places
    assert (open_map(place).width, open_map(place).height) == (90, 40)
    assert survey(experiment, "quick", None).places[0].identity() != place.identity()


def test_maps_are_scaled_up(tmp_path: Path) -> None:
    map_ = maps.caves(30, 20, seed=1)
    maps.write(map_, tmp_path / "one.map")
    text = CASES.replace(
        'generator = "caves"\nwidth = 40\nheight = 40',
        'maps = ["one"]\nstand_in = { generator = "caves", width = 30, height = 30 }',
    ).replace("worlds = 2\n", "")
    free = int(map_.passable.sum())
    for wanted, factor in ((0, 1), (free, 1), (free + 1, 2), (4 * free, 2), (5 * free, 3)):
        experiment = small(text.replace("width = 90", f"free_cells = {wanted}"))
        (place,) = survey(experiment, "full", tmp_path).places
        large = open_map(place)
        assert (large.width, large.height) == (30 * factor, 20 * factor)
        assert large.fingerprint == place.fingerprint
        assert np.array_equal(large.passable[::factor, ::factor], map_.passable)
        assert np.array_equal(large.passable[factor - 1 :: factor, factor - 1 :: factor], map_.passable)


# ------------------------------------------------------------------ mistakes


MISTAKES = [
    ("width = 90", "free_cells = 90", "unknown key 'free_cells'; choose from: worlds, problems, width, height"),
    ("width = 90", "width = 0", "width is a whole number from 1, not 0"),
    ('"prepared_kb" = "size"', '"prepared_mb" = "size"', "there is no measure 'prepared_mb'; did you mean"),
    ('reference = "astar"', 'reference = "astr"', "there is no agent 'astr' in this experiment; did you mean 'astar'?"),
    ('reference = "astar"', 'reference = "knn"', "'knn' stands for 2 configurations; set its records"),
    ('reference = "astar"', 'reference = "astar.cost"', "'astar.cost' is not a configuration"),
    ('one = "knn(records=30)"', 'one = "knn(records=31)"', "records is never 31 in 'knn(records=31)'"),
    ('one = "knn(records=30)"', 'on = "knn(records=30)"', "unknown key 'on'; did you mean 'one'?"),
    ('others = ["d-lrta", "astar"]', 'others = ["d-lrta"]', "published needs a row for each of the measures"),
    ('measures = ["total_kb"', 'measures = ["moves"', "'moves' is not in [measures], which has its heading"),
    ('agents = ["knn", "d-lrta"]', 'agents = ["knn", "dlrta"]', "no agent 'dlrta' in this experiment; did you mean"),
]


@pytest.mark.parametrize(("right", "wrong", "complaint"), MISTAKES, ids=[wrong for _, wrong, _ in MISTAKES])
def test_mistakes_are_refused_with_their_line(right: str, wrong: str, complaint: str) -> None:
    text = CASES.replace(right, wrong, 1)
    with pytest.raises(SpecError) as refusal:
        small(text)
    message = str(refusal.value)
    assert complaint in message
    if "published" not in complaint:
        assert message.startswith(f"small.toml, line {text[: text.index(wrong)].count(chr(10)) + 1}: ")
    assert "\n" not in message


def test_memory_saved_needs_a_reference() -> None:
    with pytest.raises(SpecError, match=r"line \d+: saved_kb needs a reference to compare with, such as reference ="):
        small(CASES.replace('reference = "astar"\n', ""))
