"""Advice: who takes part, who is on the front, what is recommended and why."""

import json
import math
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import timebound as tb
from timebound import maps
from timebound.applications.advice import (
    EQUAL_MEMORY,
    EQUAL_TIMES,
    EQUAL_WALKS,
    Advice,
    Candidate,
    Play,
    Standing,
    candidates,
    dominates,
)
from timebound.cli import main

FIGURES = st.tuples(st.floats(1, 9), st.floats(0.1, 99), st.integers(0, 9), st.sampled_from([0.0, 0.0, 2.0]))


def standing(name: str, ratio: float, us: float, memory: int = 1, preparation: float = 0.0) -> Standing:
    return Standing(Candidate(name), preparation, [Play(ratio, us, 1, us, memory)])


def of_problems(name: str, *plays: tuple[float, float]) -> Standing:
    return Standing(Candidate(name), 0.0, [Play(ratio, us, 1, us, 1) for ratio, us in plays])


def advice(*standings: Standing) -> Advice:
    return Advice(standings, [], 1, {"ms": 1.0}, "known", 1)


@given(st.lists(FIGURES, min_size=1, max_size=12))
@settings(max_examples=200)
def test_the_front_is_who_is_not_worse_in_everything(figures: list[tuple[float, float, int, float]]) -> None:
    given_ = [standing("tba", *one) for one in figures]
    result = advice(*given_)
    for one in given_:
        walk, us, memory, preparation = one.objectives
        beaten = any(
            all(a <= b for a, b in zip(other.objectives, one.objectives, strict=True))
            and (
                other.objectives[0] * EQUAL_WALKS < walk
                or other.objectives[1] * EQUAL_TIMES < us
                or other.objectives[2] * EQUAL_MEMORY < memory
                or other.objectives[3] * EQUAL_TIMES < preparation
            )
            for other in given_
        )
        assert (one in result.front) != beaten
    assert result.best in result.front
    assert not any(dominates(other, result.best) for other in given_)


def test_who_is_hardly_better_does_not_beat_its_twin() -> None:
    twins = standing("tb-wastar", 1.1, 1.60), standing("tbr-wastar", 1.102, 1.65)
    assert list(advice(*twins).front) == list(twins)
    assert list(advice(twins[0], standing("tbr-wastar", 1.1, 2.50)).front) == [twins[0]]
    assert list(advice(twins[0], standing("tbr-wastar", 1.11, 1.65)).front) == [twins[0]]


def test_of_walks_as_short_the_quickest_is_advised() -> None:
    assert advice(standing("tba", 1.0, 9), standing("gbfs", 1.01, 2)).best.candidate.agent == "gbfs"
    assert advice(standing("tba", 1.0, 9), standing("gbfs", 1.1, 2)).best.candidate.agent == "tba"


def test_preparation_must_be_worth_it() -> None:
    ready, prepared = standing("lrta", 1.5, 1), standing("knn-lrta", 1.1, 1, preparation=3.0)
    assert advice(ready, prepared).best is prepared
    assert advice(standing("lrta", 1.12, 1), prepared).best.candidate.agent == "lrta"


def test_who_fails_is_advised_only_if_all_fail() -> None:
    lost = of_problems("lrta", (1.0, 1), (math.inf, 1))
    assert advice(lost, standing("tba", 3.0, 9)).best.candidate.agent == "tba"
    assert "did not arrive in 1 of 2 problems" in " ".join(advice(lost).reasons)


def test_the_reasons_name_the_alternatives() -> None:
    text = " ".join(advice(standing("tba", 1.0, 900), standing("rtaa", 1.01, 20), standing("lrta", 3.0, 1)).reasons)
    assert text.startswith(
        "rtaa was the best of 3 candidates on 1 problem on this map. Its trajectories take 1.0 % longer"
    )
    assert "lrta is faster: 1 us per move, for trajectories that take 200.0 % longer" in text


