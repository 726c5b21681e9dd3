"""Verdicts are honest: what is true holds, what is planted falls, and what cannot be known is called so."""

import json

import numpy as np
import pytest
from lab_specs import SMALL, small

from timebound.lab.measures import Measure
from timebound.lab.results import Results, arrange
from timebound.lab.statistics import estimate, pair
from timebound.lab.verdicts import FAILS, HOLDS, OPEN, judge

RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def _the_same_noise_whatever_ran_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "RNG", np.random.default_rng(7))


def results(text: str, figures: dict[str, object], problems: int) -> Results:
    """Results with figures of our choice: label -> function of (budget, problem numbers)."""
    experiment = small(text)
    columns: dict[str, list] = {name: [] for name in ("problem", "label", "settings", "solved", "moves", "intervals")}
    columns |= {"expansions": [], "searches": []}
    for one in experiment.configurations():
        values = figures[one.label](one.budget, np.arange(problems))
        for problem, value in enumerate(values):
            row = {"problem": problem, "label": one.label, "settings": json.dumps(one.settings, sort_keys=True)}
            row |= {"solved": True, "moves": value, "intervals": value, "expansions": value, "searches": 1.0}
            for name, column in columns.items():
                column.append(row[name])
    return arrange(experiment, columns)


def claim(words: str) -> str:
    """The small experiment with one claim only."""
    return SMALL[: SMALL.index("[[claims]]")] + f'[[claims]]\nid = "x"\nwords = "x"\n{words}\n'


def verdict(words: str, figures: dict[str, object], problems: int = 40) -> str:
    found = results(claim(words), figures, problems)
    return judge(found.experiment.claims[0], found).outcome


HARD = RNG.lognormal(5, 1, 1000)  # problems differ far more than agents do


def agent(factor: float, slope: float = 0.0, noise: float = 0.05):
    """Figures that depend on the problem, and a little on the budget."""

    def values(budget: float, problems: np.ndarray) -> np.ndarray:
        step = {5: 0, 50: 1}.get(budget, 2)
        return HARD[problems] * (factor + slope * step) * (1 + noise * RNG.standard_normal(len(problems)))

    return values


ORDERED = {"dstar-lite": agent(1.0), "forward": agent(1.2), "backward": agent(1.5)}
LEVEL = {"dstar-lite": agent(1.0), "forward": agent(1.0), "backward": agent(1.0)}
FALLING = {"dstar-lite": agent(1.0, -0.2), "forward": agent(2.0, -0.3), "backward": agent(1.0)}
CHAIN = 'less = ["dstar-lite.moves", "forward.moves", "backward.moves"]'


@pytest.mark.parametrize(
    ("words", "figures", "outcome"),
    [
        (CHAIN, ORDERED, HOLDS),
        ('less = ["forward.moves", "dstar-lite.moves"]', ORDERED, FAILS),
        (CHAIN, LEVEL, OPEN),
        ('less = ["dstar-lite(budget=5).moves", "forward(budget=50).moves"]', ORDERED, HOLDS),
        ('decreasing = ["dstar-lite.moves", "forward.moves"]', FALLING, HOLDS),
        ('increasing = "forward.moves"', FALLING, FAILS),
        ('lowest = "forward.moves"\nat = [inf]', FALLING, HOLDS),
        ('lowest = "forward.moves"\nat = [5]', FALLING, FAILS),
        ('ratio = ["forward.moves", "dstar-lite.moves"]\nbetween = [1.1, 1.3]', ORDERED, HOLDS),
        ('ratio = ["forward.moves", "dstar-lite.moves"]\nbetween = [0.9, 1.1]', ORDERED, FAILS),
        ('ratio = ["forward.moves / searches", "dstar-lite.moves"]\nbetween = [1.1, 1.3]', ORDERED, HOLDS),
        ('ratio = ["forward.moves", "dstar-lite.moves"]\nbetween = [1.19, 1.3]', ORDERED, OPEN),
        ('constant = "forward.moves"', FALLING, FAILS),
        ('constant = "forward.moves"', {name: agent(1.0, noise=0.0) for name in ORDERED}, HOLDS),
        ('less = ["dstar-lite.moves", "forward.moves"]\nat = [5]', FALLING, HOLDS),
    ],
)
def test_verdicts(words: str, figures: dict[str, object], outcome: str) -> None:
    assert verdict(words, figures) == outcome


def test_one_problem_decides_nothing() -> None:
    assert verdict(CHAIN, ORDERED, problems=1) == OPEN
    assert verdict('ratio = ["forward.moves", "dstar-lite.moves"]\nbetween = [1.1, 1.3]', ORDERED, problems=1) == OPEN


def test_agents_that_no_problem_tells_apart_are_not_judged() -> None:
    same = {name: agent(1.0, noise=0.0) for name in ORDERED}
    assert verdict(CHAIN, same) == OPEN


@pytest.mark.parametrize(
    ("words", "figures"),
    [
        ('less = ["dstar-lite.moves", "forward.moves"]', LEVEL),
        ('ratio = ["forward.moves", "dstar-lite.moves"]\nbetween = [1.2, 1.3]', ORDERED),
    ],
)
def test_chance_seldom_refutes_a_claim_that_is_just_true(words: str, figures: dict[str, object]) -> None:
    """The truth is at the limit, three comparisons each time: in 2.5 % of cases the claim may be called false."""
    refuted = sum(verdict(words, figures) == FAILS for _ in range(300))
    assert refuted <= 16  # 7.5 are due; more than 16 have a chance of 1 in 400


def test_confidence_intervals_cover_the_truth() -> None:
    rng, measure, covered = np.random.default_rng(1), Measure("moves", "searches"), 0
    for _ in range(400):
        searches = rng.integers(1, 10, 50).astype(float)
        moves = searches * 3 + rng.normal(0, 2, 50)
        low, high = estimate(measure, {"moves": moves, "searches": searches})[1:3]
        covered += low <= 3 <= high
    assert 370 <= covered <= 392  # 95 % of 400, give or take


def test_a_pair_leaves_out_what_one_side_did_not_solve() -> None:
    measure = Measure("moves")
    both = pair((measure, {"moves": np.array([1.0, np.nan, 3.0])}), (measure, {"moves": np.array([2.0, 5.0, 5.0])}))
    assert both is not None
    assert (both.one, both.two, both.difference().problems) == (2.0, 3.5, 2)
    assert pair((measure, {"moves": np.array([np.nan])}), (measure, {"moves": np.array([1.0])})) is None


def test_what_was_not_run_is_not_judged() -> None:
    found = results(claim(CHAIN), ORDERED, 5)
    samples = {one: sample for one, sample in found.samples.items() if one.label != "forward"}
    judged = judge(found.experiment.claims[0], Results(found.experiment, samples, {}))
    assert judged.outcome == OPEN
    assert "not run" in judged.reason
    assert "forward" in judged.reason


def test_who_fails_is_not_rewarded() -> None:
    """D* Lite would look best on the problems that it solved."""
    found = results(claim('less = ["dstar-lite.moves", "forward.moves"]'), ORDERED, 40)
    assert judge(found.experiment.claims[0], found).outcome == HOLDS
    failing = {one: 3 if one.label == "dstar-lite" else 0 for one in found.samples}
    judged = judge(found.experiment.claims[0], Results(found.experiment, found.samples, failing))
    assert judged.outcome == OPEN
    assert "3 episodes not solved" in judged.comparisons[0].words
