"""Run folders that are damaged, forged, or would be left behind; experiments that ask for too much, or run code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from forged_runs import EXPERIMENT, FIGURE, add_piece, row_of, run_folder

from timebound.cli import main
from timebound.core.errors import TimeboundError
from timebound.lab import run as running
from timebound.lab.parquet import encoded
from timebound.lab.report import write_report
from timebound.lab.results import compared
from timebound.lab.spec import load
from timebound.lab.store import Run, read_about


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return run_folder(tmp_path)


# ------------------------------------------------------------------ damage


def test_a_whole_run_has_no_faults(tmp_path: Path, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "report", "--output", str(tmp_path)]) == 0
    assert main(["lab", "compare", str(run.directory), str(run.directory)]) == 0
    assert capsys.readouterr().err == ""


def test_one_changed_byte_is_told(tmp_path: Path, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    file = run.finished()[1]
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    fault = (
        f"{run.directory}: incomplete: {file.name} is damaged (its checksum is wrong); "
        "6 of 24 episodes are missing; run the experiment again to complete it"
    )
    assert main(["lab", "report", "--output", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"timebound: {fault}\n"
    page = (tmp_path / "forged-quick.html").read_text("utf-8")
    assert "6 of 24 episodes are missing" in page
    assert "incomplete" in (tmp_path / "index.html").read_text("utf-8")
    assert main(["lab", "compare", str(run.directory), str(run.directory)]) == 1
    assert capsys.readouterr().err == f"timebound: {fault}\n" * 2


def test_missing_pieces_are_told(tmp_path: Path) -> None:
    text = EXPERIMENT.replace("worlds = 3\nproblems = 2", "worlds = 30\nproblems = 2")
    run = run_folder(tmp_path, text)
    assert len(run.finished()) == 4 * 3
    run.finished()[5].unlink()
    (run.directory / "pieces" / ".half.tmp").write_bytes(b"being written")
    assert (
        write_report(tmp_path, tmp_path)
        .faults[0]
        .endswith("incomplete: 20 of 240 episodes are missing; run the experiment again to complete it")
    )
    write_report(tmp_path, tmp_path, because="Six hours & no more.")
    for page in ("claims.html", next(tmp_path.glob("*-quick.html")).name):
        assert "20 of 240 episodes are missing" in (tmp_path / page).read_text()
    assert "Six hours &amp; no more." in next(tmp_path.glob("*-quick.html")).read_text()
    for number in (0, 4, 8):  # an agent that was not run at all is not missing
        run.finished()[number].unlink()
    assert "20 of 180 episodes are missing" in write_report(tmp_path, tmp_path).faults[0]


def test_rows_that_belong_elsewhere(run: Run) -> None:
    (first, configuration), (_, other) = run._layout()[:2]
    rows = [row_of(configuration, problem) for problem in range(first.size)]
    for changed, fault in [
        ([row_of(other, problem) for problem in range(first.size)], "belong to another piece"),
        ([row | {"problem": 7} for row in rows], "belong to another piece"),
        (rows[:-1], "5 rows in"),
        ([row | {"cost": "x"} for row in rows], "cost is not a column of double"),
        ([row | {"cost": None} for row in rows], "cost is not a column of double"),
        ([row | {"cost": 1e300} for row in rows], "a figure in cost is too large"),
        ([row | {"solved": 1} for row in rows], "solved is not a column of bool"),
        ([{name: row[name] for name in row if name != "expansions"} for row in rows], "expansions missing"),
        (
            [{name: row[name] for name in row if name != "waits"} for row in rows],
            "it has fewer figures than other pieces",
        ),
        ([row | {"start": "x" * 5_000_000} for row in rows], "bytes, not 6 rows"),
    ]:
        add_piece(run.finished().get(0) or next((run.directory / "pieces").glob("000000-*")), encoded(changed, {}))
        contents = run.contents()
        assert fault in next(iter(contents.damaged.values())), fault
        assert len(contents.tables) == 3
    add_piece(next((run.directory / "pieces").glob("000000-*")), b"PAR1 and nothing else PAR1")
    assert "not a Parquet file" in next(iter(run.contents().damaged.values()))
    add_piece(next((run.directory / "pieces").glob("000000-*")), encoded(rows, {}))
    assert not run.contents().damaged
    (run.directory / "pieces" / "٠٠٠٠٠١-x.parquet").write_bytes(b"x")
    assert "this run has no piece of that name" in run.contents().damaged["٠٠٠٠٠١-x.parquet"]


# ------------------------------------------------------------------ run.json


@pytest.mark.parametrize("name", ["experiment", "scale"])
@pytest.mark.parametrize("value", ["../../escaped", "/tmp/escaped", "..\\escaped", "", "a\nb", None, 7, ["x"]])
def test_names_that_lead_elsewhere(tmp_path: Path, run: Run, name: str, value: object) -> None:
    (run.directory / "run.json").write_text(json.dumps({**run.about, name: value}))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(TimeboundError, match="not the description of a run"):
        write_report(tmp_path, tmp_path / "pages" / "deep")
    assert sorted(tmp_path.rglob("*")) == before


def test_figures_that_lead_elsewhere(tmp_path: Path, run: Run) -> None:
    text = (EXPERIMENT + FIGURE).replace('id = "over"', 'id = "../../escaped"')
    (run.directory / "run.json").write_text(json.dumps({**run.about, "text": text}))
    with pytest.raises(TimeboundError, match="id is a text in quotes matching"):
        write_report(tmp_path, tmp_path / "pages" / "deep")


def test_markup_is_text(tmp_path: Path) -> None:
    markup = "<script>alert(1)</script>"
    text = (
        (EXPERIMENT + FIGURE).replace("Forged", markup).replace("fewer cells", markup).replace('"cells"', f'"{markup}"')
    )
    text = text.replace("title =", f'differs = "{markup}"\ntitle =', 1)
    text = text.replace("[[claims]]", f'[[claims]]\nwhere = "{markup}"\nnote = "{markup}"', 1)
    run = run_folder(tmp_path, text)
    about = run.about | {
        "experiment": "a'><b>&",
        "like": [{"file": markup, "text": f"# {markup}"}],
        "started": markup,
        "stand_ins": True,
    }
    about["machine"]["processor"] = about["versions"]["numba"] = about["file"] = markup
    (run.directory / "run.json").write_text(json.dumps(about))
    report = write_report(tmp_path, tmp_path / "pages")
    for page in report.page.parent.glob("*.html"):
        shown = page.read_text("utf-8")
        assert "<script" not in shown
        assert "<b>" not in shown
        assert "&lt;script&gt;" in shown
    assert "<script" not in next((tmp_path / "pages" / "figures").glob("*.svg")).read_text("utf-8")


def test_other_runs_are_reported_beside_a_bad_one(tmp_path: Path, run: Run) -> None:
    bad = tmp_path / "runs" / "bad"
    bad.mkdir()
    (bad / "run.json").write_text("[" * 5000)
    report = write_report(tmp_path, tmp_path / "pages")
    assert (tmp_path / "pages" / "forged-quick.html").is_file()
    assert report.faults == [f"{bad / 'run.json'}: damaged; remove its folder, or run the experiment again"]


def test_nothing_sound_is_nothing_to_report(tmp_path: Path, run: Run) -> None:
    for file in run.finished().values():
        file.write_bytes(b"x")
    with pytest.raises(TimeboundError, match=r"and 1 more files; 24 of 24 episodes are missing"):
        write_report(tmp_path, tmp_path / "pages")
    with pytest.raises(TimeboundError, match="24 of 24 episodes are missing"):
        compared(run, run)
    assert not (tmp_path / "pages").exists()
    assert read_about(run.directory) == run.about


# ------------------------------------------------------------------ experiments


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("worlds = 3", "worlds = 99999999999999", "worlds is a whole number up to 100,000, not 99999999999999"),
        ("problems = 2", "problems = 99999999999", "problems is a whole number up to 2,000,000"),
        ("problems = 2", "problems = 700000", "8,400,000 episodes exceed the limit of 2,000,000"),
        ("width = 7", "width = 999999999", "999999999 x 7 cells are too many"),
        ("[5, inf]", "[2.5]", "expansions must be a whole number (or inf), not 2.5"),
        ("[5, inf]", "[1" + "0" * 400 + "]", "expansions has a number above 1e+18: a whole number of 401 digits"),
        ("[5, inf]", f"{list(range(1, 1200))}", "configurations exceed the limit of 1,000"),
        (
            '["forward", "backward"]',
            "[]",
            "direction must be a number, a word, true or false, or a list of these, not []",
        ),
        ('["forward", "backward"]', "1979-05-27", "direction must be a number, a word, true or false"),
        ('["forward", "backward"]', '["forward", "forward"]', "a value of direction is listed twice"),
        ("1000.5", '"x"', "row 1: expansions cannot be 'x'"),
        ("1000.5", "[[1]]", "row 1: expansions cannot be [[1]]"),
        ("1000.5", "1e300", "rows has a number above 1e+18: 1e+300"),
        ('title = "Forged"', "title = " + "[" * 3000, "nested too deeply"),
        (
            'title = "Forged"',
            "title" + ".a" * 2000 + " = 1",
            "title is a text in quotes, not {'a': {'a': {'a': {'a': {...}}}}}",
        ),
        ('"Forged"', r'"\u001b[2J"', r"title has an unprintable character: '\x1b[2J'"),
        ("[agents.back]", r'[agents."\u001b"]', r"the name '\x1b' has an unprintable character"),
        ("seed = 3", "seed = " + "9" * 5000, "not TOML: Exceeds the limit"),
        ("most_intervals = 1000", "most_intervals = 99999999999999999999", "most_intervals has a number above 1e+18"),
        ('generator = "maze"\nwidth = 7\nheight = 7', 'maps = "../../x"\nstand_in = {}', "below the folder of maps"),
        ('generator = "maze"\nwidth = 7\nheight = 7', 'maps = "/etc/x"\nstand_in = {}', "below the folder of maps"),
        ("[[claims]]", "[[claims]]\nid = 'a'\n" * 501 + "[[claims]]", "claims is a list of at most 500"),
        ("[[claims]]", FIGURE.replace("$the", "the") * 2 + "[[claims]]", "two figures are called 'over'"),
        ("[[claims]]", FIGURE + 'x = "direction"\n[[claims]]', "'direction' has words as values"),
        ('cells."', 'cells."""\n[' + " " * 100_000 + '"""', "not TOML"),
    ],
)
def test_experiments_that_ask_for_too_much(tmp_path: Path, right: str, wrong: str, complaint: str) -> None:
    assert right in EXPERIMENT
    file = tmp_path / "x.toml"
    file.write_text(EXPERIMENT.replace(right, wrong, 1))
    with pytest.raises(TimeboundError) as error:
        load(file)
    assert complaint in str(error.value)
    assert str(error.value).startswith(f"{file}")
    assert len(str(error.value)) < 800


@pytest.mark.parametrize(
    "agent", [":", ".:x", "../x:y", "x:", ":x", "os:", "a b:c", "math:pi", "bad_module:x", "exits:x"]
)
def test_import_paths_that_lead_nowhere(tmp_path: Path, agent: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad_module.py").write_text("1 / 0\n")
    (tmp_path / "exits.py").write_text("raise SystemExit(0)\n")
    file = tmp_path / "x.toml"
    text = EXPERIMENT.replace('parameters = { direction = ["forward", "backward"] }\n', "").split("[[claims]]")[0]
    file.write_text(text.replace('"repeated-astar"', f'"{agent}"'))
    assert main(["lab", "run", str(file), "--output", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    line = 1 + file.read_text().split(f'"{agent}"')[0].count("\n")
    assert f"x.toml, line {line}: '{agent}' " in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("right", "wrong"), [("repeated-astar", "evil:agent"), ("", "")])
def test_no_code(tmp_path: Path, right: str, wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'was_here')!r}, 'w')\n")
    file = tmp_path / "x.toml"
    worlds = 'generator = "maze"\nwidth = 7\nheight = 7'
    text = EXPERIMENT.replace(right, wrong) if right else EXPERIMENT.replace(worlds, 'make = "evil:a"\ndraw = "evil:b"')
    file.write_text(text)
    assert main(["lab", "show", str(file)]) == 0
    assert main(["lab", "run", str(file), "--no-code", "--output", str(tmp_path / "out")]) == 2
    assert "names code to import, which --no-code forbids" in capsys.readouterr().err
    assert not (tmp_path / "was_here").exists()


def test_the_help_tells_that_experiments_run_code(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["lab", "run", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "running it runs that code" in told
    assert "--no-code" in told


def test_the_papers_experiments_need_no_code() -> None:
    from timebound.lab.files import names

    for name in names():
        running.refuse_code(load(name))


def test_a_folder_of_maps_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.toml"
    file.write_text(EXPERIMENT)
    assert main(["lab", "run", str(file), "--maps", str(tmp_path / "gone"), "--output", str(tmp_path / "out")]) == 2
    assert "gone: no such folder of maps" in capsys.readouterr().err
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    assert main(["lab", "run", str(pipe)]) == 2
    assert "it is not a regular file; give an experiment file (.toml)" in capsys.readouterr().err


# ------------------------------------------------------------------ late errors leave nothing


@pytest.mark.parametrize("error", [TimeboundError("late"), KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_no_run_without_results(tmp_path: Path, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise error

    file = tmp_path / "x.toml"
    file.write_text(EXPERIMENT)
    monkeypatch.setattr(running, "run_piece", fail)
    monkeypatch.setattr(running, "try_piece", lambda piece: None)  # which would compile the agents
    plan = running.prepare(load(file))
    for output in (tmp_path / "new" / "deep", tmp_path):
        with pytest.raises(type(error)):
            running.run(plan, output)
        assert [path.name for path in tmp_path.iterdir()] == ["x.toml"]


def test_results_are_kept_whatever_comes_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_piece(piece: running.Piece, prepared: object) -> list:
        if piece.number:
            raise TimeboundError("late")
        return [row_of(piece.configuration, piece.first + n) for n in range(len(piece.problems))]

    file = tmp_path / "x.toml"
    file.write_text(EXPERIMENT)
    monkeypatch.setattr(running, "run_piece", one_piece)
    monkeypatch.setattr(running, "try_piece", lambda piece: None)  # which would compile the agents
    with pytest.raises(TimeboundError, match="late"):
        running.run(running.prepare(load(file)), tmp_path)
    (directory,) = (tmp_path / "runs").iterdir()
    assert list(Run(directory).finished()) == [0]


LATE = """
from pathlib import Path
from timebound.cli import main
text = Path("x.toml").read_text()
for right, wrong, *options in [
    ('["forward", "backward"]', '"up"'),
    ("seed = 3", "shortest = 9999"),
    ("height = 7", "height = 7; corridor = 99"),
    ("seed = 3", "seed = 4", "--cluster", "nonsense"),
]:
    Path("late.toml").write_text(text.replace(right, wrong.replace("; ", chr(10))))
    print(main(["lab", "run", "late.toml", "--workers", "1", "--output", "out", *options]), Path("out").exists())
"""


def test_late_errors_of_real_runs(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    (tmp_path / "x.toml").write_text(EXPERIMENT.split("[published]")[0])
    finished = subprocess.run(
        [sys.executable, "-c", LATE],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert finished.stdout.split() == ["2", "False"] * 3 + ["1", "False"], finished.stderr
    assert finished.stderr.count("\n") == 4, finished.stderr