def test_candidates_take_the_terrain_and_fleets_their_own() -> None:
    for terrain in ("known", "unknown", "partial"):
        assert {one.agent for one in candidates(terrain)} == {
            kind.name for kind in tb.catalogue() if terrain in kind.terrain
        }
    in_fleets = {one.agent for one in candidates("known", units=5)}
    assert {"rtaa", "lrta"} <= in_fleets < {one.agent for one in candidates("known")}
    with pytest.raises(tb.ProblemError, match="supports only known terrain"):
        candidates("unknown", names=["knn-lrta"])


def test_a_tournament_by_expansions_is_repeatable() -> None:
    world = tb.Grid(maps.caves(40, 40, seed=1).passable)
    first, second = (
        tb.advise(world, expansions=10, agents=["lrta", "rtaa", "tba"], problems=4, seconds=600, seed=3)
        for _ in range(2)
    )
    assert walks(first) == walks(second)
    assert first.problems == 4
    assert all(play.ratio >= 1 - 1e-9 for one in first.standings for play in one.plays)
    assert not first.left_out


def walks(result: Advice) -> dict[Candidate, list[float]]:
    return {one.candidate: [play.ratio for play in one.plays] for one in result.standings}


def test_who_was_dropped_is_judged_by_what_it_played() -> None:
    """Memory and the longest planning only grow, so few problems would flatter."""
    kept = Standing(Candidate("tba"), 0.0, [Play(1.0, 1, 1, 1, memory) for memory in (10, 10, 90)])
    dropped = Standing(Candidate("rtaa"), 0.0, [Play(3.0, 9, 1, 9, 20)] * 2)
    assert dominates(kept, dropped)
    assert list(advice(kept, dropped).front) == [kept]


def test_certainty_is_how_often_resampled_problems_give_the_same_advice() -> None:
    even = of_problems("tba", *[(1.0, 5)] * 8)
    sure = replace(advice(even, of_problems("gbfs", *[(1.5, 5)] * 8)), problems=8)
    assert (sure.best, sure.certainty, sure.winners) == (even, 1.0, {Candidate("tba"): 1.0})
    assert "in 100 % of the draws." in " ".join(sure.reasons)
    # Its trajectories are as good on average, but only because of one problem in eight: without that, it is quicker.
    uneven = of_problems("gbfs", *[(1.0, 1)] * 7, (2.0, 1))
    unsure = replace(advice(even, uneven), problems=8)
    assert unsure.best is even
    expected = 1 - (7 / 8) ** 8  # the problem is among eight draws
    assert unsure.certainty == pytest.approx(expected, abs=0.1)
    assert replace(unsure).winners == unsure.winners
    assert "; gbfs in 3" in " ".join(unsure.reasons)


def test_few_problems_tell_nothing_of_certainty() -> None:
    few = advice(standing("tba", 1.0, 900), standing("rtaa", 1.01, 20))
    assert few.certainty is None
    assert "1 problem cannot tell how certain this is: allow more seconds." in few.reasons


def test_noise_of_the_clock_does_not_change_the_advice() -> None:
    """Of agents with the same walks, planning times that a machine can measure as different decide nothing."""
    noise = np.random.default_rng(1).uniform(0.8, 1.25, (30, 4))
    advised = {
        advice(*(standing(name, 1.0, 2 * us) for name, us in zip(names, us_s, strict=True))).best.candidate.agent
        for us_s in noise
        for names in [("gaa", "tba", "astar", "fra")]
    }
    assert advised == {"tba"}


def test_compiling_takes_none_of_the_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    world, told = tb.Grid(maps.caves(40, 40, seed=1).passable), list[str]()
    slow = tb.make

    def make(name: str, on: tb.Grid, *given: object, **parameters: object) -> object:
        if on.shape == (8, 8):  # where the tournament compiles
            time.sleep(0.4)
        return slow(name, on, *given, **parameters)

    monkeypatch.setattr("timebound.applications.advice.make", make)
    names = ["lrta", "rtaa", "tba"]
    result = tb.advise(
        world, expansions=9, agents=names, problems=2, seconds=1.0, progress=lambda what, *_: told.append(what)
    )
    assert [what for what in told if what.startswith("compiling")] == [
        f"compiling {n}" for n in ("rtaa", "tba", "lrta")
    ]
    assert told.index("compiling lrta") == 2
    assert (result.problems, result.left_out) == (2, [])


