"""Experiments based on another one: what they contain, and where their errors are reported."""

import json
from pathlib import Path

import msgspec
import pytest
from lab_specs import SMALL, lab_run

from timebound.lab.experiment import Experiment
from timebound.lab.files import SpecError
from timebound.lab.pieces import check_agents
from timebound.lab.spec import load
from timebound.lab.store import Run, StoreError


def write(folder: Path, **texts: str) -> Path:
    """Write files by name; return the path of the last one."""
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text)
    return folder / f"{list(texts)[-1]}.toml"


def like(folder: Path, text: str, base: str = SMALL) -> Experiment:
    return load(write(folder, small=base, mine=f'like = "small.toml"\n{text}'))


def said(experiment: Experiment) -> str:
    return repr({**msgspec.structs.asdict(experiment), "name": "", "source": ""})


def test_alone_it_is_the_same(tmp_path: Path) -> None:
    assert said(like(tmp_path, "")) == said(load(tmp_path / "small.toml"))


@pytest.mark.parametrize(
    ("own", "right", "wrong"),
    [
        ('title = "Mazes"', 'title = "Small mazes"', 'title = "Mazes"'),
        ("[grid]\nneighbors = 8", "neighbors = 4", "neighbors = 8"),
        (
            '[worlds]\ngenerator = "caves"\nwidth = 30\nheight = 30',
            'generator = "maze"\nwidth = 21\nheight = 21',
            'generator = "caves"\nwidth = 30\nheight = 30',
        ),
        ("[scale.full]\nworlds = 7", "worlds = 60", "worlds = 7"),
        ("[agents.forward]\nagent = 'astar'\nbudgets = [5]\n[published]\nrows = []", "", ""),
        ('[[claims]]\nid = "falls"\ndecreasing = "forward.moves"', '"forward.intervals"', '"forward.moves"'),
        ('[[claims]]\nid = "planted"\nwords = "No."', "D* Lite expands more cells than backward searches.", "No."),
        ('[measures]\n"expansions" = "cells"', '"cells expanded"', '"cells"'),
        ('[measures]\n"cost" = "cost"', '\n[scale.quick]', '"cost" = "cost"\n[scale.quick]'),
        ('[[figures]]\nid = "intervals"\ntitle = "Time"', '"Intervals"', '"Time"'),
    ],
)  # fmt: skip
def test_what_it_says_itself_counts(tmp_path: Path, own: str, right: str, wrong: str) -> None:
    experiment = like(tmp_path, own)
    if right:
        plain = SMALL.replace(right, wrong, 1)
        assert plain != SMALL
        assert said(experiment) == said(load(write(tmp_path, small=plain)))
    else:
        forward = next(entry for entry in experiment.entries if entry.label == "forward")
        assert (forward.agent, forward.budgets) == ("astar", (5,))
        assert experiment.published.columns == ("agent", "budget", "expansions")
        assert not experiment.published.rows


def test_something_can_be_left_out(tmp_path: Path) -> None:
    out = '["claims.planted", "claims.constant", "figures.intervals", "published", "measures.moves / searches"]'
    experiment = like(
        tmp_path, f'without = {out}\n[[claims]]\nid = "new"\nwords = "New."\nincreasing = "forward.cost"\n'
    )
    assert [claim.id for claim in experiment.claims] == ["fewer", "falls", "new"]
    assert not experiment.figures
    assert not experiment.published.rows
    assert [str(measure) for measure in experiment.measures] == ["expansions"]


def test_an_agent_that_is_left_out_takes_its_printed_rows_along(tmp_path: Path) -> None:
    out = '["agents.backward", "claims.fewer", "claims.planted"]'
    experiment = like(tmp_path, f"without = {out}\n")
    assert experiment.published.rows == (("dstar-lite", 5, 1000.5),)


def test_experiments_of_the_package_are_found_by_name(tmp_path: Path) -> None:
    experiment = load(write(tmp_path, mine='like = "rtaa-table-1"\ntitle = "Mine"\n'))
    assert (experiment.title, experiment.name) == ("Mine", "mine")
    assert experiment.claims == load("rtaa-table-1").claims


def test_a_chain(tmp_path: Path) -> None:
    middle = (
        'like = "small.toml"\n[[claims]]\nid = "fewer"\nwords = "Middle."\n[[claims]]\nid = "own"\nwords = "Own."\n'
    )
    middle += 'less = ["forward.moves", "backward.moves"]\n'
    file = write(tmp_path, small=SMALL, middle=middle, mine='like = "middle.toml"\nwithout = ["claims.planted"]\n')
    assert [claim.words for claim in load(file).claims][::3] == ["Middle.", "Own."]
    file.write_text(file.read_text() + '[budget]\nexpansions = [5, inf]\n[[claims]]\nid = "own"\nat = [50]\n')
    with pytest.raises(SpecError, match=r"mine\.toml, line 7: not all values of at are values of budget"):
        load(file)


