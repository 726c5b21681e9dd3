"""The command `timebound lab`."""

import re
from pathlib import Path

import pytest
from lab_specs import SMALL

from timebound import maps
from timebound.cli import main
from timebound.lab.files import names

TINY = SMALL.replace("worlds = 12", "worlds = 3").replace("worlds = 60", "worlds = 4")


@pytest.fixture(autouse=True)
def _nobody_elses_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TIMEBOUND_MAPS", raising=False)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    file = tmp_path / "tiny.toml"
    file.write_text(TINY)
    return file


def lab(*arguments: object) -> int:
    return main(["lab", *map(str, arguments)])


def test_list_and_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert lab("list") == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in names())
    assert lab("show", "rtaa-table-1") == 0
    shown = capsys.readouterr().out
    assert "lss-lrta" in shown
    assert "1, 9, 17, 25" in shown
    assert "full: 2500 worlds" in shown
    assert shown.count("Different from the paper") == 1
    assert lab("show", "rtaa-table-1", "--toml") == 0
    assert '["rtaa", 9, 104228.97' in capsys.readouterr().out


def test_run_report_compare(tmp_path: Path, spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "out"
    assert lab("run", spec, "--output", output, "--workers", 1) == 0
    assert "tiny: 7 pieces run, 0 were already done" in capsys.readouterr().out
    assert lab("run", spec, "--output", output, "--workers", 1) == 0
    assert "tiny: 0 pieces run, 7 were already done" in capsys.readouterr().out
    assert lab("report", "--output", output) == 0
    assert capsys.readouterr().out.strip() == str(output / "index.html")
    assert lab("report", "--runs", output, "--output", tmp_path / "pages") == 0
    assert (tmp_path / "pages" / "tiny-quick.html").is_file()
    (run,) = (output / "runs").iterdir()
    assert lab("compare", run, run) == 0
    assert capsys.readouterr().out.count("the same") == 7 * 2


def test_two_runs_are_compared_problem_by_problem(
    tmp_path: Path, spec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lab("run", spec, "--output", tmp_path, "--workers", 1, "--scale", "full")
    backward = tmp_path / "other" / "tiny.toml"
    backward.parent.mkdir()
    backward.write_text(TINY.replace('agent = "repeated-astar"\n\n', 'agent = "adaptive-astar"\n\n'))
    lab("run", backward, "--output", tmp_path, "--workers", 1, "--scale", "full")
    said = capsys.readouterr().out
    assert "kept apart from" in said
    assert "differs in: sources, agents" in said
    runs = sorted((tmp_path / "runs").iterdir(), key=lambda run: run.stat().st_ctime)
    assert lab("compare", *runs) == 0
    said = capsys.readouterr().out
    assert re.search(r"forward \(5 expansions\) +expansions .* -[\d,.]+ ", said)
    wider = tmp_path / "wider.toml"
    wider.write_text(TINY.replace("width = 21", "width = 31").replace("worlds = 4", "worlds = 2"))
    lab("run", wider, "--output", tmp_path / "wide", "--workers", 1, "--scale", "full")
    capsys.readouterr()
    assert lab("compare", runs[0], next((tmp_path / "wide" / "runs").iterdir())) == 2
    assert "have different problems" in capsys.readouterr().err


def test_maps_come_from_an_option_or_the_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TINY.replace(
        'generator = "maze"\nwidth = 21\nheight = 21',
        'maps = ["set/one"]\nstand_in = { generator = "caves", width = 20, height = 20 }',
    ).replace("worlds = 3", "problems = 2")
    file = tmp_path / "named.toml"
    file.write_text(text.replace("worlds = 4", "problems = 3"))
    run = ("run", file, "--output", tmp_path, "--workers", 1, "--agents", "backward")
    assert lab(*run) == 0
    assert "on generated maps, in place of the published ones" in capsys.readouterr().out
    folder = tmp_path / "maps" / "set"
    folder.mkdir(parents=True)
    maps.write(maps.caves(30, 30, seed=4), folder / "one.map")
    assert lab(*run, "--maps", tmp_path / "maps") == 0
    assert "generated" not in capsys.readouterr().out
    monkeypatch.setenv("TIMEBOUND_MAPS", str(tmp_path / "maps"))
    assert lab(*run, "--scale", "full") == 0
    assert "generated" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["run"], "name experiments, or give --all"),
        (["run", "--all", "rtaa-table-1"], "name experiments, or give --all"),
        (["run", "rtaa-tabel-1"], "there is no experiment 'rtaa-tabel-1'; did you mean 'rtaa-table-1'?"),
        (["run", "absent.toml"], "absent.toml: cannot be read"),
        (["run", "rtaa-table-1", "--scale", "huge"], "invalid choice: 'huge'"),
        (["run", "rtaa-table-1", "--workers", "0"], "a whole number from 1 is needed, not '0'"),
        (["run", "rtaa-table-1", "--agents", "rta"], "rtaa-table-1 has no agent 'rta'; did you mean 'rtaa'?"),
        (["run", "tbaa-table-1", "--agents", "astar", "--maps", "nowhere"], "nowhere: no such folder of maps"),
        (["run", "tbaa-table-1", "--agents", "astar", "--scale", "full"], "scale full need the maps sc1/Enigma"),
        (["report", "--runs", "nowhere"], "nowhere: it contains no runs; run an experiment first"),
        (["compare", "nowhere", "nowhere"], "give the folder of a run"),
        (["show", "nothing"], "there is no experiment 'nothing'"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        status = lab(*arguments)
    except SystemExit as stopped:
        status = stopped.code
    said = capsys.readouterr()
    assert status == 2
    assert complaint in said.err
    assert said.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_typos_are_refused_before_anything_runs(tmp_path: Path, spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typo = tmp_path / "typo.toml"
    typo.write_text(TINY.replace('agent = "repeated-astar"', 'agent = "repeated-star"', 1))
    assert lab("run", spec, typo, "--output", tmp_path / "out") == 2
    assert "typo.toml, line 19: agent 'repeated-star' is not available; did you mean" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_all_runs_what_can_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from timebound.lab import files
    from timebound.lab import spec as specs
    from timebound.lab.files import Source

    texts = {"tiny": TINY, "unready": TINY.replace('agent = "repeated-astar"', 'agent = "of-tomorrow"', 1)}
    monkeypatch.setattr(files, "names", lambda: list(texts))
    monkeypatch.setattr(specs, "load", lambda name: specs.parse(name, Source(f"{name}.toml", texts[name])))
    assert lab("run", "--all", "--output", tmp_path, "--workers", 1) == 1
    said = capsys.readouterr()
    assert "tiny: 7 pieces run" in said.out
    assert "unready skipped: unready.toml, line 19: agent 'of-tomorrow' is not available" in said.err


def test_lost_agents_are_a_result(tmp_path: Path, spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec.write_text("most_intervals = 20\n" + TINY)
    assert lab("run", spec, "--output", tmp_path, "--workers", 1) == 0
    assert "episodes did not reach their goal" in capsys.readouterr().out
    assert lab("report", "--output", tmp_path) == 0
    assert "not solved)" in (tmp_path / "tiny-quick.html").read_text()


def test_an_experiment_that_cannot_run_stops_no_other(
    tmp_path: Path, spec: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from timebound.core.errors import ProblemError
    from timebound.lab import run as running

    def break_down(piece: running.Piece, prepared: object) -> list[running.Row]:
        if piece.places[0].folder.endswith("broken"):
            raise ProblemError("it broke")
        return run_piece(piece, prepared)

    run_piece = running.run_piece
    monkeypatch.setattr(running, "run_piece", break_down)
    broken = tmp_path / "broken" / "broken.toml"
    broken.parent.mkdir()
    broken.write_text(TINY)
    assert lab("run", broken, spec, "--output", tmp_path / "out", "--workers", 1) == 1
    said = capsys.readouterr()
    assert said.err == "timebound: broken could not run: it broke\n"
    assert "tiny: 7 pieces run" in said.out
    assert [run.name.split("-")[0] for run in (tmp_path / "out" / "runs").iterdir()] == ["tiny"]


def test_an_estimate_runs_nothing(tmp_path: Path, spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab("run", spec, "--output", tmp_path / "out", "--workers", 2, "--estimate") == 0
    said = capsys.readouterr().out
    assert re.fullmatch(
        r"tiny: 7 pieces, 21 episodes, about 0\.\d\d hours with 2 processes \(preparation: 0 s .*\)\n", said
    )
    assert not (tmp_path / "out").exists()


def test_an_estimate_extrapolates(monkeypatch: pytest.MonkeyPatch) -> None:
    from lab_specs import small

    from timebound.lab import run as estimates
    from timebound.lab.run import prepare

    plan = prepare(small(SMALL.replace("worlds = 12", "worlds = 50")), "quick", agents=["backward"])
    tried: list[int] = []
    monkeypatch.setattr(estimates, "run_piece", lambda piece, prepared: tried.append(piece.first))
    clock = iter(range(1000))
    monkeypatch.setattr(estimates, "process_time", lambda: next(clock))
    found = estimates.estimate(plan)
    assert tried[:3] == [0, 49, 24]  # one second each
    assert len({*tried}) == 12
    assert (found.pieces, found.episodes, found.preparing, found.seconds) == (3, 50, 0, 50)
    monkeypatch.setattr(estimates, "_ENOUGH", 3)
    estimates.estimate(plan)
    assert tried[12:] == [0, 49, 24]


def test_every_action_helps_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for action in ("list", "show", "run", "report", "compare"):
        with pytest.raises(SystemExit):
            lab(action, "--help")
        assert f"timebound lab {action}" in capsys.readouterr().out.split("example")[1]