def test_waiting_makes_a_walk_longer() -> None:
    world = tb.Grid(np.ones((30, 30), bool))
    result = tb.advise(world, expansions=5, agents=["astar", "tba"], problems=3, seconds=600)
    length = {one.candidate.agent: one.suboptimality for one in result.standings}
    assert length["tba"] < length["astar"]


def test_it_stops_in_time_and_says_who_is_left_out() -> None:
    world = tb.Grid(maps.caves(60, 60, seed=1).passable)
    names = ["lrta", "rtaa", "tba"]
    tb.advise(world, expansions=9, agents=names, problems=1, seconds=600)  # compiles
    began = time.monotonic()
    result = tb.advise(world, expansions=9, agents=names, seconds=0.2)
    assert time.monotonic() - began < 10
    assert {len(one.plays) for one in result.standings} <= {result.problems, result.problems + 1, 1, 2, 3}
    none = tb.advise(world, expansions=9, agents=names, seconds=1e-9)
    assert len(none.standings) == 1
    assert len(none.left_out) == len(candidates("known", names=names)) - 1
    assert "There was no time" in none.reasons[-1]


def test_the_lines_of_python_run() -> None:
    world = tb.Grid.load("harbour")
    alone = tb.advise(world, expansions=50, agents=["tba"], problems=1)
    scope = {"start": (12, 100), "goal": (60, 70)}
    exec(alone.code("harbour"), scope)
    assert scope["agent"].stop == "goal"  # type: ignore[attr-defined]
    shared = tb.advise(world, expansions=500, units=2, agents=["rtaa"], problems=1)
    scope = {"starts": [(12, 100), (20, 90)], "goals": [(60, 70), (60, 70)]}
    exec(shared.code("harbour"), scope)
    assert scope["fleet"].ticks == 1  # type: ignore[attr-defined]


def test_the_command_prints_a_table_reasons_and_code(capsys: pytest.CaptureFixture[str], tmp_path) -> None:  # type: ignore[no-untyped-def]
    picture = tmp_path / "advice.png"
    assert main(f"advise harbour --expansions 50 --agents lrta,tba --problems 2 --picture {picture}".split()) == 0
    output = capsys.readouterr().out
    assert "->  tba" in output
    assert 'agent = tb.make("tba", world, start, goal)' in output
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main(["advise", "harbour", "--expansions", "50", "--agents", "lrta,tba", "--problems", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["agent"], told["parameters"]) == ("tba", {})
    assert told["best"]["agent"] == "tba"
    assert (told["certainty"], told["winners"]) == (None, [])
    assert {row["agent"] for row in told["candidates"]} == {"lrta", "tba"}


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({}, "give a budget"),
        ({"ms": 1, "seconds": 0}, "seconds is a number above 0"),
        ({"ms": 1, "units": 0}, "units is a whole number above 0"),
        ({"ms": 1, "agents": "rtaa"}, "agents is a list of names"),
        ({"ms": 1, "agents": []}, "none of these agents"),
        ({"ms": 1, "units": 3, "agents": ["late-astar"]}, "none of these agents"),
        ({"ms": 1, "units": 3, "terrain": "partial"}, "units of a fleet need known or unknown terrain"),
        ({"ms": 1, "progress": 3}, "progress must be a function"),
    ],
)
def test_bad_input_is_refused(given_: dict[str, object], said: str) -> None:
    with pytest.raises(tb.ProblemError, match=said):
        tb.advise(tb.Grid(np.ones((3, 3), bool)), **given_)  # type: ignore[arg-type]