# ------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("own", "place", "complaint"),
    [
        ("[grid]\nneighbors = 5", "mine.toml, line 3: ", "neighbors cannot be 5; choose from: 4, 8, 16"),
        ('[[claims]]\nid = "falls"\nat = [7]', "mine.toml, line 4: ", "not all values of at"),
        ('[[claims]]\nid = "falls"\nlesss = ["x"]', "mine.toml, line 4: ", "unknown key 'lesss'; did you mean 'less'?"),
        ('[[claims]]\nid = "new"\nwords = "?"\nless = ["a.cost"]', "mine.toml, line 5: ", "there is no agent 'a'"),
        ('without = ["agents.forward"]', "small.toml, line 62 (which mine.toml is like): ", "no agent 'forward'"),
        ('without = ["claims.falss"]', "mine.toml, line 2: ", "small.toml has no 'claims.falss'; did you mean"),
        ("without = 3", "mine.toml, line 2: ", "without is a list, not 3"),
        ("claims = 3", "mine.toml, line 2: ", "claims is a list, not 3"),
        ("[scale]\nquick = 3", "mine.toml, line 3: ", "quick is a table, not 3"),
        ("[grid\n", "mine.toml, line 2: ", "not TOML"),
        ('[agents.forward]\nagent = "wastar"', "mine.toml, line 3: ", "supports only known terrain"),
        ('terrain = "known"\n[agents.dstar-lite]\nagent = "of-old"', "mine.toml, line 4: ", "is not available"),
    ],
)  # fmt: skip
def test_mistakes_have_the_line_of_their_file(tmp_path: Path, own: str, place: str, complaint: str) -> None:
    def checked() -> None:
        experiment = like(tmp_path, own)
        check_agents(experiment, experiment.entries)

    with pytest.raises(ValueError, match=r".") as refusal:
        checked()
    message = str(refusal.value)
    assert complaint in message
    assert message.removeprefix(f"{tmp_path}/").startswith(place.replace("mine.toml is", f"{tmp_path}/mine.toml is"))


def test_mistakes_of_the_other_file_are_its_own(tmp_path: Path) -> None:
    base = SMALL.replace('"forward.intervals"', '"forward.interval"')
    line = base[: base.index('"forward.interval"')].count("\n") + 1
    with pytest.raises(
        SpecError, match=rf"small\.toml, line {line} \(which .*mine\.toml is like\): there is no measure"
    ):
        like(tmp_path, "", base)
    with pytest.raises(SpecError, match=r"small\.toml, line 1: not TOML"):
        like(tmp_path, "", "nonsense")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ('"nothing"', r"mine\.toml, line 1: there is no experiment 'nothing'; choose from: "),
        ('"absent.toml"', r"mine\.toml, line 1: .*absent\.toml: cannot be read"),
        ('"mine.toml"', r"mine\.toml, line 1: .*mine\.toml is already like this one"),
        ("3", r"mine\.toml, line 1: like is a text in quotes, not 3"),
    ],
)
def test_what_it_is_like_must_be_there(tmp_path: Path, given: str, complaint: str) -> None:
    with pytest.raises(SpecError, match=complaint):
        load(write(tmp_path, mine=f"like = {given}\n"))


def test_circles_and_long_chains_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"two\.toml, line 1: .*one\.toml is already like this one"):
        load(write(tmp_path, two='like = "one.toml"', one='like = "two.toml"'))
    files = {f"x{n}": f'like = "x{n - 1}.toml"\n' for n in range(1, 12)}
    with pytest.raises(SpecError, match="more than 8 experiments, each like the next"):
        load(write(tmp_path, x0=SMALL, **files))


# ------------------------------------------------------------------ runs


def test_a_run_keeps_all_that_it_needs(tmp_path: Path) -> None:
    text = 'title = "Few"\n[scale.quick]\nworlds = 2\n'
    finished = lab_run(like(tmp_path, text), tmp_path / "out", agents=["backward"]).run
    for file in tmp_path.glob("*.toml"):
        file.unlink()
    again = Run(finished.directory)
    assert again.experiment.title == "Few"
    assert len(again.experiment.claims) == 4
    about = json.loads((again.directory / "run.json").read_text())
    for broken in ([], [{"file": "x", "text": 3}], "x", [{"file": "x", "text": "y", "z": 0}], [about["like"][0]] * 9):
        (again.directory / "run.json").write_text(json.dumps({**about, "like": broken}))
        with pytest.raises(StoreError):
            Run(finished.directory)
