"""Experiments as data: what they say, and what is refused with its line."""

import math
from pathlib import Path

import pytest
from lab_specs import SMALL, small

from timebound.lab.experiment import Named
from timebound.lab.files import SpecError, names
from timebound.lab.pieces import check_agents
from timebound.lab.spec import load


def test_an_experiment_says_everything() -> None:
    experiment = small()
    assert len(experiment.configurations()) == 7
    backward = experiment.configurations()[-1]
    assert (backward.agent, backward.budget, dict(backward.parameters)) == (
        "repeated-astar",
        math.inf,
        {"direction": "backward"},
    )
    assert experiment.published.value(backward, "expansions") == 5000
    assert experiment.published.value(experiment.configurations()[1], "expansions") is None
    assert experiment.measured == {"expansions", "moves", "searches", "intervals"}
    assert experiment.scales["full"].worlds == 60


def test_parameters_with_several_values_are_configurations() -> None:
    text = SMALL.replace('direction = "backward"', 'direction = ["forward", "backward"]')
    settings = [one.settings for one in small(text).configurations() if one.label == "backward"]
    assert settings == [{"budget": math.inf, "direction": way} for way in ("forward", "backward")]


@pytest.mark.parametrize("name", names())
def test_the_experiments_of_the_package_are_sound(name: str) -> None:
    experiment = load(name)
    configurations = [one for entry in experiment.entries for one in experiment.rows(entry)]
    printed = [one for one in configurations if _printed(experiment, one)]
    assert len(printed) == len(experiment.published.rows)
    assert experiment.claims or "A lead, not a result" in experiment.about
    assert experiment.title
    assert experiment.paper
    if isinstance(experiment.worlds, Named):
        assert experiment.worlds.stand_in.generator


def _printed(experiment, one) -> bool:
    return any(experiment.published.value(one, str(measure)) is not None for measure in experiment.measures)


def test_the_rtaa_table_is_whole() -> None:
    experiment = load("rtaa-table-1")
    assert len(experiment.published.rows) == 29
    for row in experiment.published.rows:
        entry = dict(zip(experiment.published.columns, row, strict=True))
        assert entry["moves / searches"] == pytest.approx(entry["cost"] / entry["searches"], abs=0.006)
        assert entry["planning_us / searches"] == pytest.approx(entry["planning_us"] / entry["searches"], abs=0.006)
        assert entry["planning_us / moves"] == pytest.approx(entry["planning_us"] / entry["cost"], abs=0.006)


MISTAKES = [
    ('"expansions" = "cells', '"expansion" = "cells', "there is no measure 'expansion'; did you mean 'expansions'?"),
    ('"moves / searches" =', '"moves / serches" =', "there is no measure 'serches'; did you mean 'searches'?"),
    ("less = [", "lesss = [", "unknown key 'lesss'; did you mean 'less'?"),
    ('"forward.intervals"', '"foward.intervals"', "no agent 'foward' in this experiment; did you mean 'forward'?"),
    ('"forward.intervals"', '"forward.interval"', "no measure 'interval'; did you mean 'intervals'?"),
    ('"forward.intervals"', '"forward(buget=5).moves"', "'buget' is not set in 'forward(buget=5).moves'; did you mean"),
    ('"forward.intervals"', '"forward(budget=6).moves"', "budget is never 6 in 'forward(budget=6).moves'"),
    ('"forward.intervals"', '"forward"', "'forward' is not a term"),
    ('generator = "maze"', 'generator = "mase"', "generator cannot be 'mase'; did you mean 'maze'?"),
    ("width = 21", 'width = "wide"', "width is a whole number, not 'wide'"),
    ("width = 21", "widht = 21", "unknown key 'widht'; did you mean 'width'?"),
    ('terrain = "unknown"', 'terrain = "unkown"', "terrain cannot be 'unkown'; did you mean 'unknown'?"),
    ("expansions = [5, 50, inf]", "expansion = [5]", "unknown key 'expansion'; did you mean 'expansions'?"),
    ("expansions = [5, 50, inf]", "expansions = [0]", "the budget expansions must be a number above 0 (or inf), not 0"),
    ("neighbors = 4", "neighbors = 5", "neighbors cannot be 5; choose from: 4, 8, 16"),
    ('["dstar-lite", 5, 1000.5]', '["dstar", 5, 1000.5]', "no agent 'dstar' in this experiment; did you mean"),
    ('["dstar-lite", 5, 1000.5]', '["dstar-lite", 5]', "row 1 needs 3 values, one for each column"),
    ("worlds = 12", "worlds = 0", "worlds is a whole number from 1, not 0"),
    ('y = "intervals"', 'y = "intervalls"', "no measure 'intervalls'; did you mean 'intervals'?"),
    ('id = "planted"', 'id = "fewer"', "two claims are called 'fewer'"),
    ("expansions = [5, 50, inf]", "expansions = 5", "expansions is a list, not 5"),
    ('log = ["x"]', 'log = ["z"]', "log cannot be 'z'; choose from: x, y"),
    ('title = "Small mazes"', 'titel = "Small mazes"', "unknown key 'titel'; did you mean 'title'?"),
    ('title = "Small mazes"', "title = Small", "not TOML"),
]


@pytest.mark.parametrize(("right", "wrong", "complaint"), MISTAKES, ids=[wrong for _, wrong, _ in MISTAKES])
def test_mistakes_are_refused_with_their_line(right: str, wrong: str, complaint: str) -> None:
    text = SMALL.replace(right, wrong, 1)
    with pytest.raises(SpecError) as refusal:
        small(text)
    message = str(refusal.value)
    line = text[: text.index(wrong)].count("\n") + 1
    assert complaint in message
    assert message.startswith(f"small.toml, line {line}: ")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ('agent = "repeated-astar"', 'agent = "repeted-astar"', "not available; did you mean 'repeated-astar'?"),
        ("direction = ", "directions = ", "has no parameter 'directions'; did you mean 'direction'?"),
        ('agent = "repeated-astar"', 'agent = "wastar"', "agent 'wastar' supports only known terrain"),
        ('agent = "repeated-astar"', 'agent = "nowhere:mine"', "'nowhere:mine' cannot be imported"),
    ],
)
def test_agents_are_checked_before_anything_runs(right: str, wrong: str, complaint: str) -> None:
    text = SMALL.replace(right, wrong, 1)
    experiment = small(text)
    with pytest.raises(
        ValueError, match=f"small.toml, line {text[: text.index(wrong)].count(chr(10)) + 1}: "
    ) as refusal:
        check_agents(experiment, experiment.entries)
    assert complaint in str(refusal.value)


def test_experiments_are_found_by_name_and_by_file(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no experiment 'rtaa-tabel-1'; did you mean 'rtaa-table-1'"):
        load("rtaa-tabel-1")
    with pytest.raises(ValueError, match=r"absent.toml: cannot be read"):
        load(tmp_path / "absent.toml")
    file = tmp_path / "mine.toml"
    file.write_text(SMALL)
    assert load(file).name == "mine"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(SpecError, match="not UTF-8"):
        load(file)
